//! The user's editor: it gets the terminal, and gives it back.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;
use std::process::Command;

/// Runs the editor on a file, with the cursor on a line.
///
/// # Errors
/// In words, if it does not start or ends with an error.
pub(super) fn run(path: &Path, line: u32) -> Result<(), String> {
    let variables = ["VISUAL", "EDITOR"].into_iter();
    let asked = variables.filter_map(std::env::var_os).find(|value| !value.is_empty());
    let asked = asked.unwrap_or_else(|| if cfg!(windows) { "notepad" } else { "vi" }.into());
    let words = command(&asked, path, line)?;
    let Some((program, arguments)) = words.split_first() else { return Ok(()) };
    let shown = program.to_string_lossy().into_owned();
    let status = Command::new(program).args(arguments).status().map_err(|error| {
        format!("the editor `{shown}` does not start: {error}; set EDITOR to yours")
    })?;
    if status.success() { Ok(()) } else { Err(format!("the editor `{shown}` ended with {status}")) }
}

/// Writes a file to begin with, unless it is there.
///
/// # Errors
/// In words, if it cannot be written.
pub(super) fn begin(path: &Path, template: &str) -> Result<(), String> {
    let refused = |error: io::Error| format!("cannot write {}: {error}", path.display());
    path.parent().map_or(Ok(()), fs::create_dir_all).map_err(refused)?;
    let opened = fs::OpenOptions::new().write(true).create_new(true).open(path);
    match opened.and_then(|mut file| file.write_all(template.as_bytes())) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(refused(error)),
        _ => Ok(()),
    }
}

/// The command of an editor: it may have arguments of its own, as in `code --wait`.
fn command(editor: &OsString, path: &Path, line: u32) -> Result<Vec<OsString>, String> {
    let text = editor.to_str().ok_or("EDITOR is not UTF-8")?;
    let words = shell_words::split(text)
        .map_err(|error| format!("EDITOR is `{text}`, which cannot be read: {error}"))?;
    let mut words: Vec<OsString> = words.into_iter().map(Into::into).collect();
    let program = words.first().map(Path::new).and_then(Path::file_stem);
    let (path, number) = (path.as_os_str().to_owned(), line.to_string());
    let at = |sign: &str| {
        let mut place = path.clone();
        place.push(sign);
        place.push(&number);
        place
    };
    match program.and_then(|name| name.to_str()).unwrap_or_default() {
        "code" | "codium" | "cursor" => words.extend(["--goto".into(), at(":")]),
        "hx" | "helix" | "subl" | "zed" => words.push(at(":")),
        "notepad" => words.push(path),
        // vi, Emacs, nano, micro, joe, kakoune and others.
        _ => words.extend([format!("+{number}").into(), path]),
    }
    Ok(words)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_file_to_begin_with_replaces_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/kernel.cu");
        begin(&path, "first").unwrap();
        begin(&path, "second").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        assert!(begin(&path.join("below"), "x").unwrap_err().contains("cannot write"));
    }

    #[test]
    fn every_editor_is_told_the_line_in_its_way() {
        let words = |editor: &str| -> Vec<String> {
            let found = command(&editor.into(), Path::new("my kernel.cu"), 12).unwrap();
            found.into_iter().map(|word| word.into_string().unwrap()).collect()
        };
        assert_eq!(words("vim"), ["vim", "+12", "my kernel.cu"]);
        assert_eq!(words("emacs -nw"), ["emacs", "-nw", "+12", "my kernel.cu"]);
        assert_eq!(
            words("'/opt/my tools/code' --wait"),
            ["/opt/my tools/code", "--wait", "--goto", "my kernel.cu:12"]
        );
        assert_eq!(words("hx"), ["hx", "my kernel.cu:12"]);
        let error = command(&"vi 'x".into(), Path::new("a.cu"), 1).unwrap_err();
        assert!(error.contains("EDITOR is `vi 'x`"), "{error}");
    }
}
