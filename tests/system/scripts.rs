//! `scripts/test` ends with 0 where all went well, and else tells at its end what did not: with a `cargo` that plays its part.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

const CARGO: &str = r#"#!/bin/sh
case "$*" in
  clippy*) echo "a lint"; exit "$LINTS" ;;
  *--no-fail-fast*)
    echo "test a ... ok"
    [ "$TESTS" = 0 ] && exit 0
    printf 'test b::c ... FAILED\n---- b::c stdout ----\nboom 襷\n'
    exit 101 ;;
esac
"#;

fn run(folder: &Path, tests: &str, lints: &str) -> Output {
    let mut script = Command::new("bash");
    script.arg(folder.join("scripts/test")).env("CARGO_HOME", folder.join("cargo"));
    script.env("TESTS", tests).env("LINTS", lints).output().unwrap()
}

#[test]
fn the_script_of_the_tests_ends_as_they_do() {
    let folder = tempfile::tempdir().unwrap();
    let (scripts, bin) = (folder.path().join("scripts"), folder.path().join("cargo/bin"));
    [&scripts, &bin].into_iter().for_each(|place| fs::create_dir_all(place).unwrap());
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    for name in ["test", "lib.sh"] {
        fs::copy(ours.join(name), scripts.join(name)).unwrap();
    }
    // It installs nothing here.
    fs::write(scripts.join("programs.list"), "").unwrap();
    let (cargo, pause) = (bin.join("cargo"), bin.join("sleep"));
    fs::write(&cargo, CARGO).unwrap();
    fs::write(&pause, "#!/bin/sh\n").unwrap();
    for program in [&cargo, &pause] {
        fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    for (tests, lints, told) in [
        ("0", "0", None),
        ("101", "0", Some("test b::c ... FAILED\n---- b::c stdout ----\nboom 襷")),
        ("0", "1", Some("a lint")),
    ] {
        let ended = run(folder.path(), tests, lints);
        let said = String::from_utf8_lossy(&ended.stdout).into_owned();
        assert_eq!(ended.status.success(), told.is_none(), "{said}");
        if let Some(told) = told {
            assert!(said.rsplit_once("== what failed").is_some_and(|_| said.contains(told)), "{said}");
        }
    }
}
