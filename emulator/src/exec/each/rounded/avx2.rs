//! With AVX2, the control register says how instructions round. It is set and set back within one
//! block of assembly, as the compiler takes it that floats are rounded to nearest.

use std::arch::asm;
use std::arch::x86_64::{__m256i, _mm256_storeu_si256};

use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

/// The control register for a direction, and for after it: no traps, to nearest.
fn controls(round: Round) -> Option<&'static [u32; 2]> {
    const NEAREST: u32 = 0x1f80;
    static DOWN: [u32; 2] = [NEAREST | 1 << 13, NEAREST];
    static UP: [u32; 2] = [NEAREST | 2 << 13, NEAREST];
    static ZERO: [u32; 2] = [NEAREST | 3 << 13, NEAREST];
    match round {
        Round::Down => Some(&DOWN),
        Round::Up => Some(&UP),
        Round::Zero => Some(&ZERO),
        Round::Nearest | Round::Away => None,
    }
}

/// Computes every vector of `$out` with `$line`, rounded as `$controls` say. All reads come before all
/// writes: a load waits for an earlier store at the same offset of another page. On AMD's processors, both
/// loads of the control register take three times as long if a boundary of 2 KiB lies between them, or
/// if they do not begin a cache line.
macro_rules! rounding {
    ($controls:expr, $operands:expr, $out:expr, 128, $($line:tt)+) => {
        rounding!(
            $controls, $operands, $out,
            [t0 " {t0}" a 0, t1 " {t1}" b 32, t2 " {t2}" c 64, t3 " {t3}" d 96],
            ($($line)+)
        )
    };
    ($controls:expr, $operands:expr, $out:expr, 256, $($line:tt)+) => {
        rounding!(
            $controls, $operands, $out,
            [
                t0 " {t0}" a 0, t1 " {t1}" b 32, t2 " {t2}" c 64, t3 " {t3}" d 96,
                t4 " {t4}" e 128, t5 " {t5}" f 160, t6 " {t6}" g 192, t7 " {t7}" h 224
            ],
            ($($line)+)
        )
    };
    (
        $controls:expr, $operands:expr, $out:expr,
        [$($t:ident $name:literal $value:ident $at:literal),+], $line:tt
    ) => {{
        $(let $value: __m256i;)+
        // SAFETY: what is read lies in arrays of 32 lanes. The control register is as before at
        // the end.
        unsafe {
            asm!(
                // Every operand has to be named, also where no line needs it.
                "/* {y} {z} {u} {v} */",
                "jmp 2f",
                ".p2align 8",
                "2: vldmxcsr [{controls}]",
                $(line!($name, $at, $line),)+
                ".p2align 6",
                "vldmxcsr [{controls} + 4]",
                controls = in(reg) $controls.as_ptr(),
                x = in(reg) $operands[0].as_ptr(),
                y = in(reg) $operands[1].as_ptr(),
                z = in(reg) $operands[2].as_ptr(),
                $($t = out(ymm_reg) $value,)+
                u = out(ymm_reg) _,
                v = out(ymm_reg) _,
                options(nostack, readonly),
            );
            // As many vectors as `out` has bytes for.
            let to = $out.as_mut_ptr().cast::<u8>();
            $(_mm256_storeu_si256(to.add($at).cast(), $value);)+
        }
    }};
}

/// The instructions for register `$t`, with one, two or three operands, or from 64 to 32 bits.
macro_rules! line {
    ($t:literal, $at:literal, ($name:literal $suffix:literal of one)) => {
        concat!("v", $name, $suffix, $t, ", [{x} + ", $at, "]")
    };
    ($t:literal, $at:literal, ($name:literal $suffix:literal of two)) => {
        concat!(line!($at, "{u}", "x"), "v", $name, $suffix, $t, ", {u}, [{y} + ", $at, "]")
    };
    ($t:literal, $at:literal, ($name:literal $suffix:literal of three)) => {
        concat!(
            line!($at, $t, "x"),
            line!($at, "{u}", "y"),
            concat!("v", $name, $suffix, $t, ", {u}, [{z} + ", $at, "]")
        )
    };
    ($t:literal, $at:literal, (shortened)) => {
        concat!(
            concat!("vcvtpd2ps {u:x}, ymmword ptr [{x} + 2 * ", $at, "]\n"),
            concat!("vcvtpd2ps {v:x}, ymmword ptr [{x} + 2 * ", $at, " + 32]\n"),
            concat!("vinsertf128", $t, ", {u}, {v:x}, 1")
        )
    };
    ($at:literal, $to:literal, $operand:literal) => {
        concat!("vmovups ", $to, ", [{", $operand, "} + ", $at, "]\n")
    };
}

/// Defines arithmetic of 32 floats, whose instructions end in `$suffix`.
macro_rules! arithmetic {
    ($(#[$doc:meta])* $name:ident, $lane:ty, $bytes:tt, $suffix:literal, $one:expr) => {
        $(#[$doc])*
        #[inline]
        #[target_feature(enable = "avx2,fma")]
        pub(super) fn $name(
            f: Arithmetic,
            round: Round,
            operands: [&[$lane; 32]; 3],
            out: &mut [$lane; 32],
        ) -> bool {
            let Some(controls) = controls(round) else { return false };
            macro_rules! each {
                ($what:literal, $operands:expr, $count:ident) => {
                    rounding!(controls, $operands, out, $bytes, $what $suffix of $count)
                };
            }
            match f {
                Arithmetic::Add => each!("add", operands, two),
                Arithmetic::Sub => each!("sub", operands, two),
                Arithmetic::Mul => each!("mul", operands, two),
                Arithmetic::Div => each!("div", operands, two),
                Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
                    const ONES: [$lane; 32] = [$one.to_bits(); 32];
                    each!("div", [&ONES, operands[0], operands[2]], two);
                }
                Arithmetic::Sqrt => each!("sqrt", operands, one),
                Arithmetic::Fma => each!("fmadd213", operands, three),
                _ => return false,
            }
            true
        }
    };
}

arithmetic! {
    /// As [`super::singles`].
    singles, u32, 128, "ps", 1.0_f32
}
arithmetic! {
    /// As [`super::doubles`].
    doubles, u64, 256, "pd", 1.0_f64
}

/// As [`super::shortened`].
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn shortened(values: &Doubles, round: Round, out: &mut Words) -> bool {
    let Some(controls) = controls(round) else { return false };
    rounding!(controls, [values; 3], out, 128, shortened);
    true
}
