//! What `doctor` says about compilers and tools.

use std::path::{Path, PathBuf};

use super::discovery::{Kind, headers, tools};
use super::{CompileError, Request, Setup, Target};

/// The compiler and the tools of a machine.
#[derive(Debug)]
pub struct Found {
    /// The compiler that compiles, after it compiled an empty kernel.
    pub compiler: Result<Tool, CompileError>,
    /// The folders from which it takes NVIDIA's headers.
    pub headers: Vec<PathBuf>,
    /// The assembler `ptxas`.
    pub ptxas: Option<Tool>,
    /// The disassembler `nvdisasm`.
    pub nvdisasm: Option<Tool>,
}

/// A program or library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name and version, as far as it tells it.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
}

impl Setup {
    /// Finds the compiler and the tools, and tries the compiler.
    pub fn found(&self) -> Found {
        let request = Request {
            name: "nothing.cu".to_owned(),
            source: "extern \"C\" __global__ void nothing() {}\n".to_owned(),
            target: Target::Emulator,
        };
        let compiler = self.first_that_compiles(&request);
        let tool = |name: &str| {
            let path = tools::find(&self.environment, name)?;
            let version = self.version(&path).map(|version| format!(" {version}"));
            Some(Tool { name: format!("{name}{}", version.unwrap_or_default()), path })
        };
        let library = compiler.as_ref().ok().filter(|(found, _)| found.kind == Kind::Nvrtc);
        Found {
            headers: library
                .map(|(found, _)| headers::folders(&found.path, &self.environment))
                .unwrap_or_default(),
            compiler: compiler
                .map(|(compiler, compiled)| Tool { name: compiled.compiler, path: compiler.path }),
            ptxas: tool("ptxas"),
            nvdisasm: tool("nvdisasm"),
        }
    }

    /// The version that NVIDIA's tools print: `Cuda compilation tools, release 12.9, V12.9.86`.
    fn version(&self, program: &Path) -> Option<String> {
        let output = self.tool(program, &["--version".into()], Vec::new(), 0).ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let version = text.split_once("release ")?.1.split(',').next()?.trim();
        let plain = version.chars().all(|c| c.is_ascii_digit() || c == '.');
        (plain && !version.is_empty()).then(|| version.to_owned())
    }
}
