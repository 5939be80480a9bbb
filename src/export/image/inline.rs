//! How a terminal shows pictures. The environment decides: a terminal is never asked, because
//! one that does not answer would block, and a late answer would look like typing.

/// How a terminal shows pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// The kitty graphics protocol with placeholders: kitty, Ghostty.
    Kitty,
    /// The protocol of iTerm2, also in `WezTerm`, Konsole and others.
    Iterm2,
    /// Sixel: foot, mlterm, contour.
    Sixel,
    /// Parts of cells, or dots.
    Cells,
}

/// The way of the terminal that `variable` describes.
pub fn way(variable: impl Fn(&str) -> Option<String>) -> Way {
    let is = |name: &str, wanted: &[&str]| {
        variable(name).is_some_and(|value| wanted.iter().any(|word| value.contains(word)))
    };
    // A multiplexer does not pass the sequences on.
    if variable("TMUX").is_some() || variable("STY").is_some() || is("TERM", &["screen", "tmux"]) {
        return Way::Cells;
    }
    if variable("KONSOLE_VERSION").is_some()
        || is("TERM_PROGRAM", &["iTerm", "WezTerm", "mintty", "rio"])
    {
        Way::Iterm2
    } else if variable("KITTY_WINDOW_ID").is_some()
        || is("TERM", &["kitty", "ghostty"])
        || is("TERM_PROGRAM", &["ghostty"])
    {
        Way::Kitty
    } else if is("TERM", &["foot", "mlterm", "contour"]) {
        Way::Sixel
    } else {
        Way::Cells
    }
}

/// An environment variable that is set and not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_the_way() {
        for (set, wanted) in [
            (&[("TERM", "xterm-kitty")][..], Way::Kitty),
            (&[("TERM", "xterm-256color"), ("KITTY_WINDOW_ID", "1")], Way::Kitty),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], Way::Iterm2),
            (&[("TERM", "xterm-256color"), ("KONSOLE_VERSION", "240201")], Way::Iterm2),
            (&[("TERM", "foot")], Way::Sixel),
            (&[("TERM", "tmux-256color"), ("KITTY_WINDOW_ID", "1")], Way::Cells),
            (&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/tmux")], Way::Cells),
            (&[("TERM", "xterm-256color")], Way::Cells),
            (&[], Way::Cells),
        ] {
            let variable = |name: &str| {
                set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(way(variable), wanted, "{set:?}");
        }
    }
}
