//! Where variables lie: shared memory, the constant bank, module-scope global
//! memory, and which functions an entry can come to.

use std::collections::{HashMap, HashSet};

use crate::compile::cluster::GRID_BARRIER;
use crate::compile::names::Symbol;
use crate::compile::refuse::{Compiled, Refusal};
use crate::compile::types::{Kind, Type};
use crate::program::data;
use crate::program::{self, Data};
use crate::ptx::{Function, Item, Module, Operand, Position, Space, Variable};

/// Most bytes of initialised or zeroed module-scope variables.
const MOST_GLOBAL: u64 = 1 << 30;

/// Most bytes of shared memory that variables may take.
const MOST_SHARED: u64 = 1 << 20;

/// The variables and functions of a module, as far as one entry needs them.
#[derive(Debug)]
pub(crate) struct Layout<'a> {
    /// The entry, then every function with a body that it can come to.
    pub(crate) functions: Vec<&'a Function<'a>>,
    /// Which of them have their address taken.
    pub(crate) taken: HashSet<&'a str>,
    /// Names of the module.
    pub(crate) symbols: HashMap<&'a str, Symbol>,
    /// Names of the variables inside each function.
    pub(crate) own: Vec<HashMap<&'a str, Symbol>>,
    pub(crate) data: Data,
    pub(crate) static_shared: u64,
    /// Where errors are reported.
    position: Position,
}

/// Size and alignment in bytes of a variable's or parameter's elements together.
pub(crate) fn extent(ty: &str, count: u64, align: Option<u32>) -> Compiled<(u64, u64)> {
    let element = Type::parse(ty).filter(|ty| ty.kind != Kind::Pred);
    let element = element.ok_or_else(|| format!("`.{ty}` is not a type that memory can hold"))?;
    let size = u64::from(element.bytes());
    let align = u64::from(align.unwrap_or(0)).max(size);
    if !align.is_power_of_two() || align > 1 << 16 {
        return Err(format!("{align} bytes is not an alignment"));
    }
    let bytes = count.checked_mul(size).filter(|&bytes| bytes <= MOST_GLOBAL);
    Ok((bytes.ok_or("a variable is larger than 1 GiB")?, align))
}

/// The variables of a module.
fn variables<'a>(module: &'a Module<'a>) -> impl Iterator<Item = &'a Variable<'a>> {
    module.items.iter().filter_map(|item| match item {
        Item::Variable(variable) => Some(variable),
        Item::Function(_) => None,
    })
}

impl<'a> Layout<'a> {
    pub(crate) fn new(
        module: &'a Module<'a>,
        entry: &'a Function<'a>,
    ) -> Result<Self, (Position, Refusal)> {
        let mut layout = Self {
            functions: vec![entry],
            taken: HashSet::new(),
            symbols: HashMap::new(),
            own: Vec::new(),
            data: Data::default(),
            static_shared: 0,
            position: entry.position,
        };
        let used = layout.reach(module);
        let done = layout.place(module, &used).and_then(|()| layout.fill_in(module));
        done.map_err(|message| (layout.position, message))?;
        Ok(layout)
    }

    /// Finds the functions that the entry can come to, and every name that is
    /// used on the way.
    fn reach(&mut self, module: &'a Module<'a>) -> HashSet<&'a str> {
        let mut known: HashMap<&str, &'a Function<'a>> = HashMap::new();
        for item in &module.items {
            if let Item::Function(function) = item
                && function.body.is_some()
                && !function.entry
                && !function.name.contains(GRID_BARRIER)
            {
                known.insert(function.name, function);
            }
        }
        let mut used: HashSet<&'a str> = HashSet::new();
        let mut reached: HashSet<&'a str> = HashSet::new();
        // Tables of functions are variables with functions in their initial values.
        for operand in variables(module).flat_map(|variable| &variable.init) {
            operand.each_name(&mut |name| {
                used.insert(name);
                if let Some(function) = known.get(name) {
                    self.taken.insert(function.name);
                }
            });
        }
        let mut at = 0;
        while let Some(&function) = self.functions.get(at) {
            at += 1;
            let mut found: Vec<&'a str> = Vec::new();
            let mut indirect = false;
            for instruction in function.instructions() {
                let call = instruction.opcode == "call";
                for operand in &instruction.operands {
                    let direct = call && matches!(operand, Operand::Name(_));
                    operand.each_name(&mut |name| {
                        used.insert(name);
                        if let Some(function) = known.get(name) {
                            found.push(function.name);
                            if !direct {
                                self.taken.insert(function.name);
                            }
                        } else if direct {
                            indirect = true;
                        }
                    });
                }
            }
            // The last function may follow an indirect call of one whose address is taken later.
            if indirect || at == self.functions.len() {
                found.extend(self.taken.iter().copied());
                found.sort_unstable();
            }
            for name in found {
                if reached.insert(name)
                    && let Some(&function) = known.get(name)
                {
                    self.functions.push(function);
                }
            }
        }
        used
    }

    /// Gives every variable and function its place.
    fn place(&mut self, module: &'a Module<'a>, used: &HashSet<&'a str>) -> Compiled<()> {
        let mut dynamic = Vec::new();
        let mut index = 0_u64;
        for item in &module.items {
            match item {
                Item::Function(function) => {
                    let address = data::FUNCTIONS + index * 16;
                    index += 1;
                    // A declaration and its definition are one function.
                    let known = self.symbols.contains_key(function.name);
                    if !known || function.body.is_some() {
                        let symbol = Symbol::Function { address };
                        self.symbols.insert(function.name, symbol);
                    }
                }
                Item::Variable(variable) => {
                    let shared = variable.space == Space::Shared;
                    // As `ptxas` does: shared variables that nobody uses take no space.
                    if shared && !used.contains(variable.name) {
                        continue;
                    }
                    if let Some(symbol) = self.variable(variable, &mut dynamic, None)? {
                        self.symbols.insert(variable.name, symbol);
                    }
                }
            }
        }
        for (owner, function) in self.functions.clone().into_iter().enumerate() {
            let mut own = HashMap::new();
            for variable in function.variables() {
                if let Some(symbol) = self.variable(variable, &mut dynamic, Some(owner))? {
                    own.insert(variable.name, symbol);
                }
            }
            self.own.push(own);
        }
        // Dynamic shared memory starts behind everything static. As `ptxas` does, the bytes
        // that align it count as static ones.
        let end = self.static_shared;
        for (name, align, owner) in dynamic {
            let offset = end.next_multiple_of(align.max(16));
            self.static_shared = self.static_shared.max(offset);
            let symbols = match owner {
                Some(owner) => &mut self.own[owner],
                None => &mut self.symbols,
            };
            symbols.insert(name, Symbol::Shared { offset });
        }
        Ok(())
    }

    /// Gives a variable its place, unless it lies in a frame or is dynamic.
    fn variable(
        &mut self,
        variable: &'a Variable<'a>,
        dynamic: &mut Vec<(&'a str, u64, Option<usize>)>,
        owner: Option<usize>,
    ) -> Compiled<Option<Symbol>> {
        self.position = variable.position;
        if matches!(variable.space, Space::Local | Space::Param) && owner.is_some() {
            return Ok(None);
        }
        let count = variable.count.unwrap_or(0);
        let (bytes, align) = extent(variable.ty, count, variable.align)?;
        match variable.space {
            Space::Shared if count == 0 => {
                dynamic.push((variable.name, align, owner));
                Ok(None)
            }
            Space::Shared => {
                let offset = self.static_shared.next_multiple_of(align);
                self.static_shared = offset + bytes;
                if self.static_shared > MOST_SHARED {
                    let name = variable.name;
                    return Err(format!("`{name}` is larger than any shared memory"));
                }
                Ok(Some(Symbol::Shared { offset }))
            }
            _ if variable.external => Ok(Some(Symbol::Missing)),
            Space::Const => {
                let offset = (self.data.constants.len() as u64).next_multiple_of(align);
                if offset + bytes > data::MOST_CONSTANT {
                    return Err("constant memory holds at most 640 KiB".to_owned());
                }
                self.data.constants.resize((offset + bytes) as usize, 0);
                Ok(Some(Symbol::Constant { offset }))
            }
            Space::Global => {
                let address = self.data.next_address(align);
                let taken: u64 = self.data.globals.iter().map(|variable| variable.bytes).sum();
                if taken + bytes > MOST_GLOBAL {
                    return Err("the module's variables take more than 1 GiB".to_owned());
                }
                self.data.globals.push(program::Variable { address, bytes, init: Vec::new() });
                Ok(Some(Symbol::Global { address }))
            }
            _ => Err(format!("`{}` is in a space that no module has", variable.name)),
        }
    }

    /// Writes initial values, now that every address is known.
    fn fill_in(&mut self, module: &'a Module<'a>) -> Compiled<()> {
        let placed = |symbols: &HashMap<&str, Symbol>, variable: &'a Variable<'a>| {
            symbols.get(variable.name).map(|&symbol| (variable, symbol))
        };
        let mut all: Vec<_> =
            variables(module).filter_map(|it| placed(&self.symbols, it)).collect();
        for (function, own) in self.functions.iter().zip(&self.own) {
            all.extend(function.variables().filter_map(|it| placed(own, it)));
        }
        for (variable, symbol) in all {
            if variable.init.is_empty() {
                continue;
            }
            self.position = variable.position;
            let size = Type::parse(variable.ty).map_or(1, Type::bytes) as usize;
            let mut bytes = Vec::with_capacity(variable.init.len() * size);
            for value in &variable.init {
                let bits = self.initial(value, variable.ty)?;
                bytes.extend_from_slice(&bits.to_le_bytes()[..size]);
            }
            let (length, _) = extent(variable.ty, variable.count.unwrap_or(0), variable.align)?;
            if bytes.len() as u64 > length {
                return Err(format!("`{}` has too many initial values", variable.name));
            }
            match symbol {
                Symbol::Constant { offset } => {
                    let at = offset as usize;
                    // Another variable of the same name may be the one found.
                    let Some(place) = self.data.constants.get_mut(at..at + bytes.len()) else {
                        return Err(format!("`{}` is declared twice", variable.name));
                    };
                    place.copy_from_slice(&bytes);
                }
                Symbol::Global { address } => {
                    let found = self.data.globals.iter_mut().find(|it| it.address == address);
                    if let Some(found) = found {
                        found.init = bytes;
                    }
                }
                _ => {
                    let name = variable.name;
                    return Err(format!("`{name}` cannot have initial values in its space"));
                }
            }
        }
        Ok(())
    }

    /// One initial value, as bits.
    fn initial(&self, value: &Operand<'a>, ty: &str) -> Compiled<u64> {
        let (name, offset, generic) = match value {
            Operand::Int(value) => return Ok(*value),
            Operand::Float32(bits) => return Ok(u64::from(*bits)),
            Operand::Float64(bits) if ty == "f32" => {
                return Ok(u64::from((f64::from_bits(*bits) as f32).to_bits()));
            }
            Operand::Float64(bits) => return Ok(*bits),
            Operand::Name(name) => (*name, 0, false),
            Operand::Symbol { name, offset, generic } => (*name, *offset, *generic),
            _ => return Err("this initial value is not supported".to_owned()),
        };
        let address = match self.symbols.get(name) {
            Some(Symbol::Global { address } | Symbol::Function { address }) => *address,
            Some(Symbol::Constant { offset }) => {
                if generic {
                    data::CONST_WINDOW + offset
                } else {
                    *offset
                }
            }
            Some(Symbol::Shared { offset }) if !generic => *offset,
            _ => return Err(format!("`{name}` has no address that an initial value can hold")),
        };
        Ok(address.wrapping_add_signed(offset))
    }
}
