//! The text of a `.cu` file to PTX: finds a compiler, runs it in a child process within
//! limits, and keeps the result in a cache.
//!
//! ```text
//! Request --> cache --> NVRTC, in `warpscope compile` --> log --> Compiled
//!   source     hit?     or clang, with a prelude          Messages   PTX, warnings
//!   target
//! ```
//!
//! The source is data from anywhere. Compiling writes to the cache folder only, loads no
//! library from the folder of the file or the current folder, and ends after
//! [`TIME_LIMIT`].

mod about;
mod cache;
mod clang;
mod discovery;
mod error;
mod messages;
mod missing;
mod nvrtc;
mod prelude;
mod resources;
mod source;
mod tool;

use std::path::PathBuf;
use std::time::Duration;

pub use about::{Found, Tool};
pub use discovery::Environment;
pub use error::CompileError;
pub use messages::{Message, Severity};
pub(crate) use nvrtc::serve;
pub use resources::{known_resources, resources};
use serde::{Deserialize, Serialize};
pub(crate) use tool::become_tool;

use crate::syntax::{device_code, expanded, with_lines_of_lambdas, written_out};
use cache::Cache;
use discovery::{Compiler, Kind};

/// Time until a compiler is killed. The largest kernel here has taken NVRTC 12 more than 10 s on a
/// slow machine.
pub const TIME_LIMIT: Duration = Duration::from_secs(30);

/// What to compile, and for what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The name of the file, for `assert` and line numbers.
    pub name: String,
    /// Its text.
    pub source: String,
    /// What runs it.
    pub target: Target,
}

/// What runs the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// The emulator: compute capability 7.0, or the oldest that the compiler has.
    Emulator,
    /// A GPU.
    Device {
        /// Its compute capability, 90 for 9.0.
        compute: u32,
        /// The newest version of CUDA that its driver supports, as (12, 4).
        driver: (u32, u32),
    },
}

/// A compiled file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compiled {
    /// Its PTX.
    pub ptx: String,
    /// Machine code, for a driver that is too old for this PTX.
    #[serde(with = "cache::base64_option")]
    pub cubin: Option<Vec<u8>>,
    /// The compiler: `NVRTC 12.9`, `clang 19`.
    pub compiler: String,
    /// Its warnings.
    pub warnings: Vec<Message>,
}

/// Where compilers, this program and the cache are.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The file of this program, which hosts NVRTC.
    pub program: PathBuf,
    /// The folder of the cache; none where nothing is kept.
    pub cache: Option<PathBuf>,
    /// Where compilers are searched.
    pub environment: Environment,
    /// Time until a compiler is killed.
    pub time_limit: Duration,
}

impl Setup {
    /// This process: its program, environment variables and home.
    ///
    /// # Errors
    /// If the file of this program is not known.
    pub fn of_this_process() -> Result<Self, CompileError> {
        let program = std::env::current_exe().map_err(CompileError::NoProgram)?;
        Ok(Self {
            program,
            cache: cache::folder(),
            environment: Environment::of_this_process(),
            time_limit: TIME_LIMIT,
        })
    }

    /// Compiles with the first compiler found that works.
    ///
    /// # Errors
    /// If there is no compiler, or it refuses the source or fails.
    pub fn compile(&self, request: &Request) -> Result<Compiled, CompileError> {
        self.first_that_compiles(request).map(|(_, compiled)| compiled)
    }

    /// The first compiler that works, and its result.
    fn first_that_compiles(&self, request: &Request) -> Result<(Compiler, Compiled), CompileError> {
        source::check(&request.source)?;
        let code = device_code(&written_out(&request.source));
        let (text, name) = (expanded(&code.text).into_owned(), source::plain_name(&request.name));
        let text = with_lines_of_lambdas(text, &request.source, &name);
        let request = &Request { source: text, ..request.clone() };
        let cache = Cache::new(self.cache.clone());
        let mut broken = None;
        for compiler in discovery::compilers(&self.environment)? {
            let headers = match compiler.kind {
                Kind::Nvrtc => nvrtc::headers(self, &compiler, &request.source),
                Kind::Clang => Vec::new(),
            };
            let key = cache::key(request, &compiler, &headers);
            if let Some(compiled) = cache.get(&key) {
                return Ok((compiler, compiled));
            }
            match self.with_what_is_there(&compiler, request, &headers) {
                Ok(mut compiled) => {
                    compiled.warnings.retain(|it| !messages::is_of_host(it, &code));
                    messages::place(&mut compiled.warnings, &code);
                    cache.put(&key, &compiled);
                    return Ok((compiler, compiled));
                }
                // The next one may work.
                Err(error @ CompileError::BadCompiler { .. }) if !compiler.asked => {
                    broken.get_or_insert(error);
                }
                Err(mut error) => {
                    if let CompileError::Refused(messages) = &mut error {
                        messages::place(messages, &code);
                    }
                    return Err(error);
                }
            }
        }
        Err(broken.unwrap_or_else(|| CompileError::none(&self.environment)))
    }

    /// Compiles. Leaves out the user's missing headers if the rest compiles without them: they are
    /// often for host code.
    fn with_what_is_there(
        &self,
        compiler: &Compiler,
        request: &Request,
        headers: &[PathBuf],
    ) -> Result<Compiled, CompileError> {
        let (mut request, mut missing, mut warnings) = (request.clone(), Vec::new(), Vec::new());
        loop {
            match self.run(compiler, &request, headers.to_vec()) {
                Ok(mut compiled) => {
                    compiled.warnings.splice(0..0, warnings);
                    return Ok(compiled);
                }
                Err(CompileError::Refused(mut messages)) => {
                    let more = missing::not_there(&mut messages);
                    let (source, left_out) = missing::without(&request.source, &more);
                    missing.extend(more);
                    if source == request.source {
                        missing.extend(messages);
                        return Err(CompileError::Refused(missing));
                    }
                    request.source = source;
                    warnings.extend(left_out);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn run(
        &self,
        compiler: &Compiler,
        request: &Request,
        headers: Vec<PathBuf>,
    ) -> Result<Compiled, CompileError> {
        match compiler.kind {
            Kind::Nvrtc => nvrtc::compile(self, compiler, request, headers),
            Kind::Clang => clang::compile(self, compiler, request),
        }
    }
}

/// Compiles with the first compiler of this machine that works, or takes the result from
/// the cache.
///
/// # Errors
/// If there is no compiler, or it refuses the source or fails.
pub fn compile(request: &Request) -> Result<Compiled, CompileError> {
    Setup::of_this_process()?.compile(request)
}

#[cfg(test)]
mod tests;
