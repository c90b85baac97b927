//! `tasuki agent scripted`: tasuki's own agent. It sits in a pane like any CLI agent, takes doorbell lines from its
//! terminal and plays a YAML script; the demo, the tests and the benches use it in place of a real CLI.
//!
//! One turn: `terminal` gives a line → `turn` reads it and the task's file → `rules` picks the actions → `play` plays
//! them, one match → `terminal` shows them. What a script may say is in `script`; `protocol/SCRIPTED.md` explains it.

mod action;
mod bottom;
pub(crate) mod chance;
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
mod outward;
mod pace;
mod play;
mod program;
mod rules;
mod screen;
mod script;
mod start_actions;
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

use self::chance::Chance;
use self::claim::Phrase;
use self::input_box::Manners;
use self::mail::Mail;
use self::play::{Opening, Player};
use self::rules::Rules;
use self::script::{BeforeReady, Script};
use self::terminal::{Setup, Terminal};
use self::tui::TuiSetup;
use self::turn::Places;
use crate::wire::number::read_whole;

pub use self::load::BadScript;

/// Whether a text is a script that can be played.
///
/// # Errors
/// What is wrong with it, with its line.
pub fn check(text: &str, name: &str) -> Result<(), BadScript> {
    load::parse(text, name).map(drop)
}

/// Why nothing is played, or not to the end.
#[derive(Debug, thiserror::Error)]
pub enum Unplayed {
    /// The phrase is none.
    #[error("{0}")]
    Phrase(String),
    #[error(transparent)]
    Script(#[from] BadScript),
    /// The terminal does not answer.
    #[error("the terminal failed: {0}")]
    Terminal(std::io::Error),
}

/// What stands in the input box unless the script says otherwise.
const BOX_PROMPT: &str = "> ";

/// The arguments of `tasuki agent scripted`.
#[derive(Debug, Clone, clap::Args)]
pub struct ScriptedArgs {
    /// Script to play, as protocol/SCRIPTED.md describes it. Without one, each task is answered at once
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// Phrase of the agent: its `marker:` in the team file
    #[arg(long, value_name = "PHRASE")]
    pub phrase: String,
    /// Seed of the random numbers: the same seed plays the same
    #[arg(long, value_name = "NUMBER", default_value_t = 0, value_parser = read_whole::<u64>)]
    pub seed: u64,
}

/// Plays until the script or the terminal ends it. The exit code is 0 at the end of the input, or what the script says.
///
/// # Errors
/// [`Unplayed`]
pub fn run(args: &ScriptedArgs) -> Result<ExitCode, Unplayed> {
    let phrase = Phrase::new(&args.phrase).map_err(Unplayed::Phrase)?;
    let script = args.script.as_deref().map_or_else(|| Ok(Script::default()), load::load)?;
    perform(script, phrase, args.seed).map(ExitCode::from).map_err(Unplayed::Terminal)
}

fn perform(script: Script, phrase: Phrase, seed: u64) -> std::io::Result<u8> {
    let mut chance = Chance::new(seed);
    let opening = Opening {
        ready_after: script.ready_after.pick(&mut chance),
        forget_input: script.before_ready == BeforeReady::Drop,
        actions: script.at_start.0.clone(),
    };
    let terminal = match Terminal::open(setup(&script, &mut chance)) {
        Ok(terminal) => terminal,
        Err(stop) => return stop.code(),
    };
    let rules = Rules::new(script.rules);
    let mail = Mail::new(Places::of_this_process());
    Player { terminal, rules, phrase, chance, mail, turns: 0, stale: None }.play(&opening)
}

fn setup(script: &Script, chance: &mut Chance) -> Setup {
    let manners = Manners {
        paste_collapse: script.paste_collapse,
        enter_after_paste: script.enter_after_paste.pick(chance),
        enter_after_typing: script.enter_after_typing.pick(chance),
        early_enter: script.early_enter,
    };
    let tui = TuiSetup {
        prompt: script.prompt.clone().unwrap_or_else(|| BOX_PROMPT.to_owned()),
        placeholder: script.placeholder.clone().unwrap_or_default(),
        before_ready: script.before_ready,
        while_busy: script.on_enter_while_busy,
        manners,
        look: script.look.clone(),
    };
    Setup { mode: script.mode, line_prompt: script.prompt.clone(), tui }
}
