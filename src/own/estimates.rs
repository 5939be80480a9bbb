//! Machine code estimated from the PTX, for machines without `ptxas`.

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
        Item::Variable(it) if [Space::Shared, Space::Const].contains(&it.space) => Some(it),
        _ => None,
    });
    let common: Vec<_> = variables.collect();
    let kernels = module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry => Some(function),
        _ => None,
    });
    kernels.map(|kernel| row(kernel, &common)).collect()
}

/// The row of a kernel; `common` has the variables of the module in shared and constant memory.
fn row(kernel: &Function, common: &[&Variable]) -> String {
    let mut named = Vec::new();
    for operand in kernel.instructions().flat_map(|it| &it.operands) {
        operand.each_name(&mut |name| named.push(name));
    }
    let own = kernel.variables().filter(|it| it.space == Space::Shared);
    let common = common.iter().copied().filter(|it| named.contains(&it.name));
    let placed: Vec<_> = own.chain(common).collect();
    let bytes = placed.iter().filter(|it| it.space == Space::Shared).map(|it| {
        let bits = it.ty.trim_start_matches(|it: char| !it.is_ascii_digit()).parse::<u64>();
        it.count.unwrap_or(0).saturating_mul(bits.unwrap_or(8) / 8)
    });
    let bytes = bytes.fold(0_u64, u64::saturating_add).min(u64::from(u32::MAX));
    let names: Vec<&str> = placed.iter().map(|it| it.name).collect();
    let (name, estimate) = (kernel.name, ResourceTable::ESTIMATE);
    let registers = registers::estimate(kernel);
    let (waits, issues) = by_line(kernel, &names);
    format!("{name},{estimate},{registers},{bytes},0,0,0,{waits},{issues}\n")
}

/// The columns by line: waits and issues. `placed` has the names of the variables in shared and constant
/// memory. Empty if a line has several instructions.
fn by_line(kernel: &Function, placed: &[&str]) -> (String, String) {
    let lines: Vec<u32> = kernel.instructions().map(|it| it.position.line).collect();
    if lines.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Default::default();
    }
    let joined = joined::joined(kernel, placed);
    let blocks = blocks::blocks(kernel);
    let alone = joined.iter().map(|line| (*line, [0.0; 7]));
    let mut issues: Vec<_> = issues::issues(&blocks, &joined).into_iter().chain(alone).collect();
    issues.sort_by_key(|(line, _)| *line);
    let issues = issues.iter().map(|(line, kinds)| {
        let kinds: Vec<String> = kinds.iter().map(|many| format!("{many:.1}")).collect();
        // The cycles of a single warp are not estimated.
        format!("{line}={}:0", kinds.join(":"))
    });
    let waits = unrolled::waits(&blocks);
    let waits: Vec<String> = waits.iter().map(|(line, waits)| format!("{line}={waits}")).collect();
    (waits.join(" "), issues.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::emulator::ptx::parse;

    /// PTX and machine code of built-in systems.
    macro_rules! built_in {
        ($($name:literal),*) => {[$((
            include_str!(concat!("../../../kernels/ptx/", $name, ".ptx")),
            include_str!(concat!("../../../kernels/ptx/", $name, ".csv")),
        )),*]};
    }
    pub(super) use built_in;

    /// What is found in a kernel with the shared array `tile` and a body, whose first line is the
    /// sixth.
    pub(super) fn in_kernel<T>(body: &str, find: impl FnOnce(&Function) -> T) -> T {
        let text = format!(
            ".version 7.8\n.target sm_70\n.address_size 64\n.entry k() {{\n\
             .shared .align 4 .b8 tile[4096];\n{body}\nret;\n}}\n"
        );
        let module = parse(&text, "k.ptx").unwrap();
        let Item::Function(function) = &module.items[0] else { panic!("a kernel") };
        find(function)
    }

    /// Instructions that mean something to an estimate, some with names and offsets to fill in.
    const POOL: [&str; 16] = [
        "L:",
        "@%p1 bra L;",
        "bra L;",
        "ret;",
        "bar.sync 0;",
        ".pragma \"nounroll\";",
        "mov.u32 %r1, tile;",
        "add.s32 %rA, %rB, N;",
        "mul.wide.s32 %rdA, %rB, N;",
        "add.s64 %rdA, %rdB, %rdA;",
        "shl.b32 %rA, %rB, N;",
        "ld.shared.f32 %f1, [%rA+N];",
        "ld.const.u8 %r1, [tile+N];",
        "ld.global.f32 %f2, [%rdA];",
        "st.shared.f32 [%rA+N], %f1;",
        "setp.lt.s32 %p1, %rA, %rB;",
    ];

    proptest::proptest! {
        #[test]
        fn lists_of_any_body_are_sorted_and_finite(
            lines in proptest::collection::vec((0..POOL.len(), 1..4_u8, 1..4_u8, -40..40_i64), 0..60),
        ) {
            let mut text = ".version 7.8\n.target sm_70\n.address_size 64\n.entry k() {\n.shared .b8 tile[64];\n".to_owned();
            for (at, a, b, n) in lines {
                let line = POOL[at].replace('A', &a.to_string()).replace('B', &b.to_string());
                text += &format!("{}\n", line.replace('N', &(n * 4).to_string()));
            }
            text += "}\n";
            let module = parse(&text, "k.ptx").unwrap();
            let table = ResourceTable::HEADER.to_owned() + &estimates(&module);
            let code = ResourceTable(&table).machine_code("k", 90);
            proptest::prop_assert!(code.issues.is_sorted_by(|a, b| a.0 < b.0));
            proptest::prop_assert!(code.waits.is_sorted_by(|a, b| a.0 < b.0));
            proptest::prop_assert!(code.issues.iter().all(|(_, kinds)| kinds[0].is_finite()));
            let joined = code.issues.iter().filter(|(_, kinds)| kinds[0] == 0.0);
            for (line, _) in joined {
                proptest::prop_assert!(text.lines().nth(*line as usize - 1).unwrap().starts_with("ld."));
            }
        }
    }

    #[test]
    fn lines_with_several_instructions_are_only_counted_for_registers() {
        let text = ".version 7.8\n.target sm_70\n.address_size 64\n.entry k() {\nmov.u32 %r1, 1; mov.u32 %r2, 2;\nret; }\n";
        let rows = estimates(&parse(text, "k.ptx").unwrap());
        assert_eq!(rows, "k,estimate,16,0,0,0,0,,\n");
    }

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
