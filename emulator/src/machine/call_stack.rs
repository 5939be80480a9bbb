//! What the lanes of a warp return to.

/// What each lane of a warp comes back to.
#[derive(Debug, Default, Hash)]
pub(crate) struct CallStack {
    /// Per lane: the saved registers and then the index of each call.
    pub(crate) lanes: Vec<Vec<u32>>,
}

impl CallStack {
    /// Forgets everything: the block is done.
    pub(crate) fn clear(&mut self) {
        self.lanes.iter_mut().for_each(Vec::clear);
    }
}
