//! The page: one file with its style and its script. What may run and what may be asked for
//! is said in the policy, by the hashes of the two.

use axum::http::HeaderValue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use crate::export::image;

const HTML: &str = include_str!("../../../assets/class/page.html");
const STYLE: &str = include_str!("../../../assets/class/page.css");
const SCRIPT: &str = include_str!("../../../assets/class/page.js");

/// The page and its policy.
#[derive(Debug)]
pub(super) struct Page {
    html: String,
    pub(super) policy: HeaderValue,
}

impl Page {
    /// The page; with a field for the name if `names` are kept.
    pub(super) fn new(names: bool) -> Self {
        let rules = image::dark_rules("svg.chart");
        let style = format!("{STYLE}@media (prefers-color-scheme: dark) {{\n{rules}}}\n");
        let policy = format!(
            "default-src 'none'; script-src '{}'; style-src '{}'; connect-src 'self'; \
             img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            hash(SCRIPT),
            hash(&style)
        );
        let html = HTML
            .replace("{{style}}", &style)
            .replace("{{script}}", SCRIPT)
            .replace("{{names}}", if names { "yes" } else { "no" });
        // Base64 and the words above are ASCII.
        let policy = HeaderValue::from_str(&policy)
            .unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'"));
        Self { html, policy }
    }

    /// The page for a browser that has a seat, or has none yet.
    pub(super) fn html(&self, seated: bool) -> String {
        self.html.replace("{{seat}}", if seated { "yes" } else { "no" })
    }
}

/// The hash of an element's text as a policy has it.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_file_and_asks_for_nothing_else() {
        let page = Page::new(true);
        let html = page.html(true);
        assert!(!html.contains("{{"), "every place is filled");
        for forbidden in ["http://", "https://", "src=", "@import", "innerHTML", "eval("] {
            let at = html.match_indices(forbidden);
            let own = |(at, _): (usize, &str)| html[at..].starts_with("http://www.w3.org/");
            assert!(at.into_iter().all(own), "{forbidden}");
        }
        assert!(page.policy.to_str().unwrap().contains("script-src 'sha256-"));
    }
}
