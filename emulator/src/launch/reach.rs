//! How far a launch reaches into its memory.

use crate::launch::job;
use crate::launch::outcome::{Options, Ran, Setting};
use crate::machine::{BlockContext, Memory, Observer, Warp, lanes};
use crate::program::{Inst, Kernel};
use crate::sanitizer::access;

/// Runs `kernel` and tells the end of what its loads, stores and atomics reach in each
/// allocation, in bytes from its start, in the order in which they were allocated. Bulk copies do not
/// count.
pub fn reach(
    kernel: &Kernel,
    setting: Setting,
    memory: &Memory,
    options: Options,
) -> (Ran, Vec<u64>) {
    let mut ends = Ends(vec![0; memory.allocations().len()]);
    let ran = job::watch(kernel, setting, memory, options, &mut ends);
    (ran, ends.0)
}

/// The end of what was reached of each allocation.
struct Ends(Vec<u64>);

impl Observer for Ends {
    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        _: usize,
        inst: &Inst,
        mask: u32,
    ) -> u32 {
        let Some(access) = access::of(inst.op) else { return mask };
        for lane in lanes(mask) {
            let address = access.address(warp, context, lane);
            let target = access::target(warp, context, access.window, address, access.size);
            if let Some((index, offset)) = target
                && let Some(end) = self.0.get_mut(index)
            {
                *end = (*end).max(offset + access.size);
            }
        }
        mask
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::reach;
    use crate::launch::{Options, Setting};
    use crate::machine::{Dim3, Memory};

    #[test]
    fn the_end_of_each_buffer_is_told() {
        let text = ".version 7.8\n.target sm_50\n.address_size 64\n\
            .visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {\n\
            .reg .b32 %t, %v; .reg .b64 %a, %b, %o; .reg .pred %p;\n\
            ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; mov.u32 %t, %tid.x;\n\
            mul.wide.u32 %o, %t, 8; add.u64 %a, %a, %o; ld.global.u32 %v, [%a+16];\n\
            setp.lt.u32 %p, %t, 7; add.u64 %b, %b, %o; @%p st.global.u32 [%b], %v; ret; }\n";
        let kernel = crate::compile::load(text, "k.ptx", "k").unwrap();
        let mut memory = Memory::new();
        let args = [0; 3].map(|_| memory.allocate(1 << 20));
        let [grid, block] = [1, 64].map(|x| Dim3 { x, y: 1, z: 1 });
        let setting = Setting { grid, block, shared_bytes: 0, args: &args, unwritten: &[] };
        let (ran, ends) = reach(&kernel, setting, &memory, Options::default());
        assert_eq!((ran.trap, ends), (None, vec![63 * 8 + 20, 6 * 8 + 4, 0]));
    }
}
