//! What is typed into a field: numbers, lists and ranges, read with every key.

use crate::experiment::{Experiment, ExperimentError, ParamValue, Sizes};
use crate::tui::screens::sweep::form::state::{BACKENDS, Field, Form, SAMPLES};
use crate::units::{BlockSize, Elements};
use crate::{algorithms, gpu, units};

/// Most work units per thread that may be typed.
const MOST_COARSENING: u64 = 65_536;

impl Form {
    /// The experiment with `text` typed into the field.
    pub fn parse(&self, field: Field, text: &str) -> Result<Experiment, String> {
        let mut experiment = self.experiment.clone();
        match field {
            Field::Block => {
                let way_out = "type 1 to 1024, as in 128 or 32,256 or 32..1024";
                experiment.blocks = each(text, way_out, |part| {
                    spread(part)?
                        .into_iter()
                        .map(|threads| threads.to_string().parse::<BlockSize>())
                        .collect::<Result<Vec<_>, _>>()
                        .map_err(|error| error.to_string())
                })?;
            }
            Field::Coarsen => {
                let way_out = "type 1 to 65536, as in 4 or 1,16 or 1..64";
                experiment.coarsenings = each(text, way_out, |part| {
                    let take = |value: u64| {
                        if (1..=MOST_COARSENING).contains(&value) {
                            Ok(value as u32)
                        } else {
                            Err(format!("coarsening must be 1 to {MOST_COARSENING}, not {value}"))
                        }
                    };
                    spread(part)?.into_iter().map(take).collect()
                })?;
            }
            Field::Sizes => {
                let (most, name) = (self.algorithm().size().most, self.algorithm().name());
                each(text, "type 1000,5000,1M or 2^10..2^24 or 2^10..2^24:x4", |part| {
                    let sizes = part.parse::<Sizes>().map_err(reason)?.values();
                    match sizes.iter().find(|n| **n > most) {
                        None => Ok(sizes),
                        Some(n) => {
                            let (n, most) = (Elements(*n), Elements(most));
                            Err(format!("{n} is above the maximum of {name}, {most}"))
                        }
                    }
                })?;
                experiment.sizes = text.parse::<Sizes>().map_err(reason)?;
            }
            Field::Param(index) => {
                let Some(param) = self.param(index) else { return Ok(experiment) };
                let way_out = format!("type {}", param.allowed());
                let values = each(text, &way_out, |part| {
                    let Ok(value) = part.parse::<ParamValue>();
                    let value = algorithms::meant(self.algorithm(), param, &value)?;
                    if param.allows(&value) {
                        Ok(vec![value])
                    } else {
                        Err(format!("{} cannot be {value}", param.name))
                    }
                })?;
                experiment.params.insert(param.name.to_owned(), values);
            }
            Field::Input => {
                experiment.dist = text.parse().map_err(|error| format!("{error}"))?;
            }
            Field::Gpu => {
                let text = text.trim();
                let names = gpu::specs().iter().map(|spec| spec.name.as_str());
                let Some(found) = names.clone().find(|name| name.eq_ignore_ascii_case(text)) else {
                    let known = names.collect::<Vec<_>>().join(", ");
                    return Err(format!("no GPU profile `{text}` (known: {known})"));
                };
                experiment.target.gpu = (found != gpu::DEFAULT_GPU).then(|| found.to_owned());
            }
            Field::Algorithm => return Ok(self.of_algorithm(text)),
            Field::Backend => {
                let found = BACKENDS.into_iter().find(|it| it.name() == text);
                experiment.target.backend = found.unwrap_or(experiment.target.backend);
            }
            Field::Sample => {
                let found = SAMPLES.into_iter().find(|it| it.name() == text);
                experiment.target.sample = found.unwrap_or(experiment.target.sample);
            }
            Field::Variant(_) => {}
        }
        Ok(experiment)
    }
}

/// Reads a comma-separated list: the order is kept as typed, doubles go. What is
/// wrong names the part, and ends with a way out.
fn each<T: PartialEq>(
    text: &str,
    way_out: &str,
    read: impl Fn(&str) -> Result<Vec<T>, String>,
) -> Result<Vec<T>, String> {
    let mut values = Vec::new();
    let count = text.split(',').count();
    for (index, part) in text.split(',').enumerate() {
        let place = if count > 1 { format!("part {}: ", index + 1) } else { String::new() };
        let read = read(part.trim()).map_err(|reason| format!("{place}{reason}; {way_out}"))?;
        for value in read {
            if !values.contains(&value) {
                values.push(value);
            }
        }
    }
    Ok(values)
}

/// One number, or a range of doublings: `32..1024`, `1..64:x4`.
fn spread(part: &str) -> Result<Vec<u64>, String> {
    if part.contains("..") {
        part.parse::<Sizes>().map(|range| range.values()).map_err(reason)
    } else {
        units::parse_count(part).map(|value| vec![value]).map_err(|error| error.to_string())
    }
}

/// What was typed stands in the field; its row says only what is wrong.
fn reason(error: ExperimentError) -> String {
    match error {
        ExperimentError::BadSizes { reason, .. } => reason,
        other => other.to_string(),
    }
}
