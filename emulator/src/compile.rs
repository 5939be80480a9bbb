//! The syntax tree to a program: checks everything, so that what runs can only fail
//! by what the kernel itself does.

pub(crate) mod address;
pub(crate) mod arithmetic;
pub(crate) mod atomic;
pub(crate) mod b128;
pub(crate) mod barrier;
pub(crate) mod bits;
pub(crate) mod call;
pub(crate) mod call_abi;
pub(crate) mod carry;
pub(crate) mod cluster;
pub(crate) mod collective;
pub(crate) mod compare;
pub(crate) mod compiler;
pub(crate) mod control;
pub(crate) mod convert;
pub(crate) mod copy;
pub(crate) mod error;
pub(crate) mod float;
pub(crate) mod flow;
pub(crate) mod fold;
pub(crate) mod instruction;
pub(crate) mod integer;
pub(crate) mod kernel;
pub(crate) mod layout;
pub(crate) mod loaded;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod names;
pub(crate) mod operands;
pub(crate) mod pack;
pub(crate) mod pairs;
pub(crate) mod refuse;
pub(crate) mod special;
pub(crate) mod types;
pub(crate) mod video;
