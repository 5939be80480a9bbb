//! When barriers that are words in shared memory (`mbarrier`) let warps go on.

use std::collections::HashMap;

use crate::critical_path::history::Time;
use crate::machine::Warp;
use crate::program::{Kernel, SHARED_WINDOW, Slot};

/// By the address of a barrier: when the last arrival, and the last bytes, came there. Whoever
/// finds its phase at an end has waited for that.
#[derive(Debug, Default)]
pub(crate) struct Arrivals {
    times: HashMap<u64, Time>,
}

/// The address that the first of the lanes gives.
fn address(kernel: &Kernel, warp: &Warp, (a, site): (Slot, u16), mask: u32) -> u64 {
    let lane = mask.trailing_zeros() as usize & 31;
    let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
    let at = warp.regs64[usize::from(a)][lane].wrapping_add(offset);
    // Generic addresses of shared memory are the same places.
    if at >= SHARED_WINDOW { at - SHARED_WINDOW } else { at }
}

impl Arrivals {
    /// Lanes or bytes come to the barrier at `place`, a slot and a site, then.
    pub(crate) fn add(
        &mut self,
        kernel: &Kernel,
        warp: &Warp,
        place: (Slot, u16),
        mask: u32,
        time: Time,
    ) {
        self.times.entry(address(kernel, warp, place, mask)).or_default().later(time);
    }

    /// When the last came to a barrier there; at once if none is there.
    pub(crate) fn at(&self, kernel: &Kernel, warp: &Warp, place: (Slot, u16), mask: u32) -> Time {
        if self.times.is_empty() {
            return Time::default();
        }
        self.times.get(&address(kernel, warp, place, mask)).copied().unwrap_or_default()
    }

    pub(crate) fn clear(&mut self) {
        self.times.clear();
    }

    /// All its times.
    pub(crate) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        self.times.values_mut()
    }
}
