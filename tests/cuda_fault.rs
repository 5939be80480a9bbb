//! A kernel that faults on a real GPU takes its process's device with it, so
//! this is a test program of its own. Without a GPU it says so and passes.
#![cfg(target_os = "linux")]
#![allow(missing_docs, clippy::unwrap_used)]

#[path = "integration/support/mod.rs"]
mod support;

use support::builders::cuda;
use warpscope::backend::{Backend, Failure};
use warpscope::work::{Dim3, Launch, Module, TrapKind, Work};

const WILD: Module = Module {
    name: "wild",
    path: "tests/wild.ptx",
    ptx: "
.version 7.8
.target sm_50
.address_size 64
.visible .entry wild()
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    mov.u64 %rd1, 16;
    mov.u32 %r1, 1;
    st.global.u32 [%rd1], %r1;
    ret;
}
",
    source: "",
    resources: "",
};

#[test]
fn a_fault_is_a_trap_and_then_the_device_is_lost() {
    let Some(mut cuda) = cuda() else { return };
    let launch = Launch {
        phase: "wild",
        kernel: "wild".to_owned(),
        grid: Dim3::linear(1),
        block: Dim3::linear(1),
        shared_bytes: 0,
        args: Vec::new(),
    };
    let work = Work::of_launches(WILD, Vec::new(), [launch]);
    let prepared = cuda.prepare(&work, &Vec::new()).unwrap();
    let Err(Failure::Trap(trap)) = cuda.sample(prepared) else {
        panic!("a write to address 16 went well");
    };
    println!("{trap}");
    assert_eq!(trap.kind, TrapKind::DeviceFault);
    assert_eq!(trap.kernel, "wild");
    for failure in [cuda.sample(prepared).err(), cuda.prepare(&work, &Vec::new()).err()] {
        let Some(Failure::Lost(text)) = failure else {
            panic!("the device is not lost: {failure:?}");
        };
        println!("{text}");
    }
}
