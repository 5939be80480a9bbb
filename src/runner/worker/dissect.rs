//! One case on a worker of its own that takes it apart.

use std::time::Duration;

use super::link::Heard;
use super::open::{Post, start_of};
use super::protocol::{Dissected, Reply, Request};
use super::{Interrupt, Spec, WorkerError};
use crate::experiment::{Case, Target};

/// How long the case may take: the emulator ends runaway kernels by itself.
const PATIENCE: Duration = Duration::from_secs(3600);

/// Starts a worker on `target`, has it run `case` once, and ends it.
/// `interrupt` ends the wait and the worker.
///
/// # Errors
/// If the worker cannot be started, dies, or does not count.
pub fn dissect(
    spec: &Spec,
    target: &Target,
    case: &Case,
    interrupt: &Interrupt,
) -> Result<Dissected, WorkerError> {
    let post = Post::new(spec, target)?;
    let (mut link, _) = post.connect(interrupt)?;
    link.ask(&Request::Dissect { case: case.clone() });
    match link.hear(PATIENCE) {
        Heard::Reply(Reply::Dissected(dissected)) if dissected.record.case() == *case => {
            Ok(*dissected)
        }
        Heard::Reply(Reply::Refused { message }) => Err(WorkerError::Refused(message)),
        Heard::Reply(reply) => Err(post.garbled(&format!("{reply:?}"))),
        Heard::Other(line) => Err(post.garbled(&line)),
        Heard::TooLong(line) => {
            Err(WorkerError::TooLong { command: post.name(), line: start_of(&line) })
        }
        Heard::Interrupted => Err(WorkerError::Interrupted),
        Heard::Silence => {
            Err(WorkerError::Silent { command: post.name(), seconds: PATIENCE.as_secs() })
        }
        Heard::Ended => Err(WorkerError::Died { command: post.name(), how: link.how_it_ended() }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use crate::results::record::{InstructionAnatomy, LineWork};

    #[test]
    fn what_did_nothing_takes_no_room_on_the_wire() {
        let idle = InstructionAnatomy { ptx: 7, ..InstructionAnatomy::default() };
        let text = serde_json::to_string(&idle).unwrap();
        assert_eq!(text, r#"{"ptx":7}"#);
        assert_eq!(serde_json::from_str::<InstructionAnatomy>(&text).unwrap(), idle);
        let work = LineWork { warps: 3, lanes: 96, ..LineWork::default() };
        let busy = InstructionAnatomy { ptx: 7, source: 2, work };
        let text = serde_json::to_string(&busy).unwrap();
        assert_eq!(text, r#"{"ptx":7,"source":2,"warps":3,"lanes":96}"#);
        assert_eq!(serde_json::from_str::<InstructionAnatomy>(&text).unwrap(), busy);
    }
}
