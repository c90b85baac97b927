"""An agent as a stranger would write it: reads doorbells with input() and does what acts/ID.py says, else says what
say/ID holds, in chunks. READLINE=1 brings in line editing, PROMPT a prompt, ACTS the folder of both."""
import os
import re
import sys
import time

if os.environ.get("READLINE"):
    import readline

ACTS = os.environ.get("ACTS", ".")


def say(text, size=997, wait=0.01):
    for at in range(0, len(text), size):
        sys.stdout.write(text[at : at + size])
        sys.stdout.flush()
        time.sleep(wait)


while True:
    line = input(os.environ.get("PROMPT", ""))
    found = re.search(r"task (\S+) from \S+ \(token (\w{6})\): read (.*\.yaml) and do it", line)
    if not found:
        continue
    id, token, path = found.groups()
    phrase = os.environ.get("PHRASE", "TRIAL OK")
    with open(path) as file:
        task = file.read()
    assert id in task and token in task
    act = os.path.join(ACTS, "acts", id + ".py")
    if os.path.exists(act):
        exec(open(act).read())
    else:
        say(open(os.path.join(ACTS, "say", id)).read())
    print(phrase, token, flush=True)
