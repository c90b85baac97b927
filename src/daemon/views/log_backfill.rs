//! What the journal tells and the histories do not. Their lines wait until the steps are written: a daemon that dies leaves some
//! untold, and so does a disk that fails in the middle of a batch, of which what is on it counts all the same.

use crate::daemon::views::dirty::LINES_MAX;
use crate::daemon::views::worker::Item;
use crate::engine::event::Event;
use crate::engine::history::{self, HistoryLine};
use crate::engine::state::State;
use crate::engine::words::{AgentName, Millis};
use crate::io::views::Views;
use std::collections::{BTreeMap, VecDeque};

/// How much of the end of a history is read: a thousand lines; and all of it where none of them is a step's, since notes alone came
/// for a while.
const END_BYTES: [u64; 2] = [128 << 10, 32 << 20];

/// The last sentences of the journal, in its order.
#[derive(Debug, Default)]
pub struct LogBackfill(VecDeque<(Millis, HistoryLine)>);

impl LogBackfill {
    /// The journal has these events; they are the last ones that made this state.
    pub fn take(&mut self, at: Millis, events: &[Event], state: &State) {
        self.0.extend(events.iter().filter_map(|event| Some((at, history::tell_last(event, state)?))));
        let over = self.0.len().saturating_sub(LINES_MAX);
        self.0.drain(..over);
    }

    /// What the histories do not tell yet: lines come into them in the journal's order, so it is all that comes after the last
    /// one which is there. Only members of the team have a history of their own. One that cannot be read is left as it is.
    pub fn lines(&self, views: &Views, is_member: impl Fn(&AgentName) -> bool) -> Vec<Item> {
        let told = self.until(views, None);
        let mut told_by: BTreeMap<&AgentName, usize> = BTreeMap::new();
        for name in self.0.iter().filter_map(|(_, told)| told.agent.as_ref()) {
            if is_member(name) && !told_by.contains_key(name) {
                told_by.insert(name, self.until(views, Some(name)));
            }
        }
        let item = |(number, (at, line)): (usize, &(Millis, HistoryLine))| {
            let is_untold = |name: &&AgentName| told_by.get(name).is_some_and(|until| number >= *until);
            let agent = line.agent.as_ref().filter(is_untold).cloned();
            let told = number < told;
            (!told || agent.is_some()).then(|| Item::Log { at: *at, agent, text: line.text.clone(), told })
        };
        self.0.iter().enumerate().filter_map(item).collect()
    }

    /// How many sentences there are up to the last one that is in this agent's history, or in the team's. Two that are the
    /// same, of one moment, stand there twice.
    fn until(&self, views: &Views, agent: Option<&AgentName>) -> usize {
        let is_theirs = |told: &HistoryLine| agent.is_none_or(|agent| told.agent.as_ref() == Some(agent));
        let mut until = 0;
        for bytes in END_BYTES {
            let mut lines = match views.last_lines(agent, bytes) {
                Ok(lines) => lines,
                Err(error) => {
                    tracing::warn!(%error, "a log cannot be read: what is missing from it is not added");
                    return self.0.len();
                }
            };
            for (number, (at, told)) in self.0.iter().enumerate().filter(|(_, (_, told))| is_theirs(told)) {
                if lines.take(*at, &told.text) {
                    until = number + 1;
                }
            }
            if until > 0 {
                break;
            }
        }
        until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::events;
    use std::path::Path;

    /// Five steps, the second and third of which say the same at the same moment.
    fn story() -> LogBackfill {
        let mut untold = LogBackfill::default();
        let adopted = |agent| format!(r#"[{{"event":"agent","name":"{agent}","change":"adopted"}}]"#);
        for (at, agent) in [(1, "bob"), (2, "ann"), (2, "ann"), (3, "cem"), (4, "bob")] {
            untold.take(Millis(at), &events::decode(&adopted(agent)).unwrap(), &State::default());
        }
        untold
    }

    /// What the histories tell when all that is untold was added to them.
    fn tell(root: &Path, untold: &LogBackfill) -> Vec<String> {
        let mut views = Views::open(root).unwrap();
        for item in untold.lines(&views, |name| name.as_str() != "cem") {
            let Item::Log { at, agent, text, told } = item else { panic!("{item:?}") };
            let lines = [crate::io::views::line(at, &text)];
            if !told {
                views.append_activity_lines(&lines).unwrap();
            }
            agent.iter().for_each(|agent| views.append_agent_lines(agent, &lines).unwrap());
        }
        ["activity.log", "agents/ann.log", "agents/bob.log", "agents/cem.log"]
            .map(|log| read(root, log))
            .to_vec()
    }

    fn read(root: &Path, log: &str) -> String {
        std::fs::read_to_string(root.join("status").join(log)).unwrap_or_default()
    }

    #[test]
    fn each_history_goes_on_where_it_ends() {
        let (root, untold) = (tempfile::tempdir().unwrap(), story());
        let whole = tell(root.path(), &untold);
        let lines: Vec<&str> = whole[0].split_inclusive('\n').collect();
        assert_eq!(lines.len(), 5, "{whole:?}");
        assert_eq!((whole[1].lines().count(), whole[2].lines().count()), (2, 2));
        assert_eq!(whole[3], "", "who is not in the team has no history");
        assert_eq!(tell(root.path(), &untold), whole, "nothing twice");

        for (activity, ann, bob) in
            [(0, 0, 0), (1, 0, 1), (2, 1, 1), (2, 0, 1), (3, 2, 1), (4, 2, 1), (5, 2, 1)]
        {
            let some = |log: &str, whole: &str, lines: usize| {
                let text: String = whole.split_inclusive('\n').take(lines).collect();
                std::fs::write(root.path().join("status").join(log), text).unwrap();
            };
            some("activity.log", &whole[0], activity);
            some("agents/ann.log", &whole[1], ann);
            some("agents/bob.log", &whole[2], bob);
            assert_eq!(tell(root.path(), &untold), whole, "from {activity}, {ann}, {bob} lines on");
        }
    }

    #[test]
    fn a_line_that_was_cut_off_is_told_whole() {
        let (root, untold) = (tempfile::tempdir().unwrap(), story());
        let whole = tell(root.path(), &untold);
        let log = root.path().join("status/activity.log");
        for end in [1, 10, whole[0].len() - 3] {
            std::fs::write(&log, &whole[0][..whole[0].len() - end]).unwrap();
            assert_eq!(tell(root.path(), &untold), whole, "without its last {end} bytes");
        }
    }

    #[test]
    fn what_was_put_aside_with_a_full_history_is_not_told_again() {
        let (root, untold) = (tempfile::tempdir().unwrap(), story());
        let whole = tell(root.path(), &untold);
        let status = root.path().join("status");
        std::fs::rename(status.join("activity.log"), status.join("activity.log.1")).unwrap();
        assert_eq!(tell(root.path(), &untold)[0], "");
        let notes = "a note\n".repeat(50_000);
        std::fs::write(status.join("activity.log"), &notes).unwrap();
        assert_eq!(tell(root.path(), &untold)[0], notes, "also where notes alone came for long");
        assert_eq!(read(root.path(), "activity.log.1"), whole[0]);
    }

    #[test]
    fn a_history_that_cannot_be_read_keeps_no_other_from_going_on() {
        let (root, untold) = (tempfile::tempdir().unwrap(), story());
        let views = Views::open(root.path()).unwrap();
        std::fs::create_dir(root.path().join("status/agents/ann.log")).unwrap();
        let lines = untold.lines(&views, |_| true);
        let agents =
            lines.iter().map(|item| if let Item::Log { agent, .. } = item { agent.clone() } else { None });
        let agents: Vec<String> =
            agents.map(|agent| agent.map_or(String::new(), |name| name.to_string())).collect();
        assert_eq!(agents, ["bob", "", "", "cem", "bob"]);
    }
}
