//! Recording a block for the Step screen.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::runner::trace::{self, Request, TraceError};
use crate::tui::screens::step::recorded::Recorded;
use crate::tui::screens::step::state::Wanted;
use crate::work::{Done, Progress};

/// Interval of telling how far a recording has come.
const INTERVAL: Duration = Duration::from_millis(100);

/// Records a block and tells on the way how far its launches have come; none if it was
/// stopped.
pub(super) fn record(
    wanted: Wanted,
    stop: &Arc<AtomicBool>,
    tell: &(dyn Fn(Done) + Sync),
) -> Option<Result<Arc<Recorded>, String>> {
    let Wanted { case, gpu, launch, block } = wanted;
    let request = Request { case, gpu, launch, block };
    let progress = Arc::new(Progress::new());
    let ended = AtomicBool::new(false);
    let result = thread::scope(|scope| {
        let teller = scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                thread::park_timeout(INTERVAL);
                tell(progress.done());
            }
        });
        let work = || trace::record(&request, &progress, stop);
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        ended.store(true, Ordering::Relaxed);
        teller.thread().unpark();
        outcome
    });
    match result {
        Ok(Ok(traced)) => Some(Ok(Arc::new(Recorded::new(traced)))),
        Ok(Err(TraceError::Stopped)) => None,
        Ok(Err(TraceError::Failed(reason))) => Some(Err(reason)),
        Err(_) => Some(Err("the recording crashed, which is a bug in warpscope".to_owned())),
    }
}
