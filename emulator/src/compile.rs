//! The syntax tree to a program: checks everything, so that what runs can only fail
//! by what the kernel itself does.

mod address;
mod arithmetic;
mod atomic;
mod b128;
mod barrier;
mod bits;
mod bulk;
mod call;
mod call_abi;
mod carry;
mod cluster;
mod collective;
mod compare;
mod compiler;
mod control;
mod convert;
mod copy;
mod error;
mod float;
mod flow;
mod fold;
mod fragment;
mod instruction;
mod integer;
mod kernel;
mod layout;
mod loaded;
mod matrix;
mod mbarrier;
mod memory;
mod module;
mod names;
mod operands;
mod pack;
mod pairs;
mod refuse;
mod special;
mod types;
mod uniform;
mod vectors;
mod video;
mod wmma;

pub use error::LoadError;
pub use module::{Module, load};
