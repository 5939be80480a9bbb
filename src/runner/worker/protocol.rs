//! The lines of the protocol, in types.

use serde::{Deserialize, Serialize};

use crate::experiment::{Case, Stopping, Target};
use crate::own::OwnFile;
use crate::results::record::Record;
use crate::runner::measure::Verdict;
use crate::work::View;
use crate::work::{CaseProfile, Device, Done};

/// Version of the protocol that this program speaks.
pub const PROTOCOL: u32 = 1;

/// A request of the parent.
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
    /// Registers a user's file as an algorithm, before the first case of it.
    System {
        /// The file with its PTX.
        file: Box<OwnFile>,
        /// Its machine code in base64, if the driver may be too old for the PTX.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cubin: Option<String>,
    },
    /// Measures a group.
    Measure {
        /// The cases, whose samples are interleaved.
        cases: Vec<Case>,
        /// When a case has enough samples.
        stopping: Stopping,
        /// Whether the worker says how far long launches have come.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        progress: bool,
    },
    /// Runs one case under the sanitizer and compares its output with the reference; for
    /// backends with a sanitizer.
    Check {
        /// The case.
        case: Case,
    },
    /// Runs one case and profiles its kernels; for backends that count.
    #[serde(rename = "dissect")]
    ProfileKernels {
        /// The case.
        case: Case,
    },
}

/// A case with the profile of its kernels.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfiledCase {
    /// The result.
    pub record: Record,
    /// The profile; `None` if the case failed or could not run.
    #[serde(rename = "anatomy")]
    pub profile: Option<CaseProfile>,
}

/// A reply of the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "kebab-case")]
pub enum Reply {
    /// The backend is open.
    Hello {
        /// Version of the protocol that the worker speaks.
        protocol: u32,
        /// Program and version of the worker.
        program: String,
        /// Its device.
        device: Device,
    },
    /// The request cannot be carried out.
    Refused {
        /// Why.
        message: String,
    },
    /// A case is prepared or sampled next.
    At {
        /// Its index in the group.
        case: usize,
        /// Whether its input and CPU reference are made first, before its time counts.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        making: bool,
    },
    /// A case has ended.
    Record {
        /// Its index in the group.
        case: usize,
        /// The result.
        record: Box<Record>,
        /// The view of its output.
        view: Option<View>,
    },
    /// How far the launch of the current case has come.
    Progress(Done),
    /// The case to profile has ended.
    #[serde(rename = "dissected")]
    Profiled(Box<ProfiledCase>),
    /// The case to check has ended.
    Checked {
        /// What is wrong with its kernel.
        verdict: Verdict,
    },
    /// Every case of the group has ended.
    Done,
    /// The device no longer answers.
    Lost {
        /// Why.
        message: String,
    },
}

impl Reply {
    /// Its name on the wire.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Hello { .. } => "hello",
            Self::Refused { .. } => "refused",
            Self::At { .. } => "at",
            Self::Record { .. } => "record",
            Self::Progress(_) => "progress",
            Self::Profiled(_) => "dissected",
            Self::Checked { .. } => "checked",
            Self::Done => "done",
            Self::Lost { .. } => "lost",
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::work::{InstructionProfile, LineWork};

    #[test]
    fn what_did_nothing_takes_no_room_on_the_wire() {
        let idle = InstructionProfile { ptx: 7, ..InstructionProfile::default() };
        let text = serde_json::to_string(&idle).unwrap();
        assert_eq!(text, r#"{"ptx":7}"#);
        assert_eq!(serde_json::from_str::<InstructionProfile>(&text).unwrap(), idle);
        let work = LineWork { warps: 3, lanes: 96, ..LineWork::default() };
        let busy = InstructionProfile { ptx: 7, source: 2, work };
        let text = serde_json::to_string(&busy).unwrap();
        assert_eq!(text, r#"{"ptx":7,"source":2,"warps":3,"lanes":96}"#);
        assert_eq!(serde_json::from_str::<InstructionProfile>(&text).unwrap(), busy);
    }
}
