//! When something is there, and by which waits it came to be there.
//!
//! A time line has a time for every register of every warp. Each keeps only its
//! cycles and the last of its waits; what lies before that is found by going back
//! from wait to wait, which is done for the few times that are asked about.

use crate::critical_path::timeline::{CriticalPath, NOMINAL, WAITS, Wait};

/// Waits that are kept before those that no time came by are dropped.
const MOST_NODES: usize = 1 << 15;

/// Cycles since the block started, and the last wait before them. Blocks may run for
/// seconds; single precision would lose their short waits.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Time {
    cycles: f64,
    node: u32,
}

impl Time {
    /// Cycles since the block started.
    pub(crate) fn cycles(self) -> f64 {
        self.cycles
    }

    pub(crate) fn later(&mut self, other: Self) {
        if other.cycles > self.cycles {
            *self = other;
        }
    }
}

/// One wait, and what came before it.
#[derive(Debug, Clone, Copy)]
struct Node {
    before: u32,
    wait: Wait,
    times: f32,
}

/// All waits of a block. Numbers below that of the roots stand for whole chains,
/// those above for waits.
#[derive(Debug)]
pub(crate) struct WaitHistory {
    roots: Vec<[f64; WAITS]>,
    nodes: Vec<Node>,
    most: usize,
    /// Whether the cycles of machine code stand for waits other than those for memory.
    knows_cycles: bool,
}

impl WaitHistory {
    pub(crate) fn new(knows_cycles: bool) -> Self {
        Self { roots: vec![[0.0; WAITS]], nodes: Vec::new(), most: MOST_NODES, knows_cycles }
    }

    /// Whether the cycles of machine code stand for waits other than those for memory.
    pub(crate) fn knows_cycles(&self) -> bool {
        self.knows_cycles
    }

    /// Back to the start of a block, where nothing has waited.
    pub(crate) fn clear(&mut self) {
        self.roots.truncate(1);
        self.nodes.clear();
    }

    /// The time when so many more waits are over; at once where the cycles of machine code have them.
    pub(crate) fn wait(&mut self, from: Time, wait: Wait, times: f32) -> Time {
        use Wait::{Arithmetic, Branch, Exchange, Issue, Slow};
        if self.knows_cycles && matches!(wait, Arithmetic | Slow | Exchange | Branch | Issue) {
            return from;
        }
        self.add(from, wait, times)
    }

    /// The time when so many more waits are over.
    pub(crate) fn add(&mut self, from: Time, wait: Wait, times: f32) -> Time {
        if times == 0.0 {
            return from;
        }
        let number = self.roots.len() + self.nodes.len();
        self.nodes.push(Node { before: from.node, wait, times });
        Time { cycles: from.cycles + cycles(wait, times), node: number as u32 }
    }

    /// The time of what was there at `ready` and started at `start`, for a warp that has had as
    /// many cycles of other things to do: they count with its machine code.
    pub(crate) fn hidden(&mut self, ready: Time, start: Time, cycles: f32) -> Time {
        let cycles = cycles.min((ready.cycles - start.cycles) as f32);
        if self.knows_cycles && cycles > 0.0 {
            self.add(ready, Wait::Cycle, -cycles)
        } else {
            ready
        }
    }

    /// The later of a time and another after so many waits.
    pub(crate) fn or_after(&mut self, time: Time, from: Time, wait: Wait, times: f32) -> Time {
        if from.cycles + cycles(wait, times) > time.cycles && !self.knows_cycles {
            self.wait(from, wait, times)
        } else {
            time
        }
    }

    /// Whether there are so many waits that some should go.
    pub(crate) fn is_long(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// The chain that leads to a time that was live when the history was cut last.
    pub(crate) fn chain(&self, time: Time) -> CriticalPath {
        let waits = self.roots.get(time.node as usize).copied().unwrap_or_default();
        CriticalPath { cycles: time.cycles as f32, waits: waits.map(|times| times as f32) }
    }

    /// Keeps the chains of the live times and nothing else.
    pub(crate) fn cut(&mut self, live: &mut [&mut Time]) {
        let first = self.roots.len();
        let mut needed = vec![false; first + self.nodes.len()];
        for time in &*live {
            needed[time.node as usize] = true;
        }
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[first + index] {
                needed[node.before as usize] = true;
            }
        }
        // Where the chain of each lies among those worked out.
        let mut place = vec![0_u32; needed.len()];
        let mut chains: Vec<[f64; WAITS]> = Vec::new();
        for (index, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let waits = match index.checked_sub(first) {
                None => self.roots[index],
                Some(node) => {
                    let Node { before, wait, times } = self.nodes[node];
                    let mut waits = chains[place[before as usize] as usize];
                    waits[wait as usize] += f64::from(times);
                    waits
                }
            };
            place[index] = chains.len() as u32;
            chains.push(waits);
        }
        self.roots.truncate(1);
        self.nodes.clear();
        // A number per chain that is live, whoever else has it.
        let mut number = vec![0_u32; needed.len()];
        for time in live {
            let node = time.node as usize;
            if node != 0 && number[node] == 0 {
                number[node] = self.roots.len() as u32;
                self.roots.push(chains[place[node] as usize]);
            }
            time.node = number[node];
        }
        self.most = MOST_NODES.max(4 * self.roots.len());
    }
}

/// Cycles of so many waits.
pub(crate) fn cycles(wait: Wait, times: f32) -> f64 {
    f64::from(NOMINAL[wait as usize] * times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chain_of_seconds_loses_none_of_its_waits() {
        // More than single precision counts one by one.
        let rounds = (1 << 24) + 1000;
        let mut history = WaitHistory::new(false);
        let mut time = Time::default();
        for _ in 0..rounds {
            time = history.wait(time, Wait::Branch, 1.0);
            if history.is_long() {
                history.cut(&mut [&mut time]);
            }
        }
        history.cut(&mut [&mut time]);
        let waits = f64::from(history.chain(time).waits[Wait::Branch as usize]);
        assert!((waits - f64::from(rounds)).abs() < 2.0, "{waits}");
        assert!((time.cycles - 12.0 * f64::from(rounds)).abs() < 1.0, "{}", time.cycles);
    }

    #[test]
    fn the_later_of_two_chains_is_kept_and_the_other_dropped() {
        let mut history = WaitHistory::new(false);
        let start = history.wait(Time::default(), Wait::Dram, 1.0);
        let mut short = history.wait(start, Wait::Shared, 1.0);
        let mut long = history.wait(start, Wait::Slow, 3.0);
        short.later(long);
        history.cut(&mut [&mut short, &mut long]);
        for time in [short, long] {
            let chain = history.chain(time);
            assert_eq!(chain.waits.iter().sum::<f32>().to_bits(), 4.0_f32.to_bits());
            assert_eq!(chain.waits[Wait::Slow as usize].to_bits(), 3.0_f32.to_bits());
        }
        // A start and one chain that both share.
        assert_eq!((history.roots.len(), history.nodes.len()), (2, 0));
    }
}
