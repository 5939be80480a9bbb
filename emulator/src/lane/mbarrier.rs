//! The word of a barrier in shared memory (`mbarrier`), as an H200 keeps it.
//!
//! Bit 63 is the parity of the phase. Bits 43 to 62 hold minus the arrivals that the phase
//! still waits for, bits 21 to 41 minus its bytes, bits 1 to 20 minus the arrivals of the next
//! phase. A phase ends when the first two are zero.

use crate::program::{PHASE, Rmw};

/// The lowest bit of the arrivals of a phase.
pub(crate) const PENDING: u32 = 43;

/// Most arrivals that a phase can wait for.
pub(crate) const MOST: u64 = (1 << 20) - 1;
const BYTES: u32 = 21;
const NEXT: u32 = 1;
const COUNT_MASK: u64 = MOST;
const BYTES_MASK: u64 = (1 << 21) - 1;

/// The arrivals that are missing.
pub(crate) fn pending(word: u64) -> u64 {
    0_u64.wrapping_sub(word >> PENDING) & COUNT_MASK
}

/// Adds to a field, without a carry into the next.
fn add(word: u64, at: u32, mask: u64, value: u64) -> u64 {
    word & !(mask << at) | ((word >> at).wrapping_add(value) & mask) << at
}

/// Goes on to the next phase where this one has ended.
fn settled(word: u64) -> u64 {
    if word >> PENDING & COUNT_MASK != 0 || word >> BYTES & BYTES_MASK != 0 {
        return word;
    }
    let next = word >> NEXT & COUNT_MASK;
    (word ^ 1 << PHASE) | next << PENDING
}

/// What an arrival, or bytes that are expected or have come, make of a barrier.
pub(crate) trait Arrivals {
    /// `b` is the number of arrivals or bytes, `c` the bytes that an arrival expects.
    fn arrivals(self, f: Rmw, b: Self, c: Self) -> Self;
}

impl Arrivals for u64 {
    fn arrivals(self, f: Rmw, b: Self, c: Self) -> Self {
        let expect = |word, bytes: u64| add(word, BYTES, BYTES_MASK, 0_u64.wrapping_sub(bytes));
        match f {
            Rmw::Arrive => settled(add(expect(self, c), PENDING, COUNT_MASK, b)),
            Rmw::ArriveDrop => {
                let fewer = add(expect(self, c), NEXT, COUNT_MASK, b);
                settled(add(fewer, PENDING, COUNT_MASK, b))
            }
            Rmw::ExpectBytes => expect(self, b),
            _ => settled(add(self, BYTES, BYTES_MASK, b)),
        }
    }
}

impl Arrivals for u32 {
    /// There are no such barriers of 32 bits.
    fn arrivals(self, _: Rmw, _: Self, _: Self) -> Self {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::{NEW_BARRIER, PER_ARRIVAL};

    fn new(count: u64) -> u64 {
        NEW_BARRIER.wrapping_add(count.wrapping_mul(PER_ARRIVAL))
    }

    #[test]
    fn words_are_those_of_an_h200() {
        // What `mbarrier.arrive` gave back, which has the high half of the word.
        assert_eq!(new(1) >> 32, 0x7fff_f800);
        assert_eq!(new(100) >> 32, 0x7ffc_e000);
        assert_eq!(new(0xf_ffff) >> 32, 0x0000_0800);
        assert_eq!(new(2).arrivals(Rmw::ExpectBytes, 256, 0) >> 32, 0x7fff_f3ff);
    }

    #[test]
    fn a_phase_ends_when_arrivals_and_bytes_have_come() {
        let word = new(2).arrivals(Rmw::Arrive, 1, 64);
        assert_eq!((pending(word), word >> PHASE), (1, 0));
        let word = word.arrivals(Rmw::Arrive, 1, 0);
        assert_eq!((pending(word), word >> PHASE), (0, 0));
        let word = word.arrivals(Rmw::CompleteBytes, 60, 0).arrivals(Rmw::CompleteBytes, 4, 0);
        assert_eq!((pending(word), word >> PHASE), (2, 1));
        // Who drops out is not waited for in the next phase either.
        let word = word.arrivals(Rmw::ArriveDrop, 1, 0).arrivals(Rmw::Arrive, 1, 0);
        assert_eq!((pending(word), word >> PHASE), (1, 0));
    }

    #[test]
    fn bytes_may_come_before_they_are_expected() {
        let early = new(1).arrivals(Rmw::CompleteBytes, 32, 0);
        assert_eq!(early >> PHASE, 0);
        assert_eq!(early.arrivals(Rmw::Arrive, 1, 32) >> PHASE, 1);
    }
}
