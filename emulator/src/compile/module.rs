//! From the text of a module to kernels that can be launched.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::compile::error::LoadError;
use crate::compile::kernel::compile;
use crate::program::Kernel;
use crate::ptx::{self, Function, Item};

/// A PTX module, parsed.
#[derive(Debug)]
pub struct Module<'t> {
    tree: ptx::Module<'t>,
    path: String,
    /// Tells the texts of modules apart.
    fingerprint: u64,
}

impl<'t> Module<'t> {
    /// Parses PTX. Messages call it `module.ptx`.
    pub fn load(text: &'t str) -> Result<Self, LoadError> {
        Self::load_file(text, "module.ptx")
    }

    /// Parses the PTX of a file; messages name its `path`.
    pub fn load_file(text: &'t str, path: &str) -> Result<Self, LoadError> {
        let tree = ptx::parse(text, path)?;
        let path = path.to_owned();
        if tree.address_size != 64 {
            let message =
                format!("addresses of {} bits are not supported, only of 64", tree.address_size);
            return Err(LoadError::Refused { path, line: 1, message });
        }
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        Ok(Self { tree, path, fingerprint: hasher.finish() })
    }

    /// Its kernels, in the order of the text.
    pub fn kernels(&self) -> impl Iterator<Item = &Function<'t>> {
        self.tree.items.iter().filter_map(|item| match item {
            Item::Function(function) if function.entry => Some(function),
            _ => None,
        })
    }

    /// Compiles the kernel called `name`.
    pub fn kernel(&self, name: &str) -> Result<Kernel, LoadError> {
        self.compile(name, false)
    }

    /// The same, with the names of its registers, as a trace shows them.
    pub(crate) fn named_kernel(&self, name: &str) -> Result<Kernel, LoadError> {
        self.compile(name, true)
    }

    fn compile(&self, name: &str, named: bool) -> Result<Kernel, LoadError> {
        let Some(function) = self.kernels().find(|function| function.name == name) else {
            let known: Vec<&str> = self.kernels().map(|function| function.name).collect();
            let (path, known) = (self.path.clone(), known.join(", "));
            return Err(LoadError::NoKernel { path, name: name.to_owned(), known });
        };
        let mut kernel = compile(&self.tree, function, &self.path, named)?;
        kernel.data.module = self.fingerprint;
        Ok(kernel)
    }

    /// Its syntax tree.
    pub fn tree(&self) -> &ptx::Module<'t> {
        &self.tree
    }
}

/// Compiles the kernel `name` of a PTX file; messages name its `path`.
pub fn load(text: &str, path: &str, name: &str) -> Result<Kernel, LoadError> {
    Module::load_file(text, path)?.kernel(name)
}
