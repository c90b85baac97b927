//! Typing: what is asked for arrives byte by byte, or nothing does and the reason is told.

use crate::world::{SOON, World, file_until, row_after};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tasuki::engine::words::{Nonce, PaneId};
use tasuki::io::mux::MuxError;
use tasuki::io::mux::Pane;
use tasuki::io::mux::Tag;
use tasuki::io::mux::{CtrlLetter, Key};
use tasuki::io::tmux::command::TmuxCommand;
use tokio::time::timeout;

/// A raw program that writes the `bytes` that it is given into a file.
async fn reader(world: &World, name: &str, before: &str, bytes: usize) -> (Pane, std::path::PathBuf) {
    let path = world.end.folder.path().join(name);
    let script = format!(
        "stty raw -echo; {before} echo ready; head -c {bytes} >{path:?}; printf done; exec sleep 1000"
    );
    let (_, pane) = world.run(name, &script).await;
    row_after(&pane, "ready").await;
    (pane, path)
}

/// Any text without NUL, often with what tmux gives a meaning to.
fn texts() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\"",
        "'",
        "\\",
        "$HOME",
        "${HOME}",
        "~",
        "~root/",
        "#{pid}",
        "#(id)",
        "##[",
        ";",
        " ; ",
        "{",
        "}",
        "%if",
        "\n",
        "\t",
        "\r",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{9b}",
        "日本",
        "🎽",
        "e\u{301}",
        "\u{202e}",
        "-l",
        "A=b",
        " ",
    ]);
    let piece = prop_oneof![odd.prop_map(str::to_owned), any::<char>().prop_map(String::from)];
    let text = prop::collection::vec(piece, 1..40).prop_map(|pieces| pieces.concat());
    text.prop_map(|text| text.replace('\0', ""))
        .prop_filter("tmux keeps no empty buffer", |text| !text.is_empty())
}

#[test]
fn every_text_comes_back_as_it_was_quoted() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let world = runtime.block_on(World::new());
    let back = |text: &str| {
        let set = TmuxCommand::silent("set-buffer").flag("-b").word("q").flag("--").word(text);
        let replies = runtime.block_on(world.tmux.run(set.then(TmuxCommand::take_buffer("q")))).unwrap();
        replies[2].buffer(world.tmux.version().buffer_escape())
    };
    let mut runner = TestRunner::new(Config { cases: 2_000, failure_persistence: None, ..Config::default() });
    let run = runner.run(&texts(), |text| {
        prop_assert_eq!(String::from_utf8(back(&text)), Ok(text));
        Ok(())
    });
    run.unwrap();
}

#[tokio::test]
async fn a_paste_arrives_exactly_whatever_its_size() {
    let world = World::new().await;
    let inline = 16 << 10;
    for (name, size) in [("p1", 1), ("p2", inline), ("p3", inline + 1), ("p4", 1 << 20)] {
        let odd = "日本 🎽 -l $HOME ~ #{pid} \\ \" ' ; ";
        let text: String = odd
            .chars()
            .cycle()
            .scan(0, |sum, c| {
                *sum += c.len_utf8();
                (*sum <= size).then_some(c)
            })
            .collect();
        let text = format!("{text}{}", "x".repeat(size - text.len()));
        let (pane, path) = reader(&world, name, "", size).await;
        pane.paste(&text).await.unwrap();
        let read = file_until(&pane, &path, |read| read.len() >= size).await;
        assert!(read == text.as_bytes(), "{size} bytes changed on their way");
    }
    assert_eq!(world.end.plain(&["list-buffers"]), "", "no text is left behind in tmux");
    let left: Vec<_> =
        std::fs::read_dir(world.end.folder.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert!(
        !left.iter().any(|name| name.to_string_lossy().starts_with(".paste-")),
        "nor on the disk: {left:?}"
    );
}

#[tokio::test]
async fn a_paste_stands_in_brackets_for_a_program_that_asks_for_them() {
    let world = World::new().await;
    let (pane, path) = reader(&world, "b", r"printf '\033[?2004h';", 18).await;
    pane.paste("日a b").await.unwrap();
    pane.enter().await.unwrap();
    let read = file_until(&pane, &path, |read| read.len() >= 18).await;
    assert_eq!(String::from_utf8_lossy(&read), "\u{1b}[200~日a b\u{1b}[201~");
}

#[tokio::test]
async fn what_is_typed_arrives_as_it_is() {
    let world = World::new().await;
    let odd = "-l -- #{pid} $HOME ~/x \"q\" 'q' \\n 日本 🎽 {} %if Enter C-c;";
    let long = "襷🎽x".repeat(1_500);
    let keys = [Key::Ctrl(CtrlLetter::new('u').unwrap()), Key::Tab, Key::Escape, Key::Up];
    let expected = format!("{odd}\r{long}\r\u{15}\t\u{1b}\u{1b}[A");
    let (pane, path) = reader(&world, "t", "", expected.len()).await;
    pane.type_literal(odd).await.unwrap();
    pane.enter().await.unwrap();
    pane.type_literal(&long).await.unwrap();
    pane.enter().await.unwrap();
    for key in keys {
        pane.key(key).await.unwrap();
    }
    let read = file_until(&pane, &path, |read| read.len() >= expected.len()).await;
    assert_eq!(String::from_utf8_lossy(&read), expected);
}

#[tokio::test]
async fn no_control_character_is_typed() {
    let world = World::new().await;
    let (pane, path) = reader(&world, "c", "", 2).await;
    for c in (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32) {
        let text = format!("日{c}\u{1b}[201~");
        assert!(matches!(pane.paste(&text).await, Err(MuxError::Unprintable(_))), "{c:?}");
        assert!(matches!(pane.type_literal(&text).await, Err(MuxError::Unprintable(_))), "{c:?}");
    }
    pane.paste("ok").await.unwrap();
    assert_eq!(file_until(&pane, &path, |read| read.len() >= 2).await, b"ok");
}

/// Tries each way of typing, and checks that each is refused in the same way.
async fn refused(pane: &Pane, meant: impl Fn(&MuxError) -> bool) {
    let large = "x".repeat(20 << 10);
    let tries = [
        ("paste", pane.paste("rm 日本").await),
        ("large paste", pane.paste(&large).await),
        ("type", pane.type_literal("rm 日本").await),
        ("enter", pane.enter().await),
        ("key", pane.key(Key::Up).await),
    ];
    for (way, result) in tries {
        let error = result.expect_err(way);
        assert!(meant(&error), "{way}: {error}");
    }
}

#[tokio::test]
async fn nothing_is_typed_where_no_program_lives() {
    let world = World::new().await;
    let (facts, pane) = world.run("d", "echo gone").await;
    let ended = async {
        while !pane.exit_facts().await.unwrap().dead {
            tokio::task::yield_now().await;
        }
    };
    timeout(SOON, ended).await.unwrap();
    refused(&pane, |error| matches!(error, MuxError::DeadPane { pane } if *pane == facts.pane)).await;
    let nowhere = world.tmux.pane(PaneId(4_000_000));
    refused(&nowhere, |error| matches!(error, MuxError::NoPane { pane: PaneId(4_000_000) })).await;
    assert_eq!(world.end.plain(&["list-buffers"]), "", "what was not pasted is not kept");
    assert_eq!(world.tmux.list_panes().await.unwrap().len(), 2, "the server lives");
}

#[tokio::test]
async fn nothing_is_typed_into_a_mode_or_where_input_is_off() {
    let world = World::new().await;
    let (facts, pane) = world.run("m", "exec cat").await;
    let id = facts.pane.to_string();
    world.end.plain(&["copy-mode", "-t", &id]);
    refused(&pane, |error| matches!(error, MuxError::InMode { .. })).await;
    let screen = pane.capture(0, tasuki::io::mux::Rows::Joined).await.unwrap();
    assert!(screen.in_mode);
    pane.clear_history().await.unwrap(); // leaves the mode too
    world.end.plain(&["select-pane", "-d", "-t", &id]);
    refused(&pane, |error| matches!(error, MuxError::InputOff { .. })).await;
    world.end.plain(&["select-pane", "-e", "-t", &id]);
    pane.type_literal("it works 日本").await.unwrap();
    row_after(&pane, "it works 日本").await;
}

#[tokio::test]
async fn nothing_is_typed_into_the_pane_of_another() {
    let world = World::new().await;
    let (facts, pane) = world.run("a", "exec cat").await;
    let own = pane.tag().unwrap().clone();
    let later = Tag { nonce: Nonce(own.nonce.0 + 1), ..own.clone() };
    let mistaken = world.tmux.pane(facts.pane).tagged(later.clone());
    refused(&mistaken, |error| matches!(error, MuxError::NotOurs { .. })).await;
    let error = mistaken.kill_window().await.unwrap_err();
    assert_eq!(error.to_string(), format!("pane {} belongs to \"{own}\", not to \"{later}\"", facts.pane));
    pane.type_literal("mine").await.unwrap();
    row_after(&pane, "mine").await;
    pane.kill_window().await.unwrap();
    assert!(matches!(pane.kill_window().await, Err(MuxError::NoPane { .. })));
}
