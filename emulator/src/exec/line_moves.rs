//! Moves what the lanes of a line hold from memory to registers and back: words of 4 or 8
//! bytes of each lane, a register for each.
//!
//! As in [`crate::exec::rows`], accesses have to be atomic by the lane's cell: on x86-64 they
//! are vectors in assembly, whose cells are each read or written in one piece.

use crate::exec::lanes::each;
use crate::exec::line::InsideLine;
use crate::exec::rows::Cell;
#[cfg(target_arch = "x86_64")]
use crate::machine::HostVectors;
use crate::machine::{Register, Scalar, lanes, put_part};
use crate::program::Rmw;

/// Reads the words of lanes of `SIZE` bytes, one of them zero-extended where there are 1 or 2;
/// those of lanes that take no part are anything. `N` is 16 only where the machine has AVX-512,
/// and 8 where it has AVX2.
#[inline(always)]
pub(crate) fn read_words<const N: usize, const SIZE: usize, const WORDS: usize>(
    line: &InsideLine,
) -> [Register<u32>; WORDS] {
    let mut words = [Register::default(); WORDS];
    if line.together() {
        for index in 0..WORDS {
            words[index].0 = [read_word::<SIZE>(line, line.last(), index); 32];
        }
        return words;
    }
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        return unsafe {
            if line.mask() == u32::MAX {
                host::read_words::<true, SIZE, WORDS>(line.place(), line.mask())
            } else {
                host::read_words::<false, SIZE, WORDS>(line.place(), line.mask())
            }
        };
    }
    if N == 8 && WORDS == 2 {
        let [doubles] = read_doubles::<N, 1>(line);
        for lane in 0..32 {
            words[0].0[lane] = doubles[lane] as u32;
            words[1].0[lane] = (doubles[lane] >> 32) as u32;
        }
        return words;
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && SIZE < 4 && line.mask() == u32::MAX {
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        words[0] = unsafe {
            if SIZE == 1 { avx2::read_bytes(line.place()) } else { avx2::read_halves(line.place()) }
        };
        return words;
    }
    if WORDS == 1 && line.mask() == u32::MAX {
        words[0] = match SIZE {
            1 => read_row::<N, u8, u32>(line, |cells| cells.map(u32::from)),
            2 => read_row::<N, u16, u32>(line, |cells| cells.map(u32::from)),
            _ => read_row::<N, u32, u32>(line, |cells| cells),
        };
        return words;
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && SIZE == 4 {
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        words[0] = unsafe { avx2::read_words(line.place(), line.mask()) };
        return words;
    }
    for lane in lanes(line.mask()) {
        for index in 0..WORDS {
            words[index].0[lane] = read_word::<SIZE>(line, lane, index);
        }
    }
    words
}

/// Reads a cell of each lane of a full row, eight at a time.
#[inline(always)]
fn read_row<const N: usize, T: Cell, W: Copy + Default>(
    line: &InsideLine,
    widen: impl Fn([T; 8]) -> [W; 8],
) -> Register<W> {
    let size = size_of::<T>();
    // The last lane's cell lies in it, so all do.
    let last = line.cell(31, 0, size);
    let mut values = Register::default();
    for (row, values) in values.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        // SAFETY: `InsideLine::cell` gives a valid, aligned place, and the lanes before lie side by
        // side.
        *values = widen(unsafe { T::load_row::<N>(last.wrapping_sub((31 - 8 * row) * size)) });
    }
    values
}

/// Writes them.
#[inline(always)]
fn write_row<const N: usize, T: Cell, W: Copy>(
    line: &InsideLine,
    values: &[W; 32],
    cut: impl Fn([W; 8]) -> [T; 8],
) {
    let size = size_of::<T>();
    let last = line.cell(31, 0, size);
    for (row, values) in values.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: as in `read_row`.
        unsafe { T::store_row::<N>(last.wrapping_sub((31 - 8 * row) * size), cut(*values)) };
    }
}

/// Writes those of some lanes of a row, eight at once where all of them take part. For AMD's
/// processors with AVX2: a masked vector store takes as long there as a dozen scalar stores.
#[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "no such host"))]
#[inline(always)]
fn write_some<const N: usize, T: Cell>(line: &InsideLine, values: &[T; 32]) {
    let size = size_of::<T>();
    assert_eq!(line.bytes(), size, "a cell is a lane");
    for (row, values) in values.as_chunks::<8>().0.iter().enumerate() {
        let (to, mask) =
            (line.place().wrapping_add(8 * row * size), line.mask() >> (8 * row) & 0xff);
        // SAFETY: the lanes lie side by side, each valid and aligned; `mask` has those that take part.
        unsafe {
            if mask == 0xff {
                T::store_row::<N>(to, *values);
            } else {
                each(mask, |lane| T::store(to.wrapping_add(lane * size), values[lane]));
            }
        }
    }
}

/// Writes words where no other thread of the host changes those between them: each eight are read,
/// and written again with the new ones among them. Gives whether it did: not where the row that
/// they are part of goes beyond the memory, nor without vectors of eight.
#[inline(always)]
pub(crate) fn blend_words<const N: usize>(line: &InsideLine, words: &[u32; 32]) -> bool {
    let Some(row) = line.whole_row().filter(|_| N >= 8) else { return false };
    for (part, words) in words.as_chunks::<8>().0.iter().enumerate() {
        // SAFETY: the whole row is valid, and no other thread of the host has this memory.
        #[allow(clippy::cast_ptr_alignment, reason = "the cells of lanes are aligned")]
        let place = unsafe { &mut *row.wrapping_add(32 * part).cast::<[u32; 8]>() };
        put_part(place, line.mask() >> (8 * part), words);
    }
    true
}

/// Reads word `index` of one lane.
#[inline(always)]
fn read_word<const SIZE: usize>(line: &InsideLine, lane: usize, index: usize) -> u32 {
    let place = line.cell(lane, 4 * index, SIZE.min(4));
    // SAFETY: `InsideLine::cell` gives a valid, aligned place.
    unsafe {
        match SIZE {
            1 => u8::load(place).into(),
            2 => u16::load(place).into(),
            _ => u32::load(place),
        }
    }
}

/// Writes them, the low bytes where there are 1 or 2; of lanes at one place, the last one's.
#[inline(always)]
pub(crate) fn write_words<const N: usize, const SIZE: usize, const WORDS: usize>(
    line: &InsideLine,
    words: &[&[u32; 32]; WORDS],
) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        unsafe {
            if line.mask() == u32::MAX {
                host::write_words::<true, SIZE, WORDS>(line.place(), line.mask(), words);
            } else {
                host::write_words::<false, SIZE, WORDS>(line.place(), line.mask(), words);
            }
        };
        return;
    }
    if N == 8 && WORDS == 2 && !line.together() {
        let mut doubles = Register::default();
        for lane in 0..32 {
            let [low, high] = [words[0][lane], words[1][lane]].map(u64::from);
            doubles[lane] = low | high << 32;
        }
        return write_doubles::<N, 1>(line, &[&doubles.0]);
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && SIZE < 4 && line.mask() == u32::MAX && !line.together() {
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        return unsafe {
            if SIZE == 1 {
                avx2::write_bytes(line.place(), words[0]);
            } else {
                avx2::write_halves(line.place(), words[0]);
            }
        };
    }
    if WORDS == 1 && line.mask() == u32::MAX && !line.together() {
        return match SIZE {
            1 => write_row::<N, u8, u32>(line, words[0], |words| words.map(|word| word as u8)),
            2 => write_row::<N, u16, u32>(line, words[0], |words| words.map(|word| word as u16)),
            _ => write_row::<N, u32, u32>(line, words[0], |words| words),
        };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && SIZE == 4 && !line.together() {
        if HostVectors::amd() {
            return write_some::<N, _>(line, words[0]);
        }
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        return unsafe { avx2::write_words(line.place(), line.mask(), words[0]) };
    }
    each_lane(line, |lane| {
        for index in 0..WORDS {
            let (place, word) = (line.cell(lane, 4 * index, SIZE.min(4)), words[index][lane]);
            // SAFETY: `InsideLine::cell` gives a valid, aligned place.
            unsafe {
                match SIZE {
                    1 => u8::store(place, word as u8),
                    2 => u16::store(place, word as u16),
                    _ => u32::store(place, word),
                }
            }
        }
    });
}

/// As [`read_words`], of 8 bytes each.
#[inline(always)]
pub(crate) fn read_doubles<const N: usize, const COUNT: usize>(
    line: &InsideLine,
) -> [Register<u64>; COUNT] {
    let mut doubles = [Register::default(); COUNT];
    if line.together() {
        for index in 0..COUNT {
            doubles[index].0 = [read_double(line, line.last(), index); 32];
        }
        return doubles;
    }
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        return unsafe {
            if line.mask() == u32::MAX {
                host::read_doubles::<true, COUNT>(line.place(), line.mask())
            } else {
                host::read_doubles::<false, COUNT>(line.place(), line.mask())
            }
        };
    }
    if COUNT == 1 && line.mask() == u32::MAX {
        doubles[0] = read_row::<N, u64, u64>(line, |cells| cells);
        return doubles;
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && COUNT == 1 {
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        doubles[0] = unsafe { avx2::read_doubles(line.place(), line.mask()) };
        return doubles;
    }
    for lane in lanes(line.mask()) {
        for index in 0..COUNT {
            doubles[index].0[lane] = read_double(line, lane, index);
        }
    }
    doubles
}

/// Reads value `index` of 8 bytes of one lane.
#[inline(always)]
fn read_double(line: &InsideLine, lane: usize, index: usize) -> u64 {
    // SAFETY: `InsideLine::cell` gives a valid, aligned place.
    unsafe { u64::load(line.cell(lane, 8 * index, 8)) }
}

/// As [`write_words`], of 8 bytes each.
#[inline(always)]
pub(crate) fn write_doubles<const N: usize, const COUNT: usize>(
    line: &InsideLine,
    doubles: &[&[u64; 32]; COUNT],
) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        unsafe {
            if line.mask() == u32::MAX {
                host::write_doubles::<true, COUNT>(line.place(), line.mask(), doubles);
            } else {
                host::write_doubles::<false, COUNT>(line.place(), line.mask(), doubles);
            }
        };
        return;
    }
    if COUNT == 1 && line.mask() == u32::MAX && !line.together() {
        return write_row::<N, u64, u64>(line, doubles[0], |doubles| doubles);
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 && COUNT == 1 && !line.together() {
        if HostVectors::amd() {
            return write_some::<N, _>(line, doubles[0]);
        }
        // SAFETY: the machine has AVX2, as `N` says, and the lanes lie in a row.
        return unsafe { avx2::write_doubles(line.place(), line.mask(), doubles[0]) };
    }
    each_lane(line, |lane| {
        for index in 0..COUNT {
            // SAFETY: `InsideLine::cell` gives a valid, aligned place.
            unsafe { u64::store(line.cell(lane, 8 * index, 8), doubles[index][lane]) };
        }
    });
}

/// Changes 8 bytes of each lane by `f` with the registers `b` and `c`, and puts the old ones into
/// register `d`; not in one step, for what another host thread may work on. Gives for which lanes
/// nothing changes, if it is a minimum or maximum. `None` where it did nothing: not all lanes are
/// in a row, the machine has no such instructions, or a sum is no number.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no such host"))]
#[inline(always)]
pub(crate) fn change_doubles<const N: usize>(
    line: &InsideLine,
    f: Rmw,
    registers: &mut [[u64; 32]],
    (b, c, d): (usize, usize, Option<usize>),
) -> Option<u32> {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && line.mask() == u32::MAX && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and all lanes lie in a row.
        return unsafe { change::change(f, line.place(), registers, (b, c, d)) };
    }
    None
}

/// Adds the floats of registers `b` and the next to the pairs of the lanes, as global memory does,
/// and puts the old ones into register `d` and the next; not in one step either. Gives whether it
/// did: as [`change_doubles`], and where nothing is flushed.
#[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables, reason = "no such host"))]
#[inline(always)]
pub(crate) fn add_pairs<const N: usize>(
    line: &InsideLine,
    registers: &mut [[u32; 32]],
    (b, d): (usize, Option<usize>),
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && line.mask() == u32::MAX && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and all lanes lie in a row.
        return unsafe { change::add_pairs(line.place(), registers, (b, d)) };
    }
    false
}

/// Calls `each` for the lanes that have to be written: the last alone where all are at one place.
#[inline(always)]
fn each_lane(line: &InsideLine, mut each: impl FnMut(usize)) {
    if line.together() {
        each(line.last());
    } else {
        lanes(line.mask()).for_each(each);
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod change;
#[cfg(target_arch = "x86_64")]
mod host;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::exec::line::Line;
    use crate::machine::Bytes;

    const ROOM: u64 = 600;

    fn filled() -> Bytes {
        let bytes = Bytes::zeroed(ROOM);
        for at in 0..ROOM {
            bytes.store(at, (at * 37 % 251) as u8);
        }
        bytes
    }

    fn all(bytes: &Bytes) -> Vec<u8> {
        (0..ROOM).map(|at| bytes.load(at)).collect()
    }

    /// Lines of lanes of `size` bytes, with the lanes that take part.
    fn each_line(bytes: &Bytes, size: u64, mut each: impl FnMut(&InsideLine, &[u64; 32])) {
        for mask in [u32::MAX, 0x0ff0_1234, 0x8000_0001, 1 << 17] {
            for (first, step) in [(0, size), (5 * size, size), (3 * size, 0)] {
                let addresses = std::array::from_fn(|lane| first + lane as u64 * step);
                let line = Line::find::<4>(&addresses, size, mask).unwrap();
                each(&line.inside(bytes, 0).unwrap(), &addresses);
            }
        }
    }

    fn check_words<const N: usize, const SIZE: usize, const WORDS: usize>() {
        let bytes = filled();
        each_line(&bytes, SIZE as u64, |line, addresses| {
            let words = read_words::<N, SIZE, WORDS>(line);
            for (lane, index) in
                lanes(line.mask()).flat_map(|lane| (0..WORDS).map(move |index| (lane, index)))
            {
                let at = addresses[lane] + 4 * index as u64;
                let bytes = (0..SIZE.min(4) as u64)
                    .map(|byte| u32::from(bytes.load::<u8>(at + byte)) << (8 * byte));
                assert_eq!(words[index].0[lane], bytes.sum::<u32>(), "{lane} {index}");
            }
            let fresh = std::array::from_fn(|index| {
                Register(std::array::from_fn(|lane| (lane * 4 + index) as u32 * 0x0101_0011))
            });
            let before = all(&bytes);
            write_words::<N, SIZE, WORDS>(line, &fresh.each_ref().map(|register| &register.0));
            let mut expected = before.clone();
            for lane in lanes(line.mask()) {
                for at in 0..SIZE {
                    let byte = fresh[at / 4].0[lane].to_le_bytes()[at % 4];
                    expected[addresses[lane] as usize + at] = byte;
                }
            }
            assert_eq!(all(&bytes), expected);
        });
    }

    fn check_doubles<const N: usize, const COUNT: usize>() {
        let bytes = filled();
        each_line(&bytes, 8 * COUNT as u64, |line, addresses| {
            let doubles = read_doubles::<N, COUNT>(line);
            for (lane, index) in
                lanes(line.mask()).flat_map(|lane| (0..COUNT).map(move |index| (lane, index)))
            {
                assert_eq!(
                    doubles[index].0[lane],
                    bytes.load::<u64>(addresses[lane] + 8 * index as u64)
                );
            }
            let fresh = std::array::from_fn(|index| {
                Register(std::array::from_fn(|lane| (lane * 2 + index) as u64 * 0x0101_0011_0077))
            });
            let before = all(&bytes);
            write_doubles::<N, COUNT>(line, &fresh.each_ref().map(|register| &register.0));
            let mut expected = before.clone();
            for lane in lanes(line.mask()) {
                for at in 0..8 * COUNT {
                    let byte = fresh[at / 8].0[lane].to_le_bytes()[at % 8];
                    expected[addresses[lane] as usize + at] = byte;
                }
            }
            assert_eq!(all(&bytes), expected);
        });
    }

    /// Words of some lanes, one by one and blended, against those that [`write_words`] writes.
    fn check_some<const N: usize>() {
        let fresh: [u32; 32] = std::array::from_fn(|lane| lane as u32 * 0x0101_0011);
        let [one_by_one, blended] = [0, 1].map(|_| filled());
        let mut rows = 0;
        each_line(&one_by_one, 4, |line, addresses| {
            if line.together() {
                return;
            }
            write_some::<N, _>(line, &fresh);
            let found = Line::find::<4>(addresses, 4, line.mask()).unwrap();
            let found = found.inside(&blended, 0).unwrap();
            if blend_words::<N>(&found, &fresh) {
                rows += 1;
            } else {
                write_words::<N, 4, 1>(&found, &[&fresh]);
            }
            for lane in lanes(line.mask()) {
                assert_eq!(one_by_one.load::<u32>(addresses[lane]), fresh[lane]);
            }
            assert_eq!(all(&blended), all(&one_by_one));
        });
        assert_eq!(rows > 4, N >= 8, "rows lie within the memory");
    }

    fn check<const N: usize>() {
        check_some::<N>();
        check_words::<N, 1, 1>();
        check_words::<N, 2, 1>();
        check_words::<N, 4, 1>();
        check_words::<N, 8, 2>();
        check_words::<N, 16, 4>();
        check_doubles::<N, 1>();
        check_doubles::<N, 2>();
    }

    #[test]
    fn lines_are_read_and_written_by_the_lane() {
        check::<4>();
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            check::<8>();
        }
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx512bw") {
            check::<16>();
        }
    }
}
