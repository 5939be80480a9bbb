//! `warpscope class`: a teacher's screen, and a page for students on the local network.

use std::io::{self, IsTerminal};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;

use super::{Exit, workers};
use crate::class::hall::MOST_SEATS;
use crate::class::{Options, opening};
use crate::experiment::BackendChoice;
use crate::lessons::shelf;
use crate::tui;

/// Teach a class.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:
  warpscope class                              the first lesson, on this computer only
  warpscope class 1 --bind 0.0.0.0:7310        students open the address shown, or scan its code
  warpscope class 1 --clients 60 --names       for a practical: names are kept in the table

The class is stored in class-DATE.class.jsonl as it goes on. After a crash the same command
resumes it. Ending it writes class-DATE.html and class-DATE.csv beside that file.")]
pub struct Class {
    /// Lesson: its number, its name, or a file
    #[arg(default_value = "1", value_name = "LESSON")]
    pub lesson: String,
    /// Folder with lessons of your own
    #[arg(long, value_name = "FOLDER")]
    pub lessons: Option<PathBuf>,
    /// Address and port for students; 0.0.0.0 stands for every address of this computer
    #[arg(long, default_value = "127.0.0.1:7310", value_name = "ADDR:PORT",
          value_parser = address)]
    pub bind: SocketAddr,
    /// Another name of this computer that students use, as behind a proxy
    #[arg(long, value_name = "HOST[:PORT]")]
    pub host: Vec<String>,
    /// Most students
    #[arg(long, default_value_t = 200, value_name = "COUNT",
          value_parser = clap::value_parser!(u16).range(1..=MOST_SEATS as i64))]
    pub clients: u16,
    /// Ask students for a name, and keep it in the files
    #[arg(long)]
    pub names: bool,
    /// Begin a new class, even if an older one has not ended
    #[arg(long)]
    pub new: bool,
    /// Folder for the files of the class
    #[arg(long, default_value = ".", value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Backend of live runs: auto, cuda or emulator
    #[arg(long, value_name = "BACKEND")]
    pub backend: Option<BackendChoice>,
    /// Workers of live runs.
    #[command(flatten)]
    pub workers: workers::Workers,
}

/// Reads an address with a port.
fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| {
        "not an address and a port: 127.0.0.1:7310 is open to this computer only, 0.0.0.0:7310 \
         to everyone on its network"
    })
}

pub(super) fn run(class: &Class, mut start: tui::Start) -> anyhow::Result<Exit> {
    if !io::stdout().is_terminal() || !io::stdin().is_terminal() {
        bail!("the teacher's screen needs a terminal on standard input and output");
    }
    let lesson = shelf::find(&class.lesson, class.lessons.as_deref())?;
    let listener = TcpListener::bind(class.bind).with_context(|| {
        format!("--bind {}: cannot listen there; choose another port", class.bind)
    })?;
    let options = Options { names: class.names, hosts: class.host.clone(), ..Options::default() };
    let (folder, most) = (&class.folder, usize::from(class.clients));
    let opening = opening::open(lesson, folder, class.new, most, listener, options)?;
    start.session = workers::options(&class.workers, None)?;
    start.experiment.target.backend = workers::backend(&class.workers, class.backend)?;
    start.asked_backend = Some(start.experiment.target.backend);
    start.tour = false;
    tui::teach(start, opening)?;
    Ok(Exit::Fine)
}
