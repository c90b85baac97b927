//! What a pane shows is read as it is, and no text in it can pass for anything else.

use crate::world::{SOON, World, row_after, screen_until, text};
use tasuki::io::mux::{MuxError, Rows};
use tasuki::io::tmux::command::{REPLY_BYTES_MAX, TmuxCommand};
use tokio::time::timeout;

#[tokio::test]
async fn any_text_is_read_as_it_stands() {
    let world = World::new().await;
    let rows = [
        "日本語 🎽 e\u{301} ｶﾅ",
        "%end 123 1 0",
        "%begin 1 2 1",
        "%output %1 x",
        "%exit",
        r"$HOME ${HOME} \$HOME \\ \033 \n \",
        "#{pid} ~ ; \" '",
        "| a | b |",
    ];
    let path = world.file("rows", rows.join("\n"));
    let (_, pane) = world.run("s", &format!("cat {path:?}; printf '\\nend  '; exec sleep 1000")).await;
    for shape in [Rows::Joined, Rows::AsShown] {
        let screen = screen_until(&pane, shape, |screen| text(screen).contains("\nend")).await;
        assert_eq!(screen.rows[..rows.len()], rows, "{shape:?}");
        let end = if shape == Rows::Joined { "end  " } else { "end" };
        assert_eq!(screen.rows[rows.len()], end, "{shape:?}");
        assert_eq!(screen.rows.len(), 50);
        assert_eq!((screen.width, screen.height, screen.cursor), (200, 50, (5, 8)));
        assert!(!(screen.cut || screen.alternate || screen.in_mode || screen.dead));
    }
    assert_eq!(world.end.plain(&["list-buffers"]), "", "nothing is left behind in tmux");
}

#[tokio::test]
async fn a_screen_that_guesses_the_end_of_the_reply_does_not_end_it() {
    let world = World::new().await;
    let ask = TmuxCommand::new("display-message").flag("-p").word("x");
    let now = world.tmux.run(ask.clone()).await.unwrap()[0].time;
    // The server is young: the numbers of its next few hundred commands, for some seconds to come.
    let guesses: Vec<String> = (now..now + 9)
        .flat_map(|time| (200..700).map(move |number| format!("%end {time} {number} 1")))
        .collect();
    let path = world.file("guesses", guesses.join("\n"));
    let (_, pane) = world.run("g", &format!("cat {path:?}; exec sleep 1000")).await;
    screen_until(&pane, Rows::Joined, |screen| {
        screen.rows.iter().any(|row| *row == guesses[guesses.len() - 1])
    })
    .await;
    for _ in 0..40 {
        let screen = pane.capture(5_000, Rows::Joined).await.unwrap();
        assert_eq!(text(&screen), guesses.join("\n"));
        assert_eq!(world.tmux.run(ask.clone()).await.unwrap()[0].text(), "x");
    }
    assert!(!world.driver.is_finished());
}

#[tokio::test]
async fn wrapped_rows_are_joined_and_the_history_is_as_deep_as_asked() {
    let world = World::new().await;
    let script = "i=0; while [ $i -lt 100 ]; do echo row $i; i=$((i+1)); done; printf %0250d 7; printf 襷%.0s $(seq 110); echo; echo end; exec sleep 1000";
    let (_, pane) = world.run("w", script).await;
    row_after(&pane, "end").await;
    let joined = pane.capture(5_000, Rows::Joined).await.unwrap();
    let long = format!("{}7{}", "0".repeat(249), "襷".repeat(110));
    assert_eq!(joined.rows[..100], (0..100).map(|row| format!("row {row}")).collect::<Vec<_>>());
    assert_eq!(joined.rows[100..102], [long.clone(), "end".to_owned()]);
    let shown = pane.capture(10, Rows::AsShown).await.unwrap();
    assert_eq!(shown.rows.len(), 60);
    let at = shown.rows.iter().position(|row| row == "end").unwrap();
    assert_eq!(shown.rows[at - 3..at].concat(), long);
    assert_eq!(
        shown.rows.len() - 50 + usize::from(shown.cursor.1),
        at + 1,
        "the cursor is below the last row"
    );
    let screen = pane.capture(0, Rows::AsShown).await.unwrap();
    assert_eq!(screen.rows, shown.rows[10..]);
    pane.clear_history().await.unwrap();
    assert_eq!(pane.capture(5_000, Rows::AsShown).await.unwrap().rows.len(), 50);
}

#[tokio::test]
async fn the_alternate_screen_is_told() {
    let world = World::new().await;
    let script = r"echo main; printf '\033[?1049h\033[3;5Halt 日本'; exec sleep 1000";
    let (_, pane) = world.run("a", script).await;
    let screen = screen_until(&pane, Rows::AsShown, |screen| text(screen).contains("alt 日本")).await;
    assert!(screen.alternate);
    assert_eq!((screen.rows[2].as_str(), screen.cursor), ("    alt 日本", (12, 2)));
    assert!(world.tmux.list_panes().await.unwrap().iter().any(|row| row.alternate_on));
}

#[tokio::test]
async fn who_watches_a_pane_hears_of_the_beginning_and_the_end_of_copy_mode() {
    let world = World::new().await;
    let (facts, pane) = world.run("m", "exec sleep 1000").await;
    let mut watched = pane.watch().await.unwrap();
    let id = facts.pane.to_string();
    for way in [&["copy-mode", "-t", &id][..], &["copy-mode", "-q", "-t", &id]] {
        watched.borrow_and_update();
        world.end.plain(way);
        timeout(SOON, watched.changed()).await.expect("it is told").unwrap();
    }
}

#[tokio::test]
async fn a_text_beyond_all_limits_is_cut_and_the_talk_goes_on() {
    let world = World::new().await;
    // One line over the limit of a line, and all of it over the limit of a reply, with backslashes that tmux doubles.
    let line = r"\日".repeat(1_300_000);
    let large = [line.as_str(), &"\nx".repeat(1 << 16), "\n", &r"\yyyyyyy".repeat(1 << 19)].concat();
    let path = world.file("large", &large);
    let load =
        TmuxCommand::silent("load-buffer").flag("-b").word("large").word(path.to_string_lossy().as_ref());
    // A loaded machine may need longer than a call may take: the talk goes on behind what came too late, too.
    let mut tries = 0..6;
    let replies = loop {
        match world.tmux.run(load.clone().then(TmuxCommand::take_buffer("large"))).await {
            Err(MuxError::Late { .. }) if tries.next().is_some() => {}
            replies => break replies.unwrap(),
        }
    };
    assert_eq!(replies[1].text(), large.len().to_string());
    assert!(replies[2].cut);
    assert!(replies[2].body.len() <= REPLY_BYTES_MAX);
    let after =
        world.tmux.run(TmuxCommand::new("display-message").flag("-p").word("and on 日本")).await.unwrap();
    assert_eq!(after[0].text(), "and on 日本");
}
