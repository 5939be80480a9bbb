//! The child process that owns the backend, and the handle that its parent holds.
