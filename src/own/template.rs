//! Files to start from: a commented template, with or without a built-in algorithm.

use crate::algorithms::{Algorithm, Contract};

#[cfg(test)]
mod tests;

/// Two kernels of no built-in algorithm.
const PLAIN: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/plain.cu"));

/// A file with two kernels and a complete header block. It runs as it is.
pub fn plain() -> &'static str {
    PLAIN
}

/// A file with a kernel that joins the variants of `algorithm`. It runs as it is.
pub fn like(algorithm: &dyn Algorithm, contract: &Contract) -> String {
    let name = algorithm.name();
    // The template sorts by comparing every pair, the contract's largest sizes take hours.
    let sizes = sizes(algorithm).map(|sizes| format!("sizes = \"{sizes}\"\n")).unwrap_or_default();
    format!(
        "/* warpscope\nlike = \"{name}\"\n{sizes}*/\n\n{}\n{}",
        comment(&contract_text(algorithm, contract)),
        contract.template
    )
}

/// Sizes that a template of quadratic work can do on the emulator.
fn sizes(algorithm: &dyn Algorithm) -> Option<&'static str> {
    (algorithm.contract()?.quadratic && algorithm.defaults().sizes.1 > 1 << 13)
        .then_some("2^8..2^12:x2")
}

/// What a kernel has to accept, line by line.
pub fn contract_text(algorithm: &dyn Algorithm, contract: &Contract) -> String {
    let mut text = format!("A kernel like {} {}.\n", algorithm.name(), contract.task);
    text.push_str("It takes any of these parameters, by name and in any order:\n");
    let declarations: Vec<String> =
        contract.params.iter().map(crate::algorithms::contract::CParam::declaration).collect();
    let width = declarations.iter().map(String::len).max().unwrap_or(0) + 2;
    for (param, declaration) in contract.params.iter().zip(declarations) {
        let needed = param.needed_for.map(|(name, value)| format!("; needed for {name}={value}"));
        let (meaning, needed) = (param.meaning, needed.unwrap_or_default());
        text.push_str(&format!("  {declaration:<width$}{meaning}{needed}\n"));
    }
    if let Some(generic) = contract.generic {
        let types = generic.values.iter();
        let types: Vec<String> = types
            .map(|(value, element)| format!("{} for {}={value}", element.c_name(), generic.param))
            .collect();
        text.push_str(&format!("T is {}.\n", types.join(", ")));
    }
    text.push_str(&format!(
        "Launch: {} blocks of `block` threads in one dimension.\n\
         Dynamic shared memory: {} bytes, if the kernel declares an `extern __shared__` array.\n",
        contract.grid, contract.shared
    ));
    text
}

fn comment(text: &str) -> String {
    text.lines().map(|line| format!("// {line}\n")).collect()
}
