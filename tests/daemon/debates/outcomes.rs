//! What a debate comes to: its report, its early end, its budget, and the session that carries its plan out.

use super::{begun_id, debate, file, outputs, over, said, until_clean};
use crate::house::House;
use crate::looking::ok;
use crate::over_socket::get;
use crate::sessions::{said as told, until};
use crate::sessions_trees::{git, repository};
use serde_json::{Value, json};

/// A program that says what it took. In the rounds between it has nothing new to say.
const PAID: &str = r##"#!/bin/bash
place=${PWD##*/} prompt=$(cat)
echo "$place" >> "$HOUSE/runs"
[[ ${prompt%%$'\n'*} == *crashes* ]] && { echo '認証に失敗 <b>of it</b>: tmux timed out' >&2; exit 3; }
end() { printf '{"type":"end","text":"%s","used":12,"cost":0.25}\n' "$1"; }
case $place in
  *-baseline) end "# 一人で of $place" ;;
  round1-*) end "# 提案 of $place\n\n<script>alert(1)</script> <img src=x onerror=alert(2)>\n\nsrc/gone.rs:12, there.txt:1: $(cat there.txt)" ;;
  round[23]-*) end "# 批評\n\n## Objections\n\nnone\n\n## New proposals\n\nnone" ;;
  *-bold) end "# 計画 of $place\n\n## Dissent\n\nKeep the **digits** 🎏." ;;
  *) end "# 計画 of $place\n\n## Dissent\n\nnone" ;;
esac
"##;

/// Splits each goal into a task.
const BOSS: &str = r#"#!/bin/bash
while IFS= read -r line; do
  if [[ $line =~ \(token\ ([a-z0-9]{6})\) ]]; then
    cp "$(sed -n 's/.*read \(.*\.yaml\) and.*/\1/p' <<<"$line")" asked.yaml
    printf '```yaml\ntasks:\n- {name: 一番, description: one, to: hand}\n```\n'
    echo "BOSS OK ${BASH_REMATCH[1]}"
  fi
done
"#;

const TEAM: &str = r#"  - {name: boss, reports_to: user, provider: plain, command: [bash, ./boss.sh], marker: BOSS OK}
  - {name: hand, reports_to: boss, provider: plain, command: [bash, ./agent.sh], marker: PLAIN OK}
providers:
  paid:
    based_on: plain
    headless: {command: [bash, "{house}/paid.sh"], answer: {where: {type: end}, text: text}, tokens: [used], cost: [cost], env: {HOUSE: "{house}"}}
"#;

fn house(name: &str) -> House {
    let files = [("paid.sh", PAID), ("boss.sh", BOSS), ("agent.sh", crate::house::PLAIN_AGENT)];
    let house = House::new(name, TEAM, &files);
    let team = house.read("tasuki.yaml").replace("{house}", &house.path("").to_string_lossy());
    house.write("tasuki.yaml", &team);
    house
}

fn role(id: &str, does: &str) -> Value {
    json!({"id": id, "system_prompt": format!("It {does}.")})
}

/// The times that a program ran in these places.
fn ran(house: &House, of: &str) -> usize {
    house.read("runs").lines().filter(|place| place.starts_with(of)).count()
}

#[test]
fn a_debate_in_another_repository_ends_early_is_reported_whole_and_becomes_a_session() {
    let mut house = house("outcomes 結果");
    let other = house.path("../other 別").to_string_lossy().into_owned();
    std::fs::create_dir_all(&other).expect("a folder");
    std::fs::write(house.path("../other 別/there.txt"), "only there 別\n").expect("a file");
    for words in [
        &["init", "-q", "-b", "main"][..],
        &["add", "."],
        &["-c", "user.name=人", "-c", "user.email=a@example.com", "commit", "-qm", "theirs"],
    ] {
        git(&house, &[&["-C", &other], words].concat());
    }
    house.start();
    let roles = json!([role("bold", "speaks"), role("calm", "speaks"), role("broken", "crashes")]);
    let request = json!({
        "task": "どう守る？", "roles": roles, "rounds": 4, "parallel": 0, "baseline": true, "provider": "paid", "base_dir": other,
    });
    let id = begun_id(&house, &request);
    let ended = over(&house, &id);
    assert_eq!(ended["status"], "Completed", "{ended}");
    assert_eq!([1, 2, 3, 4].map(|round| ran(&house, &format!("round{round}-"))), [4, 3, 0, 3]);
    assert_eq!(outputs(&house, &id, 4).len(), 3);

    // It was held there, and nothing of it stays.
    let first = outputs(&house, &id, 1);
    assert!(said(&first, "calm", "proposal").contains("only there 別"), "{first:?}");
    assert_eq!(git(&house, &["-C", &other, "worktree", "list"]).lines().count(), 1);
    assert_eq!(git(&house, &["-C", &other, "branch", "--list", "debate-*"]), "");

    // A place that is not there is told to who comes next, and to whoever reads of it.
    assert_eq!(first[1]["tasuki"]["missing"], json!(["src/gone.rs:12"]));
    let prompt = file(&house, &id, "prompts/round2-calm.md");
    let cited = prompt.split_once("cited_but_not_there").map(|(_, rest)| rest.chars().take(80).collect());
    assert!(cited.is_some_and(|rest: String| rest.contains("src/gone.rs:12")), "{prompt}");

    let progress = get(&house, &format!("/api/debates/{id}/progress"));
    let alone = &progress["tasuki"]["baseline"];
    assert_eq!(
        (&alone["proposal"], &alone["tokens_used"]),
        (&"# 一人で of round1-baseline".into(), &json!(12))
    );
    assert_eq!(
        (&progress["tasuki"]["tokens_used"], &progress["tasuki"]["cost_usd"]),
        (&json!(84), &json!(1.75))
    );
    let broken = &first[2]["tasuki"];
    assert_eq!(broken["code"], "agent-crashed", "whatever its words are: {broken}");

    let (text, page) = (file(&house, &id, "report.md"), file(&house, &id, "report.html"));
    for report in [&text, &page] {
        for wanted in [
            "計画 of round4-calm",
            "一人で of round1-baseline",
            "digits",
            "1 of 2 agree",
            "so round 3 was left out",
            "84 tokens",
            "$1.75",
            "src/gone.rs:12",
            "認証に失敗",
            "exit 3",
            "only there 別",
        ] {
            let shown = report.replace("</b>", "").replace("<b>", "");
            assert!(report.contains(wanted) || shown.contains(wanted), "{wanted}: {report}");
        }
    }
    assert!(text.contains("\n## Dissent\n\n### bold\n\nKeep the **digits** 🎏.\n"), "{text}");
    assert!(text.contains("not there: `src/gone.rs:12`"), "{text}");
    assert!(
        text.contains("\n- Round 1, **broken**: ") && text.contains("\n- Round 4, **broken**: "),
        "{text}"
    );
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"), "{page}");
    assert!(!page.contains("<img") && !page.contains("<b>of it"), "{page}");

    let printed = ok(&house, &["debate", "hand-over", &id, "--role", "calm", "--print"]);
    assert!(printed.contains("どう守る？") && printed.contains("計画 of round4-calm"), "{printed}");
    let (_, session, err) = told(&house, &["debate", "hand-over", &id, "--master", "boss"]);
    until(&house, session.trim(), "Paused Ready");
    assert!(house.read("asked.yaml").contains("計画 of round4-bold"), "{err}");
    house.end();
}

#[test]
fn nobody_begins_once_the_budget_is_used_up_and_what_was_said_stays() {
    let mut house = house("budget 予算");
    repository(&house, &["paid.sh"]);
    house.start();
    let request = json!({
        "task": "x", "roles": [role("one", "speaks"), role("two", "speaks")], "rounds": 2, "provider": "paid", "budget": {"tokens": 20},
    });
    house.write("request.json", &request.to_string());
    let (code, out, err) = told(&house, &["debate", "request.json", "--wait"]);
    let why = "the budget of 20 tokens is used up: 24 are known";
    assert!(code == Some(1) && format!("{out}{err}").contains(why), "{code:?}: {out}{err}");
    let id = out.lines().next().expect("an id");
    assert_eq!((ran(&house, "round1-"), ran(&house, "round2-")), (2, 0));
    let ended = debate(&house, id);
    let failed = ended["status"]["Failed"].as_str().expect("why");
    assert!(
        failed.starts_with("no role has completed round 2: one, two: ") && failed.contains(why),
        "{failed}"
    );
    assert!(said(&outputs(&house, id, 1), "two", "proposal").contains("提案 of round1-two"));
    let second = outputs(&house, id, 2);
    assert!(said(&second, "one", "error").contains(why), "{second:?}");
    let besides = &second[0]["tasuki"];
    assert_eq!(besides["code"], "budget-used-up");
    assert!(besides["cure"].as_str().is_some_and(|cure| cure.contains("`budget`")), "{besides}");
    let report = file(&house, id, "report.md");
    assert!(report.contains("提案 of round1-one") && report.contains(why), "{report}");
    let (code, plan, err) = told(&house, &["debate", "hand-over", id, "--print"]);
    assert!(code == Some(2) && err.contains("no final plan"), "{plan}{err}");
    until_clean(&house);
    house.end();
}
