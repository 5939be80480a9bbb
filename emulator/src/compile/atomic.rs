//! Atomics: `atom` and `red`, on numbers, pairs of halves and vectors.

use crate::compile::compiler::Compiler;
use crate::compile::memory::{ASYNC, check_modifiers, parts, vector, without_policy};
use crate::compile::refuse::{Compiled, unsupported};
use crate::compile::types::{Kind, Type};
use crate::program::{Cell, Op, Rmw, SiteKind, Slot, Update, Window};
use crate::ptx::{Instruction, Operand};

/// What an atomic does to each cell.
#[derive(Clone, Copy)]
struct Change {
    f: Rmw,
    /// Of a register.
    ty: Type,
    cell: Cell,
    /// Whether cells are floats, whose sums depend on their order.
    float: bool,
}

/// Finds out what an atomic does.
fn change(instruction: &Instruction) -> Option<Change> {
    const FUNCTIONS: &[&str] =
        &["add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"];
    let function = instruction.modifiers().find(|word| FUNCTIONS.contains(word))?;
    let word = instruction.modifiers().last()?;
    let half = match word {
        "f16" | "f16x2" => Some([Rmw::AddF16, Rmw::MinF16, Rmw::MaxF16]),
        "bf16" | "bf16x2" => Some([Rmw::AddBf16, Rmw::MinBf16, Rmw::MaxBf16]),
        _ => None,
    };
    if let Some([add, min, max]) = half {
        let vector = ["v2", "v4", "v8"].iter().any(|word| instruction.has(word));
        let f = match function {
            "add" => add,
            "min" if vector => min,
            "max" if vector => max,
            _ => return None,
        };
        let (bits, cell) = if word.ends_with("x2") { (32, Cell::B32) } else { (16, Cell::U16) };
        let ty = Type { kind: Kind::Bits, bits };
        return instruction.has("noftz").then_some(Change { f, ty, cell, float: true });
    }
    let ty = instruction.modifiers().filter_map(Type::parse).last()?;
    let float = ty.kind == Kind::Float;
    let pick = |s, u| if ty.signed() { s } else { u };
    let f = match function {
        "add" if float => Rmw::AddFloat,
        _ if float => return None,
        "cas" => Rmw::CompareExchange,
        _ if ty.bits < 32 => return None,
        "add" => Rmw::Add,
        "min" => pick(Rmw::MinS, Rmw::MinU),
        "max" => pick(Rmw::MaxS, Rmw::MaxU),
        "and" => Rmw::And,
        "or" => Rmw::Or,
        "xor" => Rmw::Xor,
        "exch" => Rmw::Exchange,
        "inc" => Rmw::Increment,
        _ => Rmw::Decrement,
    };
    let cell = match ty.bits {
        16 if !float => Cell::U16,
        32 => Cell::B32,
        64 => Cell::B64,
        _ => return None,
    };
    Some(Change { f, ty, cell, float })
}

impl<'a> Compiler<'a> {
    pub(crate) fn atomic(&mut self, instruction: &Instruction<'a>) -> Compiled {
        check_modifiers(
            instruction,
            &[
                "add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec", "noftz",
                "f16", "f16x2", "bf16", "bf16x2", "b128", ASYNC[0], ASYNC[1],
            ],
        )?;
        if instruction.has("b128") {
            return self.atomic_b128(instruction);
        }
        let Some(change) = change(instruction) else { return unsupported(instruction) };
        let Change { f, ty, cell, float } = change;
        let (d, rest) = match (instruction.opcode, without_policy(instruction)) {
            ("atom", [d, rest @ ..]) => (Some(d), rest),
            ("red", rest) => (None, rest),
            _ => return unsupported(instruction),
        };
        let takes = if f == Rmw::CompareExchange { 3 } else { 2 };
        let (Operand::Address(address), b, c) = (match rest {
            [address, b] if takes == 2 => (address, b, b),
            [address, b, c] if takes == 3 => (address, b, c),
            _ => return unsupported(instruction),
        }) else {
            return unsupported(instruction);
        };
        let window = self.window(instruction, address.base);
        if !matches!(window, Window::Global | Window::Shared | Window::Generic) {
            return unsupported(instruction);
        }
        let words = ["v2", "v4", "v8"].iter().any(|word| instruction.has(word));
        let count = vector(instruction, b)?;
        let bytes = u32::from(count) * cell.bytes();
        let vectors = float && window == Window::Global && !ty.wide() && bytes <= 16;
        if words != matches!(b, Operand::Vector(_)) || words && !vectors {
            return unsupported(instruction);
        }
        if let Some(d) = d
            && parts(d).len() != usize::from(count)
            && !matches!(d, Operand::Name("_"))
        {
            return Err(format!("`{}` gives {count} values", instruction.word));
        }
        let (a, offset) = self.place(address, window)?;
        let b = self.run_of(ty, b)?;
        let c = if takes == 3 { self.run_of(ty, c)? } else { b };
        let site = self.site(SiteKind::Atomic, offset)?;
        // As `ptxas` does: where nobody reads the old value, none is fetched.
        let is_read = |part: &Operand<'a>| match part {
            Operand::Name(name) => *name != "_" && self.names.is_read(name),
            Operand::Element(name, _) => self.names.is_read(name),
            _ => false,
        };
        let used = d.filter(|d| parts(d).iter().any(is_read));
        // These leave a value that depends on who came last, even unread.
        // Sums of floats depend on their order, in shared memory too: but there
        // the order is always the same.
        let signals = used.is_some()
            || matches!(f, Rmw::Exchange | Rmw::CompareExchange | Rmw::Increment | Rmw::Decrement);
        self.schedule_dependent |= signals || float && window != Window::Shared;
        // Nobody waits for a sum.
        self.polls |= signals;
        let update = Update { window, f, cell, count, a, b, c, site };
        let Some(d) = used else {
            let one = f == Rmw::Add && cell == Cell::B32 && rest.get(1) == Some(&Operand::Int(1));
            self.sites[usize::from(site)].increments = one;
            self.push(Op::Reduce(update));
            return Ok(());
        };
        if count == 1 {
            let d = self.destination(ty, d)?;
            self.push(Op::Atomic { d, update });
            return Ok(());
        }
        let slots = self.fresh_run(ty, count)?;
        self.push(Op::Atomic { d: slots[0], update });
        for (part, &a) in parts(d).iter().zip(&slots) {
            self.loaded(ty, part, a)?;
        }
        Ok(())
    }

    /// `atom.exch.b128` and `atom.cas.b128`: on two cells as one.
    fn atomic_b128(&mut self, instruction: &Instruction<'a>) -> Compiled {
        let (d, address, b, c, f) = match without_policy(instruction) {
            [d, Operand::Address(address), b] if instruction.has("exch") => {
                (d, address, b, b, Rmw::Exchange)
            }
            [d, Operand::Address(address), b, c] if instruction.has("cas") => {
                (d, address, b, c, Rmw::CompareExchange)
            }
            _ => return unsupported(instruction),
        };
        let window = self.window(instruction, address.base);
        if !matches!(window, Window::Global | Window::Shared | Window::Generic)
            || instruction.opcode != "atom"
        {
            return unsupported(instruction);
        }
        let (b, c) = (self.b128(b)?, self.b128(c)?);
        let (a, offset) = self.place(address, window)?;
        let site = self.site(SiteKind::Atomic, offset)?;
        (self.schedule_dependent, self.polls) = (true, true);
        let update = Update { window, f, cell: Cell::B64, count: 2, a, b, c, site };
        self.push(if matches!(d, Operand::Name("_")) {
            Op::Reduce(update)
        } else {
            Op::Atomic { d: self.b128(d)?, update }
        });
        Ok(())
    }

    /// The values of an operand in consecutive slots. Returns the first.
    fn run_of(&mut self, ty: Type, operand: &Operand<'a>) -> Compiled<Slot> {
        let values = parts(operand).iter().map(|part| self.value(ty, part));
        let values = values.collect::<Compiled<Vec<Slot>>>()?;
        self.side_by_side(ty, &values)
    }
}
