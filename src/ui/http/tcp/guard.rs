//! Whether a request that came over TCP may go on: everything is refused that a page of ours would not send.

use crate::ui::http::BODY_BYTES_MAX;
use crate::ui::http::refused::Refused;
use crate::wire::web::{Access, Credentials, Hosts};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, ORIGIN, TRANSFER_ENCODING, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};

/// The address at which the daemon proves itself.
const PROVE: &str = "/api/prove";
/// Below this are the addresses that need a token.
const API: &str = "/api/";
/// What no path of ours has, in small letters: each is a name for another place to somebody between us and a browser.
const TRICKS: [&str; 8] = ["//", "/./", "/../", "\\", "%2f", "%5c", "%2e", "%25"];

/// Where a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passed {
    /// To the page and its parts, if there is one of this name.
    Shell,
    /// To the proof.
    Prove,
    /// To an address, with a token that allows so much.
    Api(Access),
    /// To nothing: a person's browser was led to a path that is none of ours, and is shown the way to the page.
    Astray,
}

/// Checks all but the body. `is_page` says whether something of the page is at a path.
///
/// The order matters. Who is addressed and from where is checked first, so that a page elsewhere learns nothing, not even
/// whether a token is right. What a request asks for is looked at only after its token.
pub(super) fn check(
    parts: &Parts,
    hosts: Hosts,
    known: &Credentials,
    is_page: impl Fn(&str) -> bool,
) -> Result<Passed, Refused> {
    check_form(parts)?;
    check_host(&parts.headers, hosts)?;
    let path = parts.uri.path();
    let is_shell = is_page(path);
    let is_astray = !is_shell && is_astray(parts);
    check_sender(parts, hosts, known, is_shell || is_astray)?;
    if !matches!(parts.method, Method::GET | Method::POST) {
        let (why, cure) =
            ("only GET and POST are answered here", "see protocol/API.md for the method of each address");
        return Err(Refused::new(StatusCode::METHOD_NOT_ALLOWED, "no-such-method", why, cure));
    }
    check_path(path)?;
    if parts.method == Method::GET && is_shell {
        return Ok(Passed::Shell);
    }
    if is_astray {
        return Ok(Passed::Astray);
    }
    if parts.method == Method::GET && path == PROVE {
        return Ok(Passed::Prove);
    }
    let access = check_token(parts, known)?;
    check_body(&parts.headers)?;
    if is_shell || !path.starts_with(API) {
        let cure = "see protocol/API.md for the addresses there are";
        return Err(Refused::new(
            StatusCode::NOT_FOUND,
            "no-such-address",
            "there is nothing at this address",
            cure,
        ));
    }
    Ok(Passed::Api(access))
}

/// Whether a browser goes to a place where nothing is, to show it to a person. No address for programs is one.
fn is_astray(parts: &Parts) -> bool {
    let takes_pages =
        |accepted: &HeaderValue| accepted.as_bytes().windows(9).any(|kind| kind == b"text/html");
    let path = parts.uri.path();
    let navigates = header(&parts.headers, "sec-fetch-mode").all(|mode| mode == b"navigate");
    let is_of_api = path.starts_with(API) || format!("{path}/") == API;
    parts.method == Method::GET
        && !is_of_api
        && navigates
        && parts.headers.get_all(ACCEPT).iter().any(takes_pages)
}

/// What no browser sends to a page's own server.
fn check_form(parts: &Parts) -> Result<(), Refused> {
    if parts.version != Version::HTTP_11 {
        let why = "only HTTP/1.1 is spoken here";
        return Err(Refused::new(StatusCode::HTTP_VERSION_NOT_SUPPORTED, "old-http", why, "use HTTP/1.1"));
    }
    if parts.uri.scheme().is_some() || parts.uri.authority().is_some() || !parts.uri.path().starts_with('/') {
        return Err(Refused::bad_request("the request names a whole address, as one to a proxy does"));
    }
    // Two lengths are two readings of where the next request begins; the one that browsers use is enough.
    if parts.headers.contains_key(TRANSFER_ENCODING) {
        let why = "the length of the body is not given by Content-Length";
        return Err(Refused::new(StatusCode::LENGTH_REQUIRED, "no-length", why, "send Content-Length"));
    }
    let upgrades =
        |value: &HeaderValue| value.as_bytes().to_ascii_lowercase().windows(7).any(|word| word == b"upgrade");
    if parts.headers.contains_key(UPGRADE) || parts.headers.get_all(CONNECTION).iter().any(upgrades) {
        let why = "no other protocol is spoken here, WebSocket neither";
        return Err(Refused::new(StatusCode::FORBIDDEN, "no-upgrade", why, "read `GET /api/events`"));
    }
    Ok(())
}

/// Against DNS rebinding: a foreign name that leads to this machine is a foreign page's.
fn check_host(headers: &HeaderMap, hosts: Hosts) -> Result<(), Refused> {
    let mut named = headers.get_all(HOST).iter();
    let (Some(host), None) = (named.next(), named.next()) else {
        return Err(Refused::bad_request("the request has no Host, or several"));
    };
    if hosts.holds(host.as_bytes()) {
        return Ok(());
    }
    let why = "this host is not the one that listens here";
    let cure = format!("open {}", hosts.origin());
    Err(Refused::new(StatusCode::MISDIRECTED_REQUEST, "not-our-host", why, cure))
}

/// Against pages of other origins, which a browser names.
fn check_sender(parts: &Parts, hosts: Hosts, known: &Credentials, is_open: bool) -> Result<(), Refused> {
    let refuse = |why: &str| {
        let cure = format!("open {} in a window of its own", hosts.origin());
        Err(Refused::new(StatusCode::FORBIDDEN, "not-our-origin", why, cure))
    };
    if !parts.headers.get_all(ORIGIN).iter().all(|origin| hosts.holds_origin(origin.as_bytes())) {
        return refuse("a page of another origin asks");
    }
    let sites: Vec<&[u8]> = header(&parts.headers, "sec-fetch-site").collect();
    let navigates = header(&parts.headers, "sec-fetch-mode").all(|mode| mode == b"navigate");
    // `none`: a person typed the address, or opened it from another program. Only the page itself is opened so, and what leads to it.
    let is_opened = parts.method == Method::GET && is_open && navigates;
    match sites.as_slice() {
        [] | [b"same-origin"] => {}
        [b"none"] if is_opened => {}
        // A file of the user's, which `tasuki web --open` writes, has a word that no page elsewhere knows.
        [b"cross-site"] if is_opened && parts.uri.query().is_some_and(|query| known.opens(query)) => {}
        _ => return refuse("a page of another site asks"),
    }
    // A script that would answer in our place, also after we have gone.
    if header(&parts.headers, "service-worker").next().is_some() {
        return refuse("there is no service worker here");
    }
    Ok(())
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a [u8]> {
    headers.get_all(name).iter().map(HeaderValue::as_bytes)
}

fn check_path(path: &str) -> Result<(), Refused> {
    let small = path.to_ascii_lowercase();
    let is_control = |code: &[u8]| matches!(code, [b'%', b'0' | b'1', _]) || code == b"%7f";
    let ends = ["/.", "/.."].iter().any(|end| small.ends_with(end));
    if ends || TRICKS.iter().any(|trick| small.contains(trick)) || small.as_bytes().windows(3).any(is_control)
    {
        return Err(Refused::bad_request("the path has a part that no address has"));
    }
    Ok(())
}

fn check_token(parts: &Parts, known: &Credentials) -> Result<Access, Refused> {
    let mut given = parts.headers.get_all(AUTHORIZATION).iter();
    let access = match (given.next(), given.next()) {
        (Some(value), None) => known.access(value.as_bytes()),
        _ => None,
    };
    match access {
        Some(Access::Full) => Ok(Access::Full),
        Some(Access::ReadOnly) if parts.method == Method::GET => Ok(Access::ReadOnly),
        Some(Access::ReadOnly) => {
            let why = "this page may look, and change nothing";
            Err(Refused::new(
                StatusCode::FORBIDDEN,
                "read-only",
                why,
                "open the address that `tasuki web` prints",
            ))
        }
        None => {
            let why = "this page has no token, or an old one";
            let cure = "open the address that `tasuki web --print-url` prints";
            Err(Refused::new(StatusCode::UNAUTHORIZED, "no-token", why, cure))
        }
    }
}

/// A form of another page sends other types; JSON needs the leave of CORS, which nobody gets here.
fn check_body(headers: &HeaderMap) -> Result<(), Refused> {
    let length = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    let length = length.unwrap_or(0);
    if length > BODY_BYTES_MAX as u64 {
        let why = format!("the body has more than {BODY_BYTES_MAX} bytes");
        return Err(Refused::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", why, "send less at once"));
    }
    let types: Vec<&[u8]> = headers.get_all(CONTENT_TYPE).iter().map(HeaderValue::as_bytes).collect();
    let is_json = match types.as_slice() {
        [] => length == 0,
        [one] => {
            let one = one.to_ascii_lowercase();
            [&b"application/json"[..], b"application/json;charset=utf-8", b"application/json; charset=utf-8"]
                .contains(&one.as_slice())
        }
        _ => false,
    };
    if is_json {
        return Ok(());
    }
    let (why, cure) = ("a body is JSON here", "send `Content-Type: application/json`");
    Err(Refused::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", why, cure))
}
