//! Shuffles, votes, matches, warp-wide reductions and the barrier of a warp.

use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, last_type, unsupported};
use crate::compile::types::Type;
use crate::program::{Collective, Combine, Exchange, From, Op, SiteKind, Slot, Vote};
use crate::ptx::{Instruction, Operand};

impl<'a> Compiler<'a> {
    /// `shfl`, `vote`, `match`, `redux`, `elect`, `activemask`, `bar.warp`.
    pub(crate) fn collective(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let sync = instruction.has("sync");
        let operands = instruction.operands.as_slice();
        // The forms with `.sync` name the lanes last.
        let (members, operands) = match operands.split_last() {
            Some((members, rest)) if sync => (Some(self.value32(members)?), rest),
            _ => (None, operands),
        };
        let exchange = match (instruction.opcode, operands) {
            ("shfl", [d, a, b, c]) => self.shuffle(instruction, [d, a, b, c])?,
            ("vote", [d, a]) => {
                let a = self.pred_value(a)?;
                match instruction.modifiers().find(|word| *word != "sync") {
                    Some("ballot") => Exchange::Ballot { d: self.destination(Type::B32, d)?, a },
                    Some(word) => {
                        let f = match word {
                            "all" => Vote::All,
                            "any" => Vote::Any,
                            "uni" => Vote::Uniform,
                            _ => return unsupported(instruction),
                        };
                        Exchange::Vote { f, d: self.pred_destination(d)?, a }
                    }
                    None => return unsupported(instruction),
                }
            }
            ("match", [d, a]) if sync => {
                let ty = last_type(instruction)?;
                let (wide, a) = (ty.wide(), self.value(ty, a)?);
                match instruction.modifiers().next() {
                    Some("any") => {
                        Exchange::MatchAny { wide, d: self.destination(Type::B32, d)?, a }
                    }
                    Some("all") => {
                        let (d, p) = self.with_pred(d)?;
                        Exchange::MatchAll { wide, d, p, a }
                    }
                    _ => return unsupported(instruction),
                }
            }
            ("redux", [d, a]) if sync => {
                let ty = last_type(instruction)?;
                let pick = |s, u| if ty.signed() { s } else { u };
                let f = match instruction.modifiers().nth(1) {
                    Some("add") => Combine::Add,
                    Some("min") => pick(Combine::MinS, Combine::MinU),
                    Some("max") => pick(Combine::MaxS, Combine::MaxU),
                    Some("and") => Combine::And,
                    Some("or") => Combine::Or,
                    Some("xor") => Combine::Xor,
                    _ => return unsupported(instruction),
                };
                let f = if instruction.has("f32") { float(instruction)? } else { f };
                if ty.bits != 32 {
                    return unsupported(instruction);
                }
                let a = self.value32(a)?;
                Exchange::Reduce { f, d: self.destination(Type::B32, d)?, a }
            }
            ("elect", [Operand::Pair(d, p)]) if sync => {
                let d = if *d == "_" {
                    None
                } else {
                    Some(self.destination(Type::B32, &Operand::Name(d))?)
                };
                Exchange::Elect { d, p: self.names.pred(p)? }
            }
            ("activemask", [d]) => Exchange::Active { d: self.destination(Type::B32, d)? },
            ("bar" | "barrier", []) if sync => Exchange::Barrier,
            _ => return unsupported(instruction),
        };
        self.exchange(exchange, members)
    }

    /// An exchange among the lanes that the slot `members` names, or those that come together.
    pub(crate) fn exchange(&mut self, exchange: Exchange, members: Option<Slot>) -> Compiled {
        let site = self.site(SiteKind::Exchange, 0)?;
        let index = u16::try_from(self.collectives.len())
            .map_err(|_| "the kernel has more than 65536 exchanges among lanes".to_owned())?;
        self.collectives.push(Collective { exchange, members, site });
        self.push(Op::Collective { index });
        Ok(())
    }

    fn shuffle(
        &mut self,
        instruction: &Instruction<'a>,
        [d, a, b, c]: [&Operand<'a>; 4],
    ) -> Compiled<Exchange> {
        let from = instruction.modifiers().find_map(|word| {
            Some(match word {
                "up" => From::Up,
                "down" => From::Down,
                "bfly" => From::Butterfly,
                "idx" => From::Index,
                _ => return None,
            })
        });
        let Some(from) = from else { return unsupported(instruction) };
        let (d, p) = self.with_pred(d)?;
        let [a, b, c] = [self.value32(a)?, self.value32(b)?, self.value32(c)?];
        Ok(Exchange::Shuffle { from, d, p, a, b, c })
    }

    /// `%r1` or `%r1|%p1`; either may be `_`.
    fn with_pred(&mut self, d: &Operand<'a>) -> Compiled<(Slot, Option<Slot>)> {
        match d {
            Operand::Pair(d, p) => {
                let p = if *p == "_" { None } else { Some(self.names.pred(p)?) };
                Ok((self.destination(Type::B32, &Operand::Name(d))?, p))
            }
            d => Ok((self.destination(Type::B32, d)?, None)),
        }
    }

    pub(crate) fn pred_destination(&mut self, d: &Operand<'a>) -> Compiled<Slot> {
        match d {
            Operand::Name("_") => self.names.new_pred(),
            Operand::Name(name) => self.names.pred(name),
            _ => Err("expected a predicate to write".to_owned()),
        }
    }
}

/// What `redux.sync.op{.abs}{.NaN}.f32` does.
fn float(instruction: &Instruction) -> Compiled<Combine> {
    let words: Vec<&str> = instruction.modifiers().collect();
    let ["sync", op @ ("min" | "max"), rest @ .., "f32"] = words.as_slice() else {
        return unsupported(instruction);
    };
    let (abs, nan) = match rest {
        [] => (false, false),
        ["abs"] => (true, false),
        ["NaN"] => (false, true),
        ["abs", "NaN"] => (true, true),
        _ => return unsupported(instruction),
    };
    Ok(Combine::Float { max: *op == "max", abs, nan })
}
