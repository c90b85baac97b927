//! How a hired agent is started: as one of the team file would be that is written like its model.

use crate::settings::support::{Place, place};
use expect_test::expect;
use std::collections::BTreeMap;
use tasuki::engine::team::Team;
use tasuki::engine::team::roster::{Hire, Hired, Host, Like, Recipe};
use tasuki::engine::words::AgentName;
use tasuki::io::team_file::Machine;
use tasuki::wire::team_file::{Launch, NoLaunch, Settings, phrase_of};

const TEAM: &str = "\
providers:
  model: {based_on: plain, command: [cat, \"{agent_folder}\"], model: [--model, \"{model}\"], env: {OF: profile}}
agents:
  - name: a
    provider: model
    args: [\"{name}\", \"{phrase}\"]
    model: small
    env: {KEPT: '1', CHANGED: '2', GONE: '3'}
    inherit_env: false
    system_prompt: prompts/ぷろんぷと.md
  - {name: weak, provider: plain, command: [cat], marker: WEAK, token: false}
  - {name: plain, provider: plain, command: [cat]}
";

fn name(text: &str) -> AgentName {
    AgentName::new(text).unwrap()
}

fn recipe(like: &str) -> Recipe {
    let like = Like::Member(name(like));
    Recipe { like, cwd: None, model: None, env: BTreeMap::new(), host: Host::Local }
}

/// `hal` as he would be hired.
fn hired(team: &Team, recipe: Recipe, phrase: Option<&str>) -> Hired {
    let hal = name("hal");
    let phrase = phrase_of(&hal, phrase).unwrap();
    let (flow, notes) = (None, Vec::new());
    let wanted = Hire { name: hal, reports_to: None, phrase, recipe, flow, notes };
    team.hire(team, &BTreeMap::new(), &AgentName::user(), &wanted).unwrap()
}

fn recruit(place: &Place, settings: &Settings, hired: &Hired) -> Result<(Launch, Vec<String>), NoLaunch> {
    let of = (&place.workspace, &place.around());
    settings.recruit((&name("hal"), hired), &settings.team, of, &Machine)
}

/// What is told of a recipe, with the scratch folder called ROOT.
fn told(place: &Place, recipe: Recipe, phrase: Option<&str>) -> String {
    let settings = place.good(TEAM);
    let told = match recruit(place, &settings, &hired(&settings.team, recipe, phrase)) {
        Ok((_, odd)) => format!("good: {}\n", odd.join("; ")),
        Err(NoLaunch { why, cure }) => format!("{why}: {cure}\n"),
    };
    told.replace(place.workspace.root_text(), "ROOT")
}

#[test]
fn a_hired_agent_is_started_as_its_model_is_with_its_own_name_and_what_its_recipe_says() {
    let place = place();
    let settings = place.good(TEAM);
    let env = [("CHANGED", Some("zwei 2")), ("GONE", None), ("NEW", Some("{name}"))];
    let env = env.map(|(key, value)| (key.to_owned(), value.map(str::to_owned))).into();
    let recipe = Recipe { cwd: Some("sub/作業".into()), model: Some("large".into()), env, ..recipe("a") };
    let hal = hired(&settings.team, recipe, None);
    let (launch, odd) = recruit(&place, &settings, &hal).unwrap();
    let root = place.workspace.root_text();
    let argv = launch.argv.join(" ").replace(root, "ROOT");
    assert_eq!(argv, "cat ROOT/.tasuki/agents/hal --model large hal HAL OK");
    assert_eq!(launch.cwd, place.workspace.root().join("sub/作業"));
    assert_eq!(launch.active, format!("{root}/queue/active"));
    let var = |name: &str| launch.env.get(name).map(String::as_str);
    assert_eq!(
        [var("KEPT"), var("CHANGED"), var("GONE"), var("NEW")],
        [Some("1"), Some("zwei 2"), None, Some("hal")]
    );
    assert_eq!([var("OF"), var("EDITOR"), var("TASUKI_AGENT")], [Some("profile"), None, Some("hal")]);
    assert_eq!(launch.system_prompt.as_deref(), Some("halです。終わったらHAL OKと言う。"));
    assert!(odd.iter().all(|odd| odd.contains("system prompt")), "{odd:?}");
    assert_eq!(settings.launches[&name("a")].env["CHANGED"], "2", "its model is as it was");
}

#[test]
fn what_a_recipe_says_is_checked_as_the_team_file_is() {
    let place = place();
    let with = |change: &dyn Fn(&mut Recipe)| {
        let mut recipe = recipe("a");
        change(&mut recipe);
        told(&place, recipe, None)
    };
    let var = |key: &str, value: Option<&str>| {
        with(&|recipe| drop(recipe.env.insert(key.to_owned(), value.map(str::to_owned))))
    };
    let mut text = with(&|recipe| recipe.cwd = Some("nowhere".into()));
    text += &with(&|recipe| recipe.cwd = Some("prompts/a.md".into()));
    text += &with(&|recipe| recipe.model = Some(" ".into()));
    text += &told(&place, Recipe { model: Some("large".into()), ..recipe("plain") }, None);
    text += &told(&place, Recipe { like: Like::Profile("plain".into()), ..recipe("a") }, None);
    text += &var("TASUKI_ROOT", Some("/"));
    text += &var("1", None);
    text += &var("A", Some("\0"));
    text += &var("A", Some("{model}"));
    text += &told(&place, recipe("weak"), Some("K"));
    text += &told(&place, recipe("plain"), Some("so WEAK"));
    text += &told(&place, recipe("weak"), Some("read"));
    text += &told(&place, recipe("plain"), Some("STARK"));
    expect![[r#"
        ROOT/nowhere is not a folder: make it, or name another; the path is relative to the team file
        ROOT/prompts/a.md is not a folder: make it, or name another; the path is relative to the team file
        the model has no name: name one, or leave it out
        it is not known how to give the model `large` to a program of the profile plain: leave the model out, or add `model: [--option, "{model}"]` to the profile
        there is no program to start: add `command: [program, argument]` to the agent; its provider has none of its own
        `TASUKI_ROOT` is set by tasuki itself: use a name that does not begin with TASUKI_
        `1` is not a valid name for a variable: use letters, digits and `_`
        this contains a NUL byte: remove it; no program accepts one
        good: the agent is not given this system prompt: its profile has no way to pass it on; each task's line tells it to read the file (put `{system_prompt}` or `{system_prompt_file}` into its command or `env:`, or leave the command to its profile and use `args:`, `model:` and `permission_mode:`)
        without a token, its phrase could not be told from that of a: give it a phrase that nothing else contains
        without a token, its phrase could not be told from that of weak: give it a phrase that nothing else contains
        without a token, its phrase would be recognised in the doorbell itself: give it a phrase that nothing else contains
        good: 
    "#]].assert_eq(&text);
    let many = |recipe: &mut Recipe| recipe.env = (0..257).map(|n| (format!("V{n}"), None)).collect();
    expect![[r#"
        257 variables are given: give at most 256
    "#]]
    .assert_eq(&with(&many));
    let long = "x".repeat(128 * 1024 + 1);
    expect![[r#"
        the value of `LONG` is too long: give at most 131072 bytes
    "#]]
    .assert_eq(&var("LONG", Some(&long)));
}

#[test]
fn who_is_like_nobody_any_more_is_told_so() {
    let place = place();
    let before = place.good(TEAM);
    let hal = hired(&before.team, recipe("a"), None);
    let after = place.good("agents: [{name: b, provider: scripted}]\n");
    let told = recruit(&place, &after, &hal).unwrap_err();
    expect!["a, like which it was hired, is not in the team file any more: put a back into the team file, or dismiss the agent and hire another"].assert_eq(&format!("{}: {}", told.why, told.cure));
    let of_profile = Recipe { like: Like::Profile("model".into()), ..recipe("a") };
    let hal = hired(&before.team, of_profile, None);
    assert!(recruit(&place, &before, &hal).is_ok());
    let told = recruit(&place, &after, &hal).unwrap_err();
    assert_eq!(told.why, "there is no provider `model`");
}

#[test]
fn a_profile_that_changes_is_another_kind_and_its_screens_are_not() {
    let place = place();
    let kind = |more: &str| {
        let yaml = format!(
            "providers: {{mine: {{based_on: scripted{more}}}}}\nagents: [{{name: b, provider: mine}}]\n"
        );
        place.good(&yaml).team.templates["mine"].launch
    };
    assert_ne!(kind(""), kind(", command: [cat]"));
    assert_ne!(kind(""), kind(", env: {A: b}"));
    assert_ne!(kind(""), kind(", model: [-m, '{model}']"));
    assert_eq!(kind(""), kind(", quiet: 90ms"));
}
