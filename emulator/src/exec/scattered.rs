//! Loads and stores whose lanes lie anywhere in one allocation, the one that the site went to
//! before, or in the block's shared memory. What goes elsewhere, or wrong, takes the long way of
//! [`crate::exec::transfer`].

use crate::exec::lanes::FULL;
use crate::exec::transfer::{count_access, gather_cells, scatter_cells};
use crate::exec::vectors::vectors;
use crate::machine::{AllLanes, BlockContext, Bytes, LaneAddresses, Tallies, Warp};
use crate::program::{CLUSTER_WINDOW_BYTES, Kernel, SHARED_WINDOW, Transfer, Window};

/// What the lanes of an access may all go to.
pub(crate) struct Target<'c> {
    pub(crate) bytes: &'c Bytes,
    /// The site's address at which it begins.
    pub(crate) origin: u64,
    /// Index of the allocation; `None` for shared memory.
    pub(crate) allocation: Option<usize>,
    /// Whether only this host thread works on it.
    pub(crate) alone: bool,
    pub(crate) kernel: &'c Kernel,
    pub(crate) tallies: &'c mut Tallies,
}

impl<'c> Target<'c> {
    /// What the lanes of `mask`, at addresses in `base`, go to if they go where the first does.
    #[inline(always)]
    pub(crate) fn find(
        context: &'c mut BlockContext,
        (window, site): (Window, u16),
        base: &[u64; 32],
        mask: u32,
    ) -> Option<Self> {
        let BlockContext { kernel, memory, shared, peers, tallies, found, alone, .. } = context;
        let site = usize::from(site);
        let offset = kernel.sites[site].offset.cast_unsigned();
        let in_window = || {
            let first = base[mask.trailing_zeros() as usize & 31].wrapping_add(offset);
            first.wrapping_sub(SHARED_WINDOW) < CLUSTER_WINDOW_BYTES
        };
        let (bytes, start, allocation) = if window == Window::Shared {
            (&*shared, peers.own(), None)
        } else if window == Window::Generic && in_window() {
            (&*shared, SHARED_WINDOW + peers.own(), None)
        } else {
            let allocation = memory.get(found[site])?;
            (&allocation.bytes, allocation.base, Some(found[site]))
        };
        let (origin, alone) = (start.wrapping_sub(offset), *alone || allocation.is_none());
        Some(Self { bytes, origin, allocation, alone, kernel, tallies })
    }

    /// Counts a load or store of `size` bytes.
    #[inline(always)]
    fn count(&mut self, places: &LaneAddresses, (size, site): (u32, u16)) {
        let tally = &mut self.tallies.sites[usize::from(site)];
        count_access(self.kernel, tally, places, self.allocation.is_some(), (size, site));
    }
}

/// Finds and counts what all lanes access, each `T`.
#[inline(always)]
fn all<'a, const N: usize, T>(
    context: &'a mut BlockContext,
    op: &Transfer,
    base: &'a [u64; 32],
) -> Option<AllLanes<'a>> {
    let mut target = Target::find(context, (op.window, op.site), base, FULL)?;
    let size = size_of::<T>() as u32;
    let all = AllLanes::find::<N>(base, target.origin, (target.bytes, size))?;
    target.count(all.places(), (size, op.site));
    Some(all)
}

/// The commonest: a register of one width, by a full warp.
macro_rules! whole {
    ($ty:ty, $file:ident, $name:ident, $body:ident) => {
        vectors! {
            /// As [`transfer`], of one value of each lane of a full warp.
            $name => $body(
                warp: &mut Warp, context: &mut BlockContext, op: &Transfer, loads: bool,
            ) -> bool
        }

        #[inline(always)]
        fn $body<const N: usize>(
            warp: &mut Warp,
            context: &mut BlockContext,
            op: &Transfer,
            loads: bool,
        ) -> bool {
            let base = &warp.regs64[usize::from(op.a)];
            let Some(all) = all::<N, $ty>(context, op, base) else { return false };
            if loads {
                warp.$file[usize::from(op.slot)] = all.load::<N, $ty>();
            } else {
                all.store(&warp.$file[usize::from(op.slot)]);
            }
            true
        }
    };
}

whole!(u32, regs32, words, words_body);
whole!(u64, regs64, doubles, doubles_body);

vectors! {
    /// Carries out a load, or a store that is not watched, if its lanes lie so; gives whether they
    /// do.
    transfer => transfer_body(
        warp: &mut Warp, context: &mut BlockContext, op: &Transfer, mask: u32, loads: bool,
    ) -> bool
}

#[inline(always)]
fn transfer_body<const N: usize>(
    warp: &mut Warp,
    context: &mut BlockContext,
    op: &Transfer,
    mask: u32,
    loads: bool,
) -> bool {
    let (base, size) = (&warp.regs64[usize::from(op.a)], op.bytes());
    let Some(mut target) = Target::find(context, (op.window, op.site), base, mask) else {
        return false;
    };
    let (origin, within) = (target.origin, (target.bytes, size));
    let mut places = LaneAddresses::unset();
    let Some(checked) = places.enter::<N>(base, origin, mask, within) else { return false };
    target.count(checked.places(), (size, op.site));
    if loads {
        gather_cells::<N>(warp, &checked, *op, mask);
    } else {
        scatter_cells(warp, &checked, *op);
    }
    true
}
