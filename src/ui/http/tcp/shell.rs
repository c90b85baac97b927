//! The page: its files, which are built in, and are all that is given to somebody without a token.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::borrow::Cow;

/// The files of the page. A build without the page has none.
#[derive(rust_embed::Embed)]
#[folder = "src/ui/web/page"]
#[allow_missing = true]
struct Files;

/// A file of the page.
#[derive(Debug, Clone)]
pub(super) struct PageFile {
    bytes: Cow<'static, [u8]>,
    kind: &'static str,
    /// SHA-256 in hex, in quotes.
    tag: String,
}

/// Whether a path is the page's. The page itself is at `/` in each build, be it only to say that there is none.
pub(super) fn is_at(path: &str) -> bool {
    path == "/" || file(path).is_some()
}

/// What is at a path of the page: `/` is `index.html`, and any other path is the name of a file, letter by letter.
pub(super) fn file(path: &str) -> Option<PageFile> {
    let name = if path == "/" { "index.html" } else { path.strip_prefix('/')? };
    let kind = kind_of(name)?;
    let file = Files::get(name)?;
    let digest: String = file.metadata.sha256_hash().iter().map(|byte| format!("{byte:02x}")).collect();
    Some(PageFile { bytes: file.data, kind, tag: format!("\"{digest}\"") })
}

/// The types that the page is made of. Licences, notes and tests that lie beside it are not given out.
fn kind_of(name: &str) -> Option<&'static str> {
    if name.ends_with(".test.js") {
        return None;
    }
    match name.rsplit_once('.')?.1 {
        "html" => Some("text/html; charset=utf-8"),
        "js" => Some("text/javascript; charset=utf-8"),
        "css" => Some("text/css; charset=utf-8"),
        "svg" => Some("image/svg+xml"),
        "png" => Some("image/png"),
        "ico" => Some("image/x-icon"),
        _ => None,
    }
}

/// The answer with a file. A browser keeps it, and asks each time whether it is still the same: what somebody else served under
/// this port, while no daemon ran, must not be used unasked.
pub(super) fn give(file: PageFile, asked: &HeaderMap) -> Response {
    let known = asked.get(IF_NONE_MATCH).is_some_and(|tag| tag.as_bytes() == file.tag.as_bytes());
    let mut answer = Response::new(if known { Body::empty() } else { Body::from(file.bytes) });
    if known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    if let Ok(tag) = HeaderValue::from_str(&file.tag) {
        headers.insert(ETAG, tag);
    }
    answer
}
