//! Why a person's line is not typed, in words.

use super::session::Session;
use super::unsent::Unsent;
use crate::daemon::clients::request::Hindrance;
use crate::engine::input::Guard;
use crate::engine::screen::unsent;
use crate::io::process;

/// A guard in words, with what is in the way where that is known; and the cure where waiting is none.
pub(super) fn hindrance(guard: Guard, session: &Session, person: &Unsent) -> Hindrance {
    let name = session.agent.name();
    let cure = match guard {
        Guard::Draft | Guard::Asking | Guard::CopyMode | Guard::Stopped | Guard::NoAnswer => {
            Some(guard.cure(name))
        }
        _ => None,
    };
    match (guard, &person.words) {
        (Guard::Draft, Some(words)) => {
            let boxed = !session.agent.is_plain();
            Hindrance { why: unsent::told(words, boxed), cure: Some(unsent::cure(words, name)) }
        }
        (Guard::Occupied, _) => {
            let program = process::name_in_front(session.program.process.pid);
            let program = program.map_or(String::new(), |program| format!(": {program}"));
            Hindrance { why: format!("{}{program}", guard.words()), cure }
        }
        _ => Hindrance { why: guard.words().to_owned(), cure },
    }
}
