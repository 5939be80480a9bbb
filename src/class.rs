//! A class: a teacher asks, students vote on their phones before and after they discuss, and
//! the measurement answers.
//!
//! ```text
//! students' browsers --> server --> room (pure) --> journal (append-only file)
//!                          |          |
//!       page, events <-----+          +--> the teacher's screen
//!                                     +--> report: HTML and CSV at the end
//! ```

pub mod address;
pub mod hall;
pub mod journal;
pub mod lesson;
pub mod opening;
mod presence;
mod public;
pub mod question;
mod reasons;
pub mod report;
pub mod room;
mod server;
pub mod vote;

pub use hall::{Hall, News, Options};
pub use opening::Opening;
pub use public::Overview;
pub use question::{Answers, Grid, Question};
pub use room::{Class, Command, Event, Phase, Refusal, Shown};
pub use vote::{Answer, Tally, Vote};
