//! Special registers: those that keep their value while a block runs are slots
//! filled before it starts, clocks are read where the kernel reads them.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Bits, FillValue, Function, MULTIPROCESSORS, Op, Slot, Special, Step};
use crate::ptx::Instruction;

/// Whether `text` is a number below `end`, perhaps with `_64` behind it.
fn is_number(text: &str, end: u32) -> bool {
    text.strip_suffix("_64").unwrap_or(text).parse::<u32>().is_ok_and(|number| number < end)
}

/// The value of a special register that does not change while a block runs.
pub(crate) fn special(name: &str) -> Option<FillValue> {
    let name = match name.strip_prefix("%envreg").or_else(|| name.strip_prefix("%pm")) {
        Some(number) if is_number(number, 32) => "%pm",
        _ => name,
    };
    let (base, axis) = match name.rsplit_once('.') {
        Some((base, "x")) => (base, 0),
        Some((base, "y")) => (base, 1),
        Some((base, "z")) => (base, 2),
        _ => (name, 3),
    };
    let special = match (base, axis) {
        ("%tid", 0..3) => Special::Thread(axis),
        ("%ntid", 0..3) => Special::BlockExtent(axis),
        ("%ctaid", 0..3) => Special::Block(axis),
        ("%nctaid", 0..3) => Special::GridExtent(axis),
        ("%clusterid", 0..3) => Special::Cluster(axis),
        ("%nclusterid", 0..3) => Special::ClusterGridExtent(axis),
        ("%cluster_ctaid", 0..3) => Special::BlockInCluster(axis),
        ("%cluster_nctaid", 0..3) => Special::ClusterExtent(axis),
        ("%cluster_ctarank", _) => Special::ClusterRank,
        ("%cluster_nctarank", _) => Special::ClusterSize,
        ("%laneid", _) => Special::Lane,
        ("%warpid", _) => Special::Warp,
        ("%nwarpid", _) => Special::Warps,
        ("%lanemask_eq", _) => Special::MaskEqual,
        ("%lanemask_lt", _) => Special::MaskLess,
        ("%lanemask_le", _) => Special::MaskLessEqual,
        ("%lanemask_gt", _) => Special::MaskGreater,
        ("%lanemask_ge", _) => Special::MaskGreaterEqual,
        ("%dynamic_smem_size", _) => Special::DynamicShared,
        ("%total_smem_size" | "%aggr_smem_size", _) => Special::TotalShared,
        ("%smid", _) => Special::Multiprocessor,
        ("%nsmid", _) => return Some(FillValue::Constant(u64::from(MULTIPROCESSORS))),
        ("%gridid", _) => return Some(FillValue::Constant(1)),
        // What no launch of this kind sets: graphs, the driver's own registers,
        // performance monitors.
        ("%current_graph_exec" | "%pm", _) => return Some(FillValue::Constant(0)),
        ("WARP_SZ", _) => return Some(FillValue::Constant(32)),
        _ => return None,
    };
    Some(FillValue::Special(special))
}

/// Whether a special register has 64 bits.
pub(crate) fn is_wide(name: &str) -> bool {
    matches!(name, "%gridid" | "%clock64" | "%globaltimer" | "%current_graph_exec")
        || name.starts_with("%pm") && name.ends_with("_64")
}

impl<'a> Compiler<'a> {
    /// `createpolicy`: what caches are told. There are none to tell.
    pub(crate) fn policy(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let Some((d, _)) = instruction.operands.split_first() else {
            return unsupported(instruction);
        };
        let d = self.destination(Type { kind: Kind::Bits, bits: 64 }, d)?;
        let a = self.constant64(0)?;
        self.push(Op::Move64 { d, a });
        Ok(())
    }

    /// A slot with what a clock shows now: `wide` asks for 64 bits. `None` if
    /// `name` is no clock.
    pub(crate) fn clock(&mut self, name: &str, wide: bool) -> Compiled<Option<Slot>> {
        let high = match name {
            "%clock64" | "%globaltimer" | "%clock" | "%globaltimer_lo" => false,
            "%clock_hi" | "%globaltimer_hi" => true,
            _ => return Ok(None),
        };
        if wide && !is_wide(name) {
            return Err(format!("`{name}` has 32 bits"));
        }
        // What depends on time differs from run to run on a GPU.
        (self.schedule_dependent, self.polls) = (true, true);
        let (clock, start) = (self.names.new64()?, self.insts.len());
        self.push_always(Op::Clock { d: clock });
        if wide {
            return Ok(Some(clock));
        }
        let (d, index) = (self.names.new32()?, u8::from(high));
        let part = Bits::Part { width: 32, index, signed: false };
        self.push_always(Op::each(Function::Bits(part), (d, false), &[(clock, true)]));
        self.quick(start, Step::Clock { high, d });
        Ok(Some(d))
    }
}
