//! What the outside may rely on: how errors read, the schema and the pages in `protocol/`.

use std::path::{Path, PathBuf};

use expect_test::{Expect, expect};

use super::action::Action;
use super::load::parse;
use super::script::Script;
use crate::lab::trouble::Trouble;

fn protocol() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocol")
}

/// Compares `path` with `text`, or writes it if `UPDATE_DOCS` is 1.
fn check_fresh(path: &Path, text: &str) {
    if std::env::var_os("UPDATE_DOCS").is_some_and(|value| value == "1") {
        std::fs::write(path, text).expect("the file is written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == text, "{} is stale: run the tests once with UPDATE_DOCS=1", path.display());
}

fn action_names() -> Vec<String> {
    let schema = schemars::schema_for!(Action).to_value();
    let forms = schema["oneOf"].as_array().expect("a form an action");
    let name = |form: &serde_json::Value| match form["required"][0].as_str().or(form["const"].as_str()) {
        Some(name) => name.to_owned(),
        None => panic!("no name in {form}"),
    };
    forms.iter().map(name).collect()
}

#[test]
fn the_schema_is_the_one_of_the_code() {
    let schema = schemars::schema_for!(Script);
    let text = serde_json::to_string_pretty(&schema).expect("JSON") + "\n";
    check_fresh(&protocol().join("scripted.schema.json"), &text);
}

#[test]
fn every_example_in_the_page_is_a_script() {
    let page = std::fs::read_to_string(protocol().join("SCRIPTED.md")).expect("the page");
    let blocks: Vec<&str> =
        page.split("```yaml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(blocks.len() > 20, "{} examples", blocks.len());
    for block in &blocks {
        let actions = block.lines().map(|line| format!("      {line}\n")).collect::<String>();
        let text =
            if block.starts_with("- ") { format!("rules:\n  - do:\n{actions}") } else { (*block).to_owned() };
        parse(&text, "SCRIPTED.md").unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
    for name in action_names() {
        assert!(blocks.iter().any(|block| block.contains(&format!("- {name}"))), "no example of `{name}`");
        assert!(page.contains(&format!("`{name}`")), "`{name}` is not explained");
    }
}

#[test]
fn every_example_file_is_a_script_and_names_the_schema() {
    let examples = protocol().join("examples");
    let mut scripts = 0;
    for (folder, schema) in [(examples.join("team"), "../.."), (examples, "..")] {
        for entry in std::fs::read_dir(folder).expect("the examples").flatten() {
            if !entry.file_name().to_string_lossy().ends_with(".script.yaml") {
                continue;
            }
            scripts += 1;
            let text = std::fs::read_to_string(entry.path()).expect("a text");
            let head = format!("# yaml-language-server: $schema={schema}/scripted.schema.json\n");
            assert!(text.starts_with(&head), "{:?}", entry.path());
            parse(&text, &entry.path().display().to_string()).unwrap_or_else(|why| panic!("{why}"));
        }
    }
    assert!(scripts >= 15, "{scripts} scripts");
}

fn check_error(text: &str, expected: Expect) {
    let why = match parse(text, "my.script.yaml") {
        Err(Trouble { report: Some(report), .. }) => report,
        other => panic!("{other:?}"),
    };
    // The first line keeps the indent of the others, which the snapshot would take for its own.
    expected.assert_eq(&format!("refused:\n{why}"));
}

#[test]
fn a_word_that_nobody_knows_is_shown_in_its_line() {
    check_error(
        "rules:\n  - do:\n      - print: はい\n      - prnt: x\n",
        expect![[r#"
            refused:
              × unknown variant `prnt`, expected one of print, wait, chunks, lines, wide,
              │ redraw, spinner, alt_screen, echo, raw, busy, title, delegate, reply,
              │ fail, run, claim, dialog, trust, swallow_enter, limit, error, pretend,
              │ exit, signal, hang, write_file, append_file, bell
               ╭─[my.script.yaml:4:9]
             3 │       - print: はい
             4 │       - prnt: x
               ·         ──┬─
               ·           ╰── unknown variant `prnt`, expected one of print, wait, chunks, lines, wide, redraw, spinner, alt_screen, echo, raw, busy, title, delegate, reply, fail, run, claim, dialog, trust, swallow_enter, limit, error, pretend, exit, signal, hang, write_file, append_file, bell
               ╰────
              help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                    protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "rules: []\nagents: []\n",
        expect![[r#"
            refused:
              × unknown field `agents`, expected one of mode, prompt, placeholder,
              │ ready_after, before_ready, paste_collapse, enter_after_paste,
              │ enter_after_typing, early_enter, on_enter_while_busy, look, at_start,
              │ rules
               ╭─[my.script.yaml:2:1]
             1 │ rules: []
             2 │ agents: []
               · ───┬──
               ·    ╰── unknown field `agents`, expected one of mode, prompt, placeholder, ready_after, before_ready, paste_collapse, enter_after_paste, enter_after_typing, early_enter, on_enter_while_busy, look, at_start, rules
               ╰────
              help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                    protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "rules:\n  - do: [{claim: maybe}]\n",
        expect![[r#"
        refused:
          × unknown variant `maybe`, expected one of now, early, never, wrong, stale,
          │ twice, prose, quoted, split, dressed, drawn
           ╭─[my.script.yaml:2:18]
         1 │ rules:
         2 │   - do: [{claim: maybe}]
           ·                  ──┬──
           ·                    ╰── unknown variant `maybe`, expected one of now, early, never, wrong, stale, twice, prose, quoted, split, dressed, drawn
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
}

#[test]
fn a_value_that_is_none_is_shown_with_its_cure() {
    check_error(
        "rules:\n  - when: {match: \"(日本\"}\n    do: [bell]\n",
        expect![[r#"
        refused:
          × not a regular expression: unclosed group
           ╭─[my.script.yaml:2:19]
         1 │ rules:
         2 │   - when: {match: "(日本"}
           ·                   ───┬───
           ·                      ╰── not a regular expression: unclosed group
         3 │     do: [bell]
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "ready_after: soon\n",
        expect![[r#"
        refused:
          × `soon` is no time (expected number at 0): write 200ms, 2s, 1m, or a range
          │ like 200ms..2s
           ╭─[my.script.yaml:1:14]
         1 │ ready_after: soon
           ·              ──┬─
           ·                ╰── `soon` is no time (expected number at 0): write 200ms, 2s, 1m, or a range like 200ms..2s
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "at_start: [bell, {claim: now}]\n",
        expect![[r#"
        refused:
          × `at_start` has a `claim`, but there is no turn yet: put it into a rule
           ╭─[my.script.yaml:1:11]
         1 │ at_start: [bell, {claim: now}]
           ·           ┬
           ·           ╰── `at_start` has a `claim`, but there is no turn yet: put it into a rule
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
}

#[test]
fn what_is_left_out_or_said_twice_is_shown() {
    check_error(
        "rules:\n  - do: [{print: a, wait: 1s}]\n",
        expect![[r#"
        refused:
          × expected end of mapping after enum variant value
           ╭─[my.script.yaml:2:21]
         1 │ rules:
         2 │   - do: [{print: a, wait: 1s}]
           ·                     ──┬─
           ·                       ╰── expected end of mapping after enum variant value
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "rules:\n  - do: [{chunks: {text: a}}]\n",
        expect![[r#"
        refused:
          × missing field `size`
           ╭─[my.script.yaml:2:20]
         1 │ rules:
         2 │   - do: [{chunks: {text: a}}]
           ·                    ──┬─
           ·                      ╰── missing field `size`
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "mode: tui\nmode: line\n",
        expect![[r#"
        refused:
          × duplicate mapping key `mode` is not allowed here
           ╭─[my.script.yaml:2:1]
         1 │ mode: tui
         2 │ mode: line
           · ──┬─
           ·   ╰── duplicate mapping key `mode` is not allowed here
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
}

#[test]
fn what_yaml_has_and_scripts_have_not_is_refused() {
    check_error(
        "prompt: &p x\n",
        expect![[r#"
            refused:
              × YAML document too large or too complex: limits breached: Anchors
              │ { anchors: 1 }
               ╭─[my.script.yaml:1:12]
             1 │ prompt: &p x
               ·            ┬
               ·            ╰── YAML document too large or too complex: limits breached: Anchors { anchors: 1 }
               ╰────
              help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                    protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "prompt: !secret x\n",
        expect![[r#"
        refused:
          × unsupported tag `!secret`
           ╭─[my.script.yaml:1:17]
         1 │ prompt: !secret x
           ·                 ┬
           ·                 ╰── unsupported tag `!secret`
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
    check_error(
        "rules: []\n---\nrules: []\n",
        expect![[r#"
        refused:
          × YAML document too large or too complex: limits breached: Documents
          │ { documents: 2 }
           ╭─[my.script.yaml:2:1]
         1 │ rules: []
         2 │ ---
           · ─┬─
           ·  ╰── YAML document too large or too complex: limits breached: Documents { documents: 2 }
         3 │ rules: []
           ╰────
          help: an action is an entry of its own with one key; a script is one document without anchors and tags;
                protocol/SCRIPTED.md describes them all"#]],
    );
}
