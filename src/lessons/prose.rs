//! Text of a lesson: paragraphs in which `[[term]]` is a word of the glossary and
//! `{{value}}` a computed value. `[[shown|term]]` shows another form of the word.

use std::borrow::Cow;

use crate::analysis::glossary::{self, Entry};

/// Paragraphs.
pub type Prose = Vec<Vec<Span>>;

/// A part of a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Span {
    /// Words as they are.
    Text(String),
    /// A word of the glossary.
    Term {
        /// The word as it stands in the text.
        shown: String,
        /// What it means.
        entry: &'static Entry,
    },
    /// A value of the lesson.
    Value(String),
}

/// Reads a text. Lines of a paragraph are joined; an empty line ends it.
///
/// # Errors
/// A term that the glossary does not have, or a bracket that does not close.
pub fn parse(text: &str) -> Result<Prose, String> {
    let mut prose = Prose::new();
    let text = text.replace("\r\n", "\n");
    for block in text.split("\n\n") {
        let joined = block.split_whitespace().collect::<Vec<_>>().join(" ");
        if !joined.is_empty() {
            prose.push(paragraph(&joined)?);
        }
    }
    Ok(prose)
}

fn paragraph(text: &str) -> Result<Vec<Span>, String> {
    let (mut spans, mut rest) = (Vec::new(), text);
    loop {
        let next = [("[[", "]]"), ("{{", "}}")]
            .into_iter()
            .filter_map(|(open, close)| Some((rest.find(open)?, open, close)))
            .min_by_key(|(at, ..)| *at);
        let Some((at, open, close)) = next else { break };
        if at > 0 {
            spans.push(Span::Text(rest[..at].to_owned()));
        }
        let inner = &rest[at + open.len()..];
        let end = inner.find(close).ok_or_else(|| format!("`{open}` has no `{close}`"))?;
        let name = inner[..end].trim();
        spans.push(if open == "[[" { term(name)? } else { Span::Value(name.to_owned()) });
        rest = &inner[end + close.len()..];
    }
    if !rest.is_empty() {
        spans.push(Span::Text(rest.to_owned()));
    }
    Ok(spans)
}

fn term(text: &str) -> Result<Span, String> {
    let (shown, word) = text.split_once('|').unwrap_or((text, text));
    let (shown, word) = (shown.trim(), word.trim());
    let entry = glossary::find(word).ok_or_else(|| {
        format!("the glossary has no word `{word}`; `warpscope list --terms` lists all")
    })?;
    Ok(Span::Term { shown: shown.to_owned(), entry })
}

/// The names of the values in a text.
pub fn values(prose: &Prose) -> impl Iterator<Item = &str> {
    prose.iter().flatten().filter_map(|span| match span {
        Span::Value(name) => Some(name.as_str()),
        _ => None,
    })
}

/// The text of each paragraph, with what `value` says for the name of a value.
pub fn plain<'a>(prose: &'a Prose, value: &dyn Fn(&str) -> String) -> Vec<String> {
    let words = |span: &'a Span| match span {
        Span::Text(text) | Span::Term { shown: text, .. } => Cow::Borrowed(text.as_str()),
        Span::Value(name) => Cow::Owned(value(name)),
    };
    prose.iter().map(|paragraph| paragraph.iter().map(words).collect()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_have_terms_and_values() {
        let prose = parse("Each [[atomics|atomic]]\nwaits {{ times }}.\n\n\nbins[i]").unwrap();
        assert_eq!(prose.len(), 2);
        assert_eq!(values(&prose).collect::<Vec<_>>(), ["times"]);
        let Some(Span::Term { shown, entry }) = prose[0].get(1) else { panic!("{prose:?}") };
        assert_eq!(
            (shown.as_str(), entry.name),
            ("atomics", glossary::find("atomic").unwrap().name)
        );
        let text = plain(&prose, &|name| format!("<{name}>"));
        assert_eq!(text, ["Each atomics waits <times>.", "bins[i]"]);
    }

    #[test]
    fn a_wrong_text_says_why() {
        assert!(parse("[[flux capacitor]]").unwrap_err().contains("flux capacitor"));
        assert!(parse("see {{x").unwrap_err().contains("}}"));
    }
}
