//! Masks of the lanes of a warp.

/// The lanes of a mask.
pub(crate) fn lanes(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// The lanes of a mask that `holds` is true for, as a mask.
pub(crate) fn choose(mask: u32, holds: impl Fn(usize) -> bool) -> u32 {
    lanes(mask).filter(|&lane| holds(lane)).fold(0, |all, lane| all | 1 << lane)
}
