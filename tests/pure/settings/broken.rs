//! What is wrong with a team file, as a person reads it: file, line, column, the line with a mark, and the cure.

use crate::settings::support::{ONE, place};
use expect_test::{Expect, expect};

#[track_caller]
fn check(yaml: &str, expected: Expect) {
    expected.assert_eq(&place().complaints(yaml));
}

#[test]
fn an_unknown_key_and_the_one_that_was_meant() {
    check(
        "agents:\n  - {nmae: a, provider: scripted}\n",
        expect![[r#"
            refused
              × there is no key `nmae` here
               ╭─[tasuki.yaml:2:6]
             1 │ agents:
             2 │   - {nmae: a, provider: scripted}
               ·      ────
               ╰────
              help: did you mean `name`?"#]],
    );
    check(
        "agnets: []\n",
        expect![[r#"
            refused
              × there is no key `agnets` here
               ╭─[tasuki.yaml:1:1]
             1 │ agnets: []
               · ──────
               ╰────
              help: did you mean `agents`?"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings:\n  retension: 3d\n",
        expect![[r#"
            refused
              × there is no key `retension` here
               ╭─[tasuki.yaml:3:3]
             2 │ settings:
             3 │   retension: 3d
               ·   ─────────
               ╰────
              help: did you mean `retention`?"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nproviders:\n  plain: {ready: {regexp: x}}\n",
        expect![[r#"
            refused
              × there is no key `regexp` here
               ╭─[tasuki.yaml:3:19]
             2 │ providers:
             3 │   plain: {ready: {regexp: x}}
               ·                   ──────
               ╰────
              help: use one of: quiet, within"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nroutes: [{from: a, too: [a]}]\n",
        expect![[r#"
            refused
              × there is no key `too` here
               ╭─[tasuki.yaml:2:20]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ routes: [{from: a, too: [a]}]
               ·                    ───
               ╰────
              help: did you mean `to`?"#]],
    );
}

#[test]
fn what_is_missing() {
    check(
        "",
        expect![[r#"
            refused
              × the file ends before it says anything
               ╭─[tasuki.yaml:1:1]
               ╰────
              help: `tasuki init` writes a team to begin with"#]],
    );
    check(
        "# only a comment\n",
        expect![[r#"
            refused
              × the file ends before it says anything
               ╭─[tasuki.yaml:2:1]
             1 │ # only a comment
               ╰────
              help: `tasuki init` writes a team to begin with"#]],
    );
    check(
        "session: x\n",
        expect![[r#"
            refused
              × `agents` is missing
               ╭─[tasuki.yaml:1:1]
             1 │ session: x
               · ───────
               ╰────
              help: add `agents:`; see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: []\n",
        expect![[r#"
            refused
              × a team has 1 to 1000 agents, and this one has 0
               ╭─[tasuki.yaml:1:9]
             1 │ agents: []
               ·         ─
               ╰────
              help: see `tasuki init` for a team to begin with"#]],
    );
    check(
        "agents:\n  - name: a\n",
        expect![[r#"
            refused
              × `provider` is missing
               ╭─[tasuki.yaml:2:5]
             1 │ agents:
             2 │   - name: a
               ·     ────
               ╰────
              help: add `provider:`; see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents:\n  - provider: scripted\n",
        expect![[r#"
            refused
              × `name` is missing
               ╭─[tasuki.yaml:2:5]
             1 │ agents:
             2 │   - provider: scripted
               ·     ────────
               ╰────
              help: add `name:`; see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [{name: , provider: scripted}]\n",
        expect![[r#"
            refused
              × a value is missing
               ╭─[tasuki.yaml:1:15]
             1 │ agents: [{name: , provider: scripted}]
               ·               ▲
               ╰────
              help: write one, or remove the key"#]],
    );
}

#[test]
fn what_is_no_yaml_or_of_another_form() {
    check(
        "agents:\n  - name: a\n   provider: scripted\n",
        expect![[r#"
            refused
              × this is not YAML: while parsing a block collection, did not find expected '-' indicator
               ╭─[tasuki.yaml:3:4]
             2 │   - name: a
             3 │    provider: scripted
               ·    ─
               ╰────
              help: correct the YAML at the line shown: indent with spaces, not tabs"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}\n",
        expect![[r#"
            refused
              × this is not YAML: unclosed bracket '['
               ╭─[tasuki.yaml:1:9]
             1 │ agents: [{name: a, provider: scripted}
               ·         ─
               ╰────
              help: correct the YAML at the line shown: indent with spaces, not tabs"#]],
    );
    check(
        "- a\n- b\n",
        expect![[r#"
            refused
              × there should be a map (`key: value` lines) here
               ╭─[tasuki.yaml:1:1]
             1 │ - a
               · ▲
             2 │ - b
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: {name: a}\n",
        expect![[r#"
            refused
              × there should be a list (`- item` lines, or `[a, b]`) here
               ╭─[tasuki.yaml:1:9]
             1 │ agents: {name: a}
               ·         ─
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [a]\n",
        expect![[r#"
            refused
              × there should be a map (`key: value` lines) here
               ╭─[tasuki.yaml:1:10]
             1 │ agents: [a]
               ·          ─
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [{name: [a], provider: scripted}]\n",
        expect![[r#"
            refused
              × there should be a single value here
               ╭─[tasuki.yaml:1:17]
             1 │ agents: [{name: [a], provider: scripted}]
               ·                 ─
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, token: yes}]\n",
        expect![[r#"
            refused
              × this is neither true nor false
               ╭─[tasuki.yaml:1:47]
             1 │ agents: [{name: a, provider: scripted, token: yes}]
               ·                                               ───
               ╰────
              help: write `true` or `false`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {max_hops: many}\n",
        expect![[r#"
            refused
              × this is not a whole number that fits
               ╭─[tasuki.yaml:2:22]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_hops: many}
               ·                      ────
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {max_hops: -1}\n",
        expect![[r#"
            refused
              × this is not a whole number that fits
               ╭─[tasuki.yaml:2:22]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_hops: -1}
               ·                      ──
               ╰────
              help: see docs/team-file.md for the keys and their values"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\n---\nagents: []\n",
        expect![[r#"
            refused
              × a second document begins here
               ╭─[tasuki.yaml:3:1]
             2 │ ---
             3 │ agents: []
               · ▲
               ╰────
              help: a team file is one document: remove the `---`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsession: \"a\\u0000\"\n",
        expect![[r#"
            refused
              × `a?` cannot be a name in tmux
               ╭─[tasuki.yaml:2:10]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ session: "a\u0000"
               ·          ─────────
               ╰────
              help: use 1 to 64 letters, digits, `_` and `-`"#]],
    );
}

#[test]
fn what_is_not_read_from_yaml() {
    check(
        "agents:\n  - &one {name: a, provider: scripted}\n  - *one\n",
        expect![[r#"
            refused
              × anchors and aliases are not supported
               ╭─[tasuki.yaml:2:10]
             1 │ agents:
             2 │   - &one {name: a, provider: scripted}
               ·          ─
             3 │   - *one
               ╰────
              help: write the value out instead of `&` and `*`"#]],
    );
    check(
        "agents:\n  - {<<: {name: a}, provider: scripted}\n",
        expect![[r#"
            refused
              × merge keys are not supported
               ╭─[tasuki.yaml:2:6]
             1 │ agents:
             2 │   - {<<: {name: a}, provider: scripted}
               ·      ──
               ╰────
              help: write the keys out instead of `<<`"#]],
    );
    check(
        "agents:\n  - {name: !secret a, provider: scripted}\n",
        expect![[r#"
            refused
              × the tag `!secret` is not supported
               ╭─[tasuki.yaml:2:20]
             1 │ agents:
             2 │   - {name: !secret a, provider: scripted}
               ·                    ─
               ╰────
              help: remove it"#]],
    );
    check(
        "agents:\n  - {name: a, name: b, provider: scripted}\n",
        expect![[r#"
            refused
              × `name` is here twice
               ╭─[tasuki.yaml:2:15]
             1 │ agents:
             2 │   - {name: a, name: b, provider: scripted}
               ·               ────
               ╰────
              help: keep one of the two"#]],
    );
}

#[test]
fn names_and_who_has_them() {
    check(
        "agents: [{name: Grand Boss, provider: scripted}]\n",
        expect![[r#"
            refused
              × the name `Grand Boss` has 'G' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}
               ╭─[tasuki.yaml:1:17]
             1 │ agents: [{name: Grand Boss, provider: scripted}]
               ·                 ──────────
               ╰────
              help: write `grand_boss`"#]],
    );
    check(
        "agents: [{name: user, provider: scripted}]\n",
        expect![[r#"
            refused
              × the name `user` is reserved
               ╭─[tasuki.yaml:1:17]
             1 │ agents: [{name: user, provider: scripted}]
               ·                 ────
               ╰────
              help: take another name: `user` is the person who owns the workspace"#]],
    );
    check(
        "agents: [{name: ../x, provider: scripted}]\n",
        expect![[r#"
            refused
              × the name `../x` has '.' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}
               ╭─[tasuki.yaml:1:17]
             1 │ agents: [{name: ../x, provider: scripted}]
               ·                 ────
               ╰────
              help: use small letters, digits, `_` and `-`, beginning with a letter or a digit"#]],
    );
    check(
        "agents: [{name: 襷, provider: scripted}]\n",
        expect![[r#"
            refused
              × the name `襷` has '襷' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}
               ╭─[tasuki.yaml:1:17]
             1 │ agents: [{name: 襷, provider: scripted}]
               ·                 ──
               ╰────
              help: use small letters, digits, `_` and `-`, beginning with a letter or a digit"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted}\n  - {name: a, provider: scripted}\n",
        expect![[r#"
            refused
              × there is already an agent `a`
               ╭─[tasuki.yaml:3:12]
             2 │   - {name: a, provider: scripted}
             3 │   - {name: a, provider: scripted}
               ·            ─
               ╰────
              help: give one of the two another name"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, aliases: [b]}\n  - {name: b, provider: scripted}\n",
        expect![[r#"
            refused
              × `b` is already the name of an agent
               ╭─[tasuki.yaml:2:45]
             1 │ agents:
             2 │   - {name: a, provider: scripted, aliases: [b]}
               ·                                             ─
             3 │   - {name: b, provider: scripted}
               ╰────
              help: names, aliases and pools must differ: take another word"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, aliases: [x]}\n  - {name: b, provider: scripted, aliases: [x]}\n",
        expect![[r#"
            refused
              × `x` is already the name of an alias of `a`
               ╭─[tasuki.yaml:3:45]
             2 │   - {name: a, provider: scripted, aliases: [x]}
             3 │   - {name: b, provider: scripted, aliases: [x]}
               ·                                             ─
               ╰────
              help: names, aliases and pools must differ: take another word"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, pool: [b]}\n  - {name: b, provider: scripted}\n",
        expect![[r#"
            refused
              × `b` is already the name of an agent
               ╭─[tasuki.yaml:2:42]
             1 │ agents:
             2 │   - {name: a, provider: scripted, pool: [b]}
               ·                                          ─
             3 │   - {name: b, provider: scripted}
               ╰────
              help: names, aliases and pools must differ: take another word"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, pool: [x]}\n  - {name: b, provider: scripted, aliases: [x]}\n",
        expect![[r#"
            refused
              × `x` is already the name of an alias of `b`
               ╭─[tasuki.yaml:2:42]
             1 │ agents:
             2 │   - {name: a, provider: scripted, pool: [x]}
               ·                                          ─
             3 │   - {name: b, provider: scripted, aliases: [x]}
               ╰────
              help: names, aliases and pools must differ: take another word"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, pool: [user]}\n",
        expect![[r#"
            refused
              × the name `user` is reserved
               ╭─[tasuki.yaml:2:42]
             1 │ agents:
             2 │   - {name: a, provider: scripted, pool: [user]}
               ·                                          ────
               ╰────
              help: take another name: `user` is the person who owns the workspace"#]],
    );
}

#[test]
fn who_reports_to_whom() {
    check(
        "agents:\n  - {name: grand_boss, provider: scripted}\n  - name: middle_manager\n    provider: scripted\n    reports_to: grandboss\n",
        expect![[r#"
            refused
              × `grandboss` is nobody in this team
               ╭─[tasuki.yaml:5:17]
             4 │     provider: scripted
             5 │     reports_to: grandboss
               ·                 ─────────
               ╰────
              help: did you mean `grand_boss`?"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, reports_to: somebody}]\n",
        expect![[r#"
            refused
              × `somebody` is nobody in this team
               ╭─[tasuki.yaml:1:52]
             1 │ agents: [{name: a, provider: scripted, reports_to: somebody}]
               ·                                                    ────────
               ╰────
              help: use one of: a, user"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, pool: [p]}\n  - {name: b, provider: scripted, reports_to: p}\n",
        expect![[r#"
            refused
              × `p` is a pool; an agent reports to one
               ╭─[tasuki.yaml:3:47]
             2 │   - {name: a, provider: scripted, pool: [p]}
             3 │   - {name: b, provider: scripted, reports_to: p}
               ·                                               ─
               ╰────
              help: name one of its members, or `user`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, reports_to: a}]\n",
        expect![[r#"
            refused
              × these agents report to each other in a circle: a → a
               ╭─[tasuki.yaml:1:52]
             1 │ agents: [{name: a, provider: scripted, reports_to: a}]
               ·                                                    ─
               ╰────
              help: let one of them report to `user`"#]],
    );
    check(
        "agents:\n  - {name: a, provider: scripted, reports_to: b}\n  - {name: b, provider: scripted, reports_to: c}\n  - {name: c, provider: scripted, reports_to: a}\n  - {name: d, provider: scripted, reports_to: a}\n",
        expect![[r#"
            refused
              × these agents report to each other in a circle: a → b → c → a
               ╭─[tasuki.yaml:2:47]
             1 │ agents:
             2 │   - {name: a, provider: scripted, reports_to: b}
               ·                                               ─
             3 │   - {name: b, provider: scripted, reports_to: c}
               ╰────
              help: let one of them report to `user`"#]],
    );
}

#[test]
fn routes_lead_to_members() {
    check(
        "agents: [{name: a, provider: scripted}]\nroutes: [{from: a, to: [b]}]\n",
        expect![[r#"
            refused
              × `b` is nobody in this team
               ╭─[tasuki.yaml:2:25]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ routes: [{from: a, to: [b]}]
               ·                         ─
               ╰────
              help: use one of: a"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nroutes: [{from: a, to: [user]}]\n",
        expect![[r#"
            refused
              × `user` must not be named here
               ╭─[tasuki.yaml:2:25]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ routes: [{from: a, to: [user]}]
               ·                         ────
               ╰────
              help: remove it: `user` may send to anyone and command everyone, and anyone may write to `user`"#]],
    );
}

#[test]
fn phrases_must_be_seen_and_told_apart() {
    check(
        "agents: [{name: a, provider: scripted, marker: '  '}]\n",
        expect![[r#"
            refused
              × the phrase has no word in it (white space, bullets and `*.。「」 do not count)
               ╭─[tasuki.yaml:1:48]
             1 │ agents: [{name: a, provider: scripted, marker: '  '}]
               ·                                                ────
               ╰────
              help: write one, as in CODING OK"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, marker: \"DONE\\e[0m\"}]\n",
        expect![[r#"
            refused
              × the phrase has '\u{1b}' at byte 4; it must be one printable line
               ╭─[tasuki.yaml:1:48]
             1 │ agents: [{name: a, provider: scripted, marker: "DONE\e[0m"}]
               ·                                                ───────────
               ╰────
              help: take it out"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, marker: \"終わり\\u200b\"}]\n",
        expect![[r#"
            refused
              × the phrase has an invisible character (\u{200b})
               ╭─[tasuki.yaml:1:48]
             1 │ agents: [{name: a, provider: scripted, marker: "終わり\u200b"}]
               ·                                                ──────────────
               ╰────
              help: type it again, letter by letter"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, marker: my token}]\n",
        expect![[r#"
            refused
              × the phrase ends with `token`, which comes before each token in the task itself
               ╭─[tasuki.yaml:1:48]
             1 │ agents: [{name: a, provider: scripted, marker: my token}]
               ·                                                ────────
               ╰────
              help: choose another"#]],
    );
    check(
        "agents:\n  - {name: a, provider: plain, command: [cat], marker: OK, token: false}\n  - {name: b, provider: scripted, marker: CODING OK}\n",
        expect![[r#"
            refused
              × without a token, `OK` would be recognised in the phrase of `b`, `CODING OK`
               ╭─[tasuki.yaml:2:56]
             1 │ agents:
             2 │   - {name: a, provider: plain, command: [cat], marker: OK, token: false}
               ·                                                        ──
             3 │   - {name: b, provider: scripted, marker: CODING OK}
               ╰────
              help: give it a phrase that nothing else contains, or `token: true`"#]],
    );
    check(
        "agents:\n  - {name: a, provider: plain, command: [cat], marker: done, token: false}\n",
        expect![[r#"
            refused
              × without a token, `done` would be recognised in the doorbell itself
               ╭─[tasuki.yaml:2:56]
             1 │ agents:
             2 │   - {name: a, provider: plain, command: [cat], marker: done, token: false}
               ·                                                        ────
               ╰────
              help: give it a phrase that nothing else contains, or `token: true`"#]],
    );
}

#[test]
fn programs_and_their_providers() {
    check(
        "agents: [{name: a, provider: claude}]\n",
        expect![[r#"
            accepted
              ⚠ there is no program `claude`
               ╭─[tasuki.yaml:1:30]
             1 │ agents: [{name: a, provider: claude}]
               ·                              ──────
               ╰────
              help: install it, or correct the command or the agent's PATH"#]],
    );
    check(
        "agents: [{name: a, provider: scriptd}]\n",
        expect![[r#"
            refused
              × there is no provider `scriptd`
               ╭─[tasuki.yaml:1:30]
             1 │ agents: [{name: a, provider: scriptd}]
               ·                              ───────
               ╰────
              help: did you mean `scripted`? (or describe it under `providers:`)"#]],
    );
    check(
        "agents: [{name: a, provider: plain}]\n",
        expect![[r#"
            refused
              × there is no program to start
               ╭─[tasuki.yaml:1:30]
             1 │ agents: [{name: a, provider: plain}]
               ·                              ─────
               ╰────
              help: add `command: [program, argument]` to the agent; its provider has none of its own"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: []}]\n",
        expect![[r#"
            refused
              × there is no program to start
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: []}]
               ·                                              ─
               ╰────
              help: add `command: [program, argument]` to the agent; its provider has none of its own"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: [no-such-program]}]\n",
        expect![[r#"
            accepted
              ⚠ there is no program `no-such-program`
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: [no-such-program]}]
               ·                                              ─
               ╰────
              help: install it, or correct the command or the agent's PATH"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: [/tmp, x]}]\n",
        expect![[r#"
        accepted
          ⚠ `/tmp` is a folder, not a program
           ╭─[tasuki.yaml:1:46]
         1 │ agents: [{name: a, provider: plain, command: [/tmp, x]}]
           ·                                              ─
           ╰────
          help: name a program and its arguments: `command: [program, argument]`"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: [\"c\\0t\"]}]\n",
        expect![[r#"
            refused
              × this contains a NUL byte
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: ["c\0t"]}]
               ·                                              ─
               ╰────
              help: remove it; no program accepts one
              ⚠ there is no program `c?t`
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: ["c\0t"]}]
               ·                                              ─
               ╰────
              help: install it, or correct the command or the agent's PATH"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: [cat, '{nmae}']}]\n",
        expect![[r#"
            accepted
              ⚠ `{nmae}` is passed on as it is
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: [cat, '{nmae}']}]
               ·                                              ─
               ╰────
              help: write `{name}` if that is meant"#]],
    );
    check(
        "agents: [{name: a, provider: plain, command: [cat, '{system_prompt}']}]\n",
        expect![[r#"
            refused
              × `{system_prompt}` stands for a system prompt, but this agent has none
               ╭─[tasuki.yaml:1:46]
             1 │ agents: [{name: a, provider: plain, command: [cat, '{system_prompt}']}]
               ·                                              ─
               ╰────
              help: add `system_prompt:` with a file, or remove the placeholder"#]],
    );
    check(
        "agents: [{name: a, provider: mine}]\nproviders:\n  mine: {command: [cat]}\n",
        expect![[r#"
            refused
              × `mine` is not a built-in profile and is not based on one
               ╭─[tasuki.yaml:3:9]
             2 │ providers:
             3 │   mine: {command: [cat]}
               ·         ─
               ╰────
              help: add `based_on:` with one of: claude, codex, gemini, headless, ollama, opencode, plain,
                    qwen, scripted"#]],
    );
    check(
        "agents: [{name: a, provider: mine}]\nproviders:\n  mine: {based_on: plane, command: [cat]}\n",
        expect![[r#"
            refused
              × `mine` is based on `plane`, which is not a profile
               ╭─[tasuki.yaml:3:20]
             2 │ providers:
             3 │   mine: {based_on: plane, command: [cat]}
               ·                    ─────
               ╰────
              help: did you mean `plain`?"#]],
    );
    check(
        "agents: [{name: a, provider: x}]\nproviders:\n  x: {based_on: y, command: [cat]}\n  y: {based_on: x, command: [cat]}\n",
        expect![[r#"
            refused
              × `y` is based on itself: x → y → x
               ╭─[tasuki.yaml:4:17]
             3 │   x: {based_on: y, command: [cat]}
             4 │   y: {based_on: x, command: [cat]}
               ·                 ─
               ╰────
              help: base one of them on a built-in profile"#]],
    );
}

#[test]
fn profiles_are_checked_even_where_nobody_uses_them() {
    check(
        "agents: [{name: a, provider: scripted}]\nproviders:\n  plain: {types: hands}\n",
        expect![[r#"
            refused
              × `hands` is not a known value here
               ╭─[tasuki.yaml:3:18]
             2 │ providers:
             3 │   plain: {types: hands}
               ·                  ─────
               ╰────
              help: use one of: paste, keys"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nproviders:\n  plain: {clear_key: 'C-u; kill-server', exit: ['']}\n",
        expect![[r#"
            refused
              × `C-u; kill-server` is not a key
               ╭─[tasuki.yaml:3:22]
             2 │ providers:
             3 │   plain: {clear_key: 'C-u; kill-server', exit: ['']}
               ·                      ──────────────────
               ╰────
              help: name keys as tmux does: C-u, C-d, Escape, Enter
              × `` is not a key
               ╭─[tasuki.yaml:3:48]
             2 │ providers:
             3 │   plain: {clear_key: 'C-u; kill-server', exit: ['']}
               ·                                                ─
               ╰────
              help: name keys as tmux does: C-u, C-d, Escape, Enter"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nproviders:\n  plain: {quiet: 2h, timeout: 0s}\n",
        expect![[r#"
            refused
              × this is too short or too long
               ╭─[tasuki.yaml:3:18]
             2 │ providers:
             3 │   plain: {quiet: 2h, timeout: 0s}
               ·                  ──
               ╰────
              help: use a value from 0ms to 1m
              × this is too short or too long
               ╭─[tasuki.yaml:3:31]
             2 │ providers:
             3 │   plain: {quiet: 2h, timeout: 0s}
               ·                               ──
               ╰────
              help: use a value from 1s to 365d"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nproviders:\n  plain: {env: {TASUKI_X: y}}\n",
        expect![[r#"
            refused
              × `TASUKI_X` is set by tasuki itself
               ╭─[tasuki.yaml:3:27]
             2 │ providers:
             3 │   plain: {env: {TASUKI_X: y}}
               ·                           ─
               ╰────
              help: use a name that does not begin with TASUKI_"#]],
    );
}

#[test]
fn folders_and_prompts() {
    check(
        "agents: [{name: a, provider: scripted, cwd: nowhere}]\n",
        expect![[r#"
            refused
              × ROOT/nowhere is not a folder
               ╭─[tasuki.yaml:1:45]
             1 │ agents: [{name: a, provider: scripted, cwd: nowhere}]
               ·                                             ───────
               ╰────
              help: make it, or name another; the path is relative to the team file"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, cwd: prompts/a.md}]\n",
        expect![[r#"
            refused
              × ROOT/prompts/a.md is not a folder
               ╭─[tasuki.yaml:1:45]
             1 │ agents: [{name: a, provider: scripted, cwd: prompts/a.md}]
               ·                                             ────────────
               ╰────
              help: make it, or name another; the path is relative to the team file"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, system_prompt: prompts/b.md}]\n",
        expect![[r#"
            refused
              × the system prompt ROOT/prompts/b.md does not exist
               ╭─[tasuki.yaml:1:55]
             1 │ agents: [{name: a, provider: scripted, system_prompt: prompts/b.md}]
               ·                                                       ────────────
               ╰────
              help: name a text file; the path is relative to the team file"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, system_prompt: prompts}]\n",
        expect![[r#"
            refused
              × the system prompt ROOT/prompts is not a file
               ╭─[tasuki.yaml:1:55]
             1 │ agents: [{name: a, provider: scripted, system_prompt: prompts}]
               ·                                                       ───────
               ╰────
              help: name a text file; the path is relative to the team file"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, system_prompt: prompts/silent.md}]\n",
        expect![[r#"
            accepted
              ⚠ this system prompt does not tell the agent its phrase, `A OK`
               ╭─[tasuki.yaml:1:55]
             1 │ agents: [{name: a, provider: scripted, system_prompt: prompts/silent.md}]
               ·                                                       ─────────────────
               ╰────
              help: write `{phrase}` where the agent is told what to print when it is done"#]],
    );
}

#[test]
fn variables_words_and_times_of_an_agent() {
    check(
        "agents: [{name: a, provider: scripted, env: {TASUKI_ROOT: /x, A-B: c, 1: d}}]\n",
        expect![[r#"
            refused
              × `TASUKI_ROOT` is set by tasuki itself
               ╭─[tasuki.yaml:1:59]
             1 │ agents: [{name: a, provider: scripted, env: {TASUKI_ROOT: /x, A-B: c, 1: d}}]
               ·                                                           ──
               ╰────
              help: use a name that does not begin with TASUKI_
              × `A-B` is not a valid name for a variable
               ╭─[tasuki.yaml:1:68]
             1 │ agents: [{name: a, provider: scripted, env: {TASUKI_ROOT: /x, A-B: c, 1: d}}]
               ·                                                                    ─
               ╰────
              help: use letters, digits and `_`
              × `1` is not a valid name for a variable
               ╭─[tasuki.yaml:1:74]
             1 │ agents: [{name: a, provider: scripted, env: {TASUKI_ROOT: /x, A-B: c, 1: d}}]
               ·                                                                          ─
               ╰────
              help: use letters, digits and `_`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, delivery: doorbel}]\n",
        expect![[r#"
            refused
              × `doorbel` is not a known value here
               ╭─[tasuki.yaml:1:50]
             1 │ agents: [{name: a, provider: scripted, delivery: doorbel}]
               ·                                                  ───────
               ╰────
              help: did you mean `doorbell`?"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, restart: sometimes}]\n",
        expect![[r#"
            refused
              × `sometimes` is not a known value here
               ╭─[tasuki.yaml:1:49]
             1 │ agents: [{name: a, provider: scripted, restart: sometimes}]
               ·                                                 ─────────
               ╰────
              help: use one of: always, on-failure, never"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, timeout: 30}]\n",
        expect![[r#"
            refused
              × `30` has no unit
               ╭─[tasuki.yaml:1:49]
             1 │ agents: [{name: a, provider: scripted, timeout: 30}]
               ·                                                 ──
               ╰────
              help: write `30s` for seconds, `30m` for minutes, `30ms` for milliseconds"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, timeout: soon}]\n",
        expect![[r#"
            refused
              × `soon` is not a length of time
               ╭─[tasuki.yaml:1:49]
             1 │ agents: [{name: a, provider: scripted, timeout: soon}]
               ·                                                 ────
               ╰────
              help: write a number and a unit, like `100ms`, `30s`, `30m`, `1h 30m` or `30d`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted, timeout: 0s}]\n",
        expect![[r#"
            refused
              × this is too short or too long
               ╭─[tasuki.yaml:1:49]
             1 │ agents: [{name: a, provider: scripted, timeout: 0s}]
               ·                                                 ──
               ╰────
              help: use a value from 1s to 365d"#]],
    );
}

#[test]
fn settings_stay_within_bounds() {
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {max_hops: 0, max_restarts: 1000, retention: 1s}\n",
        expect![[r#"
            refused
              × 0 is too small or too large
               ╭─[tasuki.yaml:2:22]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_hops: 0, max_restarts: 1000, retention: 1s}
               ·                      ─
               ╰────
              help: use a whole number from 1 to 64
              × 1000 is too small or too large
               ╭─[tasuki.yaml:2:39]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_hops: 0, max_restarts: 1000, retention: 1s}
               ·                                       ────
               ╰────
              help: use a whole number from 0 to 100
              × this is too short or too long
               ╭─[tasuki.yaml:2:56]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_hops: 0, max_restarts: 1000, retention: 1s}
               ·                                                        ──
               ╰────
              help: use a value from 1h to 3650d"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {retries: [1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s, 11s]}\n",
        expect![[r#"
            refused
              × 11 retries are too many
               ╭─[tasuki.yaml:2:21]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {retries: [1s, 2s, 3s, 4s, 5s, 6s, 7s, 8s, 9s, 10s, 11s]}
               ·                     ─
               ╰────
              help: use at most 10"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {retries: [1s, later]}\n",
        expect![[r#"
            refused
              × `later` is not a length of time
               ╭─[tasuki.yaml:2:26]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {retries: [1s, later]}
               ·                          ─────
               ╰────
              help: write a number and a unit, like `100ms`, `30s`, `30m`, `1h 30m` or `30d`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {window: 40x10}\n",
        expect![[r#"
            refused
              × no agent can work in a window of this size
               ╭─[tasuki.yaml:2:20]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {window: 40x10}
               ·                    ─────
               ╰────
              help: use at least 40x24"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {window: big, low_disk: lots}\n",
        expect![[r#"
            refused
              × `big` is not the size of a window
               ╭─[tasuki.yaml:2:20]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {window: big, low_disk: lots}
               ·                    ───
               ╰────
              help: write columns, an x and rows, like `200x50`
              × `lots` is not a number of bytes
               ╭─[tasuki.yaml:2:35]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {window: big, low_disk: lots}
               ·                                   ────
               ╰────
              help: write a whole number of bytes, or with one of KiB, MiB, GiB, like `64MiB`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {log: tasuki=lots}\n",
        expect![[r#"
            refused
              × `tasuki=lots` is not a log level (error parsing level filter: expected one of "off", "error",
              │ "warn", "info", "debug", "trace", or a number 0-5)
               ╭─[tasuki.yaml:2:17]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {log: tasuki=lots}
               ·                 ───────────
               ╰────
              help: use error, warn, info, debug or trace, or a list like `info,tasuki::io=debug`"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {restart_delay: 10m}\n",
        expect![[r#"
            refused
              × `restart_delay` is longer than `max_restart_delay`
               ╭─[tasuki.yaml:2:27]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {restart_delay: 10m}
               ·                           ───
               ╰────
              help: make `restart_delay` the shorter of the two"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsettings: {words: {task: do it, info: \"{path}\\n{path}\"}}\n",
        expect![[r#"
            refused
              × the words for a turn of kind `task` lack {path}, so the agent would not know what to read
               ╭─[tasuki.yaml:2:26]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {words: {task: do it, info: "{path}\n{path}"}}
               ·                          ─────
               ╰────
              help: write {path} where the file is to be named
              × '\n' at byte 6 is never typed into a pane
               ╭─[tasuki.yaml:2:39]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {words: {task: do it, info: "{path}\n{path}"}}
               ·                                       ────────────────
               ╰────
              help: take it out of the words or the path"#]],
    );
    check(
        "agents: [{name: a, provider: scripted}]\nsession: a.b\ntmux_socket: ../x\n",
        expect![[r#"
            refused
              × `a.b` cannot be a name in tmux
               ╭─[tasuki.yaml:2:10]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ session: a.b
               ·          ───
             3 │ tmux_socket: ../x
               ╰────
              help: use 1 to 64 letters, digits, `_` and `-`
              × `../x` cannot be a name in tmux
               ╭─[tasuki.yaml:3:14]
             2 │ session: a.b
             3 │ tmux_socket: ../x
               ·              ────
               ╰────
              help: use 1 to 64 letters, digits, `_` and `-`"#]],
    );
}

#[test]
fn everything_is_told_at_once_in_the_order_of_the_file() {
    check(
        "session: ''\nagents:\n  - {name: A, provider: scripted}\n  - {name: b, provider: scripted, reports_to: c, timeout: 1}\n",
        expect![[r#"
            refused
              × `` cannot be a name in tmux
               ╭─[tasuki.yaml:1:10]
             1 │ session: ''
               ·          ──
             2 │ agents:
               ╰────
              help: use 1 to 64 letters, digits, `_` and `-`
              × the name `A` has 'A' at byte 0, which is not allowed; use [a-z0-9][a-z0-9_-]{0,63}
               ╭─[tasuki.yaml:3:12]
             2 │ agents:
             3 │   - {name: A, provider: scripted}
               ·            ─
             4 │   - {name: b, provider: scripted, reports_to: c, timeout: 1}
               ╰────
              help: write `a`
              × `c` is nobody in this team
               ╭─[tasuki.yaml:4:47]
             3 │   - {name: A, provider: scripted}
             4 │   - {name: b, provider: scripted, reports_to: c, timeout: 1}
               ·                                               ─
               ╰────
              help: use one of: b, user
              × `1` has no unit
               ╭─[tasuki.yaml:4:59]
             3 │   - {name: A, provider: scripted}
             4 │   - {name: b, provider: scripted, reports_to: c, timeout: 1}
               ·                                                           ─
               ╰────
              help: write `1s` for seconds, `1m` for minutes, `1ms` for milliseconds"#]],
    );
}

#[test]
fn a_system_prompt_is_a_file_of_the_length_that_it_has_when_it_is_read() {
    let place = place();
    let prompts = place.workspace.root().join("prompts");
    let said = |name: &str| {
        place.complaints(&format!("agents: [{{name: a, provider: scripted, system_prompt: {name}}}]\n"))
    };
    std::os::unix::fs::symlink("a.md", prompts.join("link.md")).unwrap();
    assert!(!said("prompts/link.md").contains("the system prompt"), "{}", said("prompts/link.md"));
    rustix::fs::mkfifoat(rustix::fs::CWD, prompts.join("pipe.md"), rustix::fs::Mode::RUSR).unwrap();
    assert!(said("prompts/pipe.md").contains("is not a file"), "{}", said("prompts/pipe.md"));
    // The kernel says that it has no bytes.
    let symbols = "/proc/kallsyms";
    if std::fs::read(symbols).is_ok_and(|bytes| bytes.len() > 64 << 10) {
        assert!(
            said(symbols).contains("is longer than its size says; at most 65536 bytes"),
            "{}",
            said(symbols)
        );
    }
}

#[test]
fn what_is_wrong_about_a_command_that_is_told() {
    let complaints = [
        "notify: {command: [true], on: [asks, aks]}",
        "notify: {comand: [true]}",
        "notify: {on: [asks]}",
        "notify: {command: []}",
        "notify: {command: ['']}",
        "notify: {command: echo}",
        "notify: {command: [true], on: []}",
        "notify: {command: [/nowhere/tell]}",
        "notify: {command: [/]}",
        "notify: [true]",
    ]
    .map(|notify| place().complaints(&format!("{ONE}{notify}\n")));
    expect![[r#"
        refused
          × `aks` is not a known value here
           ╭─[tasuki.yaml:2:38]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: [true], on: [asks, aks]}
           ·                                      ───
           ╰────
          help: did you mean `asks`?

        refused
          × there is no key `comand` here
           ╭─[tasuki.yaml:2:10]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {comand: [true]}
           ·          ──────
           ╰────
          help: did you mean `command`?

        refused
          × `command` is missing
           ╭─[tasuki.yaml:2:10]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {on: [asks]}
           ·          ──
           ╰────
          help: add `command:`; see docs/team-file.md for the keys and their values

        refused
          × there is no program to start
           ╭─[tasuki.yaml:2:19]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: []}
           ·                   ─
           ╰────
          help: write `command: [program, argument]`

        refused
          × there is no program to start
           ╭─[tasuki.yaml:2:19]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: ['']}
           ·                   ─
           ╰────
          help: write `command: [program, argument]`

        refused
          × there should be a list (`- item` lines, or `[a, b]`) here
           ╭─[tasuki.yaml:2:19]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: echo}
           ·                   ────
           ╰────
          help: see docs/team-file.md for the keys and their values

        accepted
          ⚠ nothing is reported
           ╭─[tasuki.yaml:2:31]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: [true], on: []}
           ·                               ─
           ╰────
          help: name what is reported, or remove `on`

        accepted
          ⚠ there is no program `/nowhere/tell`
           ╭─[tasuki.yaml:2:19]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: [/nowhere/tell]}
           ·                   ─
           ╰────
          help: install it, or correct the command

        accepted
          ⚠ `/` is a folder, not a program
           ╭─[tasuki.yaml:2:19]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: {command: [/]}
           ·                   ─
           ╰────
          help: name a program and its arguments: `command: [program, argument]`

        refused
          × there should be a map (`key: value` lines) here
           ╭─[tasuki.yaml:2:9]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ notify: [true]
           ·         ─
           ╰────
          help: see docs/team-file.md for the keys and their values"#]]
    .assert_eq(&complaints.join("\n\n"));
}

#[test]
fn commands_are_lists_of_words() {
    let one = "agents: [{name: a, provider: scripted}]\n";
    for commands in [
        "{test: cargo test --locked}",
        "{test: 7}",
        "{test: [], lint: ~, check: ['']}",
        "{Test: [a], -x: [a], '': [a], ok_1-b: [a]}",
        "{test: [sh, -c, \"a\\nb\"]}",
        "{test: {run: a}}",
    ] {
        let said = place().complaints(&format!("{one}commands: {commands}\n"));
        assert!(said.starts_with("refused"), "{said}");
    }
    check(
        &format!("{one}commands: {{test: cargo test --locked}}\n"),
        expect![[r#"
        refused
          × a command is a list of words
           ╭─[tasuki.yaml:2:18]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ commands: {test: cargo test --locked}
           ·                  ───────────────────
           ╰────
          help: no shell reads a command: write `[cargo, test, --locked]`"#]],
    );
    check(
        &format!("{one}commands: {{test: [], -x: [a], lint: [sh, -c, \"a\\nb\"]}}\n"),
        expect![[r#"
        refused
          × there is no program to start
           ╭─[tasuki.yaml:2:18]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ commands: {test: [], -x: [a], lint: [sh, -c, "a\nb"]}
           ·                  ─
           ╰────
          help: write one word per item: `test: [cargo, test, --locked]`
          × `-x` is not a valid name for a command
           ╭─[tasuki.yaml:2:26]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ commands: {test: [], -x: [a], lint: [sh, -c, "a\nb"]}
           ·                          ─
           ╰────
          help: use `[a-z0-9][a-z0-9_-]{0,63}`
          × a word of this command has a control character
           ╭─[tasuki.yaml:2:37]
         1 │ agents: [{name: a, provider: scripted}]
         2 │ commands: {test: [], -x: [a], lint: [sh, -c, "a\nb"]}
           ·                                     ─
           ╰────
          help: remove it; put what needs several lines into a script, and name that"#]],
    );
    check(
        &format!(
            "{one}settings: {{max_feedback: 21, check_timeout: 0s, check_env: [TASUKI_AGENT_KEY, 'A B']}}\n"
        ),
        expect![[r#"
            refused
              × 21 is too small or too large
               ╭─[tasuki.yaml:2:26]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_feedback: 21, check_timeout: 0s, check_env: [TASUKI_AGENT_KEY, 'A B']}
               ·                          ──
               ╰────
              help: use a whole number from 0 to 20
              × this is too short or too long
               ╭─[tasuki.yaml:2:45]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_feedback: 21, check_timeout: 0s, check_env: [TASUKI_AGENT_KEY, 'A B']}
               ·                                             ──
               ╰────
              help: use a value from 1s to 1d
              × `TASUKI_AGENT_KEY` is set by tasuki itself
               ╭─[tasuki.yaml:2:61]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_feedback: 21, check_timeout: 0s, check_env: [TASUKI_AGENT_KEY, 'A B']}
               ·                                                             ────────────────
               ╰────
              help: use a name that does not begin with TASUKI_
              × `A B` is not a valid name for a variable
               ╭─[tasuki.yaml:2:79]
             1 │ agents: [{name: a, provider: scripted}]
             2 │ settings: {max_feedback: 21, check_timeout: 0s, check_env: [TASUKI_AGENT_KEY, 'A B']}
               ·                                                                               ─────
               ╰────
              help: use letters, digits and `_`"#]],
    );
    let many = |count: usize| (0..count).map(|number| format!("  c{number}: [true]\n")).collect::<String>();
    assert!(place().complaints(&format!("{one}commands:\n{}", many(101))).contains("use at most 100"));
    let team = place().good(&format!("{one}commands:\n{}", many(100))).team;
    assert_eq!(team.commands.len(), 100);
}

#[test]
fn a_command_that_is_asked_once_is_told_how() {
    let case = |headless: &str| {
        format!(
            "agents: [{{name: a, provider: scripted}}]\nproviders:\n  x:\n    based_on: plain\n    headless: {headless}\n"
        )
    };
    for (headless, expected) in [
        (
            "{prompt: stdin}",
            expect![[r#"
            refused
              × `command` is missing
               ╭─[tasuki.yaml:5:16]
             4 │     based_on: plain
             5 │     headless: {prompt: stdin}
               ·                ──────
               ╰────
              help: add `command:`; see docs/team-file.md for the keys and their values"#]],
        ),
        (
            "{command: [], answer: text}",
            expect![[r#"
            refused
              × there is no program to ask
               ╭─[tasuki.yaml:5:25]
             4 │     based_on: plain
             5 │     headless: {command: [], answer: text}
               ·                         ─
               ╰────
              help: write it first: `command: [claude, -p]`"#]],
        ),
        (
            "{command: [a, \"{prompt}\"], answer: json}",
            expect![[r#"
            refused
              × `json` is not a known value here
               ╭─[tasuki.yaml:5:42]
             4 │     based_on: plain
             5 │     headless: {command: [a, "{prompt}"], answer: json}
               ·                                          ──────
               ╰────
              help: use one of: text"#]],
        ),
        (
            "{command: [a, \"{prompt}\"], model: [--model]}",
            expect![[r#"
                refused
                  × `{prompt}` stands for nothing here
                   ╭─[tasuki.yaml:5:25]
                 4 │     based_on: plain
                 5 │     headless: {command: [a, "{prompt}"], model: [--model]}
                   ·                         ─
                   ╰────
                  help: say `prompt: stdin`, or `prompt: arg`, which puts it at the end
                  ⚠ there is no program `a`
                   ╭─[tasuki.yaml:5:25]
                 4 │     based_on: plain
                 5 │     headless: {command: [a, "{prompt}"], model: [--model]}
                   ·                         ─
                   ╰────
                  help: install it, or correct the command or the agent's PATH
                  × these words do not have the model in them
                   ╭─[tasuki.yaml:5:49]
                 4 │     based_on: plain
                 5 │     headless: {command: [a, "{prompt}"], model: [--model]}
                   ·                                                 ─
                   ╰────
                  help: write `[--model, "{model}"]`"#]],
        ),
        (
            "{command: [a], model: [--model], answer: {where: {type: end}, text: a..b, take: first}}",
            expect![[r#"
                refused
                  × `first` is not a known value here
                   ╭─[tasuki.yaml:5:95]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], model: [--model], answer: {where: {type: end}, text: a..b, take: first}}
                   ·                                                                                               ─────
                   ╰────
                  help: use one of: last, all"#]],
        ),
        (
            "{command: [a], answer: {text: \"\"}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: \"(\"}], env: {TASUKI_ROOT: /}}",
            expect![[r#"
                refused
                  × an item of `failed:` of this command would be each record
                   ╭─[tasuki.yaml:5:25]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                         ─
                   ╰────
                  help: say by `where:` or `reason:` which records are meant
                  ⚠ there is no program `a`
                   ╭─[tasuki.yaml:5:25]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                         ─
                   ╰────
                  help: install it, or correct the command or the agent's PATH
                  × `` does not name a part of a record
                   ╭─[tasuki.yaml:5:45]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                                             ──
                   ╰────
                  help: write names with dots between, such as `usage.output_tokens`
                  × `usage.` does not name a part of a record
                   ╭─[tasuki.yaml:5:59]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                                                           ──────
                   ╰────
                  help: write names with dots between, such as `usage.output_tokens`
                  × this is not a regular expression: unclosed group
                   ╭─[tasuki.yaml:5:114]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                                                                                                                  ───
                   ╰────
                  help: put it in single quotes, and a backslash before each of . ( ) [ ] { } ? * + ^ $ | meant as
                        itself
                  × `TASUKI_ROOT` is set by tasuki itself
                   ╭─[tasuki.yaml:5:140]
                 4 │     based_on: plain
                 5 │     headless: {command: [a], answer: {text: ""}, tokens: [usage.], failed: [{reason: []}, {reason: [x], matches: "("}], env: {TASUKI_ROOT: /}}
                   ·                                                                                                                                            ─
                   ╰────
                  help: use a name that does not begin with TASUKI_"#]],
        ),
    ] {
        check(&case(headless), expected);
    }
}

#[test]
fn an_agent_that_asks_a_program_once_is_told_what_it_lacks() {
    let warned = |agent: &str| {
        let yaml = format!(
            "agents: [{{name: a, provider: headless, {agent}}}]\nproviders:\n  mine: {{based_on: plain, headless: {{command: [sh]}}}}\n"
        );
        let loaded =
            place().parse(&yaml).unwrap_or_else(|findings| panic!("{}", place().readable(&findings)));
        let told = loaded.warnings.iter().map(|warning| format!("{}. {}", warning.why, warning.cure));
        told.collect::<Vec<_>>().join("\n")
    };
    for (agent, parts) in [
        ("", &["no profile of one is named", "env: {TASUKI_HEADLESS_PROVIDER: NAME}", "mine"][..]),
        ("env: {TASUKI_HEADLESS_PROVIDER: nobody}", &["there is no profile `nobody`", "mine"]),
        ("env: {TASUKI_HEADLESS_PROVIDER: plain}", &["`plain` cannot be asked once", "`headless:`"]),
        ("command: [sh, agent, headless, --provider, plain]", &["`plain` cannot be asked once"]),
        ("env: {TASUKI_HEADLESS_PROVIDER: gemini}", &["there is no program `gemini`"]),
    ] {
        let told = warned(agent);
        assert!(parts.iter().all(|part| told.contains(part)), "{agent}: {told}");
    }
    for agent in ["env: {TASUKI_HEADLESS_PROVIDER: mine}", "command: [sh, agent, headless, --provider=mine]"]
    {
        assert_eq!(warned(agent), "", "{agent}");
    }
    let yaml = "agents: [{name: a, provider: scripted}]\nproviders:\n  mine: {based_on: plain, headless: {command: [nowhere-at-all]}}\n";
    let loaded = place().parse(yaml).expect("it is good");
    let told: Vec<&str> = loaded.warnings.iter().map(|warning| warning.why.as_str()).collect();
    assert_eq!(told, ["there is no program `nowhere-at-all`"]);
}
