//! A user's file on its way to a system: read, compiled, registered.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::algorithms::Algorithm;
use crate::backend;
use crate::compiler::{self, CompileError, Compiled, Message, Severity};
use crate::experiment::{self, BackendChoice, UnknownName};
use crate::gpu;
use crate::own::{self, OwnError, OwnFile, Version};
use crate::units::Bytes;

/// A file that is a system now.
#[derive(Clone)]
pub struct Opened {
    /// Its system, registered under the file's name.
    pub system: &'static dyn Algorithm,
    /// The file.
    pub file: OwnFile,
    /// Warnings of the compiler.
    pub warnings: Vec<Message>,
}

/// Why a file is no system.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// There is no such file. The message may suggest another.
    #[error("{0}")]
    Missing(String),
    /// It cannot be read.
    #[error("cannot read {path}: {reason}")]
    Unreadable {
        /// The path.
        path: String,
        /// The reason, in words.
        reason: String,
    },
    /// The compiler refused it: lines of `FILE:LINE:COLUMN: sentence`.
    #[error("{}", in_lines(.file, .messages))]
    Refused {
        /// Name of the file.
        file: String,
        /// What the compiler says, errors and warnings.
        messages: Vec<Message>,
    },
    /// It could not be compiled.
    #[error("{file}: {error}")]
    Compiler {
        /// Name of the file.
        file: String,
        /// The reason.
        error: CompileError,
    },
    /// Its kernels cannot be launched as it says.
    #[error(transparent)]
    Own(#[from] OwnError),
}

/// The command that installs a compiler, where that is what is missing.
pub fn no_compiler(error: &SourceError) -> Option<String> {
    match error {
        SourceError::Compiler { error: CompileError::NoCompiler { command }, .. } => {
            Some((*command).to_owned())
        }
        _ => None,
    }
}

/// A message of the compiler about `file`: `my.cu:3:7: expected a ";"`.
pub fn in_line(file: &str, message: &Message) -> String {
    let mut place = file.to_owned();
    for number in [message.line, message.column].into_iter().map_while(|it| it) {
        place.push_str(&format!(":{number}"));
    }
    let kind = match message.severity {
        Severity::Error => "",
        Severity::Warning => "warning: ",
        Severity::Note => "note: ",
    };
    format!("{place}: {kind}{}", message.text)
}

fn in_lines(file: &str, messages: &[Message]) -> String {
    messages.iter().map(|message| in_line(file, message)).collect::<Vec<_>>().join("\n")
}

/// Reads the `.cu` or `.ptx` file at `path`, compiles it for `target`, and registers its
/// system. `like` is the built-in algorithm that its kernels belong to, if the user names
/// one.
///
/// # Errors
/// If the file cannot be read or compiled, or is no system.
pub fn open(
    path: &str,
    like: Option<&str>,
    target: &experiment::Target,
) -> Result<Opened, SourceError> {
    make(path, read(path)?, like, target, compiler::resources)
}

/// The same with `source`, what the file at `path` has. It does not wait for the assembler:
/// registers and waits are those of the cache, or estimated until [`Opened::assemble`].
///
/// # Errors
/// If it cannot be compiled, or is no system.
pub fn load(
    path: &str,
    source: String,
    like: Option<&str>,
    target: &experiment::Target,
) -> Result<Opened, SourceError> {
    make(path, source, like, target, compiler::known_resources)
}

impl Opened {
    /// The file with what NVIDIA's assembler says of its kernels for the GPU of `target`.
    /// It takes up to a second. `None` if nothing is learned.
    pub fn assemble(&self, target: &experiment::Target) -> Option<OwnFile> {
        if !self.file.resources.is_empty() {
            return None;
        }
        let compute = compute(compile_target(target), target)?;
        let resources = compiler::resources(&self.file.ptx, compute);
        (!resources.is_empty()).then(|| OwnFile { resources, ..self.file.clone() })
    }
}

fn make(
    path: &str,
    source: String,
    like: Option<&str>,
    target: &experiment::Target,
    resources: fn(&str, u32) -> String,
) -> Result<Opened, SourceError> {
    let mut file = OwnFile {
        name: file_name(path),
        source,
        ptx: String::new(),
        resources: String::new(),
        compiler: String::new(),
        like: like.map(str::to_owned),
    };
    let (mut warnings, mut cubin) = (Vec::new(), None);
    let compiled_for = compile_target(target);
    if file.is_ptx() {
        file.ptx.clone_from(&file.source);
    } else {
        let compiled = compiled(&file.name, &file.source, compiled_for)?;
        file.ptx = compiled.ptx;
        file.compiler = compiled.compiler;
        warnings = compiled.warnings;
        cubin = compiled.cubin;
    }
    let ptx = own::with_constants(&file)?;
    if ptx != file.ptx {
        // The compiler's machine code does not have the values.
        (file.ptx, cubin) = (ptx, None);
    }
    if let Some(compute) = compute(compiled_for, target) {
        file.resources = resources(&file.ptx, compute);
    }
    let system = own::system(&file)?;
    let hash = file.hash();
    own::set_path(&hash, path);
    if let Some(cubin) = cubin {
        own::set_cubin(&hash, &cubin);
    }
    Ok(Opened { system, file, warnings })
}

/// The PTX of the `.cu` file at `path`, compiled for `target`, and the compiler's warnings.
///
/// # Errors
/// If the file cannot be read or compiled.
pub fn ptx(path: &str, target: &experiment::Target) -> Result<(String, Vec<Message>), SourceError> {
    let compiled = compiled(&file_name(path), &read(path)?, compile_target(target))?;
    Ok((compiled.ptx, compiled.warnings))
}

fn compiled(name: &str, source: &str, target: compiler::Target) -> Result<Compiled, SourceError> {
    let request = compiler::Request { name: name.to_owned(), source: source.to_owned(), target };
    compiler::compile(&request).map_err(|error| match error {
        CompileError::Refused(messages) => SourceError::Refused { file: name.to_owned(), messages },
        error => SourceError::Compiler { file: name.to_owned(), error },
    })
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// How the file of a stored version differs now from what is stored, in a sentence; `None`
/// if it is the same, or nobody knows where it was.
pub fn change(version: Version) -> Option<String> {
    let name = &version.file.name;
    let path = own::path(version.hash)?;
    match read(&path) {
        Ok(source) if source == version.file.source => None,
        Ok(_) => {
            Some(format!("{name} has changed since these results; the stored source is shown"))
        }
        Err(_) => Some(format!("{path} cannot be read here; the stored source of {name} is shown")),
    }
}

/// What to compile for: the GPU that `target` runs on, else the emulator.
fn compile_target(target: &experiment::Target) -> compiler::Target {
    let on_gpu = matches!(target.backend, BackendChoice::Auto | BackendChoice::Cuda);
    let devices = if on_gpu { backend::cuda_devices().unwrap_or_default() } else { Vec::new() };
    let wanted = target.device.unwrap_or(0);
    let device = devices.into_iter().find(|device| device.ordinal == wanted);
    match (device, backend::driver_state().cuda) {
        (Some(device), Some(driver)) => {
            compiler::Target::Device { compute: device.compute_capability, driver }
        }
        _ => compiler::Target::Emulator,
    }
}

/// The compute capability of the GPU that `target` measures or models; none for an unknown
/// name.
fn compute(compiled_for: compiler::Target, target: &experiment::Target) -> Option<u32> {
    match compiled_for {
        compiler::Target::Device { compute, .. } => Some(compute),
        compiler::Target::Emulator => {
            let name = target.gpu.as_deref().unwrap_or(gpu::DEFAULT_GPU);
            gpu::open_spec(name).ok().map(|spec| spec.compute_capability)
        }
    }
}

/// The text of a file, followed by the headers from its folder that it includes.
///
/// # Errors
/// If there is no such file, it is no text, or too long.
pub fn read(path: &str) -> Result<String, SourceError> {
    let source = text(path)?;
    if path.to_lowercase().ends_with(".ptx") {
        return Ok(source);
    }
    let folder = match Path::new(path).parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut failed = None;
    let source = own::with_headers(source, &mut |name| {
        // A link may lead out of the folder.
        let header = folder.join(name).canonicalize().ok()?;
        let inside = folder.canonicalize().is_ok_and(|folder| header.starts_with(folder));
        let read = inside.then(|| text(&header.to_string_lossy()))?;
        read.map_err(|error| failed = Some(error)).ok()
    });
    match failed {
        Some(error) => Err(error),
        None if source.len() > own::MOST_SOURCE => Err(SourceError::Unreadable {
            path: path.to_owned(),
            reason: format!("with its headers it has more than {}", Bytes(own::MOST_SOURCE as u64)),
        }),
        None => Ok(source),
    }
}

/// The text of one file.
fn text(path: &str) -> Result<String, SourceError> {
    let unreadable = |reason: String| SourceError::Unreadable { path: path.to_owned(), reason };
    let is_ptx = path.to_lowercase().ends_with(".ptx");
    let most = if is_ptx { own::MOST_PTX } else { own::MOST_SOURCE } as u64;
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => SourceError::Missing(missing(path)),
        _ => unreadable(error.to_string()),
    };
    // A pipe or a device may never end, and opening a pipe may block.
    if !std::fs::metadata(path).map_err(refused)?.is_file() {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    let opened = File::open(path).map_err(refused)?;
    let mut bytes = Vec::new();
    opened.take(most + 1).read_to_end(&mut bytes).map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > most {
        return Err(unreadable(format!("it has more than {}", Bytes(most))));
    }
    // Some editors begin a file with a byte order mark.
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    str::from_utf8(text).map(str::to_owned).map_err(|error| {
        let line = text[..error.valid_up_to()].split(|&byte| byte == b'\n').count();
        unreadable(format!("line {line} is not UTF-8 text"))
    })
}

/// The error for a file that is not there, with the name in its folder that is nearest.
fn missing(path: &str) -> String {
    let (folder, name) = match Path::new(path).parent() {
        Some(folder) if folder != Path::new("") => (folder, &path[folder.as_os_str().len()..]),
        _ => (Path::new("."), path),
    };
    let mut known: Vec<String> = folder
        .read_dir()
        .into_iter()
        .flatten()
        .take(1000)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| own::is_own_name(name))
        .collect();
    known.sort();
    if known.is_empty() {
        return format!("there is no file {path}; `warpscope new {name}` writes a template");
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let name = name.trim_start_matches(['/', '\\']);
    UnknownName::new("file", name, &known).to_string()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn error(path: &Path) -> String {
        let target = experiment::Target { backend: BackendChoice::Emulator, ..Default::default() };
        open(path.to_str().unwrap(), None, &target).err().unwrap().to_string()
    }

    /// Opening a pipe without a writer blocks.
    #[cfg(unix)]
    #[test]
    fn a_pipe_is_refused_as_a_file_and_as_a_header() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
        let made = std::process::Command::new("mkfifo").arg(at("pipe.cu")).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: a_pipe_is_refused_as_a_file_and_as_a_header: no mkfifo");
            return;
        }
        std::fs::write(at("main.cu"), "#include \"pipe.cu\"\n").unwrap();
        for name in ["pipe.cu", "main.cu"] {
            let error = read(&at(name)).unwrap_err().to_string();
            assert!(error.ends_with("pipe.cu: it is not a regular file"), "{error}");
        }
        // A link out of the folder is no header.
        std::fs::write(at("main.cu"), "#include \"link.h\"\n").unwrap();
        std::os::unix::fs::symlink("/etc/hostname", at("link.h")).unwrap();
        assert_eq!(read(&at("main.cu")).unwrap(), "#include \"link.h\"\n");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert!(error(&at("my.cu")).contains("warpscope new"), "{}", error(&at("my.cu")));
        std::fs::write(at("mine.cu"), b"a\nb\xff").unwrap();
        assert!(error(&at("mine.cu")).ends_with("line 2 is not UTF-8 text"));
        let told = error(&at("mime.cu"));
        assert_eq!(told, "there is no file `mime.cu`; did you mean `mine.cu`? (known: mine.cu)");
        std::fs::create_dir(at("folder.cu")).unwrap();
        assert!(error(&at("folder.cu")).contains("not a regular file"));
        std::fs::write(at("long.cu"), vec![b' '; own::MOST_SOURCE + 1]).unwrap();
        assert!(error(&at("long.cu")).contains("more than 1.00 MiB"));
    }

    #[test]
    fn a_message_names_its_place() {
        let message = |line, column| Message {
            line,
            column,
            severity: Severity::Warning,
            text: "expected a \";\"".to_owned(),
        };
        let said = |line, column| in_line("my.cu", &message(line, column));
        assert_eq!(said(Some(3), Some(7)), "my.cu:3:7: warning: expected a \";\"");
        assert_eq!(said(Some(3), None), "my.cu:3: warning: expected a \";\"");
        assert_eq!(said(None, Some(7)), "my.cu: warning: expected a \";\"");
    }
}
