//! What the lanes of a full warp do together with several registers: matrix products, moves of
//! matrices, elections and floats reduced.
//!
//! In a text `<s0>` to `<s5>` stand for the registers read, `<d0>`… for those written, `<k>` for
//! a number below 32 and `<n>` for one that no other piece has. `%scratch` is a kilobyte of
//! shared memory of the warp.

/// Words of a lane.
pub(crate) type Words = [u32; 6];

/// A step of a warp.
pub(crate) struct Warp {
    pub(crate) text: &'static str,
    /// Results of each lane, from the words of all lanes and the number.
    pub(crate) f: fn(&[Words], u32) -> Vec<Vec<u32>>,
}

/// Where each lane puts its rows, and what follows once all are there.
macro_rules! rows {
    ($then:literal) => {
        concat!(
            "{\n.reg .u64 row;\n.reg .u32 t;\nmov.u32 t, %laneid;\nmul.wide.u32 row, t, 16;\n",
            "add.u64 row, row, %scratch;\nst.shared.v4.b32 [row], {<s0>, <s1>, <s2>, <s3>};\n",
            "bar.warp.sync -1;\n",
            $then,
            "bar.warp.sync -1;\n}"
        )
    };
}

/// Every step.
pub(crate) const WARPS: &[Warp] = &[
    Warp {
        text: "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {<d0>, <d1>, <d2>, <d3>}, {<s0>, <s1>, <s2>, <s3>}, {<s4>, <s5>}, {<s1>, <s3>, <s5>, <s0>};",
        f: |w, _| {
            let a = |row: usize, k: usize| {
                let word = w[row % 8 * 4 + k % 16 / 4][row / 8 + k / 16 * 2];
                i64::from((word >> (k % 4 * 8)) as i8)
            };
            let b = |k: usize, column: usize| {
                i64::from((w[column * 4 + k % 16 / 4][4 + k / 16] >> (k % 4 * 8)) as u8)
            };
            product(16, 32, a, b, |lane, at| w[lane][[1, 3, 5, 0][at]])
        },
    },
    Warp {
        text: "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {<d0>, <d1>}, {<s0>}, {<s1>}, {<s2>, <s3>};",
        f: |w, _| {
            let byte = |word: u32, k: usize| word >> (k % 4 * 8);
            let a = |row: usize, k: usize| i64::from(byte(w[row * 4 + k / 4][0], k) as u8);
            let b = |k: usize, column: usize| i64::from(byte(w[column * 4 + k / 4][1], k) as i8);
            product(8, 16, a, b, |lane, at| w[lane][2 + at])
        },
    },
    Warp {
        text: "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {<d0>, <d1>, <d2>, <d3>}, {<s0>, <s1>, <s2>, <s3>}, {<s4>, <s5>}, {<s2>, <s0>, <s1>, <s5>};",
        f: |w, _| {
            // The bits that differ: a + b - 2 a b.
            let bit = |word: u32, k: usize| i64::from(word >> (k % 32) & 1);
            let a =
                |row: usize, k: usize| bit(w[row % 8 * 4 + k % 128 / 32][row / 8 + k / 128 * 2], k);
            let b = |k: usize, column: usize| bit(w[column * 4 + k % 128 / 32][4 + k / 128], k);
            let sums =
                |row: usize, column: usize| (0..256).map(|k| a(row, k) ^ b(k, column)).sum::<i64>();
            accumulators(16, sums, |lane, at| w[lane][[2, 0, 1, 5][at]])
        },
    },
    // Halves of 1 and -1, and whole numbers to start from: the sums are exact.
    Warp {
        text: "{\n.reg .b32 a<4>, b<2>;\n.reg .f32 c<4>;\n\
            lop3.b32 a0, <s0>, 0x80008000, 0x3c003c00, 0xEA;\nlop3.b32 a1, <s1>, 0x80008000, 0x3c003c00, 0xEA;\n\
            lop3.b32 a2, <s2>, 0x80008000, 0x3c003c00, 0xEA;\nlop3.b32 a3, <s3>, 0x80008000, 0x3c003c00, 0xEA;\n\
            lop3.b32 b0, <s4>, 0x80008000, 0x3c003c00, 0xEA;\nlop3.b32 b1, <s5>, 0x80008000, 0x3c003c00, 0xEA;\n\
            cvt.rn.f32.s8 c0, <s0>;\ncvt.rn.f32.s8 c1, <s1>;\ncvt.rn.f32.s8 c2, <s2>;\ncvt.rn.f32.s8 c3, <s3>;\n\
            mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {c0, c1, c2, c3}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3};\n\
            cvt.rni.s32.f32 <d0>, c0;\ncvt.rni.s32.f32 <d1>, c1;\ncvt.rni.s32.f32 <d2>, c2;\ncvt.rni.s32.f32 <d3>, c3;\n}",
        f: |w, _| {
            let sign = |word: u32, k: usize| {
                if word >> (k % 2 * 16 + 15) & 1 == 0 { 1 } else { -1 }
            };
            let a = |row: usize, k: usize| sign(w[row % 8 * 4 + k % 8 / 2][row / 8 + k / 8 * 2], k);
            let b = |k: usize, column: usize| sign(w[column * 4 + k % 8 / 2][4 + k / 8], k);
            product(16, 16, a, b, |lane, at| i32::from(w[lane][at] as i8).cast_unsigned())
        },
    },
    Warp {
        text: rows!(
            "{\n.reg .b32 a<2>, b<2>, c<8>;\n\
            wmma.load.a.sync.aligned.row.m16n16k16.shared.s8 {a0, a1}, [%scratch];\n\
            wmma.load.b.sync.aligned.col.m16n16k16.shared.s8 {b0, b1}, [%scratch+256];\n\
            mov.v8.b32 {c0, c1, c2, c3, c4, c5, c6, c7}, {<k>, <k>, <k>, <k>, <k>, <k>, <k>, <k>};\n\
            wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {c0, c1, c2, c3, c4, c5, c6, c7}, {a0, a1}, {b0, b1}, {c0, c1, c2, c3, c4, c5, c6, c7};\n\
            bar.warp.sync -1;\n\
            wmma.store.d.sync.aligned.row.m16n16k16.shared.s32 [%scratch], {c0, c1, c2, c3, c4, c5, c6, c7};\n}\n\
            bar.warp.sync -1;\nld.shared.v4.b32 {<d0>, <d1>, <d2>, <d3>}, [row+512];\n"
        ),
        f: |w, k| {
            // Two matrices of 16 rows or columns of 16 bytes: a row of one lane is a row.
            let value = |line: usize, at: usize| i64::from((w[line][at / 4] >> (at % 4 * 8)) as i8);
            let cell = |place: usize| {
                let (row, column) = (place / 16, place % 16);
                let sum: i64 = (0..16).map(|at| value(row, at) * value(16 + column, at)).sum();
                (sum + i64::from(k)) as u32
            };
            // Each lane reads four numbers of the lower half.
            (0..32).map(|lane| (0..4).map(|at| cell(128 + 4 * lane + at)).collect()).collect()
        },
    },
    Warp {
        text: rows!(
            "mad.lo.u32 t, t, 5, <k>;\nand.b32 t, t, 31;\nmul.wide.u32 row, t, 16;\nadd.u64 row, row, %scratch;\n\
            ldmatrix.sync.aligned.m8n8.x4.shared.b16 {<d0>, <d1>, <d2>, <d3>}, [row];\n"
        ),
        f: |w, k| {
            let row = |matrix: usize, at: usize| (5 * (8 * matrix + at) + k as usize) % 32;
            let word = |lane: usize, matrix| w[row(matrix, lane / 4)][lane % 4];
            (0..32).map(|lane| (0..4).map(|matrix| word(lane, matrix)).collect()).collect()
        },
    },
    Warp {
        text: rows!(
            "mad.lo.u32 t, t, 3, <k>;\nand.b32 t, t, 31;\nmul.wide.u32 row, t, 16;\nadd.u64 row, row, %scratch;\n\
            ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {<d0>, <d1>}, [row];\n"
        ),
        f: |w, k| {
            // Lane l has of column l / 4 the rows 2 (l mod 4) and the next.
            let half = |matrix: usize, row: usize, column: usize| {
                let line = (3 * (8 * matrix + row) + k as usize) % 32;
                w[line][column / 2] >> (column % 2 * 16) & 0xffff
            };
            let word = |lane: usize, matrix| {
                let (column, row) = (lane / 4, lane % 4 * 2);
                half(matrix, row, column) | half(matrix, row + 1, column) << 16
            };
            (0..32).map(|lane| (0..2).map(|matrix| word(lane, matrix)).collect()).collect()
        },
    },
    Warp {
        text: "{\n.reg .u64 row;\n.reg .u32 t;\nmov.u32 t, %laneid;\nmul.wide.u32 row, t, 16;\nadd.u64 row, row, %scratch;\n\
            stmatrix.sync.aligned.m8n8.x4.shared.b16 [row], {<s0>, <s1>, <s2>, <s3>};\nbar.warp.sync -1;\n\
            ld.shared.v4.b32 {<d0>, <d1>, <d2>, <d3>}, [row];\nbar.warp.sync -1;\n}",
        f: |w, _| {
            // The row that a lane reads is row `lane % 8` of matrix `lane / 8`.
            (0..32).map(|lane| (0..4).map(|at| w[lane % 8 * 4 + at][lane / 8]).collect()).collect()
        },
    },
    Warp {
        text: "movmatrix.sync.aligned.m8n8.trans.b16 <d0>, <s0>;",
        f: |w, _| {
            let half = |row: usize, column: usize| {
                w[row * 4 + column / 2][0] >> (column % 2 * 16) & 0xffff
            };
            let word =
                |lane: usize| half(lane % 4 * 2, lane / 4) | half(lane % 4 * 2 + 1, lane / 4) << 16;
            (0..32).map(|lane| vec![word(lane)]).collect()
        },
    },
    Warp {
        text: "{\n.reg .pred p;\n.reg .b32 t;\nelect.sync t|p, -1;\nselp.b32 <d1>, <s0>, <s1>, p;\nmov.b32 <d0>, t;\n}",
        f: |w, _| (0..32).map(|lane| vec![0, w[lane][usize::from(lane != 0)]]).collect(),
    },
    Warp {
        text: "{\n.reg .pred p;\nmatch.all.sync.b32 <d0>|p, <s0>, -1;\nselp.b32 <d1>, 3, 4, p;\n}",
        f: |w, _| {
            let same = w.iter().all(|words| words[0] == w[0][0]);
            vec![if same { vec![u32::MAX, 3] } else { vec![0, 4] }; 32]
        },
    },
    // Within eight lanes.
    Warp {
        text: "{\n.reg .pred p;\nshfl.sync.down.b32 <d0>|p, <s0>, <k>, 0x181f, -1;\nselp.b32 <d1>, 1, 0, p;\n}",
        f: |w, k| {
            let from = |lane: usize| {
                let from = lane + k as usize;
                let inside = from <= lane | 7;
                vec![w[if inside { from } else { lane }][0], inside.into()]
            };
            (0..32).map(from).collect()
        },
    },
    // Floats without NaNs: bits of exponents below the largest.
    Warp {
        text: "{\n.reg .b32 x;\n.reg .f32 y, z;\nand.b32 x, <s0>, 0xbfffffff;\nmov.b32 y, x;\nredux.sync.min.f32 z, y, -1;\n\
            mov.b32 <d0>, z;\nredux.sync.max.abs.f32 z, y, -1;\nmov.b32 <d1>, z;\n}",
        f: |w, _| {
            let values = || w.iter().map(|words| f32::from_bits(words[0] & 0xbfff_ffff));
            let least = values().min_by(f32::total_cmp).map_or(0, f32::to_bits);
            let most = values().map(f32::abs).max_by(f32::total_cmp).map_or(0, f32::to_bits);
            vec![vec![least, most]; 32]
        },
    },
];

/// The accumulators of `rows` times 8 results: lane l has, of row l / 4 and of the eighth row
/// after it, columns 2 (l mod 4) and the next.
fn accumulators(
    rows: usize,
    sum: impl Fn(usize, usize) -> i64,
    start: impl Fn(usize, usize) -> u32,
) -> Vec<Vec<u32>> {
    let one = |lane: usize, at: usize| {
        let (row, column) = (lane / 4 + at / 2 * 8, lane % 4 * 2 + at % 2);
        start(lane, at).wrapping_add(sum(row, column) as u32)
    };
    (0..32).map(|lane| (0..rows / 4).map(|at| one(lane, at)).collect()).collect()
}

/// The same for the product of a row and a column of `depth` numbers.
fn product(
    rows: usize,
    depth: usize,
    a: impl Fn(usize, usize) -> i64,
    b: impl Fn(usize, usize) -> i64,
    start: impl Fn(usize, usize) -> u32,
) -> Vec<Vec<u32>> {
    let sum = |row: usize, column: usize| (0..depth).map(|k| a(row, k) * b(k, column)).sum();
    accumulators(rows, sum, start)
}
