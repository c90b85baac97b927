//! The server: started once, ours alone, never taken from anybody, and its death noticed.

use crate::world::{End, SOON, World, new_server};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;
use tasuki::engine::words::ProcessKey;
use tasuki::io::mux::{Earlier, Mux, MuxError, Notice};
use tasuki::io::process;
use tasuki::io::tmux::command::TmuxCommand;
use tokio::time::timeout;

#[tokio::test]
async fn it_is_started_once_and_found_again() {
    let world = World::new().await;
    let pid = world.tmux.server_pid();
    let list = async || {
        let mut panes = world.tmux.list_panes().await.unwrap();
        // The holder is a shell before it sleeps.
        panes.iter_mut().for_each(|row| row.current_command.clear());
        panes
    };
    let panes = list().await;
    assert_eq!(panes.len(), 1, "there is only the window that keeps the session open");
    assert_eq!((panes[0].tag.clone(), panes[0].width, panes[0].height), (None, 200, 50));
    world.server.ensure().await.unwrap();
    assert_eq!(list().await, panes);
    assert_eq!(world.end.plain(&["display-message", "-p", "#{pid}"]), pid.to_string());
    assert_eq!(world.server.version().await.unwrap(), world.tmux.version());
    let options = |scope: &str, name: &str| world.end.plain(&["show-options", scope, "-v", name]);
    assert_eq!(options("-s", "set-clipboard"), "off");
    assert_eq!(options("-g", "window-size"), "latest", "a global `manual` crashes tmux");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_just_ending_is_in_nobodys_way() {
    let (server, end) = new_server();
    let end = std::sync::Arc::new(end);
    for round in 0..60 {
        server.ensure().await.unwrap_or_else(|error| panic!("round {round}: {error}"));
        let killer = std::sync::Arc::clone(&end);
        let killed = tokio::task::spawn_blocking(move || killer.plain(&["kill-server"]));
        // At another moment of its end each time.
        tokio::time::sleep(Duration::from_micros(round * 150)).await;
        server.ensure().await.unwrap_or_else(|error| panic!("round {round}: {error}"));
        killed.await.unwrap();
    }
    end.plain(&["kill-server"]);
}

#[tokio::test]
async fn a_session_is_made_again_where_the_server_ended_while_it_was_asked() {
    let (mut server, end) = new_server();
    let path = std::env::var("PATH").unwrap();
    // The moment cannot be met on purpose, so these are the words that tmux says in it.
    let script = format!(
        "#!/bin/sh\nPATH='{path}'\ncase \" $* \" in\n  *' new-session '*) if mkdir \"$TMUX_TMPDIR/once\" 2>&-; then\n    \
         echo 'server exited unexpectedly' >&2; exit 1; fi ;;\nesac\nexec tmux \"$@\"\n"
    );
    let programs = end.folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    std::fs::write(programs.join("tmux"), script).unwrap();
    std::fs::set_permissions(programs.join("tmux"), std::fs::Permissions::from_mode(0o755)).unwrap();
    server.env.retain(|(name, _)| name != "PATH");
    server.env.push(("PATH".into(), format!("{}:{path}", programs.display()).into()));
    server.ensure().await.unwrap();
    assert!(end.folder.path().join("once").exists(), "it was told so once");
    end.plain(&["kill-server"]);
}

#[tokio::test]
async fn nothing_of_ours_is_open_in_it() {
    // A server that was started here would keep this file, if it could see it.
    let ours = tempfile::tempfile().unwrap();
    let inherited = |pid: u32| {
        let ours = rustix::fs::fstat(&ours).unwrap();
        let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        let inodes = files.filter_map(|file| rustix::fs::stat(file.ok()?.path()).ok());
        inodes.filter(|file| (file.st_dev, file.st_ino) == (ours.st_dev, ours.st_ino)).count()
    };
    let world = World::new().await;
    assert_eq!(inherited(std::process::id()), 1, "this way of looking finds it");
    assert_eq!(inherited(world.tmux.server_pid()), 0);
    let panes = world.tmux.list_panes().await.unwrap();
    assert_eq!(inherited(panes[0].pid), 0);
}

#[tokio::test]
async fn a_session_of_somebody_else_is_left_alone() {
    let (server, end) = new_server();
    end.plain(&["-f", "/dev/null", "new-session", "-d", "-s", "チーム"]);
    let Err(MuxError::Foreign { owner, .. }) = server.ensure().await else { panic!("it was taken") };
    assert_eq!(owner, "tasuki did not make it");
    assert!(matches!(server.kill().await, Err(MuxError::Foreign { .. })));
    end.plain(&["set-option", "-t", "=チーム:", "@tasuki_root", "/elsewhere"]);
    let Err(MuxError::Foreign { owner, .. }) = server.ensure().await else { panic!("it was taken") };
    assert_eq!(owner, "it belongs to /elsewhere");
    assert_eq!(end.plain(&["list-sessions", "-F", "#{session_name} #{session_windows}"]), "チーム 1");
}

#[tokio::test]
async fn only_our_session_is_ended() {
    let world = World::new().await;
    world.end.plain(&["new-session", "-d", "-s", "mine", "sleep 1000"]);
    world.server.kill().await.unwrap();
    assert_eq!(world.end.plain(&["list-sessions", "-F", "#{session_name}"]), "mine");
    let why = timeout(SOON, world.driver).await.expect("the end is noticed").unwrap();
    assert!(!why.is_empty());
    world.server.kill().await.expect("what is not there needs no ending");
}

#[tokio::test]
async fn another_session_is_neither_seen_nor_touched() {
    let mut world = World::new().await;
    world.end.plain(&["new-session", "-d", "-s", "mine", "-x", "90", "-y", "20", "cat"]);
    let facts =
        || world.end.plain(&["list-panes", "-s", "-t", "=mine:", "-F", "#{pane_width}x#{pane_height}"]);
    let options = || world.end.plain(&["show-options", "-t", "=mine:"]);
    let before = (facts(), options());
    world.run("a", "cat").await;
    world.server.ensure().await.unwrap();
    assert_eq!((facts(), options()), before);
    assert_eq!(before.0, "90x20");
    assert_eq!(world.tmux.list_panes().await.unwrap().len(), 2, "its panes are not ours");
    let told = async { while world.notices.next().await != Some(Notice::SessionsChanged) {} };
    timeout(SOON, told).await.expect("that a session came is told");
}

#[tokio::test]
async fn its_death_is_noticed_and_told_to_all() {
    let mut world = World::new().await;
    let (_, pane) = world.run("a", "cat").await;
    let mut counter = pane.watch().await.unwrap();
    // A server that is still keeps calls waiting.
    let pid = Pid::from_raw(world.tmux.server_pid().cast_signed()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let calls: Vec<_> = (0..100)
        .map(|_| {
            let tmux = world.tmux.clone();
            tokio::spawn(async move { tmux.run(TmuxCommand::new("list-sessions")).await })
        })
        .collect();
    tokio::task::yield_now().await;
    kill_process(pid, Signal::KILL).unwrap();
    let all = async {
        for call in calls {
            assert!(matches!(call.await.unwrap(), Err(MuxError::Gone { .. })));
        }
        while counter.changed().await.is_ok() {}
        let mut last = None;
        while let Some(notice) = world.notices.next().await {
            last = Some(notice);
        }
        assert!(matches!(last, Some(Notice::Gone { .. })), "{last:?}");
        world.driver.await.unwrap()
    };
    let why = timeout(Duration::from_secs(2), all).await.expect("within two seconds");
    assert!(!why.is_empty());
    let late = world.tmux.run(TmuxCommand::new("list-sessions")).await;
    assert!(matches!(late, Err(MuxError::Gone { .. })));
    world.server.ensure().await.expect("a new one is started");
}

#[tokio::test]
async fn a_server_that_stands_still_is_reported() {
    let world = World::new().await;
    let pid = Pid::from_raw(world.tmux.server_pid().cast_signed()).unwrap();
    kill_process(pid, Signal::STOP).unwrap();
    let answer = world.tmux.run(TmuxCommand::new("list-sessions")).await;
    kill_process(pid, Signal::CONT).unwrap();
    assert!(matches!(answer, Err(MuxError::Late { command: "list-sessions", ms: 5_000, sent: true })));
    let replies = world.tmux.run(TmuxCommand::new("display-message").flag("-p").word("again")).await.unwrap();
    assert_eq!(replies[0].text(), "again", "the late reply was nobody's");
}

#[tokio::test]
async fn a_session_that_is_not_there_is_not_made_by_connecting() {
    let (server, end) = new_server();
    let why = Mux::connect(&server, Earlier::default()).await.expect_err("it connected").to_string();
    assert!(why.contains("no server") || why.contains("error connecting"), "{why}");
    end.plain(&["-f", "/dev/null", "new-session", "-d", "-s", "mine"]);
    let why = Mux::connect(&server, Earlier::default()).await.expect_err("it connected").to_string();
    assert!(why.contains("can't find session"), "{why}");
}

/// Our two clients: the one that talks, and its guard.
fn clients(end: &End) -> Vec<ProcessKey> {
    let listed = end.plain(&["list-clients", "-F", "#{client_flags} #{client_pid}"]);
    let mut lines: Vec<&str> = listed.lines().collect();
    // The guard is the one with `no-output`.
    lines.sort_by_key(|line| line.contains("no-output"));
    assert_eq!(lines.len(), 2, "{listed}");
    let pid = |line: &str| line.rsplit(' ').next().unwrap().parse().unwrap();
    lines.into_iter().map(|line| process::key_of(pid(line)).unwrap()).collect()
}

#[tokio::test]
async fn a_client_that_somebody_ends_is_the_end_of_the_connection() {
    for (client, words) in [(0, "hung up"), (1, "second of its two clients")] {
        let mut world = World::new().await;
        let key = clients(&world.end)[client];
        kill_process(Pid::from_raw(key.pid.cast_signed()).unwrap(), Signal::KILL).unwrap();
        let why = timeout(SOON, &mut world.driver).await.expect("it is noticed").unwrap();
        assert!(why.contains(words), "{why}");
        let World { server, end, .. } = world;
        World::connect(server, end).await.tmux.list_panes().await.expect("a new connection is made");
    }
}

#[tokio::test]
async fn the_clients_end_with_us() {
    let world = World::new().await;
    let clients = clients(&world.end);
    world.driver.abort();
    for client in clients {
        timeout(SOON, process::wait_exit(client)).await.expect("it was ended").unwrap();
    }
    assert!(matches!(world.tmux.run(TmuxCommand::new("list-sessions")).await, Err(MuxError::Gone { .. })));
}

#[tokio::test]
async fn a_tmux_that_is_missing_or_too_old_is_told_apart() {
    let (mut server, end) = new_server();
    let folder = end.folder.path().join("bin");
    std::fs::create_dir(&folder).unwrap();
    server.env[0].1 = folder.clone().into();
    assert!(matches!(server.ensure().await, Err(MuxError::Missing)));
    let pretend = |version: &str| {
        let program = folder.join("tmux");
        std::fs::write(&program, format!("#!/bin/sh\necho {version}\n")).unwrap();
        std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o700)).unwrap();
    };
    pretend("tmux 3.2a");
    let error = server.ensure().await.unwrap_err();
    assert!(matches!(error, MuxError::TooOld { .. }));
    assert!(error.to_string().contains("apt-get install tmux"), "{error}");
    pretend("tmux master");
    assert!(matches!(server.ensure().await, Err(MuxError::VersionUnknown { .. })));
}

#[tokio::test]
async fn names_with_a_meaning_are_refused() {
    let (server, _end) = new_server();
    for name in ["", "a:b", "a.b", "=a", "-a", "$1", "a/b", "a b", "a\n", &"a".repeat(65)] {
        let mut bad = server.clone();
        bad.session = name.to_owned();
        assert!(matches!(bad.ensure().await, Err(MuxError::BadName { what: "session", .. })), "{name:?}");
        let mut bad = server.clone();
        bad.socket = name.to_owned();
        assert!(matches!(bad.ensure().await, Err(MuxError::BadName { what: "tmux_socket", .. })), "{name:?}");
    }
}
