//! Arguments as typed against the kernel's parameters, and the content of buffers.

use std::fs;
use std::io::Read;

use anyhow::{Context, bail};

use crate::cli::exec::{Argument, Element, Init};
use crate::emulator::ptx::{Function, Param};

/// Refuses arguments that do not match the parameters of `function`.
pub(super) fn check(function: &Function, arguments: &[Argument]) -> anyhow::Result<()> {
    let params = &function.params;
    if params.len() != arguments.len() {
        let word = if params.len() == 1 { "argument" } else { "arguments" };
        let mut list = String::new();
        for (index, param) in params.iter().enumerate() {
            let takes = match param.count {
                1 => allowed(param).join(", "),
                _ => "struct=..., bytes=HEX".to_owned(),
            };
            list.push_str(&format!("\n  {index}  {} {}  ({takes})", shown(param), param.name));
        }
        bail!(
            "--arg: {} needs {} {word}, not {}{}{list}",
            function.name,
            params.len(),
            arguments.len(),
            if list.is_empty() { "" } else { "; give one --arg for each of" },
        );
    }
    for (index, (param, argument)) in params.iter().zip(arguments).enumerate() {
        if let Some(why) = mismatch(param, argument) {
            bail!("--arg {index}: parameter `{}` is {}, {why}", param.name, shown(param));
        }
    }
    Ok(())
}

/// A parameter's type as PTX writes it.
fn shown(param: &Param) -> String {
    match param.count {
        1 => format!(".{}", param.ty),
        count => format!(".{}[{count}]", param.ty),
    }
}

/// Bits of a type's name: 32 of `f32`.
fn bits(ty: &str) -> Option<u32> {
    ty.trim_start_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()
}

/// Why the argument does not fit the parameter, and what does.
fn mismatch(param: &Param, argument: &Argument) -> Option<String> {
    let bits = bits(param.ty)?;
    let size = u64::from(bits / 8) * param.count;
    if let Argument::Bytes(_) | Argument::Struct(_) | Argument::TensorMap(_) = argument {
        let placed = argument.placed();
        if placed.bytes.len() as u64 == size {
            return None;
        }
        return Some(format!(
            "{size} bytes; the argument has {}: {}",
            placed.bytes.len(),
            placed.fields.join(", ")
        ));
    }
    if param.count != 1 {
        return Some(format!(
            "a structure of {size} bytes, but the argument is a {}; use struct=FIELD,... or \
             bytes=HEX with {size} bytes",
            argument.describe()
        ));
    }
    let float = param.ty.starts_with('f');
    let untyped = param.ty.starts_with('b');
    let fits = match argument {
        Argument::Scalar { element, .. } => {
            element.bytes() * 8 == bits && (untyped || element.is_float() == float)
        }
        _ => bits == 64 && !float,
    };
    if fits {
        return None;
    }
    Some(format!(
        "but the argument is a {}; use {}",
        argument.describe(),
        allowed(param).join(", ")
    ))
}

/// The kinds of argument for a parameter that is not a structure.
fn allowed(param: &Param) -> Vec<String> {
    let bits = bits(param.ty).unwrap_or(64);
    let float = param.ty.starts_with('f');
    let untyped = param.ty.starts_with('b');
    let mut allowed = Vec::new();
    if !float {
        allowed.extend([format!("u{bits}"), format!("s{bits}")]);
    }
    if (float || untyped) && matches!(bits, 32 | 64) {
        allowed.push(format!("f{bits}"));
    }
    if bits == 64 && !float {
        allowed.push("buffer".to_owned());
    }
    allowed
}

/// Elements in one piece.
const CHUNK: u64 = 128 << 10;

/// Passes the content of a buffer to `each`, piece by piece; returns whether it has
/// any.
pub(super) fn fill(
    index: usize,
    element: Element,
    count: u64,
    init: &Init,
    mut each: impl FnMut(&[u8]),
) -> anyhow::Result<bool> {
    let size = u64::from(element.bytes());
    let mut make = |value: &dyn Fn(u64) -> u64| {
        let mut bytes = Vec::with_capacity((count.min(CHUNK) * size) as usize);
        for start in (0..count).step_by(CHUNK as usize) {
            bytes.clear();
            for at in start..count.min(start + CHUNK) {
                bytes.extend_from_slice(&value(at).to_le_bytes()[..size as usize]);
            }
            each(&bytes);
        }
    };
    let number = |value: u64| match element {
        Element::F32 => u64::from((value as f32).to_bits()),
        Element::F64 => (value as f64).to_bits(),
        _ => value,
    };
    match init {
        Init::Zeros => make(&|_| 0),
        Init::Ones => make(&|_| number(1)),
        Init::Iota => make(&number),
        Init::Random(seed) => make(&|at| {
            let bits = mix(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(at));
            match element {
                // As many random bits as the type's fraction holds.
                Element::F32 => u64::from(((bits >> 40) as f32 / (1 << 24) as f32).to_bits()),
                Element::F64 => ((bits >> 11) as f64 / (1_u64 << 53) as f64).to_bits(),
                _ => bits,
            }
        }),
        Init::File(path) => {
            let cannot = || format!("--arg {index}: cannot read {}", path.display());
            let mut file = fs::File::open(path).with_context(cannot)?;
            let length = file.metadata().with_context(cannot)?.len();
            if length != count * size {
                bail!(
                    "--arg {index}: {} has {length} bytes, but {count} elements of {element} need {}",
                    path.display(),
                    count * size
                );
            }
            let mut left = length;
            let mut bytes = vec![0; left.min(CHUNK * size) as usize];
            while left > 0 {
                bytes.truncate(left.min(CHUNK * size) as usize);
                file.read_exact(&mut bytes).with_context(cannot)?;
                each(&bytes);
                left -= bytes.len() as u64;
            }
        }
        Init::Uninitialised => return Ok(false),
    }
    Ok(true)
}

/// The finaliser of `SplitMix64`: element i of a random buffer depends on no other.
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
        let mut all = Vec::new();
        assert!(fill(0, element, count, init, |piece| all.extend_from_slice(piece)).unwrap());
        all
    }

    #[test]
    fn buffers_hold_what_their_init_says() {
        assert_eq!(bytes(Element::U16, 2, &Init::Zeros), [0; 4]);
        assert_eq!(bytes(Element::S16, 2, &Init::Ones), [1, 0, 1, 0]);
        assert_eq!(bytes(Element::F32, 1, &Init::Ones), 1_f32.to_le_bytes());
        assert_eq!(bytes(Element::F64, 3, &Init::Iota)[16..], 2_f64.to_le_bytes());
        assert_eq!(bytes(Element::U8, 258, &Init::Iota)[254..], [254, 255, 0, 1]);
        assert!(!fill(0, Element::U8, 4, &Init::Uninitialised, |_| ()).unwrap());
        let many = bytes(Element::U32, CHUNK + 1, &Init::Iota);
        assert_eq!(many[4 * CHUNK as usize..], (CHUNK as u32).to_le_bytes());
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
        for (ty, text, takes) in [
            ("u32", "f32=1", "use u32, s32"),
            ("f32", "u32=1", "use f32"),
            ("u64", "u32=1", "use u64, s64, buffer"),
            ("b64", "u32=1", "use u64, s64, f64, buffer"),
        ] {
            assert!(fits(ty, text).unwrap().ends_with(takes), "{ty} {text}");
        }
        let structure = |text: &str| mismatch(&param("b8", 16), &text.parse().unwrap());
        assert!(structure("u8=1").unwrap().contains("use struct=FIELD,..."));
        assert_eq!(structure("struct=u32:1,buffer:f32:4:zeros"), None);
        assert_eq!(structure("bytes=000102030405060708090a0b0c0d0e0f"), None);
        assert_eq!(
            structure("struct=u32:1,u8:2").unwrap(),
            "16 bytes; the argument has 8: u32 at 0, u8 at 4"
        );
    }
}
