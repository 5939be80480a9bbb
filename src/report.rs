//! Measurements as CSV, JSON and Markdown, one format per file.
