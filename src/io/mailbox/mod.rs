//! stub for bring-up
use crate::engine::refusal::Refusal;
use crate::engine::words::Millis;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
pub struct Found {
    pub claim: Arc<str>,
    pub name: Arc<str>,
    pub bytes: Result<Vec<u8>, Refusal>,
}
pub struct Scan {
    pub found: Vec<Found>,
    pub notes: Vec<String>,
}
#[derive(Debug, thiserror::Error)]
pub enum MailboxError {
    #[error("x")]
    X,
}
pub struct Mailbox {
    q: PathBuf,
    c: PathBuf,
    n: u64,
    stop: PathBuf,
    first: bool,
}
impl Mailbox {
    pub fn open(w: &crate::io::workspace::Workspace) -> Result<Self, MailboxError> {
        Ok(Self { q: w.queue(), c: w.claim(), n: 0, stop: w.stop_file(), first: true })
    }
    pub fn next_look(&self, _: Millis) -> Duration {
        Duration::from_millis(200)
    }
    pub fn scan(&mut self, b: usize, _: Millis) -> Scan {
        let mut found = vec![];
        for e in std::fs::read_dir(&self.q).unwrap() {
            if found.len() >= b {
                break;
            }
            let e = e.unwrap();
            let name = e.file_name().into_string().unwrap();
            if !name.ends_with(".yaml") || name.starts_with('.') || !e.path().is_file() {
                continue;
            }
            self.n += 1;
            let claim = format!("{}-{}-{}", std::process::id(), self.n, name);
            let p = self.c.join(&claim);
            std::fs::rename(e.path(), &p).unwrap();
            found.push(Found {
                claim: claim.into(),
                name: name.into(),
                bytes: Ok(std::fs::read(&p).unwrap()),
            });
        }
        self.first = false;
        Scan { found, notes: vec![] }
    }
    pub fn stop_file(&self) -> bool {
        self.stop.exists()
    }
    pub fn forget(&mut self, c: &[Arc<str>]) {
        for c in c {
            let _ = std::fs::remove_file(self.c.join(&**c));
        }
    }
    pub fn reject(&mut self, c: &str, n: &str, r: &Refusal, _: Millis) {
        let d = self.q.join("rejected");
        let _ = std::fs::create_dir_all(&d);
        let _ = std::fs::rename(self.c.join(c), d.join(n));
        let _ = std::fs::write(
            d.join(format!("{n}.reason.yaml")),
            format!("code: {}\nwhy: {}\n", r.code.word(), r.why),
        );
    }
}
