#!/usr/bin/env bash
# A whole agent for `provider: plain`: it reads each line that tasuki types, does the task, prints the answer and ends the turn.
#   - {name: worker, provider: plain, command: [bash, ./worker.sh, "{phrase}"], marker: WORKER OK}
# Put your own program where `answer` is.
phrase=${1:-WORKER OK}

answer() { # $1: the task's file
  content "$1" | sed 's/^/You said: /'
}

content() { # What the task says: a block whose rows have two blanks before them, or one row, with or without quotes.
  local row
  row=$(sed -n '/^content: /{s///;p;q;}' "$1")
  case $row in
    '|'*) sed -n '/^content: |/,/^[^ ]/{/^[^ ]/d;s/^  //;p;}' "$1" ;;
    '"'*) row=${row#\"} row=${row%\"} && printf '%b\n' "${row//\\\"/\"}" ;;
    *) printf '%s\n' "$row" ;;
  esac
}

read_last=
while IFS= read -r line; do
  # [tasuki] task ID from SENDER (token TOKEN): read FILE and do it.
  [[ $line =~ \[tasuki\].*\(token\ ([a-z0-9]{6})\) ]] || continue # an info, which wants no answer
  token=${BASH_REMATCH[1]}
  # The path may have blanks in it, and is absolute where the agent works in another folder.
  file=$(sed -nE 's/.*: (.*; )?read (.*\.yaml) and .*/\2/p' <<<"$line")
  file=${file##* once, then } # where the line names a prompt before it
  # [tasuki] reminder of your task ID (token TOKEN): …   What was not read yet is done now.
  [[ $line =~ reminder\ of\ your\ task\ ([^ ]+) ]] && file=$TASUKI_ROOT/queue/active/${BASH_REMATCH[1]}.yaml
  [[ $line == *"reminder of"* && ${file##*/} == "${read_last##*/}" ]] || { [[ -f $file ]] && answer "$file"; }
  read_last=$file
  # The phrase and the token of this turn on a line of their own: it is done, and what was printed above is the answer.
  echo "$phrase $token"
done
