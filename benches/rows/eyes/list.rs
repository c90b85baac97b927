//! What a verb takes that looks at very many finished tasks, from exec to its end, without a daemon and with one.

use crate::house::House;
use crate::support::finished::{self, WORD};
use crate::support::machine;
use crate::support::numbers::{Spread, shown};
use crate::support::rounds::Scale;
use crate::support::stamp::{now, us};
use crate::team::{self, Settle};
use tasuki::engine::words::Millis;

/// Messages that have finished, unless `TASUKI_BENCH_MESSAGES` says otherwise; a tenth and a hundredth are measured as well.
const MESSAGES: usize = 1_000_000;
const AGENTS: usize = 100;
/// The newest so many are asked for.
const NEWEST: usize = 100;

pub(crate) fn run(scale: Scale) {
    let told = std::env::var("TASUKI_BENCH_MESSAGES").ok().and_then(|word| word.parse().ok());
    let most: usize = scale.pick(told.unwrap_or(MESSAGES), 300);
    for messages in scale.pick(&[most / 100, most / 10, most][..], &[most]) {
        let from = now();
        let mut house = team::make(AGENTS, Settle::Normal, None);
        finished::make(&house.path(".tasuki/journal"), *messages, AGENTS, Millis(from / 1_000_000));
        let journal = std::fs::read_dir(house.path(".tasuki/journal")).expect("a journal").flatten();
        let segments = journal.filter(|entry| entry.path().extension().is_some_and(|end| end == "jsonl"));
        let (segments, seconds) = (segments.count(), us(from, now()) / 1e6);
        println!("  {messages} finished in {segments} segments, made in {} s", shown(seconds));
        looks(&house, scale, *messages, "without a daemon");
        if !scale.tiny {
            house.start();
            // Whoever starts a hundred agents is busy for a while.
            team::until_idle(&house, AGENTS);
            looks(&house, scale, *messages, "with a daemon");
            house.end();
        }
    }
}

fn looks(house: &House, scale: Scale, messages: usize, who: &str) {
    let newest = NEWEST.min(messages);
    let (limit, oldest) = (newest.to_string(), finished::id(0));
    let page: Vec<String> = (messages - newest..messages).rev().map(finished::id).collect();
    let failed = (messages / finished::FAILS).min(newest);
    let looks: [(&str, &[&str], usize); 5] = [
        ("list, the newest hundred (at most 200 ms)", &["list"], newest),
        ("list --agent a7, one of a hundred", &["list", "--agent", "a7"], (messages / AGENTS).min(newest)),
        ("list --failed, one of a thousand", &["list", "--failed"], failed),
        ("list --grep, one of a thousand", &["list", "--grep", WORD], failed),
        ("show, of the oldest", &["show", &oldest], 1),
    ];
    for (what, words, count) in looks {
        let mut words = words.to_vec();
        if words[0] == "list" {
            words.extend(["-n", &limit]);
        }
        let first = look(house, &words, None);
        let times = scale.pick(scale.rounds, 1);
        let took: Vec<f64> = (0..times).map(|_| look(house, &words, None)).collect();
        look(house, &[&words[..], &["--json"]].concat(), Some(count));
        if words[1] == "-n" {
            let said = String::from_utf8(house.ask(&[&words[..], &["--json"]].concat()).stdout);
            let said: serde_json::Value = serde_json::from_str(&said.expect("UTF-8")).expect("JSON");
            let ids = said["messages"].as_array().expect("messages").iter().map(|message| &message["id"]);
            assert!(ids.eq(&page), "those that ended last come first");
        }
        let Spread { low, median, high } = Spread::of(took);
        println!(
            "    {who}, {what}: {} ms ({} to {}), the first time {} ms; {count} found; load {}",
            shown(median),
            shown(low),
            shown(high),
            shown(first),
            machine::load()
        );
    }
}

/// Asks; how many milliseconds it took. So many messages must be found, as JSON says it.
fn look(house: &House, words: &[&str], found: Option<usize>) -> f64 {
    let from = now();
    let output = house.tasuki().args(words).output().expect("tasuki");
    let took = us(from, now()) / 1e3;
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    if let Some(count) = found {
        assert_eq!(text.matches("\"id\": \"m-").count(), count, "{words:?}");
    }
    took
}
