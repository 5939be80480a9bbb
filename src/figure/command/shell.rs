//! Words of a POSIX shell: how they are quoted, and lines that a shell joins again.

/// `text` as one word of a POSIX shell, on one line.
pub(super) fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=^/+".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    if text.chars().any(char::is_control) {
        return printed(text);
    }
    let mut quoted = String::from('"');
    for c in text.chars() {
        if "\"\\$`".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted.push('"');
    quoted
}

/// How a word with control characters begins.
const PRINTED: &str = "\"$(printf '%b' '";

/// A word with control characters, which a terminal would obey: `printf` makes them. The
/// substitution drops line ends at the end of the word.
fn printed(text: &str) -> String {
    let mut word = String::from(PRINTED);
    for byte in text.bytes() {
        match byte {
            b' ' | b'(' | b')' => word.push(byte.into()),
            _ if byte.is_ascii_alphanumeric() || b"-_.,:=^/+".contains(&byte) => {
                word.push(byte.into());
            }
            _ => word.push_str(&format!("\\0{byte:03o}")),
        }
    }
    word.push_str("')\"");
    word
}

/// `commands`, one per line, in lines of at most `most` characters that a POSIX shell
/// reads as the same commands: a line that continues ends with a backslash. `None` where a
/// quoted word is too long for a line.
pub fn wrapped(commands: &str, most: usize) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    for command in commands.lines() {
        lines.extend(wrap(command, most)?);
    }
    Some(lines)
}

/// Before what continues a command.
const INDENT: &str = "    ";

fn wrap(command: &str, most: usize) -> Option<Vec<String>> {
    const CONTINUED: usize = " \\".len();
    let length = |text: &str| text.chars().count();
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let words = words(command);
    for (index, word) in words.iter().enumerate() {
        let tail = if index + 1 < words.len() { CONTINUED } else { 0 };
        let gap = usize::from(!line.is_empty());
        if length(&line) + gap + length(word) + tail <= most {
            line.push_str(if gap > 0 { " " } else { "" });
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(format!("{line} \\"));
            INDENT.clone_into(&mut line);
        }
        let mut rest = *word;
        while length(&line) + length(rest) + tail > most {
            // A line end that is escaped inside of a substitution's single quotes stays.
            let room = most.checked_sub(length(&line) + 1).filter(|_| !word.contains(PRINTED))?;
            let (piece, after) = rest.split_at(breaking(rest, room)?);
            lines.push(format!("{line}{piece}\\"));
            // An indent would end the word.
            line.clear();
            rest = after;
        }
        line.push_str(rest);
    }
    lines.push(line);
    Some(lines)
}

/// Where a word breaks in two so that its first part has at most `room` characters: after
/// a comma if there is one, and never after a backslash.
fn breaking(word: &str, room: usize) -> Option<usize> {
    let (last, _) = word.char_indices().next_back()?;
    let end = word.char_indices().nth(room).map_or(last, |(at, _)| at);
    let head = word.get(..end)?;
    let comma = head.rfind(',').map(|at| at + 1);
    let plain = head.trim_end_matches('\\').len();
    Some(comma.unwrap_or(plain)).filter(|at| *at > 0)
}

/// The words of a command as they are written, with their quotes. An option and its value
/// are one.
fn words(command: &str) -> Vec<&str> {
    let (mut words, mut start): (Vec<&str>, usize) = (Vec::new(), 0);
    let mut option = false;
    let (mut in_quotes, mut escaped) = (false, false);
    for (at, c) in command.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => in_quotes = !in_quotes,
            ' ' if !in_quotes => {
                let is_option = !option && command[start..].starts_with('-');
                let value = command[at + 1..].starts_with(|c: char| c != '-');
                option = is_option && value;
                if !option {
                    words.extend(command.get(start..at));
                    start = at + 1;
                }
            }
            _ => {}
        }
    }
    words.extend(command.get(start..));
    words
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;

    use super::*;

    /// The words that a shell makes of a script which calls `show`.
    fn read_by_a_shell(script: &str) -> Vec<String> {
        let script = format!("show() {{ printf '%s\\036' \"$@\"; }}\n{script}\n");
        let output = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert!(output.stderr.is_empty(), "{script}: {output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        text.split_terminator('\u{1e}').map(str::to_owned).collect()
    }

    fn command(words: &[String]) -> String {
        let words = words.iter().map(|word| quoted(word));
        std::iter::once("show".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_long_list_breaks_after_commas_and_a_line_ends_with_a_backslash() {
        let text = "warpscope sweep radix-partition --variant \
                    global+single+global,global+single+shared,shared+single+global --block 128";
        let lines = wrapped(text, 40).unwrap();
        assert_eq!(
            lines,
            [
                "warpscope sweep radix-partition \\",
                "    --variant global+single+global,\\",
                "global+single+shared,\\",
                "shared+single+global --block 128"
            ]
        );
        assert_eq!(wrapped("a b\nc", 40).unwrap(), ["a b", "c"]);
        assert_eq!(wrapped(&quoted("a word with a bell \u{7} is long"), 12), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        #[test]
        fn a_shell_reads_what_was_meant(
            given in prop::collection::vec("[ -~µé]{0,30}|[a-z]{1,12}(,[a-z]{1,12}){0,12}", 1..8),
            most in 24..100usize,
        ) {
            let text = command(&given);
            prop_assert_eq!(&read_by_a_shell(&text), &given);
            let lines = wrapped(&text, most).unwrap();
            prop_assert!(lines.iter().all(|line| line.chars().count() <= most), "{:?}", lines);
            prop_assert_eq!(&read_by_a_shell(&lines.join("\n")), &given);
        }

        #[test]
        fn no_control_character_is_left(given in "[a-z \u{1}-\u{1f}\u{7f}\u{9b}'\"\\\\$]{1,20}[a-z]") {
            let text = command(std::slice::from_ref(&given));
            prop_assert!(!text.chars().any(char::is_control), "{:?}", text);
            prop_assume!(!given.contains('\u{1e}'));
            prop_assert_eq!(read_by_a_shell(&text), [given]);
        }
    }
}
