//! The driver's status codes as errors with a name and a message.

use std::ffi::CStr;
use std::fmt;

use cust::error::CudaError;
use cust::sys::{self, CUresult};

use super::driver;
use crate::backend::Failure;

/// An error status of the driver.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Status {
    /// The code.
    pub(super) code: CUresult,
    /// `CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory access was encountered`
    text: String,
}

impl Status {
    fn new(code: CUresult) -> Self {
        let number = code as u32;
        let name = driver_text(|text| {
            // SAFETY: `text` points to room for one pointer.
            unsafe { sys::cuGetErrorName(code, text) }
        });
        let sentence = driver_text(|text| {
            // SAFETY: `text` points to room for one pointer.
            unsafe { sys::cuGetErrorString(code, text) }
        });
        let text = match (name, sentence) {
            (Some(name), Some(sentence)) => format!("{name} ({number}): {sentence}"),
            _ => format!("CUDA error {number}"),
        };
        Self { code, text }
    }

    /// Whether memory ran out.
    pub(super) fn is_out_of_memory(&self) -> bool {
        self.code == CUresult::CUDA_ERROR_OUT_OF_MEMORY
    }

    /// Whether a kernel faulted. Then every later call in this process fails.
    pub(super) fn is_fault(&self) -> bool {
        use CUresult as Code;
        matches!(
            self.code,
            Code::CUDA_ERROR_ECC_UNCORRECTABLE
                | Code::CUDA_ERROR_NVLINK_UNCORRECTABLE
                | Code::CUDA_ERROR_ILLEGAL_ADDRESS
                | Code::CUDA_ERROR_LAUNCH_TIMEOUT
                | Code::CUDA_ERROR_CONTEXT_IS_DESTROYED
                | Code::CUDA_ERROR_ASSERT
                | Code::CUDA_ERROR_HARDWARE_STACK_ERROR
                | Code::CUDA_ERROR_ILLEGAL_INSTRUCTION
                | Code::CUDA_ERROR_MISALIGNED_ADDRESS
                | Code::CUDA_ERROR_INVALID_ADDRESS_SPACE
                | Code::CUDA_ERROR_INVALID_PC
                | Code::CUDA_ERROR_LAUNCH_FAILED
                | Code::CUDA_ERROR_EXTERNAL_DEVICE
                | Code::CUDA_ERROR_UNKNOWN
        )
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        Self::Lost(status.to_string())
    }
}

impl From<CudaError> for Status {
    fn from(error: CudaError) -> Self {
        Self::new(driver::result(error as u32))
    }
}

/// Turns the status of a driver call into a result.
pub(super) fn check(code: CUresult) -> Result<(), Status> {
    match code {
        CUresult::CUDA_SUCCESS => Ok(()),
        code => Err(Status::new(code)),
    }
}

/// A static text of the driver's, if it has one. (`cust` offers these texts
/// through `Display`, which fails without a driver, so `to_string` panics.)
fn driver_text(ask: impl FnOnce(*mut *const std::ffi::c_char) -> CUresult) -> Option<String> {
    let mut text = std::ptr::null();
    if ask(&raw mut text) != CUresult::CUDA_SUCCESS || text.is_null() {
        return None;
    }
    // SAFETY: on success the driver hands out a static, terminated string.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_words_with_and_without_a_driver() {
        let text = Status::from(CudaError::NoDevice).to_string();
        assert!(text.contains("100"), "{text}");
        assert!(Status::from(CudaError::OutOfMemory).is_out_of_memory());
        assert!(Status::from(CudaError::IllegalAddress).is_fault());
        assert!(!Status::from(CudaError::InvalidValue).is_fault());
    }
}
