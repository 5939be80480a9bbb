//! The program in a pseudo-terminal. A process of its own, because these tests
//! count bytes and wait for the screen: other tests beside them would disturb both.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

#[path = "../integration/support/mod.rs"]
mod support;

#[allow(dead_code, reason = "the class tests of the integration program use all of it")]
#[path = "../integration/class/client.rs"]
mod client;

mod class;
mod flood;
mod hostile;
mod launch;
mod learn;
mod own;
mod questions;
mod screens;
mod session;
mod step;
mod tui;
