//! `tasuki torture` through the built binary: a short run loses nothing, and the oracle finds whatever is tampered with.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use tasuki::engine::words::Millis;
use tasuki::io::journal::{Journal, StepLine};

/// A machine that builds and tests meanwhile may take its time for a start: that is not what is tried here.
const START_LIMIT: &str = "30";

fn torture(arguments: &[&str], path: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tasuki"));
    command.arg("torture").args(arguments).arg(path).env_remove("TASUKI_ROOT").env("LANG", "C.UTF-8");
    command.output().expect("tasuki")
}

fn text(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The folder of the one run below `folder`.
fn kept(folder: &Path) -> Option<PathBuf> {
    fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).next()
}

/// Whether this user may give the workspace a disk of its own.
fn may_mount() -> bool {
    let folder = tempfile::tempdir().expect("a folder");
    let (image, place) = (folder.path().join("image"), folder.path().join("place"));
    fs::create_dir(&place).expect("a folder");
    fs::File::create(&image).and_then(|file| file.set_len(16 << 20)).expect("an image");
    let done = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let may = rustix::process::geteuid().is_root()
        && done(Command::new("mkfs.ext4").args(["-q", "-F"]).arg(&image))
        && done(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(&place));
    assert!(!may || done(Command::new("umount").arg(&place)));
    may
}

/// Whether this user may leave a process few watches.
fn may_limit() -> bool {
    let mut unshare = Command::new("unshare");
    unshare.args(["--user", "--map-current-user", "--keep-caps", "sh", "-c"]);
    unshare.arg("echo 1 > /proc/sys/user/max_inotify_instances");
    unshare.output().is_ok_and(|output| output.status.success())
}

#[test]
fn a_short_torture_loses_and_doubles_nothing_and_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    // Twelve kills are more than it takes until each kind of blow has come once.
    let mut arguments =
        vec!["--messages", "100", "--kills", "12", "--gap", "300ms", "--seed", "1", "--retries", "3"];
    arguments.extend(["--start-limit", START_LIMIT]);
    arguments.extend(may_mount().then_some("--full-disk"));
    arguments.push("--dir");
    let output = torture(&arguments, folder.path());
    assert!(output.status.success(), "{}", text(&output));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let last = said.lines().last().expect("a report");
    assert!(last.ends_with(" messages, 12 kills: 0 lost, 0 double"), "{said}");
    let numbers = |line: &str| -> Vec<u64> {
        line.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect()
    };
    let line = |start: &str| said.lines().find(|line| line.starts_with(start)).expect(start);
    let [new, again, bad, parts] = numbers(line("of these: "))[..] else { panic!("{said}") };
    let given: u64 = numbers(line("given: ")).iter().sum();
    assert_eq!(new + again + bad, given, "{said}");
    assert!(last.starts_with(&format!("{} messages", new + parts)), "{said}");
    let ends = numbers(line("accepted: "));
    assert_eq!(ends[0], new + parts, "{said}");
    assert_eq!(ends[0], ends[1..].iter().sum::<u64>(), "each is accounted for: {said}");
    assert!(ends[2] > 0 && ends[3] > 0, "some were called off, some were late: {said}");
    let struck = line("struck: ");
    for blow in ["daemon stopped", "agent stopped", "tmux stopped", "second daemon", "everything held"]
        .into_iter()
        .chain(["agent stopped by a person", "disk nearly full", "daemon ended in order"])
        .chain(may_mount().then_some("disk full"))
        .chain(may_limit().then_some("daemon before one with few watches"))
    {
        assert!(said.contains(blow), "{blow}: {struck}");
    }
    assert_eq!(kept(folder.path()), None, "a run in which nothing was found is removed");
}

/// A finished run that is tampered with, a copy each time.
struct Finished {
    folder: tempfile::TempDir,
    top: PathBuf,
}

impl Finished {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // Seed 10 gives, among so many, all that is tampered with below.
        let arguments = [
            "--messages",
            "70",
            "--kills",
            "2",
            "--seed",
            "10",
            "--start-limit",
            START_LIMIT,
            "--keep",
            "--dir",
        ];
        let output = torture(&arguments, folder.path());
        assert!(output.status.success(), "{}", text(&output));
        let top = kept(folder.path()).expect("the run");
        Self { folder, top }
    }

    /// What the oracle says of a copy with which this was done.
    fn after(&self, number: usize, tamper: &dyn Fn(&Run)) -> Output {
        let top = self.folder.path().join(format!("copy-{number}"));
        let copied = Command::new("cp").arg("-a").arg(&self.top).arg(&top).status().expect("cp");
        assert!(copied.success());
        tamper(&Run { top: top.clone() });
        torture(&["--check"], &top)
    }
}

/// A copy.
struct Run {
    top: PathBuf,
}

impl Run {
    fn path(&self, name: &str) -> PathBuf {
        self.top.join(name)
    }

    /// The files in a folder, in order, of which the text holds all of these.
    fn files(&self, name: &str, with: &[&str]) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(name)).expect(name).flatten().map(|entry| entry.path());
        let holds = |path: &PathBuf| {
            let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
            with.iter().all(|part| text.contains(part))
        };
        let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).filter(holds).collect();
        files.sort();
        assert!(!files.is_empty(), "{name} with {with:?}");
        files
    }

    fn done(&self) -> PathBuf {
        let days = fs::read_dir(self.path("workspace/queue/done")).expect("done").flatten();
        let day = days.map(|day| day.file_name()).next().expect("a day");
        let day = format!("workspace/queue/done/{}", day.to_string_lossy());
        self.files(&day, &["type: task"]).remove(0)
    }

    fn journal(&self) -> PathBuf {
        self.files("workspace/.tasuki/journal", &["\"events\""]).pop().expect("a segment")
    }

    /// The JSON of the first event of this name, and all after it.
    fn event(&self, name: &str) -> String {
        let text = fs::read_to_string(self.journal()).expect("the journal");
        let begin = format!("{{\"event\":\"{name}\"");
        let at = text.find(&begin).expect(name);
        let rest = &text[at..];
        let event = serde_json::Deserializer::from_str(rest).into_iter::<serde_json::Value>().next();
        event.expect("an event").expect("an event").to_string()
    }

    /// Writes a step as the daemon would.
    fn write_step(&self, events: &str) {
        let folder = self.path("workspace/.tasuki/journal");
        let opened = Journal::open(&folder, "tampered", || Box::new(|_, _| {}), &mut |_| Ok(()));
        let (mut journal, _) = opened.expect("the journal");
        let step = StepLine { seq: journal.next_seq(), at: Millis(1), events: format!("[{events}]").into() };
        journal.append(&[step], true).expect("to write");
        journal.close().expect("to close");
    }

    /// Adds a line to a record.
    fn add(&self, name: &str, line: &str) {
        let old = fs::read_to_string(self.path(name)).unwrap_or_default();
        fs::write(self.path(name), format!("{old}{line}\n")).expect(name);
    }

    fn heard(&self) -> String {
        fs::read_to_string(self.path("record/heard/a0")).expect("what a0 heard")
    }

    /// A turn that `a0` heard unmarked and that was decided once: on a loaded machine the first one may be a turn that was typed again.
    fn heard_once(&self) -> String {
        let journal = fs::read_to_string(self.journal()).expect("the journal");
        let decided = |token: &str| {
            let events = journal.split("{\"event\":").filter(|event| event.contains("\"to\":\"intent\""));
            events.filter(|event| event.contains(&format!("\"token\":\"{token}\""))).count()
        };
        let once = |line: &&str| {
            let token = line.split_once("(token ").and_then(|(_, rest)| rest.split_once(')'));
            line.starts_with("false ") && token.is_some_and(|(token, _)| decided(token) == 1)
        };
        self.heard().lines().find(once).expect("a turn").to_owned()
    }
}

/// Cuts the journal off before the last end of a message.
fn forget_the_last_end(run: &Run) {
    let text = fs::read_to_string(run.journal()).expect("the journal");
    let at = text.rfind("{\"event\":\"ended\"").expect("an end");
    let line = text[..at].rfind('\n').expect("a line") + 1;
    fs::write(run.journal(), &text[..line]).expect("to cut it");
}

fn remove(path: &Path) {
    fs::remove_file(path).expect("to remove it");
}

fn change_last_byte(path: &Path) {
    let mut bytes = fs::read(path).expect("a file");
    let last = bytes.iter().rposition(u8::is_ascii_alphanumeric).expect("a letter");
    bytes[last] = if bytes[last] == b'x' { b'y' } else { b'x' };
    fs::write(path, bytes).expect("to change it");
}

/// A letter of the content of a view.
fn change_content(path: &Path) {
    let text = fs::read_to_string(path).expect("a view");
    let at = text.find("\ncontent: ").expect("a content") + "\ncontent: ".len();
    let at = at + text[at..].find(|c: char| c.is_ascii_lowercase()).expect("a letter");
    let new = if &text[at..=at] == "x" { "y" } else { "x" };
    fs::write(path, format!("{}{new}{}", &text[..at], &text[at + 1..])).expect("to change it");
}

fn parcel(id: &str, name: &str) -> String {
    format!(
        "{{\"what\":\"giving\",\"number\":99999,\"way\":\"renamed\",\"fate\":\"accepted\",\"name\":\"{name}\",\"bytes\":\"\",\
         \"letters\":[{{\"id\":{id},\"to\":\"a0\",\"kind\":\"task\",\"priority\":\"normal\",\"depends_on\":[],\
         \"content\":\"none\",\"handed_on\":null}}]}}\n{{\"what\":\"given\",\"number\":99999,\"at\":1}}"
    )
}

/// The first of the record's lines of parcels with this in it, as it is and changed so.
fn change_parcel(run: &Run, with: &str, change: impl FnOnce(&mut serde_json::Value)) {
    let path = run.path("record/drops.jsonl");
    let text = fs::read_to_string(&path).expect("the record");
    let line = text.lines().find(|line| line.contains(with)).expect(with);
    let mut parcel: serde_json::Value = serde_json::from_str(line).expect("a parcel");
    change(&mut parcel);
    fs::write(&path, text.replacen(line, &parcel.to_string(), 1)).expect("to change it");
}

/// The id of the first message that ended so.
fn ended(run: &Run, outcome: &str) -> String {
    let text = fs::read_to_string(run.journal()).expect("the journal");
    let mut ends = text.split("{\"event\":\"ended\",\"id\":\"").skip(1);
    let end = ends.find(|rest| rest[..80].contains(&format!("\"outcome\":\"{outcome}\""))).expect(outcome);
    end[..end.find('"').expect("its end")].to_owned()
}

fn called_off(run: &Run, id: &str) {
    run.add("record/drops.jsonl", &format!("{{\"what\":\"called_off\",\"id\":\"{id}\",\"said\":\"done\"}}"));
}

/// A turn that begins when it must not.
fn begin_a_turn(run: &Run, after: &str) {
    let turn = "{\"event\":\"moved\",\"id\":\"t1\",\"to\":\"intent\",\"agent\":\"a0\",\
                \"turn\":{\"number\":9,\"kind\":\"task\",\"token\":\"zzzzz9\"}}";
    run.write_step(&format!("{after},{turn}"));
}

type Tamper = (&'static str, fn(&Run));

/// What is done to a finished run, and what the oracle has to say of it.
const TAMPERS: &[Tamper] = &[
    ("has no result in queue/results/", |run| {
        remove(&run.files("workspace/queue/results", &["type: result"])[0])
    }),
    ("is not the answer of its agent", |run| {
        let results = run.files("workspace/queue/results", &["type: result"]);
        fs::copy(&results[0], &results[1]).expect("to copy");
    }),
    ("is not the answer of its agent", |run| {
        let result = &run.files("workspace/queue/results", &["type: result"])[0];
        let text = fs::read_to_string(result).expect("a result");
        fs::write(result, text.replace("content: ", "content: no ")).expect("to change it");
    }),
    ("does not hold what was sent", |run| change_content(&run.done())),
    ("is not in queue/done/", |run| remove(&run.done())),
    ("is in queue/done/ 2 times", |run| {
        let file = run.done();
        fs::create_dir_all(run.path("workspace/queue/done/2000-01-01")).expect("a day");
        let name = file.file_name().expect("a name");
        fs::copy(&file, run.path("workspace/queue/done/2000-01-01").join(name)).expect("to copy");
    }),
    ("times without being marked as given before", |run| {
        run.add("record/heard/a0", &run.heard_once());
    }),
    ("and the journal decided it", |run| {
        run.add("record/heard/a0", &run.heard_once().replacen("false", "true", 1));
    }),
    ("of which the journal knows nothing", |run| {
        let heard = run.heard();
        let line = heard.lines().find(|line| line.contains("(token ")).expect("a turn");
        let at = line.find("(token ").expect("a token") + "(token ".len();
        run.add("record/heard/a0", &format!("{}zzzzz9{}", &line[..at], &line[at + 6..]));
    }),
    ("read another content of", |run| {
        let heard = run.heard();
        let line = heard.lines().next().expect("a line");
        fs::write(run.path("record/heard/a0"), heard.replacen(&line[6..10], "----", 1)).expect("to write");
    }),
    ("is not a turn", |run| run.add("record/heard/a0", "false 00 ls -l")),
    ("which nobody sent", |run| {
        run.add("record/heard/a0", "false 00 [tasuki] info forged from user: read x; nothing to answer.");
    }),
    ("has not ended", forget_the_last_end),
    ("ended 2 times", |run| run.write_step(&run.event("ended"))),
    ("was accepted 2 times", |run| run.write_step(&run.event("accepted"))),
    ("was accepted, and nobody sent it", |run| {
        let event: serde_json::Value = serde_json::from_str(&run.event("accepted")).expect("an event");
        let id = event["id"].as_str().expect("an id").to_owned();
        let forged = event.to_string().replace(&format!("\"{id}\""), "\"nobodys\"");
        run.write_step(&forged.replace("\"content\":\"", "\"content\":\"!"));
    }),
    ("the journal has another content of", |run| {
        let path = run.path("record/drops.jsonl");
        let text = fs::read_to_string(&path).expect("the record");
        // The first letter that has an id; one without is known by its content alone.
        let at = text.find("\"letters\":[{\"id\":\"").expect("an id");
        let at = at + text[at..].find("\"content\":\"").expect("a digest") + "\"content\":\"".len();
        fs::write(&path, format!("{}0000{}", &text[..at], &text[at + 4..])).expect("to change it");
    }),
    ("the journal is not sound", |run| {
        let path = run.journal();
        let mut bytes = fs::read(&path).expect("the journal");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(&path, bytes).expect("to change it");
    }),
    ("gone was never accepted", |run| run.add("record/drops.jsonl", &parcel("\"gone\"", "gone.yaml"))),
    ("a message without an id in `gone.yaml` was never accepted", |run| {
        run.add("record/drops.jsonl", &parcel("null", "gone.yaml"));
    }),
    ("was neither accepted nor known for a duplicate", |run| {
        let path = run.path("record/drops.jsonl");
        let text = fs::read_to_string(&path).expect("the record");
        let duplicate = text.lines().find(|line| line.contains("\"duplicate\"")).expect("a duplicate");
        let mut parcel: serde_json::Value = serde_json::from_str(duplicate).expect("a parcel");
        parcel["name"] = "vanished.yaml".into();
        run.add("record/drops.jsonl", &parcel.to_string());
    }),
    ("and is not in queue/rejected/", |run| {
        let reason = &run.files("workspace/queue/rejected", &["code: ", "cure: "])[0];
        let name = reason.to_string_lossy().replace(".reason.yaml", "");
        remove(Path::new(&name));
    }),
    ("was refused for another reason", |run| {
        remove(&run.files("workspace/queue/rejected", &["code: ", "cure: "])[0]);
    }),
    ("is not as it was dropped", |run| {
        let reason = &run.files("workspace/queue/rejected", &["code: to-missing"])[0];
        change_last_byte(Path::new(&reason.to_string_lossy().replace(".reason.yaml", "")));
    }),
    ("and the journal does not say so", |run| {
        let path = run.path("record/drops.jsonl");
        let text = fs::read_to_string(&path).expect("the record");
        let refused = text.lines().find(|line| line.contains("\"refused\"")).expect("a refused one");
        let mut parcel: serde_json::Value = serde_json::from_str(refused).expect("a parcel");
        let name = parcel["name"].as_str().expect("a name").to_owned();
        parcel["name"] = "other.yaml".into();
        for end in ["", ".reason.yaml"] {
            let from = run.path(&format!("workspace/queue/rejected/{name}{end}"));
            fs::copy(from, run.path(&format!("workspace/queue/rejected/other.yaml{end}"))).expect("to copy");
        }
        run.add("record/drops.jsonl", &parcel.to_string());
    }),
    ("was refused 2 times", |run| run.write_step(&run.event("refused"))),
    ("and should not have been refused", |run| run.add("workspace/queue/rejected/good.yaml", "to: a0")),
    ("was dropped and never taken", |run| run.add("workspace/queue/waits.yaml", "to: a0")),
    ("was never removed", |run| run.add("workspace/.tasuki/claim/00-0-x.yaml", "to: a0")),
    ("is there, and it has ended", |run| {
        let file = run.done();
        let name = file.file_name().expect("a name");
        fs::copy(&file, run.path("workspace/queue/active").join(name)).expect("to copy");
    }),
    ("answers nothing that was asked", |run| run.add("workspace/queue/results/nobody.yaml", "content: x")),
    ("/.half.tmp is left", |run| run.add("workspace/queue/results/.half.tmp", "content: x")),
    ("has told of the end of", forget_the_last_end),
    ("start took 60000 ms", |run| {
        run.add("record/deeds.jsonl", "{\"what\":\"started\",\"ms\":60000,\"at\":1}");
    }),
    ("process 1 is left", |run| {
        run.add("record/deeds.jsonl", "{\"what\":\"odd\",\"text\":\"process 1 is left\",\"at\":1}");
    }),
    ("was begun and never given", |run| {
        let both = parcel("\"gone\"", "gone.yaml");
        run.add("record/drops.jsonl", both.lines().next().expect("its first line"));
    }),
    ("is not what it was when it was read first", |run| {
        change_last_byte(&run.files("workspace/queue/results", &["type: result"])[0]);
    }),
    (".yaml was there: ", |run| remove(&run.done())),
    ("was said to be cancelled and ended as Some(Completed)", |run| {
        called_off(run, &ended(run, "completed"))
    }),
    ("was said to be cancelled, and nobody knows it", |run| called_off(run, "nobodys")),
    // Nobody asked for that, nor did anything end that it belongs to.
    ("forged ended as Cancelled after", |run| {
        let forge = |name: &str| {
            let event = run.event(name);
            let id: serde_json::Value = serde_json::from_str(&event).expect("an event");
            event.replacen(&format!("\"id\":{}", id["id"]), "\"id\":\"forged\"", 1)
        };
        let end = forge("ended").replace("\"completed\"", "\"cancelled\"");
        run.write_step(&format!("{},{end}", forge("accepted")));
    }),
    ("ended as Completed after", |run| {
        let id = ended(run, "completed");
        change_parcel(run, &format!("\"id\":\"{id}\""), |parcel| {
            let letters = parcel["letters"].as_array_mut().expect("letters");
            letters.iter_mut().filter(|letter| letter["id"] == *id).for_each(|letter| {
                letter["endless"] = true.into();
            });
        });
    }),
    ("while everything was held", |run| begin_a_turn(run, "{\"event\":\"halted\",\"since\":1}")),
    ("while its agent did not run", |run| {
        begin_a_turn(run, "{\"event\":\"agent\",\"name\":\"a0\",\"change\":\"down\",\"why\":\"x\"}");
    }),
    // Of two that say different things under one id it is known which was accepted, and the other is to be refused.
    ("should have been refused (id-conflict)", |run| {
        let number = serde_json::json!(99_999);
        change_parcel(run, "\"fate\":\"accepted\"", |parcel| parcel["fate"] = "rival".into());
        let path = run.path("record/drops.jsonl");
        let text = fs::read_to_string(&path).expect("the record");
        let rival = text.lines().find(|line| line.contains("\"fate\":\"rival\"")).expect("a rival");
        let mut parcel: serde_json::Value = serde_json::from_str(rival).expect("a parcel");
        (parcel["number"], parcel["name"]) = (number, "rival.yaml".into());
        parcel["letters"][0]["id"] = ended(run, "completed").into();
        parcel["letters"][0]["content"] = "other".into();
        run.add("record/drops.jsonl", &parcel.to_string());
    }),
    ("should have been refused (deadline-past)", |run| {
        let late = parcel("\"gone\"", "gone.yaml").replace("\"accepted\"", "\"late\"");
        run.add("record/drops.jsonl", &late);
    }),
    ("is not what was sent", |run| {
        let id = ended(run, "completed");
        change_parcel(run, &format!("\"id\":\"{id}\""), |parcel| {
            let letters = parcel["letters"].as_array_mut().expect("letters");
            letters.iter_mut().for_each(|letter| letter["deadline_ms"] = 1.into());
        });
    }),
    ("was there in part", |run| {
        run.add("record/seen.jsonl", "{\"what\":\"odd\",\"text\":\"x.yaml was there in part\",\"at\":1}");
    }),
    ("could not be given", |run| {
        run.add("record/drops.jsonl", "{\"what\":\"not_given\",\"number\":1,\"why\":\"no room\"}");
    }),
];

#[test]
fn the_oracle_finds_whatever_is_tampered_with() {
    let finished = Finished::new();
    let untouched = finished.after(0, &|_| {});
    assert!(untouched.status.success(), "{}", text(&untouched));
    let (tell, missed) = mpsc::channel();
    let (finished, next) = (&finished, &AtomicUsize::new(0));
    // Looking at a run takes a second, most of it the digests of what was read.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let tell = tell.clone();
            scope.spawn(move || {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some((finding, tamper)) = TAMPERS.get(number) else { return };
                    let output = finished.after(number + 1, tamper);
                    if output.status.code() != Some(1) || !text(&output).contains(finding) {
                        tell.send(format!("{finding}: {}", text(&output))).expect("a listener");
                    }
                }
            });
        }
    });
    drop(tell);
    let missed: Vec<String> = missed.iter().collect();
    assert!(missed.is_empty(), "{}", missed.join("\n\n"));
}

#[test]
fn what_cannot_be_tortured_is_said_clearly() {
    let nowhere = torture(&["--dir"], Path::new("/no/such/folder"));
    assert_eq!(nowhere.status.code(), Some(1), "{}", text(&nowhere));
    assert!(text(&nowhere).contains("/no/such/folder"), "{}", text(&nowhere));
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tasuki"));
    command.args(["torture", "--dir"]).arg(folder.path()).env("PATH", folder.path());
    let no_tmux = command.output().expect("tasuki");
    assert_eq!(no_tmux.status.code(), Some(1), "{}", text(&no_tmux));
    assert!(text(&no_tmux).contains("tmux"), "{}", text(&no_tmux));
    assert_eq!(kept(folder.path()), None, "nothing is left of what never began");
}
