//! The question of a class as lines of text, with what is said before it and its choices.

use ratatui::style::Style;

use crate::class::{Answers, Overview, Phase, Question};
use crate::tui::screens::class::votes;
use crate::tui::widgets::ui::{Ui, wrap};

/// What is said before the question, the question, and its choices, in at most `rows` lines
/// of `wide` columns. Where that is too much, choices come with the vote, and of what is said
/// before whole paragraphs are left to the students' pages.
pub(crate) fn lines(
    ui: &Ui,
    of: &Overview,
    question: &Question,
    wide: u16,
    rows: usize,
) -> Vec<(String, Style)> {
    let wrapped = |words: &str, style: Style| -> Vec<(String, Style)> {
        wrap(&ui.set(words), wide).into_iter().map(|line| (line, style)).collect()
    };
    let answers = match &question.answers {
        Answers::Choice(choices) => choices
            .iter()
            .enumerate()
            .map(|(index, choice)| format!("{}. {choice}", votes::letter(index)))
            .collect(),
        Answers::Curve(grid) => vec![format!("Draw the curve: {} by {}.", grid.up, grid.across)],
    };
    let answers = answers.iter().map(|answer| wrapped(answer, ui.theme.base));
    let mut context: Vec<_> = match of.phase {
        Phase::Ask => question.context.iter().map(|it| wrapped(it, ui.theme.dim)).collect(),
        _ => Vec::new(),
    };
    let mut asked: Vec<_> = std::iter::once(wrapped(&question.text, ui.theme.title)).collect();
    asked.extend(answers);
    let high = |parts: &[Vec<(String, Style)>]| parts.iter().map(Vec::len).sum::<usize>();
    let all = high(&context) + high(&asked);
    let gaps = context.len() + asked.len() - 1;
    let blank = || vec![(String::new(), ui.theme.base)];
    if all + gaps <= rows {
        return context.into_iter().chain(asked).collect::<Vec<_>>().join(&blank()[..]);
    }
    if all > rows && !context.is_empty() {
        asked.truncate(1);
        asked.push(wrapped("The choices come with the vote.", ui.theme.dim));
        let more = wrapped("… (the whole text is on the students' pages)", ui.theme.dim);
        while high(&context) + high(&asked) > rows && !context.is_empty() {
            // The last paragraphs lead to the question.
            let cut = usize::from(context.first() == Some(&more));
            context.drain(..=cut.min(context.len() - 1));
            if !context.is_empty() {
                context.insert(0, more.clone());
            }
        }
    }
    context.into_iter().chain(asked).flatten().take(rows).collect()
}
