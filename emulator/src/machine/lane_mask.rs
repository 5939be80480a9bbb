//! Masks of the lanes of a warp.

/// The lanes of a mask.
#[inline(always)]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

/// The lanes of a mask that `holds` is true for, as a mask.
pub(crate) fn choose(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}
