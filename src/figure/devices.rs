//! When devices of one name make one curve, and what tells them apart when not.

use std::collections::{HashMap, HashSet};

use crate::results::record::{DeviceRecord, Provenance, Record};

/// Devices that only their identity tells apart: provenance, name and driver.
type Kind<'a> = (Provenance, &'a str, Option<&'a str>);

/// The devices of a set of records.
pub(super) struct Devices<'a> {
    all: Vec<&'a DeviceRecord>,
    /// Kinds whose devices share the cases among them, as a sweep over several
    /// workers leaves them: together they make one curve, which says so.
    together: HashSet<Kind<'a>>,
}

impl<'a> Devices<'a> {
    /// Looks at every record.
    pub(super) fn of(records: impl IntoIterator<Item = &'a Record> + Clone) -> Self {
        let mut all: Vec<&DeviceRecord> = Vec::new();
        let mut ids: HashMap<Kind, HashSet<&str>> = HashMap::new();
        for record in records.clone() {
            if !all.contains(&&*record.device) {
                all.push(&*record.device);
            }
            ids.entry(kind(record)).or_default().insert(&record.device.id);
        }
        let several = ids.into_iter().filter(|(_, ids)| ids.len() > 1);
        let mut together: HashSet<Kind> = several.map(|(kind, _)| kind).collect();
        // Devices that ran the same case are there to be compared.
        let mut ran: HashMap<(Kind, String), &str> = HashMap::new();
        for record in records {
            let kind = kind(record);
            if together.contains(&kind) {
                let case = format!("{} {} {}", record.case(), record.seed, record.ptx);
                let id = record.device.id.as_str();
                if *ran.entry((kind, case)).or_insert(id) != id {
                    together.remove(&kind);
                }
            }
        }
        Self { all, together }
    }

    /// The name of a record's device, with driver or identity where another one
    /// has the same name.
    pub(super) fn name(&self, record: &Record) -> String {
        let device = &record.device;
        let namesakes: Vec<_> = self.all.iter().filter(|it| it.name == device.name).collect();
        let driver = device.driver.as_deref().unwrap_or("unknown");
        let same_driver = namesakes.iter().filter(|it| it.driver == device.driver).count();
        let together = self.together.contains(&kind(record));
        if namesakes.len() < 2 || together && same_driver == namesakes.len() {
            device.name.clone()
        } else if same_driver < 2 || together {
            format!("{} driver {driver}", device.name)
        } else {
            let id: String = device.id.chars().take(12).collect();
            format!("{} {id}", device.name)
        }
    }
}

fn kind(record: &Record) -> Kind<'_> {
    let device = &record.device;
    (record.provenance, &device.name, device.driver.as_deref())
}

/// ` (2 devices)`, where the points of a curve come from several.
pub(super) fn several(shown: &[&Record]) -> String {
    let ids: HashSet<&str> = shown.iter().map(|record| record.device.id.as_str()).collect();
    if ids.len() > 1 { format!(" ({} devices)", ids.len()) } else { String::new() }
}
