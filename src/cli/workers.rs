//! The workers that run the kernels, and the devices that they use.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::bail;
use clap::Args;

use super::axes::TARGET;
use crate::backend;
use crate::experiment::BackendChoice;
use crate::runner::scheduler::{Options, WorkerSpec};

/// The options that `run`, `sweep` and the terminal interface share.
#[derive(Debug, Clone, Default, Args)]
pub struct Workers {
    /// Command that starts a worker, run without a shell; repeat the option to
    /// spread the cases over several workers
    #[arg(long, value_name = "COMMAND", help_heading = TARGET)]
    pub worker: Vec<Command>,

    /// CUDA devices, or all; each gets its own worker
    #[arg(long, value_name = "N,...|all", help_heading = TARGET)]
    pub device: Option<Devices>,

    /// Time limit of one case, without its input and CPU reference (a reference kernel
    /// counts); a worker that exceeds it is stopped, and the case is stored as timed out
    #[arg(long, value_name = "SECONDS", help_heading = TARGET, value_parser = seconds)]
    pub limit: Option<Duration>,

    /// Time limit for a worker to start and open its device [default: 20]
    #[arg(long, value_name = "SECONDS", help_heading = TARGET, value_parser = seconds)]
    pub start_limit: Option<Duration>,
}

impl Workers {
    /// Whether nothing was given.
    pub fn is_empty(&self) -> bool {
        self.worker.is_empty()
            && self.device.is_none()
            && self.limit.is_none()
            && self.start_limit.is_none()
    }
}

/// A program and its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command(pub Vec<String>);

impl FromStr for Command {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match shell_words::split(text) {
            Err(_) => Err("unclosed quote".to_owned()),
            Ok(words) if words.is_empty() => {
                Err("the command is empty: give a program and its arguments".to_owned())
            }
            Ok(words) => Ok(Self(words)),
        }
    }
}

/// Which CUDA devices to use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Devices {
    /// Every one that answers.
    All,
    /// Those with these numbers.
    These(Vec<u32>),
}

impl Devices {
    /// The backend that runs on them, if `given` was asked for.
    pub fn backend(&self, given: Option<BackendChoice>) -> anyhow::Result<BackendChoice> {
        match given {
            None | Some(BackendChoice::Cuda) => Ok(BackendChoice::Cuda),
            Some(BackendChoice::Emulator) => {
                bail!("--device selects a CUDA device; omit it or use `--backend cuda`")
            }
            Some(other) => Ok(other),
        }
    }
}

impl FromStr for Devices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim() == "all" {
            return Ok(Self::All);
        }
        let number = |word: &str| {
            let word = word.trim();
            word.parse().map_err(|_| format!("invalid device `{word}`: use 0,1 or all"))
        };
        let numbers = text.split(',').map(number).collect::<Result<Vec<u32>, _>>()?;
        for (at, device) in numbers.iter().enumerate() {
            if numbers[..at].contains(device) {
                return Err(format!("device {device} is given twice"));
            }
        }
        Ok(Self::These(numbers))
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let bad = || format!("invalid time `{text}`: give seconds, as in 30 or 0.5");
    let seconds: f64 = text.trim().parse().map_err(|_| bad())?;
    Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero()).ok_or_else(bad)
}

/// Options of a session: every worker command on every device.
pub(super) fn options(workers: &Workers, store: Option<PathBuf>) -> anyhow::Result<Options> {
    let devices: Vec<Option<u32>> = match &workers.device {
        None => vec![None],
        Some(Devices::These(devices)) => devices.iter().copied().map(Some).collect(),
        Some(Devices::All) if !workers.worker.is_empty() => bail!(
            "--device all means the devices of this machine, and --worker may run on another: list \
             the devices, as in --device 0,1"
        ),
        Some(Devices::All) => {
            backend::cuda_devices()?.into_iter().map(|device| Some(device.ordinal)).collect()
        }
    };
    let commands: Vec<Option<&Vec<String>>> = if workers.worker.is_empty() {
        vec![None]
    } else {
        workers.worker.iter().map(|command| Some(&command.0)).collect()
    };
    let specs = commands
        .into_iter()
        .flat_map(|command| devices.iter().map(move |device| (command, *device)))
        .map(|(command, device)| WorkerSpec { command: command.cloned(), device })
        .collect();
    let (limit, start_limit) = (workers.limit, workers.start_limit);
    Ok(Options { store, workers: specs, limit, start_limit })
}

/// The backend that the terminal interface starts with.
pub(super) fn backend(
    workers: &Workers,
    given: Option<BackendChoice>,
) -> anyhow::Result<BackendChoice> {
    workers.device.as_ref().map_or(Ok(given.unwrap_or_default()), |devices| devices.backend(given))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_does() {
        let words = |text: &str| Command::from_str(text).map(|command| command.0);
        assert_eq!(words("ssh gpu01 warpscope worker").unwrap().len(), 4);
        assert_eq!(
            words(r#"ssh -o "ProxyCommand nc %h %p" 'my host' a\ b"#).unwrap(),
            ["ssh", "-o", "ProxyCommand nc %h %p", "my host", "a b"]
        );
        assert!(words("ssh 'gpu01").unwrap_err().contains("quote"));
        assert!(words("  ").unwrap_err().contains("empty"));
    }

    #[test]
    fn devices_are_numbers_or_all() {
        let devices = Devices::from_str;
        assert_eq!(devices("all").unwrap(), Devices::All);
        assert_eq!(devices("0, 3").unwrap(), Devices::These(vec![0, 3]));
        assert!(devices("0,zero").unwrap_err().contains("`zero`"));
        assert!(devices("1,1").unwrap_err().contains("twice"));
    }

    #[test]
    fn a_limit_is_some_time() {
        assert_eq!(seconds("0.5").unwrap(), Duration::from_millis(500));
        for bad in ["0", "-1", "nan", "inf", "soon", "1e300"] {
            assert!(seconds(bad).unwrap_err().contains(bad), "{bad}");
        }
    }

    fn specs(worker: &[&str], device: Option<&str>) -> Vec<String> {
        let worker: Vec<Command> = worker.iter().map(|command| command.parse().unwrap()).collect();
        let device = device.map(|text| text.parse().unwrap());
        let options = options(&Workers { worker, device, ..Workers::default() }, None).unwrap();
        options.workers.iter().map(WorkerSpec::shown).collect()
    }

    #[test]
    fn every_command_serves_every_device() {
        assert_eq!(specs(&[], None), ["warpscope worker"]);
        assert_eq!(specs(&["ssh a w", "ssh 'b c' w"], None), ["ssh a w", "ssh 'b c' w"]);
        assert_eq!(specs(&[], Some("1")), ["warpscope worker, device 1"]);
        assert_eq!(
            specs(&["ssh a w", "ssh b w"], Some("0,2")),
            ["ssh a w, device 0", "ssh a w, device 2", "ssh b w, device 0", "ssh b w, device 2"]
        );
    }

    #[test]
    fn all_devices_are_those_of_this_machine() {
        let workers = Workers {
            worker: vec!["ssh a w".parse().unwrap()],
            device: Some(Devices::All),
            ..Workers::default()
        };
        let text = options(&workers, None).unwrap_err().to_string();
        assert!(text.contains("--device 0,1"), "{text}");
    }
}
