//! The deterministic stand-in that tests use.
use super::{Backend, Failure, Prepared, Sample};
use crate::launch::{Device, HostBuffer, Inputs, Work};
/// The deterministic stand-in.
#[derive(Debug)]
pub struct Scripted {
    device: Device,
}
impl Scripted {
    /// A new one.
    pub fn new() -> Self {
        Self {
            device: Device {
                backend: String::new(),
                name: String::new(),
                driver: None,
                id: String::new(),
                modelled: false,
                validated: true,
                limits: crate::launch::Limits {
                    compute_capability: 90,
                    threads_per_block: 1024,
                    shared_per_block: 0,
                    registers_per_sm: 65536,
                    memory: 0,
                },
            },
        }
    }
}
impl Backend for Scripted {
    fn device(&self) -> &Device {
        &self.device
    }
    fn repeats(&self) -> bool {
        false
    }
    fn prepare(&mut self, _work: &Work, _inputs: &Inputs) -> Result<Prepared, Failure> {
        Err(Failure::Lost(String::new()))
    }
    fn sample(&mut self, _prepared: Prepared) -> Result<Sample, Failure> {
        Err(Failure::Lost(String::new()))
    }
    fn read(&mut self, _prepared: Prepared, _buffer: usize) -> Result<HostBuffer, Failure> {
        Err(Failure::Lost(String::new()))
    }
    fn release(&mut self, _prepared: Prepared) {}
}
