//! `queues:` of the team file: which folders may be drop zones, and whose.

use crate::settings::support::{Place, around, place};
use expect_test::expect;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use tasuki::wire::team_file::Settings;

const TWO: &str =
    "agents: [{name: a, provider: scripted}, {name: b, provider: scripted, aliases: [c], pool: [p]}]\n";

/// Where the zones of a good file are, each with its owner and the place of its status.
fn zones(place: &Place, queues: &str) -> Vec<(String, Option<String>, Option<String>)> {
    let root = place.workspace.root_text();
    let shown = |path: &PathBuf| path.to_str().unwrap().replace(root, "ROOT");
    let settings = place.good(&format!("{TWO}queues: {queues}\n"));
    let each = settings.queues.iter().map(|zone| {
        (shown(&zone.place), zone.owner.as_ref().map(ToString::to_string), zone.status.as_ref().map(shown))
    });
    each.collect()
}

fn folder(place: &Place, name: &str) -> PathBuf {
    let path = place.workspace.root().join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn a_zone_is_a_folder_or_a_folder_with_its_owner() {
    let place = place();
    symlink(folder(&place, "郵便 📮"), place.workspace.root().join("link")).unwrap();
    let zone = |path: &str| (path.to_owned(), None, None);
    assert_eq!(zones(&place, "[7]"), [zone("ROOT/7")]);
    assert_eq!(
        zones(&place, "[{path: sub/作業/x, agent: c}]"),
        [("ROOT/sub/作業/x".to_owned(), Some("b".to_owned()), None)]
    );
    assert_eq!(
        zones(&place, "[drops, ./sub/x, link]"),
        [zone("ROOT/drops"), zone("ROOT/sub/x"), zone("ROOT/郵便 📮")]
    );
    let owned =
        |status: Option<&str>| ("ROOT/box".to_owned(), Some("b".to_owned()), status.map(str::to_owned));
    assert_eq!(zones(&place, "[{path: box, agent: b}]"), [owned(None)]);
    assert_eq!(zones(&place, "[{path: box, agent: b, status: box/s}]"), [owned(Some("ROOT/box/s"))]);
    assert_eq!(zones(&place, "[{path: box}]"), [zone("ROOT/box")]);
    assert_eq!(zones(&place, "[]"), []);
    let mut home = around(place.workspace.root());
    home.vars.insert("HOME".into(), place.workspace.root().join("sub").into());
    let yaml = format!("{TWO}queues: [~/x, '~/作業']\n");
    let settings = Settings::parse(yaml.as_bytes(), &place.workspace, &home).unwrap().settings;
    let places: Vec<_> = settings.queues.iter().map(|zone| zone.place.clone()).collect();
    assert_eq!(places, ["sub/x", "sub/作業"].map(|path| place.workspace.root().join(path)));
}

/// What is said of each, after the line of it.
fn said(place: &Place, queues: &str) -> String {
    let told = place.complaints(&format!("{TWO}queues: {queues}\n"));
    let is_said = |line: &&str| {
        ["×", "⚠", "help:", "│ ", "refused", "accepted", "╭─["].iter().any(|mark| line.contains(mark))
    };
    let lines =
        told.lines().filter(is_said).filter(|line| !line.contains("agents:") && !line.contains("queues:"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[test]
fn what_cannot_be_a_zone_is_refused_with_its_cure() {
    let place = place();
    let root = place.workspace.root();
    std::fs::write(root.join("a file"), "").unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink(folder(&place, "drops"), root.join("link")).unwrap();
    symlink(folder(&place, "queue"), root.join("to-queue")).unwrap();
    std::fs::set_permissions(folder(&place, "open"), PermissionsExt::from_mode(0o777)).unwrap();
    std::fs::write(folder(&place, "other").join("tasuki.yaml"), "").unwrap();
    let many: String = (0..65).map(|number| format!("d{number}, ")).collect();
    let all = [
        "[queue]",
        "[to-queue]",
        "[queue/in]",
        "[.]",
        "[drops, ./drops]",
        "[drops, link]",
        "[drops, drops/in]",
        "[drops/in, link]",
        "[.tasuki/x]",
        "[status]",
        "[status/x]",
        "[other]",
        "[other/queue]",
        "[other/status/x]",
        "['a file']",
        "['a file/x']",
        "[dangling]",
        "[dangling/x]",
        "[open]",
        "['']",
        r#"["a\nb"]"#,
        "[~other/x]",
        "[nowhere/../x]",
        &format!("[{many}]"),
        "[{path: box, agent: bb}]",
        "[{path: box, agent: p}]",
        "[{path: box, agent: user}]",
        "[{path: box, agents: a}]",
        "[{agent: a}]",
        "[{path: box, status: x}]",
        "[{path: box, agent: a, status: status}]",
        "[{path: box, agent: a, status: other/status}]",
        "[{path: box, agent: a, status: 'a file'}]",
        "[[a]]",
        "[~]",
        "drops",
        "[later/zone]",
    ];
    let told: String = all.map(|queues| format!("{queues:.60}\n  {}\n", said(&place, queues))).concat();
    expect![[r#"
        [queue]
          refused × ROOT/queue is a drop zone already ╭─[tasuki.yaml:2:10] help: name another folder
        [to-queue]
          refused × ROOT/queue is a drop zone already ╭─[tasuki.yaml:2:10] help: name another folder
        [queue/in]
          refused × ROOT/queue/in is inside of the drop zone ROOT/queue ╭─[tasuki.yaml:2:10] help: name another folder
        [.]
          refused × the drop zone ROOT/queue is inside of ROOT ╭─[tasuki.yaml:2:10] help: name another folder
        [drops, ./drops]
          refused × ROOT/drops is a drop zone already ╭─[tasuki.yaml:2:17] help: name another folder
        [drops, link]
          refused × ROOT/drops is a drop zone already ╭─[tasuki.yaml:2:17] help: name another folder
        [drops, drops/in]
          refused × ROOT/drops/in is inside of the drop zone ROOT/drops ╭─[tasuki.yaml:2:17] help: name another folder
        [drops/in, link]
          refused × the drop zone ROOT/drops/in is inside of ROOT/drops ╭─[tasuki.yaml:2:20] help: name another folder
        [.tasuki/x]
          refused × ROOT/.tasuki/x is in `.tasuki/` of this workspace ╭─[tasuki.yaml:2:10] help: name another folder
        [status]
          refused × ROOT/status is in `status/` of this workspace ╭─[tasuki.yaml:2:10] help: name another folder
        [status/x]
          refused × ROOT/status/x is in `status/` of this workspace ╭─[tasuki.yaml:2:10] help: name another folder
        [other]
          refused × ROOT/other is a workspace itself: its tasuki.yaml would be taken ╭─[tasuki.yaml:2:10] help: name another folder
        [other/queue]
          refused × ROOT/other/queue is in `queue/` of another workspace, ROOT/other ╭─[tasuki.yaml:2:10] help: name another folder
        [other/status/x]
          refused × ROOT/other/status/x is in `status/` of another workspace, ROOT/other ╭─[tasuki.yaml:2:10] help: name another folder
        ['a file']
          refused × ROOT/a file is not a folder ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        ['a file/x']
          refused × ROOT/a file/x cannot be made: a file is in its way ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        [dangling]
          refused × ROOT/dangling has a link in it that leads nowhere ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        [dangling/x]
          refused × ROOT/dangling/x has a link in it that leads nowhere ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        [open]
          refused × ROOT/open may be written to by anybody: `chmod o-w` it ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        ['']
          refused × `` is not a folder ╭─[tasuki.yaml:2:10] help: write its path: relative to the team file, absolute, or from `~/`
        ["a\nb"]
          refused × `a\nb` is not a folder ╭─[tasuki.yaml:2:10] help: write its path: relative to the team file, absolute, or from `~/`
        [~other/x]
          refused × `~other/x` is the home of another user ╭─[tasuki.yaml:2:10] help: write the absolute path, or `./~…` for a folder of that name
        [nowhere/../x]
          refused × ROOT/nowhere/../x cannot be looked at: `..` follows a folder that is missing ╭─[tasuki.yaml:2:10] help: name a folder that is yours and that you may write to; it is made if it is missing
        [d0, d1, d2, d3, d4, d5, d6, d7, d8, d9, d10, d11, d12, d13,
          refused × these are 65 drop zones ╭─[tasuki.yaml:2:9] help: use at most 64
        [{path: box, agent: bb}]
          refused × there is no agent `bb` ╭─[tasuki.yaml:2:29] help: use one of: a, b
        [{path: box, agent: p}]
          refused × there is no agent `p` ╭─[tasuki.yaml:2:29] help: use one of: a, b
        [{path: box, agent: user}]
          refused × there is no agent `user` ╭─[tasuki.yaml:2:29] help: use one of: a, b
        [{path: box, agents: a}]
          refused × there is no key `agents` here ╭─[tasuki.yaml:2:22] help: did you mean `agent`?
        [{agent: a}]
          refused × `path` is missing ╭─[tasuki.yaml:2:11] help: add `path:`; see docs/team-file.md for the keys and their values
        [{path: box, status: x}]
          refused × nobody's status is written there: this zone is no agent's ╭─[tasuki.yaml:2:30] help: add `agent: NAME`, or remove `status`
        [{path: box, agent: a, status: status}]
          refused × ROOT/status/agents is in `status/` of this workspace ╭─[tasuki.yaml:2:40] help: name another folder
        [{path: box, agent: a, status: other/status}]
          refused × ROOT/other/status/agents is in `status/` of another workspace, ROOT/ │ other ╭─[tasuki.yaml:2:40] help: name another folder
        [{path: box, agent: a, status: 'a file'}]
          refused × ROOT/a file is not a folder ╭─[tasuki.yaml:2:40] help: name a folder that is yours and that you may write to; it is made if it is missing
        [[a]]
          refused × this is no drop zone ╭─[tasuki.yaml:2:10] help: write a folder, or `{path: FOLDER, agent: NAME}`
        [~]
          refused × this is no drop zone ╭─[tasuki.yaml:2:10] help: write a folder, or `{path: FOLDER, agent: NAME}`
        drops
          refused × there should be a list (`- item` lines, or `[a, b]`) here ╭─[tasuki.yaml:2:9] help: see docs/team-file.md for the keys and their values
        [later/zone]
          accepted ⚠ there is no folder ROOT/later: nothing in it is taken ╭─[tasuki.yaml:2:10] help: `mkdir -p ROOT/later`
    "#]].assert_eq(&told);
}
