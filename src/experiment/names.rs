//! Names that do not exist, with the nearest one that does.

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no {what} `{name}`{} (known: {known})",
    nearest.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
)]
pub struct UnknownName {
    /// Kind of thing, such as `variant`.
    what: String,
    /// The name given.
    name: String,
    /// The known name that resembles it most, if one does.
    nearest: Option<String>,
    /// All known names.
    known: String,
}

impl UnknownName {
    /// The error for `name`, which is not among `known`.
    pub fn new(what: impl Into<String>, name: &str, known: &[&str]) -> Self {
        Self {
            what: what.into(),
            name: name.to_owned(),
            nearest: nearest(name, known).map(str::to_owned),
            known: known.join(", "),
        }
    }
}

/// The known name that is nearest to `name`, if one is near at all.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    /// Similarity from which a name is worth suggesting.
    const ALIKE: f64 = 0.7;
    let similarity = |known: &str| {
        let (name, known) = (name.to_lowercase(), known.to_lowercase());
        // The start of a name is more often typed than misspelt.
        let start = if !name.is_empty() && known.starts_with(&name) { 0.5 } else { 0.0 };
        strsim::jaro_winkler(&name, &known) + start
    };
    known
        .iter()
        .map(|known| (similarity(known), *known))
        .filter(|(similarity, _)| *similarity > ALIKE)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_suggest_the_nearest() {
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
            assert_eq!(nearest(name, &known), meant, "{name}");
        }
        assert_eq!(
            UnknownName::new("variant", "sharde", &["global", "shared"]).to_string(),
            "there is no variant `sharde`; did you mean `shared`? (known: global, shared)"
        );
    }
}
