//! Whole programs with host code in `tests/own/programs/`: for each of them `list` prints the block
//! that the file begins with.

use std::fs;

use crate::own_corpus::{compilers, files};
use crate::support::{Place, Ran};

#[test]
fn programs_get_the_blocks_that_they_begin_with() {
    let files = files("programs");
    assert_eq!(files.len(), 38);
    // What kernels do with their buffers is read from the PTX, which differs with the compiler.
    let is_newest = |it: &(&str, std::path::PathBuf)| it.1.to_string_lossy().ends_with(".so.13");
    let Some((variable, compiler)) = compilers().into_iter().find(is_newest) else { return };
    let place = Place::new();
    let mut wrong = Vec::new();
    for file in &files {
        let source = fs::read_to_string(file).unwrap();
        let (block, program) = source.split_once("*/\n").unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        fs::write(place.path(&name), program).unwrap();
        let mut command = place.command(&format!("list {name}"));
        command.env_remove("WARPSCOPE_CLANG").env(variable, &compiler);
        let ran = Ran::from(command.output().unwrap());
        let printed = ran.err.split_once("/* warpscope").and_then(|it| it.1.split_once("*/"));
        let printed = printed.map_or("", |it| it.0);
        if printed != block.trim_start_matches("/* warpscope") {
            wrong.push(format!("{name}: {}", ran.err));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
