//! An oscilloscope for CUDA kernels in the terminal.
//!
//! ```text
//! Experiment --> Plan --> Backend --> Measurement --> Store --> Figure --> views
//!  what the       ordered   cuda |      times, bytes,   append-    neutral    TUI, PNG/SVG,
//!  user asked     cases,    emulator    counters, proof  only       chart      CSV/JSON,
//!                 skips     (worker)    of correctness   JSONL      model      Markdown
//! ```
//!
//! Data flows one way, from left to right; nothing flows back except what the
//! user does. Each module is a room with one job, named in the first line of
//! its documentation; `tests/architecture.rs` holds which room may import which.

pub mod algorithms;
pub mod backend;
pub mod cli;
pub mod commands;
pub mod experiment;
pub mod explain;
pub mod figure;
pub mod gpu;
pub mod measure;
pub mod measurement;
pub mod plan;
pub mod plot;
pub mod probe;
pub mod published;
pub mod report;
pub mod session;
pub mod settings;
pub mod statistics;
pub mod store;
pub mod tui;
pub mod verdict;
pub mod worker;

// Rooms that live in a crate of their own, `emulator/`: what half of the program
// builds on, compiled once.
pub use warpscope_emulator::{emulator, launch, ptx, units};
