//! Who drops files into the queue: people, and agents that hand on parts and answer. What each dropped is remembered.

use super::deeds::EXPECTED;
use crate::engine::words::Token;
use crate::io::fake::{Chance, Change, Machine};
use crate::wire::time::rfc3339;
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A file that was dropped.
#[derive(Debug, Clone)]
pub(super) struct Dropped {
    /// Its name in `queue/`.
    pub(super) name: String,
    /// Content of each of its documents, which no other has but its duplicates.
    pub(super) contents: Vec<String>,
    pub(super) text: String,
    /// Whether it was on the disk when its writer went away, so that no cut may take it.
    pub(super) durable: bool,
    /// Whether the power was cut since.
    pub(super) cut: bool,
    /// Whether it answers a task, and is no message of its own.
    pub(super) answer: bool,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct People {
    pub(super) drops: Vec<Dropped>,
    numbers: u64,
    /// Ids that were given, with the documents that had them, and their contents.
    ids: Vec<(String, String, String)>,
}

const NAMES: [&str; 10] = ["boss", "ann", "bob", "eve", "crew", "gb", "user", "boss", "hal", "ida"];

impl People {
    /// A new number.
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// One message: its text and its content.
    fn document(&mut self, chance: &mut Chance, head: &str) -> (String, String) {
        let number = self.number();
        let long = if chance.one_in(30) { chance.below(6_000) } else { chance.below(60) };
        let long = if chance.one_in(400) { 30_000 } else { long };
        let end = if chance.one_in(8) { "\n\n" } else { "" };
        let content = format!("印{number}。 やって 🎽{}{end}", " 仕事".repeat(long as usize));
        (format!("{head}content: \"{}\"\n", content.replace('\n', "\\n")), content)
    }

    fn task(&mut self, chance: &mut Chance) -> (String, String) {
        let mut head = String::new();
        if chance.one_in(12) {
            let from = chance.pick(&NAMES).copied().unwrap_or("boss");
            let _ = writeln!(head, "from: {from}");
        }
        self.task_of(chance, head)
    }

    /// Messages to be sent over the socket: a person's, or those of somebody with a key, be it his own or not.
    pub(super) fn letter(
        &mut self,
        chance: &mut Chance,
        speaker: Option<(bool, &str)>,
    ) -> (String, Vec<String>) {
        let count = if chance.one_in(4) { 1 + chance.below(3) } else { 1 };
        let all = (0..count).map(|_| match speaker {
            None => self.task(chance),
            Some((own, name)) => {
                // A key says who speaks.
                let from = if own && chance.one_in(2) { String::new() } else { format!("from: {name}\n") };
                let to = chance.pick(&["ann", "bob", "crew", "eve", "user"]).copied().unwrap_or("eve");
                let info = if to == "user" || chance.one_in(4) { "type: info\n" } else { "" };
                self.document(chance, &format!("{from}to: {to}\n{info}"))
            }
        });
        let (text, contents): (Vec<String>, _) = all.collect::<Vec<_>>().into_iter().unzip();
        (text.join("---\n"), contents)
    }

    fn task_of(&mut self, chance: &mut Chance, mut head: String) -> (String, String) {
        let id = (!chance.one_in(3)).then(|| format!("t-{}", self.numbers + 1));
        if let Some(id) = &id {
            let _ = writeln!(head, "id: {id}");
        }
        let to = chance.pick(&NAMES).copied().unwrap_or("boss");
        let _ = writeln!(head, "to: {to}");
        if chance.one_in(6) || to == "user" {
            head += "type: info\n";
        }
        if chance.one_in(6) {
            head += if chance.one_in(2) { "priority: high\n" } else { "priority: low\n" };
        }
        if chance.one_in(8) {
            head += "on_doubt: hold\n";
        }
        if chance.one_in(8) {
            let wall = Machine::with(|machine| machine.wall);
            let _ = writeln!(head, "deadline: {}", rfc3339(wall.plus(1_000 + chance.below(300_000))));
        }
        if chance.one_in(8)
            && let Some((before, ..)) = chance.pick(&self.ids)
        {
            let _ = writeln!(head, "depends_on: [{before}]");
        }
        if chance.one_in(5) && to != "user" && !head.contains("type: info") {
            head += EXPECTED;
        }
        let document = self.document(chance, &head);
        if let Some(id) = id {
            self.ids.push((id, document.0.clone(), document.1.clone()));
        }
        document
    }

    /// A drop of any kind.
    pub(super) fn drop_some(&mut self, root: &Path, chance: &mut Chance, met: &mut Vec<&'static str>) {
        match chance.below(12) {
            0 => {
                met.push("bad drops");
                let number = self.number();
                let text = ["to: [boss\ncontent: x", "content: nobody\n", "to: nobody\ncontent: x\n", ""];
                let text = chance.pick(&text).copied().unwrap_or_default();
                let text = format!("{text}# 印{number}。\n");
                self.put(root, chance, (text, Vec::new()), false);
            }
            1 => {
                if let Some((_, text, content)) = chance.pick(&self.ids).cloned() {
                    met.push("duplicates");
                    self.put(root, chance, (text, vec![content]), false);
                }
            }
            2 => {
                if let Some((id, ..)) = chance.pick(&self.ids).cloned() {
                    met.push("ids with other content");
                    let (text, content) = self.document(chance, &format!("id: {id}\nto: boss\n"));
                    self.put(root, chance, (text, vec![content]), false);
                }
            }
            3 => {
                met.push("several in one file");
                let all: Vec<_> = (0..1 + chance.below(4)).map(|_| self.task(chance)).collect();
                let (text, contents): (Vec<String>, _) = all.into_iter().unzip();
                self.put(root, chance, (text.join("---\n"), contents), false);
            }
            _ => {
                let (text, content) = self.task(chance);
                self.put(root, chance, (text, vec![content]), false);
            }
        }
    }

    /// A part of a task, handed on by its agent.
    pub(super) fn hand_on(&mut self, root: &Path, chance: &mut Chance, from: &str, token: Token) {
        let to = match from {
            "boss" => ["ann", "bob", "crew", "ann", "bob", "crew", "hal"][chance.below(7) as usize],
            "ann" => "eve",
            _ => return,
        };
        let head = format!("from: {from}\nto: {to}\ntoken: {token}\n");
        let (text, content) = self.document(chance, &head);
        self.put(root, chance, (text, vec![content]), false);
    }

    /// An answer by a file.
    pub(super) fn answer(&mut self, root: &Path, chance: &mut Chance, from: &str, task: &str, token: Token) {
        let head = format!("from: {from}\nto: user\ntype: result\nin_reply_to: {task}\ntoken: {token}\n");
        let (text, content) = self.document(chance, &head);
        self.put(root, chance, (text, vec![content]), true);
    }

    /// Writes a file beside its name, and gives it its name; with a flush, where its writer is careful.
    fn put(&mut self, root: &Path, chance: &mut Chance, drop: (String, Vec<String>), answer: bool) {
        let careful = !chance.one_in(4);
        self.put_so(root, careful, drop, answer);
    }

    /// The same, by somebody who is careful or not.
    pub(super) fn put_so(
        &mut self,
        root: &Path,
        careful: bool,
        (text, contents): (String, Vec<String>),
        answer: bool,
    ) {
        let number = self.number();
        let (part, name) = (format!("queue/.d{number}.tmp"), format!("queue/d{number}.yaml"));
        fs::write(root.join(&part), &text).expect("a file is written");
        let file = fs::File::options().write(true).open(root.join(&part)).expect("it is there");
        let inode = file.metadata().expect("it is there").ino();
        Machine::with(|machine| {
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_millis(machine.wall.0))
                .expect("a time");
            machine.world.set_time(machine.wall.0);
            machine.apply(&Change::Create { name: part.clone() });
            machine.world.stands_for(inode, &part);
            let bytes = text.clone().into_bytes();
            machine.apply(&Change::Write { name: part.clone(), bytes, offset: 0 });
            if careful {
                machine.apply(&Change::Sync { name: part.clone(), whole: true });
            }
            machine.apply(&Change::Rename { from: part.clone(), to: name.clone() });
            if careful {
                machine.apply(&Change::SyncNames { folder: "queue".to_owned() });
            }
        });
        drop(file);
        fs::rename(root.join(&part), root.join(&name)).expect("it gets its name");
        let name = format!("d{number}.yaml");
        self.drops.push(Dropped { name, contents, text, durable: careful, cut: false, answer });
    }

    /// Ids that were given to messages; mostly lately.
    pub(super) fn some_id(&self, chance: &mut Chance) -> Option<&str> {
        let lately = if chance.one_in(2) { self.ids.len().saturating_sub(6) } else { 0 };
        chance.pick(&self.ids[lately..]).map(|(id, ..)| id.as_str())
    }

    /// Nobody uses these ids any more.
    pub(super) fn forget(&mut self, is_gone: &dyn Fn(&str) -> bool) {
        self.ids.retain(|(id, ..)| !is_gone(id));
    }

    /// The power was cut: what was not flushed may be gone.
    pub(super) fn cut(&mut self) {
        self.drops.iter_mut().for_each(|drop| drop.cut = true);
    }
}
