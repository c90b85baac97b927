//! The page: its files, which are built in, and are all that is given to somebody without a token.

use super::packed::{accepts_gzip, packed};
use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderValue, IF_NONE_MATCH, VARY,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

/// The files of the page. A build without the page has none.
#[derive(rust_embed::Embed)]
#[folder = "src/ui/web/page"]
#[allow_missing = true]
struct Files;

/// Each file as gzip, once somebody has asked for it so; none if that is no shorter.
static PACKED: LazyLock<BTreeMap<Cow<'static, str>, OnceLock<Option<Bytes>>>> =
    LazyLock::new(|| Files::iter().map(|name| (name, OnceLock::new())).collect());

/// A file of the page.
#[derive(Debug, Clone)]
pub(super) struct PageFile {
    name: String,
    bytes: Cow<'static, [u8]>,
    kind: &'static str,
    /// SHA-256 in hex.
    digest: String,
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
    Some(PageFile { name: name.to_owned(), bytes: file.data, kind, digest })
}

impl PageFile {
    /// The same as gzip.
    fn packed(&self) -> Option<Bytes> {
        PACKED.get(&*self.name)?.get_or_init(|| packed(&self.bytes)).clone()
    }
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

/// What a browser shows where nothing is, in both languages of the page. It says nothing of what was asked for.
const WAY_BACK: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
    <meta name=\"color-scheme\" content=\"light dark\">\n<title>tasuki</title>\n<h1>There is nothing at this address</h1>\n\
    <p><a href=\"/\">Open the page of tasuki</a></p>\n<p lang=\"ja\">このアドレスには何もありません。<a href=\"/\">tasuki のページを開く</a></p>\n</html>\n";

/// The answer that leads a person to the page.
pub(super) fn way_back() -> Response {
    let mut answer = Response::new(Body::from(WAY_BACK));
    *answer.status_mut() = StatusCode::NOT_FOUND;
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    answer
}

/// The answer with a file, as gzip where that is accepted: each form has a tag of its own. A browser keeps it, and asks each time
/// whether it is still the same: what somebody else served under this port, while no daemon ran, must not be used unasked.
pub(super) fn give(file: PageFile, asked: &HeaderMap) -> Response {
    let is_accepted = asked.get_all(ACCEPT_ENCODING).iter().any(|words| accepts_gzip(words.as_bytes()));
    let packed = if is_accepted { file.packed() } else { None };
    let (form, is_packed) = (if packed.is_some() { "-gzip" } else { "" }, packed.is_some());
    let tag = format!("\"{}{form}\"", file.digest);
    let known = asked.get(IF_NONE_MATCH).is_some_and(|asked| asked.as_bytes() == tag.as_bytes());
    let bytes = packed.map_or_else(|| Body::from(file.bytes), Body::from);
    let mut answer = Response::new(if known { Body::empty() } else { bytes });
    if known {
        *answer.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(VARY, HeaderValue::from_static("Accept-Encoding"));
    if is_packed && !known {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    answer
}
