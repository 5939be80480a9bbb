//! Loads PTX, keeps the full log of the loader, and queries the resources of kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int, c_void};

use cust::sys::{
    self, CUdevice_attribute, CUfunction, CUfunction_attribute, CUjit_option, CUmodule, CUresult,
};

use super::status::{Status, check};
use crate::backend::Failure;
use crate::work::{self, Resources};

/// Size of each of the loader's two logs, which truncates longer ones.
const LOG_BYTES: usize = 1 << 20;

/// Loaded PTX. Unloaded when dropped.
pub(super) struct Module {
    handle: CUmodule,
}

impl Module {
    /// Assembles `source` for the current context's device. If the driver is too old for its
    /// PTX, loads `binary`, machine code of the same kernels. The error holds the assembler's
    /// full log.
    pub(super) fn load(source: &work::Module, binary: Option<&[u8]>) -> Result<Self, String> {
        let ptx = CString::new(source.ptx)
            .map_err(|_| format!("{} holds a NUL byte: it is not PTX", source.path))?;
        let old = CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
        match (Self::load_image(ptx.as_bytes_with_nul(), source.path), binary) {
            (Err((status, _)), Some(binary)) if status.code == old => {
                Self::load_image(binary, source.path).map_err(|(_, text)| text)
            }
            (Err((status, text)), None) if status.code == old => Err(format!(
                "{text}\nthe driver is too old for this PTX: update it, or compile with an older \
                 compiler, as in `pip install nvidia-cuda-nvrtc-cu11`"
            )),
            (loaded, _) => loaded.map_err(|(_, text)| text),
        }
    }

    /// Loads PTX that ends with a NUL byte, or machine code.
    fn load_image(image: &[u8], path: &str) -> Result<Self, (Status, String)> {
        let mut errors = vec![0u8; LOG_BYTES];
        let mut notes = vec![0u8; LOG_BYTES];
        let mut options = [
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER,
            CUjit_option::CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
            CUjit_option::CU_JIT_LOG_VERBOSE,
        ];
        // Each value is passed as a pointer, whatever it is.
        let mut values: [*mut c_void; 5] = [
            errors.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(LOG_BYTES),
            notes.as_mut_ptr().cast(),
            std::ptr::without_provenance_mut(LOG_BYTES),
            std::ptr::without_provenance_mut(1),
        ];
        let mut handle = std::ptr::null_mut();
        // SAFETY: the image is PTX with a terminator or an ELF file, whose headers tell its
        // size, and the driver checks which; options and values are arrays of the
        // stated length whose buffers have the stated sizes and outlive the call.
        let outcome = check(unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut handle,
                image.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        });
        match outcome {
            Ok(()) => Ok(Self { handle }),
            Err(status) => {
                let mut text = format!("{path} could not be loaded: {status}");
                for log in [&errors, &notes] {
                    let log = log_text(log);
                    if !log.is_empty() {
                        text.push('\n');
                        text.push_str(&log);
                    }
                }
                Err((status, text))
            }
        }
    }

    /// The entry point `name` of the module that `path` is the file of.
    pub(super) fn entry_point(&self, name: &str, path: &str) -> Result<Function, Failure> {
        self.function(name).map_err(|status| {
            Failure::Load(format!("{path} has no entry point `{name}`: {status}"))
        })
    }

    /// The entry point `name`.
    pub(super) fn function(&self, name: &str) -> Result<Function, Status> {
        // No module has a name with a NUL byte.
        let name = CString::new(name).unwrap_or_default();
        let mut handle = std::ptr::null_mut();
        // SAFETY: the module is loaded and the name terminated.
        check(unsafe { sys::cuModuleGetFunction(&raw mut handle, self.handle, name.as_ptr()) })?;
        Ok(Function { handle })
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        // After a fault this fails like every call.
        // SAFETY: the module is loaded, and its functions are gone with it.
        let _ = unsafe { sys::cuModuleUnload(self.handle) };
    }
}

/// The log up to its terminating NUL.
fn log_text(log: &[u8]) -> String {
    CStr::from_bytes_until_nul(log)
        .map_or_else(|_| String::from_utf8_lossy(log), CStr::to_string_lossy)
        .trim_end()
        .to_owned()
}

/// An entry point of a loaded module, which must outlive it.
#[derive(Clone, Copy)]
pub(super) struct Function {
    handle: CUfunction,
}

impl Function {
    /// The driver's handle.
    pub(super) fn handle(self) -> CUfunction {
        self.handle
    }

    /// The kernel's resources on this device, by the driver's assembler.
    pub(super) fn resources(self) -> Result<Resources, Status> {
        use CUfunction_attribute as Attribute;
        Ok(Resources {
            registers: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS)? as u32,
            static_shared: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)? as u32,
            stack: self.attribute(Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)? as u32,
            estimated: false,
        })
    }

    /// Maximum number of threads per block that its registers allow.
    pub(super) fn most_threads(self) -> Result<u32, Status> {
        Ok(self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32)
    }

    /// Most blocks of these threads and bytes of dynamic shared memory that the GPU runs at the same
    /// time.
    pub(super) fn blocks_at_a_time(self, threads: u64, shared: u32) -> Result<u64, Status> {
        let (mut blocks, mut device, mut multiprocessors) = (0, 0, 0);
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        let attribute = CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        // SAFETY: each pointer is to one integer, the function's module is loaded in the current
        // context.
        unsafe {
            check(sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &raw mut blocks,
                self.handle,
                threads,
                shared as usize,
            ))?;
            check(sys::cuCtxGetDevice(&raw mut device))?;
            check(sys::cuDeviceGetAttribute(&raw mut multiprocessors, attribute, device))?;
        }
        Ok(u64::from(blocks.unsigned_abs()) * u64::from(multiprocessors.unsigned_abs()))
    }

    /// Opts in to this much dynamic shared memory per block, in bytes. Required where it
    /// and the kernel's static shared memory exceed 48 KiB.
    pub(super) fn allow_shared(self, bytes: u32) -> Result<(), Status> {
        // SAFETY: the function belongs to a loaded module.
        check(unsafe {
            sys::cuFuncSetAttribute(
                self.handle,
                CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                c_int::try_from(bytes).unwrap_or(c_int::MAX),
            )
        })
    }

    fn attribute(self, which: CUfunction_attribute) -> Result<c_int, Status> {
        let mut value = 0;
        // SAFETY: the pointer is to one integer, the function's module is loaded.
        check(unsafe { sys::cuFuncGetAttribute(&raw mut value, which, self.handle) })?;
        Ok(value)
    }
}

/// The modules loaded so far, by the address of their PTX, which is static, and their machine
/// code.
#[derive(Default)]
pub(super) struct Modules {
    loaded: BTreeMap<usize, Module>,
    /// Machine code, by the address of the PTX that it replaces.
    binaries: BTreeMap<usize, Vec<u8>>,
}

impl Modules {
    /// Loads `source` unless it is loaded already.
    pub(super) fn load(&mut self, source: &work::Module) -> Result<&Module, String> {
        use std::collections::btree_map::Entry;
        let address = source.ptx.as_ptr().addr();
        match self.loaded.entry(address) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => {
                let binary = self.binaries.get(&address).map(Vec::as_slice);
                Ok(entry.insert(Module::load(source, binary)?))
            }
        }
    }

    /// Keeps machine code for `source`. Only whole ELF files are kept: the driver trusts
    /// their headers.
    pub(super) fn add_binary(&mut self, source: &work::Module, cubin: Vec<u8>) {
        if is_whole_elf(&cubin) {
            self.binaries.insert(source.ptx.as_ptr().addr(), cubin);
        }
    }
}

/// Whether `bytes` is a 64-bit ELF file whose tables lie within it.
fn is_whole_elf(bytes: &[u8]) -> bool {
    let number = |at: usize, width: usize| {
        let field = bytes.get(at..at + width)?;
        Some(field.iter().rev().fold(0_u64, |number, &byte| number << 8 | u64::from(byte)))
    };
    // Offset, size and count of the program headers and of the section headers.
    let table = |offset, size, count| {
        let end = number(offset, 8)?.checked_add(number(size, 2)? * number(count, 2)?)?;
        Some(end <= bytes.len() as u64)
    };
    bytes.starts_with(b"\x7fELF\x02\x01")
        && table(0x20, 0x36, 0x38) == Some(true)
        && table(0x28, 0x3a, 0x3c) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_is_whole_or_not_used() {
        let mut elf = vec![0; 0x40 + 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        // One section header of 64 bytes after the file's header.
        (elf[0x28], elf[0x3a], elf[0x3c]) = (0x40, 64, 1);
        assert!(is_whole_elf(&elf));
        assert!(!is_whole_elf(&elf[..elf.len() - 1]));
        elf[0x2f] = 0xff;
        assert!(!is_whole_elf(&elf), "an offset beyond all memory");
        assert!(!is_whole_elf(b"\x7fELF"));
        assert!(!is_whole_elf(b".version 7.8"));
    }

    #[test]
    fn a_log_ends_at_its_terminator() {
        assert_eq!(log_text(b"ptxas fatal\n\0garbage"), "ptxas fatal");
        assert_eq!(log_text(b"no terminator"), "no terminator");
        assert_eq!(log_text(&[0; 4]), "");
    }
}
