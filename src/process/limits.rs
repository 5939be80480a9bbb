//! Limits that a process sets for itself, and for what it becomes or starts.

/// Maximum memory of a limited process, in bytes.
pub(crate) const MOST_MEMORY: u64 = 2 << 30;

/// Limits this process: memory, seconds of CPU time, bytes of a file that it writes. No core
/// file. On Linux it also ends when its parent does.
///
/// On Windows the parent watches the memory instead. macOS does not enforce this limit of
/// memory; the limits of time hold.
#[cfg(unix)]
pub(crate) fn limit_self(cpu_seconds: u64, file_bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    for (resource, most) in [
        (Resource::As, MOST_MEMORY),
        (Resource::Cpu, cpu_seconds),
        (Resource::Fsize, file_bytes),
        (Resource::Core, 0),
    ] {
        // A limit that is lower already stays.
        let hard = getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
        let limit = Rlimit { current: Some(hard), maximum: Some(hard) };
        // Where the system has no such limit, the parent's limit of time holds.
        let _ = setrlimit(resource, limit);
    }
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Signal, set_parent_process_death_signal};
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }
}

/// The parent watches memory and time.
#[cfg(windows)]
pub(crate) fn limit_self(_cpu_seconds: u64, _file_bytes: u64) {}
