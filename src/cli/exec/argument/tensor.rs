//! A tensor map as typed: which buffer, how it lies there, and the box that is copied.

use std::str::FromStr;

use crate::emulator::{TensorElement, TensorMap};
use crate::experiment::UnknownName;
use crate::units::parse_count;

/// A map of the tensor in the buffer of another argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorArgument {
    /// Number of that argument, from 0.
    pub buffer: usize,
    /// The map.
    pub map: TensorMap,
}

/// `100x40`.
fn list(what: &str, text: &str) -> Result<Vec<u64>, String> {
    let number =
        |part: &str| parse_count(part).map_err(|error| format!("{what} `{text}`: {error}"));
    text.split('x').map(number).collect()
}

/// The same, of small numbers.
fn short(what: &str, text: &str) -> Result<Vec<u32>, String> {
    let number = |count| u32::try_from(count).map_err(|_| format!("{what} `{text}`: too large"));
    list(what, text)?.into_iter().map(number).collect()
}

impl FromStr for TensorArgument {
    type Err = String;

    /// `K:TYPE:DIMS:BOX` and options `NAME=VALUE`, all between colons.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let [buffer, element, dims, extent, options @ ..] = parts.as_slice() else {
            return Err(format!("`{text}` is not of the form K:TYPE:DIMS:BOX"));
        };
        let buffer =
            buffer.parse().map_err(|_| format!("`{buffer}` is not the number of an argument"))?;
        let element = TensorElement::parse(element).ok_or_else(|| {
            let names: Vec<&str> = TensorElement::names().collect();
            UnknownName::new("type", element, &names).to_string()
        })?;
        let mut map = TensorMap::new(element, &list("DIMS", dims)?, &short("BOX", extent)?);
        for option in options {
            match option.split_once('=') {
                Some(("strides", value)) => map.strides = list("strides", value)?,
                Some(("steps", value)) => map.steps = short("steps", value)?,
                Some(("swizzle", value)) => {
                    map.swizzle =
                        parse_count(value).map_err(|error| format!("swizzle: {error}"))?;
                }
                Some(("fill", "nan")) => map.fill_nan = true,
                Some(("fill", "zero")) => map.fill_nan = false,
                _ => {
                    return Err(format!(
                        "invalid option `{option}`: use strides=, steps=, swizzle= or fill=nan"
                    ));
                }
            }
        }
        // Buffers start at multiples of 256 bytes.
        map.check(0)?;
        Ok(Self { buffer, map })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_with_their_options() {
        let read = |text: &str| text.parse::<TensorArgument>();
        let map = TensorMap::new(TensorElement::F16, &[128, 64], &[64, 32]);
        assert_eq!(read("0:f16:128x64:64x32"), Ok(TensorArgument { buffer: 0, map: map.clone() }));
        let swapped = TensorMap { swizzle: 128, fill_nan: true, strides: vec![512], ..map };
        let text = "2:f16:128x64:64x32:swizzle=128:fill=nan:strides=512";
        assert_eq!(read(text), Ok(TensorArgument { buffer: 2, map: swapped }));
        for (text, part) in [
            ("0:f16:128x64", "K:TYPE:DIMS:BOX"),
            ("x:f16:128:64", "number of an argument"),
            ("0:f61:128:64", "did you mean `f64`?"),
            ("0:f16:100:64x2", "the box: 2 numbers where the tensor needs 1"),
            ("0:f16:100:3", "must be a multiple of 16"),
            ("0:f16:100:512", "must be 1 to 256"),
            ("0:u32:100:64:swizzle=128", "exceeds the swizzle"),
            ("0:u32:100:64:fill=one", "use strides="),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
