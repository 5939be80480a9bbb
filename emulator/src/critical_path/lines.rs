//! A cache of lines that hold sectors.

use crate::critical_path::sectors::LINE;
use crate::critical_path::timeline::Wait;

/// Bytes of a sector.
pub(super) const SECTOR: u64 = 32;

/// Where local memory lies for the replay, far from what kernels address.
pub(crate) const LOCAL: u64 = 1 << 58;

/// Where a load finds what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Found {
    /// In L1.
    #[default]
    Here,
    /// Not there, but the neighbours were asked for, with which it came into L2.
    Beside,
    /// Neither.
    Nowhere,
}

impl Found {
    /// What a load waits for that finds it there.
    pub(crate) fn wait(self) -> Wait {
        match self {
            Self::Here => Wait::L1Hit,
            Self::Beside => Wait::L2Hit,
            Self::Nowhere => Wait::Dram,
        }
    }
}

/// Lines one after the other that lie in sets one after the other.
const NEIGHBOURS: u64 = 256;

/// All sectors of a line.
const WHOLE: u8 = (1 << LINE) - 1;

/// Cycles that a sector takes to come in.
const ON_ITS_WAY: f32 = 600.0;

/// One line: its number, the sectors that it holds, when it was last used.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    line: u64,
    sectors: u8,
    /// Its sectors that were written.
    written: u8,
    used: u32,
    /// Who brought its last sector in, and when.
    by: u32,
    at: f32,
}

/// Which line of a set has to go for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Out {
    /// The least recently used one, as in L1.
    Oldest,
    /// The older one of any two: L2 loses some of the lines in use, and only some of them where
    /// they are a little more than it holds.
    Any,
}

/// Some of the sets of a cache: one of 2 to this power, evenly spread. They serve as well as all of
/// them to tell which share of the accesses hits (set sampling: Puzak, 1985).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part(u32);

impl Part {
    /// Half of these sets.
    pub(crate) fn half(self) -> Self {
        Self((self.0 + 1).min(32))
    }

    /// Whether the sector lies in one of them.
    pub(crate) fn has(self, sector: u64) -> bool {
        self.0 == 0 || place(sector / LINE + 1) & ((1 << self.0) - 1) == 0
    }
}

/// Where a line lies, of as many sets as there may be: neighbours in different ones, arrays
/// anywhere.
fn place(line: u64) -> u64 {
    line + ((line / NEIGHBOURS).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32)
}

/// A set-associative cache of lines that hold sectors.
#[derive(Debug)]
pub(crate) struct Lines {
    entries: Vec<Entry>,
    sets: u64,
    part: Part,
    ways: usize,
    out: Out,
    clock: u32,
    /// What was used no later is no longer there.
    flushed: u32,
    /// The entry that was touched last.
    recent: usize,
    /// Lines with written sectors that had to go, and those sectors.
    gone: Vec<(u64, u8)>,
}

impl Lines {
    pub(crate) fn new(bytes: u64, out: Out) -> Self {
        Self::part(bytes, out, Part::default())
    }

    /// Some sets of a cache of `bytes` bytes. Only sectors that lie in them may be asked for.
    pub(crate) fn part(bytes: u64, out: Out, part: Part) -> Self {
        let ways = if out == Out::Oldest { 4 } else { 16 };
        let sets = ((bytes / (LINE * SECTOR) / ways as u64) >> part.0).max(1);
        let entries = vec![Entry::default(); sets as usize * ways];
        Self { entries, sets, part, ways, out, clock: 0, flushed: 0, recent: 0, gone: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.fill(Entry::default());
        (self.clock, self.flushed) = (0, 0);
    }

    /// Nothing that was brought in so far is there any longer.
    pub(crate) fn flush(&mut self) {
        self.flushed = self.clock;
    }

    /// The line of a sector is no longer there.
    pub(crate) fn drop_line(&mut self, sector: u64) {
        let line = sector / LINE + 1;
        let set = self.set(line);
        let ways = &mut self.entries[set..set + self.ways];
        if let Some(entry) = ways.iter_mut().find(|entry| entry.line == line) {
            *entry = Entry::default();
        }
    }

    /// The first entry of the set in which a line lies.
    fn set(&self, line: u64) -> usize {
        ((place(line) >> self.part.0) % self.sets) as usize * self.ways
    }

    /// Brings a sector in; where it was.
    pub(crate) fn touch(&mut self, sector: u64) -> Found {
        self.touch_at(sector, 0, 0.0).0
    }

    /// Writes a sector; where it was.
    pub(crate) fn write(&mut self, sector: u64) -> Found {
        let found = self.touch(sector);
        self.entries[self.recent].written |= 1 << (sector % LINE);
        found
    }

    /// Written sectors that had to go from lines that were not written as a whole, and whose
    /// other sectors were written later on.
    pub(crate) fn torn(mut self) -> u64 {
        let there = self.entries.iter().filter(|entry| entry.written != 0);
        self.gone.extend(there.map(|entry| (entry.line, entry.written)));
        self.gone.sort_unstable_by_key(|&(line, _)| line);
        let torn = |written: u8| if written == WHOLE { 0 } else { u64::from(written.count_ones()) };
        self.gone.retain(|&(line, _)| line < LOCAL / (LINE * SECTOR));
        let lines = self.gone.chunk_by(|a, b| a.0 == b.0).filter(|line| line.len() > 1);
        lines.flatten().map(|&(_, written)| torn(written)).sum()
    }

    /// The same as [`Self::touch`] for one of several blocks, at cycle `at`. Also says whether another block
    /// asked for the sector just before, so that it is still on its way.
    pub(crate) fn touch_at(&mut self, sector: u64, by: u32, at: f32) -> (Found, bool) {
        self.clock += 1;
        let (line, bit) = (sector / LINE + 1, 1 << (sector % LINE));
        let pair = 0b11 << ((sector % LINE) & !1);
        let (set, flushed) = (self.set(line), self.flushed);
        let ways = &mut self.entries[set..set + self.ways];
        let mut oldest = 0;
        for index in 0..ways.len() {
            if ways[index].line == line && ways[index].used > flushed {
                self.recent = set + index;
                let there = ways[index].sectors;
                ways[index].sectors |= bit;
                ways[index].used = self.clock;
                if there & bit != 0 {
                    let on_its_way = ways[index].by != by && at - ways[index].at < ON_ITS_WAY;
                    return (Found::Here, on_its_way);
                }
                (ways[index].by, ways[index].at) = (by, at);
                return (if there & pair == 0 { Found::Nowhere } else { Found::Beside }, false);
            }
            if ways[index].used < ways[oldest].used {
                oldest = index;
            }
        }
        if self.out == Out::Any && ways[oldest].line != 0 {
            let any = self.clock.wrapping_mul(0x9E37_79B9) as usize;
            let (one, other) = ((any >> 16) % ways.len(), (any >> 24) % ways.len());
            oldest = if ways[one].used < ways[other].used { one } else { other };
        }
        if ways[oldest].written != 0 {
            self.gone.push((ways[oldest].line, ways[oldest].written));
        }
        self.recent = set + oldest;
        ways[oldest] = Entry { line, sectors: bit, written: 0, used: self.clock, by, at };
        (Found::Nowhere, false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_line_goes_first() {
        let mut lines = Lines::new(4 * LINE * SECTOR, Out::Oldest);
        for line in 0..4 {
            assert_eq!(lines.touch(line * LINE), Found::Nowhere);
        }
        assert_eq!(lines.touch(0), Found::Here);
        assert_eq!(lines.touch(1), Found::Beside, "the other half of 64 bytes");
        assert_eq!(lines.touch(3), Found::Nowhere, "of the other 64 bytes");
        lines.touch(4 * LINE);
        assert_eq!([0, LINE].map(|sector| lines.touch(sector)), [Found::Here, Found::Nowhere]);
    }

    #[test]
    fn atomics_take_lines_out_and_fences_all_of_them() {
        let mut lines = Lines::new(16 * LINE * SECTOR, Out::Oldest);
        for line in 0..4 {
            lines.touch(line * LINE);
        }
        lines.drop_line(2);
        let again = |lines: &mut Lines| [0, 1].map(|line| lines.touch(line * LINE));
        assert_eq!(again(&mut lines), [Found::Nowhere, Found::Here]);
        assert_eq!(again(&mut lines), [Found::Here; 2]);
        lines.flush();
        assert_eq!(again(&mut lines), [Found::Nowhere; 2]);
        assert_eq!(again(&mut lines), [Found::Here; 2]);
    }

    #[test]
    fn lines_that_go_before_they_are_whole_are_torn() {
        let torn = |sectors: &[u64], later: &[u64], between: u64| {
            let mut lines = Lines::new(16 * LINE * SECTOR, Out::Any);
            for &sector in sectors {
                lines.write(sector);
            }
            for line in 1..=between {
                lines.touch(line * LINE);
            }
            for &sector in later {
                lines.write(sector);
            }
            lines.torn()
        };
        assert_eq!(torn(&[0], &[1, 2, 3], 0), 0, "still there");
        assert_eq!(torn(&[0], &[1, 2, 3], 1000), 4, "one sector, then three");
        assert_eq!(torn(&[0], &[], 1000), 0, "nobody writes the others");
        assert_eq!(torn(&[0, 1, 2, 3], &[0], 1000), 1, "whole, then one again");
        assert_eq!(torn(&[0, 1, 2, 3], &[0, 1, 2, 3], 1000), 0, "whole twice");
    }
}
