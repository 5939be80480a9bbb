//! The experiment form: which fields there are, what they hold, and how each
//! reads what is typed into it. The experiment it holds is always valid.

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

use crate::algorithms;
use crate::algorithms::{Algorithm, ParamKind};
use crate::experiment::{BackendChoice, Experiment, ParamValue, SampleChoice, Sizes};
use crate::tui::dialogs::state::TextLine;

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
const BACKENDS: [BackendChoice; 3] =
    [BackendChoice::Auto, BackendChoice::Cuda, BackendChoice::Emulator];
/// When to sample, to choose from.
const SAMPLES: [SampleChoice; 3] = [SampleChoice::Auto, SampleChoice::Never, SampleChoice::Always];

fn backend_means(backend: BackendChoice) -> String {
    match backend {
        BackendChoice::Auto => "an NVIDIA GPU if one answers, else the emulator",
        BackendChoice::Cuda => "an NVIDIA GPU, with measured times",
        BackendChoice::Emulator => "the same PTX on this CPU, with predicted times",
        BackendChoice::Scripted => "scripted results for tests",
    }
    .to_owned()
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
        match field {
            Field::Algorithm => "Algorithm".to_owned(),
            Field::Variant(0) => "Variants".to_owned(),
            Field::Variant(_) => String::new(),
            Field::Block => "Block size".to_owned(),
            Field::Coarsen => "Coarsening".to_owned(),
            Field::Sizes => "Sizes n".to_owned(),
            Field::Param(index) => {
                let name = self.algorithm().params().get(index).map_or("", |param| param.name);
                let mut chars = name.chars();
                let first = chars.next().map(|c| c.to_ascii_uppercase());
                first.into_iter().chain(chars).collect()
            }
            Field::Input => "Input".to_owned(),
            Field::Backend => "Backend".to_owned(),
            Field::Gpu => "GPU".to_owned(),
            Field::Sample => "Sampling".to_owned(),
        }
    }

    /// What the field means, in a sentence for the line that explains.
    pub fn hint(&self, field: Field) -> String {
        let algorithm = self.algorithm();
        match field {
            Field::Algorithm => format!("{}: {}", algorithm.name(), algorithm.summary()),
            Field::Variant(index) => algorithm
                .variants()
                .get(index)
                .map_or_else(String::new, |v| format!("{}: {} (Enter selects)", v.name, v.summary)),
            Field::Block => {
                "threads per block, 1 to 1024 (Enter types a list: 32,64,128)".to_owned()
            }
            Field::Coarsen => {
                "work units that each thread takes (Enter types a list: 1,4,16)".to_owned()
            }
            Field::Sizes => {
                let noun = algorithm.size().noun;
                format!("input sizes n, {noun} (Enter types: 2^10..2^24:x4, 1000,5000,1M)")
            }
            Field::Param(index) => {
                algorithm.params().get(index).map_or_else(String::new, |param| {
                    format!("{}: {} ({})", param.name, param.summary, param.allowed())
                })
            }
            Field::Input => {
                "distribution of the input values (Enter types: zipf:1.5, few-unique:3)".to_owned()
            }
            Field::Backend => {
                let backend = self.experiment.target.backend;
                format!("{backend}: {}", backend_means(backend))
            }
            Field::Gpu => "GPU that the emulator predicts times for".to_owned(),
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
            }
            .to_owned(),
        }
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
                let Some(param) = self.algorithm().params().get(index) else {
                    return String::new();
                };
                match experiment.params.get(param.name) {
                    Some(values) if !values.is_empty() => list(values),
                    _ => param.default().to_string(),
                }
            }
            Field::Input => experiment.dist.to_string(),
            Field::Backend => experiment.target.backend.to_string(),
            Field::Sample => experiment.target.sample.name().to_owned(),
            Field::Gpu => experiment
                .target
                .gpu
                .clone()
                .unwrap_or_else(|| crate::tui::profiles::default_name().to_owned()),
        }
    }

    /// Whether text can be typed into the field.
    pub fn types(&self, field: Field) -> bool {
        match field {
            Field::Block
            | Field::Coarsen
            | Field::Sizes
            | Field::Param(_)
            | Field::Input
            | Field::Gpu => true,
            Field::Algorithm | Field::Variant(_) | Field::Backend | Field::Sample => false,
        }
    }

    /// The values that a field takes where these are all, each with what it means.
    pub fn choices(&self, field: Field) -> Option<Vec<(String, String)>> {
        let plain = |words: &[&str]| {
            words.iter().map(|word| ((*word).to_owned(), String::new())).collect::<Vec<_>>()
        };
        match field {
            Field::Algorithm => Some(
                algorithms::ALL
                    .iter()
                    .map(|it| (it.name().to_owned(), it.summary().to_owned()))
                    .collect(),
            ),
            Field::Backend => {
                Some(BACKENDS.iter().map(|it| (it.name().to_owned(), backend_means(*it))).collect())
            }
            Field::Sample => Some(plain(&SAMPLES.map(SampleChoice::name))),
            Field::Gpu => Some(plain(&crate::tui::profiles::names())),
            Field::Param(index) => match self.algorithm().params().get(index)?.kind {
                ParamKind::Word(words) => Some(plain(words)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Gives a field one of its [`Form::choices`].
    pub fn set(&mut self, field: Field, value: &str) -> Result<(), String> {
        match field {
            Field::Algorithm => {
                if value != self.experiment.algorithm {
                    self.choose(value);
                }
            }
            Field::Backend => {
                if let Some(backend) = BACKENDS.iter().find(|it| it.name() == value) {
                    self.experiment.target.backend = *backend;
                }
            }
            Field::Sample => {
                if let Some(sample) = SAMPLES.iter().find(|it| it.name() == value) {
                    self.experiment.target.sample = *sample;
                }
            }
            field => self.experiment = self.parse(field, value)?,
        }
        Ok(())
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

    /// Takes another algorithm, with the sizes, block size and coarsening that it
    /// opens on. Target, seed and stopping stay, and so does a distribution that
    /// applies.
    fn choose(&mut self, name: &str) {
        let Some(algorithm) = algorithms::find(name) else { return };
        let opening = algorithms::opening(algorithm);
        let now = &self.experiment;
        let applies = algorithm.distributions().iter().any(|dist| dist.is_like(now.dist));
        self.experiment = Experiment {
            dist: if applies { now.dist } else { opening.dist },
            seed: now.seed,
            target: now.target.clone(),
            stopping: now.stopping,
            ..opening
        };
    }

    /// Changes the field to its next or previous usual value.
    pub fn step(&mut self, field: Field, by: isize) -> Result<(), String> {
        match field {
            Field::Variant(index) => self.toggle(index)?,
            Field::Algorithm => {
                let names: Vec<&str> = algorithms::ALL.iter().map(|a| a.name()).collect();
                let name = turn(&names, &self.algorithm().name(), by);
                if name != self.experiment.algorithm {
                    self.choose(name);
                }
            }
            Field::Block => {
                let now = self.experiment.blocks.first().map_or(128, |block| block.get());
                let text = walk(&BLOCK_STEPS, u64::from(now), by).to_string();
                self.experiment = self.parse(field, &text)?;
            }
            Field::Coarsen => {
                let now = self.experiment.coarsenings.first().copied().unwrap_or(1);
                let text = walk(&COARSEN_STEPS, u64::from(now), by).to_string();
                self.experiment = self.parse(field, &text)?;
            }
            Field::Sizes => {
                let sizes = self.experiment.sizes.values();
                let (first, last) = (sizes[0].max(1), sizes[sizes.len() - 1].max(1));
                let last = if by > 0 { last.saturating_mul(2) } else { last / 2 };
                if last < first || last > self.algorithm().size().most {
                    return Err("press Enter to type any sizes".to_owned());
                }
                self.experiment.sizes = Sizes::range(first, last, 2);
            }
            Field::Param(index) => {
                let Some(param) = self.algorithm().params().get(index) else { return Ok(()) };
                let text = match param.kind {
                    ParamKind::Int { steps, default, .. } => {
                        let now =
                            match self.experiment.params.get(param.name).and_then(|v| v.first()) {
                                Some(ParamValue::Int(now)) => *now,
                                _ => default,
                            };
                        walk(steps, now, by).to_string()
                    }
                    ParamKind::Word(words) => {
                        turn(words, &self.value(field).as_str(), by).to_owned()
                    }
                    ParamKind::File(kind) => {
                        return Err(format!("press Enter to type the name of a {kind} file"));
                    }
                };
                self.experiment = self.parse(field, &text)?;
            }
            Field::Input => {
                // Those that apply; one that was typed with a parameter stands
                // for its kind.
                let apply = self.algorithm().distributions();
                let now = apply.iter().copied().find(|dist| dist.is_like(self.experiment.dist));
                let now = now.unwrap_or(self.experiment.dist);
                self.experiment.dist = turn(apply, &now, by);
            }
            Field::Backend => {
                let now = self.experiment.target.backend;
                self.experiment.target.backend = turn(&BACKENDS, &now, by);
            }
            Field::Sample => {
                let now = self.experiment.target.sample;
                self.experiment.target.sample = turn(&SAMPLES, &now, by);
            }
            Field::Gpu => {
                let names = crate::tui::profiles::names();
                let now = self.value(field);
                let name = turn(&names, &now.as_str(), by);
                self.experiment = self.parse(field, name)?;
            }
        }
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
fn turn<T: PartialEq + Copy>(all: &[T], now: &T, by: isize) -> T {
    match all.iter().position(|one| one == now) {
        Some(at) => all[(at as isize + by).rem_euclid(all.len() as isize) as usize],
        None => all.first().copied().unwrap_or(*now),
    }
}
