//! People who do more at an agent's pane than type a line: they recall one, add to one that tasuki has typed, have a shell read,
//! and look on beside each other.

use crate::house::House;
use crate::person::Person;
use std::process::{Child, Command, Stdio};

const QUIET: &str = "settings: {person_quiet: 1s}\n";

/// A shell that is given commands.
const SHELL: &str = "  - {name: worker, reports_to: user, provider: plain, command: [bash, --norc, --noprofile, -i], \
                     marker: PLAIN OK, delivery: inline, token: false, env: {PS1: 'shell$ '}}\n";

fn shows(house: &House, text: &str) -> bool {
    house.tmux(&["capture-pane", "-p", "-J", "-t", "=tasuki:=worker"]).contains(text)
}

fn status(house: &House) -> String {
    house.read("status/agents/worker.yaml")
}

fn said(house: &House, words: &[&str]) -> (Option<i32>, String) {
    let output = house.ask(words);
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.code(), text.concat())
}

fn until_draft(house: &House, words: &str) {
    house.until("the draft", |house| {
        let status = status(house);
        status.contains("draft:") && status.contains(words)
    });
}

/// Edits its line as a shell does, and remembers each.
const EDITOR: &str = r#"
import re, readline
while True:
    line = input('>>> ')
    token = re.search(r'\(token ([a-z0-9]{6})\)', line)
    print('heard', line.split(' from')[0])
    print('E OK', token.group(1) if token else '-')
"#;

#[test]
fn a_line_of_tasukis_that_a_person_recalls_is_theirs() {
    let agent = "  - {name: worker, reports_to: user, provider: plain, command: [python3, editor.py], marker: E OK}\n";
    let mut house = House::new("recalled", &format!("{agent}{QUIET}"), &[("editor.py", EDITOR)]);
    house.start();
    house.drop("one.yaml", "id: one\nto: worker\ncontent: 一\n");
    assert!(house.result("one").contains("heard [tasuki] task one"));
    // To its beginning; as it stands; and found by a search.
    for (number, keys) in ["\u{1b}[A\u{1}", "\u{1b}[A", "\u{12}task one"].into_iter().enumerate() {
        let mut person = Person::at(&house, "tasuki:=worker");
        person.types(keys);
        until_draft(&house, "[tasuki] task");
        let id = format!("n-{number}");
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: 次\n"));
        house.until("acceptance", |house| house.path(&format!("queue/active/{id}.yaml")).exists());
        let ready =
            said(&house, &["pane", "wait", "worker", "--text", &format!("task {id}"), "--timeout", "3s"]);
        assert_ne!(ready.0, Some(0), "typed behind it: {ready:?}");
        until_draft(&house, "[tasuki] task");
        assert_eq!(said(&house, &["pane", "clear-line", "worker"]).0, Some(0));
        assert!(house.result(&id).contains(&format!("heard [tasuki] task {id}")));
        drop(person);
    }
    house.end();
}

#[test]
fn a_command_to_which_a_person_adds_and_which_they_enter_is_run_once() {
    for killed in [false, true] {
        let late = "providers: {plain: {enter_after: 8s}}\n";
        let mut house = House::new("added to", &format!("{SHELL}{QUIET}{late}"), &[]);
        house.start();
        house.drop("a.yaml", "id: a-1\nto: worker\ncontent: echo run >> done; echo PLAIN OK\n");
        house.until("the line", |house| shows(house, "echo PLAIN OK"));
        let mut person = Person::at(&house, "tasuki:=worker");
        std::thread::sleep(std::time::Duration::from_secs(2)); // tmux's clock has seconds
        person.types(" zz");
        house.until("what is added", |house| shows(house, "echo PLAIN OK zz"));
        if killed {
            house.kill();
            house.start();
        } else {
            until_draft(&house, "zz");
        }
        person.types("\r");
        house.until("it to be run", |house| house.path("done").exists());
        house.until("it to be held", |house| said(house, &["why", "a-1"]).1.contains("held"));
        assert_eq!(house.read("done"), "run\n", "killed: {killed}");
        drop(person);
        assert_eq!(said(&house, &["cancel", "a-1"]).0, Some(0));
        house.end();
    }
}

#[test]
fn a_task_is_no_answer_to_what_a_shell_asks_a_person() {
    let mut house = House::new("asks", &format!("{SHELL}{QUIET}"), &[]);
    house.start();
    house.write("t.yaml", "id: t-1\nto: worker\ncontent: '!ls'\n");
    assert!(said(&house, &["lint", "t.yaml"]).1.contains("does not begin with / ! # @ -"));
    house.drop("a.yaml", "id: a-1\nto: worker\ncontent: 'true; echo PLAIN OK'\n");
    let result = house.result("a-1");
    assert!(result.contains("content: \"\"\n"), "its prompt is no answer: {result}");
    for (number, (reads, asked, killed)) in [
        ("read -p 'Name: ' name", "Name:", false),
        ("read -p 'Name: ' name", "Name:", true),
        ("read name", "reads a line", false),
    ]
    .into_iter()
    .enumerate()
    {
        let mut person = Person::at(&house, "tasuki:=worker");
        person.types(&format!("{reads}\r"));
        until_draft(&house, asked);
        if killed {
            house.kill();
            house.start();
        }
        let id = format!("b-{number}");
        let work = format!("id: {id}\nto: worker\ncontent: echo {number} is $name; echo PLAIN OK\n");
        house.drop(&format!("{id}.yaml"), &work);
        let wanted = format!("{number} is $name");
        let typed = said(&house, &["pane", "wait", "worker", "--text", &wanted, "--timeout", "3s"]);
        assert_ne!(typed.0, Some(0), "{typed:?}");
        until_draft(&house, asked);
        person.types(&format!("襷{number}\r"));
        house.until("their answer", |house| shows(house, &format!("襷{number}")));
        drop(person);
        assert!(house.result(&id).contains(&format!("{number} is 襷{number}")));
    }
    // What is begun and left alone is given up by who says so, and nothing of the task is read by it.
    let mut person = Person::at(&house, "tasuki:=worker");
    person.types("name=old; read name\r");
    until_draft(&house, "reads a line");
    drop(person);
    house.drop("c.yaml", "id: c-1\nto: worker\ncontent: echo c is $name; echo PLAIN OK\n");
    house.until("acceptance", |house| house.path("queue/active/c-1.yaml").exists());
    assert_eq!(
        said(&house, &["pane", "clear-line", "worker"]),
        (Some(0), "worker's input is empty\n".to_owned())
    );
    assert!(house.result("c-1").contains("c is old"));
    house.end();
}

/// A terminal in which `tasuki attach` is asked for an agent.
fn attach(house: &House, words: &str) -> Child {
    let tasuki = house.tasuki();
    let program = tasuki.get_program().to_str().expect("UTF-8");
    let mut script = Command::new("script");
    script.args(["-qfc", &format!("stty cols 80 rows 24; exec {program} attach {words}"), "attach.log"]);
    script.current_dir(house.path("")).env_remove("TMUX").env("TERM", "screen-256color");
    script.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("`script`")
}

#[test]
fn nobody_is_shown_another_agent_than_they_type_to() {
    let agents = SHELL.to_owned() + &SHELL.replace("worker", "other").replace("PLAIN", "OTHER");
    let mut house = House::new("beside", &format!("{agents}{QUIET}"), &[]);
    house.start();
    let clients = |house: &House| {
        let all = house.tmux(&["list-clients", "-F", "#{client_control_mode} #{window_name}"]);
        all.lines().filter_map(|line| line.strip_prefix("0 ")).collect::<Vec<_>>().join(",")
    };
    house.until("idle", |house| status(house).contains("state: idle"));
    let person = Person::at(&house, "tasuki:=worker");
    house.until("their window", |house| clients(house) == "worker");
    let mut refused = attach(&house, "other");
    house.until("the refusal", |house| {
        let text = house.read("attach.log");
        text.contains("looks at worker") && text.contains("--take other")
    });
    refused.wait().expect("its end");
    assert_eq!(clients(&house), "worker");
    // Who is at no terminal takes nobody's.
    assert!(said(&house, &["attach", "--take", "other"]).1.contains("not a terminal"));
    assert_eq!(clients(&house), "worker");
    let mut beside = attach(&house, "worker");
    house.until("both to be there", |house| clients(house) == "worker,worker");
    let mut taken = attach(&house, "--take other");
    house.until("them to be detached", |house| clients(house) == "other");
    for client in [&mut beside, &mut taken] {
        let _ = client.kill();
        client.wait().expect("its end");
    }
    drop(person);
    house.end();
}

#[test]
fn windows_have_the_size_of_the_one_terminal_that_looks_and_their_own_again() {
    let agents = SHELL.to_owned() + &SHELL.replace("worker", "a10").replace("PLAIN", "OTHER");
    let mut house = House::new("fits 窓", &format!("{agents}{QUIET}"), &[]);
    house.start();
    house.until("idle", |house| status(house).contains("state: idle"));
    house.until("the other one", |house| house.read("status/agents/a10.yaml").contains("state: idle"));
    let sizes = |house: &House| {
        let form = "#{window_name} #{window_width}x#{window_height} #{window-size}";
        let all = house.tmux(&["list-windows", "-F", form]);
        let mut all: Vec<String> =
            all.lines().filter(|line| !line.starts_with("tasuki ")).map(str::to_owned).collect();
        all.sort();
        all
    };
    assert_eq!(sizes(&house), ["a10 200x50 manual", "worker 200x50 manual"]);
    let mut alone = attach(&house, "");
    house.until("the boss's window, whole", |house| {
        let all = house.tmux(&["list-clients", "-F", "#{client_control_mode} #{window_name}"]);
        all.lines().any(|line| line == "0 worker") && sizes(house).contains(&"worker 80x23 latest".to_owned())
    });
    // A task is done there all the same.
    house.drop("t.yaml", "id: t-1\nto: worker\ncontent: echo 小さな窓 🎌; echo PLAIN OK\n");
    assert!(house.result("t-1").contains("小さな窓 🎌"));
    alone.kill().expect("its end");
    alone.wait().expect("its end");
    house.until("their own size", |house| sizes(house) == ["a10 200x50 manual", "worker 200x50 manual"]);
    house.end();
}
