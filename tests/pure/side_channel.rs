//! What is asked of OpenCode's API, and what is made of its answers.

use crate::opencode_api::{Api, Manner};
use std::path::Path;
use std::time::Duration;
use tasuki::engine::screen::answer::Spoken;
use tasuki::io::side_channel::{OpenCode, TurnRecord, Unheard};
use tasuki::wire::team_file::Env;

const LINE: &str = "[tasuki] task one from user (token aaaaaa): read queue/active/one.yaml and do it.";

fn opencode(api: &Api, age: Duration) -> OpenCode {
    let argv = ["opencode", "--port", &api.port.to_string()].map(str::to_owned);
    OpenCode::of(&argv, &Env::default(), Path::new("/home/me/my work"), age).expect("its port is known")
}

/// The API has a runtime of its own, which must not end within another.
fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

const LONG: Duration = Duration::from_secs(3_600);

#[test]
fn a_turn_is_followed_from_its_line_to_its_last_word() {
    let api = Api::start(Manner::Well);
    let mut opencode = opencode(&api, LONG);
    assert_eq!(run(opencode.turn(LINE)), Ok(None), "it was not given that line");
    assert_eq!(run(opencode.is_working()), Ok(false));
    api.takes(LINE);
    assert_eq!(run(opencode.has(LINE)), Ok(true));
    assert_eq!(run(opencode.turn(LINE)), Ok(Some(TurnRecord::Working)));
    assert_eq!(run(opencode.is_working()), Ok(true));
    api.retries("Too Many Requests", 5_000);
    let record = run(opencode.turn(LINE)).expect("an answer").expect("a record");
    assert!(
        matches!(record, TurnRecord::Retrying { ref why, .. } if why == "Too Many Requests"),
        "{record:?}"
    );
    api.says("Done. 襷");
    let said = "Done. 襷".to_owned();
    assert_eq!(run(opencode.turn(LINE)), Ok(Some(TurnRecord::Over { said: said.as_str().into() })));
    // A turn that was taken and not begun is not over.
    let other = LINE.replace("aaaaaa", "bbbbbb");
    api.takes(&other);
    api.rests();
    assert_eq!(run(opencode.turn(&other)), Ok(Some(TurnRecord::Taken)));
    assert_eq!(run(opencode.turn(LINE)).map(|record| record.is_some()), Ok(true));
}

#[test]
fn a_line_is_found_on_older_pages() {
    let api = Api::start(Manner::Well);
    api.takes(LINE);
    for at in 0..7 {
        api.says(&format!("step {at}"));
    }
    let steps: Vec<String> = (0..7).map(|at| format!("step {at}")).collect();
    let said = Spoken::of(steps.iter().map(String::as_str));
    assert_eq!(run(opencode(&api, LONG).turn(LINE)), Ok(Some(TurnRecord::Over { said })));
    // A process that was started later was not given it.
    assert_eq!(run(opencode(&api, Duration::ZERO).has(LINE)), Ok(false));
}

#[test]
fn who_gives_no_answer_is_not_asked_again_at_once() {
    for manner in [Manner::Hangs, Manner::Garbage, Manner::Other, Manner::Fails] {
        let api = Api::start(manner);
        let mut opencode = opencode(&api, LONG);
        assert!(matches!(run(opencode.has(LINE)), Err(Unheard::Odd(_))), "{manner:?}");
        for _ in 0..5 {
            assert_eq!(run(opencode.has(LINE)), Err(Unheard::Resting), "{manner:?}");
        }
        assert_eq!(api.asked("/session"), 1, "{manner:?}");
    }
}
