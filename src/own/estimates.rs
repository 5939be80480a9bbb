//! What can be told of machine code from the PTX alone, where no assembler reports it.

mod blocks;
mod issues;
mod joined;
mod origins;
mod registers;
mod unrolled;

use crate::emulator::ptx::{Function, Item, Module, Space, Variable};
use crate::work::ResourceTable;

/// A row for each kernel of a module, for [`ResourceTable`]: registers, shared memory, how often
/// it waits for loads and branches of unrolled loops, machine instructions, and the loads that are
/// joined to others.
pub fn estimates(module: &Module) -> String {
    let variables = module.items.iter().filter_map(|item| match item {
        Item::Variable(it) if it.space == Space::Shared => Some(it),
        _ => None,
    });
    let common: Vec<_> = variables.collect();
    let kernels = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry => Some(function),
        _ => None,
    });
    kernels.map(|kernel| row(kernel, &common)).collect()
}

/// The row of a kernel; `common` has the shared variables of the module.
fn row(kernel: &Function, common: &[&Variable]) -> String {
    let mut named = Vec::new();
    for operand in kernel.instructions().flat_map(|it| &it.operands) {
        operand.each_name(&mut |name| named.push(name));
    }
    let own = kernel.variables().filter(|it| it.space == Space::Shared);
    let common = common.iter().copied().filter(|it| named.contains(&it.name));
    let shared: Vec<_> = own.chain(common).collect();
    let bytes = shared.iter().map(|it| {
        let bits = it.ty.trim_start_matches(|it: char| !it.is_ascii_digit()).parse::<u64>();
        it.count.unwrap_or(0).saturating_mul(bits.unwrap_or(8) / 8)
    });
    let bytes = bytes.fold(0_u64, u64::saturating_add).min(u64::from(u32::MAX));
    let names: Vec<&str> = shared.iter().map(|it| it.name).collect();
    let joined = joined::joined(kernel, &names);
    let blocks = blocks::blocks(kernel);
    let alone = joined.iter().map(|line| (*line, [0.0; 7]));
    let mut issues: Vec<_> = issues::issues(&blocks, &joined).into_iter().chain(alone).collect();
    issues.sort_by_key(|(line, _)| *line);
    let issues: Vec<String> = issues
        .iter()
        .map(|(line, kinds)| {
            let kinds: Vec<String> = kinds.iter().map(|many| format!("{many:.1}")).collect();
            // Of the cycles of a warp alone the PTX tells nothing.
            format!("{line}={}:0", kinds.join(":"))
        })
        .collect();
    let waits = unrolled::waits(&blocks);
    let waits: Vec<String> = waits.iter().map(|(line, waits)| format!("{line}={waits}")).collect();
    let (name, estimate) = (kernel.name, ResourceTable::ESTIMATE);
    let (registers, waits, issues) =
        (registers::estimate(kernel), waits.join(" "), issues.join(" "));
    format!("{name},{estimate},{registers},{bytes},0,0,0,{waits},{issues}\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emulator::ptx::parse;

    #[test]
    fn an_estimate_stands_only_for_kernels_and_their_own_shared_memory() {
        let text = "\
            .version 7.8\n.target sm_70\n.address_size 64\n\
            .shared .align 4 .b8 common[64];\n\
            .func f() { ret; }\n\
            .visible .entry a() { .reg .b32 %r<2>; .shared .b32 own[4]; mov.u32 %r1, common; ret; }\n\
            .visible .entry b() { ret; }\n";
        let rows = estimates(&parse(text, "my.ptx").unwrap());
        let text = format!("header\n{rows}");
        let shared = |kernel| ResourceTable(&text).resources(kernel, 90).map(|it| it.static_shared);
        assert_eq!([shared("a"), shared("b"), shared("f")], [Some(80), Some(0), None]);
        assert!(ResourceTable(&text).resources("a", 90).unwrap().estimated);
    }
}
