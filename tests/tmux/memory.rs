//! Memory of the connection to tmux, in a process of its own so that nothing else is measured.

use crate::alone::alone;
use crate::world::{World, row_after};

/// Memory of this process that is its own, in KiB.
fn own_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn ten_megabytes_of_output_are_a_counter_and_the_last_word_is_seen() {
    if !alone("memory::ten_megabytes_of_output_are_a_counter_and_the_last_word_is_seen") {
        return;
    }
    let world = World::new().await;
    let script = "read x; i=0; while [ $i -lt 10 ]; do head -c 1000000 /dev/zero | tr '\\0' '\\\\'; i=$((i+1)); done; echo; echo 最後; exec cat";
    let (_, pane) = world.run("a", script).await;
    let counter = pane.watch().await.unwrap();
    let before = own_memory();
    pane.enter().await.unwrap();
    row_after(&pane, "最後").await;
    let grown = own_memory().saturating_sub(before);
    assert!(counter.borrow().pieces > 100, "only {} pieces were told", counter.borrow().pieces);
    println!("{grown} KiB");
    assert!(grown < 8 << 10, "10 MB of output took {grown} KiB of memory");
}
