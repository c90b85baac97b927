//! `tasuki top` as a person uses it: in a terminal of a tmux server of its own, beside that of the agents.

use crate::house::House;
use crate::shell::Shell;
use rustix::process::Signal;

const PLAY: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task, match: ask}
    do:
      - dialog: "{first_line}"
      - print: "it was allowed"
      - claim: now
  - when: {turn: task}
    do:
      - print: "did {id}"
      - claim: now
"#;

/// Its boss asks where it is told to, and its worker answers at once.
fn house() -> House {
    let agents = "  - {name: boss, reports_to: user, provider: claude, marker: BOSS OK, command: [\"{tasuki}\", agent, scripted, \
                  --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n  - {name: worker, reports_to: boss, provider: plain, \
                  command: [bash, ./agent.sh], marker: PLAIN OK}\n";
    House::new("top 画面", agents, &[("play.yaml", PLAY), ("agent.sh", crate::house::PLAIN_AGENT)])
}

#[test]
fn a_person_watches_answers_and_hands_over_in_a_terminal() {
    let mut house = house();
    house.start();
    let house = &house;
    let shell = Shell::new(house, (80, 24));
    shell.top("");
    shell.until("the team", |screen| {
        screen.contains("∘ boss") && screen.contains("∘ worker") && screen.contains("q quit")
    });

    house.drop("first.yaml", "id: first\nto: boss\ncontent: ask for one.txt 🎽\n");
    shell.until("the question", |screen| {
        screen.contains("? boss") && screen.contains("ASKS YOU") && screen.contains("1 NEEDS YOU")
    });
    shell.keys(&["a"]);
    shell.until("its choices", |screen| {
        screen.contains("tasuki answer boss NUMBER --of") && screen.contains("2 No")
    });
    shell.keys(&["1"]);
    assert!(house.result("first").contains("it was allowed"));
    shell.until("the answer to be told", |screen| screen.contains("∘ boss") && screen.contains("0 need you"));

    shell.keys(&["n"]);
    shell.until("the composer", |screen| screen.contains("New task"));
    shell.keys(&["Up", "C-u"]);
    shell.text("nobody");
    shell.keys(&["Enter"]);
    shell.text("家計簿 q X H");
    shell.keys(&["Enter"]);
    shell.until("why it is refused", |screen| screen.contains("Refused:") && screen.contains("家計簿 q X H"));
    shell.keys(&["BTab", "C-u"]);
    shell.text("worker");
    shell.until("what Enter does there", |screen| screen.contains("Enter next field"));
    shell.keys(&["Enter"]);
    shell.until("what Enter does there", |screen| screen.contains("Enter hands it over"));
    shell.keys(&["Enter"]);
    shell.until("it to be accepted", |screen| screen.contains("is accepted: it is on the disk"));
    // It is followed to its end.
    shell.until("its answer", |screen| {
        screen.contains("▸✓ msg-") && screen.contains("Answer of worker") && screen.contains("answer to msg-")
    });
    house.until("its file", |house| house.files("queue/results").len() == 2);
    shell.keys(&["4", "BTab", "s", "s"]);

    shell.keys(&["H"]);
    shell.until("the hold", |screen| screen.contains("ALL TYPING IS HELD"));
    assert!(house.path("queue/STOP").exists());
    shell.keys(&["H"]);
    shell.until("to be asked", |screen| screen.contains("y yes  n no"));
    shell.keys(&["y"]);
    shell.until("the work to go on", |screen| !screen.contains("ALL TYPING IS HELD"));
    assert!(!house.path("queue/STOP").exists());

    shell.size(160, 45);
    shell.until("two columns", |screen| {
        screen.contains("2 Tasks") && screen.contains("1 Needs you") && screen.contains("┼")
    });
    shell.size(20, 4);
    shell.until("a small one", |screen| screen.lines().count() == 4 && screen.contains("tasuki"));
    shell.size(80, 24);
    shell.until("one column", |screen| screen.contains("q quit") && screen.contains("∘ worker"));
    shell.keys(&["q"]);
    shell.is_clean();
}

#[test]
fn the_terminal_is_given_back_however_it_ends() {
    let mut house = house();
    house.start();
    {
        let house = &house;
        let shell = Shell::new(house, (100, 30));
        let is_there = |screen: &str| screen.contains("∘ worker");
        shell.top(" --ascii");
        shell.until("ASCII", |screen| {
            screen.contains(". worker") && !screen.contains('─') && screen.contains("----")
        });
        shell.keys(&["C-c"]);
        shell.is_clean();
        shell.top(" --color never");
        shell.until("the team", is_there);
        shell.keys(&["C-z"]);
        shell.is_clean();
        shell.text("fg");
        shell.keys(&["Enter"]);
        shell.until("the team again", is_there);
        shell.keys(&["j", "Enter"]);
        shell.until("the agent's own window", |screen| {
            !screen.contains("q quit") && !screen.contains("3 Team")
        });
        // Its keys are tmux's only once it is there.
        house.until("the attached terminal", |house| {
            !house.tmux(&["list-clients", "-F", "#{client_tty}"]).trim().is_empty()
        });
        shell.keys(&["C-b", "d"]);
        shell.until("the team once more", is_there);
        for last in [Signal::TERM, Signal::HUP] {
            shell.signal(last);
            shell.is_clean();
            if last == Signal::TERM {
                shell.top("");
                shell.until("the team", is_there);
            }
        }
    }
    house.end();
}

#[test]
fn without_a_daemon_it_shows_the_files_and_goes_on_when_one_starts() {
    let mut house = house();
    house.start();
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it\n");
    house.result("t");
    house.end();
    let shell = Shell::new(&house, (80, 24));
    shell.top("");
    shell.until("the files", |screen| {
        screen.contains("no daemon is running (tasuki up)") && screen.contains(" worker ")
    });
    house.start();
    shell.until("the daemon", |screen| screen.contains("∘ worker") && !screen.contains("no daemon"));
    shell.keys(&["q"]);
    shell.is_clean();
}

#[test]
fn what_is_older_is_read_in_the_log_and_an_answer_that_was_seen_counts_as_read() {
    let mut house = house();
    let old: String = (0..1_400)
        .map(|at| format!("2026-02-02T{:02}:{:02}:09.000Z old line {at:04}\n", at / 60, at % 60))
        .collect();
    house.write("status/activity.log", &old);
    house.start();
    let house = &house;
    house.drop("t.yaml", "id: t\nto: worker\ncontent: do it 🎽\n");
    house.result("t");
    let shell = Shell::new(house, (80, 24));
    shell.top("");
    shell.until("the team", |screen| screen.contains("∘ worker"));
    shell.keys(&["l"]);
    shell.until("the log", |screen| screen.contains("─ Log ─") && screen.contains("t completed"));
    // What is fetched comes in pieces, and the oldest is the oldest of what is there.
    shell.until("the oldest line", |screen| {
        shell.keys(&["Home"]);
        screen.contains("old line 0000")
    });
    shell.keys(&["/"]);
    shell.text("line 13");
    shell.keys(&["Enter", "End"]);
    shell.until("what fits", |screen| screen.contains("old line 1399") && !screen.contains("old line 1299"));
    house.drop("u.yaml", "id: u\nto: worker\ncontent: do it\n");
    house.result("u");
    shell.keys(&["Escape"]);
    shell.until("all lines", |screen| screen.contains("u completed"));
    shell.keys(&["Escape"]);
    shell.until("the team again", |screen| screen.contains("3 Team"));
    assert_eq!(house.read(".tasuki/answers_read.json"), "");
    shell.keys(&["4"]);
    shell.until("what has ended", |screen| screen.contains("✓ t ") && screen.contains("✓ u "));
    shell.keys(&["End", "w"]);
    shell.until("the answer", |screen| {
        let known = "it printed its done marker with this task's token";
        screen.contains("Answer of worker:") && screen.contains(known)
    });
    house.until("it to count as read", |house| house.read(".tasuki/answers_read.json").contains("\"t\""));
    shell.keys(&["q"]);
    shell.is_clean();
}
