//! Phases of a pipeline as bars: which are shown, and their labels.

use super::{Phase, PhaseKind};
use crate::units::Seconds;

/// What stands above the bars.
pub const HEADING: &str = "time by phase";

/// One phase as a bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Name and place of the phase: `final · CPU`.
    pub label: String,
    /// Its time in words.
    pub time: String,
    /// Its time over the longest one.
    pub part: f64,
    /// Where it ran, for the colour.
    pub kind: PhaseKind,
}

/// At most `most` bars; the last one sums up the rest.
pub fn bars(phases: &[Phase], most: usize) -> Vec<Bar> {
    let mut shown: Vec<Phase> = phases.iter().take(most).cloned().collect();
    if let (Some(last), Some(rest)) = (shown.last_mut(), phases.get(most..))
        && !rest.is_empty()
    {
        last.name = format!("{} more", rest.len() + 1).into();
        last.seconds += rest.iter().map(|phase| phase.seconds).sum::<f64>();
    }
    let longest = shown.iter().map(|phase| phase.seconds).fold(f64::MIN_POSITIVE, f64::max);
    let bar = |phase: &Phase| {
        let place = match phase.kind {
            PhaseKind::Kernel => "GPU",
            PhaseKind::Host => "CPU",
            PhaseKind::Copy => "copy",
        };
        Bar {
            label: format!("{} · {place}", phase.name),
            time: Seconds(phase.seconds).to_string(),
            part: phase.seconds / longest,
            kind: phase.kind,
        }
    };
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, kind: PhaseKind, seconds: f64) -> Phase {
        Phase { name: name.into(), kind, seconds }
    }

    #[test]
    fn too_many_phases_are_summed_up() {
        let many: Vec<Phase> =
            (0..11).map(|level| phase(&level.to_string(), PhaseKind::Kernel, 1.0)).collect();
        let shown = bars(&many, 8);
        assert_eq!((shown.len(), bars(&many, 11).len()), (8, 11));
        let last = (shown[7].label.as_str(), shown[7].time.as_str(), shown[0].part);
        assert_eq!(last, ("4 more · GPU", "4.00 s", 0.25));
        assert_eq!(bars(&[phase("final", PhaseKind::Host, 0.0)], 8)[0].label, "final · CPU");
    }
}
