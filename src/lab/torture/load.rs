//! The load: gives one parcel after the other, by every way there is, and goes on whatever happens to the daemon meanwhile.

use super::news::News;
use super::plan::{Made, Plan};
use super::record::{CallOff, Note, Parcel, Recorder, Way};
use super::setting::Wish;
use super::stop::{Stop, wait};
use super::world::World;
use crate::io::client::{ANSWER_DEADLINE, Client, ClientError};
use crate::io::clock::Clock;
use crate::io::workspace::{Surroundings, Workspace};
use crate::lab::chance::Chance;
use crate::wire::api::{Accepted, Done};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Messages that may be on their way at the same time, for each agent: enough that each has a queue.
const OPEN_AN_AGENT: usize = 6;
/// Longest pause between two parcels.
const PAUSE_MS: u64 = 60;
/// Parcels in a burst, at most.
const BURST: u64 = 12;
/// Between two tries of a request that nobody answered.
const AGAIN: Duration = Duration::from_millis(20);
/// After so many of a hundred parcels a message is called off.
const CALLED_OFF_PERCENT: u64 = 8;
/// What is said where there is no room: it is given again until there is.
const FULL: &str = "disk-full";
/// A command that leaves a message ends within this time, whatever the daemon does.
const SEND_DEADLINE: Duration = Duration::from_secs(90);

/// Who gives parcels.
#[derive(Debug)]
pub(super) struct Load {
    plan: Plan,
    chance: Chance,
    record: Recorder,
    workspace: Workspace,
    around: Surroundings,
    clock: Clock,
    wish: Wish,
    given: u64,
}

/// What has come of something that takes its time.
enum Came {
    Given(u64, Result<(), String>),
    CalledOff(String, CallOff),
}

impl Load {
    pub(super) fn new(world: &World, record: Recorder, wish: Wish) -> Self {
        let (workspace, around) = world.address();
        Self {
            plan: Plan::new(wish.seed, wish.agents, workspace.results(), || Clock::start().wall()),
            chance: Chance::of_part(wish.seed, 2),
            record,
            workspace,
            around,
            clock: world.clock,
            wish,
            given: 0,
        }
    }

    /// Gives parcels until so many messages were given or it is stopped, and waits for those on their way.
    pub(super) async fn run(mut self, news: mpsc::Sender<News>, mut stop: Stop) -> io::Result<()> {
        let mut under_way = JoinSet::new();
        let open_max = OPEN_AN_AGENT * self.wish.agents;
        let mut burst = 0;
        while !*stop.borrow() && self.wish.messages.is_none_or(|most| self.given < most) {
            self.come_to_rest(&mut under_way).await?;
            let open = self.open() + under_way.len();
            news.send(News::Open(open)).await.map_err(io::Error::other)?;
            if open >= open_max {
                wait(Duration::from_millis(10), &mut stop).await;
                continue;
            }
            for made in self.plan.next() {
                let giving = Note::Giving(made.parcel.clone());
                self.record.note(&giving)?;
                self.given += made.parcel.messages() as u64;
                news.send(News::Noted(giving)).await.map_err(io::Error::other)?;
                self.give(made, &mut under_way)?;
            }
            if self.chance.percent(CALLED_OFF_PERCENT)
                && let Some(id) = self.plan.unwanted(&mut self.chance)
            {
                self.call_off(id, &mut under_way)?;
            }
            if burst == 0 {
                burst = if self.chance.percent(8) { self.chance.within(2, BURST) } else { 0 };
                wait(Duration::from_millis(self.chance.below(PAUSE_MS)), &mut stop).await;
            } else {
                burst -= 1;
            }
        }
        while let Some(given) = under_way.join_next().await {
            self.note(given.map_err(io::Error::other)?)?;
        }
        Ok(())
    }

    fn give(&mut self, made: Made, under_way: &mut JoinSet<Came>) -> io::Result<()> {
        let Made { parcel, bytes } = made;
        let (queue, number) = (self.workspace.queue(), parcel.number);
        match parcel.way {
            Way::Renamed => {
                let name = parcel.name;
                match rename_in(&queue, &name, &bytes) {
                    Err(error) if error.kind() == io::ErrorKind::StorageFull => {
                        under_way.spawn(async move {
                            Came::Given(number, when_there_is_room(|| rename_in(&queue, &name, &bytes)).await)
                        });
                    }
                    given => self.note(Came::Given(number, given.map_err(|error| error.to_string())))?,
                }
            }
            Way::Slowly => {
                let pauses = self.pauses(bytes.len());
                under_way.spawn(async move {
                    Came::Given(number, write_slowly(&queue, &parcel.name, &bytes, pauses).await)
                });
            }
            Way::Send => {
                let command = self.send_command(&parcel);
                under_way.spawn(async move { Came::Given(number, send(command, bytes).await) });
            }
            Way::Socket => {
                let (workspace, around) = (self.workspace.clone(), self.around.clone());
                under_way.spawn(async move {
                    let asked =
                        tokio::task::spawn_blocking(move || post(&workspace, &around, &parcel, &bytes));
                    Came::Given(number, asked.await.unwrap_or_else(|error| Err(error.to_string())))
                });
            }
        }
        Ok(())
    }

    /// Notes what has been given since.
    async fn come_to_rest(&mut self, under_way: &mut JoinSet<Came>) -> io::Result<()> {
        while let Some(given) = under_way.try_join_next() {
            self.note(given.map_err(io::Error::other)?)?;
        }
        Ok(())
    }

    fn note(&mut self, came: Came) -> io::Result<()> {
        self.record.note(&match came {
            Came::Given(number, Ok(())) => Note::Given { number, at: self.clock.wall().0 },
            Came::Given(number, Err(why)) => Note::NotGiven { number, why },
            Came::CalledOff(id, said) => Note::CalledOff { id, said },
        })
    }

    /// Asks once, as a person does: what was done if nobody answers, nobody knows.
    fn call_off(&mut self, id: String, under_way: &mut JoinSet<Came>) -> io::Result<()> {
        self.record.note(&Note::CallingOff { id: id.clone() })?;
        let (workspace, around) = (self.workspace.clone(), self.around.clone());
        let end = if self.chance.percent(30) { "?let_finish=true" } else { "" };
        let path = format!("/api/messages/{id}/cancel{end}");
        under_way.spawn(async move {
            let asked = tokio::task::spawn_blocking(move || {
                let client = Client::new(&workspace, &around)?;
                client.post::<Done>(&path, &serde_json::json!({}), ANSWER_DEADLINE)
            });
            let said = match asked.await {
                Ok(Ok(_)) => CallOff::Done,
                Ok(Err(ClientError::Refused(_))) => CallOff::Nothing,
                _ => CallOff::Unanswered,
            };
            Came::CalledOff(id, said)
        });
        Ok(())
    }

    /// How many are on their way, as far as files show it.
    fn open(&self) -> usize {
        let count = |folder: PathBuf| fs::read_dir(folder).map_or(0, Iterator::count);
        count(self.workspace.queue()) + count(self.workspace.claim()) + count(self.workspace.active())
    }

    /// Where a slow writer cuts a file of so many bytes, and how long it rests there.
    fn pauses(&mut self, bytes: usize) -> Vec<(usize, Duration)> {
        let mut cuts: Vec<usize> = (0..self.chance.size(1, 5)).map(|_| self.chance.size(0, bytes)).collect();
        cuts.sort_unstable();
        cuts.into_iter().map(|cut| (cut, Duration::from_millis(self.chance.within(5, 200)))).collect()
    }

    fn send_command(&self, parcel: &Parcel) -> Command {
        let mut command = Command::new(&self.around.exe);
        command.arg("send").arg("--root").arg(self.workspace.root()).current_dir(self.workspace.root());
        for letter in &parcel.letters {
            let id = letter.id.as_deref().unwrap_or_default();
            command.args([
                &letter.to,
                "-",
                "--id",
                id,
                "--type",
                &letter.kind,
                "--priority",
                &letter.priority,
            ]);
        }
        command.env_clear().envs(&self.around.vars).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        command
    }
}

/// Tries again for as long as the disk is full.
async fn when_there_is_room(mut act: impl FnMut() -> io::Result<()>) -> Result<(), String> {
    loop {
        match act() {
            Err(error) if error.kind() == io::ErrorKind::StorageFull => tokio::time::sleep(AGAIN).await,
            done => return done.map_err(|error| error.to_string()),
        }
    }
}

/// As programs should.
fn rename_in(queue: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let part = queue.join(format!(".{name}.tmp"));
    fs::write(&part, bytes)?;
    fs::rename(part, queue.join(name))
}

/// As programs should not: under its own name, in parts, with a rest after each.
async fn write_slowly(
    queue: &Path,
    name: &str,
    bytes: &[u8],
    pauses: Vec<(usize, Duration)>,
) -> Result<(), String> {
    let mut made = None;
    when_there_is_room(|| File::create_new(queue.join(name)).map(|file| made = Some(file))).await?;
    let Some(mut file) = made else { return Err("no file".to_owned()) };
    let mut from = 0;
    for (cut, pause) in pauses {
        write_on(&mut file, bytes.get(from..cut).unwrap_or_default()).await?;
        from = cut;
        tokio::time::sleep(pause).await;
    }
    write_on(&mut file, bytes.get(from..).unwrap_or_default()).await
}

/// Writes all of it, with rests where the disk is full.
async fn write_on(file: &mut File, mut bytes: &[u8]) -> Result<(), String> {
    when_there_is_room(|| {
        while !bytes.is_empty() {
            let written = file.write(bytes)?;
            bytes = bytes.get(written..).unwrap_or_default();
        }
        Ok(())
    })
    .await
}

async fn send(mut command: Command, text: Vec<u8>) -> Result<(), String> {
    let ends = async {
        loop {
            let mut child = command.spawn()?;
            if let Some(mut input) = child.stdin.take() {
                input.write_all(&text).await?;
            }
            let output = child.wait_with_output().await?;
            let said = String::from_utf8_lossy(&output.stderr);
            let no_room = [FULL, "nearly full", "No space left"].into_iter().any(|word| said.contains(word));
            if output.status.success() || !no_room {
                return io::Result::Ok(output);
            }
            tokio::time::sleep(AGAIN).await;
        }
    };
    match tokio::time::timeout(SEND_DEADLINE, ends).await {
        Ok(Ok(output)) if output.status.success() => Ok(()),
        Ok(Ok(output)) => {
            Err(format!("tasuki send: {}: {}", output.status, String::from_utf8_lossy(&output.stderr).trim()))
        }
        Ok(Err(error)) => Err(format!("tasuki send: {error}")),
        Err(_) => Err(format!("tasuki send has not ended after {SEND_DEADLINE:?}")),
    }
}

/// Asks until it is answered: with its id, it may be asked again.
fn post(workspace: &Workspace, around: &Surroundings, parcel: &Parcel, bytes: &[u8]) -> Result<(), String> {
    let clock = Clock::start();
    let began = clock.now();
    let Some(letter) = parcel.letters.first() else { return Ok(()) };
    let message = serde_json::json!({
        "id": letter.id, "to": letter.to, "type": letter.kind, "priority": letter.priority,
        "content": String::from_utf8_lossy(bytes),
    });
    loop {
        let client = Client::new(workspace, around).map_err(|error| error.to_string())?;
        match client.post::<Accepted>("/api/messages", &message, ANSWER_DEADLINE) {
            Ok(_) => return Ok(()),
            Err(ClientError::Refused(problem)) if problem.code == FULL => client.pause(AGAIN),
            Err(ClientError::Refused(problem)) => {
                return Err(format!("the socket refused it: {}: {}", problem.code, problem.why));
            }
            Err(error) if u128::from(clock.now().since(began)) > SEND_DEADLINE.as_millis() => {
                return Err(format!("the socket: {error}"));
            }
            Err(_) => client.pause(AGAIN),
        }
    }
}
