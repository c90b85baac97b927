//! All windows at once: a tmux of its own, each pane of which looks at one agent's window and types nothing there.

use super::server::{LOOKS, Server};

/// Windows on one page: more are too small to be read.
const PAGE: usize = 6;

impl Server {
    /// The arguments with which a person's `tmux` shows these windows side by side, page after page. They are looked at
    /// through clients that may not type and that size nothing; when the person leaves, all of it ends by itself.
    #[must_use]
    pub fn attach_all(&self, windows: &[String]) -> Vec<String> {
        let mut line: Vec<String> =
            ["-L", &format!("{}-all", self.socket), "-u", "-f", "/dev/null"].map(str::to_owned).to_vec();
        for (number, window) in windows.iter().enumerate() {
            let look = self.look(window);
            let page = (number / PAGE + 1).to_string();
            let make = match number {
                0 => vec!["new-session", "-n", &page],
                _ if number % PAGE == 0 => vec![";", "new-window", "-n", &page],
                _ => vec![";", "split-window"],
            };
            line.extend(make.into_iter().map(str::to_owned));
            line.push(look);
            // A pane that is made smaller than a few rows is refused; so they are laid out after each.
            line.extend([";", "select-pane", "-T", window, ";", "select-layout", "tiled"].map(str::to_owned));
            if number == 0 {
                line.extend(
                    OPTIONS.iter().flat_map(|(name, value)| {
                        [";", "set-option", "-g", *name, *value].map(str::to_owned)
                    }),
                );
            }
        }
        line.extend([";", "select-window", "-t", ":{start}"].map(str::to_owned));
        line
    }

    /// A shell line that looks at one window: a session that has the windows of ours, and goes with its client.
    fn look(&self, window: &str) -> String {
        let words = [
            "exec env -u TMUX tmux -L",
            &quoted(&self.socket),
            "-u new-session -f read-only,ignore-size -t",
            &quoted(&format!("={}", self.session)),
            "';' set-option destroy-unattached on ';' set-option",
            LOOKS,
            "on ';' set-option status off ';' select-window -t",
            &quoted(&format!(":={window}")),
        ];
        words.join(" ")
    }
}

const OPTIONS: [(&str, &str); 9] = [
    ("destroy-unattached", "on"),
    ("default-terminal", "screen-256color"),
    ("pane-border-status", "top"),
    ("pane-border-format", " #{pane_title} "),
    ("automatic-rename", "off"),
    ("status-left-length", "40"),
    ("status-left", "tasuki (read-only) page "),
    (
        "status-right",
        "C-b n: next C-b z: zoom  #{?#{m/r:^(tmux|screen),#{client_termname}},C-b C-b d,C-b d}: leave ",
    ),
    ("status-right-length", "60"),
];

/// A word as a shell takes it for itself: in quotes unless all of it is plain.
#[must_use]
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) { word.to_owned() } else { quoted(word) }
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::OPTIONS;

    #[test]
    fn its_status_line_has_room_for_three_pages_in_80_columns() {
        // Inside another tmux the prefix is pressed twice.
        let choice = "#{?#{m/r:^(tmux|screen),#{client_termname}},C-b C-b d,C-b d}";
        let shown = |value: &str| value.replace(choice, "C-b C-b d").len();
        let option =
            |wanted: &str| OPTIONS.iter().find(|(name, _)| *name == wanted).map(|(_, value)| shown(value));
        let ends = option("status-left").zip(option("status-right")).map(|(left, right)| left + right);
        assert!(ends.is_some_and(|ends| ends + "0:1* 1:2- 2:3 ".len() <= 80), "{ends:?}");
    }
}
