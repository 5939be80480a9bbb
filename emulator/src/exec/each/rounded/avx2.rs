//! With AVX2, the control register says how instructions round. It is set and set back within one
//! block of assembly, as the compiler takes it that floats are rounded to nearest.

use std::arch::asm;

use crate::program::{Arithmetic, Round};

type Words = [u32; 32];
type Doubles = [u64; 32];

/// The control register: no traps, and results are rounded to nearest.
const NEAREST: u32 = 0x1f80;

/// The control register for a direction, and for after it.
fn controls(round: Round) -> Option<[u32; 2]> {
    let direction = match round {
        Round::Down => 1,
        Round::Up => 2,
        Round::Zero => 3,
        Round::Nearest | Round::Away => return None,
    };
    Some([NEAREST | direction << 13, NEAREST])
}

/// Writes what `$line`s make of `t` to each 32 bytes of `$out`, which has `$bytes`, rounded as
/// `$controls` say. `t` is what `x` has there; `i` is where that is, in bytes.
macro_rules! rounding {
    ($controls:expr, $operands:expr, $out:expr, $bytes:literal, $($line:expr),+) => {
        // SAFETY: what is read and written lies in arrays of 32 lanes. The control register
        // is as before at the end.
        unsafe {
            asm!(
                // Every operand has to be named, also where no line needs it.
                "/* {y} {z} {u} */",
                "vldmxcsr [{controls}]",
                // Without a jump, which hosts predict badly at some addresses.
                concat!(".rept ", $bytes, " / 32"),
                "vmovups {t}, [{x} + {i}]",
                $($line,)+
                "vmovups [{out} + {i}], {t}",
                "add {i}, 32",
                ".endr",
                "vldmxcsr [{controls} + 4]",
                controls = in(reg) $controls.as_ptr(),
                x = in(reg) $operands[0].as_ptr(),
                y = in(reg) $operands[1].as_ptr(),
                z = in(reg) $operands[2].as_ptr(),
                out = in(reg) $out.as_mut_ptr(),
                i = inout(reg) 0_usize => _,
                t = out(ymm_reg) _,
                u = out(ymm_reg) _,
                options(nostack),
            );
        }
    };
}

/// The same for an instruction of `x` and `y`.
macro_rules! each {
    ($name:literal, $suffix:literal, $bytes:literal, $controls:expr, $operands:expr, $out:expr) => {
        rounding!(
            $controls,
            $operands,
            $out,
            $bytes,
            concat!("v", $name, $suffix, " {t}, {t}, [{y} + {i}]")
        )
    };
}

/// Defines arithmetic of 32 floats, whose instructions end in `$suffix`.
macro_rules! arithmetic {
    ($(#[$doc:meta])* $name:ident, $lane:ty, $bytes:literal, $suffix:literal, $one:expr) => {
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
            match f {
                Arithmetic::Add => each!("add", $suffix, $bytes, controls, operands, out),
                Arithmetic::Sub => each!("sub", $suffix, $bytes, controls, operands, out),
                Arithmetic::Mul => each!("mul", $suffix, $bytes, controls, operands, out),
                Arithmetic::Div => each!("div", $suffix, $bytes, controls, operands, out),
                Arithmetic::Reciprocal | Arithmetic::ReciprocalRounded => {
                    const ONES: [$lane; 32] = [$one.to_bits(); 32];
                    let operands = [&ONES, operands[0], operands[2]];
                    each!("div", $suffix, $bytes, controls, operands, out);
                }
                Arithmetic::Sqrt => rounding!(
                    controls, operands, out, $bytes, concat!("vsqrt", $suffix, " {t}, {t}")
                ),
                Arithmetic::Fma => rounding!(
                    controls, operands, out, $bytes,
                    "vmovups {u}, [{y} + {i}]",
                    concat!("vfmadd213", $suffix, " {t}, {u}, [{z} + {i}]")
                ),
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
    rounding!(
        controls,
        [values; 3],
        out,
        128,
        "vcvtpd2ps {t:x}, ymmword ptr [{x} + 2 * {i}]",
        "vcvtpd2ps {u:x}, ymmword ptr [{x} + 2 * {i} + 32]",
        "vinsertf128 {t}, {t}, {u:x}, 1"
    );
    true
}
