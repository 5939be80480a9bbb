//! Namespaces that only headers of the host have.

use crate::syntax::item::Item;
use crate::syntax::lexer::{Kind, Token};

/// Namespaces that code for the GPU has from NVIDIA's headers, and `std`.
const KNOWN: [&str; 6] = ["cooperative_groups", "cub", "cuda", "nvcuda", "std", "thrust"];

/// Whether this is `using namespace cv;`, of a namespace that the source does not have.
pub(super) fn uses(item: &Item, all: &[Token]) -> bool {
    let [using, namespace, name, ..] = item.tokens else { return false };
    let declared = || {
        let mut pairs = all.windows(3);
        pairs
            .any(|it| it[0].is_word("namespace") && it[1].is_word(name.text) && !it[2].is_sign(";"))
    };
    using.is_word("using")
        && namespace.is_word("namespace")
        && name.kind == Kind::Word
        && !KNOWN.contains(&name.text)
        && !declared()
}
