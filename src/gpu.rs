//! GPUs as numbers: profiles, occupancy, and the timing model that turns the
//! emulator's counters into a predicted time.

mod model;
mod occupancy;
mod profile;

pub use model::{
    Factors, Geometry, History, Prediction, copy_seconds, predict, predict_next, predict_with,
};
pub use occupancy::{Architecture, CannotLaunch, Occupancy, OccupancyLimit, occupancy};
pub use profile::{
    Carry, DEFAULT_PROFILE, Document, FileError, Key, Number, Profile, ProfileError, Quantity,
    Values, find_profile, open_profile, parse_profile, profile_of_device, profiles,
    read as read_profile, write as write_profile,
};
