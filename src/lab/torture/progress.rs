//! What goes on: one line that moves on a terminal, a line each ten seconds elsewhere.

use super::news::News;
use super::report::several;
use super::setting::Setting;
use crate::io::clock::Clock;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

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
    slowest: Duration,
    slow: u64,
    odd: u64,
}

impl Progress {
    pub(super) fn new(setting: Setting<'_>) -> Self {
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
            slowest: Duration::ZERO,
            slow: 0,
            odd: 0,
        }
    }

    pub(super) fn hear(&mut self, news: News) {
        match news {
            News::Given(messages) => self.messages += messages,
            News::Open(open) => self.open = open,
            News::Struck { deadly } => self.kills += u64::from(deadly),
            News::Started { took, slow } => {
                self.slowest = self.slowest.max(took);
                self.slow += u64::from(slow);
            }
            News::Odd(text) => {
                self.odd += 1;
                self.say(&format!("found: {text}"));
            }
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
            self.slowest.as_millis()
        );
        if self.slow + self.odd > 0 {
            line.push_str(&format!(", {} found", self.slow + self.odd));
        }
        line
    }
}
