//! Times launches on a stream: the stream is held until all launches are queued, and
//! events measure the time.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cust::memory::LockedBox;
use cust::sys::{self, CUevent, CUevent_flags_enum, CUstream, CUstream_flags_enum};

use super::module::{Function, Module};
use super::status::{Status, check};
use crate::work::{self, Dim3};

/// The kernel that holds the stream.
const HOLD: work::Module = work::Module {
    name: "hold",
    path: "kernels/device/ptx/hold.ptx",
    ptx: include_str!("../../../kernels/device/ptx/hold.ptx"),
    source: "",
    resources: include_str!("../../../kernels/device/ptx/hold.csv"),
};

/// Maximum time that the kernel waits for the host. Queueing a full segment takes about
/// a millisecond.
const HOLD_LIMIT_NANOSECONDS: u64 = 100_000_000;

/// Minimum time that it waits, to measure the clock: the flush before it takes longer
/// than queueing, so its flag is set at once. The effect on times is below the timer's
/// step (benches/data/h200/method/sample.csv).
const HOLD_LEAST_NANOSECONDS: u64 = 5_000;

/// Maximum number of launches between hold and release. The queue has about a thousand
/// entries, and a full queue would deadlock with the hold kernel.
pub(super) const SEGMENT: usize = 256;

/// A stream that does not wait for the default stream.
pub(super) struct Stream {
    handle: CUstream,
}

impl Stream {
    /// A new stream in the current context. (`cust` drops the flag.)
    pub(super) fn new() -> Result<Self, Status> {
        let mut handle = std::ptr::null_mut();
        let flags = CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
        // SAFETY: the pointer is to one handle.
        check(unsafe { sys::cuStreamCreateWithPriority(&raw mut handle, flags, 0) })?;
        Ok(Self { handle })
    }

    /// The driver's handle.
    pub(super) fn handle(&self) -> CUstream {
        self.handle
    }

    /// Waits until everything queued is done.
    pub(super) fn wait(&self) -> Result<(), Status> {
        // SAFETY: the stream lives.
        check(unsafe { sys::cuStreamSynchronize(self.handle) })
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        // SAFETY: the stream lives, and its handle is not used again.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
    }
}

/// A time stamp in a stream.
pub(super) struct Event {
    handle: CUevent,
}

impl Event {
    /// A new event, not recorded yet.
    pub(super) fn new() -> Result<Self, Status> {
        let mut handle = std::ptr::null_mut();
        let flags = CUevent_flags_enum::CU_EVENT_DEFAULT as u32;
        // SAFETY: the pointer is to one handle.
        check(unsafe { sys::cuEventCreate(&raw mut handle, flags) })?;
        Ok(Self { handle })
    }

    /// Queues it on the stream.
    pub(super) fn record(&self, stream: &Stream) -> Result<(), Status> {
        // SAFETY: event and stream live and are of the same context.
        check(unsafe { sys::cuEventRecord(self.handle, stream.handle()) })
    }

    /// Seconds from `start` to here, both done.
    pub(super) fn seconds_since(&self, start: &Self) -> Result<f64, Status> {
        let mut milliseconds = 0.0;
        // SAFETY: both events live.
        check(unsafe {
            sys::cuEventElapsedTime(&raw mut milliseconds, start.handle, self.handle)
        })?;
        Ok(f64::from(milliseconds) * 1e-3)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event lives, and its handle is not used again.
        let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}

/// A launch with its function and arguments.
#[derive(Clone)]
pub(super) struct Ready {
    /// The entry point.
    pub(super) function: Function,
    /// Its name, for messages.
    pub(super) kernel: String,
    /// Grid in blocks.
    pub(super) grid: Dim3,
    /// Block in threads.
    pub(super) block: Dim3,
    /// Dynamic shared memory per block, in bytes.
    pub(super) shared_bytes: u32,
    /// Whether all blocks have to run at the same time.
    pub(super) together: bool,
    /// Arguments, each in the first bytes of its words.
    pub(super) args: Vec<Vec<u64>>,
}

impl Ready {
    /// Queues it on the stream.
    pub(super) fn enqueue(&self, stream: &Stream) -> Result<(), Status> {
        // The driver copies the arguments.
        let mut pointers: Vec<*mut c_void> =
            self.args.iter().map(|arg| arg.as_ptr().cast_mut().cast()).collect();
        let Self { function, grid, block, shared_bytes, .. } = self;
        let (function, stream, args) = (function.handle(), stream.handle(), pointers.as_mut_ptr());
        macro_rules! launch {
            ($entry:ident $(, $last:expr)?) => {
                sys::$entry(
                    function, grid.x, grid.y, grid.z, block.x, block.y, block.z, *shared_bytes,
                    stream, args, $($last)?
                )
            };
        }
        // SAFETY: the function's module is loaded and there is an argument for
        // each parameter, at least as wide; what the kernel does with them, the
        // driver confines to this process's device memory.
        check(unsafe {
            if self.together {
                launch!(cuLaunchCooperativeKernel)
            } else {
                launch!(cuLaunchKernel, std::ptr::null_mut())
            }
        })
    }
}

/// Times launches on a stream of its own.
pub(super) struct Timer {
    stream: Stream,
    events: Vec<Event>,
    hold: Ready,
    nothing: Ready,
    words: LockedBox<[u32; 4]>,
    _module: Module,
}

/// The times of one segment.
pub(super) struct Times {
    /// Seconds of each launch.
    pub(super) phases: Vec<f64>,
    /// Seconds from the first start to the last stop.
    pub(super) seconds: f64,
    /// Whether all launches were queued before the GPU started.
    pub(super) held: bool,
    /// The multiprocessors' clock in MHz before the first launch, if the stream was held.
    pub(super) clock: Option<u32>,
}

/// Why a run failed.
pub(super) enum Stopped {
    /// The launch of this index was refused.
    Refused(usize, Status),
    /// The driver reported an error after the launches.
    Failed(Status),
    /// A host stage failed.
    Stage(String),
}

impl Stopped {
    /// The same after `launches` earlier launches.
    pub(super) fn after(self, launches: usize) -> Self {
        match self {
            Self::Refused(index, status) => Self::Refused(launches + index, status),
            other => other,
        }
    }
}

impl From<Status> for Stopped {
    fn from(status: Status) -> Self {
        Self::Failed(status)
    }
}

impl Timer {
    /// Makes a stream in the current context and tries the hold kernel on it.
    pub(super) fn new() -> Result<Self, String> {
        let module = Module::load(&HOLD, None)?;
        let words = LockedBox::new(&[0u32; 4]).map_err(|e| Status::from(e).to_string())?;
        let timer = || -> Result<Self, Status> {
            let ready = |name: &str, args| -> Result<Ready, Status> {
                Ok(Ready {
                    function: module.function(name)?,
                    kernel: name.to_owned(),
                    grid: Dim3::linear(1),
                    block: Dim3::linear(1),
                    shared_bytes: 0,
                    together: false,
                    args,
                })
            };
            // Page-locked memory has one address on both sides.
            let flag = vec![words.as_raw().expose_provenance() as u64];
            let hold = ready(
                "hold",
                vec![flag, vec![HOLD_LIMIT_NANOSECONDS], vec![HOLD_LEAST_NANOSECONDS]],
            )?;
            let nothing = ready("nothing", Vec::new())?;
            let (stream, events) = (Stream::new()?, Vec::new());
            let timer = Self { stream, events, hold, nothing, words, _module: module };
            // The first launch of a kernel loads it; do that untimed.
            timer.word(0).store(1, Ordering::Release);
            timer.hold.enqueue(&timer.stream)?;
            timer.nothing.enqueue(&timer.stream)?;
            timer.stream.wait()?;
            Ok(timer)
        };
        timer().map_err(|status| status.to_string())
    }

    /// The stream, for untimed work.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// An empty kernel of one thread.
    pub(super) fn nothing(&self) -> Ready {
        self.nothing.clone()
    }

    /// Words shared with the hold kernel: the flag that releases the stream (0), whether
    /// the kernel gave up (1), and how long it waited in nanoseconds (2) and cycles (3).
    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the words live as long as `self`, are aligned, and are only
        // ever accessed through this function and by the GPU.
        unsafe { AtomicU32::from_ptr(self.words.as_raw().cast::<u32>().add(index)) }
    }

    /// Runs at most [`SEGMENT`] launches and waits. With `held`, the GPU starts when all
    /// of them are queued.
    pub(super) fn time(&mut self, launches: &[Ready], held: bool) -> Result<Times, Stopped> {
        while self.events.len() <= launches.len() {
            self.events.push(Event::new()?);
        }
        let queued = self.queue(launches, held);
        // Release the hold kernel even after an error.
        self.word(0).store(1, Ordering::Release);
        let waited = self.stream.wait();
        queued?;
        waited?;

        let phases = (0..launches.len())
            .map(|index| self.events[index + 1].seconds_since(&self.events[index]))
            .collect::<Result<_, _>>()?;
        let held = held && self.word(1).load(Ordering::Acquire) == 0;
        let waited = |index| self.word(index).load(Ordering::Acquire);
        Ok(Times {
            phases,
            seconds: self.events[launches.len()].seconds_since(&self.events[0])?,
            held,
            clock: held.then(|| clock(waited(2), waited(3))).flatten(),
        })
    }

    /// Between hold and release only launches and events are allowed; waiting would
    /// deadlock.
    fn queue(&self, launches: &[Ready], held: bool) -> Result<(), Stopped> {
        if held {
            self.word(0).store(0, Ordering::Release);
            for index in 1..4 {
                self.word(index).store(0, Ordering::Release);
            }
            self.hold.enqueue(&self.stream)?;
        }
        self.events[0].record(&self.stream)?;
        for (index, launch) in launches.iter().enumerate() {
            launch.enqueue(&self.stream).map_err(|status| Stopped::Refused(index, status))?;
            self.events[index + 1].record(&self.stream)?;
        }
        Ok(())
    }
}

/// The clock in MHz from the wait of the hold kernel; `None` if the wait was too short.
fn clock(nanoseconds: u32, cycles: u32) -> Option<u32> {
    /// Each end has an error of some tens of nanoseconds.
    const LEAST_NANOSECONDS: u32 = 3_000;

    let megahertz = u64::from(cycles) * 1000 / u64::from(nanoseconds.max(1));
    (nanoseconds >= LEAST_NANOSECONDS && cycles > 0).then_some(megahertz as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_cycles_over_time() {
        assert_eq!(clock(10_016, 19_832), Some(1980));
        assert_eq!(clock(100_000_000, 198_000_000), Some(1980));
        assert_eq!(clock(64, 126), None);
        assert_eq!(clock(0, 0), None);
    }
}
