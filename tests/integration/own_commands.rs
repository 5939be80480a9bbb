//! `new`, `list FILE` and `list ALGORITHM --contract`.

use std::fs;

use serde_json::Value;

use crate::support::Place;

#[test]
fn new_writes_a_file_once() {
    let place = Place::new();
    place.run("new --like histogram h.cu").fine();
    let text = fs::read_to_string(place.path("h.cu")).unwrap();
    assert!(text.starts_with("/* warpscope\nlike = \"histogram\"\n*/\n"), "{text}");
    assert!(text.contains("extern \"C\" __global__ void mine(const unsigned int *values"));
    fs::write(place.path("h.cu"), "mine").unwrap();
    let again = place.run("new h.cu");
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("h.cu exists already and stays as it is"), "{}", again.err);
    assert_eq!(fs::read_to_string(place.path("h.cu")).unwrap(), "mine");
    let told = place.run("new --like histogramm other.cu").err;
    assert!(told.contains("did you mean `histogram`?"), "{told}");
    assert!(place.run("new other.txt").err.contains("ends in .cu"));
    place.run("new plain.cu").fine();
    assert!(fs::read_to_string(place.path("plain.cu")).unwrap().contains("smooth_tiled"));
}

#[test]
fn list_tells_what_a_file_says_and_what_a_contract_asks() {
    let place = Place::new();
    let ptx = include_str!("../../kernels/contracts/ptx/histogram.ptx");
    let source = format!("/* warpscope\nlike = \"histogram\"\n*/\n{ptx}");
    fs::write(place.path("mine.ptx"), &source).unwrap();
    let listed = place.run("list mine.ptx").fine().out;
    for part in ["histogram: the kernels are further variants", "mine (line ", "4 * bins bytes"] {
        assert!(listed.contains(part), "{part} is missing from\n{listed}");
    }
    assert!(listed.contains("registers  ") && listed.contains("estimated: no ptxas"), "{listed}");
    let bare = place.path("bare.ptx");
    fs::write(&bare, ptx).unwrap();
    assert_eq!(place.run("list bare.ptx").code, Some(2));
    let like = place.run("list bare.ptx --like histogram").fine().out;
    assert!(like.contains("mine (line "), "{like}");
    let told = place.run("list scan --like histogram").err;
    assert!(told.contains("--like needs a file"), "{told}");
    let json: Value = serde_json::from_str(&place.run("list mine.ptx --json").fine().out).unwrap();
    assert_eq!((&json["like"], &json["kernels"][0]["name"]), (&"histogram".into(), &"mine".into()));
    let contract = place.run("list reduce --contract").fine().out;
    for part in ["const T *values", "T is unsigned int for dtype=u32", "void mine("] {
        assert!(contract.contains(part), "{part} is missing from\n{contract}");
    }
    let json = place.run("list scan --contract --json").fine().out;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["params"][6]["needed_for"], "sums=exclusive");
    let one = place.run("list scan").fine().out;
    assert!(one.starts_with("scan: ") && !one.contains("histogram: "), "{one}");
    // A name in a file cannot reach the terminal as it is.
    let hostile = source.replace("like = \"histogram\"", "like = \"\\u001b[31mhistogram\"");
    fs::write(place.path("mine.ptx"), hostile).unwrap();
    let told = place.run("list mine.ptx");
    assert!(told.code == Some(2) && !told.err.contains('\u{1b}'), "{:?}", told.err);
}
