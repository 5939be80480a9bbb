//! The server for students: one page, server-sent events down, small POSTs up.
//!
//! | request | answer |
//! |---|---|
//! | `GET /` | the page |
//! | `POST /join` | takes `{"code","name"}`, gives a seat as a cookie |
//! | `POST /vote` | takes `{"question","round","answer","confidence"}` |
//! | `GET /events` | the state after each change |
//! | `GET /state` | the same once, as JSON; also with `?code=ABCD` instead of a seat |
//! | `GET /chart` | the chart as SVG, once it is revealed; before that 204 |
//!
//! It listens on the address that it was given, answers requests for that address only, and
//! limits connections, rates, times and sizes (see [`limits`]).

mod guard;
mod limits;
mod page;
mod requests;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};

use super::hall::Shared;
use guard::Peer;
use limits::Limits;

/// What every handler has.
#[derive(Clone)]
struct App {
    shared: Arc<Shared>,
    limits: Arc<Limits>,
    page: Arc<page::Page>,
    /// Name of the cookie: two classes on one computer have one each.
    cookie: Arc<str>,
}

/// Serves until `stopped`; `most` is the number of seats.
pub(super) fn serve(
    listener: TcpListener,
    shared: &Arc<Shared>,
    most: usize,
    stopped: oneshot::Receiver<()>,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let port = listener.local_addr()?.port();
    let app = App {
        shared: Arc::clone(shared),
        limits: Arc::new(Limits::default()),
        page: Arc::new(page::Page::new(shared.options.names)),
        cookie: format!("warpscope_seat_{port}").into(),
    };
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        tokio::select! {
            _ = stopped => {}
            () = accept(listener, app, limits::connections(most)) => {}
        }
        Ok(())
    })
}

/// Accepts connections, at most `most` at once.
async fn accept(listener: tokio::net::TcpListener, app: App, most: usize) {
    let free = Arc::new(Semaphore::new(most));
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // The system has no descriptor left: it may have one later.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        // One too many is closed at once, so that nobody waits in a queue without end.
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else { continue };
        let app = app.clone();
        tokio::spawn(async move {
            connection(stream, peer, app).await;
            drop(permit);
        });
    }
}

/// Answers the requests of one connection.
async fn connection(stream: TcpStream, peer: SocketAddr, app: App) {
    let Ok(here) = stream.local_addr() else { return };
    // Small messages are worth more at once than together.
    let _ = stream.set_nodelay(true);
    let service = TowerToHyperService::new(router(app, Peer { here, ip: peer.ip() }));
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits::HEADER_TIME)
        .max_buf_size(limits::HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    // A client that vanishes or sends rubbish disturbs nobody.
    let _ = served.await;
}

/// The routes, for one connection.
fn router(app: App, peer: Peer) -> Router {
    Router::new()
        .route("/", get(requests::page))
        .route("/join", post(requests::join))
        .route("/vote", post(requests::vote))
        .route("/events", get(requests::events))
        .route("/state", get(requests::state))
        .route("/chart", get(requests::chart))
        .layer(DefaultBodyLimit::max(limits::BODY_BYTES))
        .layer(axum::middleware::from_fn_with_state((app.clone(), peer), guard::check))
        .with_state(app)
}
