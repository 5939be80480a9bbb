//! A file of the user on the screens, from a save to its curve. The file is PTX, so no
//! compiler is needed; `tests/integration/own_corpus.rs` compiles.

use std::path::Path;

use crate::session::Session;

const PTX: &str =
    include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/kernels/contracts/ptx/histogram.ptx"));

/// A file like the histogram, with these lines at its end.
fn contents(end: &str) -> String {
    format!("/* warpscope\nlike = \"histogram\"\nsizes = \"2^10..2^12\"\n*/\n{PTX}{end}\n")
}

/// Replaces the file as many editors do.
fn save(path: &Path, end: &str) {
    let new = path.with_extension("new");
    std::fs::write(&new, contents(end)).unwrap();
    std::fs::rename(&new, path).unwrap();
}

#[test]
fn a_saved_file_is_run_again_and_its_errors_stand_on_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("mein Kern é.ptx");
    std::fs::write(&path, contents("")).unwrap();
    let editor = folder.path().join("editor");
    let file = path.to_str().unwrap();
    let mut session = Session::start_at(
        f64::INFINITY,
        &[file, "--backend", "emulator"],
        folder.path(),
        &[("EDITOR", editor.to_str().unwrap())],
    );
    session.wait("é.ptx v1");
    session.wait("sweep finished");
    session.wait("mine");
    session.wait("✓ mine");
    // Another version: the one before stays in the legend.
    save(&path, "// better");
    session.wait("é.ptx v2");
    session.wait("sweep finished");
    session.wait("mine · v1");
    // One that no assembler takes: its line is named and the last good one stays.
    save(&path, ".nonsense");
    session.wait(&format!("é.ptx:{}:", contents("").lines().count()));
    session.wait("mine · v1");
    session.keys("5");
    session.wait("1 message · v2 stays on the chart");
    session.wait("error");
    // The editor mends it.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let script = "#!/bin/sh\nsed -i '$d' \"$2\"\necho \"$1\" > line\n";
        std::fs::write(&editor, script).unwrap();
        std::fs::set_permissions(&editor, std::fs::Permissions::from_mode(0o755)).unwrap();
        session.keys("E");
        session.wait("é.ptx v3");
        session.wait("sweep finished");
        let line = std::fs::read_to_string(folder.path().join("line")).unwrap();
        assert_eq!(line.trim(), format!("+{}", contents("").lines().count()));
        // Keys work again after the editor.
        session.keys("1");
        session.wait("mine · v2");
    }
    // The file goes away and comes back.
    std::fs::remove_file(&path).unwrap();
    session.wait("the file is gone");
    save(&path, "// again");
    session.wait("é.ptx v");
    session.signal("-TERM");
    session.end();
}
