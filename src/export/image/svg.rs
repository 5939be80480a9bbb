//! What an SVG says beside its shapes: title and description for those who do
//! not see it, and how its colours change with the style.

use super::palette::{self, Rgb};
use super::{Style, palette::changing};
use crate::figure::Picture;

/// The first tag and the words behind it.
pub(super) struct Head {
    /// What replaces the size in pixels.
    attributes: String,
    /// Title and description.
    words: String,
}

impl Head {
    /// Of a file: its size stays.
    pub(super) fn of_file(picture: &Picture) -> Self {
        let words = format!(
            "<title>{}</title>\n<desc>{}</desc>\n",
            escape(picture.words().title),
            escape(&picture.description())
        );
        Self { attributes: "role=\"img\"".to_owned(), words }
    }

    /// Of an element of a page, named by title and description.
    pub(super) fn of_element(picture: &Picture, id: &str) -> Self {
        let words = format!(
            "<title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n",
            escape(picture.words().title),
            escape(&picture.description())
        );
        let attributes = format!(
            "id=\"{id}\" class=\"chart\" role=\"img\" aria-labelledby=\"{id}-title\" \
             aria-describedby=\"{id}-desc\""
        );
        Self { attributes, words }
    }
}

/// `drawn` with another head.
pub(super) fn with_head(drawn: &str, head: &Head) -> String {
    let Some((first, rest)) = drawn.split_once(">\n") else { return drawn.to_owned() };
    format!("{first} {}>\n{}{rest}", head.attributes, head.words)
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
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
