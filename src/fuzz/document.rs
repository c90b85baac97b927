//! The document of a session.

use crate::wire::session::document::{export, import};

/// Reads bytes as the document of a session: it comes back from what is written of it, or the error says what, where and the cure.
///
/// # Panics
/// If one of that does not hold.
pub fn document(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match import(text) {
        Ok(session) => {
            let written = export(&session);
            // What is written may be longer than what may be read: it is indented.
            if let Ok(again) = import(&written) {
                assert_eq!(again, session, "\n{written}");
                assert_eq!(export(&again), written);
            } else {
                assert!(written.len() > crate::wire::session::document::DOCUMENT_BYTES_MAX, "\n{written}");
            }
        }
        Err(wrong) => {
            let said = wrong.to_string();
            assert!(!wrong.why.is_empty() && !wrong.cure.is_empty(), "{wrong:?}");
            assert!(!said.chars().any(char::is_control), "{said:?}");
        }
    }
}
