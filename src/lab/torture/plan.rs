//! What is given to tasuki: one parcel after the other, all chance from the seed.

use super::record::{Fate, Letter, Parcel, Way, digest};
use super::team::{BOSS, POOL, SLOTH, agent};
use super::text::{content, length, quoted, value};
use crate::engine::words::Millis;
use crate::lab::chance::Chance;
use crate::wire::time::rfc3339_ms;
use std::collections::VecDeque;
use std::path::PathBuf;

/// Parcels that may be given again.
const KEPT_MAX: usize = 60;
/// Larger ones are not kept.
const KEPT_BYTES_MAX: usize = 20_000;
/// Messages in one file, at most.
const TOGETHER_MAX: usize = 5;
/// Bytes of a content that is handed on, at most: it is written four times.
const HANDED_ON_BYTES_MAX: usize = 20_000;
/// Of a hundred tasks by file so many may take no more than this, which is about what they need.
const HASTY_PERCENT: u64 = 6;
const HASTY_MS: u64 = 400;
/// So many others have a deadline, this far off: it may have passed when they are read, or while they wait or are done.
const LATE_PERCENT: u64 = 4;
const LATE_MS: u64 = 3_000;
/// Working time, or time to the deadline, of what is never done.
const ENDLESS_MS: u64 = 2_000;
/// Of so many messages that were given last, one is called off.
const RECENT_MAX: usize = 10;
/// More than a file may have.
const TOO_LARGE: usize = (1 << 20) + 1;

/// A parcel with what it holds.
#[derive(Debug, Clone)]
pub(super) struct Made {
    pub(super) parcel: Parcel,
    /// The file, or for a command and a request the content.
    pub(super) bytes: Vec<u8>,
}

/// Makes parcels.
#[derive(Debug)]
pub(super) struct Plan {
    chance: Chance,
    seed: u64,
    agents: usize,
    number: u64,
    kept: VecDeque<Made>,
    results: PathBuf,
    /// The wall clock, for deadlines.
    now: fn() -> Millis,
    /// Ids that were given last, of parts as well.
    recent: VecDeque<String>,
}

#[derive(Clone, Copy)]
enum Form {
    One(Way),
    Together,
    HandedOn,
    Again,
    Conflict,
    Rivals,
    Endless,
    Bad,
}

/// How often each form comes.
const FORMS: [(u64, Form); 11] = [
    (42, Form::One(Way::Renamed)),
    (12, Form::One(Way::Slowly)),
    (5, Form::One(Way::Send)),
    (7, Form::One(Way::Socket)),
    (9, Form::Together),
    (5, Form::HandedOn),
    (9, Form::Again),
    (4, Form::Conflict),
    (3, Form::Rivals),
    (1, Form::Endless),
    (7, Form::Bad),
];

impl Plan {
    /// For so many agents that report to the user; `results` is where an answer shows that a message is known.
    pub(super) fn new(seed: u64, agents: usize, results: PathBuf, now: fn() -> Millis) -> Self {
        let (kept, recent) = (VecDeque::new(), VecDeque::new());
        Self { chance: Chance::of_part(seed, 1), seed, agents, number: 0, kept, results, now, recent }
    }

    /// What is given next: one parcel, or two that are given at once, under one id.
    pub(super) fn next(&mut self) -> Vec<Made> {
        let made = self.make();
        for letter in made.iter().flat_map(|made| &made.parcel.letters) {
            let Some(id) = &letter.id else { continue };
            let ends: &[&str] = if letter.handed_on.is_some() { &["", ".m", ".m.a", ".m.b"] } else { &[""] };
            self.recent.extend(ends.iter().map(|end| format!("{id}{end}")));
        }
        while self.recent.len() > RECENT_MAX {
            self.recent.pop_front();
        }
        made
    }

    /// A message to call off, most likely one that is open; none if none was given.
    pub(super) fn unwanted(&mut self, chance: &mut Chance) -> Option<String> {
        let ids = self.recent.make_contiguous();
        chance.pick(ids).cloned()
    }

    fn make(&mut self) -> Vec<Made> {
        self.number += 1;
        match self.chance.weighted(&FORMS, Form::One(Way::Renamed)) {
            Form::One(way) => self.one(way),
            Form::Together => vec![self.together()],
            Form::HandedOn => {
                let size = length(&mut self.chance).min(HANDED_ON_BYTES_MAX);
                let letter = self.letter(true, BOSS, "task", size);
                vec![self.file(Way::Renamed, Fate::Accepted, vec![letter])]
            }
            Form::Again => self.again(),
            Form::Conflict => self.conflict(),
            Form::Rivals => self.rivals(),
            Form::Endless => vec![self.endless()],
            Form::Bad => vec![self.bad()],
        }
    }

    fn one(&mut self, way: Way) -> Vec<Made> {
        let to = self.anybody();
        let kind = if self.chance.percent(10) { "info" } else { "task" };
        let size = length(&mut self.chance);
        // A command or request that may have to be repeated needs an id to be known by.
        let with_id = matches!(way, Way::Send | Way::Socket) || self.chance.percent(65);
        let (mut letter, text) = self.letter(with_id, &to, kind, size);
        if !matches!(way, Way::Send | Way::Socket) && kind == "task" && self.chance.percent(HASTY_PERCENT) {
            letter.timeout_ms = Some(self.chance.within(1, HASTY_MS));
        }
        if with_id && matches!(way, Way::Renamed | Way::Slowly) && self.chance.percent(LATE_PERCENT) {
            letter.deadline_ms = Some((self.now)().0 + self.chance.within(1, LATE_MS));
            return vec![self.file(way, Fate::Late, vec![(letter, text)])];
        }
        if matches!(way, Way::Send | Way::Socket) {
            let parcel = self.parcel(way, Fate::Accepted, vec![letter], text.as_bytes());
            return vec![Made { parcel, bytes: text.into_bytes() }];
        }
        let made = self.file(way, Fate::Accepted, vec![(letter, text)]);
        if with_id && made.bytes.len() <= KEPT_BYTES_MAX {
            self.kept.push_back(made.clone());
            if self.kept.len() > KEPT_MAX {
                self.kept.pop_front();
            }
            if self.chance.percent(4) {
                self.number += 1;
                return vec![self.copy_of(&made, Way::Renamed), made];
            }
        }
        vec![made]
    }

    /// Several messages in one file; some wait for those before them.
    fn together(&mut self) -> Made {
        let count = self.chance.size(2, TOGETHER_MAX);
        let mut letters: Vec<(Letter, String)> = Vec::new();
        for place in 0..count {
            let to = self.anybody();
            let size = length(&mut self.chance).min(KEPT_BYTES_MAX);
            let waits = place > 0 && self.chance.percent(40);
            let with_id = waits || place == 0 || self.chance.percent(50);
            let (mut letter, text) = self.letter(with_id, &to, "task", size);
            letter.id = letter.id.map(|id| format!("{id}.{place}"));
            if waits {
                letter.depends_on.extend(letters.first().and_then(|(first, _)| first.id.clone()));
            }
            letters.push((letter, text));
        }
        let way = if self.chance.percent(30) { Way::Slowly } else { Way::Renamed };
        self.file(way, Fate::Accepted, letters)
    }

    /// What was given before, whether it has been accepted since or not.
    fn again(&mut self) -> Vec<Made> {
        let place = self.chance.size(0, self.kept.len().saturating_sub(1));
        let Some(kept) = self.kept.get(place).cloned() else { return self.one(Way::Renamed) };
        let way = if self.chance.percent(25) { Way::Slowly } else { Way::Renamed };
        vec![self.copy_of(&kept, way)]
    }

    fn copy_of(&mut self, made: &Made, way: Way) -> Made {
        let mut parcel = self.parcel(way, Fate::Duplicate, made.parcel.letters.clone(), &made.bytes);
        parcel.bytes.clone_from(&made.parcel.bytes);
        Made { parcel, bytes: made.bytes.clone() }
    }

    /// The id of a message that was answered, with another content.
    fn conflict(&mut self) -> Vec<Made> {
        let is_answered = |made: &&Made| {
            let id = made.parcel.letters.first().and_then(|letter| letter.id.as_ref());
            id.is_some_and(|id| self.results.join(format!("{id}.yaml")).exists())
        };
        let answered: Vec<Made> = self.kept.iter().filter(is_answered).cloned().collect();
        let Some(first) = self.chance.pick(&answered).and_then(|made| made.parcel.letters.first()) else {
            return self.one(Way::Renamed);
        };
        let head = format!("another content {}\n", self.number);
        let text = content(&mut self.chance, &head, 100);
        let letter = Letter { content: digest(text.as_bytes()), ..first.clone() };
        vec![self.file(Way::Renamed, Fate::Refused("id-conflict".into()), vec![(letter, text)])]
    }

    /// Two that say different things under one id.
    fn rivals(&mut self) -> Vec<Made> {
        let to = self.anybody();
        let size = length(&mut self.chance).min(KEPT_BYTES_MAX);
        let (letter, text) = self.letter(true, &to, "task", size);
        let other = content(&mut self.chance, &format!("a rival {}\n", self.number), 100);
        let rival = Letter { content: digest(other.as_bytes()), ..letter.clone() };
        let first = self.file(Way::Renamed, Fate::Rival, vec![(letter, text)]);
        self.number += 1;
        let way = if self.chance.percent(30) { Way::Slowly } else { Way::Renamed };
        vec![first, self.file(way, Fate::Rival, vec![(rival, other)])]
    }

    /// A task that ends by its time alone.
    fn endless(&mut self) -> Made {
        let size = length(&mut self.chance).min(KEPT_BYTES_MAX);
        let (mut letter, text) = self.letter(true, SLOTH, "task", size);
        letter.endless = true;
        let time = self.chance.within(100, ENDLESS_MS);
        let fate = if self.chance.percent(50) {
            letter.deadline_ms = Some((self.now)().0 + time);
            Fate::Late
        } else {
            letter.timeout_ms = Some(time);
            Fate::Accepted
        };
        self.file(Way::Renamed, fate, vec![(letter, text)])
    }

    fn bad(&mut self) -> Made {
        let size = self.chance.size(1, 300);
        let text = quoted(&content(&mut self.chance, "bad", size));
        let to = agent(0);
        let whole = |fields: &str| format!("{fields}content: {text}\n").into_bytes();
        let nobody = format!("to: {to}\ncontent: {text}\n---\nto: nobody\ncontent: {text}\n");
        let forms: [(&str, Vec<u8>); 12] = [
            ("unknown-agent", whole("to: nobody\n")),
            ("unknown-agent", nobody.into_bytes()),
            ("to-missing", whole("")),
            ("content-empty", format!("to: {to}\ncontent: \"\"\n").into_bytes()),
            ("anchor", whole(&format!("to: &a {to}\n"))),
            ("duplicate-key", whole(&format!("to: {to}\nto: {to}\n"))),
            ("bad-id", whole(&format!("to: {to}\nid: NO GOOD\n"))),
            ("unknown-dependency", whole(&format!("to: {to}\ndepends_on: [never-heard-of]\n"))),
            ("unknown-word", whole(&format!("to: {to}\npriority: urgent\n"))),
            ("blank", b"# nothing\n\n".to_vec()),
            ("not-utf8", [format!("to: {to}\ncontent: ").as_bytes(), b"\xff\xfe\xe3\n"].concat()),
            ("too-large", format!("to: {to}\ncontent: {}\n", "x".repeat(TOO_LARGE)).into_bytes()),
        ];
        // The largest one is rare: it is only there to be counted.
        let last = if self.chance.percent(10) { forms.len() - 1 } else { forms.len() - 2 };
        let place = self.chance.size(0, last);
        let (code, bytes) = forms.into_iter().nth(place).unwrap_or_default();
        let parcel = self.parcel(Way::Renamed, Fate::Refused(code.into()), Vec::new(), &bytes);
        Made { parcel, bytes }
    }

    fn anybody(&mut self) -> String {
        if self.chance.percent(15) {
            return POOL.to_owned();
        }
        agent(self.chance.size(0, self.agents.saturating_sub(1)))
    }

    fn letter(&mut self, with_id: bool, to: &str, kind: &str, size: usize) -> (Letter, String) {
        let head = if with_id {
            String::new()
        } else {
            format!("key {} of {}\n", self.chance.below(u64::MAX), self.seed)
        };
        let text = content(&mut self.chance, &head, size);
        let priority = self.chance.weighted(&[(80, "normal"), (10, "high"), (10, "low")], "normal");
        let letter = Letter {
            id: with_id.then(|| format!("t{}", self.number)),
            to: to.to_owned(),
            kind: kind.to_owned(),
            priority: priority.to_owned(),
            depends_on: Vec::new(),
            timeout_ms: None,
            deadline_ms: None,
            endless: false,
            content: digest(text.as_bytes()),
            handed_on: (to == BOSS).then(|| digest(text.trim_end().as_bytes())),
        };
        (letter, text)
    }

    fn file(&mut self, way: Way, fate: Fate, letters: impl IntoIterator<Item = (Letter, String)>) -> Made {
        let (letters, texts): (Vec<Letter>, Vec<String>) = letters
            .into_iter()
            .map(|(letter, text)| {
                let yaml = self.yaml(&letter, &text);
                (letter, yaml)
            })
            .unzip();
        let bytes = texts.join("---\n").into_bytes();
        Made { parcel: self.parcel(way, fate, letters, &bytes), bytes }
    }

    fn yaml(&mut self, letter: &Letter, text: &str) -> String {
        let mut yaml = String::new();
        for (key, value) in [("id", letter.id.as_deref()), ("to", Some(letter.to.as_str()))] {
            yaml.extend(value.map(|value| format!("{key}: {value}\n")));
        }
        if letter.kind != "task" {
            yaml.push_str(&format!("type: {}\n", letter.kind));
        }
        if letter.priority != "normal" {
            yaml.push_str(&format!("priority: {}\n", letter.priority));
        }
        if let Some(ms) = letter.timeout_ms {
            yaml.push_str(&format!("timeout: {ms}ms\n"));
        }
        if let Some(ms) = letter.deadline_ms {
            yaml.push_str(&format!("deadline: {}\n", rfc3339_ms(Millis(ms))));
        }
        if !letter.depends_on.is_empty() {
            yaml.push_str(&format!("depends_on: [{}]\n", letter.depends_on.join(", ")));
        }
        yaml.push_str(&format!("content: {}", value(&mut self.chance, text)));
        yaml
    }

    fn parcel(&mut self, way: Way, fate: Fate, letters: Vec<Letter>, bytes: &[u8]) -> Parcel {
        let stem =
            self.chance.pick(&["drop", "落とし物", "a file with spaces", "🎽"]).copied().unwrap_or("drop");
        let name = format!("{stem} {}.yaml", self.number);
        Parcel { number: self.number, way, fate, name, bytes: digest(bytes), letters }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_parcels_and_no_name_twice() {
        let parcels = |seed| {
            let mut plan = Plan::new(seed, 4, "/nowhere".into(), || Millis(1_700_000_000_000));
            (0..400).flat_map(|_| plan.next()).map(|made| made.parcel).collect::<Vec<_>>()
        };
        let made = parcels(3);
        assert_eq!(made, parcels(3));
        assert_ne!(made, parcels(4));
        let mut names: Vec<&str> = made.iter().map(|parcel| parcel.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), made.len());
        for fate in [Fate::Accepted, Fate::Duplicate, Fate::Refused("anchor".into()), Fate::Rival, Fate::Late]
        {
            assert!(made.iter().any(|parcel| parcel.fate == fate), "{fate:?}");
        }
    }
}
