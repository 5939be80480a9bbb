//! A kernel in executable form: data only.

mod bulk;
mod compute;
pub(crate) mod data;
mod exchange;
mod function;
mod kernel;
mod machine_code;
mod matrix;
mod mbarrier;
mod op;
pub(crate) mod operands;
mod quick;
mod scope;
mod tensor;

pub(crate) use bulk::{Bulk, End};
pub(crate) use compute::{Compare, Count, Float2, Int1, Int2, Logic, Narrow, Wide};
pub(crate) use data::{
    CLUSTER_WINDOW_BYTES, CONST_WINDOW, Data, FUNCTIONS, GUARD, LOCAL_WINDOW, MOST_CLUSTER, PARAMS,
    SHARED_WINDOW, SHARED_WINDOW_BYTES, Variable, WINDOW_BYTES,
};
pub(crate) use exchange::{Collective, Combine, Exchange, From, Vote};
pub(crate) use function::{
    Arithmetic, Bits, Clamp, Class, Extreme, Float, Function, Integer, Mode, Outcomes, Permute,
    Round, Small,
};
pub(crate) use kernel::{
    Block, Call, Callable, Clusters, Combines, Copy, FRAME_ALIGN, Fill, FillValue, Instruction,
    MULTIPROCESSORS, NamedRegister, ParamLayout, SAVED, Service, Site, SiteKind, Slots, Special,
    Table, Target, Together,
};
pub use kernel::{InstructionPlace, Kernel, ValueType};
pub use machine_code::{Issues, MachineCode};
pub(crate) use matrix::{Elements, Factor, Group, Matrix, Product, Rows, Tile, TileRows};
pub(crate) use mbarrier::{NEW_BARRIER, PER_ARRIVAL, PHASE};
pub(crate) use op::{
    ALL_THREADS, ANY_BARRIER, Cell, Guard, Inst, Meet, NOWHERE, Op, Rmw, Slot, Terminator,
    Transfer, Update, Window,
};
pub(crate) use quick::{Carry, Pair, Parts, Quick, Step, Sum, Then, Video};
pub(crate) use scope::{AT_END, Region, Scopes};
pub(crate) use tensor::{Change, Tensor};
