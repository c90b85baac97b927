//! The people at a session: who looks at a pane, when a key was last pressed, and who has left.

use super::command::{TmuxCommand, TmuxReply};
use super::control::Tmux;
use super::pane::Pane;
use crate::io::mux::error::MuxError;
use crate::io::mux::people::{People, Person};

/// One client of the server.
struct Client<'a> {
    is_person: bool,
    /// Whether it may not type.
    looks_only: bool,
    activity: u64,
    created: u64,
    /// When somebody last came to its session, or pressed a key there.
    session_activity: u64,
    session: &'a str,
    looks_at: &'a str,
    /// What its session's activity was when we had come, of ours.
    came_with: u64,
}

impl<'a> Client<'a> {
    fn read(line: &'a str) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        Some(Self {
            is_person: next()? == "0",
            looks_only: next()? == "1",
            activity: next()?.parse().ok()?,
            created: next()?.parse().ok()?,
            session_activity: next()?.parse().ok()?,
            session: next()?,
            looks_at: next()?,
            came_with: next().and_then(|word| word.parse().ok()).unwrap_or(0),
        })
    }
}

impl Tmux {
    pub(super) fn ask_people() -> TmuxCommand {
        let list = TmuxCommand::new("list-clients").flag("-F");
        list.word(
            "#{client_control_mode} #{client_readonly} #{client_activity} #{client_created} #{session_activity} #{session_id} #{pane_id} \
             #{@tasuki_people}",
        )
    }
}

impl Pane {
    /// The person who looks at this pane, if there is one: of several, the one who typed last.
    ///
    /// # Errors
    /// Those of [`Tmux::run`].
    pub async fn person(&self) -> Result<Option<Person>, MuxError> {
        Ok(self.people().await?.here)
    }

    /// What is known of the people at this pane.
    ///
    /// # Errors
    /// Those of [`Tmux::run`].
    pub async fn people(&self) -> Result<People, MuxError> {
        let replies = self.tmux().run(Tmux::ask_people()).await?;
        Ok(replies.first().map(|reply| self.find_people(reply)).unwrap_or_default())
    }

    /// When a person was last at the session before this connection, by tmux's clock in seconds.
    #[must_use]
    pub fn person_before(&self) -> Option<u64> {
        self.tmux().person_before()
    }

    /// How often somebody has come to a session of the server.
    #[must_use]
    pub fn comes(&self) -> u64 {
        self.tmux().comes()
    }

    pub(super) fn find_people(&self, reply: &TmuxReply) -> People {
        let (pane, session) = (self.id().to_string(), self.tmux().session().to_string());
        read(&reply.text(), reply.time, &pane, &session)
    }
}

fn read(text: &str, now: u64, pane: &str, session: &str) -> People {
    let clients: Vec<Client<'_>> = text.lines().filter_map(Client::read).collect();
    let here = || clients.iter().filter(|client| client.is_person && client.looks_at == pane);
    let types = || here().filter(|client| !client.looks_only);
    let ours = || clients.iter().filter(|client| client.session == session);
    // Coming counts as activity of the client and of its session, of which it may be a second later.
    let explains = |client: &Client<'_>| if client.is_person { client.activity } else { client.created };
    let explained = ours().map(|client| explains(client).max(client.came_with)).max();
    let last = ours().map(|client| client.session_activity).max();
    People {
        here: here().map(|client| idle_ms(now, client.activity)).min().map(|idle_ms| Person { idle_ms }),
        typed_at: types()
            .filter(|client| client.activity > client.created)
            .map(|client| client.activity)
            .max(),
        came_at: types()
            .filter(|client| client.activity <= client.created)
            .map(|client| client.created)
            .max(),
        left_at: last.filter(|last| explained.is_some_and(|explained| *last > explained)),
        anybody: clients.iter().any(|client| client.is_person),
        now,
    }
}

/// How long ago a key was pressed at least, by a clock that counts seconds: a whole one may be missing between two readings
/// of it. What is further ahead than that was pressed before the clock was put back: no key was pressed since.
fn idle_ms(now: u64, at: u64) -> u64 {
    if at > now.saturating_add(1) { u64::MAX } else { now.saturating_sub(at).saturating_sub(1) * 1_000 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_put_back_makes_nobody_type() {
        assert_eq!([100, 99, 98, 90].map(|at| idle_ms(100, at)), [0, 0, 1_000, 9_000]);
        assert_eq!(idle_ms(100, 101), 0, "two readings of one clock");
        assert_eq!(idle_ms(100, 102), u64::MAX, "put back by an hour, and nobody typed since");
    }

    #[test]
    fn who_came_without_a_key_has_typed_nothing_and_who_left_is_remembered() {
        let ours = "1 0 50 50 60 $0 %1\n1 0 51 51 60 $0 %1\n";
        let nobody = read("1 0 50 50 51 $0 %1\n1 0 51 51 51 $0 %1\n", 100, "%1", "$0");
        assert_eq!(nobody, People { now: 100, ..People::default() });
        let late = read("1 0 50 50 52 $0 %1 52 7\n1 0 51 51 52 $0 %1 52 7\n", 100, "%1", "$0");
        assert_eq!(late.left_at, None, "our own coming took its time");
        let left = read(ours, 100, "%1", "$0");
        assert_eq!((left.left_at, left.anybody, left.typed_at), (Some(60), false, None));
        let came = read(&format!("{ours}0 0 60 60 60 $0 %1\n"), 100, "%1", "$0");
        assert_eq!((came.left_at, came.typed_at, came.came_at, came.anybody), (None, None, Some(60), true));
        assert_eq!(came.here, Some(Person { idle_ms: 39_000 }));
        let typed = read(&format!("{ours}0 0 60 55 60 $0 %1\n"), 100, "%1", "$0");
        assert_eq!((typed.left_at, typed.typed_at, typed.came_at), (None, Some(60), None));
        let looks = read(&format!("{ours}0 1 60 55 60 $3 %1\n"), 100, "%1", "$0");
        assert_eq!((looks.typed_at, looks.came_at), (None, None), "who may not type");
        let elsewhere = read(&format!("{ours}0 0 60 55 60 $0 %2\n0 0 90 55 90 $3 %1\n"), 100, "%2", "$0");
        assert_eq!((elsewhere.left_at, elsewhere.typed_at), (None, Some(60)));
    }
}
