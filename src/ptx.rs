//! PTX text to a syntax tree with source positions.
