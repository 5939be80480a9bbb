//! The frame of a page: head, style and foot. It runs no script and loads nothing.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::export::image;
use crate::results::record::PROGRAM;
use crate::units::text;

/// What the browser is told of looks. Colours of charts follow from it.
const STYLE: &str = include_str!("style.css");

/// A page with this title and this body.
pub fn page(title: &str, body: &Markup) -> String {
    let rules = image::dark_rules("svg.chart");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                // Whatever a record holds, nothing is run and nothing is asked for.
                meta http-equiv="Content-Security-Policy"
                    content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                meta name="generator" content=(PROGRAM);
                link rel="icon" href="data:,";
                title { (title) " · warpscope" }
                style {
                    (PreEscaped(STYLE))
                    (PreEscaped(format!(
                        "@media screen and (prefers-color-scheme: dark) {{\n{rules}}}\n"
                    )))
                }
            }
            body {
                (body)
                footer {
                    p {
                        "Made by " (PROGRAM) ". This page is one file: it runs no script and \
                         loads nothing."
                    }
                }
            }
        }
    };
    // `maud` escapes what HTML would obey; this is for what a reader's eye would.
    text::lines(&page.into_string()).into_owned()
}
