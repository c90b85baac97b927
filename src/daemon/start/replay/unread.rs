//! Views whose bodies cannot be read back: not just now, or never again.

use super::lived::{live, team};
use super::{Memory, open};
use crate::daemon::views::handle::finished_items;
use crate::daemon::views::item::{Item, Job};
use crate::daemon::views::worker::Worker;
use crate::io::journal::Journal;
use crate::io::views::Views;
use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

/// A life that has ended, with a workspace of its own for the views.
struct Scene {
    root: tempfile::TempDir,
    dir: PathBuf,
    memory: Memory,
    journal: Journal,
}

impl Scene {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(".tasuki/journal");
        fs::create_dir_all(&dir).unwrap();
        live(&dir);
        let (journal, memory) = open(&dir, "boot-2", team()).unwrap();
        Self { root, dir, memory, journal }
    }

    fn job(&self) -> Job {
        let ids = self.memory.fold.engine.state().finished.keys().cloned().collect();
        finished_items(&self.memory.fold.engine, &self.memory.fold.places, &ids)
    }

    /// Writes them; what could not be.
    fn write(&self, job: Job) -> Job {
        let mut worker = Worker::new(Views::open(self.root.path()).unwrap(), self.journal.reader());
        worker.write(job).failed
    }

    fn results(&self) -> usize {
        fs::read_dir(self.root.path().join("queue/results")).map_or(0, Iterator::count)
    }
}

fn segment(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("{number:06}.jsonl"))
}

fn answered(job: &Job) -> usize {
    job.iter().filter(|item| matches!(item, Item::Finished { answer: Some(_), .. })).count()
}

#[test]
fn what_cannot_be_read_just_now_is_tried_again() {
    let scene = Scene::new();
    let job = scene.job();
    let (all, answers) = (job.len(), answered(&job));
    assert!(answers > 0);
    let newest = (1..).find(|&number| !segment(&scene.dir, number + 1).exists()).unwrap();
    let (path, away) = (segment(&scene.dir, newest), scene.dir.join("away"));
    fs::rename(&path, &away).unwrap();
    fs::create_dir(&path).unwrap(); // reading it is an error of the machine
    let failed = scene.write(job);
    assert_eq!((failed.len(), scene.results()), (all, 0));
    fs::remove_dir(&path).unwrap();
    fs::rename(&away, &path).unwrap();
    assert_eq!(scene.write(failed).len(), 0);
    assert_eq!(scene.results(), answers);
}

#[test]
fn an_answer_is_shown_though_the_content_of_its_task_is_damaged() {
    let scene = Scene::new();
    let job = scene.job();
    let answers = answered(&job);
    let mut damaged = 0;
    for item in &job {
        let Item::Finished { body, answer: Some(answer), .. } = item else { continue };
        if body.step != answer.step {
            let file = fs::File::options().write(true).open(segment(&scene.dir, body.at.segment)).unwrap();
            file.write_all_at(b"#", body.at.offset + u64::from(body.at.len) / 2).unwrap();
            damaged += 1;
        }
    }
    assert!(damaged > 0, "some are answered in another step");
    assert_eq!(scene.write(job).len(), 0);
    assert_eq!(scene.results(), answers);
    let day = fs::read_dir(scene.root.path().join("queue/done")).unwrap().next().unwrap().unwrap().path();
    let told =
        |path: PathBuf| fs::read_to_string(path).unwrap().contains("cannot read this content any more");
    let told = fs::read_dir(day).unwrap().filter(|entry| told(entry.as_ref().unwrap().path())).count();
    assert!(told >= damaged, "{told} of {damaged}");
}

#[test]
fn damage_is_reported_by_the_start_that_finds_it_and_by_no_later_one() {
    let scene = Scene::new();
    assert_eq!(scene.memory.lost, None);
    let newest = (1..).find(|&number| !segment(&scene.dir, number + 1).exists()).unwrap();
    let path = segment(&scene.dir, newest);
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.windows(2).position(|two| two == b"\n{").unwrap();
    let at = end + 1 + bytes[end + 1..].iter().position(|byte| *byte == b'\n').unwrap();
    bytes[at - 3] ^= 1;
    fs::write(&path, bytes).unwrap();
    let lost = |boot: &str| open(&scene.dir, boot, team()).unwrap().1.lost;
    let told = lost("boot-3").unwrap();
    assert!(told.contains("1 of its steps is lost") && told.contains("nothing needs to be done"), "{told}");
    assert_eq!(lost("boot-4"), None);
}
