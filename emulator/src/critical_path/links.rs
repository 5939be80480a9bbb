//! What a followed block waits for from seeing a word of another block to storing its own: a link of a chain
//! of blocks.

use crate::critical_path::hand_offs::{Role, Watch};
use crate::critical_path::history::{Time, WaitHistory};
use crate::critical_path::line::Line;
use crate::critical_path::timeline::CriticalPath;
use crate::machine::Warp;
use crate::program::{Kernel, Op};

/// When words are seen and stored.
#[derive(Debug)]
pub(crate) struct Links<'p> {
    /// Where blocks wait for others: what they see and give.
    watch: Option<Watch<'p>>,
    /// When a warp of the block saw last what it waited for.
    seen: Time,
    /// By site: when its warp had seen what it waited for, and when it stored there what others may wait
    /// for.
    given: Vec<(u16, Time, Time)>,
    /// By site: what lies between, of all blocks.
    paths: Vec<(u16, CriticalPath)>,
}

impl<'p> Links<'p> {
    pub(crate) fn new(watch: Option<Watch<'p>>) -> Self {
        Self { watch, seen: Time::default(), given: Vec::new(), paths: Vec::new() }
    }

    /// The next block to run.
    pub(crate) fn start(&mut self, block: u64) {
        if let Some(watch) = &mut self.watch {
            watch.start(block);
        }
    }

    /// A block has started.
    pub(crate) fn clear(&mut self) {
        self.seen = Time::default();
        self.given.clear();
    }

    /// A warp is about to run an instruction.
    pub(crate) fn see(
        &mut self,
        kernel: &Kernel,
        warp: (usize, &Warp),
        instruction: (usize, &Op),
        mask: u32,
    ) -> Role {
        let watch = self.watch.as_mut();
        watch.map_or(Role::None, |it| it.see(kernel, warp, instruction, mask))
    }

    /// It has run it, and what it reads is in register `read`.
    pub(crate) fn note(&mut self, role: Role, line: &mut Line, read: Option<u32>) {
        match (role, read) {
            (Role::Waits, Some(read)) => {
                let ready = line.registers[read as usize];
                line.seen = Some(ready);
                self.seen.later(ready);
            }
            (Role::Gives(site), _) => {
                let given = line.stores[1];
                let mut seen = line.seen.unwrap_or(self.seen);
                if given.cycles() < seen.cycles() {
                    seen = given;
                }
                self.given.retain(|(it, ..)| *it != site);
                if seen.cycles() > 0.0 {
                    self.given.push((site, seen, given));
                }
            }
            _ => {}
        }
    }

    /// Its times.
    pub(crate) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        let given = self.given.iter_mut().flat_map(|(_, seen, given)| [seen, given]);
        given.chain([&mut self.seen])
    }

    /// A block has ended.
    pub(crate) fn finish(&mut self, history: &WaitHistory) {
        for (site, seen, given) in self.given.drain(..) {
            let path = [(&history.chain(given), 1.0), (&history.chain(seen), -1.0)];
            self.paths.push((site, CriticalPath::sum(&path)));
        }
        if let Some(watch) = &mut self.watch {
            watch.finish();
        }
    }

    /// What lies between, by where words were stored.
    pub(crate) fn into_paths(self) -> Vec<(u16, CriticalPath)> {
        self.paths
    }
}
