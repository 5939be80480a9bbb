//! The text of a CUDA source: its words, its declarations, and the part of it that is for the GPU.

mod declaration;
mod device_code;
mod headers;
mod host;
mod item;
mod lexer;
mod library;
mod macros;

pub(crate) use declaration::{name_and_params, unqualified};
pub(crate) use device_code::{DeviceCode, device_code, included};
pub(crate) use headers::{expanded, place_in_header, with_headers};
pub(crate) use host::{Field, Given, Host, Launch, Memory, Op, Symbol, Value, Written, split};
pub(crate) use lexer::{Kind, Token, tokens};
pub(crate) use macros::{with_lines_of_lambdas, written_out};
