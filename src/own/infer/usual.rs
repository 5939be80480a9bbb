//! What parameters are likely to be by their names, where no host code says it.

use crate::syntax::{Op, Value};

/// Entries of each row of a sparse matrix, or neighbours of each vertex of a graph.
const ROW: &str = "4 * n";

/// Where each row begins.
pub(super) const OFFSETS: &str = "= 4 * i";

/// A whole number that is no size of the data, such as the width of a filter.
pub(super) fn number(name: &str) -> Option<i128> {
    let name = plain(name);
    let has = |words: &[&str]| words.iter().any(|it| name.contains(it));
    let is_filter = has(&["filter", "kernel", "mask", "stencil", "window"]);
    if has(&["radius", "halo"]) {
        Some(4)
    } else if name == "ksize" || is_filter && has(&["width", "height", "size", "dim", "len"]) {
        Some(9)
    } else if has(&["channel"]) {
        Some(3)
    } else {
        has(&["iter", "steps"]).then_some(100)
    }
}

/// Whether an unknown number is no size of the data: such as the width of a filter, or a size in bytes.
pub(super) fn is_no_size(name: &str) -> bool {
    number(name).is_some() || plain(name).contains("byte")
}

/// The same as text, or the number of entries of all rows.
pub(super) fn whole(name: &str) -> Option<String> {
    number(name).map(|it| it.to_string()).or_else(|| are_entries(name).then(|| ROW.to_owned()))
}

/// Whether a number is that of the entries of all rows.
pub(super) fn are_entries(name: &str) -> bool {
    ["nnz", "nonzero", "edges"].iter().any(|it| plain(name).contains(it))
}

/// Whether a number is that of the blocks of a grid.
pub(super) fn are_blocks(name: &str) -> bool {
    ["block", "grid"].iter().any(|it| plain(name).contains(it))
}

/// The number of entries of all rows.
pub(super) fn entries() -> Value {
    let n = Value::Name("n".to_owned(), None);
    Value::Op(Op::Multiply, Box::new(Value::Number(4)), Box::new(n))
}

/// Whether a number is likely to be a side of a square of `n` by `n` elements.
pub(super) fn is_side(name: &str) -> bool {
    const NAMES: [&str; 6] = ["col", "height", "pitch", "row", "step", "width"];
    let name = plain(name);
    NAMES.iter().any(|it| name.contains(it)) && number(&name).is_none()
}

/// Whether a buffer is likely to hold where each row begins.
pub(super) fn are_offsets(name: &str) -> bool {
    const NAMES: [&str; 12] = [
        "colptr",
        "indptr",
        "nodeptr",
        "offsets",
        "rowbegin",
        "rowindex",
        "rowoffset",
        "rowptr",
        "rowstart",
        "srcptr",
        "vertexptr",
        "xadj",
    ];
    let name = plain(name);
    NAMES.iter().any(|it| name.contains(it))
}

/// Length of a buffer of a kernel that walks along rows.
pub(super) fn of_rows(name: &str) -> Option<&'static str> {
    const ENTRIES: [&str; 9] =
        ["adj", "col", "dst", "edge", "ind", "neighbor", "neighbour", "val", "weight"];
    if are_offsets(name) {
        return Some("n + 1");
    }
    let name = plain(name);
    ENTRIES.iter().any(|it| name.contains(it)).then_some(ROW)
}

/// A name as words in one: `row_ptr` and `rowPtr` are `rowptr`.
fn plain(name: &str) -> String {
    name.to_lowercase().replace('_', "")
}
