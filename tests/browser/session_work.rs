//! What a session has done in worktrees: its results with commits, files and pull requests, its merge, and a task that is done again with
//! another text, all from its page, with real git.

use crate::axe::check;
use crate::browser::{Browser, Looks};
use crate::house::House;
use crate::opening::{address, clean};
use serde_json::json;
use std::process::Command;

/// Commits its word, `MANY` with two hundred files; `HOLD x` waits for the file `go/x`. What it is to merge waits for `go/merge`.
const AGENT: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  file=$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")
  [[ -e $file ]] || file=$TASUKI_ROOT/$file
  text=$(sed -n 's/^content: //p' "$file")
  other=$(sed -n 's/.*Run `git merge \([^`]*\)`.*/\1/p' "$file")
  if [[ -n $other ]]; then
    until [ -e "$TASUKI_ROOT/go/merge" ]; do sleep 0.05; done
    git merge -q "$other" || { sed -i '/^[<=>]/d' words.txt; git add words.txt; git commit -qm both; }
  elif [[ $text =~ HOLD\ ([a-z]+) ]]; then
    until [ -e "$TASUKI_ROOT/go/${BASH_REMATCH[1]}" ]; do sleep 0.05; done
  else
    echo "$text" > words.txt
    if [[ $text == *MANY* ]]; then
      mkdir -p src/家計簿/reports/monthly
      for n in {1..205}; do echo "$n" > "src/家計簿/reports/monthly/a-file-with-a-long-name-$n.rs"; done
      printf '\0\1' > 絵.png
    fi
    git add . && git commit -qm "$text 🎏 <b>x</b>"
    [[ $text == *MANY* ]] && echo left > "left 🎏.txt"
  fi
  echo "$text" >> "$TASUKI_ROOT/typed"
  echo "答え: $text"
  echo "PLAIN OK $token"
done
"#;

/// In place of GitHub's program: it opens that of the first task alone.
const GH: &str = r#"#!/bin/bash
open=$(dirname "$0")/open.${4//\//_}
case "$1 $2" in
  "pr list") cat "$open" 2> /dev/null || echo '[]' ;;
  "pr create")
    cat > /dev/null
    [[ $4 == *task-2-* ]] && { echo "鍵がない: run gh auth login" >&2; exit 4; }
    echo '[{"number": 7, "url": "https://example.org/pull/7"}]' > "$open"
    echo https://example.org/pull/7 ;;
esac
"#;

const PLAN: &str = "name: 枝を一つに 🎏
tasks:
  - {name: 赤く塗る, description: あか MANY, hire: {like: worker}}
  - {name: Blue, description: あお, hire: {like: worker}}
  - {name: Green, description: みどり, hire: {like: worker}, dependencies: [task-2]}
  - {name: Hold, description: HOLD hand, to: hand}
  - {name: Behind it, description: HOLD hand, to: hand}\n";

fn git(house: &House, words: &[&str]) -> String {
    let output = Command::new("git").current_dir(house.path("")).args(words).output().expect("git");
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A repository whose agents commit, with a remote, and a `gh` beside it.
fn house() -> House {
    let agent = |name: &str, boss: &str| {
        format!(
            "  - {{name: {name}, reports_to: {boss}, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}}\n"
        )
    };
    let team = agent("worker", "user") + &agent("hand", "worker");
    let mut house = House::new("branches 枝", &team, &[("agent.sh", AGENT)]);
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["config", "user.email", "a@example.com"],
        &["config", "user.name", "人"],
        &["add", "agent.sh"],
        &["commit", "-q", "-m", "first"],
        &["init", "-q", "--bare", "../origin.git"],
        &["remote", "add", "origin", "../origin.git"],
    ] {
        git(&house, words);
    }
    let bin = house.path("").parent().expect("a folder").join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    std::fs::write(bin.join("gh"), GH).expect("gh");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("gh"), executable).expect("gh");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").expect("PATH"));
    house.surround("PATH", path.as_ref());
    house.start();
    house
}

fn fill(browser: &Browser, selector: &str, text: &str) {
    let script = "const field = document.querySelector(arguments[0]); field.value = arguments[1]; field.dispatchEvent(new Event('input', { bubbles: true }))";
    browser.run(script, &[json!(selector), json!(text)]);
}

fn until_task(browser: &Browser, task: &str, class: &str) {
    browser.until(&format!("document.querySelector('.node.{class}[data-task=\"{task}\"]')"));
}

fn choose(browser: &Browser, task: &str) {
    browser.click(&format!("[data-task='{task}']"));
    browser.until(&format!("document.querySelector('.beside section.task .id')?.textContent === '{task}'"));
}

#[test]
fn what_a_session_did_is_seen_merged_and_done_again_with_another_text() {
    let house = house();
    let browser = Browser::start(Looks::DESK.sized(1400, 900));
    browser.open(&address(&house, &["sessions"]));
    browser.until_shown("No session yet");
    browser.click(".begin-one .tabs button:last-child");
    fill(&browser, "#begin-text", PLAN);
    browser.click(".begin-one [aria-describedby=begin-pr]");
    browser.until("document.querySelector('.begin-one [aria-describedby=begin-pr]').checked");
    check(&browser, "sessions-pr");
    browser.click(".begin-one .btn.go");
    browser.until("document.querySelectorAll('.node').length === 5");
    // What its agent is still to get is at work with nobody.
    browser.until("document.querySelector('[data-task=\"task-5\"].pend .w')?.textContent === 'queued, 1st of 1 for hand'");
    browser.until("document.querySelector('.counts').textContent.includes('1 queued')");
    ["task-1", "task-2", "task-3"].iter().for_each(|task| until_task(&browser, task, "done"));
    results(&browser);
    everywhere(&browser);
    house.write("go/hand", "");
    until_task(&browser, "task-5", "done");
    browser.until("document.querySelector('.head .st b').textContent === 'completed'");
    merged(&browser, &house);
    again(&browser, &house);
    clean(&browser);
}

/// What a task changed, file by file, and its pull request, or how to open one.
fn results(browser: &Browser) {
    choose(browser, "task-1");
    browser.until("document.querySelector('.beside .pull a')?.textContent.startsWith('#7')");
    let link =
        "const { href, target, rel } = document.querySelector('.beside .pull a'); return [href, target, rel]";
    assert_eq!(
        browser.run(link, &[]),
        json!(["https://example.org/pull/7", "_blank", "noopener noreferrer"])
    );
    browser.until_shown("1 commit, 207 files");
    browser.until("document.querySelector('.beside ul.work').textContent.includes('<b>x</b>')");
    browser.until("document.querySelector('.beside ul.loose').textContent.trim() === 'left 🎏.txt'");
    browser.until("document.querySelectorAll('.beside ul.files li').length === 9");
    browser.click(".beside button.link[aria-expanded='false']");
    browser.until("document.querySelectorAll('.beside ul.files li').length === 201 && document.querySelector('.beside ul.files li:last-child').textContent === 'and 7'");
    check(browser, "session-files");
    choose(browser, "task-2");
    browser.until("document.querySelector('.beside').textContent.includes('鍵がない: run gh auth login')");
    browser.until("document.querySelector('.beside .cmd code')?.textContent.includes('gh pr create --head agent/task-2-')");
}

/// Result, form for another text and form for a merge in both themes and widths.
fn everywhere(browser: &Browser) {
    let one = browser.run("return location.hash.split('/').slice(0, 3).join('/')", &[]);
    let one = one.as_str().expect("its address").to_owned();
    let places = [
        ("result", format!("{one}/task-1"), "ul.files"),
        ("by-hand", format!("{one}/task-2"), ".cmd"),
        ("edit", format!("{one}/task-2?edit=yes"), "form.task textarea"),
    ];
    let sizes = [(1400, 900), (400, 844)].map(|(width, height)| Looks::DESK.sized(width, height));
    for looks in sizes.into_iter().flat_map(|looks| [looks, looks.dark()]) {
        browser.look(looks);
        for (name, place, is_there) in &places {
            look(browser, looks, name, place, is_there);
        }
    }
    browser.look(Looks::DESK.sized(1400, 900));
    browser.run("location.hash = arguments[0]", &[json!(one)]);
    browser.until("document.querySelectorAll('.node').length === 5");
}

fn look(browser: &Browser, looks: Looks, name: &str, place: &str, is_there: &str) {
    browser.run("location.hash = arguments[0]", &[json!(place)]);
    browser.until(&format!("document.querySelector({})", json!(is_there)));
    let name = format!("work-{name}-{}-{}", if looks.dark { "dark" } else { "light" }, looks.size.0);
    let wide = browser.run("return document.documentElement.scrollWidth - innerWidth", &[]);
    assert!(wide.as_i64().is_some_and(|more| more <= 0), "{name} is {wide} px too wide");
    browser.picture(&name);
    check(browser, &name);
}

/// By keys: the branches become one, who conflicts is told, and one that cannot be made says why.
fn merged(browser: &Browser, house: &House) {
    let form = "document.querySelector('form.task input.code')";
    browser.run("document.activeElement.blur()", &[]);
    browser.press("m");
    browser.until(&format!(
        "{form}?.placeholder.startsWith('agent/session-') && document.activeElement === {form}"
    ));
    browser.until_shown("3 branches: 1, 2, 3");
    check(browser, "session-merge");
    browser.picture("work-merge-light-1400");
    // Esc leaves the field, and then the form.
    browser.press("\u{E00C}");
    browser.press("\u{E00C}");
    browser.until(&format!("!{form} && document.activeElement.matches('section.task h2')"));
    browser.press("m");
    browser.until(form);
    fill(browser, "form.task input.code", "a b");
    browser.click("form.task .btn.go");
    browser
        .until("document.querySelector('form.task .note.bad')?.textContent.includes('cannot be a branch')");
    let console = browser.console();
    assert!(console.len() == 1 && console[0].contains("400"), "{console:?}");
    fill(browser, "form.task input.code", "統合");
    browser.click("form.task .btn.go");
    let note = |text: &str| {
        browser.until(&format!(
            "[...document.querySelectorAll('.head .note')].some((one) => one.textContent.includes({}))",
            json!(text)
        ))
    };
    note("The merge onto 統合 waits for a task");
    note("is done again: ");
    note("words.txt");
    browser.until("!document.querySelector('.head a[href$=\"merge=yes\"]')");
    browser.picture("work-merge-waits-light-1400");
    check(browser, "session-merge-waits");
    house.write("go/merge", "");
    note("Merged onto 統合");
    browser.picture("work-merge-done-light-1400");
    let words = git(house, &["show", "統合:words.txt"]);
    assert!(words.contains("あか") && words.contains("みどり"), "{words}");
    browser.press("m");
    browser.until(form);
    // What somebody has checked out is refused at once, and so is a name that git cannot keep. What lies in its worktree fails it.
    fill(browser, "form.task input.code", "main");
    browser.click("form.task .btn.go");
    browser.until("document.querySelector('form.task .note.bad')?.textContent.includes('checked out in')");
    assert_eq!(browser.console().len(), 1, "the daemon has said no");
    git(house, &["branch", "閉/x"]);
    fill(browser, "form.task input.code", "閉");
    browser.click("form.task .btn.go");
    browser.until("document.querySelector('form.task .note.bad')?.textContent.includes('閉/x')");
    assert_eq!(browser.console().len(), 1, "the daemon has said no");
    let trees = std::fs::read_dir(house.path(".orchestrator-worktrees")).expect("worktrees");
    let trees = trees.map(|tree| tree.expect("a worktree").path());
    let of_merge = trees.into_iter().find(|path| path.to_string_lossy().contains("/agent-session-"));
    std::fs::write(of_merge.expect("that of the merge").join("left"), "").expect("it is in the way");
    fill(browser, "form.task input.code", "塞");
    browser.click("form.task .btn.go");
    note("The merge onto 塞 has failed");
    browser.picture("work-merge-failed-light-1400");
    check(browser, "session-merge-failed");
}

/// A completed task is done again with another text, and what needs it after it.
fn again(browser: &Browser, house: &House) {
    choose(browser, "task-2");
    browser.run("document.activeElement.blur()", &[]);
    browser.press("e");
    // What it was told last is its text, with what the merge has added.
    browser.until("document.querySelector('form.task textarea')?.value.startsWith('あお\\n')");
    browser.until_shown("What needs it waits again, and is done anew: 3.");
    assert_eq!(browser.run("return document.querySelector('form.task .btn.go').disabled", &[]), true);
    fill(browser, "form.task textarea", "紺 🎌");
    browser.click("form.task .btn.go");
    browser.until("/task-2$/.test(location.hash) && document.activeElement.matches('section.task h2')");
    browser.until("document.querySelector('.beside .facts')?.textContent.includes('Tries')");
    house.until("what it was told", |house| house.read("typed").lines().any(|line| line.contains('紺')));
    until_task(browser, "task-2", "done");
    browser.until("document.querySelector('.beside').textContent.includes('答え: 紺')");
    // The new word is where the third task has put its own: it gets what it needs, and cannot.
    until_task(browser, "task-3", "fail");
    choose(browser, "task-3");
    browser.until("document.querySelector('.beside').textContent.includes('conflict in words.txt')");
}
