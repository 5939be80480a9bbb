//! Tensor maps, as the driver encodes them. CUDA 12.0 brought them, after `cust`.

use std::ffi::c_void;

use super::symbol;
use crate::emulator::{TENSOR_MAP_BYTES, TensorElement, TensorMap};

/// `cuTensorMapEncodeTiled` with the argument types of `cuda.h`.
type Encode = unsafe extern "C" fn(
    *mut Words,
    u32,
    u32,
    *mut c_void,
    *const u64,
    *const u64,
    *const u32,
    *const u32,
    u32,
    u32,
    u32,
    u32,
) -> u32;

/// A map, at the alignment that the driver asks for.
#[repr(align(64))]
struct Words([u64; TENSOR_MAP_BYTES / 8]);

/// `CU_TENSOR_MAP_L2_PROMOTION_L2_256B`: what is copied comes to L2 in pieces of 256 bytes.
const PROMOTION: u32 = 3;

/// The map of a tensor at a device address.
///
/// # Errors
/// In words, where the driver knows no tensor maps or refuses this one.
pub(in crate::backend::cuda) fn encode(
    map: &TensorMap,
    address: u64,
) -> Result<[u64; TENSOR_MAP_BYTES / 8], String> {
    // SAFETY: the type is the signature that `cuda.h` gives this name.
    let encode = unsafe { symbol::<Encode>("cuTensorMapEncodeTiled") }
        .ok_or("the driver knows no tensor maps: they came with CUDA 12.0")?;
    map.check(address)?;
    let mut words = Words([0; TENSOR_MAP_BYTES / 8]);
    let swizzle = map.swizzle.checked_ilog2().map_or(0, |log| log - 4);
    // SAFETY: `check` has seen that each list has a number for each dimension, and `words` has
    // the size and alignment of a map. The driver does not read the tensor.
    let status = unsafe {
        encode(
            &raw mut words,
            element(map.element),
            map.dims.len() as u32,
            address as *mut c_void,
            map.dims.as_ptr(),
            map.strides.as_ptr(),
            map.extent.as_ptr(),
            map.steps.as_ptr(),
            0,
            swizzle,
            PROMOTION,
            map.fill_nan.into(),
        )
    };
    if status == 0 { Ok(words.0) } else { Err(format!("a tensor map is refused: error {status}")) }
}

/// The driver's number of a type.
fn element(element: TensorElement) -> u32 {
    match element {
        TensorElement::U8 => 0,
        TensorElement::U16 => 1,
        TensorElement::U32 => 2,
        TensorElement::S32 => 3,
        TensorElement::U64 => 4,
        TensorElement::S64 => 5,
        TensorElement::F16 => 6,
        TensorElement::F32 => 7,
        TensorElement::F64 => 8,
        TensorElement::Bf16 => 9,
        TensorElement::F32Flushed => 10,
        TensorElement::Tf32 => 11,
        TensorElement::Tf32Flushed => 12,
    }
}
