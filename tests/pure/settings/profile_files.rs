//! Profiles that are files: a user's, a workspace's, and what the team file says over them.

use crate::settings::support::{Place, place, write};
use std::os::unix::fs::PermissionsExt as _;
use tasuki::wire::team_file::{Profile, Settings, render};

const AGENT: &str = "agents: [{name: a, provider: mine, command: [cat]}]\n";

fn profile(place: &Place, yaml: &str, name: &str) -> Profile {
    place.good(yaml).profiles.remove(name).unwrap()
}

#[test]
fn a_file_is_a_profile_and_what_the_team_file_says_goes_over_it() {
    let place = place();
    write(&place.workspace, "protocol/profiles/mine.yaml", "command: [cat]\nquiet: 321ms\nenter_after: 1s\n");
    let mine = profile(&place, AGENT, "mine");
    assert_eq!((mine.quiet_ms, mine.enter_after_ms, mine.clear_key), (321, 1_000, None), "based on nothing");
    let team =
        format!("{AGENT}providers: {{mine: {{quiet: 5ms}}, other: {{based_on: mine, enter_after: 2s}}}}\n");
    let mine = profile(&place, &team, "mine");
    assert_eq!((mine.quiet_ms, mine.enter_after_ms), (5, 1_000));
    let other = profile(&place, &team, "other");
    assert_eq!((other.quiet_ms, other.enter_after_ms), (5, 2_000));
}

#[test]
fn a_file_with_a_built_in_name_changes_that_and_a_users_file_stands_below() {
    let place = place();
    let config = tempfile::tempdir().unwrap();
    let around = tasuki::io::workspace::Surroundings { config: Some(config.path().into()), ..place.around() };
    std::fs::create_dir(config.path().join("profiles")).unwrap();
    std::fs::write(config.path().join("profiles/claude.yaml"), "quiet: 11ms\nenter_after: 12ms\n").unwrap();
    std::fs::write(config.path().join("profiles/notes.txt"), "not read").unwrap();
    write(&place.workspace, "protocol/profiles/claude.yaml", "quiet: 21ms\n# 襷\n");
    let loaded =
        Settings::parse(b"agents: [{name: a, provider: claude, command: [cat]}]", &place.workspace, &around);
    let claude = loaded.unwrap().settings.profiles.remove("claude").unwrap();
    assert_eq!((claude.quiet_ms, claude.enter_after_ms), (21, 12));
    assert!(claude.screen.is_some(), "the rest is the built-in one's");
}

#[test]
fn a_rule_of_a_file_stands_before_the_built_in_ones() {
    let place = place();
    let rule =
        "screen: {rules: [{name: mine, state: busy, see: {title: [x]}}, {name: ready, state: unknown}]}\n";
    write(&place.workspace, "protocol/profiles/claude.yaml", rule);
    let claude = profile(&place, "agents: [{name: a, provider: claude, command: [cat]}]", "claude");
    let rules = &claude.screen.as_ref().unwrap().rules;
    assert_eq!((rules[0].name.as_str(), rules[1].name.as_str()), ("mine", "ready"));
    assert_eq!(rules.iter().filter(|rule| rule.name == "ready").count(), 1);
    assert!(rules.len() > 20);
}

#[test]
fn what_is_wrong_is_told_with_its_file() {
    let place = place();
    for (text, told) in [
        ("quiet: 9000h\n", "protocol/profiles/mine.yaml:1:"),
        ("quiett: 1s\n", "there is no key `quiett`"),
        ("based_on: mime\n", "is based on `mime`, which is not a profile"),
        ("screen: {rules: [{name: x, state: ready}]}\n", "reads every screen as one that may be typed to"),
        (
            "screen: {rules: [{name: x, state: error, free: true}]}\n",
            "reads every screen as one that may be typed to",
        ),
        ("screen: {echo: '('}\n", "this is not a regular expression"),
        ("answers: [{rule: nope, choose: yes}]\n", "there is no rule `nope` whose state is waiting_input"),
        ("based_on: claude\nanswers: [{rule: permision, choose: yes}]\n", "permission"),
        ("based_on: claude\nanswers: [{rule: permission, choose: ' '}]\n", "this is no choice"),
        ("a: 1\na: 2\n", "protocol/profiles/mine.yaml"),
        ("- 1\n", "protocol/profiles/mine.yaml"),
        ("\u{7f}\n", "protocol/profiles/mine.yaml"),
    ] {
        write(&place.workspace, "protocol/profiles/mine.yaml", text);
        let said = place.complaints(AGENT);
        assert!(said.starts_with("refused") && said.contains(told), "{text:?}:\n{said}");
        assert!(said.contains("mine.yaml"), "{text:?}:\n{said}");
    }
    std::fs::write(place.workspace.root().join("protocol/profiles/mine.yaml"), b"a\xff").unwrap();
    assert!(place.complaints(AGENT).contains("this is not UTF-8"));
    write(&place.workspace, "protocol/profiles/mine.yaml", "# nothing yet\n\n");
    place.good(AGENT);
}

#[test]
fn what_is_no_file_of_the_users_own_is_not_read() {
    let place = place();
    let path = place.workspace.root().join("protocol/profiles/mine.yaml");
    write(&place.workspace, "protocol/profiles/mine.yaml", "quiet: 1s\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    assert!(place.complaints(AGENT).contains("anybody can write to"), "{}", place.complaints(AGENT));
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert!(place.complaints(AGENT).contains("is not a file"), "{}", place.complaints(AGENT));
    std::fs::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RUSR).unwrap();
    assert!(place.complaints(AGENT).contains("is not a file"), "a pipe is not waited for");
    std::fs::remove_file(&path).unwrap();
    write(&place.workspace, "protocol/profiles/mine.yaml", &format!("# {}\n", "x".repeat(300_000)));
    assert!(place.complaints(AGENT).contains("it is longer than"));
    write(&place.workspace, "protocol/profiles/mine.yaml", "command: [cat]\n");
    write(&place.workspace, "protocol/profiles/Über.yaml", "command: [cat]\n");
    let said = place.complaints(AGENT);
    assert!(said.contains("is not named like a profile"), "{said}");
    let folder = path.parent().unwrap();
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    let said = place.complaints(AGENT);
    assert!(said.contains("(`chmod o-w` it)") && said.contains("the folder of profiles"), "{said}");
}

#[test]
fn a_profile_of_somebody_else_is_not_read() {
    let place = place();
    let path = place.workspace.root().join("protocol/profiles/mine.yaml");
    write(&place.workspace, "protocol/profiles/mine.yaml", "quiet: 1s\n");
    place.good(AGENT);
    let (owner, group) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
    // Who is not root cannot give files away; who else may write is asked of every mode elsewhere.
    if owner != 0 {
        return;
    }
    std::os::unix::fs::chown(&path, Some(owner + 1), None).unwrap();
    assert!(place.complaints(AGENT).contains("it belongs to user"), "{}", place.complaints(AGENT));
    std::os::unix::fs::chown(&path, Some(owner), Some(group + 1)).unwrap();
    place.good(AGENT);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o664)).unwrap();
    assert!(place.complaints(AGENT).contains("not yours"), "{}", place.complaints(AGENT));
    std::os::unix::fs::chown(&path, Some(owner), Some(group)).unwrap();
    place.good(AGENT);
}

#[test]
fn profiles_that_are_based_on_each_other_are_refused() {
    let place = place();
    write(&place.workspace, "protocol/profiles/mine.yaml", "based_on: yours\n");
    write(&place.workspace, "protocol/profiles/yours.yaml", "based_on: mine\n");
    let findings = place.parse(AGENT).unwrap_err();
    assert!(render(&findings, false).contains("is based on itself"));
}

#[test]
fn a_profile_of_the_team_file_is_named_as_a_file_is() {
    let place = place();
    for name in ["../../../evil", "", "a b", "Mine", "a\\nb"] {
        let said = place.complaints(&format!(
            "{AGENT}providers: {{mine: {{based_on: plain}}, \"{name}\": {{based_on: plain}}}}\n"
        ));
        assert!(
            said.contains("is not a valid name for a profile") && said.contains("use 1 to 64 of a-z"),
            "{said}"
        );
    }
}

/// A profile with so many patterns.
fn patterns(number: usize, pattern: &str) -> String {
    let rules: Vec<String> = (0..number.div_ceil(100))
        .map(|rule| {
            let some = vec![format!("'{pattern}'"); 100.min(number - rule * 100)].join(", ");
            format!("    - {{name: r{rule}, state: busy, see: {{status: [{some}]}}}}\n")
        })
        .collect();
    format!("screen:\n  rules:\n{}", rules.concat())
}

#[test]
fn patterns_are_bounded_in_number_in_size_and_in_all() {
    let place = place();
    let said = |text: &str| {
        write(&place.workspace, "protocol/profiles/mine.yaml", text);
        place.complaints(AGENT)
    };
    assert!(!said(&patterns(2_000, "x")).starts_with("refused"));
    for (number, pattern, line, told) in [
        (2_101, "x", 23, "the patterns up to here are more than 2000"),
        (1_500, r"\w{9}x", 4, "or take more than 64 MiB"),
        (1, r"\w{12}x", 3, "this pattern is too large: it takes more than 512 KiB"),
    ] {
        let said = said(&patterns(number, pattern));
        assert!(said.contains(told) && said.contains(&format!("mine.yaml:{line}:")), "{pattern}:\n{said}");
    }
    // They count together: each of these alone would do.
    write(&place.workspace, "protocol/profiles/other.yaml", &patterns(1_500, "x"));
    assert!(said(&patterns(1_500, "x")).contains("the patterns up to here are more than 2000"));
}
