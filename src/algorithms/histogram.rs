//! Histogram: count how many input values fall into each bin.

use super::{Algorithm, Mismatch, Param, ParamKind, Traffic, Variant};
use crate::experiment::Case;
use crate::launch::{HostBuffer, Inputs, Module, Work};
use crate::measurement::View;

/// The histogram.
#[derive(Debug)]
pub struct Histogram;

const MODULE: Module = Module {
    name: "histogram",
    path: "kernels/ptx/histogram.ptx",
    ptx: include_str!("../../kernels/ptx/histogram.ptx"),
    resources: include_str!("../../kernels/ptx/resources.csv"),
};

impl Algorithm for Histogram {
    fn name(&self) -> &'static str {
        "histogram"
    }

    fn summary(&self) -> &'static str {
        "counts how many values fall into each bin"
    }

    fn variants(&self) -> &'static [Variant] {
        &[
            Variant {
                name: "global",
                summary: "one global atomic per value; all blocks meet in the L2 cache",
                coarsens: true,
            },
            Variant {
                name: "shared",
                summary: "private bins per block in shared memory, merged at the end",
                coarsens: true,
            },
        ]
    }

    fn params(&self) -> &'static [Param] {
        &[
            Param {
                name: "bins",
                summary: "number of bins",
                kind: ParamKind::Int {
                    low: 2,
                    high: 65_536,
                    default: 8,
                    steps: &[
                        2, 7, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
                        65536,
                    ],
                },
            },
            Param {
                name: "binning",
                summary: "how a value finds its bin: remainder, or position in the 32-bit range",
                kind: ParamKind::Word(&["modulo", "range"]),
            },
        ]
    }

    fn module(&self) -> Module {
        MODULE
    }

    fn work(&self, _case: &Case) -> Work {
        Work { module: MODULE, buffers: Vec::new(), launches: Vec::new() }
    }

    fn input_key(&self, _case: &Case) -> String {
        String::new()
    }

    fn inputs(&self, _case: &Case) -> Inputs {
        Vec::new()
    }

    fn reference_key(&self, _case: &Case) -> String {
        String::new()
    }

    fn reference(&self, _case: &Case, _inputs: &Inputs) -> HostBuffer {
        HostBuffer::U32(Vec::new())
    }

    fn output(&self, _case: &Case) -> usize {
        1
    }

    fn verify(
        &self,
        _case: &Case,
        _reference: &HostBuffer,
        _output: &HostBuffer,
    ) -> Result<(), Mismatch> {
        Ok(())
    }

    fn traffic(&self, _case: &Case) -> Traffic {
        Traffic::default()
    }

    fn view(&self, _case: &Case, _output: &HostBuffer) -> Option<View> {
        None
    }
}
