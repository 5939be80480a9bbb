//! The same function of 32 lanes, a few lanes at a time: `N` of them are read,
//! computed and written back before the next, so that they stay in vector
//! registers and an op may write what it reads.

mod signs;

use crate::machine::put_part;
use crate::program::Slot;
use signs::signs;

/// Every lane.
pub(crate) const FULL: u32 = u32::MAX;

/// Lanes `part * N` and on of a register.
#[inline(always)]
pub(crate) fn get<A: Copy, const N: usize>(file: &[[A; 32]], slot: Slot, part: usize) -> [A; N] {
    file[usize::from(slot)].as_chunks::<N>().0[part]
}

/// Writes them, where `ALL` or `mask` says so.
#[inline(always)]
pub(crate) fn put<D: Copy, const N: usize, const ALL: bool>(
    file: &mut [[D; 32]],
    slot: Slot,
    part: usize,
    mask: u32,
    values: [D; N],
) {
    let d = &mut file[usize::from(slot)].as_chunks_mut::<N>().0[part];
    if ALL {
        *d = values;
    } else {
        put_part(d, mask >> (part * N), &values);
    }
}

/// Runs its body for every part, with `ALL` as the mask allows.
macro_rules! parts {
    ($n:ident, $mask:expr, $part:ident, $all:ident, $body:block) => {
        if $mask == $crate::exec::lanes::FULL {
            const $all: bool = true;
            for $part in 0..32 / $n {
                $body
            }
        } else {
            const $all: bool = false;
            for $part in 0..32 / $n {
                $body
            }
        }
    };
}

/// `d = f(a)`.
#[inline(always)]
pub(crate) fn map1<const N: usize, W: Copy>(
    file: &mut [[W; 32]],
    [d, a]: [Slot; 2],
    mask: u32,
    f: impl Fn(W) -> W,
) {
    parts!(N, mask, part, ALL, {
        let mut values: [W; N] = get(file, a, part);
        for value in &mut values {
            *value = f(*value);
        }
        put::<W, N, ALL>(file, d, part, mask, values);
    });
}

/// `d = f(a, b)`.
#[inline(always)]
pub(crate) fn map2<const N: usize, W: Copy>(
    file: &mut [[W; 32]],
    [d, a, b]: [Slot; 3],
    mask: u32,
    f: impl Fn(W, W) -> W,
) {
    parts!(N, mask, part, ALL, {
        let mut values: [W; N] = get(file, a, part);
        let b: [W; N] = get(file, b, part);
        for lane in 0..N {
            values[lane] = f(values[lane], b[lane]);
        }
        put::<W, N, ALL>(file, d, part, mask, values);
    });
}

/// `d = f(a, b, c)`.
#[inline(always)]
pub(crate) fn map3<const N: usize, W: Copy>(
    file: &mut [[W; 32]],
    [d, a, b, c]: [Slot; 4],
    mask: u32,
    f: impl Fn(W, W, W) -> W,
) {
    parts!(N, mask, part, ALL, {
        let mut values: [W; N] = get(file, a, part);
        let b: [W; N] = get(file, b, part);
        let c: [W; N] = get(file, c, part);
        for lane in 0..N {
            values[lane] = f(values[lane], b[lane], c[lane]);
        }
        put::<W, N, ALL>(file, d, part, mask, values);
    });
}

/// `d = f(a)`, from one file of registers to the other.
#[inline(always)]
pub(crate) fn cross<const N: usize, A: Copy, D: Copy + Default>(
    from: &[[A; 32]],
    to: &mut [[D; 32]],
    [d, a]: [Slot; 2],
    mask: u32,
    f: impl Fn(A) -> D,
) {
    parts!(N, mask, part, ALL, {
        let a: [A; N] = get(from, a, part);
        let mut values = [D::default(); N];
        for lane in 0..N {
            values[lane] = f(a[lane]);
        }
        put::<D, N, ALL>(to, d, part, mask, values);
    });
}

/// 64-bit `d = f(a, b)` + c, of 32-bit `a` and `b`.
#[inline(always)]
pub(crate) fn wide_sum<const N: usize>(
    from: &[[u32; 32]],
    to: &mut [[u64; 32]],
    [d, a, b, c]: [Slot; 4],
    mask: u32,
    f: impl Fn(u32, u32) -> u64,
) {
    parts!(N, mask, part, ALL, {
        let a: [u32; N] = get(from, a, part);
        let b: [u32; N] = get(from, b, part);
        let mut values: [u64; N] = get(to, c, part);
        for lane in 0..N {
            values[lane] = f(a[lane], b[lane]).wrapping_add(values[lane]);
        }
        put::<u64, N, ALL>(to, d, part, mask, values);
    });
}

/// `d = f(a, b, whether the lane is in carries)`, and the lanes for which `f` says so too.
#[inline(always)]
pub(crate) fn carried<const N: usize, W: Copy>(
    file: &mut [[W; 32]],
    [d, a, b]: [Slot; 3],
    carries: u32,
    mask: u32,
    f: impl Fn(W, W, bool) -> (W, bool),
) -> u32 {
    let mut found = 0;
    parts!(N, mask, part, ALL, {
        let mut values: [W; N] = get(file, a, part);
        let b: [W; N] = get(file, b, part);
        let mut those = [0; N];
        for lane in 0..N {
            let one = carries >> (part * N + lane) & 1 != 0;
            let (value, more) = f(values[lane], b[lane], one);
            values[lane] = value;
            those[lane] = if more { u32::MAX } else { 0 };
        }
        found |= signs(&those) << (part * N);
        put::<W, N, ALL>(file, d, part, mask, values);
    });
    found
}

/// `d = a` in the lanes of `chosen`, else `b`.
#[inline(always)]
pub(crate) fn select<const N: usize, W: Copy>(
    file: &mut [[W; 32]],
    [d, a, b]: [Slot; 3],
    chosen: u32,
    mask: u32,
) {
    parts!(N, mask, part, ALL, {
        let a: [W; N] = get(file, a, part);
        let mut values: [W; N] = get(file, b, part);
        for lane in 0..N {
            values[lane] =
                if chosen >> (part * N + lane) & 1 != 0 { a[lane] } else { values[lane] };
        }
        put::<W, N, ALL>(file, d, part, mask, values);
    });
}

/// The lanes for which `f(a, b)` holds.
#[inline(always)]
pub(crate) fn test<const N: usize, W: Copy>(
    file: &[[W; 32]],
    [a, b]: [Slot; 2],
    f: impl Fn(W, W) -> bool,
) -> u32 {
    let (a, b) = (&file[usize::from(a)], &file[usize::from(b)]);
    those::<N>(|lane| f(a[lane], b[lane]))
}

/// The lanes for which `f` holds, which is asked for all of them.
#[inline(always)]
pub(crate) fn those<const N: usize>(f: impl Fn(usize) -> bool) -> u32 {
    let mut found = 0;
    for part in 0..32 / N {
        // Not a bit for each lane: of those, the compiler does the first apart.
        let mut all = [0; N];
        for lane in 0..N {
            all[lane] = if f(part * N + lane) { u32::MAX } else { 0 };
        }
        found |= signs(&all) << (part * N);
    }
    found
}

/// All values combined, in any order: halves lane by lane, as vectors, until one is left.
#[inline(always)]
pub(crate) fn folded<W: Copy + Default>(values: &[W; 32], f: impl Fn(W, W) -> W) -> W {
    let mut sixteen = [W::default(); 16];
    for lane in 0..16 {
        sixteen[lane] = f(values[lane], values[lane + 16]);
    }
    let mut eight = [W::default(); 8];
    for lane in 0..8 {
        eight[lane] = f(sixteen[lane], sixteen[lane + 8]);
    }
    let mut four = [W::default(); 4];
    for lane in 0..4 {
        four[lane] = f(eight[lane], eight[lane + 4]);
    }
    f(f(four[0], four[2]), f(four[1], four[3]))
}

/// Calls `f` for the lanes of `mask`, in order: for what no vector computes.
#[inline(always)]
pub(crate) fn each(mut mask: u32, mut f: impl FnMut(usize)) {
    while mask != 0 {
        f(mask.trailing_zeros() as usize);
        mask &= mask - 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function with `N` lanes at a time, against the plain meaning.
    fn check<const N: usize>(mask: u32) {
        let word = |slot: usize, lane: usize| (slot * 1000 + lane * 37) as u32 ^ 0x55;
        let start: Vec<[u32; 32]> =
            (0..4).map(|slot| std::array::from_fn(|lane| word(slot, lane))).collect();
        let wide: Vec<[u64; 32]> = start.iter().map(|file| file.map(u64::from)).collect();
        let on = |lane: usize| mask >> lane & 1 != 0;
        let expect = |d: usize, file: &[[u32; 32]], f: &dyn Fn(usize) -> u32| {
            for lane in 0..32 {
                let value = if on(lane) { f(lane) } else { start[d][lane] };
                assert_eq!(file[d][lane], value, "lane {lane}, {N} at a time");
            }
        };
        let mut file = start.clone();
        map1::<N, _>(&mut file, [0, 1], mask, |a| !a);
        expect(0, &file, &|lane| !start[1][lane]);
        // An op may write what it reads.
        let mut file = start.clone();
        map2::<N, _>(&mut file, [2, 1, 2], mask, |a, b| a - b.min(a));
        expect(2, &file, &|lane| start[1][lane] - start[2][lane].min(start[1][lane]));
        let mut file = start.clone();
        map3::<N, _>(&mut file, [3, 1, 2, 3], mask, |a, b, c| (a * b) ^ c);
        expect(3, &file, &|lane| (start[1][lane] * start[2][lane]) ^ start[3][lane]);
        let mut file = start.clone();
        select::<N, _>(&mut file, [0, 1, 2], 0x0f0f_1234, mask);
        expect(0, &file, &|lane| start[if 0x0f0f_1234 >> lane & 1 != 0 { 1 } else { 2 }][lane]);
        let mut file = start.clone();
        cross::<N, u64, u32>(&wide, &mut file, [0, 2], mask, |a| a as u32 + 1);
        expect(0, &file, &|lane| start[2][lane] + 1);
        let mut doubles = wide.clone();
        wide_sum::<N>(&start, &mut doubles, [0, 1, 2, 3], mask, |a, b| u64::from(a) * u64::from(b));
        for lane in 0..32 {
            let sum = wide[1][lane] * wide[2][lane] + wide[3][lane];
            assert_eq!(doubles[0][lane], if on(lane) { sum } else { wide[0][lane] });
        }
        let odd = test::<N, _>(&start, [0, 0], |a, b| (a + b) % 4 == 2);
        let plain = (0..32).filter(|&lane| start[0][lane] % 2 == 1);
        assert_eq!(odd, plain.fold(0, |all, lane| all | 1 << lane));
    }

    #[test]
    fn every_width_computes_the_same() {
        for mask in [FULL, 0, 1, 0x8000_0001, 0x00ff_ff00, 0x5555_aaaa] {
            check::<4>(mask);
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                check::<8>(mask);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512dq") {
                check::<16>(mask);
            }
        }
    }

    #[test]
    fn lanes_come_in_order() {
        let mut seen = Vec::new();
        each(0x8000_0105, |lane| seen.push(lane));
        assert_eq!(seen, [0, 2, 8, 31]);
    }
}
