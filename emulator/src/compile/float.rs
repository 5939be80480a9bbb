//! Floating-point instructions.

use crate::compile::arithmetic::{mode, only};
use crate::compile::compiler::Compiler;
use crate::compile::refuse::{Compiled, operands, operands_and_more, sources, unsupported};
use crate::program::{Arithmetic, Class, Extreme, Float, Float2, Function, Mode, Op, Slot};
use crate::ptx::Instruction;

/// Modifiers that arithmetic knows.
const KNOWN: &[&str] = &["rn", "rz", "rm", "rp", "ftz", "sat", "relu", "approx", "full"];

impl<'a> Compiler<'a> {
    pub(crate) fn float(&mut self, instruction: &Instruction<'a>, float: Float) -> Compiled {
        match instruction.opcode {
            "min" | "max" => return self.extreme(instruction, float),
            "testp" => return self.testp(instruction, float),
            _ => {}
        }
        only(instruction, KNOWN)?;
        let mode = mode(instruction);
        let approximate = instruction.has("approx");
        let gross = float == Float::F64 && mode.flush && approximate;
        let (f, count) = match instruction.opcode {
            "add" => (Arithmetic::Add, 2),
            "sub" => (Arithmetic::Sub, 2),
            "mul" => (Arithmetic::Mul, 2),
            "fma" | "mad" => (Arithmetic::Fma, 3),
            "div" if approximate => (Arithmetic::DivApprox, 2),
            "div" => (Arithmetic::Div, 2),
            "sqrt" if approximate => (Arithmetic::SqrtApprox, 1),
            "sqrt" => (Arithmetic::Sqrt, 1),
            "rcp" if gross => (Arithmetic::ReciprocalGross, 1),
            "rcp" if approximate => (Arithmetic::Reciprocal, 1),
            "rcp" => (Arithmetic::ReciprocalRounded, 1),
            "rsqrt" if gross => (Arithmetic::ReciprocalSqrtGross, 1),
            "rsqrt" => (Arithmetic::ReciprocalSqrt, 1),
            "sin" => (Arithmetic::Sin, 1),
            "cos" => (Arithmetic::Cos, 1),
            "ex2" => (Arithmetic::Exp2, 1),
            "lg2" => (Arithmetic::Log2, 1),
            "tanh" => (Arithmetic::Tanh, 1),
            "neg" => (Arithmetic::Negate, 1),
            "abs" => (Arithmetic::Absolute, 1),
            "copysign" => (Arithmetic::CopySign, 2),
            _ => return unsupported(instruction),
        };
        let (d, sources) = sources(instruction, count)?;
        let d = self.destination(float.register(), d)?;
        let sources = sources.iter().map(|source| self.float_value(float, source));
        let sources = sources.collect::<Compiled<Vec<Slot>>>()?;
        let op = match (mode == Mode::PLAIN, float) {
            (true, Float::F32 | Float::F64) => native(f, float.wide(), d, &sources),
            _ => None,
        };
        if let Some(op) = op {
            self.push(op);
        } else {
            let wide = float.wide();
            let sources: Vec<_> = sources.into_iter().map(|slot| (slot, wide)).collect();
            self.push_each(Function::Arithmetic(f, float, mode), (d, wide), &sources);
        }
        Ok(())
    }

    /// `min` and `max` of two or three values.
    fn extreme(&mut self, instruction: &Instruction<'a>, float: Float) -> Compiled {
        only(instruction, &["ftz", "NaN", "xorsign", "abs"])?;
        if instruction.has("abs") && !instruction.has("xorsign") {
            return unsupported(instruction);
        }
        let f = Extreme {
            max: instruction.opcode == "max",
            nan: instruction.has("NaN"),
            xorsign: instruction.has("xorsign"),
            flush: instruction.has("ftz"),
        };
        let ([d, a, b], c) = operands_and_more(instruction)?;
        if f.xorsign && c.is_some() {
            return Err(format!("`{}` does not take these operands", instruction.word));
        }
        let wide = float.wide();
        let d = self.destination(float.register(), d)?;
        let (a, b) = (self.float_value(float, a)?, self.float_value(float, b)?);
        let f = Function::Extreme(f, float);
        let (mut a, mut b) = ((a, wide), (b, wide));
        if let Some(c) = c {
            (a, b) = (self.each(f, wide, &[a, b])?, (self.float_value(float, c)?, wide));
        }
        self.push_each(f, (d, wide), &[a, b]);
        Ok(())
    }

    fn testp(&mut self, instruction: &Instruction<'a>, float: Float) -> Compiled {
        let class = match instruction.modifiers().next() {
            Some("finite") => Class::Finite,
            Some("infinite") => Class::Infinite,
            Some("number") => Class::Number,
            Some("notanumber") => Class::NotANumber,
            Some("normal") => Class::Normal,
            Some("subnormal") => Class::Subnormal,
            _ => return unsupported(instruction),
        };
        let [d, a] = operands(instruction)?;
        let d = self.pred_destination(d)?;
        let a = self.float_value(float, a)?;
        self.push_test(Function::Class(class, float), d, [a, a], float.wide());
        Ok(())
    }
}

/// The op that computes `f` by the host's own arithmetic, if there is one.
fn native(f: Arithmetic, wide: bool, d: Slot, sources: &[Slot]) -> Option<Op> {
    let binary = |f, a, b| Op::float_binary(wide, f, [d, a, b]);
    Some(match (f, sources) {
        (Arithmetic::Add, &[a, b]) => binary(Float2::Add, a, b),
        (Arithmetic::Sub, &[a, b]) => binary(Float2::Sub, a, b),
        (Arithmetic::Mul, &[a, b]) => binary(Float2::Mul, a, b),
        (Arithmetic::Fma, &[a, b, c]) if wide => Op::Fma64 { d, a, b, c },
        (Arithmetic::Fma, &[a, b, c]) => Op::Fma32 { d, a, b, c },
        _ => return None,
    })
}
