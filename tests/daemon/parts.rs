//! Tasks with parts, through the real binary and real tmux: every parent gets all of its answers and ends.

use crate::house::House;
use std::fmt::Write as _;

/// Parts of each task: as many as there are workers.
const PARTS: usize = 6;

/// Splits each task into a part for each worker, and says in its last turn how many answers it was shown.
const BOSS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  if [[ $line == "[tasuki] task "* ]]; then
    for w in 1 2 3 4 5 6; do
      echo "---"; printf 'id: %s-c%s\nfrom: boss\nto: w%s\ntoken: %s\ncontent: part %s\n' "$id" "$w" "$w" "$token" "$w"
    done > "queue/.$id.tmp"
    mv "queue/.$id.tmp" "queue/$id-parts.yaml"
  fi
  grep -c 'id: '"$id"'-c' "queue/active/$id.yaml" | sed 's/^/answers: /'
  echo "BOSS OK $token"
done
"#;
const WORKER: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  echo "W OK ${BASH_REMATCH[1]}"
done
"#;

#[test]
fn every_parent_gets_all_of_its_answers() {
    let mut agents =
        "  - {name: boss, reports_to: user, provider: plain, command: [bash, boss.sh], marker: BOSS OK}\n"
            .to_owned();
    for number in 1..=PARTS {
        writeln!(
            agents,
            "  - {{name: w{number}, reports_to: boss, provider: plain, command: [bash, w.sh], marker: W OK}}"
        )
        .expect("a line");
    }
    let mut house = House::new("parts 部分", &agents, &[("boss.sh", BOSS), ("w.sh", WORKER)]);
    house.start();
    for number in 0..10 {
        house
            .drop(&format!("{number}.yaml"), &format!("id: p-{number}\nto: boss\ncontent: do it with all\n"));
    }
    for number in 0..10 {
        let result = house.result(&format!("p-{number}"));
        assert!(result.contains("type: result") && result.contains("answers: 6"), "p-{number}: {result}");
    }
    house.end();
}
