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
pub mod analysis;
pub mod backend;
pub mod class;
pub mod cli;
pub mod compiler;
pub mod experiment;
pub mod export;
pub mod figure;
pub mod gpu;
pub mod lessons;
pub mod own;
mod process;
pub mod results;
pub mod runner;
pub mod settings;
pub mod statistics;
mod syntax;
pub mod tui;
pub mod units;
pub mod work;

// The emulator is a crate of its own: who changes a screen does not compile it again.
pub use warpscope_emulator as emulator;
