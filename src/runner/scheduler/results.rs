//! Where results go: the store, the tally and the listener, in this order.

use super::{Event, SessionError, Tally};
use crate::results::record::{Outcome, Record};
use crate::results::store::Store;
use crate::work::View;

pub(super) struct Results<'a> {
    pub(super) store: Option<Store>,
    pub(super) tally: &'a mut Tally,
    pub(super) on_event: &'a mut dyn FnMut(Event),
}

impl Results<'_> {
    /// The stored record of this identity, if it settles the case, so that a
    /// continued session need not try it again.
    pub(super) fn stored(&self, identity: &str) -> Option<Record> {
        let record = self.store.as_ref()?.get(identity)?;
        record.settles().then(|| record.clone())
    }

    /// A case was found in the store.
    pub(super) fn found(&mut self, record: Record) {
        self.count(&record);
        self.tally.from_store += 1;
        (self.on_event)(Event::Finished { record: Box::new(record), view: None, from_store: true });
    }

    /// A case has ended.
    pub(super) fn ended(
        &mut self,
        record: Box<Record>,
        view: Option<View>,
    ) -> Result<(), SessionError> {
        if let Some(store) = &mut self.store {
            store.append(&record)?;
        }
        self.count(&record);
        (self.on_event)(Event::Finished { record, view, from_store: false });
        Ok(())
    }

    fn count(&mut self, record: &Record) {
        match record.outcome() {
            Outcome::Verified => self.tally.verified += 1,
            Outcome::Wrong => self.tally.wrong += 1,
            Outcome::Skipped => self.tally.skipped += 1,
            Outcome::Unchecked => {}
        }
    }
}
