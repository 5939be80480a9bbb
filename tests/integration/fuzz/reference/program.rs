//! Generated kernels: what they are made of, and their PTX.

use std::fmt::Write as _;

use super::exchange;
use super::forms::FUNCTIONS;
use super::ops::{self, Class};
use super::warp::WARPS;

/// Registers per class, and what they are called.
pub(crate) const REGISTERS: u8 = 6;

/// Bytes that each thread has for itself in every space.
pub(crate) const OWN: u64 = 64;

/// 32-bit words of the input buffer.
pub(crate) const INPUT_WORDS: u64 = 256;

/// Bytes of shared memory in which a warp keeps matrices.
pub(crate) const MATRICES: u32 = 1024;

/// Cells that atomics of one function work on.
pub(crate) const CELLS: u64 = 32;

/// How the threads of an atomic are spread over its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spread {
    /// By a register, over a few.
    Few,
    /// By a register, over all.
    All,
    /// Side by side.
    Row,
}

impl Spread {
    pub(crate) const ALL: [Self; 3] = [Self::Few, Self::All, Self::Row];

    /// The cell of a thread with this value in the register.
    pub(crate) fn cell(self, value: u64, tid: u64) -> u64 {
        match self {
            Self::Few => value % 4,
            Self::All => value % CELLS,
            Self::Row => tid % CELLS,
        }
    }
}

/// Atomic functions whose order does not matter.
pub(crate) const ATOMICS: [&str; 6] =
    ["add.u32", "min.s32", "max.u32", "and.b32", "or.b32", "xor.b32"];

/// Shared cells that a thread looks after, at most.
pub(crate) fn turns(threads: u32) -> u32 {
    (ATOMICS.len() as u32 * CELLS as u32).div_ceil(threads)
}

/// A value that an instruction reads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    Register(u8),
    Constant(u64),
}

/// Where memory accesses go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The input buffer, read only.
    Input,
    /// The thread's own bytes in one of the spaces.
    Global,
    Shared,
    Local,
}

/// A type in memory: its name, its bytes, the class it is loaded into.
pub(crate) const TYPES: [(&str, u64, Class); 9] = [
    ("u8", 1, Class::H),
    ("s8", 1, Class::H),
    ("u16", 2, Class::H),
    ("s16", 2, Class::R),
    ("u8", 1, Class::R),
    ("s8", 1, Class::R),
    ("b32", 4, Class::R),
    ("b64", 8, Class::D),
    ("f32", 4, Class::F),
];

/// What one thread does without the others.
#[derive(Debug, Clone)]
pub(crate) enum Action {
    /// `ops::op(op) d, s...`.
    Compute {
        op: usize,
        d: u8,
        s: Vec<Source>,
    },
    /// `count` elements of `TYPES[ty]` at the index in a register.
    Load {
        place: Place,
        ty: usize,
        count: u8,
        d: u8,
        index: u8,
    },
    Store {
        place: Place,
        ty: usize,
        count: u8,
        s: u8,
        index: u8,
    },
    /// `ATOMICS[function]` on a cell.
    Reduce {
        shared: bool,
        function: usize,
        spread: Spread,
        index: u8,
        s: u8,
    },
}

/// An action and its guard: predicate, and whether it is negated.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) guard: Option<(u8, bool)>,
    pub(crate) action: Action,
}

/// How a basic block ends: blocks are numbered in their region, the number
/// after the last is the end. Going back costs fuel and stops without it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum End {
    Go(usize),
    Branch { p: u8, when: bool, taken: usize, other: usize },
}

/// A basic block.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) steps: Vec<Step>,
    pub(crate) end: End,
}

/// Warp-wide exchanges, by their PTX up to the operands.
pub(crate) const COLLECTIVES: [&str; 13] = [
    "shfl.sync.idx.b32",
    "shfl.sync.up.b32",
    "shfl.sync.down.b32",
    "shfl.sync.bfly.b32",
    "vote.sync.ballot.b32",
    "vote.sync.any.pred",
    "vote.sync.all.pred",
    "match.any.sync.b32",
    "redux.sync.add.u32",
    "redux.sync.min.s32",
    "redux.sync.xor.b32",
    "redux.sync.max.u32",
    "bar.red.popc.u32",
];

/// What all threads of a block do together.
#[derive(Debug, Clone)]
pub(crate) enum Segment {
    /// Each thread walks through these blocks from the first.
    Region(Vec<Block>),
    /// Each thread puts `s` into its cell of memory, all wait in one of the ways of
    /// [`exchange`], and each gets the cell that `index` names.
    Exchange {
        way: usize,
        d: u8,
        s: u8,
        index: u8,
    },
    /// `COLLECTIVES[kind]` of 32-bit `s` (or predicate `p`).
    Collective {
        kind: usize,
        d: u8,
        s: u8,
        p: u8,
        amount: u32,
    },
    /// `WARPS[kind]` of the words from `s` on, to those from `d` on.
    Warp {
        kind: usize,
        d: u8,
        s: u8,
        amount: u32,
    },
    Barrier,
    Repeat(u32, Vec<Segment>),
}

/// A kernel.
#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
    /// Blocks of a cluster, which divide the blocks.
    pub(crate) cluster: u32,
    pub(crate) fuel: u32,
    pub(crate) segments: Vec<Segment>,
    /// Whether the kernel may have local variables.
    pub(crate) local: bool,
}

/// 64-bit cells that a thread writes at the end: its registers and its bytes.
pub(crate) fn cells_per_thread() -> u64 {
    u64::from(REGISTERS) * Class::ALL.len() as u64 + OWN / 8
}

/// The text being written.
struct Text {
    out: String,
    labels: usize,
}

impl Text {
    fn line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels
    }

    fn source(class: Class, source: Source) -> String {
        match source {
            Source::Register(n) => format!("{}{n}", class.register().1),
            Source::Constant(bits) => match class {
                Class::F => format!("0f{bits:08X}"),
                Class::G => format!("0d{bits:016X}"),
                _ => format!("{bits:#x}"),
            },
        }
    }

    /// Puts the address of element `index` into `%at`, `count` elements of
    /// `bytes` being read or written together.
    fn address(&mut self, place: Place, index: u8, bytes: u64) {
        let room = if place == Place::Input { INPUT_WORDS * 4 } else { OWN };
        let base = match place {
            Place::Input => "%in",
            Place::Global => "%own_global",
            Place::Shared => "%own_shared",
            Place::Local => "%own_local",
        };
        self.line(&format!("and.b32 %t, %r{index}, {};", room / bytes - 1));
        self.line(&format!("mul.wide.u32 %at, %t, {bytes};\nadd.u64 %at, %at, {base};"));
    }

    fn step(&mut self, step: &Step) {
        let guard = match step.guard {
            None => String::new(),
            Some((p, negated)) => format!("@{}%p{p} ", if negated { "!" } else { "" }),
        };
        let vector = |class: Class, first: u8, count: u8| {
            let names: Vec<String> = (0..count)
                .map(|at| format!("{}{}", class.register().1, (first + at) % REGISTERS))
                .collect();
            match count {
                1 => (names[0].clone(), String::new()),
                _ => (format!("{{{}}}", names.join(", ")), format!(".v{count}")),
            }
        };
        let space = |place: Place| match place {
            Place::Input | Place::Global => "global",
            Place::Shared => "shared",
            Place::Local => "local",
        };
        match &step.action {
            Action::Compute { op, d, s } => {
                let op = ops::op(*op);
                if op.text.starts_with('{') {
                    self.piece(step.guard, op.text, op.d, *d, op.s, s);
                    return;
                }
                let mut line = format!("{guard}{} {}{d}", op.text, op.d.register().1);
                for (&class, &source) in op.s.iter().zip(s) {
                    write!(line, ", {}", Self::source(class, source)).unwrap();
                }
                self.line(&(line + ";"));
            }
            &Action::Load { place, ty, count, d, index } => {
                let (name, bytes, class) = TYPES[ty];
                self.address(place, index, bytes * u64::from(count));
                let (names, v) = vector(class, d, count);
                self.line(&format!("{guard}ld.{}{v}.{name} {names}, [%at];", space(place)));
            }
            &Action::Store { place, ty, count, s, index } => {
                let (name, bytes, class) = TYPES[ty];
                self.address(place, index, bytes * u64::from(count));
                let (names, v) = vector(class, s, count);
                self.line(&format!("{guard}st.{}{v}.{name} [%at], {names};", space(place)));
            }
            &Action::Reduce { shared, function, spread, index, s } => {
                let (space, base) =
                    if shared { ("shared", "%cells_shared") } else { ("global", "%cells_global") };
                let first = function as u64 * CELLS * 4;
                self.line(&match spread {
                    Spread::Few => format!("and.b32 %t, %r{index}, 3;"),
                    Spread::All => format!("and.b32 %t, %r{index}, {};", CELLS - 1),
                    Spread::Row => format!("and.b32 %t, %self, {};", CELLS - 1),
                });
                self.line(&format!("mul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, {base};"));
                self.line(&format!(
                    "{guard}red.{space}.{} [%at+{first}], %r{s};",
                    ATOMICS[function]
                ));
            }
        }
    }

    /// Sets `%at` to the shared cell that many behind the thread's own, `%q` to whether there is one.
    fn shared_cell(&mut self, behind: u32) {
        self.line(&format!(
            "add.u32 %t, %self, {behind};\nsetp.lt.u32 %q, %t, {};\nmul.wide.u32 %at, %t, 4;\n\
             add.u64 %at, %at, %cells_shared;",
            ATOMICS.len() as u64 * CELLS
        ));
    }

    /// A piece of PTX with these registers; a guard jumps over it.
    fn piece(
        &mut self,
        guard: Option<(u8, bool)>,
        text: &str,
        class: Class,
        d: u8,
        classes: &[Class],
        s: &[Source],
    ) {
        let number = self.label();
        let mut text = text.replace("<n>", &number.to_string());
        text = text.replace("<d>", &Self::source(class, Source::Register(d)));
        for ((name, &class), &source) in ["<a>", "<b>", "<c>"].iter().zip(classes).zip(s) {
            text = text.replace(name, &Self::source(class, source));
        }
        if let Some((p, negated)) = guard {
            self.line(&format!("@{}%p{p} bra $S{number};", if negated { "" } else { "!" }));
        }
        self.line(&text.replace("; ", ";\n"));
        if guard.is_some() {
            self.line(&format!("$S{number}:"));
        }
    }

    /// A branch, costing fuel where it goes back.
    fn go(&mut self, from: usize, to: usize, base: usize, guard: &str) {
        if to > from {
            self.line(&format!("{guard}bra $B{base}_{to};"));
            return;
        }
        let past = self.label();
        if guard.is_empty() {
            self.line("setp.eq.u32 %q, %fuel, 0;");
        } else {
            // Not taken, or no fuel: past it.
            let condition = guard.trim_start_matches('@').trim_end();
            let taken = condition.trim_start_matches('!');
            let (yes, no) = if condition.starts_with('!') { (0, 1) } else { (1, 0) };
            self.line(&format!("selp.u32 %t, {yes}, {no}, {taken};\nsetp.eq.u32 %q, %t, 0;"));
            self.line("setp.eq.or.u32 %q, %fuel, 0, %q;");
        }
        self.line(&format!(
            "@%q bra $P{past};\nsub.u32 %fuel, %fuel, 1;\nbra $B{base}_{to};\n$P{past}:"
        ));
    }

    fn segment(&mut self, segment: &Segment) {
        match segment {
            Segment::Region(blocks) => {
                let base = self.label();
                for (at, block) in blocks.iter().enumerate() {
                    self.line(&format!("$B{base}_{at}:"));
                    for step in &block.steps {
                        self.step(step);
                    }
                    match block.end {
                        End::Go(to) => self.go(at, to, base, ""),
                        End::Branch { p, when, taken, other } => {
                            self.go(
                                at,
                                taken,
                                base,
                                &format!("@{}%p{p} ", if when { "" } else { "!" }),
                            );
                            self.go(at, other, base, "");
                        }
                    }
                    // Where a way back had no fuel left.
                    self.line(&format!("bra $B{base}_{};", at + 1));
                }
                self.line(&format!("$B{base}_{}:", blocks.len()));
            }
            Segment::Exchange { way, d, s, index } => {
                let number = self.label();
                self.line(&exchange::text(*way, *d, *s, *index, number));
            }
            Segment::Warp { kind, d, s, amount } => {
                let number = self.label();
                let mut text = WARPS[*kind].text.replace("<n>", &number.to_string());
                for at in 0..REGISTERS {
                    let name = |first: u8| format!("%r{}", (first + at) % REGISTERS);
                    text = text.replace(&format!("<d{at}>"), &name(*d));
                    text = text.replace(&format!("<s{at}>"), &name(*s));
                }
                self.line(&text.replace("<k>", &amount.to_string()));
            }
            Segment::Collective { kind, d, s, p, amount } => {
                let word = COLLECTIVES[*kind];
                let line = match *kind {
                    0..4 => {
                        let clamp = if *kind == 1 { 0 } else { 31 };
                        format!("{word} %r{d}|%p{p}, %r{s}, {amount}, {clamp}, -1;")
                    }
                    4 => format!("{word} %r{d}, %p{p}, -1;"),
                    5 | 6 => format!("{word} %p{}, %p{p}, -1;", d % REGISTERS),
                    12 => format!("{word} %r{d}, 0, %p{p};"),
                    _ => format!("{word} %r{d}, %r{s}, -1;"),
                };
                self.line(&line);
            }
            Segment::Barrier => self.line("bar.sync 0;"),
            Segment::Repeat(count, inner) => {
                let label = self.label();
                self.line(&format!(
                    "{{\n.reg .u32 %loop{label};\nmov.u32 %loop{label}, {count};\n$L{label}:"
                ));
                for segment in inner {
                    self.segment(segment);
                }
                self.line(&format!("sub.u32 %loop{label}, %loop{label}, 1;\nsetp.ne.u32 %q, %loop{label}, 0;\n@%q bra $L{label};\n}}"));
            }
        }
    }
}

/// The PTX of a program; its kernel is called `k` and takes the addresses of
/// the input, of the results, of the global cells and of the threads' bytes.
pub(crate) fn print(program: &Program) -> String {
    let mut text = Text { out: String::new(), labels: 0 };
    let threads = u64::from(program.threads);
    text.line(".version 8.6\n.target sm_100a\n.address_size 64");
    text.out.push_str(FUNCTIONS);
    text.line(".visible .entry k(.param .u64 in, .param .u64 out, .param .u64 cells, .param .u64 own, .param .u64 room)");
    if program.cluster > 1 {
        text.line(&format!(".reqnctapercluster {}, 1, 1", program.cluster));
    }
    text.line("{");
    for class in Class::ALL {
        let (ty, name) = class.register();
        text.line(&format!(".reg .{ty} {name}<{REGISTERS}>;"));
    }
    text.line(".reg .u64 %at, %in, %out, %own_global, %own_shared, %own_local, %cells_global, %cells_shared, %mine, %exchange, %room, %scratch;");
    text.line(".reg .u32 %t, %self, %thread, %fuel, %threads;\n.reg .pred %q;");
    text.line(&format!(
        ".shared .align 16 .b8 bytes[{}];\n.shared .align 16 .b8 exchanged[{}];",
        threads * OWN,
        exchange::bytes(program.threads)
    ));
    text.line(&format!(
        ".shared .align 8 .b64 arrived;\n.shared .align 128 .b8 matrices[{}];",
        program.threads.div_ceil(32) * MATRICES
    ));
    text.line(&format!(".shared .align 4 .b8 counted[{}];", ATOMICS.len() as u64 * CELLS * 4));
    if program.local {
        text.line(&format!(".local .align 16 .b8 locals[{OWN}];"));
    }
    text.line("ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nld.param.u64 %cells_global, [cells];\nld.param.u64 %own_global, [own];");
    text.line("mov.u32 %self, %tid.x;\nmov.u32 %threads, %ntid.x;\nmov.u32 %t, %ctaid.x;\nmad.lo.u32 %thread, %t, %threads, %self;");
    text.line(&format!(
        "mul.wide.u32 %at, %thread, {OWN};\nadd.u64 %own_global, %own_global, %at;"
    ));
    text.line(&format!(
        "mul.wide.u32 %at, %thread, {};\nadd.u64 %out, %out, %at;",
        cells_per_thread() * 8
    ));
    text.line(&format!("mov.u64 %own_shared, bytes;\nmul.wide.u32 %at, %self, {OWN};\nadd.u64 %own_shared, %own_shared, %at;"));
    text.line(&format!("ld.param.u64 %room, [room];\nmov.u32 %t, %ctaid.x;\nmul.wide.u32 %at, %t, {};\nadd.u64 %room, %room, %at;", exchange::bytes(program.threads)));
    text.line(&format!("mov.u64 %scratch, matrices;\nshr.u32 %t, %self, 5;\nmul.wide.u32 %at, %t, {MATRICES};\nadd.u64 %scratch, %scratch, %at;"));
    text.line("mov.u64 %exchange, exchanged;\nmul.wide.u32 %at, %self, 4;\nadd.u64 %mine, %exchange, %at;\nmov.u64 %cells_shared, counted;");
    if program.local {
        text.line("mov.u64 %own_local, locals;");
    }
    text.line(&format!("mov.u32 %fuel, {};", program.fuel));
    // Memory starts as zeros on the emulator; a GPU promises nothing.
    for at in 0..OWN / 8 {
        text.line(&format!("st.shared.u64 [%own_shared+{}], 0;", at * 8));
        if program.local {
            text.line(&format!("st.local.u64 [%own_local+{}], 0;", at * 8));
        }
    }
    for turn in 0..turns(program.threads) {
        text.shared_cell(turn * program.threads);
        text.line("@%q st.shared.u32 [%at], 0;");
    }
    text.line("bar.sync 0;");
    for n in 0..u64::from(REGISTERS) {
        text.line(&format!("mad.lo.u32 %r{n}, %thread, {}, {};", 2 * n + 1, n * 0x1234_5677));
        text.line(&format!("cvt.u16.u32 %h{n}, %r{n};\nmul.wide.u32 %d{n}, %r{n}, %thread;\nsetp.lt.u32 %p{n}, %self, {};", n * 7));
        text.line(&format!("and.b32 %t, %thread, 31;\nadd.u32 %t, %t, {};\nmul.wide.u32 %at, %t, 4;\nadd.u64 %at, %at, %in;\nld.global.f32 %f{n}, [%at];", n * 32));
        text.line(&format!("mov.f64 %g{n}, 0d3FF{n}000000000000;"));
    }
    for segment in &program.segments {
        text.segment(segment);
    }
    text.line("bar.sync 0;");
    // The shared cells go to the first threads' %r0, registers and bytes to memory.
    for turn in 0..turns(program.threads) {
        text.shared_cell(turn * program.threads);
        if turn == 0 {
            text.line("@%q mov.u32 %r0, 0;");
        }
        text.line(&format!(
            "@%q ld.shared.u32 %t, [%at];\n@%q mad.lo.u32 %r0, %t, {}, %r0;",
            2 * turn + 1
        ));
    }
    let mut cell = 0;
    for class in Class::ALL {
        let (ty, name) = class.register();
        for n in 0..REGISTERS {
            if class == Class::P {
                text.line(&format!(
                    "selp.u32 %t, 1, 0, %p{n};\nst.global.u32 [%out+{}], %t;",
                    cell * 8
                ));
            } else {
                text.line(&format!("st.global.{ty} [%out+{}], {name}{n};", cell * 8));
            }
            cell += 1;
        }
    }
    for at in 0..OWN / 8 {
        text.line(&format!("ld.shared.u64 %d0, [%own_shared+{}];", at * 8));
        if program.local {
            text.line(&format!(
                "ld.local.u64 %d1, [%own_local+{}];\nmad.lo.u64 %d0, %d1, 3, %d0;",
                at * 8
            ));
        }
        text.line(&format!("st.global.u64 [%out+{}], %d0;", cell * 8));
        cell += 1;
    }
    text.line("ret;\n}");
    text.out
}
