//! Input data: every distribution, the same on every machine.
