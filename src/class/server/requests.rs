//! The answer to each request.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::sse::{Event, KeepAlive};
use axum::response::{Html, IntoResponse, Response, Sse};
use futures_util::Stream;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::watch;

use super::guard::{Peer, error};
use super::{App, limits};
use crate::class::hall::{Failure, Shared};
use crate::class::room::Refusal;
use crate::class::vote::{Answer, Vote};

/// Bytes of a token.
const TOKEN: usize = 16;

/// How often a silent stream says that it is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long the browser keeps its seat: a day of classes.
const COOKIE_SECONDS: u32 = 12 * 3600;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Join {
    code: String,
    #[serde(default)]
    name: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ballot {
    question: usize,
    round: usize,
    answer: Answer,
    confidence: u8,
}

pub(super) async fn page(State(app): State<App>, headers: HeaderMap) -> Response {
    Html(app.page.html(seat(&app, &headers).is_some())).into_response()
}

/// Gives a browser a seat. One that has a seat keeps it, whatever it sends.
pub(super) async fn join(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Some(seat) = seat(&app, &headers) {
        return now(&app, Some(seat));
    }
    let join: Join = match read(&headers, &body) {
        Ok(join) => join,
        Err(refused) => return refused,
    };
    if !app.shared.is_code(join.code.trim()) {
        return wrong_code(&app, peer);
    }
    let Some(token) = new_token() else {
        return error(StatusCode::SERVICE_UNAVAILABLE, "no random numbers; try again");
    };
    if let Err(failure) = app.shared.join(&token, &join.code, join.name.as_deref()) {
        return failed(&failure);
    }
    let cookie = format!(
        "{}={token}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict",
        app.cookie
    );
    let seat = app.shared.seat(&token);
    ([(header::SET_COOKIE, cookie)], now(&app, seat)).into_response()
}

pub(super) async fn vote(State(app): State<App>, headers: HeaderMap, body: Bytes) -> Response {
    let Some(seat) = seat(&app, &headers) else { return failed(&Refusal::NoSeat.into()) };
    if !app.limits.votes.take(seat, limits::VOTES, Instant::now()) {
        return error(StatusCode::TOO_MANY_REQUESTS, "too many votes; wait a moment");
    }
    let ballot: Ballot = match read(&headers, &body) {
        Ok(ballot) => ballot,
        Err(refused) => return refused,
    };
    let vote = Vote { answer: ballot.answer, confidence: ballot.confidence };
    match app.shared.vote(seat, ballot.question, ballot.round, vote) {
        Ok(()) => now(&app, Some(seat)),
        Err(failure) => failed(&failure),
    }
}

pub(super) async fn state(
    State(app): State<App>,
    Extension(peer): Extension<Peer>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let seat = seat(&app, &headers);
    let code = query.as_deref().and_then(|query| query.strip_prefix("code="));
    match code {
        _ if seat.is_some() => {}
        None => return failed(&Refusal::NoSeat.into()),
        Some(code) if app.shared.is_code(code) => {}
        Some(_) => return wrong_code(&app, peer),
    }
    now(&app, seat)
}

pub(super) async fn chart(State(app): State<App>, headers: HeaderMap) -> Response {
    if seat(&app, &headers).is_none() {
        return failed(&Refusal::NoSeat.into());
    }
    match app.shared.chart() {
        Some(svg) => ([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response(),
        // No error: the teacher may have gone on while the browser asked.
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// The state after each change, until the browser leaves.
pub(super) async fn events(State(app): State<App>, headers: HeaderMap) -> Response {
    let Some(seat) = seat(&app, &headers) else { return failed(&Refusal::NoSeat.into()) };
    let Some(listener) = Listener::new(&app, seat) else {
        return error(StatusCode::TOO_MANY_REQUESTS, "open in too many tabs; close one");
    };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Sse::new(listener.stream()).keep_alive(keep_alive).into_response()
}

/// A browser that listens; counted as long as it does.
struct Listener {
    app: App,
    seat: usize,
    sheet: watch::Receiver<Arc<str>>,
    began: bool,
}

impl Listener {
    fn new(app: &App, seat: usize) -> Option<Self> {
        if !app.shared.enter(seat) {
            return None;
        }
        Some(Self { app: app.clone(), seat, sheet: app.shared.watch(), began: false })
    }

    fn stream(self) -> impl Stream<Item = Result<Event, Infallible>> {
        futures_util::stream::unfold(self, |mut listener| async {
            if listener.began {
                // What changes while it waits is in the next message.
                tokio::time::sleep(limits::PACE).await;
                listener.sheet.changed().await.ok()?;
            }
            listener.began = true;
            let sheet = Arc::clone(&listener.sheet.borrow_and_update());
            let message = listener.app.shared.message(&sheet, Some(listener.seat));
            Some((Ok(Event::default().data(message)), listener))
        })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.app.shared.leave(self.seat);
    }
}

/// The state now.
fn now(app: &App, seat: Option<usize>) -> Response {
    let sheet = Arc::clone(&app.shared.watch().borrow());
    let message = app.shared.message(&sheet, seat);
    ([(header::CONTENT_TYPE, "application/json")], message).into_response()
}

/// The seat that the browser's cookie is for.
fn seat(app: &App, headers: &HeaderMap) -> Option<usize> {
    let cookies = headers.get_all(header::COOKIE).into_iter().filter_map(|it| it.to_str().ok());
    let mut tokens = cookies.flat_map(|cookies| cookies.split(';')).filter_map(|cookie| {
        let (name, token) = cookie.trim().split_once('=')?;
        (name == &*app.cookie && token.len() == 2 * TOKEN).then_some(token)
    });
    let shared: &Shared = &app.shared;
    tokens.find_map(|token| shared.seat(token))
}

/// Reads a body. Only a page of this server can send this type, so no form of another page
/// gets here.
fn read<T: DeserializeOwned>(headers: &HeaderMap, body: &Bytes) -> Result<T, Response> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if kind.is_none_or(|kind| kind.split(';').next() != Some("application/json")) {
        return Err(error(StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json"));
    }
    serde_json::from_slice(body)
        .map_err(|_| error(StatusCode::BAD_REQUEST, "the request is not understood"))
}

/// Answers a wrong room code; whoever tries many has to wait.
fn wrong_code(app: &App, peer: Peer) -> Response {
    if app.limits.codes.take(peer.ip, limits::CODES, Instant::now()) {
        return failed(&Refusal::Code.into());
    }
    error(StatusCode::TOO_MANY_REQUESTS, "too many wrong codes; wait a minute")
}

/// A token that nobody guesses.
fn new_token() -> Option<String> {
    let mut bytes = [0; TOKEN];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn failed(failure: &Failure) -> Response {
    let status = match failure {
        Failure::NotKept => StatusCode::SERVICE_UNAVAILABLE,
        Failure::Refused(refusal) => match refusal {
            Refusal::NoSeat => StatusCode::UNAUTHORIZED,
            Refusal::Code => StatusCode::FORBIDDEN,
            Refusal::Full => StatusCode::SERVICE_UNAVAILABLE,
            Refusal::Ended => StatusCode::GONE,
            Refusal::Invalid => StatusCode::BAD_REQUEST,
            _ => StatusCode::CONFLICT,
        },
    };
    error(status, &failure.to_string())
}
