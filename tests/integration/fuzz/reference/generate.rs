//! Random kernels: valid, free of races, and sure to end.

use super::Random;
use super::ops::{self, Class};
use super::program::{
    ATOMICS, Action, Block, COLLECTIVES, End, Place, Program, REGISTERS, Segment, Source, Spread,
    Step, TYPES,
};

/// What the emulator at hand can run.
pub(crate) struct Abilities {
    /// Numbers for [`ops::op`].
    pub(crate) ops: Vec<usize>,
    /// Indices into [`COLLECTIVES`].
    pub(crate) collectives: Vec<usize>,
    /// Ways for threads to wait for each other ([`super::exchange`]).
    pub(crate) ways: Vec<usize>,
    /// Indices into [`super::warp::WARPS`].
    pub(crate) warps: Vec<usize>,
    pub(crate) local: bool,
}

/// Constants that matter more often than others.
const EDGES: [u64; 12] =
    [0, 1, 2, 7, 31, 32, 33, 63, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];

struct Generator<'a> {
    random: Random,
    abilities: &'a Abilities,
}

impl Generator<'_> {
    /// One of `all`, which are not none.
    fn of(&mut self, all: &[usize]) -> usize {
        all[self.random.below(all.len() as u64) as usize]
    }

    fn register(&mut self) -> u8 {
        self.random.below(u64::from(REGISTERS)) as u8
    }

    fn source(&mut self, class: Class) -> Source {
        if class == Class::P || self.random.below(4) > 0 {
            return Source::Register(self.register());
        }
        let any = match class {
            Class::F => u64::from((self.random.below(4000) as f32 / 16.0 - 100.0).to_bits()),
            Class::G => (self.random.below(4000) as f64 / 16.0 - 100.0).to_bits(),
            _ if self.random.below(3) == 0 => self.random.next(),
            _ => EDGES[self.random.below(EDGES.len() as u64) as usize],
        };
        Source::Constant(any & class.mask())
    }

    fn place(&mut self, write: bool) -> Place {
        match self.random.below(4) {
            0 if !write => Place::Input,
            1 => Place::Global,
            2 if self.abilities.local => Place::Local,
            _ => Place::Shared,
        }
    }

    fn action(&mut self) -> Action {
        let ty = self.random.below(TYPES.len() as u64) as usize;
        // Vectors up to 16 bytes.
        let most = (16 / TYPES[ty].1).min(4);
        let count = [1, 1, 2, 4][self.random.below(4) as usize];
        let count = if count <= most { count as u8 } else { 1 };
        match self.random.below(20) {
            0..2 => {
                let place = self.place(false);
                Action::Load { place, ty, count, d: self.register(), index: self.register() }
            }
            2..4 => {
                let place = self.place(true);
                Action::Store { place, ty, count, s: self.register(), index: self.register() }
            }
            4 => Action::Reduce {
                shared: self.random.below(2) == 0,
                function: self.random.below(ATOMICS.len() as u64) as usize,
                spread: Spread::ALL[self.random.below(3) as usize],
                index: self.register(),
                s: self.register(),
            },
            _ => {
                let op = self.of(&self.abilities.ops);
                let s = ops::op(op).s.iter().map(|&class| self.source(class)).collect();
                Action::Compute { op, d: self.register(), s }
            }
        }
    }

    fn steps(&mut self, most: u64) -> Vec<Step> {
        (0..self.random.below(most + 1))
            .map(|_| {
                let guarded = self.random.below(5) == 0;
                let guard = guarded.then(|| (self.register(), self.random.below(2) == 0));
                Step { guard, action: self.action() }
            })
            .collect()
    }

    fn region(&mut self, size: u64) -> Segment {
        let n = 1 + self.random.below(size) as usize;
        let blocks = (0..n)
            .map(|at| {
                let steps = self.steps(size.min(6));
                // Mostly forward, sometimes anywhere: loops within loops, and
                // loops with several entries.
                let mut way = || {
                    if self.random.below(3) > 0 {
                        at + 1 + self.random.below((n - at) as u64) as usize
                    } else {
                        self.random.below(n as u64 + 1) as usize
                    }
                };
                let (taken, other) = (way(), way());
                let end = if self.random.below(3) > 0 {
                    let when = self.random.below(2) == 0;
                    End::Branch { p: self.register(), when, taken, other }
                } else {
                    End::Go(taken)
                };
                Block { steps, end }
            })
            .collect();
        Segment::Region(blocks)
    }

    fn segments(&mut self, size: u64, depth: u32, full_warps: bool) -> Vec<Segment> {
        (0..=self.random.below(size.min(5)))
            .map(|_| match self.random.below(10) {
                0 => Segment::Barrier,
                1 | 2 => Segment::Exchange {
                    way: self.of(&self.abilities.ways),
                    d: self.register(),
                    s: self.register(),
                    index: self.register(),
                },
                3 | 4 if full_warps && !self.abilities.collectives.is_empty() => {
                    let kind = self.of(&self.abilities.collectives);
                    debug_assert!(kind < COLLECTIVES.len());
                    let amount = self.random.below(32) as u32;
                    Segment::Collective {
                        kind,
                        d: self.register(),
                        s: self.register(),
                        p: self.register(),
                        amount,
                    }
                }
                5 if full_warps && !self.abilities.warps.is_empty() => Segment::Warp {
                    kind: self.of(&self.abilities.warps),
                    d: self.register(),
                    s: self.register(),
                    amount: self.random.below(32) as u32,
                },
                6 if depth < 2 => {
                    let count = 1 + self.random.below(3) as u32;
                    Segment::Repeat(count, self.segments(size, depth + 1, full_warps))
                }
                _ => self.region(size),
            })
            .collect()
    }
}

/// The kernel of a seed, of about this size.
pub(crate) fn generate(seed: u64, size: u64, abilities: &Abilities) -> Program {
    let mut generator = Generator { random: Random(seed), abilities };
    let full_warps = generator.random.below(2) == 0;
    let threads = if full_warps {
        32 * (1 + generator.random.below(3) as u32)
    } else {
        1 + generator.random.below(100) as u32
    };
    let cluster = [1, 1, 2, 4][generator.random.below(4) as usize];
    let blocks = cluster * (1 + generator.random.below(3) as u32);
    let fuel = generator.random.below(12) as u32;
    let segments = generator.segments(size, 0, full_warps);
    Program { threads, blocks, cluster, fuel, segments, local: abilities.local }
}
