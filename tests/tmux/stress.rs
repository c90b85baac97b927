//! Much at once: nothing is lost that counts, nothing grows that must not.

use crate::world::{SOON, World, row_after, screen_until, text};
use tasuki::io::mux::Notice;
use tasuki::io::mux::Rows;
use tasuki::io::tmux::command::TmuxCommand;
use tokio::time::timeout;

#[tokio::test]
async fn no_last_word_of_many_is_lost() {
    let world = World::new().await;
    let (_, pane) =
        world.run("a", "stty -echo; printf ready; while read x; do printf '\\r%s' \"$x\"; done").await;
    row_after(&pane, "ready").await;
    let mut counter = pane.watch().await.unwrap();
    for turn in 0..500 {
        counter.borrow_and_update();
        let word = format!("turn {turn:04} 襷");
        pane.type_literal(&word).await.unwrap();
        pane.enter().await.unwrap();
        let shown = async {
            while pane.capture(0, Rows::Joined).await.unwrap().rows[0] != word {
                counter.changed().await.unwrap();
            }
        };
        timeout(SOON, shown).await.unwrap_or_else(|_| panic!("{word} was never told"));
    }
}

#[tokio::test]
async fn many_callers_each_get_their_own_answer() {
    let world = World::new().await;
    let callers: Vec<_> = (0..50)
        .map(|caller| {
            let tmux = world.tmux.clone();
            tokio::spawn(async move {
                for call in 0..100 {
                    let word = format!("{caller} {call} 日本");
                    let ask = TmuxCommand::new("display-message").flag("-p").word(&word);
                    let wrong = TmuxCommand::new("list-panes").flag("-t").word("%999999");
                    assert_eq!(tmux.run(ask.clone().then(ask)).await.unwrap()[1].text(), word);
                    assert!(tmux.run(wrong).await.is_err());
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test]
async fn a_daemon_that_stands_still_stops_no_agent_and_catches_up() {
    let mut world = World::new().await;
    // 4 MB in more than the 5 s after which tmux gives up telling us.
    let script = "read x; i=0; while [ $i -lt 200 ]; do i=$((i+1)); head -c 20000 /dev/zero | tr '\\0' x; \
        sleep 0.04; done; tmux wait-for -S done; read x; printf '\\n最後'; exec cat";
    let (made, pane) = world.run("a", script).await;
    pane.enter().await.unwrap();
    // This holds the only thread up: nobody reads what tmux tells us until the agent is done.
    assert_eq!(world.end.plain(&["wait-for", "done"]), "");
    let behind = async { while world.notices.next().await != Some(Notice::Behind(made.pane)) {} };
    timeout(SOON, behind).await.expect("tmux stopped telling");
    pane.enter().await.unwrap();
    screen_until(&pane, Rows::Joined, |screen| text(screen).ends_with("最後")).await;
}
