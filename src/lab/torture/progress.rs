//! What goes on: one line that moves on a terminal, a line each ten seconds elsewhere.

use super::news::News;
use super::record::Note;
use super::report::several;
use super::setting::Setting;
use crate::io::clock::Clock;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Between two lines where nothing can move.
const LINE_MS: u64 = 10_000;

/// What was heard so far.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    clock: Clock,
    last_line: crate::engine::words::Millis,
    silent: bool,
    messages: u64,
    kills: u64,
    open: usize,
    start_limit_ms: u64,
    slowest_ms: u64,
    slow: u64,
    odd: u64,
}

impl Progress {
    pub(super) fn new(setting: Setting<'_>, start_limit_ms: u64) -> Self {
        let bar = (!setting.json && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{spinner} {elapsed} {msg}");
            ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
        });
        let clock = Clock::start();
        Self {
            bar,
            clock,
            last_line: clock.now(),
            silent: setting.json,
            messages: 0,
            kills: 0,
            open: 0,
            start_limit_ms,
            slowest_ms: 0,
            slow: 0,
            odd: 0,
        }
    }

    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Open(open) => self.open = open,
            News::Noted(Note::Giving(parcel)) => self.messages += parcel.messages() as u64,
            News::Noted(Note::Struck { deadly, .. }) => self.kills += u64::from(deadly),
            News::Noted(Note::Started { ms, .. }) => {
                self.slowest_ms = self.slowest_ms.max(ms);
                self.slow += u64::from(ms > self.start_limit_ms);
            }
            News::Noted(Note::Odd { text, .. }) => {
                self.odd += 1;
                self.say(&format!("found: {text}"));
            }
            News::Noted(_) => {}
        }
    }

    /// Shows it, if it is time.
    pub(super) fn tick(&mut self) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(self.line());
                bar.tick();
            }
            None if self.clock.now().since(self.last_line) >= LINE_MS => {
                self.last_line = self.clock.now();
                self.say(&self.line());
            }
            None => {}
        }
    }

    /// A line of its own.
    pub(super) fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None if self.silent => {}
            None => eprintln!("{text}"),
        }
    }

    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_with_message(self.line());
        }
    }

    fn line(&self) -> String {
        let mut line = format!(
            "{}, {}, {} on their way, slowest start {} ms",
            several(self.messages, "message"),
            several(self.kills, "kill"),
            self.open,
            self.slowest_ms
        );
        if self.slow + self.odd > 0 {
            line.push_str(&format!(", {} found", self.slow + self.odd));
        }
        line
    }
}
