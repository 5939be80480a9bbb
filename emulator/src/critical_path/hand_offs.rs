//! How blocks wait for one another: which words they wait for, and who stored those.
//!
//! The emulator runs one block after the other, so that hardly one waits. On a GPU, a block that waits
//! for the one before it goes on when that one has stored its word, so that all blocks of such a chain go
//! on one after the other.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::critical_path::timeline::CriticalPath;
use crate::machine::{BlockContext, Observer, Warp, lanes};
use crate::program::{Cell, Inst, Kernel, Op, Rmw, Slot, Update, Window};

/// Most words that are told apart.
const MOST_WORDS: usize = 1 << 20;

/// How the blocks of a launch wait for one another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HandOffs {
    /// Links of the longest chain: each goes on when the one before has stored a word.
    pub longest: u64,
    /// How often a warp waits for a word of another one.
    pub waits: u64,
    /// Most warps that wait for the same word.
    pub at_a_word: u64,
    /// Most words that an instruction waits for.
    pub at_a_time: u64,
    /// Whether blocks store such a word before they wait themselves, and again when they have waited: whoever
    /// waits for it may go on with what it held first.
    pub looks_back: bool,
    /// What a block waits for from where it sees such a word to where it stores its own.
    pub path: CriticalPath,
}

/// A word that was stored.
#[derive(Debug, Clone, Copy)]
struct Word {
    /// The block and the warp that stored it last, and where.
    by: (u64, usize),
    site: u16,
    /// Links of the chain that this ends, when they stored it first.
    links: u64,
    /// Whether they stored it again when they had waited for others.
    again: bool,
    /// Whether they waited for this word themselves.
    own: bool,
    /// Warps that waited for it.
    waited: u64,
}

/// What the blocks of a launch have stored so far, and who waited for it.
#[derive(Debug, Default)]
pub(crate) struct Handed {
    words: HashMap<u64, Word>,
    found: HandOffs,
    /// Where words were stored that others waited for.
    sites: HashSet<u16>,
    /// The links of the last blocks, as many as the GPU runs at a time, in a circle.
    ended: Vec<u64>,
}

impl Handed {
    /// Where so many blocks run at a time; 0 if nobody knows.
    pub(crate) fn new(at_a_time: u64) -> Self {
        Self { ended: vec![0; at_a_time as usize], ..Self::default() }
    }

    /// The place of a block in the circle: that of the one whose end it waits for.
    fn place_of(&mut self, block: u64) -> Option<&mut u64> {
        let place = block.checked_rem(self.ended.len() as u64)?;
        self.ended.get_mut(place as usize)
    }

    /// What was found, with the mean of what followed blocks wait for from word to word, which are told by
    /// where they store.
    pub(crate) fn found(self, paths: &[(u16, CriticalPath)]) -> HandOffs {
        let paths: Vec<(&CriticalPath, f64)> = paths
            .iter()
            .filter(|(site, _)| self.sites.contains(site))
            .map(|(_, path)| (path, 1.0))
            .collect();
        let part = 1.0 / paths.len().max(1) as f64;
        let paths: Vec<_> = paths.into_iter().map(|(path, _)| (path, part)).collect();
        HandOffs { path: CriticalPath::sum(&paths), ..self.found }
    }
}

/// What an instruction has to do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    None,
    /// It reads what it waits for.
    Waits,
    /// It stores what others may wait for, at this site.
    Gives(u16),
}

/// Watches a block for it.
#[derive(Debug)]
pub(crate) struct Watch<'c> {
    /// By instruction: whether it may wait.
    awaiting: &'c [bool],
    handed: &'c Mutex<Handed>,
    block: u64,
    warp: usize,
    /// Links of the longest chain that ends in this block.
    links: u64,
    /// Words that it has waited for since it stored one last: those of each warp.
    waits: Vec<(usize, u64)>,
    /// Most words that one of its instructions waited for.
    at_a_time: u64,
}

impl<'c> Watch<'c> {
    pub(crate) fn new(awaiting: &'c [bool], handed: &'c Mutex<Handed>) -> Self {
        Self { awaiting, handed, block: 0, warp: 0, links: 0, waits: Vec::new(), at_a_time: 0 }
    }

    /// Whether a block has to be watched: not if blocks look back, once some hundreds have told so.
    pub(crate) fn is_needed(&self, block: u64) -> bool {
        block < ENOUGH || !self.lock().found.looks_back
    }

    /// The next block to run. It has its place from one that has ended.
    pub(crate) fn start(&mut self, block: u64) {
        self.block = block;
        self.links = self.lock().place_of(block).map_or(0, |links| *links);
        self.waits.clear();
    }

    /// A block has ended.
    pub(crate) fn finish(&mut self) {
        self.settle();
        if let Some(links) = self.lock().place_of(self.block) {
            *links = self.links;
        }
    }

    /// The lanes of `mask` of warp `number` are about to run an instruction.
    pub(crate) fn see(
        &mut self,
        kernel: &Kernel,
        (number, warp): (usize, &Warp),
        (index, op): (usize, &Op),
        mask: u32,
    ) -> Role {
        self.warp = number;
        let waits = self.awaiting[index];
        match *op {
            Op::Load(it) if waits => {
                self.wait(&places(kernel, warp, (it.a, it.site), mask));
                Role::Waits
            }
            Op::Atomic { update, .. } if waits && keeps(warp, update, mask) => {
                self.wait(&places(kernel, warp, (update.a, update.site), mask));
                Role::Waits
            }
            Op::Atomic { update, .. } | Op::Reduce(update) if update.window != Window::Shared => {
                self.give(&places(kernel, warp, (update.a, update.site), mask), update.site, true);
                Role::Gives(update.site)
            }
            Op::Store(it)
                if matches!(it.window, Window::Global | Window::Generic)
                    && (mask.is_power_of_two() || kernel.asks_afresh(it.site)) =>
            {
                self.give(&places(kernel, warp, (it.a, it.site), mask), it.site, false);
                Role::Gives(it.site)
            }
            _ => Role::None,
        }
    }

    fn lock(&self) -> MutexGuard<'c, Handed> {
        self.handed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A warp reads words that it waits for.
    fn wait(&mut self, words: &[u64]) {
        self.at_a_time = self.at_a_time.max(words.len() as u64);
        for &word in words {
            if !self.waits.contains(&(self.warp, word)) {
                self.waits.push((self.warp, word));
            }
        }
        // A loop over many words: those before have come.
        if self.waits.len() > MOST_WAITS {
            self.settle();
        }
    }

    /// What was waited for has come: it was stored by whoever stored it last.
    fn settle(&mut self) {
        if self.waits.is_empty() {
            return;
        }
        let mut handed = self.lock();
        let Handed { words, found, sites, .. } = &mut *handed;
        for (warp, place) in self.waits.drain(..) {
            let Some(word) = words.get_mut(&place) else { continue };
            word.own |= word.by == (self.block, warp);
            word.waited += 1;
            found.waits += 1;
            found.at_a_word = found.at_a_word.max(word.waited);
            found.looks_back |= word.again;
            sites.insert(word.site);
            self.links = self.links.max(word.links + 1);
        }
        found.longest = found.longest.max(self.links);
        found.at_a_time = found.at_a_time.max(self.at_a_time);
    }

    /// A warp stores words, or adds to them.
    fn give(&mut self, places: &[u64], site: u16, adds: bool) {
        self.settle();
        let by = (self.block, self.warp);
        let mut handed = self.lock();
        let room = handed.words.len() < MOST_WORDS;
        for &place in places {
            let new = Word { by, site, links: self.links, again: false, own: false, waited: 0 };
            match handed.words.get_mut(&place) {
                Some(word) if word.by == by && !word.own && self.links > word.links => {
                    (word.again, word.site) = (true, site);
                }
                Some(word) => {
                    let links = if adds { self.links.max(word.links) } else { self.links };
                    *word = Word { links, waited: word.waited, ..new };
                }
                None if room => {
                    handed.words.insert(place, new);
                }
                None => {}
            }
        }
    }
}

/// Blocks that tell how those that look back do it: observing one takes twice as long as running it.
const ENOUGH: u64 = 256;

/// Words of one warp that are waited for at a time.
const MOST_WAITS: usize = 64;

/// Where the lanes of `mask` access memory.
fn places(kernel: &Kernel, warp: &Warp, (a, site): (Slot, u16), mask: u32) -> Vec<u64> {
    let offset = kernel.sites[usize::from(site)].offset.cast_unsigned();
    let mut places: Vec<u64> =
        lanes(mask).map(|lane| warp.regs64[usize::from(a)][lane].wrapping_add(offset)).collect();
    places.dedup();
    places
}

/// Whether an atomic changes nothing, so that it only reads: it adds 0, or swaps a value for itself.
fn keeps(warp: &Warp, update: Update, mask: u32) -> bool {
    let value = |slot: Slot, lane: usize| match update.cell {
        Cell::B64 => warp.regs64[usize::from(slot)][lane],
        _ => u64::from(warp.regs32[usize::from(slot)][lane]),
    };
    let all = |is: &dyn Fn(usize) -> bool| lanes(mask).all(is);
    match update.f {
        Rmw::Add | Rmw::Or | Rmw::Xor | Rmw::MaxU => all(&|lane| value(update.b, lane) == 0),
        Rmw::CompareExchange => all(&|lane| value(update.b, lane) == value(update.c, lane)),
        _ => false,
    }
}

impl Observer for Watch<'_> {
    fn enter(&mut self, warp: usize) {
        self.warp = warp;
    }

    fn before(
        &mut self,
        warp: &Warp,
        context: &BlockContext,
        index: usize,
        inst: &Inst,
        mask: u32,
    ) -> u32 {
        self.see(context.kernel, (self.warp, warp), (index, &inst.op), mask);
        mask
    }
}
