//! A program that asks, and writes down each answer that reaches it: `cargo add` with two choices, then a place where words may be typed.

use crate::house::House;

const PROFILE: &str = r#"
command: [bash, ./play.sh]
types: keys
receipt: screen
enter_after: 300ms
screen:
  echo: '^❯ \S'
  dialog: '^─{8}'
  box:
    forms:
      - {above: '^─{8}', first: '^❯(?:\s(.*))?$', more: '^(\S.*)$', below: '^─{8}'}
  choices: {marked: '^ *❯ +(\S.*)$', other: '^ +(\S.*)$', yes: ['^Yes$'], no: ['^No$'], field: ['^Type something']}
  rules:
    - {name: permission, state: waiting_input, box: hidden, see: {dialog: ['Do you want to proceed']}}
    - {name: which, state: waiting_input, box: hidden, see: {dialog: ['Which one\?']}}
    - {name: ready, state: ready, box: empty, see: {footer: ['shortcuts']}}
"#;

const PLAY: &str = r#"
draw() { printf '\033[H\033[J%b' "$1"; }
box() { draw "────────────\n❯ $1\n────────────\n  shortcuts\033[2;$((3 + ${#1}))H"; }
# asks QUESTION WORD...: the last word may take a text.
asks() {
  question=$1; shift; at=0 typed=''
  while :; do
    rows='' n=0
    for word in "$@"; do
      if [ "$word" = Type ]; then word=${typed:-Type something.}; fi
      if [ $n = $at ]; then mark='❯'; else mark=' '; fi
      rows="$rows $mark $((n + 1)). $word\n"; n=$((n + 1))
    done
    draw "────────────\n $question\n$rows\n Esc to cancel"
    IFS= read -rsn1 key
    case "$key" in
      '') echo "$question: $((at + 1)) $typed" >> keys.log; return ;;
      $'\033') read -rsn2 key; case "$key" in '[B') at=$(((at + 1) % n)) ;; '[A') at=$(((at + n - 1) % n)) ;; esac ;;
      *) typed="$typed$key" ;;
    esac
  done
}
stty -echo -icanon
while :; do
  line=''
  box ''
  while IFS= read -rsn1 key && [ -n "$key" ]; do line="$line$key"; box "$line"; done
  token=$(echo "$line" | sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p')
  asks 'Do you want to proceed?' Yes Always No
  asks 'Do you want to proceed?' Yes Always No
  asks 'Which one?' chrono time Type
  draw "❯ $line\n\n済みました 🎽\n\nCODING OK $token\n\n────────────\n❯ \n────────────\n  shortcuts\033[8;3H"
  sleep 3
done
"#;

/// A workspace with it, as `a`.
pub(crate) fn house(name: &str) -> House {
    let team = "  - {name: a, reports_to: user, provider: mine, marker: CODING OK}\n";
    House::new(name, team, &[("play.sh", PLAY), ("protocol/profiles/mine.yaml", PROFILE)])
}
