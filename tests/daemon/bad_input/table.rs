//! What is dropped, what must become of it, and the town in which that is looked at.

use crate::house::House;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tasuki::engine::message::refusal::{Code, Refusal};

/// A boss, a worker below it, and a neighbour that has nothing to do with the two.
pub(crate) const TEAM: &str = concat!(
    "  - {name: boss, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: BOSS OK, env: {PHRASE: BOSS OK}}\n",
    "  - {name: worker, reports_to: boss, provider: plain, command: [bash, ./agent.sh], marker: CODING OK, env: {PHRASE: CODING OK}}\n",
    "  - {name: neighbour, reports_to: user, provider: plain, command: [bash, ./agent.sh], marker: HELLO OK, env: {PHRASE: HELLO OK}}\n",
);

/// Keeps what it read in `seen/`, prints the content as it stands there, waits while `seen/ID.hold` exists, and claims.
pub(crate) const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  file=$(sed -n 's/.*read \(.*\.yaml\)[ ;].*/\1/p' <<<"$line")
  id=$(basename "$file" .yaml)
  cp "$file" "seen/$id.yaml"
  sed -n '/^content:/,/^[a-z_]*:/p' "$file" | sed 's/^  //' | cut -c 1-2000
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    touch "seen/$id.printed"
    while [ -e "seen/$id.hold" ]; do sleep 0.02; done
    echo "answer to $id"
    echo "$PHRASE ${BASH_REMATCH[1]}"
  fi
done
"#;

/// One file, and what must become of it.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) class: u8,
    pub(crate) name: OsString,
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) then: Then,
}

#[derive(Debug, Clone)]
pub(crate) enum Then {
    /// It lies in `queue/rejected/`.
    Refused(Refused),
    /// It is accepted, and all of its documents are done.
    Done { documents: usize },
    /// It is of no concern; a hint says how it would be.
    Stays { hint: bool },
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Refused {
    pub(crate) code: String,
    pub(crate) document: u64,
    pub(crate) place: Option<(u64, u64)>,
    /// A part of `why`.
    pub(crate) why: String,
    /// Its name in `rejected/`, where that is not its own.
    pub(crate) renamed: Option<String>,
}

impl Case {
    pub(crate) fn refused(class: u8, name: &str, bytes: impl Into<Vec<u8>>, code: &str, why: &str) -> Self {
        let refused = Refused { code: code.to_owned(), why: why.to_owned(), ..Refused::default() };
        Self::new(class, name, bytes, Then::Refused(refused))
    }

    pub(crate) fn done(class: u8, name: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self::new(class, name, bytes, Then::Done { documents: 1 })
    }

    pub(crate) fn new(class: u8, name: impl AsRef<OsStr>, bytes: impl Into<Vec<u8>>, then: Then) -> Self {
        Self { class, name: name.as_ref().to_owned(), bytes: bytes.into(), mode: 0o600, then }
    }

    /// The same, at this line and column.
    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        if let Then::Refused(refused) = &mut self.then {
            refused.place = Some((line, column));
        }
        self
    }

    pub(crate) fn shown(&self) -> String {
        self.name.to_string_lossy().into_owned()
    }
}

/// The fixtures of these classes, with what `drops.table` says of them.
pub(crate) fn fixtures(classes: std::ops::RangeInclusive<u8>) -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let table = fs::read_to_string(folder.join("drops.table")).expect("the table");
    let case = |line: &str| {
        let (name, outcome) = line.split_once(": ").expect("a name and an outcome");
        let class: u8 = name[..2].parse().expect("a class");
        let bytes = fs::read(folder.join("drops").join(name)).expect(name);
        classes.contains(&class).then(|| Case::new(class, name, bytes, outcome_of(outcome)))
    };
    let cases: Vec<Case> = table.lines().filter_map(case).collect();
    assert!(cases.len() >= classes.count(), "fixtures are missing");
    cases
}

fn outcome_of(line: &str) -> Then {
    let (word, rest) = line.split_once(' ').expect("a word");
    let (head, why) = rest.split_once(' ').expect("a place or a number");
    if word == "accepted" {
        return Then::Done { documents: head.parse().expect("documents") };
    }
    let mut parts = head.split(':').map(|part| part.parse::<u64>().ok());
    let document = parts.next().flatten().expect("a document");
    let place = parts.next().flatten().zip(parts.next().flatten());
    Then::Refused(Refused { code: word.to_owned(), document, place, why: why.to_owned(), renamed: None })
}

/// A workspace with the team and a daemon.
pub(crate) struct Town {
    pub(crate) house: House,
}

impl Town {
    pub(crate) fn start(name: &str) -> Self {
        Self::with(name, TEAM)
    }

    pub(crate) fn with(name: &str, team: &str) -> Self {
        let mut house = House::new(name, team, &[("agent.sh", AGENT)]);
        fs::create_dir(house.path("seen")).expect("seen");
        house.start();
        Self { house }
    }

    pub(crate) fn drop(&self, case: &Case) {
        let part = self.house.path("queue/.part");
        fs::write(&part, &case.bytes).expect("the drop");
        fs::set_permissions(&part, fs::Permissions::from_mode(case.mode)).expect("its mode");
        fs::rename(part, self.house.path("queue").join(&case.name)).expect("the drop");
    }

    /// The daemon is alive and does a good drop.
    pub(crate) fn goes_on(&self, id: &str) {
        self.house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: neighbour\ncontent: 良い仕事 😀\n"));
        let result = self.house.result(id);
        assert!(result.contains(&format!("answer to {id}")), "{result}");
    }

    pub(crate) fn end(mut self, id: &str) {
        self.goes_on(id);
        self.house.end();
    }

    /// The reason of a refused drop, once it is there.
    pub(crate) fn reason(&self, name: &str) -> serde_json::Value {
        let at = format!("queue/rejected/{name}.reason.yaml");
        self.house.until(&at, |house| {
            house.path(&at).exists()
                && house.path(&format!("queue/rejected/{name}")).symlink_metadata().is_ok()
        });
        let text = self.house.read(&at);
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
        serde_yaml::from_str(&text).expect(&at)
    }

    pub(crate) fn check_refused(&self, name: &str, refused: &Refused, bytes: Option<&[u8]>) {
        let place = refused.renamed.as_deref().unwrap_or(name);
        let reason = self.reason(place);
        println!("{name}: {} {}", reason["code"], reason["why"]);
        assert_eq!(reason["code"], refused.code, "{name}: {reason}");
        let at = |key: &str| reason.get(key).and_then(serde_json::Value::as_u64);
        assert_eq!(at("line").zip(at("column")), refused.place, "{name}: {reason}");
        assert_eq!(at("document").unwrap_or(1), refused.document + 1, "{name}: {reason}");
        let why = reason["why"].as_str().expect("why");
        assert!(why.contains(&refused.why), "{name}: {why}\nis not: {}", refused.why);
        assert!(is_a_sentence(why) && why.chars().count() < 400, "{name}: {why:?}");
        let cure = reason["cure"].as_str().expect("cure");
        let code = Code::ALL.iter().find(|code| code.word() == refused.code).expect("a known code");
        // Some keys have a cure of their own.
        let of_keys = ["expect", "from", "parent"].map(|key| Refusal::new(*code, why).at(key).cure());
        let is_known = cure == code.cure() || of_keys.contains(&cure);
        assert!(is_a_sentence(cure) && is_known, "{name}: {cure:?}");
        let moment = reason["at"].as_str().expect("at");
        assert!(chrono::DateTime::parse_from_rfc3339(moment).is_ok(), "{moment}");
        assert!(self.house.path("queue").join(name).symlink_metadata().is_err(), "{name} is still in queue/");
        if let Some(bytes) = bytes {
            let kept = fs::read(self.house.path("queue/rejected").join(place)).expect(name);
            assert!(kept == bytes, "{name} was changed");
        }
        let line = format!("refused {place}");
        self.house.until(&line, |house| house.read("status/activity.log").contains(&line));
    }

    pub(crate) fn check_stays(&self, case: &Case, hint: bool) {
        let name = case.shown();
        let kept = fs::read(self.house.path("queue").join(&case.name)).expect(&name);
        assert!(kept == case.bytes, "{name} was changed");
        let told = self.house.read("status/activity.log").contains(&name);
        assert_eq!(told, hint, "{name}: whether it is told of");
        println!("{name}: stays{}", if hint { ", with a hint" } else { "" });
    }

    /// The ids that a dropped file was accepted under.
    pub(crate) fn accepted(&self, name: &str) -> Vec<String> {
        let log = self.house.read("status/activity.log");
        let mark = format!(" as {name}");
        let ours = |line: &&str| line.ends_with(&mark) || line.contains(&format!("{mark};"));
        let lines = log.lines().filter(ours).filter_map(|line| line.split_once(" accepted: "));
        lines.filter_map(|(head, _)| Some(head.split_once(' ')?.1.to_owned())).collect()
    }

    /// The only files in `queue/` are those that stay; nothing lies in `claim/`; no log holds what a terminal obeys.
    pub(crate) fn check_quiet(&self) {
        self.house.until("the claims to be done", |house| {
            fs::read_dir(house.path(".tasuki/claim")).expect("claim").count() == 0
        });
        let agents = fs::read_dir(self.house.path("status/agents")).expect("status");
        let names = agents.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned());
        // A view that is being written has a name of its own until it is whole.
        let names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        for name in &names {
            let member = ["boss.", "worker.", "neighbour."].iter().any(|member| name.starts_with(member));
            assert!(member, "a stranger has a status: {names:?}");
        }
        let logs = names.iter().map(|name| format!("status/agents/{name}"));
        for log in logs.chain(["status/activity.log".to_owned(), ".tasuki/daemon.log".to_owned()]) {
            let text = self.house.read(&log);
            let odd: Vec<&str> = text.lines().filter(|line| !is_tame(line)).collect();
            assert!(odd.is_empty(), "{log} has what a terminal obeys: {odd:?}");
        }
        assert!(!self.house.output().contains("panicked"), "{}", self.house.output());
    }
}

/// One line of plain words.
fn is_a_sentence(text: &str) -> bool {
    text.chars().count() > 8 && is_tame(text) && text.trim() == text
}

/// Nothing in it changes what a terminal does, or the direction of the text around it.
pub(crate) fn is_tame(text: &str) -> bool {
    !text.chars().any(|c| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{2028}' | '\u{2029}')
    })
}
