//! Arguments as typed against the kernel's parameters; what buffers hold.

use std::fs;

use anyhow::{Context, bail};

use crate::cli::exec::{Argument, Element, Init};
use crate::ptx::{Function, Param};

/// Refuses arguments that are not what `function` takes.
pub(super) fn check(function: &Function, arguments: &[Argument]) -> anyhow::Result<()> {
    let params = &function.params;
    if params.len() != arguments.len() {
        let list: Vec<String> =
            params.iter().map(|param| format!(".{} {}", param.ty, param.name)).collect();
        bail!(
            "--arg: {} takes {} arguments, not {} ({})",
            function.name,
            params.len(),
            arguments.len(),
            if list.is_empty() { "it has no parameters".to_owned() } else { list.join(", ") }
        );
    }
    for (index, (param, argument)) in params.iter().zip(arguments).enumerate() {
        if let Some(allowed) = mismatch(param, argument) {
            bail!(
                "--arg {index}: parameter `{}` is .{}{}, which a {} does not fit; {allowed}",
                param.name,
                param.ty,
                if param.count == 1 { String::new() } else { format!("[{}]", param.count) },
                argument.describe(),
            );
        }
    }
    Ok(())
}

/// What the parameter takes, if not this argument.
fn mismatch(param: &Param, argument: &Argument) -> Option<String> {
    if param.count != 1 {
        return Some("structures cannot be given on the command line".to_owned());
    }
    let bits: u32 = param.ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
    let float = param.ty.starts_with('f');
    let untyped = param.ty.starts_with('b');
    let fits = match argument {
        Argument::Buffer { .. } => bits == 64 && !float,
        Argument::Scalar { element, .. } => {
            element.bytes() * 8 == bits && (untyped || element.is_float() == float)
        }
    };
    if fits {
        return None;
    }
    let scalar = |kind: &str| format!("{kind}{bits}");
    let mut allowed: Vec<String> = Vec::new();
    if !float {
        allowed.extend([scalar("u"), scalar("s")]);
    }
    if (float || untyped) && matches!(bits, 32 | 64) {
        allowed.push(scalar("f"));
    }
    if bits == 64 && !float {
        allowed.push("buffer".to_owned());
    }
    Some(format!("it takes {}", allowed.join(", ")))
}

/// What a buffer holds before the launch; `None` where nothing is written.
pub(super) fn contents(
    index: usize,
    element: Element,
    count: u64,
    init: &Init,
) -> anyhow::Result<Option<Vec<u8>>> {
    let size = u64::from(element.bytes());
    let fill = |value: &dyn Fn(u64) -> u64| {
        let mut bytes = Vec::with_capacity((count * size) as usize);
        for at in 0..count {
            bytes.extend_from_slice(&value(at).to_le_bytes()[..size as usize]);
        }
        Some(bytes)
    };
    let number = |value: u64| match element {
        Element::F32 => u64::from((value as f32).to_bits()),
        Element::F64 => (value as f64).to_bits(),
        _ => value,
    };
    Ok(match init {
        Init::Zeros => fill(&|_| 0),
        Init::Ones => fill(&|_| number(1)),
        Init::Iota => fill(&number),
        Init::Random(seed) => fill(&|at| {
            let bits = mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(at));
            match element {
                // As many random bits as the type's fraction holds.
                Element::F32 => u64::from(((bits >> 40) as f32 / (1 << 24) as f32).to_bits()),
                Element::F64 => ((bits >> 11) as f64 / (1_u64 << 53) as f64).to_bits(),
                _ => bits,
            }
        }),
        Init::File(path) => {
            let bytes = fs::read(path)
                .with_context(|| format!("--arg {index}: cannot read {}", path.display()))?;
            if bytes.len() as u64 != count * size {
                bail!(
                    "--arg {index}: {} holds {} bytes, and {count} elements of {element} are {}",
                    path.display(),
                    bytes.len(),
                    count * size
                );
            }
            Some(bytes)
        }
        Init::Uninitialised => None,
    })
}

/// Spreads a number over 64 bits (the finaliser of `SplitMix64`): element i of a
/// random buffer needs no element before it.
fn mix(value: u64) -> u64 {
    let mut bits = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn bytes(element: Element, count: u64, init: &Init) -> Vec<u8> {
        contents(0, element, count, init).unwrap().unwrap()
    }

    #[test]
    fn buffers_hold_what_their_init_says() {
        assert_eq!(bytes(Element::U16, 2, &Init::Zeros), [0; 4]);
        assert_eq!(bytes(Element::S16, 2, &Init::Ones), [1, 0, 1, 0]);
        assert_eq!(bytes(Element::F32, 1, &Init::Ones), 1_f32.to_le_bytes());
        assert_eq!(bytes(Element::F64, 3, &Init::Iota)[16..], 2_f64.to_le_bytes());
        assert_eq!(bytes(Element::U8, 258, &Init::Iota)[254..], [254, 255, 0, 1]);
        assert_eq!(contents(0, Element::U8, 4, &Init::Uninitialised).unwrap(), None);
    }

    #[test]
    fn random_floats_lie_from_0_to_1_and_depend_on_the_seed() {
        let values = |seed| -> Vec<f32> {
            let bytes = bytes(Element::F32, 1000, &Init::Random(seed));
            bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect()
        };
        let (one, two) = (values(1), values(2));
        assert!(one.iter().all(|value| (0.0..1.0).contains(value)));
        let mean = one.iter().sum::<f32>() / 1000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
        assert_eq!(one, values(1));
        let same = one.iter().zip(&two).filter(|(a, b)| a.to_bits() == b.to_bits()).count();
        assert!(same < 5, "{same} of 1000 equal");
    }

    #[test]
    fn parameters_take_what_fits() {
        let param = |ty, count| Param { name: "p", ty, align: None, count, register: false };
        let fits = |ty, text: &str| mismatch(&param(ty, 1), &text.parse().unwrap());
        for (ty, text) in [
            ("u32", "s32=1"),
            ("b32", "f32=1"),
            ("f64", "f64=1"),
            ("u64", "buffer=f32:1:zeros"),
            ("b64", "u64=5"),
            ("u8", "u8=1"),
        ] {
            assert_eq!(fits(ty, text), None, "{ty} {text}");
        }
        assert_eq!(fits("u32", "f32=1").unwrap(), "it takes u32, s32");
        assert_eq!(fits("f32", "u32=1").unwrap(), "it takes f32");
        assert_eq!(fits("u64", "u32=1").unwrap(), "it takes u64, s64, buffer");
        assert_eq!(fits("b64", "u32=1").unwrap(), "it takes u64, s64, f64, buffer");
        assert!(mismatch(&param("b8", 16), &"u8=1".parse().unwrap()).is_some());
    }
}
