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

/// Says "done" while it still writes the part that it hands on, and closes the file so many seconds later.
const HASTY: &str = r#"#!/bin/bash
while IFS= read -r line; do
  [[ $line =~ \(token\ ([a-z0-9]{6})\) ]] || continue
  token=${BASH_REMATCH[1]}
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  grep -c "id: $id-part" "queue/active/$id.yaml" | sed 's/^/answers: /'
  if [[ $line == "[tasuki] task "* ]]; then
    exec 3> "queue/$id-part.yaml"
    printf 'id: %s-part\nfrom: boss\nto: w1\ntoken: %s\ncontent: ' "$id" "$token" >&3
    echo "BOSS OK $token"
    sleep "$(sed -n 's/^content: //p' "queue/active/$id.yaml" | tr -dc 0-9.)"
    echo "part 一" >&3
    exec 3>&-
  else
    echo "BOSS OK $token"
  fi
done
"#;

fn hasty(name: &str) -> House {
    let agents = "  - {name: boss, reports_to: user, provider: plain, command: [bash, boss.sh], marker: BOSS OK}\n  \
                  - {name: w1, reports_to: boss, provider: plain, command: [bash, w.sh], marker: W OK}\n";
    let mut house = House::new(name, agents, &[("boss.sh", HASTY), ("w.sh", WORKER)]);
    house.start();
    house
}

#[test]
fn a_part_that_lay_in_the_queue_at_the_claim_is_taken_before_the_task_is_closed() {
    let mut house = hasty("hasty");
    house.drop("t.yaml", "id: t\nto: boss\ncontent: '0.7'\n");
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("answers: 1"), "{result}");
    assert!(house.result("t-part").contains("type: result"));
    house.end();
}

#[test]
fn a_part_that_is_written_for_more_than_two_seconds_is_not_waited_for() {
    let mut house = hasty("too slow");
    house.drop("t.yaml", "id: t\nto: boss\ncontent: '4'\n");
    let result = house.result("t");
    assert!(result.contains("type: result") && result.contains("answers: 0"), "{result}");
    let reason = "queue/rejected/t-part.yaml.reason.yaml";
    house.until("the part is refused", |house| house.path(reason).exists());
    assert!(house.read(reason).contains("bad-proof"), "{}", house.read(reason));
    house.end();
}
