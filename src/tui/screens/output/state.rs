//! Which output is shown: that of the selected case where it ran in this sitting, else
//! what the CPU reference expects. While a run goes on, the newest result.

use crate::algorithms;
use crate::experiment::Case;
use crate::tui::app::effect::Effect;
use crate::tui::app::model::{Model, Screen, ShownOutput};

/// Most outputs of results that are kept.
const MOST_KEPT: usize = 64;

/// Elements of the input whose expected output stands for other sizes beside the chart:
/// enough for the shape of the distribution, computed in an instant.
const PREVIEW_ELEMENTS: u64 = 1 << 16;

/// Operations that the CPU may spend on an expected output.
const MOST_OPERATIONS: u64 = 1 << 23;

/// The outputs to choose from.
#[derive(Debug, Clone, Default)]
pub struct Outputs {
    /// Of results of this sitting, the newest last.
    results: Vec<ShownOutput>,
    /// Whether one of them came in the run that goes on.
    came: bool,
    /// The newest one of the CPU reference.
    expected: Option<ShownOutput>,
    /// The case that it was last asked for.
    asked: Option<Case>,
}

impl Outputs {
    /// Takes in the output of a result.
    pub fn add(&mut self, output: ShownOutput) {
        self.results.retain(|earlier| earlier.case != output.case);
        if self.results.len() >= MOST_KEPT {
            self.results.remove(0);
        }
        self.results.push(output);
        self.came = true;
    }

    /// Forgets the outputs of cases whose kernels are other ones now.
    pub(crate) fn forget(&mut self, gone: impl Fn(&Case) -> bool) {
        self.results.retain(|shown| !gone(&shown.case));
        (self.expected, self.asked) = (None, None);
    }

    /// Takes in what the CPU reference computed.
    pub fn expect(&mut self, output: ShownOutput) {
        self.expected = Some(output);
    }

    /// The output to show for a case.
    fn of(&self, case: &Case) -> Option<&ShownOutput> {
        if self.came {
            return self.results.last();
        }
        let result = self.results.iter().find(|shown| shown.case == *case);
        let expected = || self.expected.as_ref().filter(|shown| same_input(&shown.case, case));
        result.or_else(expected)
    }
}

/// Whether both have the same input, but for its size.
fn same_input(a: &Case, b: &Case) -> bool {
    a.algorithm == b.algorithm && a.params == b.params && (a.dist, a.seed) == (b.dist, b.seed)
}

/// Shows the output of the selected case; asks the CPU for it where it did not run.
pub(crate) fn follow(model: &mut Model) {
    if model.run.is_none() {
        model.outputs.came = false;
    }
    let shown = model.selected.as_ref().and_then(|it| model.outputs.of(&it.case)).cloned();
    let result = shown.as_ref().is_some_and(|shown| !shown.is_expected());
    model.output = shown;
    if result {
        return;
    }
    let wanted = expected_case(model);
    if wanted.is_some() && wanted != model.outputs.asked {
        model.outputs.asked.clone_from(&wanted);
        model.effects.extend(wanted.map(|case| Effect::Preview(Box::new(case))));
    }
}

/// The case whose output the CPU computes for the selection: on the Output screen at the
/// selected size, unless that takes too long, elsewhere at one size for all.
pub(crate) fn expected_case(model: &Model) -> Option<Case> {
    let selected = &model.selected.as_ref()?.case;
    let algorithm = algorithms::find(&selected.algorithm)?;
    algorithm.distributions().iter().find(|dist| dist.is_like(selected.dist))?;
    let n = if model.screen == Screen::Output {
        let mut case = selected.clone();
        while case.n > 1 && algorithm.operations(&case) > MOST_OPERATIONS {
            case.n /= 2;
        }
        case.n
    } else {
        PREVIEW_ELEMENTS.min(algorithm.defaults().sizes.1).min(algorithm.size().most)
    };
    // Where the selected variant cannot run at this size, another has the same output.
    let others = algorithm.variants().iter().map(|variant| variant.name);
    let names = std::iter::once(selected.variant.as_str()).chain(others);
    names
        .map(|name| Case { variant: name.to_owned(), n, ..selected.clone() })
        .find(|case| algorithm.obstacle(case).is_none())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tui::app::action::Command;
    use crate::tui::app::model::Origin;
    use crate::tui::app::update::update;
    use crate::tui::fixture::{PLAIN, model, press, run};
    use std::time::Duration;

    #[test]
    fn the_output_is_that_of_the_selected_case_and_of_the_newest_during_a_run() {
        let mut model = model(PLAIN);
        run(&mut model, 6);
        let shown = |model: &Model| model.output.as_ref().map(|it| it.case.clone()).unwrap();
        assert_eq!((shown(&model).variant.as_str(), shown(&model).n), ("shared", 1 << 12));
        run_on(&mut model);
        let case = model.selected.as_ref().unwrap().case.clone();
        assert_eq!(shown(&model), case);
        // The first key lights the curve of the selection, the second the next one.
        let lit = |model: &Model| model.chart.chosen.clone();
        while lit(&model).is_none_or(|(label, _)| !label.starts_with("shared")) {
            press(&mut model, Command::NextVariant, 9.0);
        }
        assert_eq!(shown(&model).variant, "shared");
        assert_eq!(model.output.as_ref().unwrap().origin, Origin::Verified);
    }

    /// Ends the run.
    fn run_on(model: &mut Model) {
        let ended = crate::tui::app::action::Action::Ended {
            run: model.run_id,
            tally: Err("the worker is gone".to_owned()),
        };
        update(model, ended, Duration::from_secs(8));
    }

    #[test]
    fn on_the_output_screen_the_cpu_is_asked_for_the_selected_size() {
        let mut model = model(PLAIN);
        let effects = press(&mut model, Command::Show(Screen::Output), 1.0);
        let [Effect::Preview(case)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(case.n, 1 << 22);
        assert!(press(&mut model, Command::Up, 1.0).is_empty(), "asked once");
        let effects = press(&mut model, Command::PanLeft, 1.0);
        let [Effect::Preview(case)] = effects.as_slice() else { panic!("{effects:?}") };
        assert_eq!(case.n, 1 << 21);
    }
}
