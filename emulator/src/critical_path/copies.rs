//! When the asynchronous copies of a warp arrive.

use crate::critical_path::history::Time;

/// Groups that are told apart; older ones count as one.
const GROUPS: usize = 8;

/// The copies of one warp that may be under way: when the last of them arrives.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Copies {
    /// Of those that are in no group yet.
    open: Time,
    /// Of the groups, the youngest first.
    groups: [Time; GROUPS],
}

impl Copies {
    /// A copy arrives then.
    pub(crate) fn add(&mut self, ready: Time) {
        self.open.later(ready);
    }

    /// The copies so far are a group.
    pub(crate) fn group(&mut self) {
        let oldest = self.groups[GROUPS - 1];
        self.groups.rotate_right(1);
        self.groups[0] = std::mem::take(&mut self.open);
        self.groups[GROUPS - 1].later(oldest);
    }

    /// When all groups but the last `left` have arrived.
    pub(crate) fn arrived(&self, left: u8) -> Time {
        let mut latest = Time::default();
        for &group in self.groups.iter().skip(usize::from(left)) {
            latest.later(group);
        }
        latest
    }

    /// When all copies have arrived.
    pub(crate) fn all(&self) -> Time {
        let mut latest = self.arrived(0);
        latest.later(self.open);
        latest
    }

    /// All its times.
    pub(crate) fn times(&mut self) -> impl Iterator<Item = &mut Time> {
        self.groups.iter_mut().chain([&mut self.open])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critical_path::history::WaitHistory;
    use crate::critical_path::timeline::Wait;

    #[test]
    fn a_group_is_waited_for_while_later_ones_are_under_way() {
        let mut history = WaitHistory::new(false);
        let mut copies = Copies::default();
        let mut now = Time::default();
        let mut ends = Vec::new();
        for _ in 0..12 {
            now = history.wait(now, Wait::Dram, 1.0);
            ends.push(now.cycles());
            copies.add(now);
            copies.group();
        }
        for left in 0..8 {
            let end = copies.arrived(left).cycles();
            assert!((end - ends[11 - usize::from(left)]).abs() < 1e-6, "{left}");
        }
        assert!(copies.arrived(8).cycles().abs() < 1e-6, "older groups are not told apart");
        copies.add(history.wait(now, Wait::Dram, 1.0));
        assert!(copies.all().cycles() > copies.arrived(0).cycles());
    }
}
