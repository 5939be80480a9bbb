//! The integration tests: one program, with a module per subject. Tests that need
//! a process of their own are beside this folder.
#![allow(clippy::unwrap_used)]

mod pairs;
mod support;

mod blind_3;
mod check;
mod check_spaces;
mod class;
mod cli;
mod compiler;
mod critical_path;
#[cfg(target_os = "linux")]
mod cuda_backend;
mod emulator;
mod emulator_arith;
mod emulator_medley;
mod emulator_programs;
mod emulator_spaces;
mod exec;
mod exec_args;
#[cfg(target_os = "linux")]
mod exec_limits;
mod explanations;
#[cfg(unix)]
mod faults;
mod fuzz;
mod golden_lines;
#[cfg(unix)]
mod hostile_files;
#[cfg(unix)]
mod hostile_text;
#[cfg(unix)]
mod hostile_workers;
#[cfg(unix)]
mod html;
#[cfg(target_os = "linux")]
mod install;
mod learn;
mod lesson_recordings;
mod livelock;
mod matrix;
mod ninth;
mod oracle;
mod oracle_patterns;
mod own_commands;
mod own_corpus;
mod own_files;
mod own_order;
mod own_programs;
mod ptx_cases;
mod ptx_fresh;
mod rounding;
mod sampling;
#[cfg(unix)]
mod scheduler;
mod session;
#[cfg(unix)]
mod ssh;
mod suite;
mod sweep;
mod systems;
mod threads;
mod timing;
mod trace;
