//! The experiment form: which fields there are, what they hold, and how each
//! reads what is typed into it. The experiment it holds is always valid.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::algorithms::{Algorithm, Param, ParamKind};
use crate::experiment::{BackendChoice, Experiment, ParamValue, SampleChoice, Sizes};
use crate::tui::dialogs::state::TextLine;
use crate::{algorithms, gpu};

/// The form.
#[derive(Debug, Clone)]
pub struct Form {
    /// What it holds.
    pub experiment: Experiment,
    /// The field that keys act on.
    pub field: Field,
    /// Text being typed into that field.
    pub editor: Option<Editor>,
}

/// Text being typed into a field.
#[derive(Debug, Clone, PartialEq)]
pub struct Editor {
    /// The text.
    pub line: TextLine,
    /// What is wrong with it, if something is.
    pub error: Option<String>,
}

/// A row of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Which algorithm.
    Algorithm,
    /// Whether its variant with this number runs.
    Variant(usize),
    /// Threads per block.
    Block,
    /// Work units per thread.
    Coarsen,
    /// Input sizes.
    Sizes,
    /// The algorithm's parameter with this number.
    Param(usize),
    /// Distribution of the input values.
    Input,
    /// What runs the kernels.
    Backend,
    /// GPU whose time the emulator predicts.
    Gpu,
    /// When the emulator runs a sample of the blocks.
    Sample,
}

const BLOCK_STEPS: [u64; 6] = [32, 64, 128, 256, 512, 1024];
const COARSEN_STEPS: [u64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Backends to choose from.
pub(super) const BACKENDS: [BackendChoice; 3] =
    [BackendChoice::Auto, BackendChoice::Cuda, BackendChoice::Emulator];
/// When to sample, to choose from.
pub(super) const SAMPLES: [SampleChoice; 3] =
    [SampleChoice::Auto, SampleChoice::Never, SampleChoice::Always];

fn backend_means(backend: BackendChoice) -> &'static str {
    match backend {
        BackendChoice::Auto => "an NVIDIA GPU if one answers, else the emulator",
        BackendChoice::Cuda => "an NVIDIA GPU, with measured times",
        BackendChoice::Emulator => "the same PTX on this CPU, with predicted times",
        BackendChoice::Scripted => "scripted results for tests",
    }
}

impl Default for Form {
    fn default() -> Self {
        Self::new(Experiment::default())
    }
}

impl Form {
    /// The form of an experiment.
    pub fn new(experiment: Experiment) -> Self {
        Self { experiment, field: Field::Variant(0), editor: None }
    }

    /// The algorithm chosen; the first one for a name nobody knows.
    pub fn algorithm(&self) -> &'static dyn Algorithm {
        algorithms::find(&self.experiment.algorithm).unwrap_or(algorithms::ALL[0])
    }

    /// The fields from top to bottom.
    pub fn fields(&self) -> Vec<Field> {
        let algorithm = self.algorithm();
        let mut fields = vec![Field::Algorithm];
        fields.extend((0..algorithm.variants().len()).map(Field::Variant));
        fields.extend([Field::Block, Field::Coarsen, Field::Sizes]);
        fields.extend((0..algorithm.params().len()).map(Field::Param));
        fields.extend([Field::Input, Field::Backend, Field::Gpu, Field::Sample]);
        fields
    }

    /// Moves to the field `by` rows on, stopping at the ends.
    pub fn go(&mut self, by: isize) {
        let fields = self.fields();
        let at = fields.iter().position(|field| *field == self.field).unwrap_or(0);
        self.field = fields[at.saturating_add_signed(by).min(fields.len() - 1)];
    }

    /// What the field is called.
    pub fn label(&self, field: Field) -> String {
        let label = match field {
            Field::Algorithm => "Algorithm",
            Field::Variant(0) => "Variants",
            Field::Variant(_) => "",
            Field::Block => "Block size",
            Field::Coarsen => "Coarsening",
            Field::Sizes => "Sizes n",
            Field::Param(index) => {
                let name = self.param(index).map_or("", |param| param.name);
                let (first, rest) = name.split_at(name.len().min(1));
                return first.to_uppercase() + rest;
            }
            Field::Input => "Input",
            Field::Backend => "Backend",
            Field::Gpu => "GPU",
            Field::Sample => "Sampling",
        };
        label.to_owned()
    }

    /// What the field means, in a sentence for the line that explains.
    pub fn hint(&self, field: Field) -> String {
        let algorithm = self.algorithm();
        let hint = match field {
            Field::Algorithm => {
                return format!("{}: {}", algorithm.name(), algorithm.summary());
            }
            Field::Variant(index) => {
                let Some(variant) = algorithm.variants().get(index) else { return String::new() };
                return format!("{}: {} (Enter selects)", variant.name, variant.summary);
            }
            Field::Block => "threads per block, 1 to 1024 (Enter types a list: 32,64,128)",
            Field::Coarsen => "work units that each thread takes (Enter types a list: 1,4,16)",
            Field::Sizes => {
                let noun = algorithm.size().noun;
                return format!("input sizes n, {noun} (Enter types: 2^10..2^24:x4, 1000,5000,1M)");
            }
            Field::Param(index) => {
                let Some(param) = self.param(index) else { return String::new() };
                return format!("{}: {} ({})", param.name, param.summary, param.allowed());
            }
            Field::Input => {
                "distribution of the input values (Enter types: zipf:1.5, few-unique:3)"
            }
            Field::Backend => {
                let backend = self.experiment.target.backend;
                return format!("{backend}: {}", backend_means(backend));
            }
            Field::Gpu => "GPU that the emulator predicts times for",
            Field::Sample => match self.experiment.target.sample {
                SampleChoice::Auto => {
                    "auto: the emulator runs a few blocks where all would take seconds; such cases \
                     are not verified"
                }
                SampleChoice::Never => {
                    "never: the emulator runs every block and verifies the output"
                }
                SampleChoice::Always => {
                    "always: the emulator samples blocks; the output is not verified"
                }
            },
        };
        hint.to_owned()
    }

    /// The algorithm's parameter with this number.
    pub(super) fn param(&self, index: usize) -> Option<&'static Param> {
        self.algorithm().params().get(index)
    }

    /// Whether the variant with this number is ticked.
    pub fn ticked(&self, variant: usize) -> bool {
        let Some(variant) = self.algorithm().variants().get(variant) else { return false };
        let chosen = &self.experiment.variants;
        chosen.is_empty() || chosen.iter().any(|name| name == variant.name)
    }

    /// What the field holds, as it would be typed.
    pub fn value(&self, field: Field) -> String {
        let experiment = &self.experiment;
        match field {
            Field::Algorithm => experiment.algorithm.clone(),
            Field::Variant(index) => {
                self.algorithm().variants().get(index).map_or("", |v| v.name).to_owned()
            }
            Field::Block => list(&experiment.blocks),
            Field::Coarsen => list(&experiment.coarsenings),
            Field::Sizes => experiment.sizes.to_string(),
            Field::Param(index) => {
                let Some(param) = self.param(index) else { return String::new() };
                match experiment.params.get(param.name) {
                    Some(values) if !values.is_empty() => list(values),
                    _ => param.default().to_string(),
                }
            }
            Field::Input => experiment.dist.to_string(),
            Field::Backend => experiment.target.backend.to_string(),
            Field::Sample => experiment.target.sample.name().to_owned(),
            Field::Gpu => experiment.target.gpu.as_deref().unwrap_or(gpu::DEFAULT_GPU).to_owned(),
        }
    }

    /// What the field holds, as it is read: a 0 that stands for something else says so.
    pub fn shown(&self, field: Field) -> String {
        let param = match field {
            Field::Param(index) => self.param(index).filter(|param| param.zero.is_some()),
            _ => None,
        };
        let Some(param) = param else { return self.value(field) };
        let values = match self.experiment.params.get(param.name) {
            Some(values) if !values.is_empty() => values.clone(),
            _ => vec![param.default()],
        };
        values.iter().map(|value| param.shown(value)).collect::<Vec<_>>().join(",")
    }

    /// The values that a field takes where these are all, each with what it means.
    pub fn choices(&self, field: Field) -> Option<Vec<(&'static str, &'static str)>> {
        let plain = |word| (word, "");
        Some(match field {
            Field::Algorithm => {
                algorithms::ALL.iter().map(|it| (it.name(), it.summary())).collect()
            }
            Field::Backend => BACKENDS.iter().map(|it| (it.name(), backend_means(*it))).collect(),
            Field::Sample => SAMPLES.iter().map(|it| plain(it.name())).collect(),
            Field::Gpu => gpu::specs().iter().map(|it| plain(it.name.as_str())).collect(),
            Field::Param(index) => match self.param(index)?.kind {
                ParamKind::Word(words) => words.iter().copied().map(plain).collect(),
                _ => return None,
            },
            _ => return None,
        })
    }

    /// Ticks or unticks a variant. At least one stays ticked.
    pub fn toggle(&mut self, variant: usize) -> Result<(), String> {
        let names: Vec<&str> = self.algorithm().variants().iter().map(|v| v.name).collect();
        let mut ticks: Vec<bool> = (0..names.len()).map(|index| self.ticked(index)).collect();
        let Some(tick) = ticks.get_mut(variant) else { return Ok(()) };
        *tick = !*tick;
        if ticks.iter().all(|tick| !tick) {
            return Err("at least one variant must be selected".to_owned());
        }
        self.experiment.variants = if ticks.iter().all(|tick| *tick) {
            Vec::new()
        } else {
            names
                .iter()
                .zip(&ticks)
                .filter(|(_, tick)| **tick)
                .map(|(n, _)| (*n).to_owned())
                .collect()
        };
        Ok(())
    }

    /// The experiment of another algorithm, with the sizes, block size and
    /// coarsening that it opens on. Target, seed and stopping stay, and so does a
    /// distribution that applies.
    pub(super) fn of_algorithm(&self, name: &str) -> Experiment {
        let now = &self.experiment;
        let Some(algorithm) = algorithms::find(name).filter(|_| name != now.algorithm) else {
            return now.clone();
        };
        let opening = algorithms::opening(algorithm);
        let applies = algorithm.distributions().iter().any(|dist| dist.is_like(now.dist));
        Experiment {
            dist: if applies { now.dist } else { opening.dist },
            seed: now.seed,
            target: now.target.clone(),
            stopping: now.stopping,
            ..opening
        }
    }

    /// Changes the field to its next or previous usual value.
    pub fn step(&mut self, field: Field, by: isize) -> Result<(), String> {
        let text = if let Some(choices) = self.choices(field) {
            let words: Vec<&str> = choices.into_iter().map(|(word, _)| word).collect();
            turn(&words, &self.value(field).as_str(), by).to_owned()
        } else {
            match field {
                Field::Variant(index) => return self.toggle(index),
                Field::Block => {
                    let now = self.experiment.blocks.first().map_or(128, |block| block.get());
                    walk(&BLOCK_STEPS, u64::from(now), by).to_string()
                }
                Field::Coarsen => {
                    let now = self.experiment.coarsenings.first().copied().unwrap_or(1);
                    walk(&COARSEN_STEPS, u64::from(now), by).to_string()
                }
                Field::Sizes => {
                    let sizes = self.experiment.sizes.values();
                    let (first, last) = (sizes[0].max(1), sizes[sizes.len() - 1].max(1));
                    let last = if by > 0 { last.saturating_mul(2) } else { last / 2 };
                    if last < first || last > self.algorithm().size().most {
                        return Err("press Enter to type any sizes".to_owned());
                    }
                    self.experiment.sizes = Sizes::range(first, last, 2);
                    return Ok(());
                }
                Field::Param(index) => {
                    let Some(param) = self.param(index) else { return Ok(()) };
                    match param.kind {
                        ParamKind::Int { steps, default, .. } => {
                            let values = self.experiment.params.get(param.name);
                            let now = match values.and_then(|values| values.first()) {
                                Some(ParamValue::Int(now)) => *now,
                                _ => default,
                            };
                            walk(steps, now, by).to_string()
                        }
                        ParamKind::File(kind) => {
                            return Err(format!("press Enter to type the name of a {kind} file"));
                        }
                        ParamKind::Word(_) => return Ok(()), // one of its choices
                    }
                }
                // Those that apply; one that was typed with a parameter stands
                // for its kind.
                Field::Input => {
                    let apply = self.algorithm().distributions();
                    let now = apply.iter().copied().find(|dist| dist.is_like(self.experiment.dist));
                    let now = now.unwrap_or(self.experiment.dist);
                    self.experiment.dist = turn(apply, &now, by);
                    return Ok(());
                }
                Field::Algorithm | Field::Backend | Field::Gpu | Field::Sample => return Ok(()),
            }
        };
        self.experiment = self.parse(field, &text)?;
        Ok(())
    }
}

fn list<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// The next higher or lower of `steps`, stopping at the ends.
fn walk(steps: &[u64], now: u64, by: isize) -> u64 {
    let next = if by > 0 {
        steps.iter().find(|step| **step > now)
    } else {
        steps.iter().rev().find(|step| **step < now)
    };
    next.copied().unwrap_or(now)
}

/// The one `by` places after `now`, round and round.
pub(crate) fn turn<T: PartialEq + Copy>(all: &[T], now: &T, by: isize) -> T {
    match all.iter().position(|one| one == now) {
        Some(at) => all[(at as isize + by).rem_euclid(all.len() as isize) as usize],
        None => all.first().copied().unwrap_or(*now),
    }
}
