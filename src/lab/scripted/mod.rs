//! `tasuki agent scripted`: tasuki's own agent. It sits in a pane like any CLI agent, takes doorbell lines from its
//! terminal and plays a YAML script; the demo, the tests and the benches use it in place of a real CLI.
//!
//! One turn: `terminal` gives a line → `turn` reads it and the task's file → `rules` picks the actions → `play` plays
//! them, one match → `terminal` shows them. What a script may say is in `script`; `protocol/SCRIPTED.md` explains it.

mod action;
mod bottom;
mod claim;
mod deeds;
mod dialog;
mod emphasis;
mod input_box;
mod keys;
mod lines;
mod load;
mod look;
mod mail;
mod once;
mod outward;
mod play;
mod program;
mod rules;
mod screen;
mod script;
mod terminal;
mod text;
mod tty;
mod tui;
mod turn;
mod values;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::process::ExitCode;
use std::rc::Rc;

use self::claim::Phrase;
use self::input_box::Manners;
use self::mail::Mail;
use self::play::Player;
use self::rules::Rules;
use self::script::Script;
use self::terminal::Terminal;
use self::turn::Places;
use crate::lab::chance::Chance;
use crate::lab::trouble::{Kind, Trouble};
use crate::wire::number::read_whole;

/// Whether a text is a script that can be played.
///
/// # Errors
/// What is wrong with it, with its line.
pub fn check(text: &str, name: &str) -> Result<(), Trouble> {
    load::parse(text, name).map(drop)
}

/// The arguments of `tasuki agent scripted`.
#[derive(Debug, Clone, clap::Args)]
pub struct ScriptedArgs {
    /// Script to play, as protocol/SCRIPTED.md describes it. Without one, each task is answered at once
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Phrase of the agent: its `marker:` in the team file
    #[arg(long, value_name = "PHRASE", required_unless_present = "once")]
    pub phrase: Option<String>,
    /// Answer the standard input once, in Markdown, and end
    #[arg(long, conflicts_with_all = ["script", "phrase"])]
    pub once: bool,
    /// Seed of the random numbers: the same seed plays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = read_whole::<u64>)]
    pub seed: u64,
}

/// Plays until the script or the terminal ends it. The exit code is 0 at the end of the input, or what the script says.
///
/// # Errors
/// Why nothing is played, or not to the end.
pub fn run(args: &ScriptedArgs) -> Result<ExitCode, Trouble> {
    let failed = |error| Trouble::bare(Kind::Failed, "terminal", format!("the terminal failed: {error}"));
    if args.once {
        return once::answer().map(|()| ExitCode::SUCCESS).map_err(failed);
    }
    let no_phrase =
        |why| Trouble::new(Kind::Rejected, "phrase", why, "give the agent's `marker:` of the team file");
    let phrase = Phrase::new(args.phrase.as_deref().unwrap_or_default()).map_err(no_phrase)?;
    let script = args.script.as_deref().map_or_else(|| Ok(Script::default()), load::load)?;
    perform(script, phrase, args.seed).map(ExitCode::from).map_err(failed)
}

fn perform(mut script: Script, phrase: Phrase, seed: u64) -> std::io::Result<u8> {
    let mut chance = Chance::new(seed);
    let ready_after = script.ready_after.pick(&mut chance);
    let manners = Manners::of(&script, &mut chance);
    let rules = Rules::new(std::mem::take(&mut script.rules));
    let script = Rc::new(script);
    let terminal = match Terminal::open(Rc::clone(&script), manners) {
        Ok(terminal) => terminal,
        Err(stop) => return stop.code(),
    };
    let mail = Mail::new(Places::of_this_process());
    Player { script, terminal, rules, phrase, chance, mail, turns: 0, stale: None }.play(ready_after)
}
