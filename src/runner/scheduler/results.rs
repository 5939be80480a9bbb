//! Where results go: to the store, the tally and the listener, in this order.

use super::{Event, SchedulerError, Tally};
use crate::results::record::Record;
use crate::results::store::Store;
use crate::work::View;

pub(super) struct Results<'a> {
    pub(super) store: Option<Store>,
    pub(super) tally: Tally,
    pub(super) on_event: &'a mut dyn FnMut(Event),
}

impl Results<'_> {
    /// The stored record of this identity, if it settles the case.
    pub(super) fn stored(&self, identity: &str) -> Option<Record> {
        let record = self.store.as_ref()?.get(identity)?;
        record.settles().then(|| record.clone())
    }

    /// Reports a case that is in the store.
    pub(super) fn found(&mut self, record: Record) {
        self.tally.add(&record);
        self.tally.from_store += 1;
        (self.on_event)(Event::Finished { record: Box::new(record), view: None, from_store: true });
    }

    /// Stores and reports a case that has ended.
    pub(super) fn ended(
        &mut self,
        record: Box<Record>,
        view: Option<View>,
    ) -> Result<(), SchedulerError> {
        if let Some(store) = &mut self.store {
            store.append(&record)?;
        }
        self.tally.add(&record);
        (self.on_event)(Event::Finished { record, view, from_store: false });
        Ok(())
    }
}
