//! Replaces the CUDA driver library at link time and loads it at run time.
//!
//! `cust` declares the driver's entry points as external functions. Linking
//! against `libcuda` would tie the program to machines that have a driver, so
//! this room defines those functions: each looks itself up in `libcuda.so.1` on
//! its first call and passes the call on. Without the library they answer
//! `CUDA_ERROR_NO_DEVICE`.
//!
//! The functions exist in the executable only and are not exported from it, and
//! the library is opened with local visibility, so neither can take the other's
//! calls.

use std::error::Error;
use std::sync::OnceLock;

use cust::sys::CUresult;
use libloading::Library;

mod entry_points;
mod tensor_map;

pub(super) use tensor_map::encode;

/// The name that every Linux driver installs.
const LIBRARY: &str = "libcuda.so.1";

/// The library, or why it cannot be loaded. Never unloaded: the driver has
/// threads of its own.
fn library() -> &'static Result<Library, String> {
    static LIBRARY_HANDLE: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY_HANDLE.get_or_init(|| {
        // SAFETY: the driver's initialisers have no preconditions.
        unsafe { Library::new(LIBRARY) }.map_err(|error| match error.source() {
            Some(cause) => cause.to_string(),
            None => error.to_string(),
        })
    })
}

/// Why the driver library cannot be loaded; `None` when it is loaded.
pub(super) fn load_error() -> Option<&'static str> {
    library().as_ref().err().map(String::as_str)
}

/// The entry point `name`, if the library is there and has it.
///
/// # Safety
/// `T` must be a function pointer with the entry point's signature.
unsafe fn symbol<T: Copy>(name: &str) -> Option<T> {
    let library = library().as_ref().ok()?;
    // SAFETY: the caller vouches for the type; the library is never unloaded.
    unsafe { library.get::<T>(name) }.ok().map(|symbol| *symbol)
}

/// What a call answers when there is nothing to pass it to: no device without
/// the library, "not supported" where the driver is too old for this entry.
fn absent() -> CUresult {
    if load_error().is_some() {
        CUresult::CUDA_ERROR_NO_DEVICE
    } else {
        CUresult::CUDA_ERROR_NOT_SUPPORTED
    }
}

/// A driver's status as the enumeration that `cust` knows, which is CUDA 11.4's.
/// Newer drivers have more codes, and a value outside a Rust enumeration is
/// undefined behaviour; those become `CUDA_ERROR_UNKNOWN`.
pub(super) fn result(code: u32) -> CUresult {
    match code {
        0..=8
        | 34
        | 100..=102
        | 200..=202
        | 205..=224
        | 300..=304
        | 400
        | 401
        | 500
        | 600
        | 700..=705
        | 708..=720
        | 800..=809
        | 900..=911
        | 999 => {
            // SAFETY: exactly the values that `CUresult` has; it is `repr(u32)`.
            unsafe { std::mem::transmute::<u32, CUresult>(code) }
        }
        _ => CUresult::CUDA_ERROR_UNKNOWN,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn without_a_driver_cust_reports_an_error() {
        let outcome = cust::init(cust::CudaFlags::empty());
        if load_error().is_some() {
            assert_eq!(outcome, Err(cust::error::CudaError::NoDevice));
            assert_eq!(cust::device::Device::num_devices(), Err(cust::error::CudaError::NoDevice));
        }
    }

    #[test]
    fn entry_points_are_not_exported_from_the_executable() {
        let this = libloading::os::unix::Library::this();
        for name in entry_points::NAMES {
            // SAFETY: the symbol is only looked for, never called.
            let found = unsafe { this.get::<unsafe extern "C" fn()>(*name) };
            assert!(found.is_err(), "{name} is visible to shared libraries");
        }
    }

    #[test]
    fn unknown_codes_of_newer_drivers_are_caught() {
        assert_eq!(result(0), CUresult::CUDA_SUCCESS);
        assert_eq!(result(700), CUresult::CUDA_ERROR_ILLEGAL_ADDRESS);
        assert_eq!(result(911), CUresult::CUDA_ERROR_EXTERNAL_DEVICE);
        for newer in [36, 46, 203, 225, 721, 912, 1000, u32::MAX] {
            assert_eq!(result(newer), CUresult::CUDA_ERROR_UNKNOWN, "{newer}");
        }
    }
}
