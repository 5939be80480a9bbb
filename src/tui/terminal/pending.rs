//! What a batch of messages asks for, without what its later messages made pointless: a
//! thousand arrow keys at once shall not start a thousand threads and workers.

use crate::tui::app::effect::Effect;

/// Effects in the order in which they were asked for.
#[derive(Debug, Default)]
pub(crate) struct Pending(Vec<Effect>);

impl Pending {
    /// Adds an effect, and drops those that it replaces.
    pub(crate) fn push(&mut self, effect: Effect) {
        self.0.retain(|earlier| !replaces(&effect, earlier));
        self.0.push(effect);
    }

    /// Takes all effects.
    pub(crate) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.0)
    }
}

/// Whether nobody would see what comes of `earlier`. (A profile ends the one before.)
fn replaces(new: &Effect, earlier: &Effect) -> bool {
    use Effect::{Draw, Keep, Preview, Profile, StopProfiling};
    matches!(
        (new, earlier),
        (Preview(_), Preview(_))
            | (Draw(..), Draw(..))
            | (Keep(_), Keep(_))
            | (Profile { .. } | StopProfiling, Profile { .. } | StopProfiling)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_of_what_replaces_the_others_is_left() {
        let keep = || Effect::Keep(Box::default());
        let mut pending = Pending::default();
        let asked = [
            keep(),
            Effect::StopProfiling,
            Effect::Pause(true),
            keep(),
            Effect::StopProfiling,
            Effect::Pause(false),
        ];
        for effect in asked {
            pending.push(effect);
        }
        let left = [Effect::Pause(true), keep(), Effect::StopProfiling, Effect::Pause(false)];
        assert_eq!(pending.take(), left);
        assert!(pending.take().is_empty());
    }
}
