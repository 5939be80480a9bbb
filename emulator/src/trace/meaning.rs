//! What an instruction does, in a few words.

/// What an instruction does by its word; `None` where the word says no more than that.
pub(crate) fn of(word: &str) -> Option<&'static str> {
    let mut parts = word.split('.');
    let opcode = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let has = |part: &str| rest.contains(&part);
    Some(match opcode {
        "ld" | "ldu" if has("param") => "load a parameter",
        "st" if has("param") => "pass an argument",
        "ld" | "ldu" | "ldmatrix" => "load",
        "st" | "stmatrix" => "store",
        "mov" => "copy a value",
        "cvta" => "convert an address between a state space and the generic one",
        "cvt" => "convert to another type",
        "add" | "addc" => "add",
        "sub" | "subc" => "subtract",
        "mul" | "mul24" if has("wide") => "multiply; the product is twice as wide",
        "mul" | "mul24" if has("hi") => "multiply; the upper half of the product",
        "mul" | "mul24" => "multiply",
        "mad" | "mad24" | "madc" | "fma" => "multiply and add",
        "div" => "divide",
        "rem" => "remainder of a division",
        "min" | "max" => "take the lesser or the greater",
        "abs" => "absolute value",
        "neg" => "change the sign",
        "sad" => "add an absolute difference",
        "and" | "or" | "xor" | "not" | "lop3" | "cnot" => "combine bits",
        "shl" | "shr" | "shf" => "shift bits",
        "bfe" | "bfi" | "bfind" | "bmsk" | "brev" | "prmt" | "szext" => "take or move bits",
        "popc" | "clz" => "count bits",
        "setp" | "set" | "testp" => "compare",
        "selp" | "slct" => "choose one of two values",
        "sqrt" => "square root",
        "rsqrt" => "one over the square root",
        "rcp" => "one over the value",
        "sin" | "cos" => "trigonometric function, approximately",
        "tanh" => "hyperbolic tangent, approximately",
        "ex2" => "power of two, approximately",
        "lg2" => "logarithm to base two, approximately",
        "copysign" => "take the sign of another value",
        "dp4a" | "dp2a" => "multiply bytes and add the products",
        "shfl" => "get a value from another lane",
        "vote" | "match" | "redux" | "activemask" | "elect" => "combine something over the lanes",
        "mma" | "wmma" | "wgmma" => "tensor core: multiply small matrices, all lanes together",
        "membar" | "fence" => "order accesses to memory",
        "cp" if has("commit_group") => "close a group of copies",
        "cp" if has("wait_group") || has("wait_all") => "wait for copies",
        "cp" if has("bulk") => "start a copy of many bytes",
        "mbarrier" => "a barrier in shared memory",
        "prefetch" | "prefetchu" => "ask for a line in advance",
        "nanosleep" => "wait a while",
        "bra" | "brx" => "go on elsewhere",
        "call" => "call a function",
        "ret" | "exit" => "return; a kernel ends",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_of_instructions_are_explained() {
        assert_eq!(super::of("mad.lo.s32"), Some("multiply and add"));
        assert_eq!(super::of("ld.param.u64"), Some("load a parameter"));
        assert_eq!(super::of("mul.wide.u32"), Some("multiply; the product is twice as wide"));
        assert_eq!(super::of("vadd4.u32.u32.u32"), None);
    }
}
