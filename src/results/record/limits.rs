//! The limits of the schema: what a line may say, checked when it is read or received.
//! Charts and tables rely on it.

use super::{Record, Summary};
use crate::units::{BlockSize, MOST_ELEMENTS};

/// Longest time in seconds: eleven days.
const MOST_SECONDS: f64 = 1e6;

/// Largest count of anything: bytes, operations, a counter.
const MOST_COUNT: u64 = 1_000_000_000_000_000_000;

/// Largest rate of a device, in bytes per second.
const MOST_RATE: f64 = 1e18;

/// Most bytes of a name, and of a message.
const MOST_NAME: usize = 256;
const MOST_MESSAGE: usize = 64 << 10;

/// Most parameters, counters, phases or flags of a record.
const MOST_ITEMS: usize = 256;

/// Most samples in a record.
const MOST_SAMPLES: usize = 1 << 20;

impl Record {
    /// Checks that numbers and texts are within the limits of the schema.
    ///
    /// # Errors
    /// The field and its value, in words.
    pub fn check(&self) -> Result<(), String> {
        self.check_case()?;
        self.check_texts()?;
        self.check_counts()?;
        self.check_times()
    }

    fn check_case(&self) -> Result<(), String> {
        within("n", self.n, 0, MOST_ELEMENTS)?;
        within("block", u64::from(self.block), 1, u64::from(BlockSize::MOST))?;
        within("coarsen", u64::from(self.coarsen), 1, MOST_ELEMENTS)
    }

    fn check_texts(&self) -> Result<(), String> {
        let device = &self.device;
        let names: [(&str, &str); 9] = [
            ("algorithm", &self.algorithm),
            ("variant", &self.variant),
            ("backend", &self.backend),
            ("program", &self.program),
            ("ptx", &self.ptx),
            ("source", &self.source),
            ("time", &self.time),
            ("device.name", &device.name),
            ("device.id", &device.id),
        ];
        for (field, name) in names {
            short(field, name, MOST_NAME)?;
        }
        for (name, value) in &*self.params {
            short("params", name, MOST_NAME)?;
            short("params", &value.to_string(), MOST_MESSAGE)?;
        }
        short("skip", self.skip.as_ref().map_or("", |skip| skip), MOST_MESSAGE)?;
        if let Some(wrong) = &self.wrong {
            let kernel = wrong.kernel.as_deref().unwrap_or_default();
            short("wrong.message", &wrong.message, MOST_MESSAGE)?;
            short("wrong.kernel", kernel, MOST_MESSAGE)?;
        }
        Ok(())
    }

    fn check_counts(&self) -> Result<(), String> {
        within("bytes", self.bytes, 0, MOST_COUNT)?;
        within("flops", self.flops, 0, MOST_COUNT)?;
        let items = [
            ("params", self.params.len()),
            ("phases", self.phases.len()),
            ("flags", self.flags.len()),
            ("counters", self.counters.len()),
        ];
        for (field, count) in items {
            within(field, count as u64, 0, MOST_ITEMS as u64)?;
        }
        self.counters.values().try_for_each(|count| within("counters", count, 0, MOST_COUNT))
    }

    fn check_times(&self) -> Result<(), String> {
        // Without elements there may be nothing to launch.
        let least = if self.n > 1 { f64::MIN_POSITIVE } else { 0.0 };
        self.seconds.as_ref().map_or(Ok(()), |times| summary("seconds", times, least))?;
        self.end_to_end.as_ref().map_or(Ok(()), |times| summary("end_to_end", times, least))?;
        for (field, seconds) in
            [("first_launch", self.first_launch), ("seconds_wall", self.seconds_wall)]
        {
            seconds.map_or(Ok(()), |seconds| time(field, seconds, 0.0))?;
        }
        self.phases.iter().try_for_each(|phase| time("phases", phase.seconds, 0.0))?;
        if let Some(baseline) = &self.device_baseline {
            time("yardsticks.empty_kernel", baseline.empty_kernel, 0.0)?;
            time("yardsticks.launch", baseline.launch, 0.0)?;
            number("yardsticks.copy", baseline.copy, (0.0, MOST_RATE))?;
        }
        if let Some(model) = &self.model {
            number("model.occupancy", model.occupancy, (0.0, 1.0))?;
            model.parts.values().try_for_each(|seconds| time("model.parts", seconds, 0.0))?;
            within("model.launches", model.launches.len() as u64, 0, MOST_ITEMS as u64)?;
            model.launches.seconds().try_for_each(|it| time("model.launches", it, 0.0))?;
        }
        Ok(())
    }
}

fn summary(field: &str, times: &Summary, least: f64) -> Result<(), String> {
    within(field, times.samples.len() as u64, 0, MOST_SAMPLES as u64)?;
    within(field, times.taken.unwrap_or_default(), 0, MOST_COUNT)?;
    let quartiles = [times.q1, times.q3].into_iter().flatten();
    let mut all =
        std::iter::once(times.median).chain(quartiles).chain(times.samples.iter().copied());
    all.try_for_each(|seconds| time(field, seconds, least))
}

/// A time in seconds, from `least` to [`MOST_SECONDS`].
fn time(field: &str, seconds: f64, least: f64) -> Result<(), String> {
    let what = if least > 0.0 { "above 0" } else { "0 or more" };
    if (least..=MOST_SECONDS).contains(&seconds) {
        return Ok(());
    }
    Err(format!("`{field}` is {seconds:e} s; a time is {what} and at most {MOST_SECONDS:e} s"))
}

fn number(field: &str, value: f64, (low, high): (f64, f64)) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("`{field}` is {value:e}, not {low} to {high:e}"))
}

fn within(field: &str, value: u64, low: u64, high: u64) -> Result<(), String> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(format!("`{field}` is {value}, not {low} to {high}"))
}

fn short(field: &str, text: &str, most: usize) -> Result<(), String> {
    if text.len() <= most {
        return Ok(());
    }
    Err(format!("`{field}` has {} bytes, more than {most}", text.len()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// The lines of each kind that the golden file holds.
    fn golden() -> Vec<Value> {
        let lines = include_str!("../../../tests/golden/records.jsonl").lines();
        lines.map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn sound_lines_are_within_the_limits() {
        for line in golden() {
            let record: Record = serde_json::from_value(line).unwrap();
            assert_eq!(record.check(), Ok(()), "{record:?}");
        }
    }

    #[test]
    fn a_model_has_a_bounded_number_of_launches() {
        let line = golden().into_iter().find(|line| line["model"].is_object()).unwrap();
        let mut record: Record = serde_json::from_value(line).unwrap();
        let launches = &mut record.model.as_mut().unwrap().launches;
        *launches = vec![crate::work::LaunchCost::made_up(&[]); MOST_ITEMS + 1].into();
        assert!(record.check().unwrap_err().starts_with("`model.launches` is 257"));
    }

    #[test]
    fn absurd_numbers_are_named_with_their_field() {
        let whole = golden()
            .into_iter()
            .find(|line| line["seconds"]["samples"].is_array() && line["yardsticks"].is_object());
        let modelled = golden().into_iter().find(|line| line["model"].is_object()).unwrap();
        let cases = [
            ("/seconds/median", json!(-1.0), "`seconds` is -1e0 s; a time is above 0"),
            ("/seconds/median", json!(0.0), "`seconds` is 0e0 s"),
            ("/seconds/median", json!(1e300), "`seconds` is 1e300 s"),
            ("/seconds/samples/0", json!(-0.5), "`seconds`"),
            ("/yardsticks/copy", json!(1e300), "`yardsticks.copy` is 1e300"),
            ("/n", json!(u64::MAX), "`n` is 18446744073709551615, not 0 to 2147483647"),
            ("/block", json!(0), "`block` is 0, not 1 to 1024"),
            ("/coarsen", json!(u32::MAX), "`coarsen` is 4294967295"),
            ("/bytes", json!(u64::MAX), "`bytes`"),
            ("/variant", json!("x".repeat(5000)), "`variant` has 5000 bytes"),
            ("/model/occupancy", json!(7), "`model.occupancy` is 7e0, not 0 to 1"),
        ];
        for (place, value, says) in cases {
            let mut line =
                if place.starts_with("/model") { modelled.clone() } else { whole.clone().unwrap() };
            *line.pointer_mut(place).unwrap() = value;
            let record: Record = serde_json::from_value(line).unwrap();
            let said = record.check().unwrap_err();
            assert!(said.starts_with(says), "{place}: {said}");
        }
    }
}
