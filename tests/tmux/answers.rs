//! Echo, claim and answer of a line program in real tmux panes, narrow and wide.

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::{Command, Output};

    use tasuki::engine::screen::Screen;
    use tasuki::engine::screen::answer::{ScreenAnswer, extract};
    use tasuki::engine::screen::doorbell::{Doorbell, TurnKind, Words};
    use tasuki::engine::screen::echo::echoes;
    use tasuki::engine::screen::marker::{Awaited, find};
    use tasuki::engine::words::{AgentName, MessageId, Token};

    /// Captures before a test gives up: each is a process of about 5 ms, so this is some ten seconds.
    const CAPTURES_MAX: usize = 2_000;

    /// What the program answers: longer than any pane is wide, exactly as wide, Japanese and emoji at the edges.
    const SAID: &str = "Read the task.\n\n    indented 日本語\n0123456789012345678901234567890123456789\n\
        全角の文字は二桁を取るので、四十桁の窓では端に一桁だけ余ることがあります。x全角の文字は二桁を取るので。\n\
        👩‍💻 か\u{3099}んばった ❤️ | │ box │ * > $\nThe last line of the answer is a long one and goes over the edge of \
        every narrow pane there is, and over the edge of the widest one too, if only one goes on writing for long enough.";

    /// A tmux server of its own, ended with the test.
    struct Tmux<'a> {
        socket: &'a Path,
    }

    impl Tmux<'_> {
        fn run(&self, arguments: &[&str]) -> Output {
            let mut tmux = Command::new("tmux");
            tmux.arg("-u").arg("-S").arg(self.socket).args(["-f", "/dev/null"]).args(arguments);
            tmux.env("LC_ALL", "C.UTF-8").output().unwrap()
        }

        /// The pane's text once `ready` finds what it looks for.
        fn wait_for<T>(&self, ready: impl Fn(&[&str]) -> Option<T>) -> T {
            for _ in 0..CAPTURES_MAX {
                let captured = self.run(&["capture-pane", "-p", "-J", "-S", "-"]).stdout;
                let text = String::from_utf8(captured).unwrap();
                let rows: Vec<&str> = text.lines().collect();
                if let Some(found) = ready(&rows) {
                    return found;
                }
            }
            panic!("not seen in {CAPTURES_MAX} captures");
        }
    }

    impl Drop for Tmux<'_> {
        fn drop(&mut self) {
            self.run(&["kill-server"]);
        }
    }

    #[test]
    fn a_line_programs_answer_is_read_from_panes_of_any_width() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("agent.sh");
        std::fs::write(folder.path().join("said"), SAID).unwrap();
        // The token is what the doorbell says; the program gives two turns.
        let program = format!(
            "while printf '>>> ' && read -r line; do t=${{line#*token }}; cat '{}'; printf '\\n作業 OK %s\\n' \"${{t%%)*}}\"; done",
            folder.path().join("said").display()
        );
        std::fs::write(&script, program).unwrap();
        for width in ["40", "80", "200"] {
            let socket = folder.path().join(format!("tmux-{width}"));
            let tmux = Tmux { socket: &socket };
            let shell = format!("sh '{}'", script.display());
            tmux.run(&["new-session", "-d", "-x", width, "-y", "24", &shell]);
            for chance in [1, 2] {
                let token = Some(Token::mint(chance));
                let (id, from) = (MessageId::new("msg-a1b2c3d4e5f6").unwrap(), AgentName::user());
                let bell = Doorbell {
                    kind: TurnKind::Task,
                    id: &id,
                    from: &from,
                    token,
                    path: "queue/active/m.yaml",
                };
                let line = bell.line(&Words::default()).unwrap();
                tmux.wait_for(|rows| {
                    rows.iter().rev().find(|row| !row.is_empty())?.starts_with(">>>").then_some(())
                });
                tmux.run(&["send-keys", "-l", "--", &line]);
                tmux.run(&["send-keys", "Enter"]);
                let awaited = Awaited::new("作業 OK", token).unwrap();
                let read = tmux.wait_for(|rows| {
                    let screen = Screen::lines(rows);
                    let claim = find(&screen, &awaited, None)?;
                    Some(extract(&screen, &echoes(&screen, &line, token), Some(&claim)))
                });
                assert_eq!(
                    read,
                    ScreenAnswer { text: SAID.to_owned(), truncated: false },
                    "{width} columns, turn {chance}"
                );
            }
        }
    }
}
