//! The emulator as a backend, with times predicted by the model.
use super::{Backend, Failure, OpenError, Prepared, Sample};
use crate::launch::{Device, HostBuffer, Inputs, Work};
/// The emulator as a backend.
#[derive(Debug)]
pub struct Emulated {
    device: Device,
}
impl Emulated {
    /// Opens the profile `gpu`.
    pub fn open(gpu: Option<&str>) -> Result<Self, OpenError> {
        Err(OpenError::NoCuda(format!("not built yet {gpu:?}")))
    }
}
impl Backend for Emulated {
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
