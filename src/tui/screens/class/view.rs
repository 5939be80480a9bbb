//! Draws the teacher's screen, which is also what the class sees on the projector.
//!
//! ```text
//! title                       question 2 of 7 · 31 students · room ABCD
//! the question                           lobby: address, code, QR code
//! its choices                            reveal: both votes | live chart
//! 12 of 31 voted
//! what was just done, or what to do next
//! keys
//! ```

use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::class::{Overview, Phase, Question};
use crate::tui::app::action::Command;
use crate::tui::app::model::Level;
use crate::tui::dialogs::why::counting;
use crate::tui::screens::class::asked;
use crate::tui::screens::class::keys::KEYS;
use crate::tui::screens::class::state::Desk;
use crate::tui::screens::class::votes;
use crate::tui::screens::sweep::present;
use crate::tui::widgets::chart;
use crate::tui::widgets::large::Letters;
use crate::tui::widgets::ui::{Ui, width, wrap};

/// Most rows with the names of curves.
const MOST_NAMES: u16 = 3;

/// Rows below the content: what was done, and the keys.
const FOOT: u16 = 3;

/// Draws it.
pub(crate) fn draw(ui: &mut Ui, area: Rect) {
    let Some(desk) = &ui.model.class else { return };
    header(ui, area, desk);
    let inner = Rect {
        x: area.x + 2,
        y: area.y + 2,
        width: area.width.saturating_sub(4),
        height: area.height.saturating_sub(2 + FOOT),
    };
    let of = &desk.overview;
    match &of.question {
        _ if of.ended => ended(ui, inner, desk),
        None => entrance(ui, inner, desk),
        Some(_) if desk.address => entrance(ui, inner, desk),
        Some(question) if of.phase.is_revealed() => result(ui, inner, desk, question),
        Some(question) => asked(ui, inner, desk, question),
    }
    foot(ui, area, desk);
}

fn header(ui: &mut Ui, area: Rect, desk: &Desk) {
    let of = &desk.overview;
    let students = if of.seats == 1 { "student" } else { "students" };
    let place = of.at.map(|at| format!("question {} of {} · ", at + 1, of.of)).unwrap_or_default();
    let right = format!("{place}{} {students} · room {} ", of.seats, of.code);
    let x = area.right().saturating_sub(width(&right));
    ui.text(x, area.y, width(&right), &right, ui.theme.accent);
    let room = x.saturating_sub(area.x + 3);
    ui.text(area.x + 2, area.y, room, &of.title, ui.theme.title);
}

/// Address and code, large enough for the last row.
fn entrance(ui: &mut Ui, area: Rect, desk: &Desk) {
    let qr = desk.qr.as_ref().filter(|_| !ui.model.look.ascii);
    let side = qr.map_or(0, |qr| qr.rows.len() as u16);
    let high = side.div_ceil(2);
    let fits = qr.is_some() && area.height >= high && area.width >= side + 34;
    let text = Rect { width: area.width.saturating_sub(if fits { side + 3 } else { 0 }), ..area };
    let mut y = area.y;
    let mut line = |ui: &mut Ui, words: &str, style: Style| {
        for line in wrap(words, text.width) {
            if y < text.bottom() {
                ui.text(text.x, y, text.width, &line, style);
            }
            y += 1;
        }
    };
    line(ui, "Join with a phone or a laptop:", ui.theme.base);
    for (index, page) in desk.pages.iter().take(4).enumerate() {
        let style = if index == 0 { ui.theme.title } else { ui.theme.dim };
        line(ui, page, style);
    }
    line(ui, &desk.reach, ui.theme.dim);
    line(ui, "", ui.theme.base);
    line(ui, "Room code:", ui.theme.base);
    y += 1;
    let code = &desk.overview.code;
    let letters = Letters::headline(code, text.width, text.height, ui.model.look.ascii);
    match letters.filter(|letters| y + letters.high <= text.bottom()) {
        Some(letters) => {
            letters.write(ui, (text.x, y), text.width, code, ui.theme.accent);
            y += letters.high + 1;
        }
        None if y < text.bottom() => {
            ui.text(text.x, y, text.width, code, ui.theme.accent);
            y += 2;
        }
        None => {}
    }
    let of = &desk.overview;
    let told = format!("{} joined, {} connected", of.seats, of.online);
    if y < text.bottom() {
        ui.text(text.x, y, text.width, &told, ui.theme.base);
    }
    if let Some(qr) = qr.filter(|_| fits) {
        draw_qr(ui, (area.right() - side, area.y), &qr.rows);
    }
}

/// A QR code, two modules in a cell: black on white whatever the theme is, as cameras want it.
fn draw_qr(ui: &mut Ui, (x, y): (u16, u16), rows: &[Vec<bool>]) {
    // Without colour the terminal's own ground has to do, which is dark mostly.
    let style = if ui.theme.colour {
        Style::new().fg(Color::Indexed(16)).bg(Color::Indexed(231))
    } else {
        ui.theme.base
    };
    let dark_is_ink = ui.theme.colour;
    for (line, pair) in (y..).zip(rows.chunks(2)) {
        let cell = |at: usize| {
            let ink = |row: Option<&Vec<bool>>| {
                let dark = row.and_then(|row| row.get(at)).copied().unwrap_or_default();
                dark == dark_is_ink
            };
            match (ink(pair.first()), ink(pair.get(1))) {
                (true, true) => '█',
                (true, false) => '▀',
                (false, true) => '▄',
                (false, false) => ' ',
            }
        };
        let text: String = (0..pair[0].len()).map(cell).collect();
        ui.text(x, line, pair[0].len() as u16, &text, style);
    }
}

/// The question with its choices, and how many have voted.
fn asked(ui: &mut Ui, area: Rect, desk: &Desk, question: &Question) {
    let of = &desk.overview;
    let seen = desk.shows_chart() && area.height >= 14;
    // A question about what was seen stands beside the chart.
    let text = if seen { Rect { width: area.width / 2 - 2, ..area } } else { area };
    let rows = usize::from(text.height.saturating_sub(2));
    let lines = asked::lines(ui, of, question, text.width, rows);
    ui.lines(Rect { height: text.height.saturating_sub(2), ..text }, lines);
    ui.text(text.x, text.bottom() - 1, text.width, &status(of), ui.theme.accent);
    if seen {
        let right = Rect { x: area.x + area.width / 2, width: area.width - area.width / 2, ..area };
        curves(ui, right);
    }
}

/// The chart under the names of its curves.
fn curves(ui: &mut Ui, area: Rect) {
    let names = Rect { height: (area.height / 4).min(MOST_NAMES), ..area };
    let below = present::draw_names(ui, names, None, true);
    chart::draw(ui, Rect { y: below, height: area.bottom().saturating_sub(below), ..area });
}

/// What goes on, and how many have voted: only their number before the reveal.
fn status(of: &Overview) -> String {
    let voted = format!("{} of {} voted", of.voted, of.seats);
    match of.phase {
        Phase::Ask => "Read the question. The vote is not open yet.".to_owned(),
        Phase::First => format!("First vote, everyone alone: {voted}"),
        Phase::Discuss => format!("Discuss with your neighbour ({voted})"),
        Phase::Second => format!("Second vote: {voted}"),
        Phase::Closed => format!("The vote is closed: {voted}"),
        Phase::Reveal | Phase::Explain => String::new(),
    }
}

/// Both votes beside the live chart, then the explanation.
fn result(ui: &mut Ui, area: Rect, desk: &Desk, question: &Question) {
    let of = &desk.overview;
    let mut y = area.y;
    for line in wrap(&ui.set(&question.text), area.width).into_iter().take(2) {
        ui.text(area.x, y, area.width, &line, ui.theme.title);
        y += 1;
    }
    let answered = desk.answered.as_ref().filter(|it| Some(it.question) == of.at);
    // The explanation begins with the sentence.
    let headline = match of.phase {
        Phase::Explain => answered.map(|it| it.answer.clone()),
        _ => answered.map(|it| it.headline()),
    };
    let headline = wrap(&ui.set(&headline.unwrap_or_default()), area.width);
    let explained =
        if of.phase == Phase::Explain { explanation(ui, desk, area) } else { Vec::new() };
    let told = (headline.len().min(3) + explained.len()) as u16;
    // The chart keeps most of the rows.
    let told = told.min((area.height / 2).max(3));
    let middle = Rect { y: y + 1, height: area.bottom().saturating_sub(y + 1 + told), ..area };
    let left = Rect { width: (area.width * 2 / 5).clamp(28, 60), ..middle };
    let right =
        Rect { x: left.right() + 2, width: middle.width.saturating_sub(left.width + 2), ..middle };
    if let Some(tallies) = &of.tallies {
        let right = answered.and_then(|it| it.right);
        votes::draw(ui, left, question, tallies, right);
    }
    curves(ui, right);
    let lines = headline.into_iter().take(3).map(|line| (line, ui.theme.accent));
    let lines: Vec<(String, Style)> = lines.chain(explained).collect();
    ui.lines(Rect { y: middle.bottom(), height: told, ..area }, lines);
}

/// The explanation, or how far it is.
fn explanation(ui: &Ui, desk: &Desk, area: Rect) -> Vec<(String, Style)> {
    let answered = desk.answered.as_ref().filter(|it| Some(it.question) == desk.overview.at);
    let told = answered.map(|it| it.explanation.clone()).filter(|it| !it.is_empty());
    let told = told.unwrap_or_else(|| vec![counting::words(ui.model)]);
    let lines = told.iter().flat_map(|paragraph| wrap(&ui.set(paragraph), area.width));
    lines.map(|line| (line, ui.theme.base)).collect()
}

fn ended(ui: &mut Ui, area: Rect, desk: &Desk) {
    let files = desk.files.iter().map(|path| path.display().to_string());
    let lines = ["The class has ended.".to_owned(), String::new()].into_iter().chain(files);
    let lines: Vec<_> = lines.map(|line| (line, ui.theme.base)).collect();
    ui.lines(area, lines);
}

/// What was just done, or what comes next; and the keys.
fn foot(ui: &mut Ui, area: Rect, desk: &Desk) {
    let y = area.bottom().saturating_sub(FOOT);
    let room = area.width.saturating_sub(4);
    let notice = ui.model.notice.as_ref().map(|it| (it.text.clone(), it.level));
    let (text, style) = match notice {
        Some((text, Level::Bad)) => (text, ui.theme.bad),
        Some((text, _)) => (text, ui.theme.accent),
        None => (advice(desk).to_owned(), ui.theme.dim),
    };
    ui.text(area.x + 2, y, room, &text, style);
    let running = ui.model.run.is_some();
    let shown = KEYS.iter().filter(|key| !key.hint.is_empty());
    let rest =
        [("w", "why", Command::Why), ("t", "theme", Command::Theme), ("q", "quit", Command::Quit)];
    let own = shown.map(|key| (key.shown, key.hint, key.command));
    let (mut x, mut y) = (area.x + 2, y + 1);
    for (key, hint, command) in own.chain(rest) {
        let pauses = matches!(command, Command::Pause | Command::Slower | Command::Faster);
        let style = if pauses && !running { ui.theme.dim } else { ui.theme.accent };
        let wide = width(key) + 1 + width(hint) + 2;
        if x + wide > area.right() {
            (x, y) = (area.x + 2, y + 1);
        }
        if y >= area.bottom() {
            return;
        }
        let start = x;
        x = ui.text(x, y, width(key), key, style) + 1;
        x = ui.text(x, y, width(hint), hint, ui.theme.dim);
        ui.hit(Rect::new(start, y, x - start, 1), command);
        x += 2;
    }
}

/// What the teacher does next.
fn advice(desk: &Desk) -> &'static str {
    let of = &desk.overview;
    if of.ended {
        return "q quits";
    }
    if of.at.is_none() {
        return "n shows the first question";
    }
    match of.phase {
        Phase::Ask => "n opens the first vote",
        Phase::First => "n closes the vote; students then discuss",
        Phase::Discuss => "n opens the second vote",
        Phase::Second => "n closes the second vote",
        Phase::Closed => "n reveals both votes and measures",
        Phase::Reveal => "n shows the explanation",
        Phase::Explain if of.at.is_some_and(|at| at + 1 == of.of) => "E ends the class",
        Phase::Explain => "n goes to the next question",
    }
}
