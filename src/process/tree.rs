//! A child with every process that it starts, so that all of them end with it.
//!
//! Unix: a process group. Windows: a job object, which ends its processes when the last
//! handle to it is closed, also by the end of this process. Ctrl-C in the terminal of this
//! process does not reach a child: what a worker has measured is stored first.

#[cfg(unix)]
pub(crate) use unix::ProcessTree;
#[cfg(windows)]
pub(crate) use windows::ProcessTree;

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, ExitStatus};

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    /// The processes of one child.
    #[derive(Debug)]
    pub(crate) struct ProcessTree {
        group: Pid,
    }

    impl ProcessTree {
        /// Starts `command` as the first process of a tree.
        pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
            let child = command.process_group(0).spawn()?;
            let group = Pid::from_child(&child);
            Ok((child, Self { group }))
        }

        /// The exit status of the first process, if it has ended. Then the others are
        /// killed.
        pub(crate) fn exit_status(&mut self, child: &mut Child) -> Option<ExitStatus> {
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            if let Ok(None) = waitid(WaitId::Pid(self.group), options) {
                return None;
            }
            // Before its leader is collected, no other group can have its number.
            self.signal(Signal::KILL);
            child.try_wait().ok().flatten()
        }

        /// Asks all processes to end. The first one is not collected yet.
        pub(crate) fn ask_to_end(&self) {
            self.signal(Signal::TERM);
        }

        /// Kills all processes. The first one is not collected yet.
        pub(crate) fn kill(&mut self, _: &mut Child) {
            self.signal(Signal::KILL);
        }

        fn signal(&self, signal: Signal) {
            // It fails if the group has ended meanwhile.
            let _ = kill_process_group(self.group, signal);
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use std::os::windows::process::CommandExt;
    use std::process::{Child, Command, ExitStatus};
    use std::sync::Once;

    use win32job::{ExtendedLimitInfo, Job, JobError};

    /// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C does not reach the process.
    const NEW_PROCESS_GROUP: u32 = 0x200;

    /// The processes of one child.
    #[derive(Debug)]
    pub(crate) struct ProcessTree {
        /// None where the system refuses one: then only the first process is ended.
        job: Option<Job>,
    }

    impl ProcessTree {
        /// Starts `command` as the first process of a tree.
        pub(crate) fn start(command: &mut Command) -> io::Result<(Child, Self)> {
            end_with_us();
            let child = command.creation_flags(NEW_PROCESS_GROUP).spawn()?;
            let job = ends_with_its_handle().and_then(|job| {
                job.assign_process(child.as_raw_handle() as isize)?;
                Ok(job)
            });
            Ok((child, Self { job: job.ok() }))
        }

        /// The exit status of the first process, if it has ended. Then the others are
        /// killed.
        pub(crate) fn exit_status(&mut self, child: &mut Child) -> Option<ExitStatus> {
            let status = child.try_wait().ok().flatten();
            if status.is_some() {
                self.job = None;
            }
            status
        }

        /// Windows has no such request. A worker ends when its input closes.
        #[allow(clippy::unused_self, reason = "the same call everywhere")]
        pub(crate) fn ask_to_end(&self) {}

        /// Kills all processes.
        pub(crate) fn kill(&mut self, child: &mut Child) {
            self.job = None;
            // It fails if the process has ended meanwhile.
            let _ = child.kill();
        }
    }

    /// Lets every process that this one starts end with it. A process starts suspended: if
    /// this one is killed before it resumes a worker, nothing else ends that worker.
    fn end_with_us() {
        static DONE: Once = Once::new();
        DONE.call_once(|| {
            let job = ends_with_its_handle().and_then(|job| {
                job.assign_current_process()?;
                Ok(job)
            });
            // The system closes it with this process, and no sooner.
            std::mem::forget(job);
        });
    }

    fn ends_with_its_handle() -> Result<Job, JobError> {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        Job::create_with_limit_info(&limits)
    }
}
