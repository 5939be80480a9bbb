//! From what was typed to the workers that are started.

use std::path::PathBuf;

use anyhow::bail;

use crate::backend;
use crate::cli::axes::AxesError;
use crate::cli::workers::{Devices, Workers};
use crate::experiment::BackendChoice;
use crate::runner::scheduler::{Options, Spec};

/// Where results go and what runs them: every command on every device.
pub(super) fn options(workers: &Workers, store: Option<PathBuf>) -> anyhow::Result<Options> {
    let devices: Vec<Option<u32>> = match &workers.device {
        None => vec![None],
        Some(Devices::These(devices)) => devices.iter().copied().map(Some).collect(),
        Some(Devices::All) if !workers.worker.is_empty() => bail!(
            "--device all counts the devices of this machine, and --worker may start on another; \
             name them, such as --device 0,1"
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
        .map(|(command, device)| Spec { command: command.cloned(), device })
        .collect();
    Ok(Options { store, workers: specs, limit: workers.limit })
}

/// The backend that the terminal interface starts with.
pub(super) fn backend(
    workers: &Workers,
    given: Option<BackendChoice>,
) -> Result<BackendChoice, AxesError> {
    workers.device.as_ref().map_or(Ok(given.unwrap_or_default()), |devices| devices.backend(given))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::cli::workers::Command;

    fn specs(worker: &[&str], device: Option<&str>) -> Vec<String> {
        let worker: Vec<Command> = worker.iter().map(|command| command.parse().unwrap()).collect();
        let device = device.map(|text| text.parse().unwrap());
        let options = options(&Workers { worker, device, limit: None }, None).unwrap();
        options.workers.iter().map(Spec::shown).collect()
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
            limit: None,
        };
        let text = options(&workers, None).unwrap_err().to_string();
        assert!(text.contains("--device 0,1"), "{text}");
    }
}
