//! What a debate comes to: its report, its early end, its budget, and the session that carries its plan out.

use super::{begun_id, debate, file, outputs, over, post, said, until_clean};
use crate::house::House;
use crate::looking::ok;
use crate::over_socket::get;
use crate::sessions::{said as told, until};
use crate::sessions_trees::{git, repository};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;

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
    let status = ok(&house, &["debate", "status", &id]);
    let left_out =
        "completed: 7 of 10 answers, 3 failed; round 3 left out, since nobody had anything new to say";
    assert!(status.starts_with(left_out), "{status}");

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
            "2 名中 1 名が合意",
            "第 3 ラウンドは省かれた",
            "84 トークン",
            "$1.75",
            "src/gone.rs:12",
            "認証に失敗",
            "異常終了しました",
            "exit 3",
            "only there 別",
        ] {
            let shown = report.replace("</b>", "").replace("<b>", "");
            assert!(report.contains(wanted) || shown.contains(wanted), "{wanted}: {report}");
        }
    }
    for english in ["crashed in round", "not in the base", "nobody had anything"] {
        assert!(!text.contains(english) && !page.contains(english), "{english}: {text}");
    }
    assert!(text.contains("\n## 異議\n\n### bold\n\nKeep the **digits** 🎏.\n"), "{text}");
    assert!(text.contains("実在しない箇所：`src/gone.rs:12`"), "{text}");
    assert!(
        text.contains("\n- 第 1 ラウンド, **broken**: ") && text.contains("\n- 第 4 ラウンド, **broken**: "),
        "{text}"
    );
    assert!(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script"), "{page}");
    assert!(!page.contains("<img") && !page.contains("<b>of it"), "{page}");

    let printed = ok(&house, &["debate", "hand-over", &id, "--role", "calm", "--print"]);
    assert!(printed.contains("どう守る？") && printed.contains("計画 of round4-calm"), "{printed}");
    assert!(printed.contains("次の計画を実行してください") && !printed.contains("Carry out"), "{printed}");
    // A session with the same words is none of it. One that knows the debate is, whatever its goal: of several who hand
    // over at once, one begins.
    let begins = |goal: &str, debate: Value| {
        let body = json!({"goal": goal, "debate": debate, "master": "boss"});
        let (status, begun) = post(&house, "/api/sessions", &body);
        assert_eq!(status, 200, "{begun}");
        begun["id"].as_str().expect("an id").to_owned()
    };
    let words = begins(&printed, Value::Null);
    let body = json!({"goal": "別の目的 🎏", "debate": id[..8], "master": "boss"});
    let begun = std::thread::scope(|scope| {
        let posts: Vec<_> = (0..6).map(|_| scope.spawn(|| post(&house, "/api/sessions", &body))).collect();
        posts.into_iter().map(|post| post.join().expect("an answer")).collect::<Vec<_>>()
    });
    let first: Vec<&str> =
        begun.iter().filter_map(|(status, begun)| begun["id"].as_str().filter(|_| *status == 200)).collect();
    let [first] = first[..] else { panic!("{begun:?}") };
    assert_eq!(
        begun.iter().filter(|(status, told)| *status == 409 && told["code"] == "handed-over").count(),
        5,
        "{begun:?}"
    );
    let (code, _, err) = told(&house, &["debate", "hand-over", &id[..8], "--master", "boss"]);
    assert!(code == Some(2) && err.contains(first) && err.contains("--again"), "{err}");
    assert!(!err.contains(&words), "{err}");
    let (_, session, err) = told(&house, &["debate", "hand-over", &id, "--master", "boss", "--again"]);
    until(&house, session.trim(), "Paused Ready");
    assert!(house.read("asked.yaml").contains("計画 of round4-bold"), "{err}");
    let shown = ok(&house, &["session", "show", session.trim()]);
    assert!(shown.contains(&format!("carries out the plan of debate {id}")), "{shown}");
    let (status, problem) = post(&house, "/api/sessions", &json!({"goal": "x", "debate": "00000000"}));
    assert_eq!((status, &problem["code"]), (404, &json!("no-debate")), "{problem}");
    // The door says what the command line says, and takes the plan from the debate.
    let (status, problem) = post(&house, "/api/sessions", &json!({"debate": id[..8], "goal": "別の"}));
    assert_eq!((status, &problem["code"]), (409, &json!("handed-over")), "{problem}");
    assert!(problem["why"].as_str().is_some_and(|why| why.contains(session.trim())), "{problem}");
    let (status, begun) =
        post(&house, "/api/sessions", &json!({"debate": id[..8], "again": true, "master": "boss"}));
    let begun = begun["id"].as_str().unwrap_or_default().to_owned();
    let shown = ok(&house, &["session", "show", &begun, "--json"]);
    assert!(status == 200 && shown.contains("計画 of round4-"), "{status} {shown}");
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
    assert!(report.contains("24 of 20 tokens"), "{report}");
    assert!(ok(&house, &["debate", "show", id]).contains("spent: 24 of 20 tokens, $0.5000\n"));
    let (_, _, err) = told(&house, &["debate", "outputs", id, "--round", "5"]);
    assert!(err.contains("--round") && err.contains("its rounds are 1 to 2"), "{err}");
    let (code, plan, err) = told(&house, &["debate", "hand-over", id, "--print"]);
    assert!(code == Some(2) && err.contains("no final plan"), "{plan}{err}");
    let (status, problem) = post(&house, "/api/sessions", &json!({"debate": id, "goal": "x"}));
    assert_eq!((status, &problem["code"]), (409, &json!("no-plan")), "{problem}");
    until_clean(&house);
    house.end();
}

/// `ollama run` as it answers where neither its input nor its output is a terminal: a wheel that turns on its standard error, and of a
/// model that is not there, what came of pulling it.
const OLLAMA: &str = r##"#!/bin/bash
[[ $1 == run && $# == 2 ]] || { echo "Error: unknown command" >&2; exit 1; }
case $2 in
  thinks) thought=$'Thinking...\nWhat is asked for?\n...done thinking.\n\n' ;;
  qwen3:8b) thought= ;;
  *) printf '\033[?2026h\033[?25l\033[1Gpulling manifest \342\240\213 \033[K\033[?25h\033[?2026l\n' >&2
     echo 'Error: pull model manifest: file does not exist' >&2; exit 1 ;;
esac
printf '\033[?2026h\033[?25l\033[1G\342\240\231 \033[K\033[?25h\033[?2026l\033[2K\033[1G\033[?25h' >&2
prompt=$(cat)
printf '%s# 答え of %s\n\nA prompt of %s bytes.\n\n' "$thought" "${PWD##*/}" "${#prompt}"
"##;

const IDLE: &str = "  - {name: boss, reports_to: user, provider: plain, command: [cat], marker: OK}\n";

#[test]
fn models_of_ollama_debate_and_one_that_is_not_there_is_told() {
    let mut house = House::new("ollama 手元", IDLE, &[("bin/ollama", OLLAMA)]);
    let bin = house.path("bin");
    let made = std::fs::set_permissions(bin.join("ollama"), std::fs::Permissions::from_mode(0o755));
    made.expect("a program");
    let path = std::env::var("PATH").unwrap_or_default();
    house.surround("PATH", format!("{}:{path}", bin.display()).as_ref());
    repository(&house, &["tasuki.yaml"]);
    house.start();
    let of = |id: &str, model: &str| json!({"id": id, "system_prompt": "It speaks.", "model": model});
    let roles = json!([of("one", "qwen3:8b"), of("two", "thinks"), of("gone", "bogus")]);
    let id = begun_id(
        &house,
        &json!({"task": "x", "roles": roles, "rounds": 2, "parallel": 0, "provider": "ollama"}),
    );
    assert_eq!(over(&house, &id)["status"], "Completed");
    let first = outputs(&house, &id, 1);
    for role in ["one", "two"] {
        let text = said(&first, role, "proposal");
        assert!(text.starts_with(&format!("# 答え of round1-{role}\n\nA prompt of ")), "{text}");
    }
    let why = said(&first, "gone", "error");
    assert!(why.contains("pull model manifest: file does not exist") && why.contains("exit 1"), "{why}");
    assert!(!why.contains('\u{1b}'), "{why:?}");
    assert!(file(&house, &id, "prompts/round2-one.md").contains("答え of round1-two"));
    // Without a model there is nothing to run, which is told before anything begins.
    let request = json!({"task": "x", "roles": [{"id": "qa"}], "provider": "ollama"});
    let (status, problem) = super::post(&house, "/api/debates", &request);
    assert!(status == 400 && problem["why"].as_str().is_some_and(|why| why.contains("model")), "{problem}");
    house.end();
}
