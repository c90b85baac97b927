//! What `tasuki init` writes is whole, is accepted, and tells the agents the truth.

use crate::settings::support::{around, place, write};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tasuki::engine::words::{AgentName, Token};
use tasuki::io::team_file::{InitError, choose_provider, write_team};
use tasuki::io::workspace::{Surroundings, Workspace};
use tasuki::wire::team_file::{Language, PROGRAMS, Settings, built_in_names, default_team, render};

const PHRASES: [(&str, &str); 5] = [
    ("grand_boss", "GRAND BOSS OK"),
    ("middle_manager", "MIDDLE MANAGER OK"),
    ("coding_writing_specialist", "CODING OK"),
    ("research_analysis_specialist", "RESEARCH OK"),
    ("testing_specialist", "TESTING OK"),
];

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

#[test]
fn every_provider_gets_a_team_that_is_accepted_without_a_word() {
    let languages = [Language::English, Language::Japanese];
    for (provider, language) in
        built_in_names().into_iter().flat_map(|name| languages.map(|language| (name, language)))
    {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path()).unwrap();
        let written = write_team(&workspace, provider, language).unwrap();
        assert!(written.iter().all(|file| file.new), "{written:?}");
        assert_eq!(written.last().unwrap().path, PathBuf::from("tasuki.yaml"));
        let loaded = Settings::load(&workspace, &with_programs(folder.path())).unwrap();
        // Whoever takes that profile has yet to say which program is asked.
        let mut warnings = loaded.warnings;
        warnings
            .retain(|warning| provider != "headless" || !warning.why.contains("no profile of one is named"));
        assert_eq!(render(&warnings, false), "");
        let team = loaded.settings.team;
        for (agent, phrase) in PHRASES {
            assert_eq!(team.members[&name(agent)].phrase, phrase);
            assert_eq!(team.members[&name(agent)].provider, provider);
        }
        assert_eq!(team.members.len(), PHRASES.len());
        assert_eq!(team.pools[&name("specialist")].len(), 3);
        assert_eq!(team.aliases[&name("gb")], name("grand_boss"));
        assert_eq!(team.members[&name("testing_specialist")].reports_to, name("middle_manager"));
        assert!(team.members[&name("grand_boss")].reports_to.is_user());
    }
}

/// Surroundings in which the program of each built-in profile is there.
fn with_programs(folder: &Path) -> Surroundings {
    let programs = folder.join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    for name in built_in_names() {
        std::fs::write(programs.join(name), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(programs.join(name), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let mut around = around(folder);
    around.vars.insert("PATH".into(), format!("{}:/usr/bin:/bin", programs.display()).into());
    around
}

#[test]
fn this_repository_is_such_a_workspace() {
    let root = Workspace::at(env!("CARGO_MANIFEST_DIR").as_ref()).unwrap();
    let template = std::fs::read_to_string(root.root().join("protocol/team.yaml")).unwrap();
    assert_eq!(std::fs::read_to_string(root.team_file()).unwrap(), template);
    let loaded = Settings::load(&root, &around(root.root())).unwrap();
    assert_eq!(render(&loaded.warnings, false), "");
    let ignored = std::fs::read_to_string(root.root().join(".gitignore")).unwrap();
    assert!(ignored.contains("/queue/*\n") && ignored.contains("!/status/README.md\n"));
}

/// A program that has a profile, and that nobody looks for, is a profile that nobody finds.
#[test]
fn every_profile_of_an_agents_program_is_looked_for() {
    let mut known = built_in_names();
    // Those are tasuki's own agents, whatever they ask.
    known.retain(|name| !matches!(*name, "headless" | "ollama" | "plain" | "scripted"));
    let mut sought = PROGRAMS.to_vec();
    sought.sort_unstable();
    assert_eq!(sought, known);
    for program in PROGRAMS {
        let folder = tempfile::tempdir().unwrap();
        let mut around = around(folder.path());
        around.vars.insert("PATH".into(), folder.path().into());
        std::fs::write(folder.path().join(program), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(folder.path().join(program), PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(choose_provider(None, &around).unwrap().provider, program);
    }
}

/// A prompt that showed phrase and token side by side would be a claim as soon as an agent quoted it.
#[test]
fn every_agent_is_told_its_phrase_and_never_beside_a_token() {
    for language in [Language::English, Language::Japanese] {
        let folder = tempfile::tempdir().unwrap();
        let workspace = Workspace::at(folder.path()).unwrap();
        write_team(&workspace, "scripted", language).unwrap();
        let settings = Settings::load(&workspace, &around(folder.path())).unwrap().settings;
        for (agent, phrase) in PHRASES {
            let prompt = settings.launches[&name(agent)].system_prompt.clone().unwrap();
            assert!(prompt.contains(phrase) && prompt.contains(agent), "{agent}");
            assert!(prompt.contains(&format!("{}/queue/", workspace.root_text())), "{agent}");
            assert!(!prompt.contains(['{', '}']), "{agent}: a placeholder was left");
            for (at, _) in prompt.match_indices(phrase) {
                let after = prompt[at + phrase.len()..].chars().filter(|c| c.is_ascii_alphanumeric());
                let after: String = after.take(6).collect();
                assert!(Token::new(&after).is_err() && after != "TOKEN", "{agent}: {after}");
            }
        }
    }
}

/// The prompts of a language, by their paths.
fn prompts(language: Language) -> BTreeMap<PathBuf, String> {
    let files = default_team("plain", language).into_iter();
    files.filter(|(path, _)| path.starts_with("prompts")).collect()
}

#[test]
fn all_agents_are_told_the_same_about_their_work() {
    let (english, japanese) = (
        ["## How work reaches you\n", "## How to say that you have finished\n", "## While you work\n"],
        ["## 仕事の届き方\n", "## 終わりの伝え方\n", "## 作業中\n"],
    );
    for (language, headings) in [(Language::English, english), (Language::Japanese, japanese)] {
        let prompts: Vec<String> = prompts(language).into_values().collect();
        assert_eq!(prompts.len(), 5);
        for heading in headings {
            let section = |text: &String| {
                let from = text.split_once(heading).unwrap().1;
                from.split("\n## ").next().unwrap().trim_end().to_owned()
            };
            assert!(prompts.iter().all(|text| section(text) == section(&prompts[0])), "{heading}");
        }
    }
}

/// What a prompt says that is no prose: what is between backticks, how often, and the keys of its example messages.
fn terms(prompt: &str) -> (BTreeMap<String, usize>, Vec<String>) {
    let words = prompt.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut quoted = BTreeMap::new();
    for term in words.split('`').skip(1).step_by(2) {
        *quoted.entry(term.to_owned()).or_default() += 1;
    }
    let examples = prompt.lines().filter_map(|line| line.strip_prefix("    "));
    let prose = |line: &&str| line.starts_with(' ');
    (quoted, examples.filter(|line| !prose(line)).map(str::to_owned).collect())
}

#[test]
fn the_two_languages_name_the_same_fields_commands_and_placeholders() {
    let (english, japanese) = (prompts(Language::English), prompts(Language::Japanese));
    assert!(english.keys().eq(japanese.keys()), "{:?}", japanese.keys());
    for (path, text) in &english {
        assert_eq!(terms(text), terms(&japanese[path]), "{}", path.display());
        for placeholder in ["{name}", "{phrase}", "{root}"] {
            let count = |text: &str| text.matches(placeholder).count();
            assert_eq!(count(text), count(&japanese[path]), "{}: {placeholder}", path.display());
            assert!(count(text) > 0, "{}: {placeholder}", path.display());
        }
        let kana = japanese[path].chars().filter(|c| matches!(c, 'ぁ'..='ヿ')).count();
        assert!(kana > 300, "{} is not Japanese", path.display());
    }
}

#[test]
fn the_team_files_of_both_languages_differ_in_their_comments_alone() {
    let team = |provider: &str, language| {
        let files = default_team(provider, language);
        files.into_iter().next_back().unwrap().1
    };
    let bare = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.split('#').next().unwrap().trim_end().to_owned()).collect()
    };
    for provider in built_in_names() {
        let (english, japanese) = (team(provider, Language::English), team(provider, Language::Japanese));
        assert_eq!(bare(&english), bare(&japanese), "{provider}");
        assert!(english.is_ascii() && japanese.contains("合言葉"), "{provider}");
        assert!(!english.contains("protocol/") && !japanese.contains("protocol/"), "{provider}");
    }
}

#[test]
fn scripted_agents_get_their_scripts_beside_their_prompts_and_others_none() {
    for provider in built_in_names() {
        let files = default_team(provider, Language::English);
        let scripts = files.iter().filter(|(path, _)| path.to_string_lossy().ends_with(".script.yaml"));
        let team = &files.last().unwrap().1;
        if provider == "scripted" {
            assert_eq!(scripts.clone().count(), 5);
            for (path, text) in scripts {
                assert!(team.contains(&format!("--script, \"{{root}}/{}\"]", path.display())), "{team}");
                assert!(text.starts_with("# ") && !text.contains("$schema"), "{text}");
            }
        } else {
            assert_eq!(scripts.count(), 0, "{provider}");
            assert!(!team.contains("script"), "{team}");
        }
    }
}

#[test]
fn what_is_there_is_left_alone() {
    let place = place();
    write(&place.workspace, ".gitignore", "/target\n/.tasuki/");
    write(&place.workspace, "queue/README.md", "mine");
    let written = write_team(&place.workspace, "scripted", Language::English).unwrap();
    let old: Vec<_> =
        written.iter().filter(|file| !file.new).map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(old, ["queue/README.md"]);
    let read = |name: &str| std::fs::read_to_string(place.workspace.root().join(name)).unwrap();
    assert_eq!(read("queue/README.md"), "mine");
    assert_eq!(
        read(".gitignore"),
        "/target\n/.tasuki/\n# `git clean -X` removes these, with all that is open: `tasuki down` first\n/queue/*\n!/queue/README.md\n/status/*\n!/status/README.md\n"
    );
    assert!(matches!(
        write_team(&place.workspace, "scripted", Language::English),
        Err(InitError::AlreadyThere { .. })
    ));
}

#[test]
fn a_provider_is_found_on_path_if_this_version_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut around = around(folder.path());
    around.vars.insert("PATH".into(), folder.path().into());
    assert_eq!(choose_provider(None, &around).unwrap().provider, "scripted");
    for program in ["codex", "claude"] {
        std::fs::write(folder.path().join(program), "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(folder.path().join(program), PermissionsExt::from_mode(0o755)).unwrap();
    }
    let choice = choose_provider(None, &around).unwrap();
    assert_eq!((choice.provider.as_str(), choice.found.as_slice()), ("claude", &["claude", "codex"][..]));
    assert!(
        choice.why().contains("on your PATH: claude, codex; using `claude`: it is the first"),
        "{}",
        choice.why()
    );
    let asked = choose_provider(Some("codex"), &around).unwrap();
    assert!(asked.why().contains("using `codex`, as you asked; on your PATH:"), "{}", asked.why());
    assert_eq!(choose_provider(Some("plain"), &around).unwrap().provider, "plain");
    let error = choose_provider(Some("claud"), &around).unwrap_err().to_string();
    assert!(error.contains("`claud`") && error.contains("scripted"), "{error}");
}
