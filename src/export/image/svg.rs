//! What an SVG holds beside its shapes: title and description, and the rules
//! that turn its colours into those of the dark style.

use super::Style;
use super::palette::{self, Rgb, changing};
use crate::figure::Picture;
use crate::units::text;

/// `drawn`, a whole SVG, with title and description for those who do not see
/// it; as an element of a page if it has an `id`.
pub(super) fn with_words(drawn: &str, picture: &Picture, id: Option<&str>) -> String {
    // Words come from stored files too. XML forbids control characters.
    let drawn = text::lines(drawn);
    let Some((first, rest)) = drawn.split_once(">\n") else { return drawn.into_owned() };
    let (title, mut words) = (escape(picture.words().title), escape(&picture.description()));
    let command = picture.words().command;
    if id.is_none() && !command.is_empty() {
        words.push_str(&format!("\n{}", escape(command)));
    }
    match id {
        None => {
            format!("{first} role=\"img\">\n<title>{title}</title>\n<desc>{words}</desc>\n{rest}")
        }
        Some(id) => format!(
            "{first} id=\"{id}\" class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title\" \
             aria-describedby=\"{id}-desc\">\n<title id=\"{id}-title\">{title}</title>\n\
             <desc id=\"{id}-desc\">{words}</desc>\n{rest}"
        ),
    }
}

/// CSS from light to dark.
pub(super) fn dark_rules(selector: &str) -> String {
    let hex = |(red, green, blue): Rgb| format!("#{red:02X}{green:02X}{blue:02X}");
    changing()
        .map(|ink| {
            let [light, dark] = Style::ALL.map(|style| hex(palette::color(ink, style)));
            format!(
                "{selector} [fill=\"{light}\"]{{fill:{dark}}}\n\
                 {selector} [stroke=\"{light}\"]{{stroke:{dark}}}\n"
            )
        })
        .collect()
}

fn escape(text: &str) -> String {
    text::line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
