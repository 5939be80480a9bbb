//! What leaves the program as a file: [`image`]s (PNG, SVG) and [`report`]s (CSV,
//! JSON, Markdown, HTML), and [`trace`]s of a block (JSON, text).

pub mod image;
pub mod report;
pub mod trace;
