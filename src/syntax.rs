//! The text of a CUDA source: its words, its declarations, and the part of it that is for the GPU.

mod declaration;
mod device_code;
mod item;
mod launch;
mod lexer;

pub(crate) use declaration::name_and_params;
pub(crate) use device_code::{DeviceCode, device_code, included};
pub(crate) use launch::{Launch, launch};
pub(crate) use lexer::{Kind, Token, tokens};
