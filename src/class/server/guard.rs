//! What every request passes: right address, own origin, not too often, not too slow.

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use super::{App, limits};

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Peer {
    /// The address here that the student reached.
    pub(super) here: SocketAddr,
    /// Where the student is.
    pub(super) ip: IpAddr,
}

/// Lets a request through, or answers it.
pub(super) async fn check(
    State((app, peer)): State<(App, Peer)>,
    mut request: Request,
    next: Next,
) -> Response {
    let mut response = if let Some(refused) = refuse(&app, peer, &request) {
        refused
    } else {
        request.extensions_mut().insert(peer);
        let answered = tokio::time::timeout(limits::BODY_TIME, next.run(request)).await;
        answered.unwrap_or_else(|_| error(StatusCode::REQUEST_TIMEOUT, "too slow"))
    };
    harden(response.headers_mut(), &app);
    response
}

/// Why a request is not answered.
fn refuse(app: &App, peer: Peer, request: &Request) -> Option<Response> {
    if !app.limits.requests.take(peer.ip, limits::REQUESTS, Instant::now()) {
        return Some(error(StatusCode::TOO_MANY_REQUESTS, "too many requests; wait a moment"));
    }
    let headers = request.headers();
    let Some(host) = headers.get(header::HOST).and_then(|host| host.to_str().ok()) else {
        return Some(error(StatusCode::BAD_REQUEST, "a request needs a Host"));
    };
    if !is_our_host(host, peer.here, &app.shared.options.hosts) {
        // A page elsewhere whose name leads here (DNS rebinding) gets nothing.
        return Some(error(StatusCode::MISDIRECTED_REQUEST, "wrong address"));
    }
    let foreign = error(StatusCode::FORBIDDEN, "requests of other pages are refused");
    let site = headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    if request.uri().path() != "/" && site.is_some_and(|it| it != b"same-origin" && it != b"none") {
        return Some(foreign);
    }
    let reads = [Method::GET, Method::HEAD].contains(request.method());
    let origin = headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default());
    match origin {
        Some(origin) if !is_our_origin(origin, host) => Some(foreign),
        None if !reads => Some(foreign),
        _ => None,
    }
}

/// Whether a `Host` header names this server: the address that the connection reached, or one
/// of the names that the teacher gave.
fn is_our_host(host: &str, here: SocketAddr, names: &[String]) -> bool {
    let same = |name: &str| host.eq_ignore_ascii_case(name);
    let ip = here.ip().to_canonical();
    let local = ip.is_loopback() && same(&format!("localhost:{}", here.port()));
    let whole = SocketAddr::new(ip, here.port()).to_string();
    // Browsers leave the usual port out.
    let plain = here.port() == 80 && same(whole.trim_end_matches(":80"));
    let named = names.iter().any(|name| same(name) || same(&format!("{name}:{}", here.port())));
    local || plain || named || same(&whole)
}

/// Whether an `Origin` is the page that `host` serves; over TLS where a proxy adds it.
fn is_our_origin(origin: &str, host: &str) -> bool {
    let authority = origin.strip_prefix("http://").or(origin.strip_prefix("https://"));
    authority.is_some_and(|authority| authority.eq_ignore_ascii_case(host))
}

/// Headers of every answer.
fn harden(headers: &mut HeaderMap, app: &App) {
    let mut set = |name: HeaderName, value: &'static str| {
        headers.insert(name, HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CACHE_CONTROL, "no-store");
    set(HeaderName::from_static("cross-origin-resource-policy"), "same-origin");
    set(HeaderName::from_static("cross-origin-opener-policy"), "same-origin");
    headers.insert(header::CONTENT_SECURITY_POLICY, app.page.policy.clone());
}

/// An answer that says what is wrong, in words of this program only.
pub(super) fn error(status: StatusCode, reason: &str) -> Response {
    (status, Json(json!({ "error": reason }))).into_response()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_the_address_that_was_reached_and_given_names_are_ours() {
        let here = "192.168.1.5:7310".parse().unwrap();
        let names = ["lab.example.org".to_owned(), "proxy.example.org:8443".to_owned()];
        for host in [
            "192.168.1.5:7310",
            "LAB.example.org",
            "lab.example.org:7310",
            "proxy.example.org:8443",
        ] {
            assert!(is_our_host(host, here, &names), "{host}");
        }
        for host in
            ["evil.example.org", "evil.example.org:7310", "192.168.1.6:7310", "localhost:7310", ""]
        {
            assert!(!is_our_host(host, here, &names), "{host}");
        }
        let local = "127.0.0.1:7310".parse().unwrap();
        assert!(is_our_host("localhost:7310", local, &[]));
        assert!(!is_our_host("localhost:7311", local, &[]));
        assert!(is_our_host("[::1]:7310", "[::1]:7310".parse().unwrap(), &[]));
        let mapped = "[::ffff:192.168.1.5]:80".parse().unwrap();
        assert!(
            is_our_host("192.168.1.5", mapped, &[]) && is_our_host("192.168.1.5:80", mapped, &[])
        );
    }

    #[test]
    fn an_origin_is_ours_if_it_is_the_page_itself() {
        let host = "192.168.1.5:7310";
        assert!(is_our_origin("http://192.168.1.5:7310", host));
        assert!(is_our_origin("https://192.168.1.5:7310", host));
        for origin in [
            "null",
            "",
            "http://evil.org",
            "http://192.168.1.5",
            "http://192.168.1.5:7310.evil.org",
        ] {
            assert!(!is_our_origin(origin, host), "{origin}");
        }
    }
}
