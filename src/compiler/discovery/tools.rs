//! The places of NVIDIA's assembler and disassembler.

use std::path::PathBuf;

use super::environment::{Environment, Os, children};
use super::{nvrtc, python};

/// The program `name` (`ptxas`, `nvdisasm`): on the path, of a CUDA toolkit, of a wheel.
pub(in crate::compiler) fn find(environment: &Environment, name: &str) -> Option<PathBuf> {
    let file = if environment.os == Os::Windows { format!("{name}.exe") } else { name.to_owned() };
    let named = ["CUDA_HOME", "CUDA_PATH"].map(|name| environment.folder(name));
    let toolkits = named.into_iter().flatten().chain(nvrtc::toolkits(environment));
    let wheels = python::site_packages(environment).into_iter().flat_map(|site| {
        let nvidia = site.join("nvidia");
        [children(&nvidia, "cuda_"), children(&nvidia, "cu1")].concat()
    });
    let folders = toolkits.chain(wheels).map(|folder| folder.join("bin").join(&file));
    environment.on_path(name).chain(folders).find(|path| path.is_file())
}
