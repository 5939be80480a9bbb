//! From what was seen of a step to what a reader is shown.

use crate::machine::Waiting;
use crate::program::operands::Register;
use crate::program::{Block, NamedRegister, Terminator};
use crate::trace::access::Access;
use crate::trace::capture::{Registers, Seen};
use crate::trace::moment::{Group, Level, Moment, Parting, Place, StepCost, Value, Why};
use crate::trace::record::{Ending, Trace};
use crate::trace::sentence;
use crate::trace::step::Marks;
use crate::trace::warps::{gathering, next_instruction};

impl Trace {
    pub(crate) fn describe(&self, mut seen: Seen) -> Moment {
        let instruction = seen.step.instruction;
        let cost = StepCost {
            sectors: seen.cost.sectors,
            local_sectors: seen.cost.local_sectors,
            passes: seen.cost.wavefronts + seen.cost.loop_loads,
            conflicts: seen.cost.conflicts,
            addresses: seen.cost.addresses,
            deepest: seen.cost.deepest,
            l2_passes: seen.cost.passes,
        };
        let trap = match self.ending() {
            Ending::Trapped(trap) if self.steps[seen.index].marks.has(Marks::TRAP) => {
                Some(trap.message.clone())
            }
            _ => None,
        };
        let access = seen.access.take().map(Access::of);
        let mut moment = Moment {
            step: seen.index,
            warp: usize::from(seen.step.warp),
            instruction: instruction as usize,
            place: self.place_of(instruction),
            marks: self.steps[seen.index].marks.without(Marks::TURN),
            depth: seen.step.depth,
            active: seen.step.active,
            executing: seen.executing,
            exited: !seen.standing.live,
            parting: self.parting(&seen),
            goes_on: self.goes_on(&seen),
            groups: self.groups(&seen),
            stack: self.stack(&seen),
            warps: self.warp_views(&seen),
            values: Vec::new(),
            access,
            barrier: gathering(&seen),
            printed: seen.printed,
            cost,
            trap,
            sentence: String::new(),
            registers: [seen.before, seen.after],
        };
        moment.values = self.values(&moment, [instruction]);
        moment.sentence = sentence::of(&moment);
        moment
    }

    /// The basic blocks where lanes that take a branch go on, where the others do, and where the
    /// two meet.
    fn ways(&self, seen: &Seen) -> Option<[u32; 3]> {
        seen.taken?;
        let end = seen.step.instruction + 1;
        let ends = |block: &&Block| block.ptx.1 > 0 && end == block.ptx.0 + block.ptx.1;
        let block = self.kernel.blocks.iter().find(ends)?;
        let Terminator::Branch { taken, other, reconverge, .. } = block.terminator else {
            return None;
        };
        Some([taken, other, reconverge])
    }

    /// The start of a basic block.
    fn start(&self, block: u32) -> Place {
        self.place_of(self.kernel.blocks[block as usize].ptx.0)
    }

    fn parting(&self, seen: &Seen) -> Option<Parting> {
        let taken = seen.taken?;
        let other = seen.step.active & !taken;
        let [to, behind, meet] = self.ways(seen)?;
        let waiting = [(to, taken), (behind, other)].into_iter().filter(|(at, _)| *at == meet);
        let waiting = waiting.fold(0, |all, (_, lanes)| all | lanes);
        let (to, behind) = (self.start(to), self.start(behind));
        (taken != 0 && other != 0).then_some(Parting { taken, to, other, behind, waiting })
    }

    /// Where all lanes of a branch go on that do not part.
    fn goes_on(&self, seen: &Seen) -> Option<Place> {
        let [to, behind, _] = self.ways(seen)?;
        match seen.taken? {
            0 => Some(self.start(behind)),
            taken => (taken == seen.step.active).then(|| self.start(to)),
        }
    }

    fn groups(&self, seen: &Seen) -> Vec<Group> {
        let mut groups = Vec::new();
        for place in &seen.standing.places {
            if place.arrived != 0 && place.arrived != place.expected {
                let at = self.start(place.block);
                groups.push(Group { lanes: place.arrived, why: Why::Reconvergence, at });
            }
        }
        for fragment in &seen.standing.fragments {
            let why = match fragment.waiting {
                None => Why::Later,
                Some(Waiting::Barrier { .. }) => Why::Barrier,
                Some(Waiting::Cluster { .. }) => Why::Cluster,
                Some(Waiting::Lanes { .. }) => Why::Lanes,
            };
            let at = self.place_of(next_instruction(&self.kernel, fragment));
            groups.push(Group { lanes: fragment.mask, why, at });
        }
        groups
    }

    fn stack(&self, seen: &Seen) -> Vec<Level> {
        let places = seen.stack.iter().map(|place| Level {
            at: self.start(place.block),
            expected: place.expected,
            waiting: place.arrived,
        });
        places.collect()
    }

    /// The registers that some instructions name, as they are around a moment.
    fn values(&self, moment: &Moment, instructions: impl IntoIterator<Item = u32>) -> Vec<Value> {
        let mut values: Vec<Value> = Vec::new();
        for instruction in instructions {
            let own = instruction as usize == moment.instruction;
            for named in self.symbols.named(&self.kernel, instruction as usize) {
                let name = &self.kernel.registers[named.register].name;
                let written = named.written && own;
                match values.iter_mut().find(|it| it.name == *name) {
                    Some(known) => known.written |= written,
                    None => values.push(self.value_of(&moment.registers, named.register, written)),
                }
            }
        }
        values
    }

    /// The registers that the instructions of a step's source line name, in the order of the
    /// text: what a debugger would call the variables of the line.
    pub fn line_values(&self, moment: &Moment) -> Vec<Value> {
        let line = self.source_of(moment.instruction as u32);
        let all = 0..self.kernel.instructions.len() as u32;
        let same = all.filter(|&at| match line {
            Some(line) => self.source_of(at) == Some(line),
            None => at as usize == moment.instruction,
        });
        self.values(moment, same)
    }

    /// File number and line in the source.
    pub(crate) fn source_of(&self, instruction: u32) -> Option<(u32, u32)> {
        let source = self.kernel.instructions.get(instruction as usize)?.source;
        (source.1 != 0).then_some(source)
    }

    /// One register by its name in the PTX, as it is around a moment: for a watch list.
    pub fn value(&self, moment: &Moment, name: &str) -> Option<Value> {
        let is_it = |it: &NamedRegister| it.name == name && self.symbols.is_real(it.register);
        let register = self.kernel.registers.iter().position(is_it)?;
        Some(self.value_of(&moment.registers, register, false))
    }

    /// A register around a step, by its index in the kernel.
    fn value_of(&self, [before, after]: &[Registers; 2], index: usize, written: bool) -> Value {
        let named = &self.kernel.registers[index];
        let [before, lanes] = [before, after].map(|registers| read(registers, named.register));
        let changed = (0..32)
            .filter(|&lane| lanes[lane] != before[lane])
            .fold(0, |all, lane| all | 1 << lane);
        let source = self.symbols.label(&self.kernel, index);
        Value { name: named.name.clone(), source, ty: named.ty, lanes, before, changed, written }
    }

    /// Calls the parameters of the kernel as its source does: one name for each.
    pub fn name_parameters(&mut self, names: &[String]) {
        self.symbols.name_parameters(names);
    }

    /// The names of all registers that hold values, in the order of their functions.
    pub fn registers(&self) -> impl Iterator<Item = &str> {
        let known = self.kernel.registers.iter();
        let real = known.filter(|it| self.symbols.is_real(it.register));
        real.map(|register| register.name.as_str())
    }
}

fn read(registers: &Registers, register: Register) -> [u64; 32] {
    let found = match register {
        Register::Word(slot) => {
            registers.words.get(usize::from(slot)).map(|row| row.map(u64::from))
        }
        Register::Double(slot) => registers.doubles.get(usize::from(slot)).copied(),
        Register::Pred(slot) => registers
            .preds
            .get(usize::from(slot))
            .map(|mask| std::array::from_fn(|lane| u64::from(mask >> lane & 1))),
    };
    found.unwrap_or([0; 32])
}
