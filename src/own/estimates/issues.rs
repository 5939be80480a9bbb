//! Machine instructions of each basic block, estimated from the PTX.
//!
//! Each kind of PTX instruction has an average cost. The averages are fitted by least squares to the
//! `sm_90` machine code of the kernels that the timing model is fitted to (`benches/timing/suite`, `blind`
//! and `blind_2`). On the 400 kernels of the other sets, the estimated sums are 0.94 times those of the
//! machine code, with a standard deviation of one sixth.

use std::collections::{HashMap, HashSet};

use super::blocks::Block;
use super::unrolled::ROUNDS;
use crate::emulator::ptx::{Address, Instruction, Operand};

/// Machine instructions: all, and those of the units for integers, for products of integers, for special
/// functions, for floats and for doubles; how often a warp jumps.
pub(super) type Cost = [f32; 7];

/// For each block with machine instructions: the line that identifies it, and their number. `joined`
/// has the lines of loads that are joined to earlier loads.
pub(super) fn issues(blocks: &[Block], joined: &[u32]) -> Vec<(u32, Cost)> {
    let addresses = shared_addresses(blocks);
    let of = |block: &Block| {
        let plain = block.body.iter().find(|it| it.guard.is_none());
        let line = plain.or(block.body.first())?.position.line;
        let sum = Uses::of(block, &addresses).sum(joined);
        (sum[0] > 0.0).then_some((line, sum))
    };
    blocks.iter().filter_map(of).collect()
}

/// The registers of shared-memory addresses. `ptxas` computes these addresses in 32 bits.
fn shared_addresses<'a>(blocks: &[Block<'a, '_>]) -> HashSet<&'a str> {
    let all = || blocks.iter().flat_map(|block| &block.body);
    let accesses = all().filter(|it| it.has("shared")).flat_map(|it| &it.operands);
    let mut left: Vec<&str> = accesses
        .filter_map(|operand| match operand {
            Operand::Address(Address { base, .. }) => *base,
            _ => None,
        })
        .collect();
    let mut sources: HashMap<&str, Vec<&Operand>> = HashMap::new();
    for it in
        all().filter(|it| ["add", "sub", "mul", "mad", "shl", "mov", "cvta"].contains(&it.opcode))
    {
        if let [Operand::Name(written), read @ ..] = &it.operands[..] {
            sources.entry(written).or_default().extend(read);
        }
    }
    let mut found = HashSet::new();
    while let Some(name) = left.pop() {
        if found.insert(name) {
            for operand in sources.get(name).into_iter().flatten() {
                operand.each_name(&mut |name| left.push(name));
            }
        }
    }
    found
}

/// A block, how often it reads each register, and the registers of addresses of shared memory.
struct Uses<'a, 'b, 'c> {
    block: &'c Block<'a, 'b>,
    reads: HashMap<&'a str, u32>,
    addresses: &'c HashSet<&'a str>,
}

impl<'a, 'b, 'c> Uses<'a, 'b, 'c> {
    fn of(block: &'c Block<'a, 'b>, addresses: &'c HashSet<&'a str>) -> Self {
        let mut reads = HashMap::new();
        for instruction in &block.body {
            let written =
                usize::from(!matches!(instruction.operands.first(), Some(Operand::Address(_))));
            for operand in instruction.operands.iter().skip(written) {
                operand.each_name(&mut |name| *reads.entry(name).or_default() += 1);
            }
        }
        Self { block, reads, addresses }
    }

    fn sum(&self, joined: &[u32]) -> Cost {
        let mut sum = [0.0; 7];
        for (at, instruction) in self.block.body.iter().enumerate() {
            if joined.binary_search(&instruction.position.line).is_ok() {
                continue;
            }
            let rounds = if self.block.unrolled && self.counts(at) { ROUNDS } else { 1.0 };
            for (sum, each) in sum.iter_mut().zip(self.cost(at)) {
                *sum += each / rounds;
            }
        }
        sum
    }

    /// Whether an instruction only counts iterations. An unrolled iteration has one copy of it.
    fn counts(&self, at: usize) -> bool {
        let Instruction { opcode, operands, .. } = self.block.body[at];
        match (*opcode, &operands[..]) {
            ("bra", _) => true,
            ("setp", _) => at + 2 == self.block.body.len(),
            ("add", [Operand::Name(to), Operand::Name(from), Operand::Int(_)]) => to == from,
            _ => false,
        }
    }

    /// Whether one of these opcodes computes an operand of an instruction in the same block, for this
    /// reader alone: `ptxas` may fuse the two.
    fn follows(&self, at: usize, opcodes: &[&str]) -> bool {
        let mut found = false;
        for operand in self.block.body[at].operands.iter().skip(1) {
            operand.each_name(&mut |name| {
                let writers = self.block.writers.get(name);
                let writer = writers.and_then(|it| it.iter().rfind(|writer| **writer < at));
                found |= writer
                    .is_some_and(|&writer| opcodes.contains(&self.block.body[writer].opcode))
                    && self.reads.get(name) == Some(&1);
            });
        }
        found
    }

    /// The machine instructions of one PTX instruction.
    fn cost(&self, at: usize) -> Cost {
        let it = self.block.body[at];
        let ty = it.word.rsplit('.').next().unwrap_or_default();
        let float = ty.starts_with(['f', 'b']) && ty.contains('f');
        let short =
            matches!(it.operands.first(), Some(Operand::Name(it)) if self.addresses.contains(it));
        let (wide, double) = (ty.ends_with("64") && !short, ty == "f64");
        match it.opcode {
            "ld" | "st" if it.has("param") => [0.0; 7],
            "ld" | "ldu" | "st" => cost([0.9]),
            "atom" | "red" | "bar" | "barrier" | "membar" | "fence" => cost([1.3]),
            "shfl" | "vote" | "match" | "redux" | "activemask" => cost([0.5]),
            "mov" | "cvta" => self.moved(at),
            "cvt" => converted(it),
            "bra" | "brx" => match (self.block.back, it.guard) {
                (true, _) => cost([1.0, 0.1, 0.0, 0.0, 0.0, 0.0, 0.9]),
                (false, Some(_)) => cost([1.2, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]),
                (false, None) => cost([0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.4]),
            },
            "neg" | "abs" | "copysign" if float => cost([0.3, 0.0, 0.0, 0.0, 0.3]),
            "min" | "max" if double => cost([3.0, 1.0, 0.0, 0.0, 0.0, 1.0]),
            "min" | "max" if wide => cost([2.0, 2.0]),
            "min" | "max" => cost([0.8, 0.9]),
            "add" | "sub" | "mul" | "mad" | "fma" if double => cost([1.0, 0.0, 0.0, 0.0, 0.0, 0.9]),
            "add" | "sub" | "mul" | "mad" | "fma" if float => cost([0.8, 0.0, 0.0, 0.0, 0.8]),
            "add" | "sub" if wide && self.follows(at, &["mul", "mad"]) => cost([0.4, 0.1, 0.1]),
            "add" | "sub" if wide => cost([1.9, 1.0, 0.3]),
            "add" | "sub" if self.follows(at, &["mul", "shl", "shr"]) => cost([0.3, 0.3]),
            "add" | "sub" => cost([0.9, 0.3, 0.1]),
            "mul" | "mad" if it.has("wide") && short => cost([1.0, 0.7, 0.3]),
            "mul" | "mad" if it.has("wide") => cost([2.5, 0.1, 1.4]),
            "mul" | "mad" if wide => cost([6.0, 0.5, 4.0]),
            "mul" | "mad" if it.has("hi") => cost([3.0, 0.0, 2.0]),
            "mul" | "mad" | "mul24" | "mad24" => cost([1.3, 0.0, 0.9]),
            "dp4a" | "dp2a" => cost([1.0, 0.0, 1.0]),
            "selp" | "slct" if wide => cost([2.0, 1.5, 0.3]),
            "and" | "or" | "xor" | "not" if ty == "pred" => cost([0.2, 0.1]),
            "and" | "or" | "xor" | "not" | "lop3" if wide => cost([1.7, 1.1, 0.2]),
            "and" | "or" | "xor" | "not" | "lop3"
                if self.follows(at, &["and", "or", "xor", "not"]) =>
            {
                [0.0; 7]
            }
            "and" | "or" | "xor" | "not" | "lop3" | "selp" | "slct" => cost([0.9, 0.8, 0.1]),
            "setp" | "set" if double => cost([1.0, 0.0, 0.0, 0.0, 0.0, 1.0]),
            "setp" | "set" if wide => cost([2.0, 1.4]),
            "setp" | "set" | "testp" => cost([1.0, 0.9]),
            "shl" | "shr" | "bfe" | "bfi" if wide => cost([1.2, 0.9]),
            "shl" | "shr" | "shf" | "bfe" | "bfi" | "prmt" => cost([0.8, 0.6, 0.2]),
            "popc" | "clz" | "brev" | "bfind" | "fns" => cost([1.1, 0.1, 0.0, 1.0]),
            "rem" | "div" if !float && wide => cost([82.0, 48.0, 28.0, 3.0]),
            "rem" | "div" if !float => cost([17.0, 9.0, 5.0, 3.0]),
            "div" | "sqrt" | "rcp" | "rsqrt" | "ex2" | "lg2" | "sin" | "cos" | "tanh" => {
                special(it, double)
            }
            _ => cost([1.0, 0.5]),
        }
    }

    /// The cost of moving a constant, a special register, another register or an address.
    fn moved(&self, at: usize) -> Cost {
        match self.block.body[at].operands.get(1) {
            Some(Operand::Int(_) | Operand::Float32(_) | Operand::Float64(_)) => {
                cost([0.5, 0.1, 0.2])
            }
            Some(Operand::Name(name)) if name.contains('.') => cost([1.2]),
            Some(Operand::Name(name)) if name.starts_with('%') => cost([0.9, 0.2, 0.2]),
            _ => cost([1.1, 0.5]),
        }
    }
}

/// A cost, padded with zeros.
fn cost<const N: usize>(head: [f32; N]) -> Cost {
    let mut cost = [0.0; 7];
    cost[..N].copy_from_slice(&head);
    cost
}

/// The cost of a conversion.
fn converted(it: &Instruction) -> Cost {
    let floats = it.modifiers().filter(|part| {
        part.starts_with(['f', 'b', 'e', 't']) && part.contains(|c: char| c.is_ascii_digit())
    });
    match floats.count() {
        0 => cost([0.3, 0.1]),
        _ if it.modifiers().any(|part| part.ends_with("64")) => cost([1.0, 0.0, 0.0, 1.0]),
        _ => cost([0.9, 0.4, 0.0, 0.5]),
    }
}

/// The cost of a quotient, root or special function: one instruction of the special-function unit, plus
/// steps for exact rounding or for scaling, where needed.
fn special(it: &Instruction, double: bool) -> Cost {
    let root = ["div", "sqrt"].contains(&it.opcode);
    match (double, it.has("approx"), it.has("ftz")) {
        (true, ..) if root => cost([15.0, 0.0, 0.0, 1.0, 0.0, 12.0]),
        (true, ..) => cost([10.0, 0.0, 0.0, 1.0, 0.0, 8.0]),
        (_, false, _) if root => cost([11.0, 0.0, 0.0, 1.0, 8.5]),
        (_, false, _) if it.opcode == "rcp" => cost([7.0, 0.0, 0.0, 1.0, 6.0]),
        _ if ["sin", "cos"].contains(&it.opcode) => cost([2.0, 0.0, 0.0, 1.0, 1.0]),
        (.., true) => cost([1.0, 0.0, 0.0, 1.0]),
        _ => cost([4.0, 0.5, 0.0, 1.0, 2.0]),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::blocks::blocks;
    use super::super::tests::{built_in, in_kernel};
    use super::*;
    use crate::emulator::ptx::{Item, parse};
    use crate::work::ResourceTable;

    /// What is found for a body, whose first line is the sixth, without the load in line `joined`.
    fn found(body: &str, joined: u32) -> Vec<(u32, Cost)> {
        in_kernel(body, |function| issues(&blocks(function), &[joined]))
    }

    #[test]
    fn a_block_is_known_by_its_first_instruction_without_a_guard() {
        let body = "@%p1 add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r2, %r3;\n\
                    ld.shared.f32 %f1, [%r4];\nld.shared.f32 %f2, [%r4+4];";
        let [(7, sum)] = found(body, 9)[..] else { panic!("one block") };
        // Two sums, one of two loads and the end.
        assert!((sum[0] - (0.9 + 0.9 + 0.9 + 1.0)).abs() < 0.01, "{sum:?}");
    }

    #[test]
    fn a_sum_after_a_product_is_nearly_free_and_one_for_shared_memory_has_32_bits() {
        let address = "mul.wide.u32 %rd1, %r1, 4;\nadd.s64 %rd2, %rd3, %rd1;";
        let all = |body: &str| found(body, 0)[0].1[0] - 1.0;
        assert!((all(address) - 2.9).abs() < 0.01);
        assert!(
            (all(&format!("{address}\nld.shared.f32 %f1, [%rd2];")) - (1.3 + 0.9)).abs() < 0.01
        );
        assert!((all("add.s64 %rd2, %rd3, %rd1;") - 1.9).abs() < 0.01);
    }

    #[test]
    fn counting_is_left_out_of_unrolled_rounds() {
        let round = "L:\nld.global.f32 %f1, [%rd1];\nadd.s64 %rd1, %rd1, 4;\nadd.s32 %r1, %r1, 1;\n\
                     setp.lt.s32 %p1, %r1, %r2;\n@%p1 bra L;";
        let all = |body: &str| found(body, 0)[0].1[0];
        let kept = round.replace("L:", "L:\n.pragma \"nounroll\";");
        assert!((all(round) - 0.9 - (all(&kept) - 0.9) / 4.0).abs() < 0.01);
    }

    #[test]
    fn estimates_are_near_the_machine_code_of_the_systems() {
        for (ptx, table) in built_in!["reduce", "scan", "matmul"] {
            let (mut estimated, mut known) = (0.0, 0.0);
            for item in &parse(ptx, "k.ptx").unwrap().items {
                let Item::Function(kernel) = item else { continue };
                let code = ResourceTable(table).machine_code(kernel.name, 90);
                known += code.issues.iter().map(|(_, kinds)| kinds[0]).sum::<f32>();
                estimated +=
                    issues(&blocks(kernel), &[]).iter().map(|(_, kinds)| kinds[0]).sum::<f32>();
            }
            let ratio = estimated / known;
            assert!((0.75..1.3).contains(&ratio), "{ratio} of {known}");
        }
    }
}
