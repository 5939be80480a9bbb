//! The launch vocabulary: what every backend is told, and what it answers.
//!
//! An algorithm turns a case into [`Work`] (a module, buffers, steps); a
//! backend carries it out and answers with times, buffers, or a [`Trap`].

mod buffer;
mod by_metric;
pub mod cause;
mod device_baseline;
mod element;
mod finding;
mod host_buffer;
mod kernel_profile;
mod launch_cost;
pub mod metric;
mod packed;
mod resources;
mod sampling;
pub mod shared;
mod steps;
mod target;
pub mod trace;
pub mod view;

use serde::{Deserialize, Serialize};
use sha2::Digest;

pub use buffer::{Buffer, Init, Inputs};
pub use by_metric::ByMetric;
pub use device_baseline::DeviceBaseline;
pub use element::Element;
pub use finding::{Checked, Finding};
pub use host_buffer::HostBuffer;
pub(crate) use host_buffer::for_elements;
pub use kernel_profile::{
    CaseProfile, Ceilings, InstructionProfile, KernelProfile, LineWork, Residency,
};
pub use launch_cost::{Amounts, LaunchCost, Launches};
pub use resources::{ResourceTable, Resources};
pub use sampling::{Sampling, Smaller, Term};
pub use shared::{Name, Shared};
pub use steps::{Arg, Boxes, HostStage, Launch, PhaseKind, PhaseName, Phases, Step, Struct, Work};
pub use target::{Newer, Target, cuda_for};
pub use view::View;
pub use view::bars::Bars;
pub use view::before_after::BeforeAfter;
pub use view::bins::Bins;
pub use view::curve::Curve;
pub use view::heat::Heat;
pub use view::partitions::Partitions;
pub use view::scatter::Scatter;

use crate::emulator::MachineCode;
pub use crate::emulator::{Dim3, Done, Progress, Trap, TrapKind};

/// PTX as shipped, with what the assembler said about its kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Module {
    /// Short name, such as `histogram`.
    pub name: &'static str,
    /// The path that errors name, such as `kernels/ptx/histogram.ptx`.
    pub path: &'static str,
    /// The PTX.
    pub ptx: &'static str,
    /// The CUDA source that it was compiled from.
    pub source: &'static str,
    /// `NAME.csv` beside the PTX: registers, shared memory, spills and waits of
    /// each kernel for each architecture.
    pub resources: &'static str,
}

impl Module {
    /// First 16 hex digits of the SHA-256 of the PTX's instructions, which stored records
    /// name. It ignores comments and line information, so that an edited comment in a
    /// kernel does not make its records stale.
    pub fn hash(&self) -> String {
        let mut hash = sha2::Sha256::new();
        let lines = self.ptx.lines().map(str::trim);
        // `.section` begins the names of inlined functions, the end of the file.
        for line in lines.take_while(|line| !line.starts_with(".section")) {
            let ignored = ["//", ".loc", ".file"].iter().any(|start| line.starts_with(start));
            if !line.is_empty() && !ignored {
                hash.update(line);
                hash.update("\n");
            }
        }
        hash.finalize().iter().take(8).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"))
    }

    /// Whether `kernel` calls `grid.sync()`, so that all its blocks have to run at the same time.
    pub fn waits_for_grid(&self, kernel: &str) -> bool {
        let entry = self.ptx.split(".entry").skip(1).find(|it| {
            it.trim_start().strip_prefix(kernel).is_some_and(|it| it.trim_start().starts_with('('))
        });
        let body = entry.and_then(|it| it.split("\n}").next());
        body.is_some_and(|it| it.contains(warpscope_emulator::GRID_BARRIER))
    }

    /// Whether it is a user's file: its name is that of the file.
    pub fn is_own(&self) -> bool {
        self.name.contains('.')
    }

    /// The file that lines of the source are in: `kernels/histogram.cu`, a user's `my.cu`, or
    /// the PTX itself where there is no source.
    pub fn source_path(&self) -> String {
        if self.is_own() {
            return self.name.to_owned();
        }
        self.path.replace("/ptx/", "/").replace(".ptx", ".cu")
    }

    /// What `kernel` takes on a GPU of compute capability `cc`: see
    /// [`ResourceTable::resources`].
    pub fn resources(&self, kernel: &str, cc: u32) -> Option<Resources> {
        ResourceTable(self.resources).resources(kernel, cc)
    }

    /// What is known of the machine code of `kernel`: see [`ResourceTable::machine_code`].
    pub fn machine_code(&self, kernel: &str, cc: u32) -> MachineCode {
        ResourceTable(self.resources).machine_code(kernel, cc)
    }
}

/// What a device allows, as far as it decides whether a case can run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Compute capability as major * 10 + minor: 90 for 9.0.
    pub compute_capability: u32,
    /// Most threads per block.
    pub threads_per_block: u32,
    /// Most dynamic plus static shared memory per block, opted in, in bytes.
    pub shared_per_block: u32,
    /// 32-bit registers per multiprocessor, which one block may use up.
    pub registers_per_sm: u32,
    /// Memory that buffers may take together, in bytes.
    pub memory: u64,
    /// The newest version of CUDA that the driver supports, as (12, 4); none where no driver
    /// loads the PTX.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cuda: Option<(u32, u32)>,
}

/// What a backend runs on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Device {
    /// `cuda`, `emulator` or `scripted`.
    pub backend: String,
    /// Name of the GPU, real or modelled: `NVIDIA H200`, `H200 SXM`.
    pub name: String,
    /// Version of the driver, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// Identity for resuming: the device's UUID, or a hash of its profile.
    pub id: String,
    /// Whether times are predicted from counts instead of measured.
    pub modelled: bool,
    /// Whether the predictions were checked against that GPU. True for
    /// measured times.
    pub validated: bool,
    /// What it allows.
    pub limits: Limits,
}

#[cfg(test)]
mod tests {
    use super::Module;

    #[test]
    fn kernels_that_wait_for_the_grid_are_known_by_their_call() {
        let ptx = ".func _ZN2cg22warpscope_grid_barrierEv()\n{\nret;\n}\n\
            .visible .entry step(\n.param .u64 a\n)\n{\nret;\n}\n\
            .visible .entry steps(\n.param .u64 a\n)\n{\ncall.uni _ZN2cg22warpscope_grid_barrierEv, ();\nret;\n}\n\
            .visible .entry last()\n{\nret;\n}\n";
        let module = Module { name: "a.cu", path: "a.cu", ptx, source: "", resources: "" };
        let found = ["step", "steps", "last", "none"].map(|it| module.waits_for_grid(it));
        assert_eq!(found, [false, true, false, false]);
    }
}
