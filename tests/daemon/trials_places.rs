//! Agents in odd folders, agents that know nothing of tasuki, and people who look on.

use crate::house::House;
use crate::trials::{READER, agent, answer};
use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};

#[test]
fn an_agent_in_another_folder_is_told_a_path_that_it_can_read() {
    let cwd = "agent's own $HOME 仕事 🎽 \"quoted\"/深い 所";
    let quoted = cwd.replace('\'', "''");
    let team = agent("worker", "python3, reader.py", &format!(", cwd: '{quoted}'"));
    let name = "仕事場 🎽 with  spaces; and 'quotes' & $(more)";
    let mut house = House::new(name, &team, &[]);
    fs::create_dir_all(house.path(&format!("{cwd}/acts"))).expect("the folder");
    house.write(&format!("{cwd}/reader.py"), READER);
    let id = "long".repeat(16);
    let act = "print(os.getcwd())\nprint(path)\nprint(os.environ['TASUKI_ROOT'])";
    house.write(&format!("{cwd}/acts/{id}.py"), act);
    let root = house.path("").canonicalize().expect("the workspace");
    house.start();
    house.drop("a.yaml", &format!("id: {id}\nto: worker\ncontent: |\n  where are you?\n"));
    let root = root.to_str().expect("UTF-8").trim_end_matches('/');
    assert_eq!(answer(&house, &id), format!("{root}/{cwd}\n{root}/queue/active/{id}.yaml\n{root}"));
    house.end();
}

#[test]
fn a_folder_that_makes_doorbells_too_long_is_refused_at_the_start() {
    let name = "深い".repeat(40);
    let team = agent("worker", "python3, reader.py", ", cwd: elsewhere");
    let house = House::new(&name, &team, &[]);
    fs::create_dir(house.path("elsewhere")).expect("elsewhere");
    for verb in ["daemon", "up"] {
        let refused = house.tasuki().arg(verb).output().expect(verb);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{verb}: {said}");
        let words = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.contains("at most 400") && words.contains("cwd: elsewhere"), "{verb}: {said}");
        assert!(words.contains("shorter path"), "with the cure: {said}");
    }
}

/// Knows nothing of tasuki, and prints its phrase with each answer.
const CALCULATOR: &str = "import sys\nprint('calculator')\nfor line in sys.stdin:\n    line = line.strip()\n    print('for', line)\n    try:\n        print(eval(line))\n    except Exception as error:\n        print('error:', error)\n    print('klar.', flush=True)\n";

#[test]
fn programs_that_know_nothing_of_tasuki_answer_after_the_echo_only() {
    let inline = ", token: false, delivery: inline";
    let team = [
        agent("python", "python3, -u, calculator.py", inline).replace("TRIAL OK", "klar"),
        agent("shell", "bash, --norc, --noprofile", &format!("{inline}, env: {{PS1: 'sh 日本$ '}}")),
    ];
    let mut house = House::new("inline", &team.concat(), &[("calculator.py", CALCULATOR)]);
    house.start();
    // What a program prints while it is typed to is in the line, and hides its echo.
    house.until("both to have begun", |house| {
        let shows = |agent: &str, text: &str| {
            house.tmux(&["capture-pane", "-p", "-t", &format!("=tasuki:={agent}")]).contains(text)
        };
        shows("python", "calculator") && shows("shell", "日本$")
    });
    let sums = ["2+2", "2**500", "'klar' * 3", "2+2", "nonsense klar", "'襷' * 300", "2+2"];
    for (number, sum) in sums.iter().enumerate() {
        house.drop(&format!("p{number}.yaml"), &format!("id: p{number}\nto: python\ncontent: |\n  {sum}\n"));
        house.drop(
            &format!("s{number}.yaml"),
            &format!("id: s{number}\nto: shell\ncontent: |\n  printf 'n-%d\\n' {number}; printf '襷%.0s' {{1..150}}; echo; echo TRIAL OK\n"),
        );
    }
    let said: Vec<String> = (0..sums.len()).map(|number| answer(&house, &format!("p{number}"))).collect();
    for (number, sum) in sums.iter().enumerate() {
        assert!(house.read(&format!("queue/results/p{number}.yaml")).contains("proof: weak"));
        if !sum.contains("klar") {
            assert!(said[number].starts_with(&format!("for {sum}")), "{number}: {said:?}");
        }
    }
    let power = "32733906078961418700131896968275991522166420460430647894832913680961337964046745548832700923259041571508866841275600710092172565458853930533285275893\"76".replace('"', "");
    assert_eq!(said[0], "for 2+2\n4");
    assert_eq!(said[3], "for 2+2\n4", "the same words again");
    assert_eq!(said[1], format!("for 2**500\n{power}"));
    assert_eq!(said[5], format!("for '襷' * 300\n{}", "襷".repeat(300)));
    for number in 0..sums.len() {
        let text = answer(&house, &format!("s{number}"));
        assert_eq!(text, format!("n-{number}\n{}", "襷".repeat(150)), "the echo is no answer");
    }
    house.end();
}

/// A person's terminal of 80 columns and 24 rows, attached to the team.
struct Person {
    client: Child,
    keys: ChildStdin,
}

impl Person {
    fn at(house: &House, agent: &str) -> Self {
        Self::at_window(house, &format!("tasuki:={agent}"))
    }

    fn at_window(house: &House, window: &str) -> Self {
        let socket = house.tmux(&["display-message", "-p", "#{socket_path}"]);
        let attach = format!("stty cols 80 rows 24; exec tmux -S '{}' attach -t ={window}", socket.trim());
        let mut command = Command::new("script");
        command.args(["-qfc", &attach, "/dev/null"]).env_remove("TMUX").env("TERM", "screen-256color");
        command.env("LANG", "C.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped());
        let person = Self::behind(command);
        house.until("the person", |house| {
            house.tmux(&["list-clients", "-F", "#{client_tty}"]).contains("/dev")
        });
        person
    }

    fn behind(mut command: Command) -> Self {
        let mut client = command.spawn().expect("script");
        let (keys, mut shown) = (client.stdin.take().expect("keys"), client.stdout.take().expect("a screen"));
        std::thread::spawn(move || while shown.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {});
        Self { client, keys }
    }

    fn types(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("to type");
        self.keys.flush().expect("to type");
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.client.kill();
        let _ = self.client.wait();
    }
}

#[test]
fn people_who_look_on_and_type_disturb_nothing_and_are_not_disturbed() {
    let team = agent("worker", "python3, reader.py", "") + "settings: {person_quiet: 2s}\n";
    let mut house = House::new("people", &team, &[("reader.py", READER)]);
    fs::create_dir(house.path("acts")).expect("acts");
    house.start();
    let send = |house: &House, id: &str, act: &str| {
        house.write(&format!("acts/{id}.py"), act);
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: worker\ncontent: do it\n"));
    };
    send(&house, "before", "print('あ' * 95)");
    answer(&house, "before");
    let mut person = Person::at(&house, "worker");
    // They go into copy mode in the middle of a task: it is done, and its answer comes.
    send(&house, "during", "while not os.path.exists('go'):\n    time.sleep(0.01)\nsay('い' * 150 + '\\n')");
    house.until("work", |house| house.read("queue/active/during.yaml").contains("stage: working"));
    person.types("\u{2}");
    house.until("the prefix", |house| house.tmux(&["list-clients", "-F", "#{client_prefix}"]).contains('1'));
    person.types("[");
    let in_mode = |house: &House| {
        house.tmux(&["list-panes", "-s", "-t", "=tasuki", "-F", "#{pane_in_mode}"]).contains('1')
    };
    house.until("copy mode", in_mode);
    house.write("go", "");
    assert_eq!(answer(&house, "during"), "い".repeat(150));
    // The next one waits for them, and says so.
    send(&house, "after", "print(line[:8])");
    let why = |house: &House| {
        let why = house.tasuki().args(["why", "after"]).output().expect("why");
        String::from_utf8_lossy(&why.stdout).into_owned()
    };
    house.until("the reason", |house| why(house).contains("copy mode"));
    person.types("q");
    // They leave copy mode, which is typing too, and begin a line: the doorbell waits until they have been still.
    house.until("no copy mode", |house| !in_mode(house));
    person.types("half a");
    house.until("the reason", |house| {
        why(house).contains("draft: somebody's unsent words") && why(house).contains("`half a`")
    });
    person.types(" line\r");
    assert_eq!(answer(&house, "after"), "[tasuki]");
    // The terminal was asked whether anything of theirs is in it still.
    let screen = house.tmux(&["capture-pane", "-p", "-t", "=tasuki:=worker"]).replace("^R\n", "");
    assert!(screen.contains("half a line\n[tasuki] task after"), "not within their words: {screen}");
    let sizes = house.tmux(&[
        "list-windows",
        "-t",
        "=tasuki",
        "-F",
        "#{window_name} #{window_width}x#{window_height}",
    ]);
    assert!(sizes.contains("worker 200x50"), "{sizes}");
    drop(person);
    house.end();
}

#[test]
fn whoever_attaches_inside_of_the_agents_tmux_goes_to_their_session_and_back() {
    let mut house =
        House::new("within", &agent("worker", "python3, reader.py", ""), &[("reader.py", READER)]);
    house.start();
    let tasuki = house.tasuki();
    let program = tasuki.get_program().to_str().expect("UTF-8").to_owned();
    let root = house.path("").to_str().expect("UTF-8").to_owned();
    let shell = ["new-session", "-d", "-s", "mine", "-x", "80", "-y", "24", "-c", &root, "sh"];
    house.tmux(&shell);
    let mut person = Person::at_window(&house, "mine");
    let seen = |house: &House| {
        let form = "#{client_control_mode} #{session_name}:#{window_name} of #{client_tty}";
        let clients = house.tmux(&["list-clients", "-F", form]);
        clients.lines().filter_map(|line| line.strip_prefix("0 ")).collect::<Vec<_>>().join("\n")
    };
    let before = seen(&house);
    assert!(before.starts_with("mine:") && before.lines().count() == 1, "{before}");
    person.types(&format!("{program} attach worker\r"));
    house.until("the agent's window", |house| seen(house).starts_with("tasuki:worker of /dev/"));
    let now = seen(&house);
    assert_eq!(now.lines().count(), 1, "one client, and none within another: {now}");
    assert_eq!(now.split(" of ").nth(1), before.split(" of ").nth(1), "the same terminal");
    // The last session is one key away, and the shell there goes on.
    person.types("\x02L");
    house.until("the person's own session", |house| seen(house).starts_with("mine:"));
    person.types("echo back-$((40 + 2))\r");
    house.until("their shell", |house| {
        house.tmux(&["capture-pane", "-p", "-t", "=mine:"]).contains("back-42")
    });
    drop(person);
    house.tmux(&["kill-session", "-t", "=mine"]);
    house.end();
}

#[test]
fn all_agents_are_seen_at_once_without_being_disturbed() {
    let names = ["one", "two"];
    let team = agent("one", "python3, reader.py", "") + &agent("two", "python3, reader.py", "");
    let mut house = House::new("wall 壁", &team, &[("reader.py", READER)]);
    fs::create_dir(house.path("acts")).expect("acts");
    house.start();
    let send = |house: &House, agent: &str, id: &str| {
        house.write(&format!("acts/{id}.py"), &format!("print('seen-{id} 襷')"));
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: {agent}\ncontent: x\n"));
    };
    send(&house, "one", "before");
    answer(&house, "before");
    let tasuki = house.tasuki();
    let mut command = Command::new("script");
    let line = format!("stty cols 200 rows 50; exec {} attach --all", tasuki.get_program().display());
    command.args(["-qfc", &line, "/dev/null"]).env_remove("TMUX").env("TERM", "screen-256color");
    for (name, value) in tasuki.get_envs().filter_map(|(name, value)| Some((name, value?))) {
        command.env(name, value);
    }
    command.current_dir(house.path("")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut person = Person::behind(command);
    let seen = |house: &House| -> String {
        let socket = house.tmux(&["display-message", "-p", "#{socket_path}"]);
        let wall = format!("{}-all", socket.trim());
        let panes = [0, 1].map(|pane| {
            let target = format!(":.{pane}");
            let mut tmux = Command::new("tmux");
            let output =
                tmux.args(["-S", &wall, "capture-pane", "-p", "-t", &target]).output().expect("tmux");
            String::from_utf8_lossy(&output.stdout).into_owned()
        });
        panes.concat()
    };
    house.until("the wall", |house| seen(house).contains("seen-before 襷"));
    person.types("echo typed at all\r");
    for (number, name) in names.iter().enumerate() {
        send(&house, name, &format!("while-{number}"));
    }
    for number in 0..2 {
        assert_eq!(answer(&house, &format!("while-{number}")), format!("seen-while-{number} 襷"));
        house.until("the wall to show it", |house| seen(house).contains(&format!("seen-while-{number} 襷")));
    }
    for name in names {
        let own = house.tmux(&["capture-pane", "-p", "-t", name]);
        assert!(!own.contains("typed at all"), "it is to look at only: {own}");
    }
    let lookers =
        |house: &House| house.tmux(&["list-sessions", "-F", "#{@tasuki_looks}"]).matches("on").count();
    assert_eq!(lookers(&house), 2);
    drop(person);
    house.until("all of it to end with its person", |house| lookers(house) == 0);
    house.end();
}
