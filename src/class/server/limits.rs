//! How much of everything: bytes, time, connections, requests per second.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Most bytes of a request's body: the longest vote is far shorter.
pub(super) const BODY_BYTES: usize = 4 << 10;

/// Most bytes of a request's head, and of what is read ahead.
pub(super) const HEADER_BYTES: usize = 16 << 10;

/// How long a connection may take for a request's head; also how long it may be idle.
pub(super) const HEADER_TIME: Duration = Duration::from_secs(20);

/// How long a request may take for its body.
pub(super) const BODY_TIME: Duration = Duration::from_secs(10);

/// Least time between two messages to a browser. Changes in between become one message.
pub(super) const PACE: Duration = Duration::from_millis(150);

/// Most addresses or seats whose rates are remembered.
const MOST_KNOWN: usize = 4096;

/// Most connections at once: a browser has one for events and a few for requests.
pub(super) fn connections(seats: usize) -> usize {
    4 * seats + 64
}

/// How often something may happen: `burst` times at once, then `each_second`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    burst: f64,
    each_second: f64,
}

/// Requests of one address. A whole class may share one behind a router.
pub(super) const REQUESTS: Rate = Rate { burst: 2000.0, each_second: 500.0 };

/// Votes of one seat.
pub(super) const VOTES: Rate = Rate { burst: 20.0, each_second: 4.0 };

/// Wrong room codes of one address: trying all of them takes days.
pub(super) const CODES: Rate = Rate { burst: 60.0, each_second: 1.0 };

/// What is left of rates.
#[derive(Debug, Default)]
pub(super) struct Limits {
    pub(super) requests: Buckets<IpAddr>,
    pub(super) codes: Buckets<IpAddr>,
    pub(super) votes: Buckets<usize>,
}

/// A bucket for each key: it holds `burst` tokens, fills again with time, and each event
/// takes one.
#[derive(Debug)]
pub(super) struct Buckets<K>(Mutex<HashMap<K, (f64, Instant)>>);

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Self(Mutex::new(HashMap::new()))
    }
}

impl<K: Eq + Hash> Buckets<K> {
    /// Whether one more event of `key` is within the rate.
    pub(super) fn take(&self, key: K, rate: Rate, now: Instant) -> bool {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let level = |(left, since): (f64, Instant)| {
            let gained = now.saturating_duration_since(since).as_secs_f64() * rate.each_second;
            (left + gained).min(rate.burst)
        };
        if buckets.len() >= MOST_KNOWN {
            // Who has a full bucket is as good as unknown.
            buckets.retain(|_, bucket| level(*bucket) < rate.burst);
        }
        if buckets.len() >= MOST_KNOWN && !buckets.contains_key(&key) {
            return false;
        }
        let bucket = buckets.entry(key).or_insert((rate.burst, now));
        let left = level(*bucket);
        let may = left >= 1.0;
        *bucket = (if may { left - 1.0 } else { left }, now);
        may
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_allows_a_burst_and_then_a_rate() {
        let (buckets, start) = (Buckets::default(), Instant::now());
        let rate = Rate { burst: 3.0, each_second: 2.0 };
        let taken = |key: u32, at: f64| {
            let now = start + Duration::from_secs_f64(at);
            (0..10).filter(|_| buckets.take(key, rate, now)).count()
        };
        assert_eq!(taken(1, 0.0), 3);
        assert_eq!(taken(2, 0.0), 3, "another key has its own");
        assert_eq!(taken(1, 0.2), 0);
        assert_eq!(taken(1, 1.0), 2);
        assert_eq!(taken(1, 100.0), 3, "never more than the burst");
    }

    #[test]
    fn memory_is_bounded_and_those_that_are_known_go_on() {
        let (buckets, start) = (Buckets::default(), Instant::now());
        let rate = Rate { burst: 5.0, each_second: 1.0 };
        for key in 0..MOST_KNOWN {
            assert!(buckets.take(key, rate, start));
        }
        assert!(!buckets.take(MOST_KNOWN, rate, start), "no room");
        assert!(buckets.take(7, rate, start));
        let later = start + Duration::from_mins(1);
        assert!(buckets.take(MOST_KNOWN, rate, later), "room again");
        assert_eq!(buckets.0.lock().map(|it| it.len()).unwrap_or_default(), 1);
    }
}
