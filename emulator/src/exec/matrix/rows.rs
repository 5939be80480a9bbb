//! Rows of 8 x 8 halves that a warp loads, stores or transposes: each lane holds two halves.

use crate::exec::vectors::vectors;
use crate::machine::{Warp, blend};
use crate::program::{Rows, Slot};

/// Where the halves of the words come from that lanes get: of a matrix as it is, and transposed.
/// Half `at % 2` of word `at / 2`, where word `8 * quarter + row` is of a quarter of a row.
const HALVES: [[u16; 64]; 2] = [sources(false), sources(true)];

const fn sources(transposed: bool) -> [u16; 64] {
    let mut table = [0; 64];
    let mut to = 0;
    while to < 64 {
        let (outer, inner) = (to / 8, to % 8);
        let (row, column) = if transposed { (inner, outer) } else { (outer, inner) };
        table[to] = (2 * (8 * (column / 2) + row) + column % 2) as u16;
        to += 1;
    }
    table
}

/// The words whose halves come from these places.
#[inline(always)]
fn permute(words: &[u32; 32], halves: &[u16; 64]) -> [u32; 32] {
    let half = |at: u16| words[usize::from(at / 2) & 31] >> (16 * u32::from(at % 2)) & 0xffff;
    let mut results = [0; 32];
    for lane in 0..32 {
        results[lane] = half(halves[2 * lane]) | half(halves[2 * lane + 1]) << 16;
    }
    results
}

#[cfg(target_arch = "x86_64")]
mod host {
    use std::arch::x86_64::{
        __m256i, __m512i, _mm256_permute2x128_si256, _mm256_permute4x64_epi64, _mm256_setr_epi8,
        _mm256_shuffle_epi8, _mm256_unpackhi_epi32, _mm256_unpackhi_epi64, _mm256_unpacklo_epi32,
        _mm256_unpacklo_epi64, _mm512_permutex2var_epi16,
    };

    /// The same with AVX2, of a matrix as it is or `transposed`.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) fn permute_avx2(words: &[u32; 32], transposed: bool) -> [u32; 32] {
        // SAFETY: the array and the four vectors have one size, and any bits are a value of either.
        let quarters = unsafe { std::mem::transmute::<[u32; 32], [__m256i; 4]>(*words) };
        let [a, b, c, d] = quarters;
        let lanes = if transposed {
            // Of each quarter, a column of lower halves and one of upper ones.
            let apart = _mm256_setr_epi8(
                0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15, //
                0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15,
            );
            let columns = |quarter| {
                _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_shuffle_epi8(quarter, apart))
            };
            [columns(a), columns(b), columns(c), columns(d)]
        } else {
            let low = [_mm256_unpacklo_epi32(a, b), _mm256_unpacklo_epi32(c, d)];
            let high = [_mm256_unpackhi_epi32(a, b), _mm256_unpackhi_epi32(c, d)];
            // Rows 0 and 4, 1 and 5, 2 and 6, 3 and 7.
            let rows = [
                _mm256_unpacklo_epi64(low[0], low[1]),
                _mm256_unpackhi_epi64(low[0], low[1]),
                _mm256_unpacklo_epi64(high[0], high[1]),
                _mm256_unpackhi_epi64(high[0], high[1]),
            ];
            [
                _mm256_permute2x128_si256::<0x20>(rows[0], rows[1]),
                _mm256_permute2x128_si256::<0x20>(rows[2], rows[3]),
                _mm256_permute2x128_si256::<0x31>(rows[0], rows[1]),
                _mm256_permute2x128_si256::<0x31>(rows[2], rows[3]),
            ]
        };
        // SAFETY: as above.
        unsafe { std::mem::transmute::<[__m256i; 4], [u32; 32]>(lanes) }
    }

    /// As [`super::permute`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn permute(words: &[u32; 32], halves: &[u16; 64]) -> [u32; 32] {
        // SAFETY: the arrays and the pairs of vectors have one size, and any bits are a value.
        unsafe {
            let [low, high] = std::mem::transmute::<[u32; 32], [__m512i; 2]>(*words);
            let [first, second] = std::mem::transmute::<[u16; 64], [__m512i; 2]>(*halves);
            std::mem::transmute::<[__m512i; 2], [u32; 32]>([
                _mm512_permutex2var_epi16(low, first, high),
                _mm512_permutex2var_epi16(low, second, high),
            ])
        }
    }
}

/// What lanes hold of the matrix whose rows these words are: of each quarter of the rows, eight.
#[inline(always)]
fn held<const N: usize>(words: &[u32; 32], transposed: bool) -> [u32; 32] {
    #[cfg(target_arch = "x86_64")]
    if N == 16 {
        // SAFETY: the machine has AVX-512, as `N` says.
        return unsafe { host::permute(words, &HALVES[usize::from(transposed)]) };
    }
    #[cfg(target_arch = "x86_64")]
    if N == 8 {
        // SAFETY: the machine has AVX2, as `N` says.
        return unsafe { host::permute_avx2(words, transposed) };
    }
    permute(words, &HALVES[usize::from(transposed)])
}

/// Words of lanes, four of which have a row, as [`held`] takes them.
#[inline(always)]
fn by_quarters(words: &[u32; 32]) -> [u32; 32] {
    let mut quarters = [0; 32];
    for quarter in 0..4 {
        for row in 0..8 {
            quarters[8 * quarter + row] = words[4 * row + quarter];
        }
    }
    quarters
}

vectors! {
    /// Gives the lanes the elements of the rows that they have loaded.
    spread => spread_body(rows: &Rows, warp: &mut Warp, writers: u32)
}

#[inline(always)]
fn spread_body<const N: usize>(rows: &Rows, warp: &mut Warp, writers: u32) {
    let mut results = [[0; 32]; 4];
    for (matrix, results) in results.iter_mut().enumerate().take(rows.registers.len()) {
        let mut words = [0; 32];
        for at in 0..4 {
            for row in 0..8 {
                words[8 * at + row] = warp.regs32[usize::from(rows.words) + at][8 * matrix + row];
            }
        }
        *results = held::<N>(&words, rows.transposed);
    }
    for (&d, results) in rows.registers.iter().zip(&results) {
        blend(&mut warp.regs32[usize::from(d)], writers, results);
    }
}

vectors! {
    /// Turns a matrix round: rows become columns.
    transpose => transpose_body(d: Slot, a: Slot, warp: &mut Warp, writers: u32)
}

#[inline(always)]
fn transpose_body<const N: usize>(d: Slot, a: Slot, warp: &mut Warp, writers: u32) {
    let results = held::<N>(&by_quarters(&warp.regs32[usize::from(a)]), true);
    blend(&mut warp.regs32[usize::from(d)], writers, &results);
}

vectors! {
    /// Gathers the rows that lanes store from the elements that they hold.
    collect => collect_body(rows: &Rows, warp: &mut Warp, writers: u32)
}

#[inline(always)]
fn collect_body<const N: usize>(rows: &Rows, warp: &mut Warp, writers: u32) {
    let mut words = [[0_u32; 32]; 4];
    for (matrix, &register) in rows.registers.iter().enumerate().take(4) {
        let mut held_words = by_quarters(&warp.regs32[usize::from(register)]);
        if rows.transposed {
            held_words = by_quarters(&held::<N>(&held_words, true));
        }
        for at in 0..4 {
            for row in 0..8 {
                words[at][8 * matrix + row] = held_words[8 * at + row];
            }
        }
    }
    // Of rows of one matrix at one address, the first is stored.
    let address = &warp.regs64[usize::from(rows.a)];
    let mut alike = false;
    for matrix in address.as_chunks::<8>().0.iter().take(rows.registers.len()) {
        for apart in 1..8 {
            for row in 0..8 {
                alike |= matrix[row] == matrix[(row + apart) % 8];
            }
        }
    }
    if alike {
        keep_first(&mut words, address);
    }
    for (at, words) in words.iter().enumerate() {
        blend(&mut warp.regs32[usize::from(rows.words) + at], writers, words);
    }
}

#[inline(never)]
fn keep_first(words: &mut [[u32; 32]; 4], address: &[u64; 32]) {
    for lane in (0..32).rev() {
        let same = (lane / 8 * 8..lane).find(|&other| address[other] == address[lane]);
        if let Some(first) = same {
            for words in words.iter_mut() {
                words[lane] = words[first];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    /// The two halves that lane `lane` holds of a matrix: index of the lane that has their row,
    /// of the word in it, and of the half in the word.
    fn halves(lane: usize, matrix: usize, transposed: bool) -> [[usize; 3]; 2] {
        let (outer, inner) = (lane / 4, 2 * (lane % 4));
        [inner, inner + 1].map(|inner| {
            let (row, column) = if transposed { (inner, outer) } else { (outer, inner) };
            [matrix * 8 + row, column / 2, column % 2]
        })
    }

    #[test]
    fn lanes_get_the_halves_of_their_row_or_column() {
        let words: [u32; 32] =
            std::array::from_fn(|at| (at as u32).wrapping_mul(0x9e37_79b9) ^ 0x0102_0408);
        for transposed in [false, true] {
            let table = &super::HALVES[usize::from(transposed)];
            let plain = super::permute(&words, table);
            for lane in 0..32 {
                for (half, [row, at, from]) in halves(lane, 0, transposed).into_iter().enumerate() {
                    let wanted = words[8 * at + row] >> (16 * from) & 0xffff;
                    assert_eq!(plain[lane] >> (16 * half) & 0xffff, wanted, "{lane} {half}");
                }
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512bw") {
                // SAFETY: the machine has AVX-512, as just checked.
                assert_eq!(unsafe { super::host::permute(&words, table) }, plain);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has AVX2, as just checked.
                assert_eq!(unsafe { super::host::permute_avx2(&words, transposed) }, plain);
            }
        }
    }
}
