//! The work of a launch as the timing model sees it, kept with a predicted time: enough to
//! compute what the time would be if one amount were different.

mod launches;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::cause::Amount;
use super::metric::{Metric, Stored};
pub use launches::Launches;

/// Launches of one kernel and as many blocks that differ less than this are kept as one.
const ALIKE: f64 = 0.1;

/// From this number of entries on, all launches of one kernel are alike.
const MOST_KEPT: usize = 64;

/// One launch, or several alike ones of a kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LaunchCost {
    /// The kernel.
    pub kernel: String,
    /// Launches that it stands for.
    pub launches: u32,
    /// Predicted seconds of each.
    pub seconds: f64,
    /// Cycles per second.
    pub clock: f64,
    /// Blocks in its grid.
    #[serde(default)]
    pub blocks: f64,
    /// Rounds of resident blocks.
    pub rounds: f64,
    /// Share of its first round in the waits of the chain.
    pub first: f64,
    /// Cycles until all of the GPU is at work, at most.
    pub fill: f64,
    /// Cycles of a load that hits L2.
    pub turn: f64,
    /// How fast waiting and working come to overlap.
    pub overlap: f64,
    /// Whether its blocks have barriers.
    pub barriers: bool,
    /// Exponent of the norm that joins a busy DRAM and the chains that wait for it; 0 in older
    /// records.
    #[serde(default)]
    pub queue: f64,
    /// The most warps that the GPU can work on at a time.
    pub most_warps: f64,
    /// The amounts of work.
    pub amounts: Amounts,
}

/// A value for each [`Amount`]. Amounts of 0 are not stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Amounts([f64; Amount::ALL.len()]);

impl Default for Amounts {
    /// No work; factors are 1.
    fn default() -> Self {
        let mut amounts = [0.0; Amount::ALL.len()];
        for &amount in Amount::ALL {
            amounts[amount as usize] = neutral(amount);
        }
        Self(amounts)
    }
}

/// The value of an amount that changes nothing.
fn neutral(amount: Amount) -> f64 {
    if amount.is_factor() { 1.0 } else { 0.0 }
}

impl Amounts {
    /// The value of an amount.
    pub fn get(&self, amount: Amount) -> f64 {
        self.0[amount as usize]
    }

    /// Sets the value of an amount.
    pub fn set(&mut self, amount: Amount, value: f64) {
        self.0[amount as usize] = value;
    }

    /// Multiplies an amount.
    pub fn scale(&mut self, amount: Amount, times: f64) {
        self.0[amount as usize] *= times;
    }
}

impl LaunchCost {
    /// Adds the next launch of a pipeline, to an alike one where there is one.
    pub fn add(launches: &mut Vec<Self>, next: Self) {
        let many = launches.len() >= MOST_KEPT;
        let alike = |known: &&mut Self| {
            let most = known.seconds.max(next.seconds);
            let shape = |launch: &Self| (launch.blocks.to_bits(), launch.barriers);
            let near = shape(known) == shape(&next)
                && (known.seconds - next.seconds).abs() <= ALIKE * most;
            known.kernel == next.kernel && (many || near)
        };
        let Some(known) = launches.iter_mut().find(alike) else {
            launches.push(next);
            return;
        };
        let all = f64::from(known.launches + next.launches);
        let (a, b) = (f64::from(known.launches) / all, f64::from(next.launches) / all);
        let mean = |x: &mut f64, y: f64| *x = a * *x + b * y;
        mean(&mut known.seconds, next.seconds);
        mean(&mut known.rounds, next.rounds);
        mean(&mut known.first, next.first);
        for (x, y) in known.amounts.0.iter_mut().zip(next.amounts.0) {
            mean(x, y);
        }
        known.launches += next.launches;
    }

    /// A launch at 1 GHz with this work, for tests.
    #[cfg(test)]
    pub(crate) fn made_up(work: &[(Amount, f64)]) -> Self {
        let mut amounts = Amounts::default();
        for (amount, value) in work {
            amounts.set(*amount, *value);
        }
        Self {
            kernel: "kernel".to_owned(),
            launches: 1,
            seconds: 0.0,
            clock: 1e9,
            blocks: 2048.0,
            rounds: 1.0,
            first: 1.0,
            fill: 2000.0,
            turn: 165.0,
            overlap: 0.07,
            barriers: false,
            queue: 0.0,
            most_warps: 8448.0,
            amounts,
        }
    }

    /// The same with numbers of five digits, as stored.
    #[must_use]
    pub fn rounded(mut self) -> Self {
        for number in [
            &mut self.seconds,
            &mut self.clock,
            &mut self.blocks,
            &mut self.rounds,
            &mut self.first,
            &mut self.fill,
            &mut self.turn,
            &mut self.overlap,
            &mut self.most_warps,
        ] {
            *number = five_digits(*number);
        }
        self.amounts.0 = self.amounts.0.map(five_digits);
        self
    }
}

/// A number with five significant digits.
fn five_digits(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return number;
    }
    format!("{number:.4e}").parse().unwrap_or(number)
}

impl Serialize for Amounts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let kept = |amount: &&Amount| (self.get(**amount) - neutral(**amount)).abs() > 0.0;
        let mut map = serializer.serialize_map(None)?;
        for amount in Amount::ALL.iter().filter(kept) {
            map.serialize_entry(amount.name(), &self.get(*amount))?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Amounts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Named;
        impl<'de> Visitor<'de> for Named {
            type Value = Amounts;

            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("amounts by name")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Amounts, M::Error> {
                let mut amounts = Amounts::default();
                // Names of later versions are ignored.
                while let Some((name, value)) = map.next_entry::<Stored<Amount>, f64>()? {
                    if let Some(amount) = name.known() {
                        amounts.set(amount, value);
                    }
                }
                Ok(amounts)
            }
        }
        deserializer.deserialize_map(Named)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn launch(kernel: &str, seconds: f64) -> LaunchCost {
        let work = [(Amount::Issue, seconds * 1e9)];
        LaunchCost { kernel: kernel.to_owned(), seconds, ..LaunchCost::made_up(&work) }
    }

    #[test]
    fn alike_launches_of_a_kernel_are_one() {
        let mut all = Vec::new();
        for (kernel, seconds) in [("a", 1e-5), ("b", 1e-5), ("a", 1.05e-5), ("a", 3e-5)] {
            LaunchCost::add(&mut all, launch(kernel, seconds));
        }
        let mut many: Vec<LaunchCost> = Vec::new();
        for power in 0..100 {
            LaunchCost::add(&mut many, launch("a", 1e-9 * 1.3_f64.powi(power)));
        }
        assert_eq!(many.len(), MOST_KEPT);
        assert_eq!(many.iter().map(|it| it.launches).sum::<u32>(), 100);
        let found: Vec<(&str, u32)> =
            all.iter().map(|it| (it.kernel.as_str(), it.launches)).collect();
        assert_eq!(found, [("a", 2), ("b", 1), ("a", 1)]);
        assert!((all[0].amounts.get(Amount::Issue) - 10_250.0).abs() < 1e-6);
    }

    #[test]
    fn amounts_are_stored_by_name_and_without_those_that_change_nothing() {
        let stored = launch("a", 1.234_567_89e-5).rounded();
        let text = serde_json::to_string(&stored).unwrap();
        assert!(text.ends_with(r#""amounts":{"issue":12346.0}}"#), "{text}");
        assert_eq!(serde_json::from_str::<LaunchCost>(&text).unwrap(), stored);
        let newer = text.replace(r#"{"issue""#, r#"{"tensor":3.0,"issue""#);
        assert_eq!(serde_json::from_str::<LaunchCost>(&newer).unwrap(), stored);
    }
}
