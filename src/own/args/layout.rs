//! Where the members of a structure lie.

use super::{Argument, Value};

impl Argument {
    /// Bytes and alignment, as C lays out a value of this type. If `vectors`, structures such as
    /// `{ x, y }` are CUDA's vectors, which begin at multiples of their size.
    pub(in crate::own) fn layout(&self, vectors: bool) -> (u64, u64) {
        match &self.value {
            Value::Scalar(_) => (self.element.bytes(), self.element.bytes()),
            Value::Buffer(..) => (8, 8),
            Value::Struct(members) => {
                let (mut bytes, mut align) = (0, 1);
                for (offset, member) in offsets(members, vectors) {
                    let own = member.layout(vectors);
                    (bytes, align) = (offset + own.0, own.1.max(align));
                }
                if vectors && is_vector(members) {
                    align = bytes.min(16);
                }
                (u64::next_multiple_of(bytes, align), align)
            }
        }
    }

    /// Whether its size is `bytes` only if structures such as `{ x, y }` are vectors.
    pub(in crate::own) fn has_vectors(&self, bytes: u64) -> bool {
        self.layout(false).0 != bytes && self.layout(true).0 == bytes
    }
}

/// The members of a structure with their offsets in bytes, each at a multiple of its alignment.
pub(in crate::own) fn offsets(
    members: &[Argument],
    vectors: bool,
) -> impl Iterator<Item = (u64, &Argument)> {
    members.iter().scan(0, move |end, member| {
        let (bytes, align) = member.layout(vectors);
        let offset = u64::next_multiple_of(*end, align);
        *end = offset + bytes;
        Some((offset, member))
    })
}

/// Whether these are the members of a vector of two or four numbers: `x`, `y`, `z`, `w`.
fn is_vector(members: &[Argument]) -> bool {
    matches!(members.len(), 2 | 4)
        && members.iter().zip(["x", "y", "z", "w"]).all(|(it, name)| {
            matches!(it.value, Value::Scalar(_))
                && it.element == members[0].element
                && it.name.rsplit('.').next() == Some(name)
        })
}
