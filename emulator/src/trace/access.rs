//! An access of a warp as memory sees it: sectors, lines, banks, addresses.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::machine::{AccessKind, SECTOR, lanes};
use crate::program::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, LOCAL_WINDOW, Op, SHARED_WINDOW, SHARED_WINDOW_BYTES,
    WINDOW_BYTES, Window,
};
use crate::trace::capture::RawAccess;

/// Bytes of a line of L1 and L2.
const LINE: u64 = 128;

/// The memory that an access goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    /// Device memory.
    Global,
    /// The block's own. Addresses are offsets from its start.
    Shared,
    /// That of another block of the cluster.
    Cluster,
    /// A thread's own memory. Addresses are offsets from its start.
    Local,
    /// The constant bank.
    Constant,
}

/// A 32-byte sector of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Sector {
    /// Lanes that touch it.
    pub lanes: u32,
    /// Bytes of it that they touch, as a mask.
    pub bytes: u32,
}

/// A 128-byte line of global memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Its address.
    pub address: u64,
    /// Its sectors. Those that no lane touches are not fetched.
    pub sectors: [Sector; 4],
}

/// A bank of shared memory, 4 bytes wide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Bank {
    /// The 4-byte words of it that lanes touch, by offset in shared memory, and these lanes.
    pub words: Vec<(u64, u32)>,
}

impl Bank {
    /// Lanes that touch it.
    pub fn lanes(&self) -> u32 {
        self.words.iter().fold(0, |all, (_, lanes)| all | lanes)
    }
}

/// An access to memory. The vectors have what the space has: lines of global memory, banks of
/// shared memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Load, store or atomic.
    pub kind: AccessKind,
    /// Where it goes; of a generic address, that of its first lane.
    pub space: Space,
    /// Bytes per lane.
    pub bytes: u32,
    /// Lanes that take part.
    pub lanes: u32,
    /// Where each goes; 0 of those that do not take part.
    pub addresses: [u64; 32],
    /// What each loads, stores or gives to the atomic: one row per cell of a vector.
    pub values: Vec<[u64; 32]>,
    /// Of an atomic: what was in memory before the first lane.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old: Option<Vec<[u64; 32]>>,
    /// Lines of global memory, by address.
    pub lines: Vec<Line>,
    /// The 32 banks of shared memory.
    pub banks: Vec<Bank>,
    /// Of an atomic: the lanes on each address, by address.
    pub meetings: Vec<(u64, u32)>,
}

impl Access {
    /// What memory sees of an access.
    pub(crate) fn of(raw: RawAccess) -> Self {
        let RawAccess { op, mask, addresses, own, old, values } = raw;
        let (window, bytes, kind) = match op {
            Op::Load(it) => (it.window, it.bytes(), AccessKind::Load),
            Op::Store(it) => (it.window, it.bytes(), AccessKind::Store),
            Op::Atomic { update: it, .. } | Op::Reduce(it) => {
                (it.window, it.bytes(), AccessKind::Atomic)
            }
            _ => (Window::Param, 0, AccessKind::None),
        };
        let first = addresses[mask.trailing_zeros() as usize & 31];
        let (space, start) = space(window, first, own);
        let mut places = [0; 32];
        for lane in lanes(mask) {
            places[lane] = addresses[lane].wrapping_sub(start);
        }
        let mut access = Self {
            kind,
            space,
            bytes,
            lanes: mask,
            addresses: places,
            values,
            old,
            lines: Vec::new(),
            banks: Vec::new(),
            meetings: Vec::new(),
        };
        match space {
            Space::Global => access.lines = access.lines(),
            Space::Shared => access.banks = access.banks(),
            _ => {}
        }
        if kind == AccessKind::Atomic {
            let mut meetings: BTreeMap<u64, u32> = BTreeMap::new();
            for lane in lanes(mask) {
                *meetings.entry(places[lane]).or_default() |= 1 << lane;
            }
            access.meetings = meetings.into_iter().collect();
        }
        access
    }

    fn lines(&self) -> Vec<Line> {
        let mut lines_by: BTreeMap<u64, [Sector; 4]> = BTreeMap::new();
        for lane in lanes(self.lanes) {
            let start = self.addresses[lane];
            for at in start..start.saturating_add(u64::from(self.bytes)) {
                let sectors = lines_by.entry(at / LINE * LINE).or_default();
                let sector = &mut sectors[(at % LINE / SECTOR) as usize];
                sector.lanes |= 1 << lane;
                sector.bytes |= 1 << (at % SECTOR);
            }
        }
        let line = |(address, sectors)| Line { address, sectors };
        lines_by.into_iter().map(line).collect()
    }

    fn banks(&self) -> Vec<Bank> {
        let mut banks = vec![BTreeMap::<u64, u32>::new(); 32];
        for lane in lanes(self.lanes) {
            let start = self.addresses[lane];
            let end = start.saturating_add(u64::from(self.bytes));
            for word in start / 4..end.div_ceil(4) {
                *banks[(word % 32) as usize].entry(word * 4).or_default() |= 1 << lane;
            }
        }
        banks.into_iter().map(|words| Bank { words: words.into_iter().collect() }).collect()
    }

    /// Distinct bytes of global memory that the lanes touch.
    pub fn used_bytes(&self) -> u64 {
        let sectors = self.lines.iter().flat_map(|line| line.sectors);
        sectors.map(|sector| u64::from(sector.bytes.count_ones())).sum()
    }

    /// Bytes of global memory that are moved for them: whole sectors.
    pub fn fetched_bytes(&self) -> u64 {
        let sectors = self.lines.iter().flat_map(|line| line.sectors);
        sectors.filter(|sector| sector.lanes != 0).count() as u64 * SECTOR
    }

    /// The bank where most lanes meet on different words (for an atomic: on any), and these
    /// lanes. `None` where no two do.
    pub fn busiest_bank(&self) -> Option<(usize, u32)> {
        let atomic = self.kind == AccessKind::Atomic;
        let crowd = |bank: &Bank| {
            if atomic { bank.lanes().count_ones() as usize } else { bank.words.len() }
        };
        let (number, bank) =
            self.banks.iter().enumerate().rev().max_by_key(|(_, bank)| crowd(bank))?;
        (crowd(bank) > 1).then(|| (number, bank.lanes()))
    }
}

/// The space that an address lies in, and where its offsets count from.
fn space(window: Window, address: u64, own: u64) -> (Space, u64) {
    let within = |start: u64, bytes: u64| address.wrapping_sub(start) < bytes;
    let shared = |window: u64| {
        if within(window + own, SHARED_WINDOW_BYTES) {
            (Space::Shared, window + own)
        } else {
            (Space::Cluster, window)
        }
    };
    match window {
        Window::Shared => shared(0),
        Window::Local | Window::Param => (Space::Local, 0),
        Window::Const => (Space::Constant, 0),
        Window::Generic if within(SHARED_WINDOW, CLUSTER_WINDOW_BYTES) => shared(SHARED_WINDOW),
        Window::Generic if within(LOCAL_WINDOW, WINDOW_BYTES) => (Space::Local, LOCAL_WINDOW),
        Window::Generic if within(CONST_WINDOW, WINDOW_BYTES) => (Space::Constant, CONST_WINDOW),
        Window::Global | Window::Generic => (Space::Global, 0),
    }
}
