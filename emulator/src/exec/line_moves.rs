//! Moves what the lanes of a line hold from memory to registers and back: words of 4 or 8
//! bytes of each lane, a register for each.
//!
//! As in [`crate::exec::rows`], accesses have to be atomic by the lane's cell: on x86-64 they
//! are vectors in assembly, whose cells are each read or written in one piece.

use crate::exec::line::InsideLine;
use crate::machine::{Register, Scalar, lanes};

/// Reads the words of lanes of `SIZE` bytes, one of them zero-extended where there are 1 or 2;
/// those of lanes that take no part are anything. `N` is 16 only where the machine has AVX-512.
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
        return unsafe { host::read_words::<SIZE, WORDS>(line.place(), line.mask()) };
    }
    for lane in lanes(line.mask()) {
        for index in 0..WORDS {
            words[index].0[lane] = read_word::<SIZE>(line, lane, index);
        }
    }
    words
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
    words: &[Register<u32>; WORDS],
) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        unsafe { host::write_words::<SIZE, WORDS>(line.place(), line.mask(), words) };
        return;
    }
    each_lane(line, |lane| {
        for index in 0..WORDS {
            let (place, word) = (line.cell(lane, 4 * index, SIZE.min(4)), words[index].0[lane]);
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
        return unsafe { host::read_doubles::<COUNT>(line.place(), line.mask()) };
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
    doubles: &[Register<u64>; COUNT],
) {
    #[cfg(target_arch = "x86_64")]
    if N == 16 && !line.together() {
        // SAFETY: the machine has AVX-512, as `N` says, and the lanes lie in a row.
        unsafe { host::write_doubles::<COUNT>(line.place(), line.mask(), doubles) };
        return;
    }
    each_lane(line, |lane| {
        for index in 0..COUNT {
            // SAFETY: `InsideLine::cell` gives a valid, aligned place.
            unsafe { u64::store(line.cell(lane, 8 * index, 8), doubles[index].0[lane]) };
        }
    });
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
mod host {
    use std::arch::asm;
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_castsi128_si256, _mm256_castsi256_si128, _mm256_extracti128_si256,
        _mm256_inserti128_si256, _mm512_castsi256_si512, _mm512_castsi512_si256,
        _mm512_cvtepi32_epi8, _mm512_cvtepi32_epi16, _mm512_cvtepu8_epi32, _mm512_cvtepu16_epi32,
        _mm512_extracti64x4_epi64, _mm512_inserti64x4, _mm512_permutex2var_epi32,
        _mm512_permutex2var_epi64, _mm512_setr_epi32, _mm512_setr_epi64, _mm512_setzero_si512,
        _pdep_u32,
    };

    use crate::machine::Register;

    /// Which of the 16 words of vector `index` belong to lanes of `mask`, of `words` each.
    #[inline]
    #[target_feature(enable = "bmi2")]
    fn chosen(mask: u32, words: usize, index: usize) -> u16 {
        match words {
            1 => (mask >> (16 * index)) as u16,
            2 => _pdep_u32(mask >> (8 * index), 0x5555) as u16 * 3,
            _ => _pdep_u32(mask >> (4 * index), 0x1111) as u16 * 15,
        }
    }

    /// Reads `VECTORS` vectors of words, those of lanes of `mask`, each of which has half as
    /// many; the others are 0.
    ///
    /// # Safety
    /// The lanes of `mask` can be read, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,bmi2")]
    unsafe fn read<const VECTORS: usize>(from: *const u8, mask: u32) -> [__m512i; VECTORS] {
        let mut vectors = [_mm512_setzero_si512(); VECTORS];
        for (index, vector) in vectors.iter_mut().enumerate() {
            // SAFETY: the caller promises the lanes, and no others are read. Every cell is
            // aligned, so each is read in one piece.
            unsafe {
                asm!(
                    "vmovdqu32 {vector}{{{mask}}}{{z}}, [{from}]", vector = out(zmm_reg) *vector,
                    mask = in(kreg) chosen(mask, VECTORS / 2, index),
                    from = in(reg) from.wrapping_add(64 * index),
                    options(nostack, readonly, preserves_flags)
                );
            }
        }
        vectors
    }

    /// Writes them.
    ///
    /// # Safety
    /// The lanes of `mask` can be written, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,bmi2")]
    unsafe fn write<const VECTORS: usize>(to: *mut u8, mask: u32, vectors: [__m512i; VECTORS]) {
        for (index, vector) in vectors.into_iter().enumerate() {
            let to = to.wrapping_add(64 * index);
            // SAFETY: the caller promises the lanes, and no others are written. Every cell is
            // aligned, so each is written in one piece.
            unsafe {
                if mask == u32::MAX {
                    asm!(
                        "vmovdqu32 [{to}], {vector}", vector = in(zmm_reg) vector,
                        to = in(reg) to, options(nostack, preserves_flags)
                    );
                } else {
                    asm!(
                        "vmovdqu32 [{to}]{{{mask}}}, {vector}", vector = in(zmm_reg) vector,
                        mask = in(kreg) chosen(mask, VECTORS / 2, index), to = in(reg) to,
                        options(nostack, preserves_flags)
                    );
                }
            }
        }
    }

    /// The words of two vectors at even places, and those at odd ones.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn apart(a: __m512i, b: __m512i) -> [__m512i; 2] {
        let even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
        let odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
        [_mm512_permutex2var_epi32(a, even, b), _mm512_permutex2var_epi32(a, odd, b)]
    }

    /// The words of two vectors in turn: what [`apart`] took apart.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn in_turn(a: __m512i, b: __m512i) -> [__m512i; 2] {
        let low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
        let high = _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        [_mm512_permutex2var_epi32(a, low, b), _mm512_permutex2var_epi32(a, high, b)]
    }

    /// As [`apart`], of 8 bytes each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn doubles_apart(a: __m512i, b: __m512i) -> [__m512i; 2] {
        let even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
        let odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
        [_mm512_permutex2var_epi64(a, even, b), _mm512_permutex2var_epi64(a, odd, b)]
    }

    /// As [`in_turn`], of 8 bytes each.
    #[inline]
    #[target_feature(enable = "avx512f")]
    fn doubles_in_turn(a: __m512i, b: __m512i) -> [__m512i; 2] {
        let low = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
        let high = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
        [_mm512_permutex2var_epi64(a, low, b), _mm512_permutex2var_epi64(a, high, b)]
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn words(vectors: [__m512i; 2]) -> Register<u32> {
        // SAFETY: a pair of vectors of 16 words and a register have one size, and any bits are
        // a value of either.
        unsafe { std::mem::transmute(vectors) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn vectors(words: &Register<u32>) -> [__m512i; 2] {
        // SAFETY: as in `words`.
        unsafe { std::mem::transmute(*words) }
    }

    /// As [`super::read_words`], of lanes in a row.
    ///
    /// # Safety
    /// The lanes of `mask` can be read, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    pub(super) unsafe fn read_words<const SIZE: usize, const WORDS: usize>(
        from: *const u8,
        mask: u32,
    ) -> [Register<u32>; WORDS] {
        let mut all = [Register::default(); WORDS];
        match SIZE {
            1 => {
                let bytes: __m256i;
                // SAFETY: the caller promises the lanes, and no others are read.
                unsafe {
                    asm!(
                        "vmovdqu8 {bytes}{{{mask}}}{{z}}, [{from}]", bytes = out(ymm_reg) bytes,
                        mask = in(kreg) mask, from = in(reg) from,
                        options(nostack, readonly, preserves_flags)
                    );
                }
                all[0] = words([
                    _mm512_cvtepu8_epi32(_mm256_castsi256_si128(bytes)),
                    _mm512_cvtepu8_epi32(_mm256_extracti128_si256::<1>(bytes)),
                ]);
            }
            2 => {
                let halves: __m512i;
                // SAFETY: as above; every cell is aligned, so each is read in one piece.
                unsafe {
                    asm!(
                        "vmovdqu16 {halves}{{{mask}}}{{z}}, [{from}]", halves = out(zmm_reg) halves,
                        mask = in(kreg) mask, from = in(reg) from,
                        options(nostack, readonly, preserves_flags)
                    );
                }
                all[0] = words([
                    _mm512_cvtepu16_epi32(_mm512_castsi512_si256(halves)),
                    _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64::<1>(halves)),
                ]);
            }
            4 => {
                // SAFETY: as the caller promises.
                all[0] = words(unsafe { read::<2>(from, mask) });
            }
            8 => {
                // SAFETY: as the caller promises.
                let [a, b, c, d] = unsafe { read::<4>(from, mask) };
                let (low, high) = (apart(a, b), apart(c, d));
                for index in 0..WORDS {
                    all[index] = words([low[index], high[index]]);
                }
            }
            _ => {
                // SAFETY: as the caller promises.
                let [a, b, c, d, e, f, g, h] = unsafe { read::<8>(from, mask) };
                // Words 0 and 2 of eight lanes in turn, and words 1 and 3.
                let eights = [apart(a, b), apart(c, d), apart(e, f), apart(g, h)];
                for odd in 0..2 {
                    let low = apart(eights[0][odd], eights[1][odd]);
                    let high = apart(eights[2][odd], eights[3][odd]);
                    for half in 0..WORDS / 2 {
                        all[2 * half + odd] = words([low[half], high[half]]);
                    }
                }
            }
        }
        all
    }

    /// As [`super::write_words`], of lanes in a row.
    ///
    /// # Safety
    /// The lanes of `mask` can be written, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,bmi2")]
    pub(super) unsafe fn write_words<const SIZE: usize, const WORDS: usize>(
        to: *mut u8,
        mask: u32,
        all: &[Register<u32>; WORDS],
    ) {
        let [low, high] = vectors(&all[0]);
        match SIZE {
            1 => {
                let [low, high] = [_mm512_cvtepi32_epi8(low), _mm512_cvtepi32_epi8(high)];
                let bytes = _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(low), high);
                // SAFETY: the caller promises the lanes, and no others are written.
                unsafe {
                    asm!(
                        "vmovdqu8 [{to}]{{{mask}}}, {bytes}", bytes = in(ymm_reg) bytes,
                        mask = in(kreg) mask, to = in(reg) to, options(nostack, preserves_flags)
                    );
                }
            }
            2 => {
                let [low, high] = [_mm512_cvtepi32_epi16(low), _mm512_cvtepi32_epi16(high)];
                let halves = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high);
                // SAFETY: as above; every cell is aligned, so each is written in one piece.
                unsafe {
                    asm!(
                        "vmovdqu16 [{to}]{{{mask}}}, {halves}", halves = in(zmm_reg) halves,
                        mask = in(kreg) mask, to = in(reg) to, options(nostack, preserves_flags)
                    );
                }
            }
            // SAFETY: as the caller promises.
            4 => unsafe { write(to, mask, [low, high]) },
            8 => {
                let [other_low, other_high] = vectors(&all[1 % WORDS]);
                let ([a, b], [c, d]) = (in_turn(low, other_low), in_turn(high, other_high));
                // SAFETY: as the caller promises.
                unsafe { write(to, mask, [a, b, c, d]) };
            }
            _ => {
                let [b_low, b_high] = vectors(&all[1 % WORDS]);
                let [c_low, c_high] = vectors(&all[2 % WORDS]);
                let [d_low, d_high] = vectors(&all[3 % WORDS]);
                let (even, odd) = (in_turn(low, c_low), in_turn(b_low, d_low));
                let ([a, b], [c, d]) = (in_turn(even[0], odd[0]), in_turn(even[1], odd[1]));
                let (even, odd) = (in_turn(high, c_high), in_turn(b_high, d_high));
                let ([e, f], [g, h]) = (in_turn(even[0], odd[0]), in_turn(even[1], odd[1]));
                // SAFETY: as the caller promises.
                unsafe { write(to, mask, [a, b, c, d, e, f, g, h]) };
            }
        }
    }

    /// As [`super::read_doubles`], of lanes in a row.
    ///
    /// # Safety
    /// The lanes of `mask` can be read, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,bmi2")]
    pub(super) unsafe fn read_doubles<const COUNT: usize>(
        from: *const u8,
        mask: u32,
    ) -> [Register<u64>; COUNT] {
        let mut all = [Register::default(); COUNT];
        if COUNT == 1 {
            // SAFETY: as the caller promises.
            all[0] = doubles(unsafe { read::<4>(from, mask) });
        } else {
            // SAFETY: as the caller promises.
            let [a, b, c, d, e, f, g, h] = unsafe { read::<8>(from, mask) };
            let (a, b, c, d) = (
                doubles_apart(a, b),
                doubles_apart(c, d),
                doubles_apart(e, f),
                doubles_apart(g, h),
            );
            for index in 0..COUNT {
                let half = index % 2;
                all[index] = doubles([a[half], b[half], c[half], d[half]]);
            }
        }
        all
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn doubles(vectors: [__m512i; 4]) -> Register<u64> {
        // SAFETY: four vectors of 8 and a register have one size, and any bits are a value of
        // either.
        unsafe { std::mem::transmute(vectors) }
    }

    #[inline]
    #[target_feature(enable = "avx512f")]
    fn quarters(doubles: &Register<u64>) -> [__m512i; 4] {
        // SAFETY: as in `doubles`.
        unsafe { std::mem::transmute(*doubles) }
    }

    /// As [`super::write_doubles`], of lanes in a row.
    ///
    /// # Safety
    /// The lanes of `mask` can be written, and are aligned.
    #[inline]
    #[target_feature(enable = "avx512f,bmi2")]
    pub(super) unsafe fn write_doubles<const COUNT: usize>(
        to: *mut u8,
        mask: u32,
        doubles: &[Register<u64>; COUNT],
    ) {
        let [a, b, c, d] = quarters(&doubles[0]);
        if COUNT == 1 {
            // SAFETY: as the caller promises.
            return unsafe { write(to, mask, [a, b, c, d]) };
        }
        let [e, f, g, h] = quarters(&doubles[1 % COUNT]);
        let ([a, e], [b, f]) = (doubles_in_turn(a, e), doubles_in_turn(b, f));
        let ([c, g], [d, h]) = (doubles_in_turn(c, g), doubles_in_turn(d, h));
        // SAFETY: as the caller promises.
        unsafe { write(to, mask, [a, e, b, f, c, g, d, h]) };
    }
}

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
            write_words::<N, SIZE, WORDS>(line, &fresh);
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
            write_doubles::<N, COUNT>(line, &fresh);
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

    fn check<const N: usize>() {
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
        if std::arch::is_x86_feature_detected!("avx512bw") {
            check::<16>();
        }
    }
}
