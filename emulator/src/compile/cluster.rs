//! Clusters of blocks that see each other's shared memory.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, operands, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{
    Bits, Clusters, Function, Int2, Meet, Op, Rmw, SHARED_WINDOW_BYTES, SiteKind, Together,
};
use crate::ptx::{self, Instruction, Operand, Statement};

const MBARRIER: &str = "mbarrier::complete_tx::bytes";

/// In the name of the function that `grid.sync()` calls. A GPU runs what it says: its blocks spin on
/// a word until all have come. Here they wait without.
pub const GRID_BARRIER: &str = "warpscope_grid_barrier";

/// What `entry` says about clusters; `functions` are those that can run.
pub(crate) fn of(entry: &ptx::Function, functions: &[&ptx::Function]) -> Clusters {
    let said = entry.cluster;
    let statements = functions.iter().filter_map(|function| function.body.as_ref()).flatten();
    let mut reaches = statements.filter_map(|statement| match statement {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    });
    let reaches = reaches.any(|instruction| {
        matches!(instruction.opcode, "mapa" | "getctarank")
            || instruction.modifiers().any(|word| word.ends_with("::cluster"))
    });
    Clusters {
        fixed: said.and_then(|said| said.blocks),
        explicit: said.is_some_and(|said| said.explicit),
        most: said.and_then(|said| said.most),
        reaches,
        meets: Together::Nobody,
    }
}

impl<'a> Compiler<'a> {
    /// `barrier.cluster.arrive{.release | .relaxed}{.aligned}`, `barrier.cluster.wait{.acquire}{.aligned}`.
    pub(crate) fn cluster_barrier(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let words: Vec<&str> = instruction.modifiers().filter(|word| *word != "aligned").collect();
        let meet = match words.as_slice() {
            ["cluster", "arrive"] | ["cluster", "arrive", "release" | "relaxed"] => {
                Meet::ArriveInCluster
            }
            ["cluster", "wait"] | ["cluster", "wait", "acquire"] => Meet::WaitInCluster,
            _ => return unsupported(instruction),
        };
        let [] = operands(instruction)?;
        self.meet(meet)
    }

    /// A call of [`GRID_BARRIER`].
    pub(crate) fn grid_barrier(&mut self) -> Compiled {
        self.cluster.meets = Together::Grid;
        self.meet(Meet::ArriveInCluster)?;
        self.meet(Meet::WaitInCluster)
    }

    fn meet(&mut self, meet: Meet) -> Compiled {
        if self.cluster.meets == Together::Nobody {
            self.cluster.meets = Together::Cluster;
        }
        let none = self.constant32(0)?;
        let site = self.site(SiteKind::Barrier, 0)?;
        self.push(Op::Barrier { meet, id: none, threads: none, d: 0, a: 0, site });
        Ok(())
    }

    /// `mapa{.shared::cluster}.type d, a, rank`: the address of `a` in block `rank`.
    pub(crate) fn mapa(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a, rank] = operands(instruction)?;
        let ty = last_type(instruction)?;
        let wide = match instruction.modifiers().collect::<Vec<_>>().as_slice() {
            ["shared::cluster", "u32"] | ["u32"] => false,
            ["shared::cluster", "u64"] | ["u64"] => true,
            _ => return unsupported(instruction),
        };
        let address = self.value(ty, a)?;
        let rank = self.value32(rank)?;
        let step = SHARED_WINDOW_BYTES.trailing_zeros();
        // Ranks have a byte of the address.
        let whose = 0xff_u64 << step;
        let (cleared, moved) = (self.names.fresh(wide)?, self.names.fresh(wide)?);
        let (keep, shift) = if wide {
            (self.constant64(!whose)?, self.constant64(u64::from(step))?)
        } else {
            (self.constant32(!whose as u32)?, self.constant32(step)?)
        };
        let rank = if wide {
            let long = self.names.new64()?;
            self.push(Op::Widen { signed: false, d: long, a: rank });
            long
        } else {
            rank
        };
        self.push(Op::binary(wide, Int2::And, [cleared, address, keep]));
        self.push(Op::binary(wide, Int2::ShiftLeft, [moved, rank, shift]));
        let d = self.destination(ty, d)?;
        self.push(Op::binary(wide, Int2::Or, [d, cleared, moved]));
        Ok(())
    }

    /// `getctarank{.shared::cluster}.type d, a`: the number of the block that has `a`.
    pub(crate) fn rank_of(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [d, a] = operands(instruction)?;
        let ty = last_type(instruction)?;
        if !matches!(ty, Type { kind: Kind::Unsigned, bits: 32 | 64 }) {
            return unsupported(instruction);
        }
        let a = self.value(ty, a)?;
        let d = self.destination(Type::B32, d)?;
        let index = (SHARED_WINDOW_BYTES.trailing_zeros() / 8) as u8;
        let part = Bits::Part { width: 8, index, signed: false };
        self.push(Op::each(Function::Bits(part), (d, false), &[(a, ty.wide())]));
        Ok(())
    }

    /// `st.async` and `red.async`: carried out at once, and the barrier learns of the bytes.
    pub(crate) fn asynchronous(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let [target @ Operand::Address(_), value, Operand::Address(barrier)] =
            instruction.operands.as_slice()
        else {
            return unsupported(instruction);
        };
        let words: Vec<&str> = instruction.modifiers().collect();
        let stores = instruction.opcode == "st";
        let (["async", "weak", known @ ..]
        | ["async", "relaxed", "cluster", known @ ..]
        | ["async", known @ ..]) = words.as_slice()
        else {
            return unsupported(instruction);
        };
        let known = known.strip_prefix(&["shared::cluster"]).unwrap_or(known);
        let Some([what @ .., ty]) = known.strip_prefix(&[MBARRIER]) else {
            return unsupported(instruction);
        };
        let possible = matches!(
            (stores, what, *ty),
            (
                true,
                [] | ["v2" | "v4"],
                "b32" | "b64" | "u32" | "u64" | "s32" | "s64" | "f32" | "f64"
            ) | (false, ["inc" | "dec"], "u32")
                | (false, ["and" | "or" | "xor"], "b32")
                | (false, ["min" | "max"], "u32" | "s32")
                | (false, ["add"], "u32" | "s32" | "u64" | "s64")
        );
        let ordered = stores || words.starts_with(&["async", "relaxed", "cluster"]);
        if !possible || !ordered {
            return unsupported(instruction);
        }
        // The same instruction without its barrier.
        let plain =
            Instruction { operands: vec![target.clone(), value.clone()], ..instruction.clone() };
        if stores {
            self.store(&plain)?;
        } else {
            self.atomic(&plain)?;
        }
        let count = match value {
            Operand::Vector(parts) => parts.len() as u32,
            _ => 1,
        };
        let bytes = count * last_type(instruction)?.bytes();
        if bytes > 16 {
            return Err(format!("`{}` stores {bytes} bytes; 16 are the most", instruction.word));
        }
        let (b, c) = (self.constant64(u64::from(bytes))?, self.constant64(0)?);
        self.arrival(instruction, barrier, None, (Rmw::CompleteBytes, b, c))
    }
}
