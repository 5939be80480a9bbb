//! Libraries that are no NVRTC, made with the C compiler of this machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use warpscope::compiler::{CompileError, Environment, Setup};

use super::request;
use crate::support::Place;
use crate::support::compilers;

/// What every fake has before the body of `nvrtcCompileProgram`.
const START: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int nvrtcVersion(int *a, int *b) { *a = 12; *b = 9; return 0; }
int nvrtcCreateProgram(void **p, const char *s, const char *n, int c, void *h, void *i) { return 0; }
int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = 1; return 0; }
int nvrtcGetProgramLog(void *p, char *t) { *t = 0; return 0; }
int nvrtcGetPTXSize(void *p, size_t *n) { *n = 2; return 0; }
int nvrtcGetPTX(void *p, char *t) { strcpy(t, "x"); return 0; }
int nvrtcCompileProgram(void *p, int n, void *o) {
"#;

/// A setup with a fake whose compilation does this. None without a C compiler.
fn fake(test: &str, place: &Place, name: &str, body: &str) -> Option<Setup> {
    let source = place.path(&format!("{name}.c"));
    fs::write(&source, format!("{START}{body}\n}}\n")).unwrap();
    let library = place.path(&format!("{name}.so"));
    let mut cc = Command::new("cc");
    let built = cc.args(["-shared", "-fPIC", "-w", "-o"]).arg(&library).arg(&source).output();
    if !built.is_ok_and(|output| output.status.success()) {
        println!("skipped: {test}: no C compiler");
        return None;
    }
    Some(with(place, &library))
}

fn with(place: &Place, library: &Path) -> Setup {
    let environment = Environment::of_this_process().with("WARPSCOPE_NVRTC", library);
    let mut setup = compilers::setup(environment, &place.path("cache"));
    setup.time_limit = Duration::from_secs(5);
    setup
}

/// How a fake fails, and the sentence about it.
fn fails(test: &str, body: &str) -> Option<(CompileError, String)> {
    let place = Place::new();
    let setup = fake(test, &place, "libnvrtc", body)?;
    let error = setup.compile(&request("int x;")).unwrap_err();
    // Nothing of a failure is kept.
    assert!(!place.path("cache").exists());
    let text = error.to_string();
    assert!(text.contains("libnvrtc.so"), "{text}");
    Some((error, text))
}

#[test]
fn a_library_that_hangs_is_stopped() {
    let place = Place::new();
    let Some(mut setup) = fake("a_library_that_hangs", &place, "libnvrtc", "for (;;) pause();")
    else {
        return;
    };
    setup.time_limit = Duration::from_millis(300);
    let error = setup.compile(&request("int x;")).unwrap_err();
    assert!(matches!(error, CompileError::TimedOut { .. }), "{error:?}");
    assert!(error.to_string().contains("simplify"), "{error}");
}

#[test]
fn a_library_that_crashes_costs_one_sentence() {
    let Some((error, text)) =
        fails("a_library_that_crashes", "fputs(\"oh\\033[2J\\n\", stderr); abort();")
    else {
        return;
    };
    assert!(matches!(error, CompileError::Crashed { .. }), "{error:?}");
    assert!(text.contains("signal: 6") && text.contains("it said: oh\\u001b[2J"), "{text}");
}

#[test]
fn a_library_that_writes_a_gigabyte_is_stopped() {
    let body = "static char b[1 << 20]; for (int i = 0; i < 1024; i++) write(1, b, sizeof b);";
    let Some((error, text)) = fails("a_library_that_writes", body) else { return };
    assert!(matches!(error, CompileError::TooMuchOutput { .. }), "{error:?}");
    assert!(text.contains("too much output"), "{text}");
}

#[test]
fn memory_is_limited() {
    let body = "for (;;) { char *b = malloc(64 << 20); \
                if (!b) { fputs(\"out of memory\\n\", stderr); exit(1); } memset(b, 1, 1); }";
    let Some((error, text)) = fails("memory_is_limited", body) else { return };
    assert!(matches!(error, CompileError::TooMuchMemory { .. }), "{error:?}");
    assert!(text.contains("2 GiB"), "{text}");
}

#[test]
fn a_file_cannot_be_written() {
    let place = Place::new();
    let file: PathBuf = place.path("written");
    let body = format!("FILE *f = fopen({file:?}, \"w\"); fputs(\"x\", f); fclose(f); return 0;");
    let Some(setup) = fake("a_file_cannot_be_written", &place, "libnvrtc", &body) else { return };
    let _ = setup.compile(&request("int x;"));
    assert!(fs::metadata(&file).is_ok_and(|file| file.len() == 0));
}

#[test]
fn chatter_and_wrong_files_are_no_compiler() {
    let Some((error, text)) = fails("chatter", "puts(\"hello\"); return 0;") else { return };
    assert!(matches!(error, CompileError::BadCompiler { .. }), "{error:?}");
    assert!(text.contains("writes to standard output"), "{text}");
    let Some((_, text)) = fails("chatter", "return 7;") else { return };
    assert!(text.contains("status 7"), "{text}");
    let Some((_, text)) = fails("chatter", "return 6;") else { return };
    assert!(text.contains("refused without a reason"), "{text}");
    let place = Place::new();
    let file = place.path("libnvrtc.so");
    fs::write(&file, "no library").unwrap();
    let error = with(&place, &file).compile(&request("int x;")).unwrap_err();
    assert!(matches!(error, CompileError::BadCompiler { .. }), "{error:?}");
    assert!(error.to_string().contains("install it again"), "{error}");
}

#[test]
fn without_a_compiler_there_is_one_command() {
    let place = Place::new();
    let setup = compilers::setup(Environment::empty(), &place.path("cache"));
    let error = setup.compile(&request("int x;")).unwrap_err();
    assert!(matches!(error, CompileError::NoCompiler { .. }), "{error:?}");
    assert!(error.to_string().contains('`'), "{error}");
}

/// A setup with a clang that is a shell script.
fn script(place: &Place, body: &str) -> Setup {
    use std::os::unix::fs::PermissionsExt;
    let path = place.path("clang");
    fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let environment = Environment::of_this_process().with("WARPSCOPE_CLANG", &path);
    let mut setup = compilers::setup(environment, &place.path("cache"));
    setup.time_limit = Duration::from_secs(5);
    setup
}

/// What a clang says that is one.
const ABOUT: &str = "case \"$1\" in --version) echo 'clang version 19.1.7'; exit;; \
                     --print-targets) echo nvptx64; exit;; esac";

#[test]
fn a_clang_that_misbehaves_costs_one_sentence() {
    for (body, parts) in [
        ("kill -SEGV $$", ["crashed", "signal: 11"]),
        ("echo boom >&2; exit 70", ["crashed", "it said: boom"]),
        ("yes", ["too much output", "stopped"]),
        ("yes >&2", ["too much output", "stopped"]),
        ("echo \"my.cu:3:4: error: oh no\" >&2; exit 1", ["line 3:4: oh no", ""]),
    ] {
        let place = Place::new();
        let setup = script(&place, &format!("{ABOUT}\n{body}"));
        let error = setup.compile(&request("int x;")).unwrap_err().to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{body}: {error}");
    }
    let place = Place::new();
    let mut setup = script(&place, &format!("{ABOUT}\nsleep 60"));
    setup.time_limit = Duration::from_millis(500);
    let error = setup.compile(&request("int x;")).unwrap_err();
    assert!(matches!(error, CompileError::TimedOut { .. }), "{error:?}");
}

#[test]
fn a_clang_that_cannot_compile_cuda_is_none() {
    for (body, part) in [
        ("echo 'clang version 11.0.1'", "version 11; 14 or newer"),
        ("echo 'Apple clang version 15.0.0'", "without the target NVPTX"),
        ("echo 'gcc 12'", "does not tell its version"),
    ] {
        let place = Place::new();
        let error = script(&place, body).compile(&request("int x;")).unwrap_err();
        assert!(matches!(error, CompileError::BadCompiler { .. }), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
}
