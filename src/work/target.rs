//! What PTX asks for: a compute capability, and a version of CUDA.

use super::Module;

/// The GPUs that PTX is for: its `.target`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    /// Least compute capability, as 90 for 9.0.
    pub least: u32,
    /// What newer GPUs make of it.
    pub newer: Newer,
}

/// Whether GPUs of a higher compute capability run PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newer {
    /// All of them do.
    All,
    /// Those of the same major version do (`sm_100f`).
    Family,
    /// None does (`sm_90a`).
    None,
}

impl Target {
    /// Whether GPUs of this compute capability run it.
    pub fn runs_on(self, capability: u32) -> bool {
        match self.newer {
            Newer::All => capability >= self.least,
            Newer::Family => capability >= self.least && capability / 10 == self.least / 10,
            Newer::None => capability == self.least,
        }
    }

    /// Why GPUs of this compute capability do not run it, after the name of the PTX: `needs
    /// compute capability 7.0, the device has 6.1`.
    pub fn refuses(self, capability: u32) -> Option<String> {
        let shown = |cc: u32| format!("{}.{}", cc / 10, cc % 10);
        let which = match self.newer {
            Newer::All => shown(self.least),
            Newer::Family => format!("{} to {}.9", shown(self.least), self.least / 10),
            Newer::None => format!("{} and no other", shown(self.least)),
        };
        (!self.runs_on(capability)).then(|| {
            format!("needs compute capability {which}, the device has {}", shown(capability))
        })
    }
}

impl Module {
    /// The GPUs that its PTX is for. None where the text names none.
    pub fn target(&self) -> Option<Target> {
        let line = self.ptx.lines().find_map(|line| line.trim().strip_prefix(".target"))?;
        let number = line.trim().strip_prefix("sm_")?;
        let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
        let newer = match number.as_bytes().get(digits) {
            Some(b'a') => Newer::None,
            Some(b'f') => Newer::Family,
            _ => Newer::All,
        };
        Some(Target { least: number[..digits].parse().ok()?, newer })
    }

    /// The version of PTX that its text has: (8, 0) for `.version 8.0`. None where the text
    /// names none.
    pub fn version(&self) -> Option<(u32, u32)> {
        let line = self.ptx.lines().find_map(|line| line.trim().strip_prefix(".version"))?;
        let (major, minor) = line.trim().split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

/// The version of CUDA that came with a version of PTX.
pub fn cuda_for((major, minor): (u32, u32)) -> (u32, u32) {
    match (major, minor) {
        (..=6, _) => (10, 0),
        (7, minor) => (11, minor),
        (8, 0..=5) => (12, minor),
        // PTX 8.6 to 8.8 came with CUDA 12.7 to 12.9.
        (8, minor) => (12, minor + 1),
        (major, minor) => (major + 4, minor),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn module(ptx: &'static str) -> Module {
        Module { name: "m", path: "m.ptx", ptx, source: "", resources: "" }
    }

    #[test]
    fn a_suffix_keeps_ptx_from_newer_gpus() {
        let runs = |ptx, on: [u32; 4]| on.map(|cc| module(ptx).target().unwrap().runs_on(cc));
        assert_eq!(
            runs("\n .target sm_90, debug\n", [89, 90, 100, 120]),
            [false, true, true, true]
        );
        assert_eq!(runs(".target sm_90a\n", [89, 90, 100, 120]), [false, true, false, false]);
        assert_eq!(runs(".target sm_100f\n", [90, 100, 103, 120]), [false, true, true, false]);
        assert_eq!(module("nothing").target(), None);
    }

    #[test]
    fn a_refusal_names_what_is_needed_and_what_is_there() {
        let refuses = |ptx, cc| module(ptx).target().unwrap().refuses(cc);
        assert_eq!(refuses(".target sm_70\n", 70), None);
        let of = |needed: &str, has: &str| {
            Some(format!("needs compute capability {needed}, the device has {has}"))
        };
        assert_eq!(refuses(".target sm_70\n", 61), of("7.0", "6.1"));
        assert_eq!(refuses(".target sm_90a\n", 100), of("9.0 and no other", "10.0"));
        assert_eq!(refuses(".target sm_100f\n", 120), of("10.0 to 10.9", "12.0"));
    }

    #[test]
    fn the_version_is_read() {
        assert_eq!(module("// by NVVM\n.version 8.0\n").version(), Some((8, 0)));
        assert_eq!(module(".target sm_50").version(), None);
    }
}
