//! The reference: every thread on its own, one after the other, no warps.

use super::exchange;
use super::ops::{self, Class};
use super::program::{
    ATOMICS, Action, Block, CELLS, COLLECTIVES, End, OWN, Place, Program, REGISTERS, Segment,
    Source, Step, TYPES,
};
use super::warp::{WARPS, Words};

/// What a thread has.
#[derive(Clone)]
struct Thread {
    /// Its number in the block.
    tid: u32,
    /// By class and number.
    registers: [[u64; REGISTERS as usize]; 6],
    fuel: u32,
    global: [u8; OWN as usize],
    shared: [u8; OWN as usize],
    local: [u8; OWN as usize],
}

/// What a launch leaves behind.
pub(crate) struct Results {
    /// Registers and bytes of every thread, in cells.
    pub(crate) cells: Vec<u64>,
    /// The global cells that atomics worked on.
    pub(crate) counted: Vec<u32>,
    /// The threads' own bytes in global memory.
    pub(crate) own: Vec<u8>,
}

type Cells = [u32; ATOMICS.len() * CELLS as usize];

struct Machine<'a> {
    program: &'a Program,
    input: &'a [u8],
    counted: Cells,
    /// Those in the shared memory of the block that runs.
    block_counted: Cells,
}

/// A block, and the cells in its shared memory.
struct Group {
    threads: Vec<Thread>,
    counted: Cells,
}

fn update(cell: &mut u32, function: usize, value: u32) {
    let old = *cell;
    *cell = match ATOMICS[function] {
        "add.u32" => old.wrapping_add(value),
        "min.s32" => old.cast_signed().min(value.cast_signed()).cast_unsigned(),
        "max.u32" => old.max(value),
        "and.b32" => old & value,
        "or.b32" => old | value,
        _ => old ^ value,
    };
}

impl Thread {
    fn get(&self, class: Class, n: u8) -> u64 {
        self.registers[class as usize][usize::from(n)]
    }

    fn set(&mut self, class: Class, n: u8, value: u64) {
        self.registers[class as usize][usize::from(n)] = value & class.mask();
    }

    fn bytes(&mut self, place: Place) -> &mut [u8] {
        match place {
            Place::Global => &mut self.global,
            Place::Shared => &mut self.shared,
            Place::Local => &mut self.local,
            Place::Input => &mut [],
        }
    }
}

/// Where an access of `count` elements of `bytes` starts.
fn start(index: u64, room: u64, bytes: u64, count: u8) -> usize {
    let whole = bytes * u64::from(count);
    ((index & (room / whole - 1)) * whole) as usize
}

impl Machine<'_> {
    fn step(&mut self, thread: &mut Thread, step: &Step) {
        if let Some((p, negated)) = step.guard
            && (thread.get(Class::P, p) != 0) == negated
        {
            return;
        }
        match &step.action {
            Action::Compute { op, d, s } => {
                let op = ops::op(*op);
                let value = |(&class, &source): (&Class, &Source)| match source {
                    Source::Register(n) => thread.get(class, n),
                    Source::Constant(bits) => bits & class.mask(),
                };
                let values: Vec<u64> = op.s.iter().zip(s).map(value).collect();
                thread.set(op.d, *d, (op.f)(&values));
            }
            &Action::Load { place, ty, count, d, index } => {
                let (name, bytes, class) = TYPES[ty];
                let room = if place == Place::Input { self.input.len() as u64 } else { OWN };
                let at = start(thread.get(Class::R, index), room, bytes, count);
                let memory = if place == Place::Input {
                    self.input.to_vec()
                } else {
                    thread.bytes(place).to_vec()
                };
                for element in 0..count {
                    let first = at + usize::from(element) * bytes as usize;
                    let mut value = 0;
                    for (shift, &byte) in memory[first..first + bytes as usize].iter().enumerate() {
                        value |= u64::from(byte) << (8 * shift);
                    }
                    if name.starts_with('s') {
                        let unused = 64 - 8 * bytes;
                        value = ((value << unused).cast_signed() >> unused).cast_unsigned();
                    }
                    thread.set(class, (d + element) % REGISTERS, value);
                }
            }
            &Action::Store { place, ty, count, s, index } => {
                let (_, bytes, class) = TYPES[ty];
                let at = start(thread.get(Class::R, index), OWN, bytes, count);
                for element in 0..count {
                    let value = thread.get(class, (s + element) % REGISTERS).to_le_bytes();
                    let first = at + usize::from(element) * bytes as usize;
                    thread.bytes(place)[first..first + bytes as usize]
                        .copy_from_slice(&value[..bytes as usize]);
                }
            }
            &Action::Reduce { shared, function, spread, index, s } => {
                let cell = function * CELLS as usize
                    + spread.cell(thread.get(Class::R, index), thread.tid.into()) as usize;
                let cells = if shared { &mut self.block_counted } else { &mut self.counted };
                update(&mut cells[cell], function, thread.get(Class::R, s) as u32);
            }
        }
    }

    /// One thread through a region.
    fn walk(&mut self, thread: &mut Thread, blocks: &[Block]) {
        let mut at = 0;
        while at < blocks.len() {
            for step in &blocks[at].steps {
                self.step(thread, step);
            }
            let mut ways = Vec::new();
            match blocks[at].end {
                End::Go(to) => ways.push(to),
                End::Branch { p, when, taken, other } => {
                    if (thread.get(Class::P, p) != 0) == when {
                        ways.push(taken);
                    }
                    ways.push(other);
                }
            }
            // A way back without fuel is passed over.
            let mut next = at + 1;
            for way in ways {
                if way > at {
                    next = way;
                    break;
                }
                if thread.fuel > 0 {
                    thread.fuel -= 1;
                    next = way;
                    break;
                }
            }
            at = next;
        }
    }

    /// What the blocks of a cluster do.
    fn segment(&mut self, cluster: &mut [Group], segment: &Segment) {
        match segment {
            Segment::Repeat(count, inner) => {
                for _ in 0..*count {
                    for segment in inner {
                        self.segment(cluster, segment);
                    }
                }
            }
            Segment::Exchange { way, d, s, index } => {
                let words = |group: &Group| -> Vec<u64> {
                    group.threads.iter().map(|thread| thread.get(Class::R, *s)).collect()
                };
                let put: Vec<Vec<u64>> = cluster.iter().map(words).collect();
                for (rank, group) in cluster.iter_mut().enumerate() {
                    let put = &put[exchange::source(*way, rank, put.len())];
                    for thread in &mut group.threads {
                        let from = thread.get(Class::R, *index) as usize % put.len();
                        thread.set(Class::R, *d, put[from]);
                    }
                }
            }
            _ => {
                for group in cluster {
                    std::mem::swap(&mut self.block_counted, &mut group.counted);
                    self.alone(&mut group.threads, segment);
                    std::mem::swap(&mut self.block_counted, &mut group.counted);
                }
            }
        }
    }

    /// What a block does without the others.
    fn alone(&mut self, threads: &mut [Thread], segment: &Segment) {
        match segment {
            Segment::Region(blocks) => {
                for thread in threads {
                    self.walk(thread, blocks);
                }
            }
            Segment::Collective { kind: 12, d, p, .. } => {
                let count = threads.iter().filter(|thread| thread.get(Class::P, *p) != 0).count();
                for thread in threads {
                    thread.set(Class::R, *d, count as u64);
                }
            }
            Segment::Collective { kind, d, s, p, amount } => {
                for warp in threads.chunks_mut(32) {
                    collective(warp, COLLECTIVES[*kind], [*d, *s, *p], *amount);
                }
            }
            Segment::Warp { kind, d, s, amount } => {
                for warp in threads.chunks_mut(32) {
                    let words: Vec<Words> = warp
                        .iter()
                        .map(|t| [0, 1, 2, 3, 4, 5].map(|at| t.get(Class::R, (s + at) % 6) as u32))
                        .collect();
                    let found = (WARPS[*kind].f)(&words, *amount);
                    for (thread, found) in warp.iter_mut().zip(found) {
                        for (at, word) in (0..).zip(found) {
                            thread.set(Class::R, (d + at) % REGISTERS, word.into());
                        }
                    }
                }
            }
            Segment::Barrier | Segment::Exchange { .. } | Segment::Repeat(..) => {}
        }
    }
}

/// An exchange among the lanes of a full warp.
fn collective(warp: &mut [Thread], word: &str, [d, s, p]: [u8; 3], amount: u32) {
    let values: Vec<u32> = warp.iter().map(|thread| thread.get(Class::R, s) as u32).collect();
    let holds: Vec<bool> = warp.iter().map(|thread| thread.get(Class::P, p) != 0).collect();
    let signed = |value: &u32| value.cast_signed();
    for (lane, thread) in warp.iter_mut().enumerate() {
        let amount = amount as usize;
        let from = match word {
            "shfl.sync.idx.b32" => Some(amount),
            "shfl.sync.up.b32" => Some(lane.wrapping_sub(amount)),
            "shfl.sync.down.b32" => Some(lane + amount),
            "shfl.sync.bfly.b32" => Some(lane ^ amount),
            _ => None,
        };
        if let Some(from) = from {
            let inside = from < 32;
            thread.set(Class::R, d, values[if inside { from } else { lane }].into());
            thread.set(Class::P, p, inside.into());
            continue;
        }
        let mask =
            |which: &dyn Fn(usize) -> bool| (0..32).map(|at| u64::from(which(at)) << at).sum();
        match word {
            "vote.sync.ballot.b32" => thread.set(Class::R, d, mask(&|at| holds[at])),
            "vote.sync.any.pred" => thread.set(Class::P, d, holds.contains(&true).into()),
            "vote.sync.all.pred" => thread.set(Class::P, d, (!holds.contains(&false)).into()),
            "match.any.sync.b32" => thread.set(Class::R, d, mask(&|at| values[at] == values[lane])),
            "redux.sync.add.u32" => {
                thread.set(
                    Class::R,
                    d,
                    values.iter().fold(0, |sum: u32, &x| sum.wrapping_add(x)).into(),
                );
            }
            "redux.sync.min.s32" => {
                thread.set(
                    Class::R,
                    d,
                    values.iter().map(signed).min().unwrap().cast_unsigned().into(),
                );
            }
            "redux.sync.max.u32" => {
                thread.set(Class::R, d, values.iter().copied().max().unwrap().into());
            }
            "redux.sync.xor.b32" => {
                thread.set(Class::R, d, values.iter().fold(0, |x, y| x ^ y).into());
            }
            _ => panic!("no reference for {word}"),
        }
    }
}

/// Runs a program.
pub(crate) fn interpret(program: &Program, input: &[u32]) -> Results {
    let bytes: Vec<u8> = input.iter().flat_map(|word| word.to_le_bytes()).collect();
    let none = [0; ATOMICS.len() * CELLS as usize];
    let mut machine = Machine { program, input: &bytes, counted: none, block_counted: none };
    let mut results = Results { cells: Vec::new(), counted: Vec::new(), own: Vec::new() };
    let blocks: Vec<u32> = (0..program.blocks).collect();
    for cluster in blocks.chunks(program.cluster as usize) {
        let group = |&block: &u32| Group {
            threads: (0..program.threads).map(|tid| machine.thread(block, tid, input)).collect(),
            counted: none,
        };
        let mut groups: Vec<Group> = cluster.iter().map(group).collect();
        for segment in &program.segments {
            machine.segment(&mut groups, segment);
        }
        for group in &mut groups {
            results.keep(group);
        }
    }
    results.counted = machine.counted.to_vec();
    results
}

impl Results {
    /// What a block leaves behind.
    fn keep(&mut self, group: &mut Group) {
        let threads = group.threads.len();
        for (tid, thread) in group.threads.iter_mut().enumerate() {
            let own = group.counted.iter().skip(tid).step_by(threads);
            let sum = own.zip(0..).fold(0, |sum: u32, (cell, turn)| {
                sum.wrapping_add(cell.wrapping_mul(2 * turn + 1))
            });
            if tid < group.counted.len() {
                thread.set(Class::R, 0, sum.into());
            }
            self.cells.extend(thread.registers.as_flattened());
            for at in (0..OWN as usize).step_by(8) {
                let word = |bytes: &[u8]| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
                self.cells
                    .push(word(&thread.local).wrapping_mul(3).wrapping_add(word(&thread.shared)));
            }
            self.own.extend(thread.global);
        }
    }
}

impl Machine<'_> {
    /// A thread as the kernel's first lines leave it.
    fn thread(&self, block: u32, tid: u32, input: &[u32]) -> Thread {
        let none = [0; OWN as usize];
        let mut thread = Thread {
            tid,
            registers: [[0; REGISTERS as usize]; 6],
            fuel: self.program.fuel,
            global: none,
            shared: none,
            local: none,
        };
        let index = block * self.program.threads + tid;
        for n in 0..REGISTERS {
            let k = u32::from(n);
            let value = index.wrapping_mul(2 * k + 1).wrapping_add(k.wrapping_mul(0x1234_5677));
            thread.set(Class::R, n, value.into());
            thread.set(Class::H, n, value.into());
            thread.set(Class::D, n, u64::from(value) * u64::from(index));
            thread.set(Class::P, n, (tid < k * 7).into());
            thread.set(Class::F, n, input[((index & 31) + k * 32) as usize].into());
            thread.set(Class::G, n, 0x3ff0_0000_0000_0000 | u64::from(n) << 48);
        }
        thread
    }
}
