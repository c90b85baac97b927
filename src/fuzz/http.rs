//! A request over the socket.

use crate::ui::http::fuzz;

/// Sends bytes as the body of a request, the first of them choosing address and content type: it is answered in JSON; done or
/// refused, with what, why and a cure.
///
/// # Panics
/// If one of that does not hold.
pub fn http(data: &[u8]) {
    let (which, rest) = super::choice::choice(data);
    let (how, body) = super::choice::choice(rest);
    fuzz::request(which, how, body);
}
