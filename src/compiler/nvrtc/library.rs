//! The library itself, in the child process. Its interface is in the header `nvrtc.h` and
//! has been the same since CUDA 7.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

/// `nvrtcResult`: a C enumeration.
type Status = c_int;

/// `NVRTC_SUCCESS`.
const SUCCESS: Status = 0;

/// `NVRTC_ERROR_COMPILATION`: the log says why.
const REFUSED: Status = 6;

/// Most bytes of PTX, machine code or log.
const MOST_BYTES: usize = 32 << 20;

/// `nvrtcProgram`.
type Program = *mut c_void;

type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status;
type Count = unsafe extern "C" fn(*mut c_int) -> Status;
type Create = unsafe extern "C" fn(
    *mut Program,
    *const c_char,
    *const c_char,
    c_int,
    *const *const c_char,
    *const *const c_char,
) -> Status;
type Compile = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status;
type Size = unsafe extern "C" fn(Program, *mut usize) -> Status;
type Text = unsafe extern "C" fn(Program, *mut c_char) -> Status;

/// An opened NVRTC.
pub(super) struct Library {
    library: libloading::Library,
    version: (u32, u32),
}

/// What to compile.
pub(super) struct Job<'a> {
    pub(super) name: &'a str,
    pub(super) source: &'a str,
    pub(super) options: &'a [String],
}

/// What came of it. Without PTX the source was refused.
pub(super) struct Output {
    pub(super) ptx: Option<String>,
    pub(super) cubin: Option<Vec<u8>>,
    pub(super) log: String,
}

impl Library {
    /// Opens the library at an absolute path.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        if !path.is_absolute() {
            return Err("its path is not absolute".to_owned());
        }
        // SAFETY: this process exists for this library only: whatever its initialisers do
        // ends with the process, and the parent takes nothing but checked text from it.
        let library = unsafe { open(path) }.map_err(|error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            cause.unwrap_or_else(|| error.to_string())
        })?;
        let mut this = Self { library, version: (0, 0) };
        let (mut major, mut minor) = (0, 0);
        let version: Version = this.function("nvrtcVersion")?;
        // SAFETY: both pointers are to integers that live through the call.
        let status = unsafe { version(&raw mut major, &raw mut minor) };
        let number = |number: c_int| u32::try_from(number).ok().filter(|&number| number < 1000);
        match (status, number(major), number(minor)) {
            (SUCCESS, Some(major), Some(minor)) if major > 0 => {
                this.version = (major, minor);
                Ok(this)
            }
            _ => Err("it does not tell its version as NVRTC does".to_owned()),
        }
    }

    /// Its version, as (12, 9).
    pub(super) fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The compute capabilities that it compiles for, as 70; empty before CUDA 11.2.
    pub(super) fn supported(&self) -> Vec<u32> {
        let ask = || -> Option<Vec<u32>> {
            let count: Count = self.function("nvrtcGetNumSupportedArchs").ok()?;
            let list: Count = self.function("nvrtcGetSupportedArchs").ok()?;
            let mut many = 0;
            // SAFETY: the pointer is to an integer that lives through the call.
            (unsafe { count(&raw mut many) } == SUCCESS).then_some(())?;
            let many = usize::try_from(many).ok().filter(|&many| many < 1000)?;
            let mut found: Vec<c_int> = vec![0; many];
            // SAFETY: the library writes as many integers as it counted.
            (unsafe { list(found.as_mut_ptr()) } == SUCCESS).then_some(())?;
            Some(found.into_iter().filter_map(|it| u32::try_from(it).ok()).collect())
        };
        ask().unwrap_or_default()
    }

    /// Compiles to PTX, and to machine code if wanted.
    pub(super) fn compile(&self, job: &Job, wants_cubin: bool) -> Result<Output, String> {
        let zero = |_| "the text has a zero byte".to_owned();
        let source = CString::new(job.source).map_err(zero)?;
        let name = CString::new(job.name).map_err(zero)?;
        let options: Result<Vec<CString>, _> =
            job.options.iter().map(|option| CString::new(option.as_str())).collect();
        let options = options.map_err(zero)?;
        let create: Create = self.function("nvrtcCreateProgram")?;
        let compile: Compile = self.function("nvrtcCompileProgram")?;
        let mut program: Program = ptr::null_mut();
        let (none, many) = (ptr::null(), c_int::try_from(options.len()).unwrap_or_default());
        // SAFETY: the texts end with a zero byte and live through the call; no headers.
        let status =
            unsafe { create(&raw mut program, source.as_ptr(), name.as_ptr(), 0, none, none) };
        self.check("nvrtcCreateProgram", status)?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        // SAFETY: the program is the one just made; there are `many` options, which live
        // through the call. The process ends soon, so the program is never destroyed.
        let status = unsafe { compile(program, many, pointers.as_ptr()) };
        let log = self.bytes(program, "nvrtcGetProgramLogSize", "nvrtcGetProgramLog")?;
        let log = text(&log);
        if status == REFUSED {
            return Ok(Output { ptx: None, cubin: None, log });
        }
        if status != SUCCESS {
            let said = log.lines().find(|line| line.contains("error")).unwrap_or_default();
            return Err(format!("{} {said}", self.explain(status)));
        }
        let ptx = text(&self.bytes(program, "nvrtcGetPTXSize", "nvrtcGetPTX")?);
        let cubin = wants_cubin
            .then(|| self.bytes(program, "nvrtcGetCUBINSize", "nvrtcGetCUBIN"))
            .transpose()?;
        Ok(Output { ptx: Some(ptx), cubin, log })
    }

    /// A function of the library.
    fn function<T: Copy>(&self, name: &str) -> Result<T, String> {
        // SAFETY: every caller asks for a name of `nvrtc.h` with the type declared there.
        let found = unsafe { self.library.get::<T>(name.as_bytes()) };
        found.map(|symbol| *symbol).map_err(|_| format!("it has no function {name}"))
    }

    fn check(&self, function: &str, status: Status) -> Result<(), String> {
        if status == SUCCESS {
            return Ok(());
        }
        Err(format!("{function} failed: {}", self.explain(status)))
    }

    /// The library's own name of a status.
    fn explain(&self, status: Status) -> String {
        type Explain = unsafe extern "C" fn(Status) -> *const c_char;
        let name = self.function::<Explain>("nvrtcGetErrorString").ok().and_then(|explain| {
            // SAFETY: it takes any status and gives a constant text or null.
            let text = unsafe { explain(status) };
            // SAFETY: not null, so a text that ends with a zero byte and is never freed.
            (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy())
        });
        name.map_or_else(|| format!("status {status}"), std::borrow::Cow::into_owned)
    }

    /// One of the program's results.
    fn bytes(&self, program: Program, size: &str, get: &str) -> Result<Vec<u8>, String> {
        let ask_size: Size = self.function(size)?;
        let ask: Text = self.function(get)?;
        let mut many = 0;
        // SAFETY: the pointer is to an integer that lives through the call.
        self.check(size, unsafe { ask_size(program, &raw mut many) })?;
        if many > MOST_BYTES {
            return Err(format!("{size} says {many} bytes"));
        }
        let mut bytes = vec![0_u8; many];
        // SAFETY: the buffer has the size that the library asked for.
        self.check(get, unsafe { ask(program, bytes.as_mut_ptr().cast()) })?;
        Ok(bytes)
    }
}

/// A C text, whose size counts its zero byte.
fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned()
}

/// Opens a library so that the ones it needs come from its own folder.
///
/// # Safety
/// Its initialisers run in this process.
unsafe fn open(path: &Path) -> Result<libloading::Library, libloading::Error> {
    #[cfg(windows)]
    {
        use libloading::os::windows::{LOAD_WITH_ALTERED_SEARCH_PATH, Library};
        // SAFETY: as the caller.
        let library = unsafe { Library::load_with_flags(path, LOAD_WITH_ALTERED_SEARCH_PATH) };
        library.map(Into::into)
    }
    #[cfg(not(windows))]
    // SAFETY: as the caller.
    unsafe {
        libloading::Library::new(path)
    }
}
