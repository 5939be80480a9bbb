//! What a PTX word tells of its instruction: the bytes that a lane accesses,
//! and the operations that it does.

/// Operations of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Operations {
    /// On floats of any size.
    pub(super) float: u64,
    /// On integers of any size.
    pub(super) integer: u64,
}

/// What an operand's type says: bytes, floats or not, values packed into one.
struct Type {
    bytes: u64,
    float: bool,
    packed: u64,
}

fn type_of(part: &str) -> Option<Type> {
    let (part, packed) = match part.strip_suffix("x2") {
        Some(single) => (single, 2),
        None => (part, 1),
    };
    let (kind, bits) = part.split_at(part.find(|c: char| c.is_ascii_digit())?);
    if !matches!(kind, "u" | "s" | "b" | "f" | "bf") {
        return None;
    }
    let bits: u64 = bits.parse().ok()?;
    Some(Type { bytes: bits * packed / 8, float: kind.ends_with('f'), packed })
}

/// Bytes that each lane of a load, store or atomic accesses:
/// `ld.global.v4.f32` reads 16.
pub(super) fn access_bytes(word: &str) -> u64 {
    let many = word.split('.').find_map(|part| match part {
        "v2" => Some(2),
        "v4" => Some(4),
        "v8" => Some(8),
        _ => None,
    });
    let each = word.rsplit('.').find_map(type_of).map_or(0, |found| found.bytes);
    each * many.unwrap_or(1)
}

/// Arithmetic and logic that each lane does. A multiply-add counts as two;
/// moves, comparisons, conversions and accesses count as none, but for the
/// operation of an atomic.
pub(super) fn operations(word: &str) -> Operations {
    let mut parts = word.split('.');
    let mut name = parts.next().unwrap_or_default();
    if matches!(name, "atom" | "red") {
        let done = ["add", "min", "max", "and", "or", "xor", "inc", "dec"];
        name = match parts.find(|part| done.contains(part)) {
            Some(_) => "add",
            None => return Operations::default(),
        };
    }
    let each = match name {
        "fma" | "mad" | "mad24" | "madc" | "sad" => 2,
        "dp2a" => 4,
        "dp4a" => 8,
        "add" | "addc" | "sub" | "subc" | "mul" | "mul24" | "div" | "rem" | "min" | "max"
        | "neg" | "abs" | "sqrt" | "rsqrt" | "rcp" | "sin" | "cos" | "ex2" | "lg2" | "tanh"
        | "and" | "or" | "xor" | "not" | "cnot" | "shl" | "shr" | "shf" | "lop3" | "popc"
        | "clz" | "bfind" | "fns" | "brev" | "bfe" | "bfi" | "prmt" => 1,
        _ => 0,
    };
    // `mul.wide.u32`, `mad.lo.s32`, `fma.rn.f16x2`; predicates have no type here.
    let Some(of) = word.rsplit('.').find_map(type_of).filter(|_| each > 0) else {
        return Operations::default();
    };
    if of.float {
        Operations { float: each * of.packed, integer: 0 }
    } else {
        Operations { float: 0, integer: each * of.packed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_the_type_and_the_vector() {
        for (word, bytes) in [
            ("ld.global.u32", 4),
            ("ld.global.nc.v4.f32", 16),
            ("st.shared.v2.u64", 16),
            ("ld.global.u8", 1),
            ("atom.global.add.u32", 4),
            ("red.global.add.f64", 8),
            ("atom.global.cas.b128", 16),
            ("ld.global.b16", 2),
            ("st.global.f16x2", 4),
            ("bar.sync", 0),
        ] {
            assert_eq!(access_bytes(word), bytes, "{word}");
        }
    }

    #[test]
    fn arithmetic_counts_and_moves_do_not() {
        let float = |float| Operations { float, integer: 0 };
        let integer = |integer| Operations { float: 0, integer };
        for (word, done) in [
            ("fma.rn.f32", float(2)),
            ("add.f32", float(1)),
            ("fma.rn.f16x2", float(4)),
            ("mad.lo.s32", integer(2)),
            ("mul.wide.u32", integer(1)),
            ("rem.u32", integer(1)),
            ("shl.b32", integer(1)),
            ("atom.global.add.u32", integer(1)),
            ("red.shared.add.f32", float(1)),
            ("atom.shared.exch.b32", integer(0)),
            ("and.pred", integer(0)),
            ("mov.u32", integer(0)),
            ("setp.ge.u32", integer(0)),
            ("cvta.to.global.u64", integer(0)),
            ("ld.global.f32", integer(0)),
            ("bra", integer(0)),
        ] {
            assert_eq!(operations(word), done, "{word}");
        }
    }
}
