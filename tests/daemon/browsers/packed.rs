//! The page's files as gzip: the same bytes, kept by browsers as their own form, and few for a first load.

use super::{DEADLINE, Port};
use crate::house::House;
use flate2::read::GzDecoder;
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// What a first load may fetch, and what it is to fetch, in bytes.
const MOST: usize = 300 << 10;

/// An answer: its status, headers in small letters, and body.
struct Given {
    status: u16,
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Given {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

fn get(port: &Port, path: &str, more: &str) -> Given {
    let mut stream = TcpStream::connect(("127.0.0.1", port.port)).expect("a connection");
    stream.set_read_timeout(Some(DEADLINE)).expect("a deadline");
    let request = port.written(&format!("GET {path} HTTP/1.1\nHost: {{HOST}}\n{more}Connection: close\n\n"));
    stream.write_all(request.as_bytes()).expect("a request");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("its head");
    let head = String::from_utf8(answer[..end].to_vec()).expect("text");
    let headers = head.lines().filter_map(|line| line.split_once(": "));
    Given {
        status: super::status(&head),
        headers: headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect(),
        body: answer.split_off(end + 4),
    }
}

/// Paths of the page that a file of it names, as seen from its own.
fn named_in(path: &str, text: &str) -> BTreeSet<String> {
    let names = Regex::new(r#"["'(]([\w./-]+\.(?:js|css|svg|png|ico))["')]"#).expect("a pattern");
    let folder: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let folder = folder.split_last().map_or(&[][..], |(_, folder)| folder);
    let resolved = |name: &str| {
        let mut parts = if name.starts_with('/') { Vec::new() } else { folder.to_vec() };
        for part in name.split('/').filter(|part| !part.is_empty()) {
            match part {
                "." => {}
                ".." => drop(parts.pop()),
                part => parts.push(part),
            }
        }
        format!("/{}", parts.join("/"))
    };
    names.captures_iter(text).map(|found| resolved(&found[1])).collect()
}

#[test]
fn the_page_comes_as_gzip_for_those_who_take_it() {
    let mut house = House::plain("gzip 圧縮");
    house.start();
    let port = Port::open(&house, &[]);
    let (mut open, mut seen) = (vec!["/".to_owned()], BTreeSet::new());
    let (mut plain_bytes, mut packed_bytes) = (0, 0);
    while let Some(path) = open.pop() {
        let plain = get(&port, &path, "");
        if !seen.insert(path.clone()) || plain.status == 401 {
            continue;
        }
        assert_eq!((plain.status, plain.header("content-encoding")), (200, ""), "{path}");
        assert_eq!(plain.header("vary"), "Accept-Encoding", "{path}");
        let packed = get(&port, &path, "Accept-Encoding: br, gzip;q=0.9\n");
        assert_eq!((packed.status, packed.header("vary")), (200, "Accept-Encoding"), "{path}");
        assert_eq!(packed.header("content-type"), plain.header("content-type"));
        let mut bytes = Vec::new();
        if packed.header("content-encoding") == "gzip" {
            assert!(packed.body.len() < plain.body.len(), "{path}");
            GzDecoder::new(&packed.body[..]).read_to_end(&mut bytes).expect(&path);
            assert_ne!(packed.header("etag"), plain.header("etag"), "{path}");
        } else {
            bytes.clone_from(&packed.body);
        }
        assert!(bytes == plain.body, "{path}: other bytes");
        for (form, words) in [(&packed, "Accept-Encoding: gzip\n"), (&plain, "Accept-Encoding: gzip;q=0\n")] {
            let again = get(&port, &path, &format!("{words}If-None-Match: {}\n", form.header("etag")));
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
            assert_eq!(again.header("etag"), form.header("etag"));
        }
        // Whoever keeps one form and asks for the other gets it whole.
        let other = get(&port, &path, &format!("If-None-Match: {}\n", packed.header("etag")));
        let is_same = packed.header("etag") == plain.header("etag");
        assert_eq!(other.status, if is_same { 304 } else { 200 }, "{path}");
        plain_bytes += plain.body.len();
        packed_bytes += packed.body.len();
        open.extend(named_in(&path, &String::from_utf8_lossy(&plain.body)));
    }
    println!("a first load: {} files, {plain_bytes} bytes, {packed_bytes} as gzip", seen.len());
    assert!(seen.len() > 10 && packed_bytes <= MOST, "{packed_bytes} bytes: {seen:?}");
    assert!(packed_bytes * 2 < plain_bytes, "{packed_bytes} of {plain_bytes}");
    house.end();
}
