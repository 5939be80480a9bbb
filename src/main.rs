//! The `warpscope` program.
fn main() {}
