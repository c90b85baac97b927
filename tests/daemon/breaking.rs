//! A daemon that is killed while it breaks a turn off.

use crate::house::House;
use crate::person::Person;
use std::process::Stdio;

/// A shell that runs what it is told, which does not heed the key at first.
const SHELL: &str = "  - {name: w, reports_to: user, provider: plain, command: [bash, --norc], delivery: inline, marker: W OK, token: false}\n";
const DEAF: &str = "id: deaf\nto: w\ncontent: python3 deaf.py\n";
const DEAF_PY: &str = r"import os, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
open('began', 'w').close()
while not os.path.exists('go'):
    time.sleep(0.02)
signal.signal(signal.SIGINT, signal.SIG_DFL)
open('.hears', 'w').write(str(os.getpid()))
os.rename('.hears', 'hears')
while True:
    time.sleep(1)
";

/// A house whose agent works on what was called off, and whose daemon was killed when it had begun to break that off.
fn killed(name: &str) -> House {
    let mut house = House::new(name, SHELL, &[("deaf.py", DEAF_PY)]);
    house.start();
    house.drop("deaf.yaml", DEAF);
    house.until("it to begin", |house| house.path("began").exists());
    let mut cancelling = house.tasuki();
    cancelling.args(["cancel", "deaf"]).stdout(Stdio::null()).stderr(Stdio::null());
    let mut cancelling = cancelling.spawn().expect("tasuki");
    house.until("it to be broken off", |house| breaks(house).contains(" deaf 1 "));
    house.kill();
    cancelling.wait().expect("its end");
    house
}

fn breaks(house: &House) -> String {
    house.tmux(&["show-options", "-pqv", "-t", "=tasuki:w", "@tasuki_breaks"])
}

/// Whether what was called off goes on.
fn lives(house: &House) -> bool {
    std::path::Path::new("/proc").join(house.read("hears")).exists()
}

#[test]
fn the_next_daemon_goes_on_with_it() {
    let mut house = killed("breaks");
    house.write("go", "");
    house.until("it to hear", |house| house.path("hears").exists());
    house.start();
    house.until("its end", |house| {
        house.read("status/activity.log").contains("w was interrupted, and its turn has ended")
    });
    assert_eq!(breaks(&house), "");
    assert!(!lives(&house));
    house.until("it to be free", |house| house.read("status/agents/w.yaml").contains("state: idle"));
    house.end();
}

#[test]
fn what_a_person_has_begun_since_is_left_alone() {
    let mut house = killed("breaks-not");
    house.write("go", "");
    house.until("it to hear", |house| house.path("hears").exists());
    // A second after it was begun, for that is how tmux's clock goes.
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    Person::at(&house, "tasuki:w").types("x");
    house.start();
    house.until("it to be forgotten", |house| breaks(house).is_empty());
    house.until("it to be seen to work", |house| house.read("status/agents/w.yaml").contains("state: busy"));
    assert!(lives(&house));
    house.end();
}
