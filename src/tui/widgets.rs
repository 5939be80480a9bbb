//! What several screens draw: charts, legends, header, status line, text.

pub(crate) mod chart;
pub(crate) mod curves;
pub(crate) mod frame;
pub(crate) mod header;
pub(crate) mod large;
pub(crate) mod legend;
pub(crate) mod selected;
pub(crate) mod sentence;
pub mod sized;
pub(crate) mod status;
pub(crate) mod too_small;
pub mod ui;
