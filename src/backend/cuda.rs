//! A real NVIDIA GPU through `cust`.
mod driver;

use super::{Backend, Failure, OpenError, Prepared, Sample};
use crate::launch::{Device, HostBuffer, Inputs, Work};
/// A CUDA device.
#[derive(Debug)]
pub struct Cuda {
    device: Device,
}
impl Cuda {
    /// Opens the profile `gpu`.
    pub fn open(device: u32) -> Result<Self, OpenError> {
        Err(OpenError::NoCuda(format!("not built yet {device}")))
    }
}
impl Backend for Cuda {
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
