//! A stream that launches are timed on: flushed, held until the queue is full,
//! and measured between events.

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};

use cust::memory::LockedBox;
use cust::sys::{self, CUevent, CUevent_flags_enum, CUstream, CUstream_flags_enum};

use super::module::{Function, Module};
use super::status::{Status, check};
use crate::work::{self, Dim3};

/// The kernel that keeps the stream waiting.
const HOLD: work::Module = work::Module {
    name: "hold",
    path: "kernels/device/ptx/hold.ptx",
    ptx: include_str!("../../../kernels/device/ptx/hold.ptx"),
    source: "",
    resources: include_str!("../../../kernels/device/ptx/hold.csv"),
};

/// How long the kernel waits for the host before it gives up. Queueing a full
/// segment takes about a millisecond.
const HOLD_LIMIT_NANOSECONDS: u64 = 100_000_000;

/// How long it waits at least: long enough to measure the clock. The flush
/// before it takes the GPU longer than queueing takes the host, so without this
/// it would find its flag raised. It changes no time by more than the timer's
/// step (benches/data/h200/method/sample.csv).
const HOLD_LEAST_NANOSECONDS: u64 = 5_000;

/// Most launches between hold and release. The queue has room for about a
/// thousand entries, and a full queue would wait for the kernel that waits for us.
pub(super) const SEGMENT: usize = 256;

/// A stream that does not wait for the default stream.
pub(super) struct Stream {
    handle: CUstream,
}

impl Stream {
    /// A new one in the current context. (`cust`'s own strips the flag.)
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
        // SAFETY: the stream lives, and nobody has its handle any more.
        let _ = unsafe { sys::cuStreamDestroy_v2(self.handle) };
    }
}

/// A point in a stream with its time.
pub(super) struct Event {
    handle: CUevent,
}

impl Event {
    /// A new one, not recorded yet.
    pub(super) fn new() -> Result<Self, Status> {
        let mut handle = std::ptr::null_mut();
        let flags = CUevent_flags_enum::CU_EVENT_DEFAULT as u32;
        // SAFETY: the pointer is to one handle.
        check(unsafe { sys::cuEventCreate(&raw mut handle, flags) })?;
        Ok(Self { handle })
    }

    /// Puts it behind what the stream holds.
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
        // SAFETY: the event lives, and nobody has its handle any more.
        let _ = unsafe { sys::cuEventDestroy_v2(self.handle) };
    }
}

/// A launch with everything looked up.
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
    /// Arguments, each in the first bytes of its words.
    pub(super) args: Vec<Vec<u64>>,
}

impl Ready {
    /// Launches it behind what the stream holds.
    pub(super) fn enqueue(&self, stream: &Stream) -> Result<(), Status> {
        // The driver copies each argument out of where its pointer leads.
        let mut pointers: Vec<*mut c_void> =
            self.args.iter().map(|arg| arg.as_ptr().cast_mut().cast()).collect();
        // SAFETY: the function's module is loaded and there is an argument for
        // each parameter, at least as wide; what the kernel does with them, the
        // driver confines to this process's device memory.
        check(unsafe {
            sys::cuLaunchKernel(
                self.function.handle(),
                self.grid.x,
                self.grid.y,
                self.grid.z,
                self.block.x,
                self.block.y,
                self.block.z,
                self.shared_bytes,
                stream.handle(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
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

/// What one segment took.
pub(super) struct Times {
    /// Seconds of each launch.
    pub(super) phases: Vec<f64>,
    /// Seconds from the first start to the last stop.
    pub(super) seconds: f64,
    /// Whether all of it was queued before the GPU began.
    pub(super) held: bool,
    /// The multiprocessors' clock in MHz just before the GPU began, if it was held.
    pub(super) clock: Option<u32>,
}

/// Why work was not timed to its end.
pub(super) enum Stopped {
    /// The launch of this index was refused.
    Refused(usize, Status),
    /// The driver reported this for the work as a whole.
    Failed(Status),
    /// A stage on the host asks for what cannot be.
    Stage(String),
}

impl Stopped {
    /// The same, where so many launches came before.
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
        let module = Module::load(&HOLD)?;
        let words = LockedBox::new(&[0u32; 4]).map_err(|e| Status::from(e).to_string())?;
        let timer = || -> Result<Self, Status> {
            let ready = |name: &str, args| -> Result<Ready, Status> {
                Ok(Ready {
                    function: module.function(name)?,
                    kernel: name.to_owned(),
                    grid: Dim3::linear(1),
                    block: Dim3::linear(1),
                    shared_bytes: 0,
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
            // Their first launches load them, so those happen where nothing is timed.
            timer.word(0).store(1, Ordering::Release);
            timer.hold.enqueue(&timer.stream)?;
            timer.nothing.enqueue(&timer.stream)?;
            timer.stream.wait()?;
            Ok(timer)
        };
        timer().map_err(|status| status.to_string())
    }

    /// The stream, for untimed work before and after.
    pub(super) fn stream(&self) -> &Stream {
        &self.stream
    }

    /// A kernel of one thread that does nothing.
    pub(super) fn nothing(&self) -> Ready {
        self.nothing.clone()
    }

    /// The flag that releases the stream (0), and the words in which the kernel
    /// says that it gave up (1) and what passed while it waited: nanoseconds (2)
    /// and cycles (3).
    fn word(&self, index: usize) -> &AtomicU32 {
        // SAFETY: the words live as long as `self`, are aligned, and are only
        // ever accessed through this function and by the GPU.
        unsafe { AtomicU32::from_ptr(self.words.as_raw().cast::<u32>().add(index)) }
    }

    /// Runs at most [`SEGMENT`] launches, one after the other, and waits. With
    /// `held`, the GPU begins when all of them are queued.
    pub(super) fn time(&mut self, launches: &[Ready], held: bool) -> Result<Times, Stopped> {
        while self.events.len() <= launches.len() {
            self.events.push(Event::new()?);
        }
        let queued = self.queue(launches, held);
        // Whatever happened, the kernel must not be left to wait.
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

    /// Between hold and release nothing may wait for the stream: only launches
    /// and events.
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

/// The clock in MHz from what passed while the kernel waited; `None` if that was
/// too short to tell.
fn clock(nanoseconds: u32, cycles: u32) -> Option<u32> {
    /// Both ends are read within some tens of nanoseconds of a step.
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
