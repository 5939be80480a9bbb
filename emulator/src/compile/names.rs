//! What the names in a function stand for: registers, symbols, parameters.

use std::collections::HashMap;

use crate::compile::refuse::Compiled;
use crate::compile::types::{Kind, Type};
use crate::program::operands;
use crate::program::{NamedRegister, Slot, ValueType};
use crate::ptx::{self, Function, Operand};

/// Bytes of local memory that a thread can have.
const MOST_LOCAL: u64 = 512 << 10;

/// A register: its file and its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register {
    pub(crate) ty: Type,
    pub(crate) slot: Slot,
}

impl Register {
    /// With its name in a function.
    fn named(self, name: &str, owner: u16) -> NamedRegister {
        let Self { ty: Type { kind, bits }, slot } = self;
        let (register, ty) = match kind {
            Kind::Pred => (operands::Register::Pred(slot), ValueType::Predicate),
            _ if self.ty.wide() => (operands::Register::Double(slot), value_type(kind, bits)),
            _ => (operands::Register::Word(slot), value_type(kind, bits)),
        };
        NamedRegister { name: name.to_owned(), register, ty, owner }
    }
}

/// The type of a register that is no predicate.
fn value_type(kind: Kind, bits: u32) -> ValueType {
    match kind {
        Kind::Unsigned => ValueType::Unsigned(bits),
        Kind::Signed => ValueType::Signed(bits),
        Kind::Float => ValueType::Float(bits),
        Kind::Bits | Kind::Pred => ValueType::Bits(bits),
    }
}

/// What a name that is no register stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Symbol {
    /// Bytes from the start of the block's shared memory.
    Shared { offset: u64 },
    /// Bytes from the start of the constant bank.
    Constant { offset: u64 },
    /// A variable of the module in global memory.
    Global { address: u64 },
    /// A variable in the function's frame, bytes from its start.
    Frame { offset: u64, bytes: u64 },
    /// A parameter of the kernel: the first 8-byte word of it, and its size.
    Param { word: u16, offset: u64, bytes: u32 },
    /// A function.
    Function { address: u64 },
    /// Only declared here, defined nowhere.
    Missing,
}

/// Names that are known up to the end of a `{ }`.
#[derive(Debug, Default)]
struct Scope<'a> {
    registers: HashMap<&'a str, Register>,
    ranges: HashMap<&'a str, (Type, u32)>,
    /// Registers of 128 bits, and ranges of them: the first slot of the first.
    b128s: HashMap<&'a str, (Slot, Option<u32>)>,
    /// Registers that are vectors, and ranges of them: the elements of all, and how many one
    /// has.
    vectors: HashMap<&'a str, (Vec<Register>, usize, Option<u32>)>,
    symbols: HashMap<&'a str, Symbol>,
    /// Where the frame ended before it.
    frame: u64,
}

/// Names of one function and of the module around it.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    /// Innermost last; the first is the function's own.
    scopes: Vec<Scope<'a>>,
    module: HashMap<&'a str, Symbol>,
    /// The kernel's, while it is compiled.
    params: HashMap<&'a str, Symbol>,
    /// Registers that some instruction reads, and how often.
    read: HashMap<&'a str, u32>,
    /// How many instructions write a register.
    written: HashMap<&'a str, u32>,
    entered: bool,
    /// All registers with their functions, if they are kept.
    pub(crate) kept: Option<Vec<NamedRegister>>,
    /// Number of the function that is being compiled.
    owner: u16,
    /// The predicate that keeps the carry of the function, once it has one.
    pub(crate) condition_code: Option<Slot>,
    /// Bytes of the frame that are in use, and the most that were.
    frame: u64,
    pub(crate) frame_size: u64,
    pub(crate) slots32: usize,
    pub(crate) slots64: usize,
    pub(crate) preds: usize,
}

impl<'a> Names<'a> {
    /// The names of a module.
    pub(crate) fn new(module: HashMap<&'a str, Symbol>) -> Self {
        Self {
            scopes: Vec::new(),
            module,
            params: HashMap::new(),
            read: HashMap::new(),
            written: HashMap::new(),
            entered: false,
            kept: None,
            owner: 0,
            condition_code: None,
            frame: 0,
            frame_size: 0,
            slots32: 0,
            slots64: 0,
            preds: 0,
        }
    }

    /// Forgets the last function; `own` are the variables of the next.
    pub(crate) fn enter(&mut self, own: HashMap<&'a str, Symbol>, function: &Function<'a>) {
        self.keep_scopes();
        self.owner += u16::from(self.entered);
        self.scopes = vec![Scope { symbols: own, ..Scope::default() }];
        self.read.clear();
        self.written.clear();
        self.condition_code = None;
        if std::mem::replace(&mut self.entered, true) {
            self.params.clear();
        }
        (self.frame, self.frame_size) = (0, 0);
        function.instructions().for_each(|instruction| self.note_uses(instruction));
    }

    /// A `{`.
    pub(crate) fn open_scope(&mut self) {
        self.scopes.push(Scope { frame: self.frame, ..Scope::default() });
    }

    /// A `}`: what was declared inside is forgotten.
    pub(crate) fn close_scope(&mut self) {
        if self.scopes.len() > 1
            && let Some(scope) = self.scopes.pop()
        {
            self.keep(&scope);
            self.frame = scope.frame;
        }
    }

    /// Keeps the names of the registers of a scope that ends.
    fn keep(&mut self, scope: &Scope<'a>) {
        let Some(kept) = &mut self.kept else { return };
        let mut found: Vec<NamedRegister> = scope
            .registers
            .iter()
            .map(|(name, register)| register.named(name, self.owner))
            .collect();
        for (name, (registers, elements, count)) in &scope.vectors {
            for (index, register) in registers.iter().enumerate() {
                let number = count.map(|_| (index / elements).to_string()).unwrap_or_default();
                let letter = ["x", "y", "z", "w"][index % elements % 4];
                found.push(register.named(&format!("{name}{number}.{letter}"), self.owner));
            }
        }
        for (name, &(first, count)) in &scope.b128s {
            for index in 0..count.unwrap_or(1) {
                let number = count.map(|_| index.to_string()).unwrap_or_default();
                for (half, part) in ["lo", "hi"].into_iter().enumerate() {
                    let slot = first + 2 * index as Slot + half as Slot;
                    let half = Register { ty: Type::B64, slot };
                    found.push(half.named(&format!("{name}{number}.{part}"), self.owner));
                }
            }
        }
        // Maps have no order.
        found.sort_by(|a, b| a.name.cmp(&b.name));
        kept.append(&mut found);
    }

    /// Keeps the names of the registers of the function that ends.
    pub(crate) fn keep_scopes(&mut self) {
        for scope in std::mem::take(&mut self.scopes) {
            self.keep(&scope);
        }
    }

    /// Gives a variable a place in the frame; gives its offset.
    pub(crate) fn in_frame(&mut self, name: &'a str, bytes: u64, align: u64) -> Compiled<u64> {
        let offset = self.reserve(name, bytes, align)?;
        self.bind(name, Symbol::Frame { offset, bytes });
        Ok(offset)
    }

    /// A place in the frame that has no name; `what` is what refusals call it.
    pub(crate) fn reserve(&mut self, what: &str, bytes: u64, align: u64) -> Compiled<u64> {
        let offset = self.frame.next_multiple_of(align.max(1));
        self.frame = offset + bytes;
        self.frame_size = self.frame_size.max(self.frame);
        if self.frame > MOST_LOCAL {
            return Err(format!("`{what}`: a thread has at most 512 KiB of local memory"));
        }
        Ok(offset)
    }

    /// Makes a parameter of the kernel known: in it, names of the module give way.
    pub(crate) fn bind_param(&mut self, name: &'a str, symbol: Symbol) {
        self.params.insert(name, symbol);
    }

    /// Binds a name in the innermost scope.
    pub(crate) fn bind(&mut self, name: &'a str, symbol: Symbol) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.symbols.insert(name, symbol);
        }
    }

    /// What a name that is no register stands for.
    pub(crate) fn symbol(&self, name: &str) -> Option<Symbol> {
        let inside = self.scopes.iter().rev().find_map(|scope| scope.symbols.get(name));
        inside.or_else(|| self.params.get(name)).or_else(|| self.module.get(name)).copied()
    }

    /// Makes a register, or a range of them, known.
    pub(crate) fn declare(&mut self, decl: &ptx::RegisterDecl<'a>) -> Compiled {
        if decl.ty == "b128" && decl.elements == 1 {
            return self.declare_b128(decl);
        }
        // A pair of halves is 32 bits to everything but the instructions that name its type.
        let ty = if decl.ty == "f16x2" { Some(Type::B32) } else { Type::parse(decl.ty) };
        let ty =
            ty.ok_or_else(|| format!("registers of type `.{}` are not supported yet", decl.ty))?;
        if decl.elements > 1 {
            return self.declare_vector(decl, ty);
        }
        let Some(count) = decl.count else { return self.declare_one(decl.name, ty).map(|_| ()) };
        if let Some(scope) = self.scopes.last_mut() {
            scope.ranges.insert(decl.name, (ty, count));
        }
        Ok(())
    }

    /// Makes one register known.
    pub(crate) fn declare_one(&mut self, name: &'a str, ty: Type) -> Compiled<Register> {
        let register = Register { ty, slot: self.new_slot(ty)? };
        self.declare_at(name, register);
        Ok(register)
    }

    /// Gives a register a name.
    pub(crate) fn declare_at(&mut self, name: &'a str, register: Register) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.registers.insert(name, register);
        }
    }

    /// Registers that are vectors.
    fn declare_vector(&mut self, decl: &ptx::RegisterDecl<'a>, ty: Type) -> Compiled {
        if ty.kind == Kind::Pred {
            return Err("a vector of predicates is not PTX".to_owned());
        }
        let elements = usize::from(decl.elements);
        let all = elements * decl.count.unwrap_or(1) as usize;
        let registers = (0..all).map(|_| Ok(Register { ty, slot: self.new_slot(ty)? }));
        let registers = registers.collect::<Compiled<Vec<Register>>>()?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.vectors.insert(decl.name, (registers, elements, decl.count));
        }
        Ok(())
    }

    /// The elements of a register, if it is a vector.
    pub(crate) fn vector(&self, name: &str) -> Option<&[Register]> {
        let (prefix, number) = split(name);
        self.scopes.iter().rev().find_map(|scope| {
            if let Some((registers, _, None)) = scope.vectors.get(name) {
                return Some(registers.as_slice());
            }
            let (registers, elements, count) = scope.vectors.get(prefix)?;
            let number = number.parse::<u32>().ok().filter(|number| Some(*number) < *count)?;
            registers.chunks(*elements).nth(number as usize)
        })
    }

    /// The element that `v.y` or `v.g` names.
    fn element(&self, name: &str) -> Option<Register> {
        let (vector, letter) = name.rsplit_once('.')?;
        let index = ["xr", "yg", "zb", "wa"].iter().position(|names| names.contains(letter))?;
        self.vector(vector)?.get(index).filter(|_| letter.len() == 1).copied()
    }

    /// Registers of 128 bits, each in two slots next to each other.
    fn declare_b128(&mut self, decl: &ptx::RegisterDecl<'a>) -> Compiled {
        let count = decl.count.unwrap_or(1);
        let first = self.new64()?;
        for _ in 1..u64::from(count.max(1)) * 2 {
            self.new64()?;
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.b128s.insert(decl.name, (first, decl.count));
        }
        Ok(())
    }

    /// The first of the two slots of a register of 128 bits.
    pub(crate) fn b128(&self, name: &str) -> Option<Slot> {
        let (prefix, number) = split(name);
        self.scopes.iter().rev().find_map(|scope| match scope.b128s.get(name) {
            Some(&(first, None)) => Some(first),
            _ => match scope.b128s.get(prefix) {
                Some(&(first, Some(count))) => {
                    let number = number.parse::<u32>().ok().filter(|&number| number < count)?;
                    Some(first + 2 * number as Slot)
                }
                _ => None,
            },
        })
    }

    /// Everything but the first operand is read, and so is the first operand
    /// of a store or copy, and whatever an address or a guard names.
    fn note_uses(&mut self, instruction: &ptx::Instruction<'a>) {
        if let Some(guard) = instruction.guard {
            note(&mut self.read, &Operand::Name(guard.register));
        }
        let writes_first = !matches!(
            instruction.opcode,
            "st" | "red" | "cp" | "bra" | "bar" | "barrier" | "ret" | "exit" | "call" | "brx"
        );
        // A call's results come first, if it has any.
        if let ("call", [results @ Operand::List(_), _, ..]) =
            (instruction.opcode, instruction.operands.as_slice())
        {
            note(&mut self.written, results);
        }
        for (index, operand) in instruction.operands.iter().enumerate() {
            let written = index == 0 && writes_first && !matches!(operand, Operand::Address(_));
            note(if written { &mut self.written } else { &mut self.read }, operand);
        }
    }

    /// Whether any instruction reads this register.
    pub(crate) fn is_read(&self, name: &str) -> bool {
        // A vector may be read as a whole.
        let whole = name.rsplit_once('.').map(|(vector, _)| vector);
        self.read.contains_key(name) || whole.is_some_and(|name| self.read.contains_key(name))
    }

    /// Whether one instruction writes this register and one reads it.
    pub(crate) fn is_temporary(&self, name: &str) -> bool {
        self.written.get(name) == Some(&1) && self.read.get(name) == Some(&1) && !name.contains('.')
    }

    /// Lets a register out of a range, which only one instruction writes, stand
    /// for a slot, if it fits and nothing has mentioned the register yet.
    pub(crate) fn alias(&mut self, name: &'a str, slot: Slot, wide: bool) -> bool {
        let (prefix, number) = split(name);
        let Some(scope) = self.scopes.last_mut() else { return false };
        let Some(&(ty, count)) = scope.ranges.get(prefix) else { return false };
        let fits = ty.kind != Kind::Pred && ty.wide() == wide;
        let fresh = !scope.registers.contains_key(name) && self.written.get(name) == Some(&1);
        let known = number.parse::<u32>().is_ok_and(|number| number < count);
        if fits && fresh && known {
            scope.registers.insert(name, Register { ty, slot });
        }
        fits && fresh && known
    }

    fn new_slot(&mut self, ty: Type) -> Compiled<Slot> {
        if ty.kind == Kind::Pred { self.new_pred() } else { self.fresh(ty.wide()) }
    }

    /// A slot of either width that nothing else uses.
    pub(crate) fn fresh(&mut self, wide: bool) -> Compiled<Slot> {
        if wide { self.new64() } else { self.new32() }
    }

    fn next(count: &mut usize) -> Compiled<Slot> {
        let slot = Slot::try_from(*count)
            .ok()
            .filter(|&slot| slot < Slot::MAX)
            .ok_or("the kernel has more registers than the emulator can hold (65534 of a width)")?;
        *count += 1;
        Ok(slot)
    }

    pub(crate) fn new32(&mut self) -> Compiled<Slot> {
        Self::next(&mut self.slots32)
    }

    pub(crate) fn new64(&mut self) -> Compiled<Slot> {
        Self::next(&mut self.slots64)
    }

    pub(crate) fn new_pred(&mut self) -> Compiled<Slot> {
        Self::next(&mut self.preds)
    }

    /// The register called `name`, if there is one.
    pub(crate) fn find(&mut self, name: &'a str) -> Compiled<Option<Register>> {
        let (prefix, number) = split(name);
        for index in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[index];
            if let Some(&register) = scope.registers.get(name) {
                return Ok(Some(register));
            }
            let Some(&(ty, count)) = scope.ranges.get(prefix) else { continue };
            if number.parse::<u32>().is_ok_and(|number| number < count) {
                let slot = self.new_slot(ty)?;
                let register = Register { ty, slot };
                self.scopes[index].registers.insert(name, register);
                return Ok(Some(register));
            }
        }
        Ok(self.element(name))
    }

    /// The register called `name`.
    pub(crate) fn register(&mut self, name: &'a str) -> Compiled<Register> {
        self.find(name)?.ok_or_else(|| format!("there is no register `{name}`"))
    }

    /// The predicate register called `name`.
    pub(crate) fn pred(&mut self, name: &'a str) -> Compiled<Slot> {
        let register = self.register(name)?;
        if register.ty.kind == Kind::Pred {
            Ok(register.slot)
        } else {
            Err(format!("`{name}` is not a predicate"))
        }
    }
}

/// `%r` and `12` out of `%r12`, which is declared by `.reg .b32 %r<15>`.
fn split(name: &str) -> (&str, &str) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    name.split_at(name.len() - digits)
}

/// Counts every register of an operand.
fn note<'a>(counts: &mut HashMap<&'a str, u32>, operand: &Operand<'a>) {
    operand.each_name(&mut |name| {
        *counts.entry(name).or_default() += 1;
        // A video instruction names parts of a register: `%r1.b2`.
        if let Some((register, _)) = name.split_once('.') {
            *counts.entry(register).or_default() += 1;
        }
    });
}
