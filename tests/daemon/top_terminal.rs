//! What `tasuki top` writes to its terminal, and how it gives it back.

use crate::house::{House, PATIENCE};
use crate::shell::Shell;
use rustix::process::Signal;
use std::time::{Duration, Instant};

fn is_there(screen: &str) -> bool {
    screen.contains("∘ worker") && screen.contains("q quit")
}

/// What was written to the terminal from here on.
fn heard(house: &House, shell: &Shell) {
    shell.tmux(&["pipe-pane", "-o", &format!("cat > '{}'", house.path("heard").display())]);
    house.until("the ear", |house| house.path("heard").exists());
}

/// A text without what moves the cursor and colours letters.
fn letters(heard: &str) -> String {
    let mut letters = String::new();
    let mut rest = heard.chars();
    while let Some(c) = rest.next() {
        if c == '\u{1b}' && rest.next() == Some('[') {
            rest.find(char::is_ascii_alphabetic);
        } else {
            letters.push(c);
        }
    }
    letters
}

#[test]
fn what_does_not_change_is_not_written() {
    let mut house = House::plain("top 静");
    house.start();
    let shell = Shell::new(&house, (80, 24));
    shell.top("");
    shell.until("the team", is_there);
    heard(&house, &shell);
    let written = || house.read("heard").len();
    // What is fetched after the first look comes one after the other.
    let start = Instant::now();
    loop {
        let before = written();
        std::thread::sleep(Duration::from_secs(3));
        // Ages in two places, each second: where, in which colour, and a few digits.
        if written() - before <= 4 * 2 * 40 {
            let told = house.read("heard");
            let new = letters(told.get(before..).expect("a whole character"));
            assert!(new.chars().all(|c| "0123456789dhms ─".contains(c)), "only ages change: {new:?}");
            break;
        }
        assert!(start.elapsed() < PATIENCE, "it is never quiet: {:?}", house.read("heard").get(before..));
    }
    shell.keys(&["q"]);
    shell.is_clean();
    // The shell ends its own pastes, too: what counts is written before the screen is left.
    let told = house.read("heard");
    let told = told.split_inclusive("\u{1b}[?1049l").next().expect("something was written");
    for off in ["\u{1b}[?2004l", "\u{1b}[?25h", "\u{1b}[?1049l"] {
        assert!(told.contains(off), "{off:?} is missing");
    }
    house.end();
}

#[test]
fn a_panic_gives_the_terminal_back_and_can_be_read() {
    let mut house = House::plain("top 慌");
    house.start();
    let shell = Shell::new(&house, (80, 24));
    for place in ["here", "in-a-task"] {
        shell.top(&format!(" --panics {place}; echo ended $?"));
        // Nothing is drawn over what it says.
        shell.until("what it says", |screen| {
            screen.contains("it was told to\n") && screen.contains("\nended 1") && !screen.contains("q quit")
        });
        shell.is_clean();
    }
    house.end();
}

#[test]
fn it_ends_with_its_terminal() {
    let mut house = House::plain("top 窓");
    house.start();
    // Which of two signals is seen first is chance.
    for _ in 0..6 {
        let shell = Shell::new(&house, (80, 24));
        shell.top("");
        shell.until("the team", is_there);
        let pid = shell.child();
        drop(shell);
        house.until("its end", |_| !std::path::Path::new(&format!("/proc/{pid}")).exists());
    }
    house.end();
}

#[test]
fn a_stop_by_anybody_gives_the_terminal_back_and_going_on_takes_it_again() {
    let mut house = House::plain("top 止");
    house.start();
    let shell = Shell::new(&house, (80, 24));
    shell.top("");
    for by_key in [true, false, true, false] {
        shell.until("the team", is_there);
        if by_key {
            shell.keys(&["C-z"]);
        } else {
            shell.signal(Signal::TSTP);
        }
        shell.is_clean();
        shell.line("fg");
    }
    shell.until("the team", is_there);
    shell.keys(&["q"]);
    shell.is_clean();
    house.end();
}

#[test]
fn it_goes_on_over_a_daemon_that_is_killed() {
    let mut house = House::plain("top 死");
    house.start();
    let shell = Shell::new(&house, (120, 30));
    shell.top("");
    shell.until("the team", is_there);
    for round in 0..2 {
        house.kill();
        shell.until("the last picture", |screen| {
            screen.contains("; as it was at ")
                && screen.contains("; again in ")
                && screen.contains("not live")
        });
        // What was seen last is still there, and it counts down to the next try.
        shell.until("the countdown", |screen| screen.contains(" worker ") && screen.contains("again in 1s"));
        house.start();
        shell.until("the daemon", |screen| is_there(screen) && !screen.contains("as it was at"));
        house.drop(&format!("t-{round}.yaml"), &format!("id: t-{round}\nto: worker\ncontent: do it\n"));
        shell.until("what happens now", |screen| screen.contains(&format!("t-{round} completed")));
    }
    shell.keys(&["q"]);
    shell.is_clean();
    house.end();
}

/// What a screen shows, but for its ages.
fn without_digits(screen: &str) -> String {
    screen.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect()
}

#[test]
fn a_storm_of_sizes_leaves_nothing_behind() {
    let mut house = House::plain("top 嵐");
    house.start();
    let shell = Shell::new(&house, (80, 24));
    shell.top("");
    shell.until("the team", is_there);
    for round in 0_u16..60 {
        shell.size(20 + round * 37 % 230, 3 + round * 23 % 70);
    }
    for size in [(200, 50), (80, 24)] {
        shell.size(size.0, size.1);
        shell.until("the team", |screen| is_there(screen) && screen.lines().count() == usize::from(size.1));
        // Drawn as if nothing had been there.
        let fresh = |_: &str| {
            let stormy = without_digits(&shell.screen());
            shell.keys(&["C-z"]);
            shell.until("the shell", |screen| !screen.contains("q quit"));
            shell.line("fg");
            shell.until("the team", is_there);
            without_digits(&shell.screen()) == stormy
        };
        // An age may have got another digit in between.
        shell.until("the same picture", fresh);
    }
    shell.keys(&["q"]);
    shell.is_clean();
    house.end();
}

#[test]
fn a_thousand_agents_are_drawn_and_walked_through() {
    let agents: String = (0..1_000)
        .map(|at| {
            let boss = if at == 0 { "user".to_owned() } else { format!("agent-{:04}", (at - 1) / 8) };
            format!("  - {{name: agent-{at:04}, reports_to: {boss}, provider: plain, command: [cat], marker: OK {at}}}\n")
        })
        .collect();
    let house = House::new("top 千", &agents, &[]);
    let shell = Shell::new(&house, (160, 45));
    shell.top("");
    shell.until("the team", |screen| screen.contains("1000 agents   t tree"));
    shell.keys(&["End"]);
    shell
        .until("its last one", |screen| screen.contains("▸▯ agent-0999") || screen.contains("▸~ agent-0999"));
    shell.keys(&["t", "Home", "Left"]);
    shell.until("a folded tree", |screen| screen.contains("agent-0000 +999"));
    shell.keys(&["Right", "/"]);
    shell.text("0777");
    shell.until("the one that is looked for", |screen| screen.contains("1 of 1000 agents"));
    shell.keys(&["Enter", "q"]);
    shell.is_clean();
}

#[test]
fn what_agents_and_people_write_is_shown_as_text() {
    let mut house = House::plain("top 悪 مرحبا 👩‍👩‍👧");
    house.start();
    let shell = Shell::new(&house, (120, 30));
    shell.tmux(&["set-option", "-g", "allow-rename", "on"]);
    shell.top("");
    shell.until("the team", is_there);
    let content = r#""\e[2J\e]0;PWNED\a\e[?1049l\u202eevil مرحبا 👩‍👩‍👧 襷が長い""#;
    // Held back, so that it stays.
    house.write("queue/STOP", "");
    shell.until("the hold", |screen| screen.contains("ALL TYPING IS HELD"));
    house.drop("t.yaml", &format!("id: t\nto: worker\ncontent: {content}\n"));
    shell.keys(&["2"]);
    shell.until("its letters", |screen| {
        screen.contains("[2J ]0;PWNED  [?1049l") && screen.contains("襷が長い") && screen.contains("مرحبا")
    });
    assert!(!shell.screen().contains('\u{202e}'), "{}", shell.screen());
    let title = shell.tmux(&["display-message", "-p", "#{pane_title}#{window_name}#{alternate_on}"]);
    assert!(!title.contains("PWNED") && title.ends_with("1\n"), "{title}");
    shell.keys(&["q"]);
    shell.is_clean();
    house.end();
}
