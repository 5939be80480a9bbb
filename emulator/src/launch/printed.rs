//! What blocks print.

use std::collections::BTreeMap;

use crate::machine::PRINT_BYTES;

/// What blocks printed, by their index.
#[derive(Debug, Default)]
pub(crate) struct Printed {
    blocks: BTreeMap<u64, Vec<u8>>,
    bytes: usize,
}

impl Printed {
    pub(crate) fn add(&mut self, block: u64, text: Vec<u8>) {
        self.bytes += text.len();
        self.blocks.insert(block, text);
        // Only the first blocks' text is given out: what lies behind enough of
        // it will not be.
        while self.bytes > 2 * PRINT_BYTES
            && let Some(last) = self.blocks.last_entry()
            && self.bytes - last.get().len() >= PRINT_BYTES
        {
            self.bytes -= last.remove().len();
        }
    }

    /// The text of the blocks up to number `last`.
    pub(crate) fn text(self, last: u64) -> Vec<u8> {
        let blocks = self.blocks.into_iter().take_while(|(block, _)| *block <= last);
        let mut text: Vec<u8> = blocks.flat_map(|(_, text)| text).collect();
        text.truncate(PRINT_BYTES);
        text
    }
}
