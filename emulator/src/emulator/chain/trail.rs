//! When something is there, and by which waits it came to be there.
//!
//! A time line has a time for every register of every warp. Each keeps only its
//! cycles and the last of its waits; what lies before that is found by going back
//! from wait to wait, which is done for the few times that are asked about.

use super::{Chain, NOMINAL, WAITS, Wait};

/// Waits that are kept before those that no time came by are dropped.
const MOST_NODES: usize = 1 << 15;

/// Cycles since the block started, and the last wait before them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Time {
    cycles: f32,
    node: u32,
}

impl Time {
    pub(super) fn later(&mut self, other: Self) {
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
pub(super) struct Trail {
    roots: Vec<[f32; WAITS]>,
    nodes: Vec<Node>,
    most: usize,
}

impl Trail {
    pub(super) fn new() -> Self {
        Self { roots: vec![[0.0; WAITS]], nodes: Vec::new(), most: MOST_NODES }
    }

    /// Back to the start of a block, where nothing has waited.
    pub(super) fn clear(&mut self) {
        self.roots.truncate(1);
        self.nodes.clear();
    }

    /// The time after so many waits more.
    pub(super) fn wait(&mut self, from: Time, wait: Wait, times: f32) -> Time {
        let number = self.roots.len() + self.nodes.len();
        self.nodes.push(Node { before: from.node, wait, times });
        Time { cycles: from.cycles + NOMINAL[wait as usize] * times, node: number as u32 }
    }

    /// The later of a time and another after so many waits.
    pub(super) fn or_after(&mut self, time: Time, from: Time, wait: Wait, times: f32) -> Time {
        if from.cycles + NOMINAL[wait as usize] * times > time.cycles {
            self.wait(from, wait, times)
        } else {
            time
        }
    }

    /// Whether there are so many waits that some should go.
    pub(super) fn is_long(&self) -> bool {
        self.nodes.len() >= self.most
    }

    /// The chain that leads to a time that was live when the trail was cut last.
    pub(super) fn chain(&self, time: Time) -> Chain {
        let waits = self.roots.get(time.node as usize).copied().unwrap_or_default();
        Chain { cycles: time.cycles, waits }
    }

    /// Keeps the chains of the live times and nothing else.
    pub(super) fn cut(&mut self, live: &mut [&mut Time]) {
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
        let mut chains: Vec<[f32; WAITS]> = Vec::new();
        for (index, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
            let waits = match index.checked_sub(first) {
                None => self.roots[index],
                Some(node) => {
                    let Node { before, wait, times } = self.nodes[node];
                    let mut waits = chains[place[before as usize] as usize];
                    waits[wait as usize] += times;
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
