//! The options of our session and of the server, set when the session is made and at each connection: the settings may have
//! changed since.

use super::served_by::ServedBy;
use super::server::Server;
use super::set_option::SetOption;

/// The keys, as many as have room. The windows keep their size whoever looks at them: a smaller terminal shows a part, and says
/// how to see the rest.
const STATUS_RIGHT: &str = "#{?#{e|<:#{client_width},#{window_width}},\
     #{client_width} of #{window_width} columns: C-b S-Right   #{?#{m/r:^(tmux|screen),#{client_termname}},C-b C-b d,C-b d}: leave ,\
      C-b n: next   C-b w: list   #{?#{m/r:^(tmux|screen),#{client_termname}},C-b C-b d,C-b d}: leave }";

/// Whose windows they are, and the team's pulse: all of it where there is room, else what a person should know of. Where the daemon's
/// guard ([`GUARD`]) is not attached, nothing is known any more. Its talker says nothing of that: one in ten talkers of a daemon
/// that was killed stays attached, since tmux waits for ever to tell it what is left to be told (3.3a). The guard is told nothing.
const STATUS_LEFT: &str = " #{session_name}  #{?#{m:*#,#{@tasuki_guard}#,*,#,#{session_attached_list}#,},\
     #{?#{e|<:#{client_width},120},#{@tasuki_alarm},#{@tasuki_pulse}},no daemon} ";

/// The option that has tmux's name of the daemon's guard.
pub(super) const GUARD: &str = "@tasuki_guard";

impl Server {
    /// The options of our session, and of the server where it is ours alone.
    pub(super) fn options(&self) -> Vec<SetOption> {
        let target = self.window_target();
        let daemon = ServedBy::here().map(|daemon| daemon.to_string()).unwrap_or_default();
        let history = self.history_limit.to_string();
        let size = format!("{}x{}", self.size.0, self.size.1);
        // A daemon that was killed tells tmux nothing, but its guard leaves, however much its talker was to be told. Whatever option
        // is set, tmux draws anew for whoever is attached.
        let redraw = format!("set-option -t '{target}' @tasuki_left ''");
        let session = [
            // Who serves it: a second daemon leaves it alone while that one lives.
            (ServedBy::OPTION, daemon.as_str()),
            ("history-limit", history.as_str()),
            // What new windows have while nobody looks.
            ("default-size", &size),
            // People who attach bring nothing of their environment into the agents'.
            ("update-environment", ""),
            ("destroy-unattached", "off"),
            ("mouse", "on"),
            // Nothing is drawn by the clock: tmux would wake for each client, and two are the daemon's own.
            ("status-interval", "0"),
            ("client-detached[0]", &redraw),
            ("status-left", STATUS_LEFT),
            ("status-left-length", "48"),
            ("status-right", STATUS_RIGHT),
            ("status-right-length", "60"),
        ];
        let server = [
            // No program in a pane may write into a person's clipboard.
            ("set-clipboard", "off"),
            // Known by every machine's terminfo.
            ("default-terminal", "screen-256color"),
            // A person's Esc reaches the program at once.
            ("escape-time", "10"),
            // tmux keeps each command that it was given; ours carry what is typed.
            ("message-limit", "100"),
        ];
        let option = |session: Option<&String>, (name, value): (&'static str, &str)| SetOption {
            session: session.cloned(),
            name,
            value: value.to_owned(),
        };
        let session = session.into_iter().map(|pair| option(Some(&target), pair));
        let server = server.into_iter().filter(|_| self.is_private()).map(|pair| option(None, pair));
        session.chain(server).collect()
    }
}
