//! Which seats have a browser that listens, and since when the others have none.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Most streams of events of one seat: a page that is loaded again opens its own while the
/// old one closes.
const MOST_STREAMS: u32 = 4;

/// The browsers of a class.
#[derive(Debug)]
pub(super) struct Presence {
    /// When the class began or went on: nobody is known to be gone before.
    began: Instant,
    /// How long a seat waits for its browser.
    patience: Duration,
    seats: BTreeMap<usize, Listening>,
}

/// The browser of one seat.
#[derive(Debug, Clone, Copy)]
struct Listening {
    /// Streams that are open.
    streams: u32,
    /// When it was last seen, where no stream is open.
    seen: Instant,
}

impl Presence {
    /// Nobody listens yet.
    pub(super) fn new(now: Instant, patience: Duration) -> Self {
        Self { began: now, patience, seats: BTreeMap::new() }
    }

    /// A browser of a seat did something. One that took over the seat begins anew.
    pub(super) fn seen(&mut self, seat: usize, now: Instant) {
        self.seats.entry(seat).or_insert(Listening { streams: 0, seen: now }).seen = now;
    }

    /// A browser of a seat listens; returns whether it may.
    pub(super) fn enter(&mut self, seat: usize, now: Instant) -> bool {
        self.seen(seat, now);
        let listening = self.seats.get_mut(&seat).filter(|it| it.streams < MOST_STREAMS);
        listening.map(|it| it.streams += 1).is_some()
    }

    /// A browser of a seat listens no more.
    pub(super) fn leave(&mut self, seat: usize, now: Instant) {
        self.seen(seat, now);
        if let Some(listening) = self.seats.get_mut(&seat) {
            listening.streams = listening.streams.saturating_sub(1);
        }
    }

    /// How many seats have a browser that listens.
    pub(super) fn online(&self) -> usize {
        self.seats.values().filter(|it| it.streams > 0).count()
    }

    /// Whether a seat has waited long enough for a browser.
    pub(super) fn is_abandoned(&self, seat: usize, now: Instant) -> bool {
        let known = self.seats.get(&seat);
        let (streams, seen) = known.map_or((0, self.began), |it| (it.streams, it.seen));
        streams == 0 && now.saturating_duration_since(seen) >= self.patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_abandoned_when_its_last_browser_has_been_gone_for_long() {
        let start = Instant::now();
        let patience = Duration::from_mins(5);
        let after = |share: f64| start + patience.mul_f64(share);
        let mut presence = Presence::new(start, patience);
        // Of an earlier sitting: it has time to come back.
        assert!(!presence.is_abandoned(0, after(0.9)) && presence.is_abandoned(0, after(1.0)));
        // Two tabs: one is enough.
        assert!(presence.enter(0, after(0.1)) && presence.enter(0, after(0.2)));
        presence.leave(0, after(0.3));
        assert!(presence.online() == 1 && !presence.is_abandoned(0, after(9.0)));
        presence.leave(0, after(2.0));
        assert_eq!(presence.online(), 0);
        assert!(!presence.is_abandoned(0, after(2.9)) && presence.is_abandoned(0, after(3.0)));
        // A vote without a stream is a sign of life.
        presence.seen(0, after(3.5));
        assert!(!presence.is_abandoned(0, after(4.4)) && presence.is_abandoned(0, after(4.5)));
    }

    #[test]
    fn a_seat_has_few_streams() {
        let now = Instant::now();
        let mut presence = Presence::new(now, Duration::ZERO);
        let allowed = (0..10).filter(|_| presence.enter(3, now)).count();
        assert_eq!(allowed, MOST_STREAMS as usize);
        presence.leave(3, now);
        assert!(presence.enter(3, now) && !presence.enter(3, now) && presence.enter(4, now));
        assert_eq!(presence.online(), 2);
    }
}
