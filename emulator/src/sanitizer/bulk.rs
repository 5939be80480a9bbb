//! Copies of many bytes by one thread, as accesses of that thread.

use crate::machine::{BlockContext, Warp, lanes};
use crate::program::{Bulk, End, Slot};
use crate::sanitizer::access::{Access, target};
use crate::sanitizer::monitor::Monitor;

/// Bytes of the word of a barrier.
const WORD: u64 = 8;

/// Addresses of copies are multiples of this.
const UNIT: u64 = 16;

/// An access of one end of a copy.
fn access(end: End, size: u64) -> Access {
    let End { window, a, site } = end;
    Access { window, size, align: UNIT, a, site, value: None, returns: false, rank: None }
}

/// The blocks of the cluster that a copy goes to, if it names any.
fn ranks(warp: &Warp, blocks: Option<Slot>, lane: usize) -> Vec<Option<u64>> {
    match blocks {
        Some(mask) => {
            let mask = warp.regs32[usize::from(mask)][lane] & 0xffff;
            lanes(mask).map(|rank| Some(rank as u64)).collect()
        }
        None => vec![None],
    }
}

impl Monitor {
    /// Checks copy `index`; gives the lanes that may go on. The bytes count as written by the
    /// thread that copies, before the barrier learns of them.
    pub(crate) fn bulk(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: u16,
        mask: u32,
    ) -> u32 {
        let Bulk { to, from, bytes, barrier, blocks, .. } =
            context.kernel.bulks[usize::from(index)];
        let mut going = 0;
        for lane in lanes(mask) {
            let size = u64::from(warp.regs32[usize::from(bytes)][lane]);
            let mut may = 1 << lane;
            may &= self.access(warp, context, &access(from, size), may);
            for rank in ranks(warp, blocks, lane) {
                let target = Access { rank, ..access(to, size) };
                may &= self.access(warp, context, &target, may);
                if let Some(end) = barrier.filter(|_| may != 0) {
                    may &= self.arrive(warp, context, Access { rank, ..access(end, WORD) }, lane);
                }
            }
            going |= may;
        }
        going
    }

    /// Checks what copy `index` of a box does in shared memory; gives the lanes that may go on.
    /// One without a map goes on to its trap.
    pub(crate) fn tensor(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: u16,
        mask: u32,
    ) -> u32 {
        let tensor = &context.kernel.tensors[usize::from(index)];
        let mut going = 0;
        for lane in lanes(mask) {
            let address = warp.regs64[usize::from(tensor.map)][lane];
            let address = address.wrapping_add(tensor.offset.cast_unsigned());
            let mut may = 1 << lane;
            if let Some((map, _)) = context.tensor_map(warp, lane, address) {
                let size = map.shared_bytes();
                for rank in ranks(warp, tensor.blocks, lane) {
                    may &= self.access(
                        warp,
                        context,
                        &Access { rank, ..access(tensor.shared, size) },
                        may,
                    );
                    if let Some(end) = tensor.barrier.filter(|_| may != 0) {
                        let word = Access { rank, ..access(end, WORD) };
                        may &= self.arrive(warp, context, word, lane);
                    }
                }
            }
            going |= may;
        }
        going
    }

    /// The barrier learns of the bytes that `lane` has copied.
    fn arrive(&mut self, warp: &Warp, context: &BlockContext, access: Access, lane: usize) -> u32 {
        let word = Access { align: WORD, ..access };
        let may = self.access(warp, context, &word, 1 << lane);
        let address = word.address(warp, context, lane);
        if let Some(place) = target(warp, context, word.window, address, WORD) {
            self.order.publish(self.warp, place);
        }
        may
    }
}
