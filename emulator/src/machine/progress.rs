//! How far a launch has come, for a thread that watches it.

use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

/// How far a launch has come. The threads that run its blocks write it, any thread reads it.
#[derive(Debug, Default)]
pub struct Progress {
    launches: AtomicU64,
    of: AtomicU64,
    blocks: AtomicU64,
    instructions: AtomicU64,
}

/// What a [`Progress`] says at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Done {
    /// Launches that have started.
    pub launches: u64,
    /// Blocks of the current launch that have ended.
    pub blocks: u64,
    /// Blocks of the current launch that run: all of the grid, or a sample.
    pub of: u64,
    /// Warp instructions of all launches. A block adds its own every few milliseconds.
    pub instructions: u64,
}

impl Progress {
    /// Of nothing yet.
    pub const fn new() -> Self {
        Self {
            launches: AtomicU64::new(0),
            of: AtomicU64::new(0),
            blocks: AtomicU64::new(0),
            instructions: AtomicU64::new(0),
        }
    }

    /// Forgets what was done, before other work.
    pub fn reset(&self) {
        for count in [&self.launches, &self.of, &self.blocks, &self.instructions] {
            count.store(0, Ordering::Relaxed);
        }
    }

    /// How far the launches have come.
    pub fn done(&self) -> Done {
        let read = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Done {
            launches: read(&self.launches),
            blocks: read(&self.blocks),
            of: read(&self.of),
            instructions: read(&self.instructions),
        }
    }

    /// A launch of `blocks` blocks starts.
    pub(crate) fn start(&self, blocks: u64) {
        self.launches.fetch_add(1, Ordering::Relaxed);
        self.blocks.store(0, Ordering::Relaxed);
        self.of.store(blocks, Ordering::Relaxed);
    }

    /// A block has ended.
    pub(crate) fn end_block(&self) {
        self.blocks.fetch_add(1, Ordering::Relaxed);
    }

    /// Warp instructions were issued.
    pub(crate) fn issue(&self, instructions: u64) {
        self.instructions.fetch_add(instructions, Ordering::Relaxed);
    }
}
