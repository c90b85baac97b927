//! Runs a program for a script: no shell, files for its input and output, and an end to its time.

use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use super::outward::Run;
use super::play::Player;
use super::text::Words;
use super::tty::Stop;

/// Between two looks at a program that runs: nobody notices, and it costs nothing.
const LOOK: Duration = Duration::from_millis(20);
/// Most bytes of a program's complaint that are read; its first line is shown.
const COMPLAINT_BYTES_MAX: u64 = 4096;

struct Running {
    child: Child,
    complaint: File,
}

impl Player {
    /// Runs a program and waits for its end. One that fails is told, as everything that goes wrong outside the terminal;
    /// what it prints is not: a script says itself what it does.
    pub(super) fn run(&mut self, run: &Run, words: &Words<'_>) -> Result<(), Stop> {
        let argv: Vec<String> = run.argv.iter().map(|word| words.fill(word)).collect();
        let stdin = run.stdin.as_ref().map(|text| words.fill(text));
        let within = run.within.pick(&mut self.chance);
        let ended = match start(&argv, stdin.as_deref()) {
            Ok(running) => self.end_of(running, within)?,
            Err(why) => Err(why),
        };
        self.confess(ended.map_err(|why| format!("`{}` {why}", argv.join(" "))))
    }

    fn end_of(&mut self, mut running: Running, within: Duration) -> Result<Result<(), String>, Stop> {
        let mut waited = Duration::ZERO;
        loop {
            match running.child.try_wait() {
                Ok(Some(status)) => return Ok(running.judge(status)),
                Ok(None) if waited >= within => {
                    running.kill();
                    return Ok(Err(format!("did not end within {}", humantime::format_duration(within))));
                }
                Ok(None) => {}
                Err(why) => return Ok(Err(format!("is lost: {why}"))),
            }
            let gone_on = self.terminal.wait(LOOK);
            if gone_on.is_err() {
                running.kill();
            }
            gone_on?;
            waited += LOOK;
        }
    }
}

impl Running {
    fn judge(mut self, status: ExitStatus) -> Result<(), String> {
        if status.success() {
            return Ok(());
        }
        let mut text = Vec::new();
        let read = self
            .complaint
            .rewind()
            .and_then(|()| (&self.complaint).take(COMPLAINT_BYTES_MAX).read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).into_owned();
        let line = text.lines().map(str::trim).find(|line| !line.is_empty()).filter(|_| read.is_ok());
        Err(format!("failed ({status}): {}", line.unwrap_or("it did not say why")))
    }

    fn kill(&mut self) {
        // One that has just ended needs no killing.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Files, not pipes: a program that prints or reads much never waits for us.
fn start(argv: &[String], stdin: Option<&str>) -> Result<Running, String> {
    let not_started = |why: std::io::Error| format!("cannot be started: {why}");
    let program = match argv.first().map(String::as_str) {
        Some("tasuki") => std::env::current_exe().map_err(not_started)?,
        program => program.unwrap_or_default().into(),
    };
    let input = match stdin {
        Some(text) => Stdio::from(file_with(text).map_err(not_started)?),
        None => Stdio::null(),
    };
    let complaint = tempfile::tempfile().map_err(not_started)?;
    let stderr = complaint.try_clone().map_err(not_started)?;
    let mut command = Command::new(program);
    command.args(argv.iter().skip(1)).stdin(input).stdout(Stdio::null()).stderr(stderr);
    let child = command.spawn().map_err(not_started)?;
    Ok(Running { child, complaint })
}

fn file_with(text: &str) -> std::io::Result<File> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    Ok(file)
}
