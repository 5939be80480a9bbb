//! What kernels print: the driver writes it to the standard output of this process, and
//! failed assertions to its standard error, both unescaped.

use std::ffi::{c_int, c_void};
use std::io::{self, PipeReader, Read, pipe};
use std::os::fd::{AsFd, OwnedFd};

/// Bytes that are kept; the rest is read and dropped.
const MOST: u64 = 1 << 20;

unsafe extern "C" {
    /// Writes the buffers of C streams; all of them for a null pointer.
    fn fflush(stream: *mut c_void) -> c_int;
}

/// The standard output and error of this process in their place, until it is dropped.
struct Diverted {
    out: OwnedFd,
    err: OwnedFd,
}

impl Diverted {
    /// Sends both into `sink`.
    fn into(sink: impl AsFd) -> io::Result<Self> {
        let out = io::stdout().as_fd().try_clone_to_owned()?;
        let err = io::stderr().as_fd().try_clone_to_owned()?;
        flush();
        // Restored by the drop, also if the second call fails.
        let diverted = Self { out, err };
        rustix::stdio::dup2_stdout(&sink)?;
        rustix::stdio::dup2_stderr(&sink)?;
        Ok(diverted)
    }
}

impl Drop for Diverted {
    fn drop(&mut self) {
        flush();
        // Nothing can be said where both are lost.
        let _ = rustix::stdio::dup2_stdout(&self.out);
        let _ = rustix::stdio::dup2_stderr(&self.err);
    }
}

/// The driver prints through the streams of C, which buffer.
fn flush() {
    // SAFETY: a null pointer means all streams of the process.
    unsafe { fflush(std::ptr::null_mut()) };
}

/// Runs `body` and keeps what it, the driver and kernels write to standard output and
/// error, up to 1 MiB.
///
/// # Errors
/// If the system gives no pipe or no thread. Then `body` did not run.
pub(super) fn captured<T>(body: impl FnOnce() -> T) -> io::Result<(T, Vec<u8>)> {
    let (reader, writer) = pipe()?;
    std::thread::scope(|scope| {
        let diverted = Diverted::into(&writer)?;
        drop(writer);
        let thread = std::thread::Builder::new().spawn_scoped(scope, || read(reader))?;
        let result = body();
        // Closes the writing end, so that the reader ends.
        drop(diverted);
        Ok((result, thread.join().unwrap_or_default()))
    })
}

fn read(reader: PipeReader) -> Vec<u8> {
    let (mut kept, mut reader) = (Vec::new(), reader);
    // A pipe that fails has ended.
    let _ = reader.by_ref().take(MOST).read_to_end(&mut kept);
    let _ = io::copy(&mut reader, &mut io::sink());
    kept
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::ffi::CStr;
    use std::process::Command;

    unsafe extern "C" {
        fn printf(format: *const std::ffi::c_char, ...) -> c_int;
    }

    fn print(text: &CStr) {
        // SAFETY: both are terminated, and the format takes one string.
        unsafe { printf(c"%s".as_ptr(), text.as_ptr()) };
    }

    /// What the process of the test below does: the harness would print in between.
    #[test]
    #[ignore = "the test below starts it"]
    fn prints_as_a_driver() {
        let (done, kept) = captured(|| {
            print(c"\x1b]0;title\x07");
            rustix::io::write(io::stderr(), b"assertion failed").unwrap();
            7
        })
        .unwrap();
        assert_eq!(done, 7);
        let kept = String::from_utf8(kept).unwrap();
        assert!(kept.contains("assertion failed") && kept.contains("\x1b]0;title\x07"), "{kept}");
        let flood = || (0..=MOST / 16).for_each(|_| print(c"0123456789abcdef"));
        let ((), flood) = captured(flood).unwrap();
        assert_eq!(flood.len() as u64, MOST);
        print(c"after\n");
        flush();
    }

    #[test]
    fn nothing_reaches_the_terminal_unescaped() {
        let me = std::env::current_exe().unwrap();
        let test = "backend::cuda::printed::tests::prints_as_a_driver";
        let ran = Command::new(me).args([test, "--exact", "--ignored", "--nocapture"]).output();
        let ran = ran.unwrap();
        let (out, err) =
            (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
        assert!(ran.status.success(), "{out}{err}");
        assert!(out.contains("after\n"), "{out}");
        for text in [&out, &err] {
            assert!(!text.contains("title") && !text.contains("assertion failed"), "{text}");
        }
    }
}
