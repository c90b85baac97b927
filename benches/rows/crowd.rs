//! Many who each have a connection of their own, send one request, wait for its answer, and send the next one. One thread
//! serves them all, the same for whoever answers.

use crate::support::stamp;
use rustix::event::{PollFd, PollFlags, poll};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// Requests a second. `whole` is told the number of a request and what came of its answer so far, and says whether it is whole
/// and good.
pub(crate) fn run(
    mut streams: Vec<UnixStream>,
    messages: usize,
    request: impl Fn(usize) -> Vec<u8>,
    whole: impl Fn(usize, &str) -> bool,
) -> f64 {
    let requests: Vec<Vec<u8>> = (0..messages).map(request).collect();
    let mut numbers = 0..messages;
    let mut waiting: Vec<Option<(usize, String)>> = vec![None; streams.len()];
    let from = stamp::now();
    for (stream, waits) in streams.iter_mut().zip(&mut waiting) {
        *waits = next(stream, &mut numbers, &requests);
    }
    while waiting.iter().any(Option::is_some) {
        for (at, _) in ready(&streams).into_iter().enumerate().filter(|(_, ready)| *ready) {
            let (stream, waits) = (&mut streams[at], &mut waiting[at]);
            let Some((number, answer)) = waits else { continue };
            let mut buffer = [0; 4096];
            let length = stream.read(&mut buffer).expect("an answer");
            assert!(length > 0, "hung up in the midst of {number}: {answer}");
            answer.push_str(std::str::from_utf8(&buffer[..length]).expect("ASCII"));
            if whole(*number, answer) {
                *waits = next(stream, &mut numbers, &requests);
            }
        }
    }
    messages as f64 / stamp::seconds_since(from)
}

/// Sends the next request; none is left in the end.
fn next(
    stream: &mut UnixStream,
    numbers: &mut std::ops::Range<usize>,
    requests: &[Vec<u8>],
) -> Option<(usize, String)> {
    let number = numbers.next()?;
    stream.write_all(&requests[number]).expect("somebody listens");
    Some((number, String::new()))
}

/// Which have something to read, once one has.
fn ready(streams: &[UnixStream]) -> Vec<bool> {
    let mut polled: Vec<PollFd<'_>> =
        streams.iter().map(|stream| PollFd::new(stream, PollFlags::IN)).collect();
    poll(&mut polled, None).expect("answers");
    polled.iter().map(|polled| !polled.revents().is_empty()).collect()
}
