//! GPU specs: the numbers of each GPU, published or measured.
//!
//! A spec comes from a GPU profile, a file ([`read`]); `assets/profiles` holds the built-in
//! ones. Numbers that a file lacks are carried over from the reference GPU by the rule of
//! their [`Key`], and marked as assumed.

mod file;
mod number;
mod quantity;

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use sha2::Digest;

pub use file::{Document, FileError, read, write};
pub use number::{Number, Values};
pub use quantity::{Carry, Key, Quantity};

/// The GPU used unless another is named.
pub const DEFAULT_GPU: &str = "H200 SXM";

/// The GPU from which missing numbers are carried over.
const REFERENCE: &str = "H200 SXM";

/// Largest profile file that is read.
const MOST_BYTES: u64 = 1 << 20;

/// One GPU.
#[derive(Debug, Clone, PartialEq)]
pub struct GpuSpec {
    /// Name: `H200 SXM`.
    pub name: String,
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Streaming multiprocessors.
    pub sms: u32,
    /// 32-bit float lanes per multiprocessor.
    pub fp32_lanes: u32,
    /// Boost clock in hertz.
    pub boost_hz: f64,
    /// Peak DRAM bandwidth in bytes per second.
    pub dram_bytes_per_second: f64,
    /// DRAM in bytes.
    pub dram_bytes: u64,
    /// L2 cache in bytes.
    pub l2_bytes: u64,
    /// A note on the numbers.
    pub note: String,
    /// Bandwidth of the bus to the host in bytes per second.
    pub bus_bytes_per_second: f64,
    /// Fixed seconds of a copy to or from the host.
    pub bus_latency: f64,
    /// Whether predictions for it were compared with the real GPU.
    pub validated: bool,
    /// A number for each key of [`Key::ALL`].
    numbers: Vec<Number>,
}

impl GpuSpec {
    /// The spec of a file. Missing numbers come from `reference`; without one, `None` if any is
    /// missing.
    fn new(document: &Document, reference: Option<&Self>) -> Option<Self> {
        let of = |key: Key| Some(document.numbers.get(&key)?.values.most());
        let mut spec = Self {
            name: document.name.clone(),
            compute_capability: document.compute_capability,
            sms: of(Key::Multiprocessors)? as u32,
            fp32_lanes: of(Key::Fp32Lanes)? as u32,
            boost_hz: of(Key::BoostClock)?,
            dram_bytes_per_second: of(Key::DramPeak)?,
            dram_bytes: of(Key::DramSize)? as u64,
            l2_bytes: of(Key::L2Size)? as u64,
            note: document.note.clone(),
            bus_bytes_per_second: of(Key::BusRate)?,
            bus_latency: of(Key::BusLatency)?,
            validated: document.validated,
            numbers: Vec::new(),
        };
        spec.numbers = Key::ALL
            .iter()
            .map(|key| match document.numbers.get(key) {
                Some(number) => Some(number.clone()),
                None => Some(spec.carried(*key, reference?)),
            })
            .collect::<Option<_>>()?;
        Some(spec)
    }

    /// A number of `reference`, carried over to this GPU.
    fn carried(&self, key: Key, reference: &Self) -> Number {
        let clock = self.boost_hz / reference.boost_hz;
        let count = f64::from(self.sms) / f64::from(reference.sms);
        let dram = self.dram_bytes_per_second / reference.dram_bytes_per_second;
        let cache = self.l2_bytes as f64 / reference.l2_bytes as f64;
        let (places, values, rule) = match key.quantity().carry {
            Carry::Required | Carry::Same => (1.0, 1.0, ""),
            Carry::Clock => (1.0, clock, ", by the clock"),
            Carry::Chip => (1.0, clock * count, ", by multiprocessors and clock"),
            Carry::Count => (1.0, count, ", by multiprocessors"),
            Carry::Dram if key == Key::DramReadByStride => (1.0, dram, ", by the peak of DRAM"),
            Carry::Dram => (dram, dram, ", by the peak of DRAM"),
            Carry::Cache => (cache, clock * count, ", by the L2's size, multiprocessors and clock"),
        };
        let number = reference.number(key);
        Number {
            values: number.values.scaled(places, values),
            source: format!("assumed: as on {}{rule}", reference.name),
            spread: None,
        }
    }

    /// A number with its source.
    pub fn number(&self, key: Key) -> &Number {
        &self.numbers[key.index()]
    }

    /// A single value in the unit of its key; the highest value of a curve.
    pub fn get(&self, key: Key) -> f64 {
        self.number(key).values.most()
    }

    /// The value of a curve at `x`, in the unit of its key's axis.
    pub fn at(&self, key: Key, x: f64) -> f64 {
        self.number(key).values.at(x)
    }

    /// Numbers measured, published (or from the driver), and assumed.
    pub fn sources(&self) -> [usize; 3] {
        let of = |starts: &[&str]| {
            let has = |number: &&Number| starts.iter().any(|it| number.source.starts_with(it));
            self.numbers.iter().filter(has).count()
        };
        let (measured, published) = (of(&["measured"]), of(&["published", "driver"]));
        [measured, published, self.numbers.len() - measured - published]
    }

    /// Its file, carried-over numbers included.
    pub fn document(&self) -> Document {
        Document {
            name: self.name.clone(),
            note: self.note.clone(),
            compute_capability: self.compute_capability,
            validated: self.validated,
            numbers: Key::ALL.iter().map(|key| (*key, self.number(*key).clone())).collect(),
        }
    }

    /// Identity in stored records: a hash of its name and of every number that predictions
    /// depend on.
    pub fn id(&self) -> String {
        let mut hash = sha2::Sha256::new();
        hash.update(&self.name);
        hash.update(self.compute_capability.to_le_bytes());
        for (key, number) in Key::ALL.iter().zip(&self.numbers) {
            hash.update(key.quantity().name);
            let points = match &number.values {
                Values::One(value) => &[(0.0, *value)][..],
                Values::Curve(points) => points,
            };
            for (x, y) in points {
                hash.update(x.to_le_bytes());
                hash.update(y.to_le_bytes());
            }
        }
        let hex: String =
            hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        format!("profile-{hex}")
    }
}

/// The built-in files, oldest GPU first.
const FILES: &[(&str, &str)] = &[
    ("gtx_745.toml", include_str!("../../assets/profiles/gtx_745.toml")),
    ("gtx_970.toml", include_str!("../../assets/profiles/gtx_970.toml")),
    ("gtx_1070.toml", include_str!("../../assets/profiles/gtx_1070.toml")),
    ("titan_x.toml", include_str!("../../assets/profiles/titan_x.toml")),
    ("v100.toml", include_str!("../../assets/profiles/v100.toml")),
    ("t4.toml", include_str!("../../assets/profiles/t4.toml")),
    ("a100.toml", include_str!("../../assets/profiles/a100.toml")),
    ("rtx_3090.toml", include_str!("../../assets/profiles/rtx_3090.toml")),
    ("rtx_4090.toml", include_str!("../../assets/profiles/rtx_4090.toml")),
    ("h100.toml", include_str!("../../assets/profiles/h100.toml")),
    ("h200.toml", include_str!("../../assets/profiles/h200.toml")),
    ("b200.toml", include_str!("../../assets/profiles/b200.toml")),
];

static SPECS: LazyLock<Vec<Arc<GpuSpec>>> = LazyLock::new(|| {
    // A test reads every built-in file.
    let documents: Vec<Document> =
        FILES.iter().filter_map(|(name, text)| read(text, name).ok()).collect();
    let reference = documents
        .iter()
        .find(|document| document.name == REFERENCE)
        .and_then(|document| GpuSpec::new(document, None));
    let spec = |document| GpuSpec::new(document, reference.as_ref()).map(Arc::new);
    documents.iter().filter_map(spec).collect()
});

/// Every built-in GPU, oldest first.
pub fn specs() -> &'static [Arc<GpuSpec>] {
    &SPECS
}

/// The GPU called `name`, ignoring case, or the only one whose name contains it.
pub fn find_spec(name: &str) -> Option<Arc<GpuSpec>> {
    let wanted = name.trim().to_lowercase();
    let exact = specs().iter().find(|spec| spec.name.to_lowercase() == wanted);
    if exact.is_some() {
        return exact.cloned();
    }
    let mut containing = specs().iter().filter(|spec| spec.name.to_lowercase().contains(&wanted));
    let found = containing.next()?;
    (!wanted.is_empty() && containing.next().is_none()).then(|| Arc::clone(found))
}

/// Why a GPU profile cannot be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// There is no built-in profile and no file of that name.
    #[error("there is no GPU profile `{name}`, nor a file of that name (known: {known})")]
    Unknown {
        /// The name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The file cannot be read.
    #[error(
        "cannot read the GPU profile {path}: {reason}; check the name, or measure a GPU with \
         `warpscope probe -o FILE`"
    )]
    Unreadable {
        /// The file.
        path: String,
        /// The reason.
        reason: String,
    },
    /// The file is invalid.
    #[error(transparent)]
    Wrong(#[from] FileError),
}

/// The GPU that `--gpu` names: a built-in one or a file.
pub fn open_spec(given: &str) -> Result<Arc<GpuSpec>, SpecError> {
    let path = Path::new(given);
    let is_path = path.extension().is_some_and(|extension| extension == "toml")
        || given.contains(['/', '\\']);
    if !is_path && let Some(found) = find_spec(given) {
        return Ok(found);
    }
    if !is_path && !path.is_file() {
        let known: Vec<&str> = specs().iter().map(|spec| spec.name.as_str()).collect();
        return Err(SpecError::Unknown { name: given.to_owned(), known: known.join(", ") });
    }
    let unreadable = |reason: String| SpecError::Unreadable { path: given.to_owned(), reason };
    let about = fs::metadata(path).map_err(|error| unreadable(error.to_string()))?;
    if about.len() > MOST_BYTES {
        return Err(unreadable(format!("{} bytes, which no profile has", about.len())));
    }
    let text = fs::read_to_string(path).map_err(|error| unreadable(error.to_string()))?;
    parse_spec(&text, given)
}

/// The GPU of a file's text; `path` is for messages.
pub fn parse_spec(text: &str, path: &str) -> Result<Arc<GpuSpec>, SpecError> {
    let document = read(text, path)?;
    let reference = find_spec(REFERENCE);
    let spec = GpuSpec::new(&document, reference.as_deref());
    Ok(Arc::new(spec.ok_or_else(|| FileError {
        path: path.to_owned(),
        line: 1,
        message: "it lacks numbers that every profile has".to_owned(),
    })?))
}

/// The spec of a GPU by its driver's name for it, such as `NVIDIA H200`.
pub fn spec_of_device(name: &str) -> Option<Arc<GpuSpec>> {
    /// The driver's names that differ from ours.
    const OTHERWISE: [(&str, &str); 6] = [
        ("H200", "H200 SXM"),
        ("H100 80GB HBM3", "H100 SXM"),
        ("A100-SXM4-80GB", "A100 SXM 80GB"),
        ("V100-SXM2-16GB", "V100 SXM2"),
        ("V100-SXM2-32GB", "V100 SXM2"),
        ("TITAN X (Pascal)", "Titan X (Pascal)"),
    ];

    let mut short = name.trim();
    for maker in ["NVIDIA ", "Tesla ", "GeForce "] {
        short = short.strip_prefix(maker).unwrap_or(short);
    }
    let known = OTHERWISE.iter().find(|(driver, _)| *driver == short);
    let wanted = known.map_or(short, |(_, spec)| spec);
    specs().iter().find(|spec| spec.name == wanted).map(Arc::clone)
}

#[cfg(test)]
mod tests;
