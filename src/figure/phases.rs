//! Phases of a pipeline as bars: which are shown, and what they are called.

use super::{Phase, PhaseKind};

/// At most `most` phases; the last of them holds what is left over, in seconds.
pub fn at_most(phases: &[Phase], most: usize) -> Vec<Phase> {
    let mut shown: Vec<Phase> = phases.iter().take(most).cloned().collect();
    if let (Some(last), Some(rest)) = (shown.last_mut(), phases.get(most..))
        && !rest.is_empty()
    {
        last.name = format!("{} more", rest.len() + 1);
        last.seconds += rest.iter().map(|phase| phase.seconds).sum::<f64>();
    }
    shown
}

/// `final · CPU`: what takes the time, and where.
pub fn label(phase: &Phase) -> String {
    let place = match phase.kind {
        PhaseKind::Kernel => "GPU",
        PhaseKind::Host => "CPU",
        PhaseKind::Copy => "copy",
    };
    format!("{} · {place}", phase.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phase(name: &str, kind: PhaseKind, seconds: f64) -> Phase {
        Phase { name: name.to_owned(), kind, seconds }
    }

    #[test]
    fn what_is_too_much_is_added_up() {
        let many: Vec<Phase> =
            (0..11).map(|level| phase(&level.to_string(), PhaseKind::Kernel, 1.0)).collect();
        let shown = at_most(&many, 8);
        assert_eq!(shown.len(), 8);
        assert_eq!((shown[7].name.as_str(), shown[7].seconds), ("4 more", 4.0));
        assert_eq!(at_most(&many, 11), many);
        assert_eq!(label(&phase("final", PhaseKind::Host, 0.0)), "final · CPU");
    }
}
