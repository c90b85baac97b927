//! A person who looks at the session: seen, not disturbed, and not disturbing.

use crate::world::{SOON, World, row_after, screen_until, text};
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use tasuki::io::mux::Notice;
use tasuki::io::mux::Rows;
use tokio::time::timeout;

/// A person's terminal with tmux in it.
struct Person {
    client: Child,
    keys: ChildStdin,
}

impl Person {
    /// Attaches at a window, in a terminal of 80 columns and 24 rows.
    async fn at(world: &mut World, window: &str) -> Self {
        let attach =
            world.server.attach(Some(window)).iter().map(|arg| format!(" '{arg}'")).collect::<String>();
        let mut command = Command::new("script");
        command.args(["-qfc", &format!("stty cols 80 rows 24; exec tmux{attach}"), "/dev/null"]);
        command.env_remove("TMUX").env("TERM", "screen-256color").env("LANG", "C.UTF-8");
        command.env("TMUX_TMPDIR", world.end.folder.path()).env("BROUGHT_BY", "a person");
        let mut client =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("`script` is there");
        let (keys, mut shown) = (client.stdin.take().unwrap(), client.stdout.take().unwrap());
        // What a person sees must be taken away, or tmux waits.
        std::thread::spawn(move || while shown.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {});
        let attached =
            async { while !matches!(world.notices.next().await, Some(Notice::ClientAttached(_))) {} };
        timeout(SOON, attached).await.expect("that somebody came is told");
        Self { client, keys }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

#[tokio::test]
async fn a_person_is_seen_where_they_look_and_while_they_type() {
    let mut world = World::new().await;
    let (_, pane) = world.run("a", "exec cat").await;
    let (_, other) = world.run("b", "exec cat").await;
    assert_eq!(pane.person().await.unwrap(), None, "our own connection is no person");
    let mut person = Person::at(&mut world, "a").await;
    assert_eq!(other.person().await.unwrap(), None);
    let idle = async || pane.person().await.unwrap().expect("somebody is there").idle_ms;
    let grown = async { while idle().await < 2_000 {} };
    timeout(SOON, grown).await.expect("who does not type is idle");
    pane.type_literal("typed by us ").await.unwrap();
    row_after(&pane, "typed by us").await;
    assert!(idle().await >= 2_000, "our own typing is not theirs");
    person.types("typed by them");
    row_after(&pane, "typed by us typed by them").await;
    assert!(idle().await < 2_000);
    drop(person);
    let left = async { while world.notices.next().await != Some(Notice::ClientDetached) {} };
    timeout(SOON, left).await.expect("that somebody left is told");
    assert_eq!(pane.person().await.unwrap(), None);
}

#[tokio::test]
async fn copy_mode_of_a_person_is_seen() {
    let mut world = World::new().await;
    let (made, pane) = world.run("a", "echo up; exec cat").await;
    row_after(&pane, "up").await;
    let mut person = Person::at(&mut world, "a").await;
    // Two keys at once would be taken for a paste.
    person.types("\u{2}");
    while !world.end.plain(&["list-clients", "-F", "#{client_prefix}"]).contains('1') {}
    person.types("[");
    let changed = async |world: &mut World| {
        let told = async { while world.notices.next().await != Some(Notice::PaneMode(made.pane)) {} };
        timeout(SOON, told).await.expect("that the mode changed is told");
    };
    changed(&mut world).await;
    assert!(world.tmux.list_panes().await.unwrap().iter().any(|row| row.pane == made.pane && row.in_mode));
    let screen = pane.capture(0, Rows::Joined).await.unwrap();
    assert!(screen.in_mode && text(&screen).starts_with("up"));
    assert!(pane.enter().await.is_err());
    person.types("q");
    changed(&mut world).await;
    pane.enter().await.unwrap();
}

#[tokio::test]
async fn a_small_terminal_makes_no_window_small() {
    let mut world = World::new().await;
    let script = "trap 'echo size changed' WINCH; echo up; while :; do read x && stty size; done";
    let (_, before) = world.run("a", script).await;
    row_after(&before, "up").await;
    let _person = Person::at(&mut world, "a").await;
    let (_, after) = world.run("b", script).await;
    row_after(&after, "up").await;
    for pane in [&before, &after] {
        pane.enter().await.unwrap();
        let screen = screen_until(pane, Rows::Joined, |screen| text(screen).contains("50 200")).await;
        assert_eq!((screen.width, screen.height), (200, 50));
    }
    let screen = before.capture(0, Rows::Joined).await.unwrap();
    assert!(!text(&screen).contains("changed"), "nobody resized it");
    let rows = world.tmux.list_panes().await.unwrap();
    assert!(rows.iter().filter(|row| row.tag.is_some()).all(|row| (row.width, row.height) == (200, 50)));
}

#[tokio::test]
async fn a_person_brings_nothing_into_the_agents_environment() {
    let mut world = World::new().await;
    let _person = Person::at(&mut world, "tasuki").await;
    world.end.plain(&["set-option", "-g", "update-environment", "BROUGHT_BY"]);
    let (_, pane) = world.run("a", "env | grep -c BROUGHT; echo up; exec cat").await;
    row_after(&pane, "up").await;
    assert_eq!(pane.capture(0, Rows::Joined).await.unwrap().rows[0], "0");
}

#[tokio::test]
async fn whoever_comes_sees_an_agent_and_in_a_small_terminal_how_to_see_the_rest() {
    let mut world = World::new().await;
    let shown =
        |world: &World| world.end.plain(&["display-message", "-p", "-t", "=チーム:", "#{window_name}"]);
    assert_eq!(shown(&world), "tasuki", "there is nothing else to see");
    let _ = world.run("a", "exec cat").await;
    let _ = world.run("b", "exec cat").await;
    assert_eq!(shown(&world), "a");
    let _person = Person::at(&mut world, "b").await;
    let _ = world.run("c", "exec cat").await;
    assert_eq!(shown(&world), "b", "nobody is taken elsewhere");
    let status = |columns: &str| {
        let right = world.end.plain(&["show-options", "-v", "-t", "=チーム:", "status-right"]);
        let right = right.replace("client_width", columns).replace("#{window_width}", "200");
        world.end.plain(&["display-message", "-p", "-t", "=チーム:b", &right])
    };
    assert!(status("l:80").contains("80 of 200 columns: C-b S-Right"), "{}", status("l:80"));
    assert!(status("l:200").contains("C-b n: next"), "{}", status("l:200"));
    assert!(status("l:80").chars().count() <= 60);
}
