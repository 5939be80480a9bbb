//! Registers, shared memory, spills and waits of a compiled file, from NVIDIA's assembler
//! and disassembler: the same table as `kernels/build.py` makes for the built-in systems.

mod alone;
mod blocks;
mod flow;
mod issues;
mod listing;
mod loads;
mod waits;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::Setup;
use super::cache::{self, Cache};
use super::discovery::{self, tools};
use crate::process::Finished;

/// The first line of the table.
const HEADER: &str = "kernel,architecture,registers,static_shared_bytes,stack_bytes,\
                      spill_store_bytes,spill_load_bytes,waits,issues,ahead,saves\n";

/// The disassembler does not know older machine code.
const OLDEST_SHOWN: u32 = 75;

/// Most bytes of machine code.
const MOST_BYTES: u64 = 64 << 20;

impl Setup {
    /// What the kernels of this PTX take on compute capability `compute`, 90 for 9.0, as CSV
    /// like `kernels/ptx/NAME.csv`. Takes up to a second; kept in the cache.
    ///
    /// Empty where it is not known: without `ptxas`, without a cache folder to write machine
    /// code to, or for an architecture that `ptxas` does not have. Without `nvdisasm` the
    /// columns `waits` and `issues` are empty.
    pub fn resources(&self, ptx: &str, compute: u32) -> String {
        self.found_resources(ptx, compute, true)
    }

    /// The same from the cache, or where `wait` says so, from the tools.
    fn found_resources(&self, ptx: &str, compute: u32, wait: bool) -> String {
        let Some(assembler) = tools::find(&self.environment, "ptxas") else {
            return String::new();
        };
        let disassembler = tools::find(&self.environment, "nvdisasm");
        let identity = |path: &Path| discovery::identity(path);
        let cache = Cache::new(self.cache.clone());
        let key = cache::hash(&[
            "resources 7",
            ptx,
            &compute.to_string(),
            &identity(&assembler),
            &disassembler.as_deref().map(identity).unwrap_or_default(),
        ]);
        if let Some(table) = cache.get(&key) {
            return table;
        }
        if !wait {
            return String::new();
        }
        let found = Scratch::new(self)
            .and_then(|scratch| table(&scratch, ptx, compute, &assembler, disassembler.as_deref()));
        let Some(table) = found else { return String::new() };
        cache.put(&key, &table);
        table
    }
}

/// What the kernels of this PTX take, by the tools of this machine: see [`Setup::resources`].
pub fn resources(ptx: &str, compute: u32) -> String {
    Setup::of_this_process().map(|setup| setup.resources(ptx, compute)).unwrap_or_default()
}

/// The same, if it is in the cache; else empty.
pub fn known_resources(ptx: &str, compute: u32) -> String {
    let setup = Setup::of_this_process();
    setup.map(|setup| setup.found_resources(ptx, compute, false)).unwrap_or_default()
}

/// The table of one architecture.
fn table(
    scratch: &Scratch,
    ptx: &str,
    compute: u32,
    assembler: &Path,
    disassembler: Option<&Path>,
) -> Option<String> {
    let report = scratch.assemble(assembler, ptx, compute, "-v")?;
    let mut waits: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut issues: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut ahead: BTreeMap<String, Vec<String>> = BTreeMap::new();
    if let Some(disassembler) = disassembler.filter(|_| compute >= OLDEST_SHOWN)
        && scratch.assemble(assembler, &loads::located(ptx), compute, "-lineinfo").is_some()
        && let Some(listing) = scratch.disassemble(disassembler)
    {
        let mut found = waits::batches(ptx, &listing);
        found.extend(issues::without(ptx, &listing));
        found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        for (kernel, line, many) in found {
            waits.entry(kernel).or_default().push(format!("{line}={many}"));
        }
        for (kernel, line, kinds) in issues::issues(ptx, &listing) {
            let kinds = kinds.map(|many| many.to_string()).join(":");
            issues.entry(kernel).or_default().push(format!("{line}={kinds}"));
        }
        for (kernel, line, cycles) in issues::ahead(&listing) {
            ahead.entry(kernel).or_default().push(format!("{line}={cycles}"));
        }
    }
    let mut rows = rows(&report);
    rows.sort();
    let mut table = HEADER.to_owned();
    for (kernel, numbers, saves) in rows {
        let waits = waits.remove(&kernel).unwrap_or_default().join(" ");
        let issues = issues.remove(&kernel).unwrap_or_default().join(" ");
        let ahead = ahead.remove(&kernel).unwrap_or_default().join(" ");
        let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
        let numbers = numbers.join(",");
        table.push_str(&format!(
            "{kernel},sm_{compute},{numbers},{waits},{issues},{ahead},{saves}\n"
        ));
    }
    Some(table)
}

/// Per kernel: registers, static shared memory, stack, spill stores, spill loads; from the
/// output of `ptxas -v`; and how many registers the functions that it calls save, `NAME=WORDS` of
/// those that do.
fn rows(report: &str) -> Vec<(String, [u32; 5], String)> {
    // One "Compiling entry function" per kernel, then its stack line, then its registers.
    let parts = report.split("Compiling entry function '").skip(1);
    parts
        .filter_map(|part| {
            let (kernel, part) = part.split_once('\'')?;
            let before = |unit: &str| -> Option<u32> {
                let words: Vec<&str> = part[..part.find(unit)?].split_whitespace().collect();
                words.last()?.parse().ok()
            };
            let spilt = |properties: &str| -> Option<u32> {
                let before = properties.split(" bytes spill stores").next()?;
                before.split_whitespace().last()?.parse().ok()
            };
            // The kernel's own come first.
            let functions = part.split("Function properties for ").skip(2);
            let saves = functions.filter_map(|properties| {
                let name = properties.split_whitespace().next()?;
                let words = spilt(properties)? / 4;
                (words > 0).then(|| format!("{name}={words}"))
            });
            let saves: Vec<String> = saves.collect();
            let registers = before(" registers")?;
            let row = [
                registers,
                before(" bytes smem").unwrap_or(0),
                before(" bytes stack frame")?,
                before(" bytes spill stores")?,
                before(" bytes spill loads")?,
            ];
            Some((kernel.to_owned(), row, saves.join(" ")))
        })
        .collect()
}

/// A folder in the cache for the tools' files, removed at the end.
struct Scratch<'a> {
    setup: &'a Setup,
    folder: PathBuf,
}

impl<'a> Scratch<'a> {
    fn new(setup: &'a Setup) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("assembling-{}-{number}", std::process::id());
        // Without a cache, the folder for temporary files is used.
        let mut folders = setup.cache.clone().into_iter().chain([std::env::temp_dir()]);
        folders.find_map(|folder| {
            fs::create_dir_all(&folder).ok()?;
            let folder = folder.join(&name);
            fs::create_dir(&folder).ok()?;
            Some(Self { setup, folder })
        })
    }

    /// Assembles to `out.cubin` and returns what the assembler reports. An assembler that is older than
    /// the compiler gets the PTX as one of its own version, which mostly is the only difference.
    fn assemble(&self, program: &Path, ptx: &str, compute: u32, option: &str) -> Option<String> {
        let report = match self.assembled(program, ptx, compute, option)? {
            Ok(report) => return Some(report),
            Err(report) => report,
        };
        let older = as_version(ptx, known_version(&report)?)?;
        self.assembled(program, &older, compute, option)?.ok()
    }

    /// What the assembler reports; an error if it refuses the PTX.
    fn assembled(
        &self,
        program: &Path,
        ptx: &str,
        compute: u32,
        option: &str,
    ) -> Option<Result<String, String>> {
        let input = self.folder.join("in.ptx");
        fs::write(&input, ptx).ok()?;
        let arguments: [OsString; 5] = [
            option.into(),
            format!("-arch=sm_{compute}").into(),
            input.into(),
            "-o".into(),
            self.machine_code().into(),
        ];
        let output = self.run(program, &arguments)?;
        let report = text(&output.stdout) + &text(&output.stderr);
        Some(if output.status.success() { Ok(report) } else { Err(report) })
    }

    fn disassemble(&self, program: &Path) -> Option<String> {
        let options = ["-g", "-c", "-hex"].map(OsString::from).into_iter();
        let arguments: Vec<OsString> = options.chain([self.machine_code().into()]).collect();
        let output = self.run(program, &arguments)?;
        output.status.success().then(|| text(&output.stdout))
    }

    fn machine_code(&self) -> PathBuf {
        self.folder.join("out.cubin")
    }

    fn run(&self, program: &Path, arguments: &[OsString]) -> Option<Finished> {
        self.setup.tool(program, arguments, Vec::new(), MOST_BYTES).ok()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The version of PTX that an assembler knows, where it refuses a newer one: `9.0` of
/// `Unsupported .version 9.5; current version is '9.0'`.
fn known_version(report: &str) -> Option<&str> {
    let (_, rest) = report.split_once("Unsupported .version")?;
    let (_, rest) = rest.split_once("current version is '")?;
    let version = rest.split('\'').next()?;
    version.split('.').all(|it| it.parse::<u8>().is_ok()).then_some(version)
}

/// PTX with another version in its header.
fn as_version(ptx: &str, version: &str) -> Option<String> {
    const VERSION: &str = ".version ";
    let at = ptx.find(VERSION)? + VERSION.len();
    let end = at + ptx[at..].find('\n')?;
    Some(format!("{}{version}{}", &ptx[..at], &ptx[end..]))
}

impl Drop for Scratch<'_> {
    fn drop(&mut self) {
        // A leftover harms nobody.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[cfg(test)]
mod tests {
    use super::{as_version, known_version, rows};

    #[test]
    fn an_older_assembler_says_what_it_knows() {
        let report = "ptxas in.ptx, line 1; fatal   : Unsupported .version 9.5; current version is '9.0'\n\
            ptxas fatal   : Ptx assembly aborted due to errors";
        assert_eq!(known_version(report), Some("9.0"));
        assert_eq!(known_version("ptxas in.ptx, line 7; error: Unknown symbol 'x'"), None);
        assert_eq!(known_version("Unsupported .version 9.5; current version is 'a\n.b'"), None);
        let ptx = "// of a compiler\n.version 9.5\n.target sm_90\n";
        let older = "// of a compiler\n.version 9.0\n.target sm_90\n";
        assert_eq!(as_version(ptx, "9.0").as_deref(), Some(older));
        assert_eq!(as_version(".target sm_90\n", "9.0"), None);
    }

    #[test]
    fn the_report_of_the_assembler_is_read() {
        let report = "ptxas info    : 0 bytes gmem\n\
            ptxas info    : Compiling entry function 'b' for 'sm_90'\n\
            ptxas info    : Function properties for b\n    \
            16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n\
            ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1024 bytes smem\n\
            ptxas info    : Compiling entry function 'a' for 'sm_90'\n\
            ptxas info    : Function properties for a\n    \
            0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n\
            ptxas info    : Used 8 registers, used 0 barriers\n\
            ptxas info    : Function properties for f\n    \
            48 bytes stack frame, 48 bytes spill stores, 44 bytes spill loads\n";
        let a = ("a".to_owned(), [8, 0, 0, 0, 0], "f=12".to_owned());
        let expected = [("b".to_owned(), [40, 1024, 16, 8, 12], String::new()), a];
        assert_eq!(rows(report), expected);
        assert_eq!(rows("nonsense Compiling entry function 'a"), []);
    }
}
