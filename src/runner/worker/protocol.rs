//! The lines of the protocol, in types.

use serde::{Deserialize, Serialize};

use crate::experiment::{Case, Stopping, Target};
use crate::results::record::Record;
use crate::work::View;
use crate::work::{CaseProfile, Device};

/// Version of the protocol that this program speaks.
pub const PROTOCOL: u32 = 1;

/// What a parent asks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "request", rename_all = "kebab-case")]
pub enum Request {
    /// Opens a backend; the first line.
    Open {
        /// Version of the protocol that the parent speaks.
        protocol: u32,
        /// Program and version of the parent.
        program: String,
        /// What to open.
        target: Target,
    },
    /// Measures a group.
    Measure {
        /// The cases, to be measured in turns.
        cases: Vec<Case>,
        /// When each has been measured enough.
        stopping: Stopping,
    },
    /// Runs one case and takes it apart; for backends that count.
    Dissect {
        /// The case.
        case: Case,
    },
}

/// A case that was run to be taken apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Dissected {
    /// The result.
    pub record: Record,
    /// What went on inside it; none where it went wrong or could not run.
    #[serde(rename = "anatomy")]
    pub profile: Option<CaseProfile>,
}

/// What a worker answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// The backend is open.
    Hello {
        /// Version of the protocol that the worker speaks.
        protocol: u32,
        /// Program and version of the worker.
        program: String,
        /// What it runs on.
        device: Device,
    },
    /// The request cannot be carried out.
    Refused {
        /// Why.
        message: String,
    },
    /// A case is about to be prepared or sampled.
    At {
        /// Its index in the group.
        case: usize,
    },
    /// A case has ended.
    Record {
        /// Its index in the group.
        case: usize,
        /// The result.
        record: Box<Record>,
        /// What its output view draws.
        view: Option<View>,
    },
    /// The case that was to be taken apart has ended.
    Dissected(Box<Dissected>),
    /// Every case of the group has ended.
    Done,
    /// The device no longer answers.
    Lost {
        /// Why.
        message: String,
    },
}
