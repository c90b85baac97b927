//! Windows for agents: made as asked, told apart, and their ends known.

use crate::world::{End, SOON, World, new_server, row_after, screen_until, text};
use std::ffi::OsString;
use std::path::PathBuf;
use tasuki::engine::words::{AgentName, Nonce, PaneId};
use tasuki::io::mux::MuxError;
use tasuki::io::mux::Rows;
use tasuki::io::mux::Tag;
use tasuki::io::mux::{ExitFacts, Pane};
use tasuki::io::process;
use tokio::time::timeout;

async fn ended(pane: &Pane) -> ExitFacts {
    let waiting = async {
        loop {
            let facts = pane.exit_facts().await.unwrap();
            if facts.dead {
                return facts;
            }
        }
    };
    timeout(SOON, waiting).await.expect("it ends")
}

fn facts(status: Option<i32>, signal: Option<&str>) -> ExitFacts {
    ExitFacts { dead: true, status, signal: signal.map(str::to_owned) }
}

#[tokio::test]
async fn how_a_program_ended_is_known() {
    let world = World::new().await;
    let (made, pane) = world.run("a", "read x; exit 7").await;
    let key = process::key_of(made.pid).unwrap();
    assert_eq!(pane.exit_facts().await.unwrap(), ExitFacts { dead: false, ..facts(None, None) });
    pane.enter().await.unwrap();
    timeout(SOON, process::wait_exit(key)).await.expect("its end is noticed").unwrap();
    assert_eq!(ended(&pane).await, facts(Some(7), None));
    let (_, pane) = world.run("b", "kill -TERM $$").await;
    assert_eq!(ended(&pane).await, facts(None, Some("TERM")));
    let (made, pane) = world.run("c", "exec sleep 1000").await;
    let program = rustix::process::Pid::from_raw(i32::try_from(made.pid).unwrap()).unwrap();
    rustix::process::kill_process(program, rustix::process::Signal::KILL).unwrap();
    assert_eq!(ended(&pane).await, facts(None, Some("KILL")));
    let mut spec = world.spec("d", "");
    spec.argv = ["/no/such/program", "x"].map(OsString::from).to_vec();
    assert_eq!(ended(&world.start(&spec).await.1).await, facts(Some(1), None));
    let mut rows = world.tmux.list_panes().await.unwrap();
    rows.retain(|row| row.tag.is_some());
    let ends: Vec<_> =
        rows.iter().map(|row| (row.dead, row.dead_status, row.dead_signal.as_deref())).collect();
    let expected = [(Some(7), None), (None, Some("TERM")), (None, Some("KILL")), (Some(1), None)];
    assert_eq!(ends, expected.map(|(status, signal)| (true, status, signal)));
    assert!(matches!(world.tmux.pane(PaneId(99)).exit_facts().await, Err(MuxError::NoPane { .. })));
}

#[tokio::test]
async fn the_end_of_a_program_is_known_even_before_tmux_marks_its_pane() {
    let world = World::new().await;
    // The kernel tells of an end before tmux does; and while somebody else still holds the terminal, tmux never calls
    // the pane dead. Whoever asks at once gets the status all the same.
    for round in 0..20 {
        let (made, pane) = world.run(&format!("a{round}"), "sleep 3 & exit 4").await;
        if let Some(key) = process::key_of(made.pid) {
            timeout(SOON, process::wait_exit(key)).await.expect("its end is noticed").unwrap();
        }
        let end = pane.exit_facts().await.unwrap();
        assert_eq!((end.status, end.signal), (Some(4), None), "round {round}");
    }
}

#[tokio::test]
async fn the_last_output_of_a_one_shot_program_is_kept() {
    let world = World::new().await;
    for round in 0..10 {
        let mut spec = world.spec("o", "seq 1 4000; printf 最後; exit 5");
        spec.one_shot = true;
        spec.tag.nonce = Nonce(round);
        let (_, pane) = world.start(&spec).await;
        assert_eq!(ended(&pane).await, facts(Some(5), None));
        let screen = pane.capture(5_000, Rows::Joined).await.unwrap();
        assert!(screen.dead && text(&screen).ends_with("\n3999\n4000\n最後"), "round {round}");
    }
}

#[tokio::test]
async fn a_program_gets_the_arguments_the_folder_and_the_environment_that_were_said() {
    let (mut server, end) = new_server();
    server.env.push(("SECRET_OF_THE_DAEMON".into(), "x".into()));
    server.ensure().await.unwrap();
    end.plain(&["set-environment", "-g", "SET_BY_A_PERSON", "a\nb=c"]);
    let world = World::connect(server, end).await;
    // Each of these has a meaning to tmux's formats, its commands, or a shell.
    let odd = "長い名前の#{pid}#(id)##[x]#[y]#S;$HOME~ '\"\\ a";
    let deep: PathBuf =
        [world.end.folder.path().to_owned()].iter().chain(vec![&PathBuf::from(odd); 12]).collect();
    assert!(deep.as_os_str().len() > 500);
    std::fs::create_dir_all(&deep).unwrap();
    let values = ["日本 🎽", "a\nb\tc \u{1b}[1m", "#{pid} $HOME ~ ; \\ \" '", ""];
    let mut spec = world.spec("a", "");
    let named = values.iter().enumerate().map(|(number, value)| (format!("V{number}").into(), value.into()));
    spec.env = named.chain([("PATH".into(), std::env::var_os("PATH").unwrap())]).collect();
    spec.cwd.clone_from(&deep);
    let script = r#"printf '%s\0' "$@" >args; env -0 >env; pwd -P >pwd; echo written; exec sleep 1000"#;
    let args = ["sh", "-c", script, "-x", "a;", ";", "", "#{pid}", "$HOME", "日本\n🎽", "{", "-t"];
    spec.argv = args.map(OsString::from).to_vec();
    let (_, pane) = world.start(&spec).await;
    row_after(&pane, "written").await;
    let read = |name: &str| String::from_utf8(std::fs::read(deep.join(name)).unwrap()).unwrap();
    assert_eq!(read("args"), args[4..].iter().flat_map(|arg| [*arg, "\0"]).collect::<String>());
    assert_eq!(read("pwd").trim_end(), deep.to_str().unwrap());
    let env = read("env");
    for (number, value) in values.iter().enumerate() {
        assert!(env.contains(&format!("V{number}={value}\0")), "V{number}");
    }
    let mut names: Vec<_> =
        env.split('\0').filter_map(|entry| entry.split_once('=')).map(|(name, _)| name).collect();
    names.sort_unstable();
    // A newer tmux, as 3.7, sets `COLORTERM`, too.
    let by_tmux = ["COLORTERM", "SHELL", "TERM", "TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TMUX", "TMUX_PANE"];
    let by_sh = ["OLDPWD", "PWD", "SHLVL", "_"];
    let expected = ["PATH", "V0", "V1", "V2", "V3"];
    names.retain(|name| !by_tmux.contains(name) && !by_sh.contains(name));
    assert_eq!(names, expected, "nothing is inherited");
}

#[tokio::test]
async fn a_program_of_one_word_is_no_shell_line() {
    let world = World::new().await;
    let program = world.file("a program; touch x", "#!/bin/sh\necho it ran 日本; read x\n");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let mut spec = world.spec("a", "");
    spec.argv = vec![program.into()];
    let (made, pane) = world.start(&spec).await;
    row_after(&pane, "it ran 日本").await;
    let row = world.tmux.list_panes().await.unwrap().into_iter().find(|row| row.pane == made.pane).unwrap();
    assert_eq!((row.pid, row.current_command.as_str()), (made.pid, "sh"));
    spec.argv.clear();
    assert!(matches!(world.tmux.create_window(&spec).await, Err(MuxError::BadName { what: "command", .. })));
    spec.argv = vec!["a".into(), "x\0".into()];
    assert!(matches!(world.tmux.create_window(&spec).await, Err(MuxError::HasNul(_))));
    let mut spec = world.spec("a", "");
    spec.env.push(("A=B".into(), "x".into()));
    assert!(matches!(world.tmux.create_window(&spec).await, Err(MuxError::BadName { what: "variable", .. })));
}

#[tokio::test]
async fn a_strangers_process_name_does_not_break_the_list() {
    let world = World::new().await;
    let (made, pane) = world
        .run(
            "a",
            r#"exec bash -c 'exec -a "x
%exit
|y" sh -c "echo up; read x"'"#,
        )
        .await;
    row_after(&pane, "up").await;
    let rows = world.tmux.list_panes().await.unwrap();
    let row = rows.iter().find(|row| row.pane == made.pane).unwrap();
    // tmux 3.7 gives no name at all where it has such letters.
    assert!(["x %exit |y", ""].contains(&row.current_command.as_str()), "{row:?}");
    assert_eq!(rows.len(), 2);
}

#[tokio::test]
async fn panes_are_found_again_by_their_tags() {
    let (server, end) = new_server();
    server.ensure().await.unwrap();
    end.plain(&["set-option", "-g", "base-index", "1", ";", "set-option", "-g", "pane-base-index", "1"]);
    let world = World::connect(server, end).await;
    let (a, pane) = world.run("a", "exec cat").await;
    let (b, _) = world.run("b", "exec cat").await;
    let End { folder, .. } = &world.end;
    assert!(folder.path().exists());
    // A person splits one window, swaps it and moves it: numbers change, identities do not.
    let target = a.pane.to_string();
    world.end.plain(&["split-window", "-d", "-b", "-t", &target, "cat"]);
    world.end.plain(&["move-window", "-s", &target, "-t", "=チーム:77"]);
    let mine = |rows: Vec<tasuki::io::mux::PaneRow>| -> Vec<_> {
        rows.into_iter().filter_map(|row| Some((row.tag?, row.pane, row.pid, row.tty))).collect()
    };
    let rows = world.tmux.list_panes().await.unwrap();
    assert_eq!(rows.len(), 4);
    let tag = |name: &str| Tag { agent: AgentName::new(name).unwrap(), ..world.spec(name, "").tag };
    let mut found = mine(rows);
    found.sort_by_key(|row| row.1);
    let expected = [(tag("a"), a.pane, a.pid, a.tty), (tag("b"), b.pane, b.pid, b.tty)];
    assert_eq!(found, expected);
    pane.type_literal("still here").await.unwrap();
    screen_until(&pane, Rows::Joined, |screen| text(screen).contains("still here")).await;
    // A second connection, as after a restart, finds the same.
    let World { server, end, driver, .. } = world;
    driver.abort();
    server.ensure().await.unwrap();
    let world = World::connect(server, end).await;
    let mut again = mine(world.tmux.list_panes().await.unwrap());
    again.sort_by_key(|row| row.1);
    assert_eq!(again, expected);
}

#[tokio::test]
async fn a_hundred_windows_are_made_and_closed() {
    let world = World::new().await;
    let specs: Vec<_> =
        (0..100).map(|n| world.spec(&format!("a{n}"), "stty size; exec sleep 1000")).collect();
    let mut panes = Vec::new();
    for spec in &specs {
        panes.push(world.start(spec).await);
    }
    let rows = world.tmux.list_panes().await.unwrap();
    assert_eq!(rows.len(), 101);
    for (spec, (made, pane)) in specs.iter().zip(&panes) {
        assert_eq!(row_after(pane, "50 ").await, "200");
        let row = rows.iter().find(|row| row.pane == made.pane).unwrap();
        assert_eq!((row.tag.as_ref(), row.pid), (Some(&spec.tag), made.pid));
        assert_eq!(row.tty, made.tty);
        // The first is shown in the place of the window that only holds the session open.
        assert_eq!(row.window_active, spec.name == "a0", "making a window takes nobody elsewhere");
    }
    let names = world.end.plain(&["list-windows", "-t", "=チーム:", "-F", "#{window_name}"]);
    let expected = std::iter::once("tasuki".to_owned()).chain((0..100).map(|n| format!("a{n}")));
    assert_eq!(names.lines().collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    for (made, pane) in &panes {
        let key = process::key_of(made.pid).unwrap();
        pane.kill_window().await.unwrap();
        timeout(SOON, process::wait_exit(key)).await.expect("it ends with its window").unwrap();
    }
    assert_eq!(world.tmux.list_panes().await.unwrap().len(), 1, "the session stays");
}
