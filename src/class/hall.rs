//! A class that runs: its state and its file behind one lock, shared by the server's thread and
//! the teacher's screen. A change counts when the file has it.

use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio::sync::{oneshot, watch};

use super::journal::{Journal, JournalError};
use super::presence::Presence;
use super::public::{Overview, Sheet, You};
use super::room::{Class, Command, Event, Refusal, Shown};
use super::server;
use super::vote::Vote;

/// Most seats of a class.
pub const MOST_SEATS: usize = 2000;

/// Most letters of a name.
const MOST_NAME: usize = 40;

/// How the server serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Whether students are asked for a name, which files then keep.
    pub names: bool,
    /// Names under which students reach this computer, beside its addresses:
    /// `lab.example.org` or `lab.example.org:8080`.
    pub hosts: Vec<String>,
    /// How long a seat without a vote waits for its browser before a full class gives it away.
    pub patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        // A phone in a pocket is back sooner.
        Self { names: false, hosts: Vec::new(), patience: Duration::from_mins(5) }
    }
}

/// Why a request of a student fails.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    /// The class refuses it.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The file did not take it.
    #[error("the teacher's computer cannot store the vote")]
    NotKept,
}

/// Tells the teacher's screen what changed.
type Tell = Box<dyn Fn(News) + Send + Sync>;

/// What the teacher's screen is told.
#[derive(Debug, Clone, PartialEq)]
pub enum News {
    /// The class as it is now.
    Class(Box<Overview>),
    /// Something went wrong, in words.
    Problem(String),
    /// The class has ended and these files tell of it, or cannot be written.
    Written(Result<Vec<PathBuf>, String>),
}

/// What the server and the teacher share.
pub(super) struct Shared {
    state: Mutex<State>,
    /// What every student may know, as JSON, anew after each change.
    sheet: watch::Sender<Arc<str>>,
    chart: AtomicU64,
    tell: Tell,
    pub(super) options: Options,
}

struct State {
    class: Class,
    journal: Journal,
    presence: Presence,
    /// Whether the teacher knows that the class is full.
    told_full: bool,
}

/// A running class. Dropping it closes the server.
pub struct Hall {
    shared: Arc<Shared>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl std::fmt::Debug for Hall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hall").finish_non_exhaustive()
    }
}

impl Hall {
    /// Serves a class on a thread of its own. `tell` is called with the lock held: it must
    /// return at once and not call back.
    ///
    /// # Errors
    /// If the system gives no thread or the listener cannot be used.
    pub fn open(
        class: Class,
        journal: Journal,
        listener: TcpListener,
        options: Options,
        tell: impl Fn(News) + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let most = class.most;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                class,
                journal,
                presence: Presence::new(Instant::now(), options.patience),
                told_full: false,
            }),
            sheet: watch::Sender::new(Arc::from("")),
            chart: AtomicU64::new(0),
            tell: Box::new(tell),
            options,
        });
        shared.publish(&shared.state());
        let (stop, stopped) = oneshot::channel();
        listener.set_nonblocking(true)?;
        let served = Arc::clone(&shared);
        let thread = thread::Builder::new().name("class".to_owned()).spawn(move || {
            if let Err(error) = server::serve(listener, &served, most, stopped) {
                (served.tell)(News::Problem(format!("the server for students stopped: {error}")));
            }
        })?;
        Ok(Self { shared, stop: Some(stop), thread: Some(thread) })
    }

    /// Carries out what the teacher asks for.
    pub fn teach(&self, command: Command) {
        let mut state = self.shared.state();
        let event = match state.class.teach(command) {
            Ok(event) => event,
            Err(refusal) => return (self.shared.tell)(News::Problem(refusal.to_string())),
        };
        if self.shared.take(&mut state, &event).is_ok() {
            state.journal.sync();
        }
    }

    /// Shows students the answer to the question at hand as the teacher's screen has it. `keep`
    /// also writes it to the file.
    pub fn show(&self, question: usize, answer: Shown, keep: bool) {
        let mut state = self.shared.state();
        if state.class.has_ended() {
            return; // the end is the last line of the file
        }
        let event = Event::Shown { question, answer: Box::new(answer) };
        self.shared.chart.fetch_add(1, Ordering::Relaxed);
        if keep {
            // Without the file the class still sees it.
            let _ = self.shared.take(&mut state, &event);
        } else {
            state.class.apply(&event);
            self.shared.publish(&state);
        }
    }

    /// Looks at the class.
    pub fn look<T>(&self, look: impl FnOnce(&Class) -> T) -> T {
        look(&self.shared.state().class)
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    /// The state. A panic elsewhere cannot have left it half changed: the file comes first,
    /// and one call changes the class.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes an event to the file, applies it and tells everybody.
    fn take(&self, state: &mut State, event: &Event) -> Result<(), JournalError> {
        let time = jiff::Timestamp::now().to_string();
        if let Err(error) = state.journal.add(&time, event) {
            let text = format!("{error}; votes are refused until there is room to write");
            (self.tell)(News::Problem(text));
            return Err(error);
        }
        state.class.apply(event);
        self.publish(state);
        Ok(())
    }

    /// Tells students and teacher how the class is now.
    fn publish(&self, state: &State) {
        let sheet = Sheet::of(&state.class, self.chart.load(Ordering::Relaxed));
        // Plain data with text keys always becomes JSON.
        let json = serde_json::to_string(&sheet).unwrap_or_default();
        self.sheet.send_replace(json.into());
        self.tell_teacher(state);
    }

    /// Tells the teacher alone.
    fn tell_teacher(&self, state: &State) {
        let overview = Overview::of(&state.class, state.presence.online());
        (self.tell)(News::Class(Box::new(overview)));
    }

    /// The sheet, now and after each change.
    pub(super) fn watch(&self) -> watch::Receiver<Arc<str>> {
        self.sheet.subscribe()
    }

    /// The browser of a seat listens; returns whether it may.
    pub(super) fn enter(&self, seat: usize) -> bool {
        let mut state = self.state();
        let may = state.presence.enter(seat, Instant::now());
        if may {
            self.tell_teacher(&state);
        }
        may
    }

    /// The browser of a seat listens no more.
    pub(super) fn leave(&self, seat: usize) {
        let mut state = self.state();
        state.presence.leave(seat, Instant::now());
        self.tell_teacher(&state);
    }

    /// The seat of the browser with a token.
    pub(super) fn seat(&self, token: &str) -> Option<usize> {
        self.state().class.seat_of(&hash(token))
    }

    /// Whether this is the room code.
    pub(super) fn is_code(&self, code: &str) -> bool {
        self.state().class.code.eq_ignore_ascii_case(code)
    }

    /// Gives the browser with a token a seat.
    pub(super) fn join(&self, token: &str, code: &str, name: Option<&str>) -> Result<(), Failure> {
        let name = name.filter(|_| self.options.names).map(clean).filter(|name| !name.is_empty());
        let (token, now) = (hash(token), Instant::now());
        let mut state = self.state();
        let is_abandoned = |seat| state.presence.is_abandoned(seat, now);
        let event = match state.class.join(&token, code, name, is_abandoned) {
            Ok(event) => event,
            Err(refusal) => {
                // Once, however often students try.
                if refusal == Refusal::Full && !std::mem::replace(&mut state.told_full, true) {
                    (self.tell)(News::Problem(full(state.class.most)));
                }
                return Err(refusal.into());
            }
        };
        self.take(&mut state, &event).map_err(|_| Failure::NotKept)?;
        state.told_full = false;
        if let Some(seat) = state.class.seat_of(&token) {
            state.presence.seen(seat, now);
        }
        Ok(())
    }

    /// A seat votes.
    pub(super) fn vote(
        &self,
        seat: usize,
        question: usize,
        round: usize,
        vote: Vote,
    ) -> Result<(), Failure> {
        let mut state = self.state();
        let event = state.class.vote(seat, question, round, vote)?;
        state.presence.seen(seat, Instant::now());
        self.take(&mut state, &event).map_err(|_| Failure::NotKept)
    }

    /// What a seat may know, as JSON: the sheet, and its own votes.
    pub(super) fn message(&self, sheet: &str, seat: Option<usize>) -> String {
        let state = self.state();
        let you = seat.map(|seat| You::of(&state.class, seat));
        let you = serde_json::to_string(&you).unwrap_or_default();
        format!("{{\"class\":{sheet},\"you\":{you}}}")
    }

    /// The chart as SVG, where it is shown.
    pub(super) fn chart(&self) -> Option<String> {
        let state = self.state();
        let (question, round) = state.class.current()?;
        round.chart(question).map(str::to_owned)
    }
}

/// What the teacher is told where a student is refused for lack of seats.
fn full(most: usize) -> String {
    format!(
        "the class is full ({most} seats) and a student was refused; quit and run the same \
         command with --clients {} to let more in: seats and votes stay",
        (2 * most).min(MOST_SEATS)
    )
}

/// What files keep of a token: who reads them cannot vote in a student's name.
fn hash(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A name on one line, without what a terminal or a reader's eye would obey.
fn clean(name: &str) -> String {
    let visible = name.chars().filter(|c| !crate::units::text::is_hidden(*c));
    visible.take(MOST_NAME).collect::<String>().trim().to_owned()
}
