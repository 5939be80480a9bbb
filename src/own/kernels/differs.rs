//! Kernels whose parameters nothing can be passed to.

use super::Entry;
use crate::own::ctype::{CType, Scalar};
use crate::own::signature::{Signature, SignatureParam};

/// How a signature differs from the PTX, if it does.
pub(super) fn differs(signature: &Signature, entry: &Entry) -> Option<String> {
    let (read, compiled) = (signature.params.len(), entry.params.len());
    if read != compiled {
        return Some(format!(
            "its declaration has {read} parameters as text and {compiled} in the PTX; \
             write them without macros"
        ));
    }
    let of_pointers = |it: &SignatureParam| matches!(&it.ctype, CType::Pointer { to: Scalar::Opaque(to), .. } if to.ends_with('*'));
    if let Some(param) = signature.params.iter().find(|it| of_pointers(it)) {
        return Some(format!(
            "`{}` is an array of pointers, which nothing fills here; take one buffer, and where each \
             part begins in it",
            param.declaration()
        ));
    }
    let of_image = |it: &&SignatureParam| {
        let of = it.ctype.to_string();
        ["cudaTextureObject_t", "cudaSurfaceObject_t"].iter().any(|name| of.contains(name))
    };
    if let Some(param) = signature.params.iter().find(of_image) {
        return Some(format!(
            "`{}` is a texture or surface, which nothing makes here; read a buffer instead",
            param.declaration()
        ));
    }
    signature.params.iter().zip(entry.bytes()).find_map(|(param, found)| {
        let expected = match &param.ctype {
            CType::Pointer { .. } => Some(8),
            CType::Scalar(scalar) => scalar.bytes(),
            CType::Other(_) => None,
        };
        let expected = expected.filter(|expected| *expected != found)?;
        Some(format!(
            "`{}` has {expected} bytes as text and {found} in the PTX; write its type \
             without macros",
            param.declaration()
        ))
    })
}
