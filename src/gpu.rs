//! GPUs as numbers: specs, occupancy, and the timing model that turns the emulator's
//! counters into a predicted time.

mod model;
mod occupancy;
mod spec;

pub use model::counterfactual;
pub use model::{
    Factors, Geometry, History, Prediction, copy_seconds, predict, predict_next, predict_with,
};
pub use occupancy::{Architecture, CannotLaunch, Occupancy, OccupancyLimit, occupancy};
pub use spec::{
    Carry, DEFAULT_GPU, Document, FileError, GpuSpec, Key, Number, Quantity, SpecError, Values,
    find_spec, open_spec, parse_spec, read as read_spec, spec_of_device, specs,
    write as write_spec,
};
