//! Unknown names come back with the nearest known one.

use crate::experiment::ExperimentError;

/// The known name that is nearest to `name`, if it is near at all.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |known: &str| {
        let (name, known) = (name.to_lowercase(), known.to_lowercase());
        // The start of a name is more often typed than misspelt.
        let start = if !name.is_empty() && known.starts_with(&name) { 0.5 } else { 0.0 };
        strsim::jaro_winkler(&name, &known) + start
    };
    known
        .into_iter()
        .map(|known| (likeness(known), known))
        .filter(|(likeness, _)| *likeness > 0.7)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

/// `there is no variant `sharde`; did you mean `shared`? (known: global, shared)`
pub fn unknown(what: &str, name: &str, known: &[&str]) -> String {
    let hint = nearest(name, known.iter().copied())
        .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    format!("there is no {what} `{name}`{hint} (known: {})", known.join(", "))
}

/// What an error says, with the nearest name if it is about an unknown one.
pub fn with_nearest(error: &ExperimentError) -> String {
    match error {
        ExperimentError::UnknownName { what, name, known } => {
            unknown(what, name, &known.split(", ").collect::<Vec<_>>())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_the_word_that_was_meant() {
        let known = ["global", "shared", "histogram", "H200 SXM", "GTX 1070"];
        for (name, meant) in [
            ("sharde", Some("shared")),
            ("GLOBAL", Some("global")),
            ("hist", Some("histogram")),
            ("histgram", Some("histogram")),
            ("h200", Some("H200 SXM")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
        assert_eq!(
            unknown("variant", "sharde", &["global", "shared"]),
            "there is no variant `sharde`; did you mean `shared`? (known: global, shared)"
        );
    }
}
