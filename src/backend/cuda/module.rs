//! Loads PTX, keeps the full log of the loader, and queries the resources of kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int, c_void};

use cust::sys::{self, CUfunction, CUfunction_attribute, CUjit_option, CUmodule};

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
    /// Assembles `source` for the current context's device. The error holds the
    /// assembler's full log.
    pub(super) fn load(source: &work::Module) -> Result<Self, String> {
        let ptx = CString::new(source.ptx)
            .map_err(|_| format!("{} holds a NUL byte: it is not PTX", source.path))?;
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
        // SAFETY: the image is terminated; options and values are arrays of the
        // stated length whose buffers have the stated sizes and outlive the call.
        let outcome = check(unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut handle,
                ptx.as_ptr().cast(),
                options.len() as u32,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        });
        match outcome {
            Ok(()) => Ok(Self { handle }),
            Err(status) => {
                let mut text = format!("{} could not be loaded: {status}", source.path);
                for log in [&errors, &notes] {
                    let log = log_text(log);
                    if !log.is_empty() {
                        text.push('\n');
                        text.push_str(&log);
                    }
                }
                Err(text)
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
        })
    }

    /// Maximum number of threads per block that its registers allow.
    pub(super) fn most_threads(self) -> Result<u32, Status> {
        Ok(self.attribute(CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)? as u32)
    }

    /// Opts in to this much dynamic shared memory per block, in bytes. Required
    /// above 48 KiB.
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

/// The modules loaded so far, by the address of their PTX, which is static.
#[derive(Default)]
pub(super) struct Modules(BTreeMap<usize, Module>);

impl Modules {
    /// Loads `source` unless it is loaded already.
    pub(super) fn load(&mut self, source: &work::Module) -> Result<&Module, String> {
        use std::collections::btree_map::Entry;
        match self.0.entry(source.ptx.as_ptr().addr()) {
            Entry::Occupied(entry) => Ok(entry.into_mut()),
            Entry::Vacant(entry) => Ok(entry.insert(Module::load(source)?)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_ends_at_its_terminator() {
        assert_eq!(log_text(b"ptxas fatal\n\0garbage"), "ptxas fatal");
        assert_eq!(log_text(b"no terminator"), "no terminator");
        assert_eq!(log_text(&[0; 4]), "");
    }
}
