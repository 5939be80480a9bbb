//! From text to a kernel that can be launched.

use crate::compile::error::LoadError;
use crate::compile::kernel::compile;
use crate::program::kernel::Kernel;
use crate::ptx::Item;

use crate::ptx;

/// Prepares the kernel `name` of a PTX file for launching; `path` is what
/// messages call the file.
pub fn load(text: &str, path: &str, name: &str) -> Result<Kernel, LoadError> {
    let module = ptx::parse(text, path)?;
    if module.address_size != 64 {
        return Err(LoadError::Refused {
            path: path.to_owned(),
            line: 1,
            message: format!(
                "addresses of {} bits are not supported, only of 64",
                module.address_size
            ),
        });
    }
    let entries = || {
        module.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.entry => Some(function),
            _ => None,
        })
    };
    match entries().find(|function| function.name == name) {
        Some(function) => {
            let mut kernel = compile(&module, function, path)?;
            kernel.data.module = fingerprint(text);
            Ok(kernel)
        }
        None => Err(LoadError::NoKernel {
            path: path.to_owned(),
            name: name.to_owned(),
            known: entries().map(|function| function.name).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// Tells the texts of modules apart.
fn fingerprint(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
