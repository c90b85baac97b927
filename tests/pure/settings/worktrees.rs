//! `worktrees:`, what is done in a fresh worktree.

use super::support::place;

const ONE: &str = "agents: [{name: a, provider: scripted}]\n";

#[test]
fn a_setup_is_read_and_what_leads_elsewhere_is_refused() {
    let setup = place().good(&format!(
        "{ONE}worktrees: {{setup: {{copy: [.env, './設定/*.local', '**/*.key'], run: [[npm, ci], [bin/準備, --fast]], timeout: 90s}}}}\n"
    ));
    let setup = setup.setup;
    assert_eq!(setup.copy, [".env", "./設定/*.local", "**/*.key"]);
    assert_eq!(
        (setup.run.len(), setup.run[1].join(" "), setup.timeout_ms),
        (2, "bin/準備 --fast".into(), 90_000)
    );
    assert_eq!(place().good(ONE).setup.timeout_ms, 600_000, "as the reference page says");
    for (wrong, why, place_of) in [
        ("copy: [/etc/passwd]", "`/etc/passwd` leads out of the repository", "2:28"),
        ("copy: [.env, a/../../b]", "`a/../../b` leads out of the repository", "2:34"),
        ("copy: ['']", "`` is not a path", "2:28"),
        ("copy: [\"a\\nb\"]", "is not a path", "2:28"),
        ("copy: [.git/config]", "`.git/config` is of git's or tasuki's own", "2:28"),
        ("copy: [sub/.tasuki/**]", "is of git's or tasuki's own", "2:28"),
        ("copy: .env", "there should be a list", "2:27"),
        ("run: [npm ci]", "a command is a list of words", "2:27"),
        ("run: [[]]", "there is no program to start", "2:27"),
        ("run: [[sh, \"a\\nb\"]]", "a control character", "2:27"),
        ("run: [npm, ci]", "a command is a list of words", "2:27"),
        ("timeout: 0s", "too short or too long", "2:30"),
        ("cpoy: [a]", "did you mean `copy`?", "2:21"),
    ] {
        let said = place().complaints(&format!("{ONE}worktrees: {{setup: {{{wrong}}}}}\n"));
        assert!(said.contains(why) && said.contains("help:"), "{wrong}: {said}");
        assert!(said.contains(&format!("tasuki.yaml:{place_of}")), "{wrong}: {said}");
    }
    let many = vec!["a"; 101].join(", ");
    let said = place().complaints(&format!("{ONE}worktrees: {{setup: {{copy: [{many}]}}}}\n"));
    assert!(said.contains("use at most 100"), "{said}");
}

#[test]
fn an_agent_with_a_worktree_works_in_it_whether_it_is_there_yet_or_not() {
    let place = place();
    let root = place.workspace.root().to_owned();
    let of = |more: &str| {
        format!("agents: [{{name: a, provider: plain, command: [bash, ./a.sh], worktree: true{more}}}]\n")
    };
    crate::settings::support::write(&place.workspace, "家/a.sh", "");
    crate::settings::support::write(&place.workspace, "a.sh", "");
    let loaded = place.parse(&of("")).expect("a team");
    let odd = place.readable(&loaded.warnings);
    assert!(odd.contains("no git repository, so a cannot start") && odd.contains("git init"), "{odd}");
    crate::settings::support::write(&place.workspace, ".git/HEAD", "");
    let path = root.join(".orchestrator-worktrees/agent-a");
    for (more, cwd) in [("", path.clone()), (", cwd: 家", path.join("家")), (", cwd: .", path.clone())] {
        let loaded = place.parse(&of(more)).expect("a team");
        assert!(
            loaded.warnings.is_empty(),
            "what the tree will have is looked for beside it: {:?}",
            loaded.warnings
        );
        let launch = &loaded.settings.launches[&tasuki::engine::words::AgentName::new("a").expect("a name")];
        let tree = launch.tree.as_ref().expect("a worktree");
        assert_eq!((&launch.cwd, &tree.path, &tree.repository), (&cwd, &path, &root));
        assert_eq!((tree.branch.as_str(), launch.active.starts_with('/')), ("agent/a", true));
    }
    let said = place.complaints(&of(", cwd: /"));
    assert!(
        said.contains("/ is not in the repository") && said.contains("help: name a folder of that"),
        "{said}"
    );
    let settings = place.good(&of("").replace("true", "false"));
    assert!(
        settings.launches.values().all(|launch| launch.tree.is_none()),
        "and none where it is not wanted"
    );
}
