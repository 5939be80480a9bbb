//! Whole programs with host code in `tests/own/programs/`: for each of them `list` prints the block
//! that the file begins with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::own_corpus::{compilers, files};
use crate::support::{Place, Ran};

/// Those that show most of what is read of host code. A program takes nearly a second to compile.
const MOST: [&str; 16] = [
    "batched.cu",
    "cells.cu",
    "coo.cu",
    "crc.cu",
    "floyd.cu",
    "frontier.cu",
    "functor.cu",
    "gauss.cu",
    "hsv.cu",
    "kmer.cu",
    "letters.cu",
    "pagerank.cu",
    "priority.cu",
    "radix.cu",
    "soa.cu",
    "triangles.cu",
];

#[test]
fn programs_get_the_blocks_that_they_begin_with() {
    compare(|name| MOST.contains(&name));
}

#[test]
#[ignore = "compiles for half a minute; the test above has those that show most"]
fn further_programs_get_the_blocks_that_they_begin_with() {
    compare(|name| !MOST.contains(&name));
}

/// Compares the blocks of the programs whose names `wanted` takes.
fn compare(wanted: fn(&str) -> bool) {
    let files = files("programs");
    assert_eq!(files.len(), 47);
    let name = |file: &Path| file.file_name().unwrap().to_string_lossy().into_owned();
    // What kernels do with their buffers is read from the PTX, which differs with the compiler.
    let is_newest = |it: &(&str, PathBuf)| it.1.to_string_lossy().ends_with(".so.13");
    let Some((variable, compiler)) = compilers().into_iter().find(is_newest) else { return };
    let place = Place::new();
    let mut wrong = Vec::new();
    for file in files.iter().filter(|it| wanted(&name(it))) {
        let source = fs::read_to_string(file).unwrap();
        let (block, program) = source.split_once("*/\n").unwrap();
        let name = name(file);
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
