//! Sizes of the types in a source.

use crate::own::ctype::{Scalar, scalar_of};
use crate::syntax::Host;
use crate::work::Element;

/// Number of lanes of a type of 16-bit floats, and the bits of its 1.
pub(super) fn halves(name: &str) -> Option<(u64, u32)> {
    Some(match name {
        "half" | "__half" => (1, 0x3c00),
        "half2" | "__half2" => (2, 0x3c00),
        "nv_bfloat16" | "__nv_bfloat16" => (1, 0x3f80),
        "nv_bfloat162" | "__nv_bfloat162" => (2, 0x3f80),
        _ => return None,
    })
}

/// Bytes and alignment of a type that is built in, or NVIDIA's.
pub(super) fn built_in(name: &str) -> Option<(u64, u64)> {
    if let Some((lanes, _)) = halves(name) {
        return Some((2 * lanes, 2 * lanes));
    }
    if matches!(name, "curandState" | "curandState_t" | "curandStateXORWOW_t") {
        return Some((48, 8));
    }
    let scalar = scalar_of(&name.split(' ').collect::<Vec<_>>())?;
    let bytes = scalar.bytes()?;
    Some((bytes, if bytes.is_power_of_two() { bytes.min(16) } else { scalar.element()?.bytes() }))
}

/// Bytes of a type.
pub(super) fn bytes_of(host: &Host, name: &str) -> Option<u64> {
    let name = &host.behind_name(name);
    let built_in_bytes = built_in(name).map(|it| it.0);
    built_in_bytes.or_else(|| Some(host.layout(name, &built_in)?.bytes))
}

/// Element type and number of elements of a type in the source: that of the first
/// member if all are as large, else bytes.
pub(super) fn elements_of(host: &Host, name: &str) -> (Element, u64) {
    let name = &host.behind_name(name);
    if let Some((lanes, _)) = halves(name) {
        return (Element::U16, lanes);
    }
    match scalar_of(&name.split(' ').collect::<Vec<_>>()) {
        Some(Scalar::Number(element)) => return (element, 1),
        Some(Scalar::Vector(element, lanes)) => return (element, lanes.into()),
        _ => {}
    }
    let of_members = of_members(host, name);
    of_members.unwrap_or_else(|| (Element::U8, bytes_of(host, name).unwrap_or(1)))
}

/// The same of a structure whose members are numbers of one size.
pub(super) fn of_members(host: &Host, name: &str) -> Option<(Element, u64)> {
    let layout = host.layout(&host.behind_name(name), &built_in)?;
    let mut elements =
        layout.members.iter().map(|it| scalar_of(&it.0.split(' ').collect::<Vec<_>>())?.element());
    let first = elements.next()??;
    let alike = |it: Option<Element>| it.is_some_and(|it| it.bytes() == first.bytes());
    elements.all(alike).then(|| (first, layout.bytes / first.bytes()))
}
