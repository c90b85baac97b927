//! Agents that repeat what was typed to them.

use crate::house::House;

/// Says much, quotes its own line as it was typed and as Markdown has it, and says on. Its first word has left the rows that are
/// searched by then.
const QUOTER: &str = r#"
import re
while True:
    line = input()
    token = re.search(r'\(token (\w+)\)', line).group(1)
    print('FIRST 最初')
    for at in range(700):
        print('row', at)
    print('I was told:')
    print(line)
    print('or, as Markdown has it:')
    print('> ' + line)
    print('LAST 最後')
    print('Q OK', token, flush=True)
"#;

#[test]
fn an_answer_that_quotes_its_own_line_is_whole() {
    let agents = "  - {name: q, provider: plain, marker: Q OK, command: [python3, quoter.py]}\n";
    let mut house = House::new("own line", agents, &[("quoter.py", QUOTER)]);
    house.start();
    for id in ["one", "two"] {
        house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: q\ncontent: 仕事\n"));
        let result = house.result(id);
        for said in ["FIRST 最初", "row 0\n", "row 699", "I was told:", "or, as Markdown", "LAST 最後"] {
            assert_eq!(result.matches(said).count(), 1, "{said}: {result}");
        }
        assert!(result.contains("proof: token") && !result.contains("truncated"), "{result}");
    }
    house.end();
}

/// Its terminal shows nothing that is typed: it draws a prompt, or none.
const UNSHOWN: &str = r#"#!/bin/bash
stty -echo
while printf '%s' "$1"; IFS= read -r line; do
  id=$(sed -n 's/.*task \([^ ]*\) .*/\1/p' <<<"$line")
  token=$(sed -n 's/.*(token \([a-z0-9]*\)).*/\1/p' <<<"$line")
  [ "$id" = cleared ] && printf '\033[2J\033[3J\033[H'
  echo "this is $id"; echo "$1"; echo "A OK $token"
done
"#;

#[test]
fn the_answer_of_a_program_that_shows_no_input_begins_below_what_stood_there() {
    for prompt in ["", "> "] {
        let agent = format!(
            "  - {{name: a, reports_to: user, provider: plain, command: [bash, a.sh, '{prompt}'], marker: A OK}}\n"
        );
        let mut house = House::new("shows no input", &agent, &[("a.sh", UNSHOWN)]);
        house.start();
        for id in ["one", "two", "cleared", "four"] {
            house.drop(&format!("{id}.yaml"), &format!("id: {id}\nto: a\ncontent: 仕事\n"));
            let result = house.result(id);
            let (cut, words) = (result.contains("truncated: true"), result.matches("this is").count());
            assert_eq!((cut, words), (id == "cleared", 1), "{prompt}: {result}");
        }
        house.end();
    }
}
