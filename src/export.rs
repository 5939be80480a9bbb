//! What leaves the program as a file: [`image`]s (PNG, SVG) and [`report`]s (CSV,
//! JSON, Markdown, HTML).

pub mod image;
pub mod report;
