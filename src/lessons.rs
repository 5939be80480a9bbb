//! Lessons: predict, run, reveal, why. A lesson is one TOML file; this room reads it, plays
//! it without a screen, checks its conclusions, and writes a student's report.
//!
//! - [`read()`] turns a file into a [`Lesson`], or says the file, the line and the key that is
//!   wrong. [`shelf`] finds the lessons that ship and those of a folder.
//! - A [`Lesson`] has named experiments ([`Trial`]), named values over their results
//!   ([`Formula`]: a ratio of times, a crossing, a counter, the cause that
//!   [`crate::analysis::explain`] finds), and [`Step`]s. [`Task`] says what a step asks.
//! - [`Results`] holds records. [`evaluate`](value::evaluate) computes a value from them, and
//!   [`truth`](grade::truth) the option that is right. Nothing right is typed into a file:
//!   `expect` and bounds are claims that `learn --check` compares with the computed value.
//!
//! A screen or a server shows a step like this: [`Step::text`] by [`prose`], the options of
//! [`Question::options`] (each has a key, which is the answer, and a text), and after the run
//! what [`truth`](grade::truth) says.

pub mod beside;
pub mod check;
pub mod grade;
mod lesson;
pub mod progress;
pub mod prose;
mod read;
pub mod report;
mod results;
pub mod run;
mod session;
pub mod shelf;
pub mod value;
pub mod words;

pub use lesson::{
    Ask, Bounds, Change, Choice, Claim, Formula, Lesson, Measure, Pair, Question, Reason, Right,
    Rule, Select, Step, Task, Trial, Unit, View, Write,
};
pub use read::{LessonError, MOST_BYTES, read};
pub use results::{Measured, Results};
pub use session::{KernelTry, Refused, Session};
