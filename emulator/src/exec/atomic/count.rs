//! What atomics of a warp cost.

use crate::cost::{Way, access, atomic};
use crate::exec::atomic::apply::each_function;
use crate::exec::lanes::those;
use crate::exec::vectors::vectors;
use crate::lane::Word;
use crate::machine::lane_keys::distinct;
use crate::machine::{Checked, LaneAddresses, Tallies, Warp, lanes};
use crate::program::{Cell, Combines, Kernel, Rmw, Update};

/// Whether the machine code sends one atomic for all lanes.
#[inline(always)]
pub(super) fn one_for_all(kernel: &Kernel, places: &LaneAddresses, site: u16) -> bool {
    match kernel.sites[usize::from(site)].combines {
        Combines::Never => false,
        Combines::Always => places.together(),
        Combines::WholeWarp => places.mask() == u32::MAX && places.together(),
    }
}

/// Counts an atomic on shared memory, before it is carried out. The lanes that `kept` gives will
/// leave a 64-bit value as it is.
#[inline(always)]
pub(super) fn count_shared<const N: usize>(
    kernel: &Kernel,
    tallies: &mut Tallies,
    places: &LaneAddresses,
    op: Update,
    (one, kept): (bool, impl FnOnce() -> u32),
) {
    if one {
        let tally = &mut tallies.sites[usize::from(op.site)];
        tally.shared += 1;
        tally.wavefronts += 1;
        return;
    }
    let way = Way::of(op.f, op.cell, kernel.sites[usize::from(op.site)].increments);
    let cost = if way.loops() {
        let kept = if op.cell == Cell::B64 { kept() } else { 0 };
        looped::<N>(places, op.bytes(), way, kept)
    } else {
        atomic::cost(places, op.bytes(), way)
    };
    let tally = &mut tallies.sites[usize::from(op.site)];
    tally.shared += 1;
    tally.wavefronts += u64::from(cost.atomic);
    tally.loop_loads += u64::from(cost.loads);
}

vectors! {
    /// What loops cost.
    looped => looped_body(places: &LaneAddresses, size: u32, way: Way, kept: u32) -> atomic::Cost
}

#[inline(always)]
fn looped_body<const N: usize>(
    places: &LaneAddresses,
    size: u32,
    way: Way,
    kept: u32,
) -> atomic::Cost {
    atomic::looped(places, size, way, kept)
}

vectors! {
    /// The lanes that will leave a 64-bit value as it is.
    kept => kept_body(checked: &Checked, warp: &Warp, op: Update) -> u32
}

#[inline(always)]
fn kept_body<const N: usize>(checked: &Checked, warp: &Warp, op: Update) -> u32 {
    let (b, c) = (&warp.regs64[usize::from(op.b)], &warp.regs64[usize::from(op.c)]);
    let offsets = checked.places().offsets();
    if op.f == Rmw::Add {
        return those::<N>(|lane| b[lane] == 0) & checked.places().mask();
    }
    let mut values: [u64; 32] = checked.load::<N, u64>(0);
    let mut kept = 0;
    if distinct(offsets, 0) == 32 {
        each_function!(op.f, F, {
            for lane in 0..32 {
                let new = u64::rmw(F, values[lane], b[lane], c[lane]);
                kept |= u32::from(values[lane] == new) << lane;
            }
        });
        return kept & checked.places().mask();
    }
    checked.each(|lane| {
        let old = values[lane];
        let new = u64::rmw(op.f, old, b[lane], c[lane]);
        kept |= u32::from(old == new) << lane;
        for other in lane..32 {
            if offsets[other] == offsets[lane] {
                values[other] = new;
            }
        }
    });
    kept
}

/// Counts an atomic on global memory. Gives whether each lane goes to a place of its own.
#[inline(always)]
pub(super) fn count_global(
    tallies: &mut Tallies,
    places: &LaneAddresses,
    allocation: usize,
    site: u16,
    one: bool,
) -> bool {
    if one {
        tallies.atomic_passes(allocation, places.sector(0), 1);
        let tally = &mut tallies.sites[usize::from(site)];
        for count in [
            &mut tally.global,
            &mut tally.global_lanes,
            &mut tally.sectors,
            &mut tally.passes,
            &mut tally.addresses,
            &mut tally.deepest,
        ] {
            *count += 1;
        }
        return false;
    }
    let meeting = access::meeting(places);
    let sectors = u64::from(meeting.touched.count_ones());
    let mut passes = sectors;
    let mut chunks = tallies.atomics_on(allocation);
    chunks.add_each(places, (meeting.touched, meeting.apart));
    for lane in lanes(meeting.crowded) {
        passes += u64::from(meeting.more[lane]);
        chunks.add(places.sector(lane), meeting.more[lane]);
    }
    let tally = &mut tallies.sites[usize::from(site)];
    tally.global += 1;
    tally.global_lanes += u64::from(places.mask().count_ones());
    tally.sectors += sectors;
    tally.passes += passes;
    tally.addresses += u64::from(meeting.addresses);
    tally.deepest += u64::from(meeting.deepest);
    meeting.deepest == 1
}
