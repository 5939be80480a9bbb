//! Copies of many bytes by one thread, as accesses of that thread.

use crate::machine::{BlockContext, Warp, lanes};
use crate::program::{Bulk, Cell, End};
use crate::sanitizer::access::{Access, target};
use crate::sanitizer::monitor::Monitor;

/// Bytes of the word of a barrier.
const WORD: u64 = 8;

/// Addresses of copies are multiples of this.
const UNIT: u64 = 16;

/// An access of one end of a copy.
fn access(end: End, size: u64) -> Access {
    let End { window, a, site } = end;
    Access { window, size, align: UNIT, a, site, value: None, returns: false }
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
        let Bulk { to, from, bytes, barrier, .. } = context.kernel.bulks[usize::from(index)];
        let mut going = 0;
        for lane in lanes(mask) {
            let size = u64::from(warp.regs32[usize::from(bytes)][lane]);
            let mut may = 1 << lane;
            for end in [from, to] {
                may &= self.access(warp, context, &access(end, size), may);
            }
            if let Some(end) = barrier.filter(|_| may != 0) {
                let word = Access { align: WORD, ..access(end, Cell::B64.bytes().into()) };
                may &= self.access(warp, context, &word, may);
                let offset = context.kernel.sites[usize::from(end.site)].offset.cast_unsigned();
                let address = warp.regs64[usize::from(end.a)][lane].wrapping_add(offset);
                if let Some(place) = target(warp, context, end.window, address, WORD) {
                    self.order.publish(self.warp, place);
                }
            }
            going |= may;
        }
        going
    }
}
