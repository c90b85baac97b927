//! What an agent says last counts, though it ends at once; and what others leave open holds nobody up.

use crate::house::House;
use std::io::Write as _;
use std::time::Instant;

/// Answers one task with a file, and ends, while something that it left behind still writes another one.
const BRIEF: &str = r#"#!/bin/bash
IFS= read -r line
id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
echo begun >> begun
setsid sleep 0.7 3> queue/beside.yaml < /dev/null &> /dev/null &
printf 'from: a\nto: user\ntype: result\nin_reply_to: %s\ncontent: 答 at last\n' "$id" > "queue/$id-answer.yaml"
"#;

#[test]
fn an_answer_that_is_dropped_right_before_the_end_counts() {
    for restart in ["on-failure", "never"] {
        let agents = format!(
            "  - {{name: a, reports_to: user, provider: plain, command: [bash, a.sh], marker: A OK, restart: {restart}}}\n"
        );
        let mut house = House::new(&format!("brief {restart}"), &agents, &[("a.sh", BRIEF)]);
        house.start();
        house.drop("t.yaml", "id: t\nto: a\ncontent: be brief\n");
        let result = house.result("t");
        assert!(result.contains("type: result") && result.contains("答 at last"), "{restart}: {result}");
        assert_eq!(house.read("begun"), "begun\n", "{restart}: done once");
        house.end();
    }
}

#[test]
fn a_file_that_somebody_leaves_open_for_writing_holds_no_claim_up() {
    let mut house = House::plain("left open");
    house.start();
    let mut open = std::fs::File::create(house.path("queue/left-open.yaml")).expect("a drop");
    open.write_all(b"to: worker\n").expect("half of it");
    for number in 0..2 {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: do it\n"));
        house.result(&format!("t-{number}"));
    }
    let begin = Instant::now();
    for number in 2..6 {
        house.drop(&format!("{number}.yaml"), &format!("id: t-{number}\nto: worker\ncontent: do it\n"));
        house.result(&format!("t-{number}"));
    }
    assert!(begin.elapsed().as_secs() < 4, "four tasks took {:?}", begin.elapsed());
    drop(open);
    house.end();
}
