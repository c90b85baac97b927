//! The team that `tasuki init` writes: five agents, what each is told or plays, and what lies in the mailbox and the dashboard.

use crate::wire::layout::TEAM_FILE;
use std::path::PathBuf;

/// The agents' programs that are looked for on PATH, the most capable first.
pub const PROGRAMS: [&str; 5] = ["claude", "codex", "gemini", "qwen", "opencode"];
/// The provider that is always there.
pub(crate) const FALLBACK: &str = "scripted";
/// Where the repository has a team's files, and where a workspace gets them.
const HERE: [&str; 3] = ["protocol/prompts/ja/", "protocol/prompts/", "protocol/examples/team/"];
const THERE: &str = "prompts/";
/// The beginning of the line that names a script, and of the one that tells editors the schema of one.
const SCRIPT_LINE: &str = "    command: [\"{tasuki}\", agent, scripted,";
const SCHEMA_LINE: &str = "# yaml-language-server:";
/// What git should not keep of a workspace.
const IGNORED: [&str; 6] = [
    "# `git clean -X` removes these, with all that is open: `tasuki down` first",
    "/.tasuki/",
    "/queue/*",
    "!/queue/README.md",
    "/status/*",
    "!/status/README.md",
];

/// The files called `$name` with this beginning and end, by the path that they get.
macro_rules! texts {
    ($from:literal, $end:literal) => {
        texts!($from, $end, "grand_boss" "middle_manager" "coding_writing_specialist"
            "research_analysis_specialist" "testing_specialist")
    };
    ($from:literal, $end:literal, $($name:literal)*) => {
        [$((concat!("prompts/", $name, $end), include_str!(concat!("../../../protocol/", $from, $name, $end)))),*]
    };
}

type Texts = [(&'static str, &'static str); 5];

/// Path and text of what every workspace gets besides its team file.
const FILES: [(&str, &str); 2] = [
    ("queue/README.md", include_str!("../../../queue/README.md")),
    ("status/README.md", include_str!("../../../status/README.md")),
];
/// Gemini CLI reads nothing that git ignores unless it is told to.
const FOR_GEMINI: (&str, &str) = (".geminiignore", "!/queue/active/\n!/queue/results/\n!/queue/rejected/\n");
/// What scripted agents play.
const SCRIPTS: Texts = texts!("examples/team/", ".script.yaml");

/// In which language prompts are, and a new team's comments. Field names, phrases and commands are the same in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    #[default]
    English,
    Japanese,
}

impl Language {
    /// The team file, with the scripted provider and with prompts where this repository has them.
    const fn team(self) -> &'static str {
        match self {
            Self::English => include_str!("../../../protocol/team.yaml"),
            Self::Japanese => include_str!("../../../protocol/team.ja.yaml"),
        }
    }

    const fn prompts(self) -> Texts {
        match self {
            Self::English => texts!("prompts/", ".md"),
            Self::Japanese => texts!("prompts/ja/", ".md"),
        }
    }
}

/// The files of a new workspace, by their path in it, the team file last.
#[must_use]
pub fn default_team(provider: &str, language: Language) -> Vec<(PathBuf, String)> {
    let fixed = FILES.into_iter().chain(language.prompts());
    let fixed = fixed.map(|(path, text)| (PathBuf::from(path), text.to_owned()));
    let scripts = SCRIPTS.into_iter().filter(|_| provider == FALLBACK);
    let scripts = scripts.map(|(path, text)| (PathBuf::from(path), without(text, SCHEMA_LINE)));
    let team = team_file(provider, language);
    let own = (provider == "gemini").then(|| (FOR_GEMINI.0.into(), FOR_GEMINI.1.to_owned()));
    fixed.chain(scripts).chain(own).chain([(PathBuf::from(TEAM_FILE), team)]).collect()
}

fn team_file(provider: &str, language: Language) -> String {
    let text = HERE.into_iter().fold(language.team().to_owned(), |text, here| text.replace(here, THERE));
    let line = match provider {
        FALLBACK => return text,
        // Harmless until somebody names a program: it shows each line and never says that it is done.
        "plain" => "provider: plain\n    command: [cat]              # your program".to_owned(),
        other => format!("provider: {other}"),
    };
    // Nobody knows how that program is told anything; the prompts lie there for one that can be.
    let text = if provider == "plain" { without(&text, "    system_prompt:") } else { text };
    without(&text, SCRIPT_LINE).replace(&format!("provider: {FALLBACK}"), &line)
}

/// The text without the lines that begin so.
fn without(text: &str, beginning: &str) -> String {
    text.split_inclusive('\n').filter(|line| !line.starts_with(beginning)).collect()
}

/// What a `.gitignore` with this text lacks, as it is to be written behind that.
pub(crate) fn unignored(there: &str) -> Option<String> {
    let missing: Vec<&str> =
        IGNORED.into_iter().filter(|line| !there.lines().any(|has| has == *line)).collect();
    let gap = if there.is_empty() || there.ends_with('\n') { "" } else { "\n" };
    (!missing.is_empty()).then(|| format!("{gap}{}\n", missing.join("\n")))
}
