//! What real shells complete by the scripts that `tasuki completions` prints.

use crate::house::House;
use crate::looking::{both, busy, ok};
use std::process::Command;

/// Lets a real bash complete a line by the script that `tasuki completions` prints: the words that it offers, but for flags.
pub(crate) fn completed(house: &House, words: &[&str]) -> Vec<String> {
    /// What bash does at a Tab.
    const TAB: &str = r#"source ./tasuki.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_TYPE=9
        _clap_complete_tasuki tasuki "${COMP_WORDS[COMP_CWORD]}" ""; printf '%s\n' "${COMPREPLY[@]}""#;
    let folder = house.path("bin");
    if !folder.exists() {
        std::fs::create_dir(&folder).expect("a folder");
        std::os::unix::fs::symlink(house.tasuki().get_program(), folder.join("tasuki")).expect("a link");
        house.write("tasuki.bash", &ok(house, &["completions", "bash"]));
    }
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").expect("a path"));
    let mut bash = Command::new("bash");
    bash.args(["-c", TAB, "bash", "tasuki"]).args(words).current_dir(house.path(""));
    let output = bash.env("PATH", &path).env_remove("TASUKI_ROOT").output().expect("bash");
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter(|word| !word.is_empty() && !word.starts_with('-')).map(str::to_owned).collect()
}

/// Whether a shell is there; it is said if not.
fn has(shell: &str) -> bool {
    let found = Command::new(shell).arg("-c").arg("true").status().is_ok_and(|status| status.success());
    if !found {
        println!("left out: there is no {shell}");
    }
    found
}

/// What a real fish offers behind these words, but for flags.
fn of_fish(house: &House, line: &str) -> Vec<String> {
    house.write("tasuki.fish", &ok(house, &["completions", "fish"]));
    let mut fish = Command::new("fish");
    let ask = "source ./tasuki.fish; complete --do-complete $argv[1]";
    fish.args(["--no-config", "-c", ask, line]).current_dir(house.path("")).env_remove("TASUKI_ROOT");
    let path = format!("{}:{}", house.path("bin").display(), std::env::var("PATH").expect("a path"));
    let output = fish.env("PATH", &path).output().expect("fish");
    assert!(output.stderr.is_empty(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = text.lines().filter_map(|line| line.split('\t').next());
    words.filter(|word| !word.starts_with('-')).map(str::to_owned).collect()
}

/// What a real zsh makes of a line at its first Tab, in a terminal of its own, with the script where zsh looks for it.
fn of_zsh(house: &House, line: &str) -> String {
    house.write("functions/_tasuki", &ok(house, &["completions", "zsh"]));
    house.write(
        "zdot/.zshrc",
        "PS1='%% '; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D\n",
    );
    house.write(
        "tab.zsh",
        "zmodload zsh/zpty; zpty z zsh -i
until_seen() { for at in {1..300}; do zpty -r -t z more && seen+=$more; [[ $seen == *$1* ]] && break; sleep 0.1; done }
until_seen '% '; zpty -w -n z \"$1\"$'\\t'; until_seen $2; print -r -- $seen; zpty -d z\n",
    );
    let mut zsh = Command::new("zsh");
    let wanted = line.rsplit('=').next().unwrap_or_default();
    let typed = line.split('=').next().unwrap_or_default();
    zsh.args(["-f", "tab.zsh", typed, wanted]).current_dir(house.path("")).env_remove("TASUKI_ROOT");
    let path = format!("{}:{}", house.path("bin").display(), std::env::var("PATH").expect("a path"));
    zsh.env("PATH", &path).env("TERM", "dumb").env("ZDOTDIR", house.path("zdot"));
    let output = zsh.output().expect("zsh");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn fish_and_zsh_complete_as_bash_does() {
    let mut house = busy("tab 魚");
    both(&mut house, |house, _| {
        assert_eq!(completed(house, &["sho"]), ["show"], "it makes the folder for all");
        if has("fish") {
            assert_eq!(
                of_fish(house, "tasuki send "),
                ["boss", "a10", "a2", "slow"],
                "the team file's order"
            );
            assert_eq!(of_fish(house, "tasuki cancel "), ["w-1", "s-1"], "what is open");
            assert_eq!(of_fish(house, "tasuki why s"), ["slow", "s-1"]);
        }
        if has("zsh") {
            for line in [
                "tasuki send bo=tasuki send boss",
                "tasuki cancel w=tasuki cancel w-1",
                "tasuki sho=tasuki show",
            ] {
                let wanted = line.rsplit('=').next().unwrap_or_default();
                let seen = of_zsh(house, line);
                assert!(seen.contains(wanted), "{line}: {seen}");
            }
        }
    });
}

#[test]
fn a_shell_completes_agents_ids_and_words() {
    let mut house = busy("tab 補完");
    both(&mut house, |house, _| {
        assert_eq!(completed(house, &["sho"]), ["show"]);
        assert_eq!(completed(house, &["send", ""]), ["boss", "a10", "a2", "slow"], "the team file's order");
        assert_eq!(completed(house, &["send", "a"]), ["a10", "a2"]);
        assert_eq!(completed(house, &["cancel", ""]), ["w-1", "s-1"], "what is open");
        assert_eq!(completed(house, &["show", "t"]), ["t-1"]);
        assert_eq!(completed(house, &["why", "s"]), ["slow", "s-1"]);
        assert_eq!(completed(house, &["list", "--state", "ret"]), ["retrying"]);
        assert_eq!(completed(house, &["answer", "boss", ""]), Vec::<String>::new(), "it asks nothing");
    });
}
