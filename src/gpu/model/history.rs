//! What earlier launches of a pipeline left in L2, by footprint.
//!
//! A pipeline starts with a cold L2: that is how times are measured. What a
//! launch touches of an allocation stays in L2 for the next, unless all that was
//! touched is more than L2 holds. The footprint in an allocation is the smaller
//! of its size and of the sectors that accesses moved.

use crate::emulator::Outcome;
use crate::gpu::Profile;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

/// The launches so far of one pipeline.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    launches: u32,
    /// Sectors of each allocation that L2 may hold.
    held: Vec<f64>,
}

/// What one launch moves, as far as footprints tell.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Traffic {
    /// Bytes that come out of DRAM.
    pub(super) cold: f64,
    /// Bytes read that an earlier launch left in L2.
    pub(super) warm: f64,
    /// Bytes written, each once.
    pub(super) written: f64,
}

impl Traffic {
    /// Of what is read, the share that an earlier launch left in L2.
    pub(super) fn warm_share(&self) -> f64 {
        let all = self.cold + self.warm;
        if all > 0.0 { self.warm / all } else { 0.0 }
    }
}

impl History {
    /// Whether nothing was launched yet.
    pub(super) fn is_first(&self) -> bool {
        self.launches == 0
    }

    /// Adds a launch; tells what it moves.
    pub(super) fn add(&mut self, outcome: &Outcome, profile: &Profile) -> Traffic {
        self.launches += 1;
        if self.held.len() < outcome.touched.len() {
            self.held.resize(outcome.touched.len(), 0.0);
        }
        let mut traffic = Traffic::default();
        for (touched, held) in outcome.touched.iter().zip(&mut self.held) {
            let size = touched.bytes as f64 / SECTOR;
            let footprint = |sectors: u64| size.min(sectors as f64);
            let (loads, stores) = (footprint(touched.loads), footprint(touched.stores));
            let atomics = footprint(touched.atomics);
            traffic.cold += (loads.max(atomics) - *held).max(0.0) * SECTOR;
            traffic.warm += held.min(loads) * SECTOR;
            traffic.written += stores * SECTOR;
            *held = held.max(loads).max(stores).max(atomics);
        }
        if self.held.iter().sum::<f64>() * SECTOR > profile.l2_bytes as f64 {
            self.held.fill(0.0);
        }
        traffic
    }
}
