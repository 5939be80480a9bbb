//! Barriers of the block.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{ALL_THREADS, ANY_BARRIER, Exchange, Meet, Op, SiteKind};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    /// `bar.sync a{, b}`, `bar.arrive a, b`, `bar.red.op d, a{, b}, p`, and the
    /// newer spellings `barrier` and `barrier.cta`.
    pub(crate) fn barrier(&mut self, instruction: &Instruction<'a>) -> Compiled {
        if instruction.has("cluster") {
            return self.cluster_barrier(instruction);
        }
        let mut meet = None;
        for word in instruction.modifiers() {
            meet = Some(match word {
                "cta" | "aligned" | "u32" | "pred" | "red" => continue,
                "sync" => Meet::Sync,
                "arrive" => Meet::Arrive,
                "popc" => Meet::Count,
                "and" => Meet::All,
                "or" => Meet::Any,
                _ => return unsupported(instruction),
            });
        }
        let Some(meet) = meet else { return unsupported(instruction) };
        let mut operands = instruction.operands.as_slice();
        let (mut d, mut a) = (0, 0);
        if !matches!(meet, Meet::Sync | Meet::Arrive) {
            let [result, rest @ .., vote] = operands else { return unsupported(instruction) };
            d = if meet == Meet::Count {
                self.destination(Type { kind: Kind::Unsigned, bits: 32 }, result)?
            } else {
                self.pred_destination(result)?
            };
            a = self.pred_value(vote)?;
            operands = rest;
        }
        let (id, threads) = match operands {
            [id] if meet != Meet::Arrive => (id, ALL_THREADS),
            [id, threads] => (id, self.value32(threads)?),
            _ => return unsupported(instruction),
        };
        if let Operand::Int(id) = id
            && *id > 15
        {
            return Err(format!("there is no barrier {id}; a block has 0 to 15"));
        }
        if let [_, Operand::Int(count)] = operands
            && !count.is_multiple_of(32)
        {
            return Err(format!("a barrier waits for whole warps, not for {count} threads"));
        }
        let fixed = if let Operand::Int(id) = id { *id as i64 } else { ANY_BARRIER };
        let id = self.value32(id)?;
        let site = self.site(SiteKind::Barrier, fixed)?;
        self.push(Op::Barrier { meet, id, threads, d, a, site });
        Ok(())
    }

    /// Instructions that change nothing that a kernel can see. What they read
    /// has to be there all the same.
    pub(crate) fn hint(&mut self, instruction: &Instruction<'a>) -> Compiled {
        // Whoever sleeps waits for somebody else.
        self.polls |= instruction.opcode == "nanosleep";
        match instruction.operands.first() {
            _ if instruction.opcode == "pmevent" => Ok(()),
            // The launch before this one has ended, and none waits for this one: one kernel runs
            // at a time.
            None if matches!(
                instruction.modifiers().collect::<Vec<_>>().as_slice(),
                ["launch_dependents" | "wait"]
            ) =>
            {
                Ok(())
            }
            Some(operand) if instruction.opcode == "setmaxnreg" => registers(instruction, operand),
            Some(Operand::Address(address)) => {
                if let Some(name) = address.base
                    && self.names.find(name)?.is_none()
                    && self.names.symbol(name).is_none()
                {
                    return Err(format!("`{name}` is neither a register nor a variable"));
                }
                Ok(())
            }
            Some(operand) if instruction.opcode == "nanosleep" => {
                self.value32(operand)?;
                Ok(())
            }
            _ => unsupported(instruction),
        }
    }

    /// Blocks run on one host thread each, and accesses to global memory are carried out in
    /// program order: a fence only takes time, where other blocks should see what was stored.
    /// Fences of other things are refused.
    pub(crate) fn fence(&mut self, instruction: &Instruction<'a>) -> Compiled {
        const KNOWN: [&str; 17] = [
            "sc",
            "acq_rel",
            "acquire",
            "release",
            "cta",
            "cluster",
            "gpu",
            "sys",
            "gl",
            "proxy",
            "async",
            "alias",
            "global",
            "shared::cta",
            "shared::cluster",
            "mbarrier_init",
            "tensormap::generic",
        ];
        for word in instruction.modifiers() {
            if !KNOWN.contains(&word) {
                return unsupported(instruction);
            }
        }
        let far = ["gl", "gpu", "sys"].iter().any(|word| instruction.has(word));
        if far && !instruction.has("proxy") { self.exchange(Exchange::Fence, None) } else { Ok(()) }
    }
}

/// `setmaxnreg.inc/dec.sync.aligned.u32 count`: sets the registers of a warp. It has no
/// effect here, since a warp always has enough. The count obeys the rules of the PTX ISA.
fn registers(instruction: &Instruction, count: &Operand) -> Compiled {
    let words: Vec<&str> = instruction.modifiers().collect();
    match (words.as_slice(), count) {
        (["inc" | "dec", "sync", "aligned", "u32"], Operand::Int(count)) => {
            if (24..=256).contains(count) && count.is_multiple_of(8) {
                return Ok(());
            }
            Err(format!(
                "`{}` of {count} registers: it has to be a multiple of 8 from 24 to 256",
                instruction.word
            ))
        }
        _ => unsupported(instruction),
    }
}
