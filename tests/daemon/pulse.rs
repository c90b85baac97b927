//! The team's pulse in the status line of the agents' tmux session, as a person sees it who is attached.

use crate::house::{House, signal};
use crate::shell::Shell;
use rustix::process::Signal;
use std::time::{Duration, Instant};

/// How soon a person who is attached knows that the daemon is gone.
const TOLD_WITHIN: Duration = Duration::from_secs(15);

/// What the status line is made of; empty before anybody was there.
fn option(house: &House) -> String {
    house.tmux(&["show-options", "-qv", "-t", "=tasuki:", "@tasuki_pulse"]).trim().to_owned()
}

/// After how many seconds tmux draws the status line by itself; 0 for never. tmux wakes for each client then, and the daemon's own
/// are two.
fn ticks(house: &House) -> String {
    house.tmux(&["show-options", "-qv", "-t", "=tasuki:", "status-interval"]).trim().to_owned()
}

fn attached(house: &House) -> bool {
    house.tmux(&["list-clients", "-F", "#{client_control_mode}"]).lines().any(|line| line == "0")
}

/// Has the daemon stand still while tmux has more to tell it than a pipe holds: when it is killed, its client never leaves by itself.
fn fall_behind(house: &House) {
    signal(&house.pid().to_string(), Signal::STOP).expect("the daemon to stand still");
    let windows = || house.tmux(&["list-windows", "-t", "=tasuki:", "-F", "#{window_name}"]);
    house.tmux(&["new-window", "-d", "-t", "=tasuki:", "-n", "much", "seq 1 200000"]);
    house.until("all of it to be printed", |_| !windows().contains("much"));
}

/// A dialog, so that somebody is needed; what comes after is answered at once.
const PLAY: &str = r#"
mode: tui
prompt: "❯ "
rules:
  - when: {turn: task, match: ask}
    do:
      - dialog: "{first_line}"
      - claim: now
"#;

#[test]
fn the_status_line_of_the_agents_session_shows_the_pulse_while_somebody_looks() {
    let agent = "  - {name: boss, reports_to: user, provider: claude, marker: BOSS OK, command: [\"{tasuki}\", agent, scripted, \
                 --phrase, \"{phrase}\", --script, \"{root}/play.yaml\"]}\n";
    let mut house = House::new("pulse 脈", agent, &[("play.yaml", PLAY)]);
    house.start();
    house.drop("a.yaml", "id: a\nto: boss\ncontent: 襷\n");
    house.result("a");
    assert_eq!((&*option(&house), &*ticks(&house)), ("", "0"), "nobody was there");

    let shell = Shell::new(&house, (140, 30));
    let program = house.tasuki().get_program().to_string_lossy().into_owned();
    let attach = format!("env -u TMUX TERM=screen {program} attach");
    shell.line(&attach);
    let shows = |text: &str| {
        let text = text.to_owned();
        move |screen: &str| screen.lines().last().is_some_and(|line| line.contains(&text))
    };
    shell.until("the pulse", shows("tasuki  ◉0 ⋯0 ?0 ✗0 ~0"));
    house.drop("b.yaml", "id: b\nto: boss\ncontent: ask for one.txt\n");
    shell.until("the question", shows("?1 ✗0 ~0"));
    // A narrow terminal has room for what a person should know of.
    shell.size(80, 24);
    shell.until("the alarm", |screen| shows("tasuki  ?1 ")(screen) && !shows("◉")(screen));
    shell.size(140, 30);
    shell.until("all of it", shows("?1 ✗0 ~0"));

    // What a dead daemon said is not told as what is, however soon it dies, and whatever tmux had still to tell it.
    for is_behind in [false, false, true] {
        if is_behind {
            fall_behind(&house);
        }
        let killed = Instant::now();
        house.kill();
        shell.until("no daemon", shows("tasuki  no daemon "));
        assert!(killed.elapsed() < TOLD_WITHIN, "{:?}", killed.elapsed());
        house.start();
        shell.until("the pulse again", shows("?1 ✗0 ~0"));
    }
    assert_eq!(ticks(&house), "0", "nothing is drawn by the clock, whoever is there");

    shell.keys(&["C-b", "d"]);
    shell.is_clean();
    house.until("nobody to be there", |house| !attached(house));
    let before = option(&house);
    assert_eq!(house.ask(&["answer", "boss", "1"]).status.code(), Some(0));
    house.result("b");
    house.drop("c.yaml", "id: c\nto: boss\ncontent: 襷\n");
    house.result("c");
    assert_eq!(option(&house), before, "nobody is there: tmux is told nothing");
    shell.line(&attach);
    shell.until("the pulse of now", shows("◉0 ⋯0 ?0 ✗0 ~0"));
    shell.keys(&["C-b", "d"]);
    shell.is_clean();
    house.end();
}
