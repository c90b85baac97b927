//! What each key does.

use super::input::{Act, Key};
use super::looking::is_answer_for_user;
use super::modes::{Confirm, Mode};
use super::panels::history::NO_STORY;
use super::sessions::NEED_OF_SESSION;
use super::state::{Beside, Place, TopState};
use crate::engine::words::counted;
use crate::wire::api::NeedInfo;
use serde_json::json;

/// Rows that a page has of what is read beside, and of the log, which has few: none of its lines is passed over.
const PAGE: isize = 10;
const LOG_PAGE: isize = 2;
/// Rows that the list of keys goes on by, and the most that it has, however narrow it is.
const HELP_PAGE: usize = 5;
const HELP_MAX: usize = 300;
/// What the keys of the page say here that have nothing to show yet.
const NO_SUCH_PLACE: &str = "this version has no runs; 1 to 6 are its places";
/// What `d` is for, where there is nothing of that.
const NOT_PUT_ASIDE: &str = "d puts aside what failed, was refused or is unread, and has an answer count as read; here is none of that";

impl TopState {
    /// A key was pressed.
    pub(super) fn press(&mut self, key: Key) -> Vec<Act> {
        match key {
            Key::Interrupt => return vec![Act::Quit],
            Key::Suspend => return vec![Act::Suspend],
            _ => {}
        }
        match &self.mode {
            Mode::Normal => self.command(key),
            Mode::Keys(from) => {
                let from = *from;
                match key {
                    Key::Char('q') => return vec![Act::Quit],
                    // What is drawn goes no further than its end.
                    Key::Char('j') | Key::Down => self.mode = Mode::Keys(HELP_MAX.min(from + 1)),
                    Key::PageDown => self.mode = Mode::Keys(HELP_MAX.min(from + HELP_PAGE)),
                    Key::Char('k') | Key::Up => self.mode = Mode::Keys(from.saturating_sub(1)),
                    Key::PageUp => self.mode = Mode::Keys(from.saturating_sub(HELP_PAGE)),
                    _ => self.mode = Mode::Normal,
                }
                Vec::new()
            }
            Mode::Filter => {
                self.find(key);
                Vec::new()
            }
            Mode::Answer(_) => self.answer(key),
            Mode::Confirm(_) => self.confirm(key),
            Mode::Compose(_) => self.write(key),
        }
    }

    fn command(&mut self, key: Key) -> Vec<Act> {
        self.notice = None;
        if self.beside == Beside::Log && self.scroll_log(key) {
            return Vec::new();
        }
        if self.place.is_of_sessions()
            && let Some(acts) = self.session_key(key)
        {
            return acts;
        }
        if self.place.is_of_debates()
            && let Some(acts) = self.debate_key(key)
        {
            return acts;
        }
        match key {
            Key::Char('q') => return vec![Act::Quit],
            Key::Char('1') => self.go(Place::Needs),
            Key::Char('2') => self.go(Place::Tasks),
            Key::Char('3') => self.go(Place::Team),
            Key::Char('4') => self.go(Place::Messages),
            Key::Char('5') => self.go(Place::Sessions),
            Key::Char('6') => self.go(Place::Debates),
            Key::Char('j') | Key::Down => self.step(1),
            Key::Char('k') | Key::Up => self.step(-1),
            Key::PageDown => self.page(PAGE),
            Key::PageUp => self.page(-PAGE),
            Key::Home => self.step(isize::MIN / 2),
            Key::End => self.step(isize::MAX / 2),
            Key::Char('7') => self.notice = Some(Ok(NO_SUCH_PLACE.to_owned())),
            Key::Char('d') => return self.put_aside(),
            Key::Tab => self.go(self.place.next()),
            Key::BackTab => self.go(self.place.before()),
            Key::Enter => return self.open(),
            Key::Esc => self.back(),
            Key::Char('n') => self.compose(),
            Key::Char('/') => self.mode = Mode::Filter,
            Key::Char('f') => {
                self.follows = !self.follows;
                self.log_back = 0;
            }
            Key::Char('a') => self.ask(),
            Key::Char('w') => self.show_history(),
            Key::Char('s') => {
                self.zoomed = !self.zoomed || self.beside != Beside::Screen;
                self.beside = Beside::Screen;
            }
            Key::Char('l') => self.open_log(),
            Key::Char('e') => self.explain(),
            Key::Char('t') if self.place == Place::Team => self.table = Some(!self.is_table()),
            Key::Left | Key::Right if self.place == Place::Team => self.fold(key == Key::Left),
            Key::Char('r') => return self.retry(),
            Key::Char('X') => self.call_off(),
            Key::Char('R') => self.restart(),
            Key::Char('H') => return self.hold(),
            Key::Char('?') => self.mode = Mode::Keys(0),
            _ => {}
        }
        Vec::new()
    }

    pub(super) fn go(&mut self, place: Place) {
        self.close_log();
        // A story that was read elsewhere is of no session and no debate, and theirs are of nothing else.
        let is_other = place.is_of_sessions() != self.place.is_of_sessions();
        let is_entered = place.is_of_flows() && (is_other || !self.place.is_of_flows());
        if is_entered || matches!(self.beside, Beside::Task | Beside::Speech | Beside::Question) {
            self.beside = Beside::Screen;
        }
        self.place = place;
        self.beside_from = 0;
        self.zoomed = false;
    }

    /// The next row, or the next line of what is read beside.
    fn step(&mut self, by: isize) {
        if self.zoomed && self.beside != Beside::Screen {
            self.beside_from = self.beside_from.saturating_add_signed(by);
        } else {
            self.choose(by);
            if self.place.is_of_flows() {
                self.beside_from = 0;
            }
        }
    }

    /// A page of what is read beside, else of the log.
    fn page(&mut self, by: isize) {
        let beside = self.shown_beside();
        let is_text = matches!(beside, Beside::Session | Beside::Task | Beside::Debate | Beside::Speech);
        if self.beside != Beside::Screen || is_text {
            self.beside_from = self.beside_from.saturating_add_signed(by);
            return;
        }
        let by = by.signum() * LOG_PAGE;
        self.log_back = self.log_back.saturating_add_signed(-by).min(self.log.len().saturating_sub(1));
        self.follows = self.log_back == 0;
    }

    fn open(&mut self) -> Vec<Act> {
        match self.place {
            Place::Tasks | Place::Messages => {
                self.show_history();
                Vec::new()
            }
            Place::Needs if self.chosen().and_then(|id| self.need(&id)?.agent.clone()).is_none() => {
                match self.chosen().and_then(|id| id.strip_prefix(NEED_OF_SESSION).map(str::to_owned)) {
                    Some(id) => self.open_session(id),
                    None => self.ask(),
                }
                Vec::new()
            }
            Place::Sessions | Place::Session => self.open_in_sessions(),
            Place::Debates | Place::Debate => self.open_in_debates(),
            Place::Needs | Place::Team => {
                self.looked_at().map(|agent| Act::Attach(agent.agent_name.clone())).into_iter().collect()
            }
        }
    }

    fn back(&mut self) {
        if self.beside != Beside::Screen {
            self.beside = Beside::Screen;
            self.beside_from = 0;
            self.zoomed = false;
        } else if self.zoomed {
            self.zoomed = false;
        } else if !self.shelf().filter.is_empty() {
            self.shelf_mut().filter.clear();
        } else if self.place == Place::Session {
            self.go(Place::Sessions);
        } else if self.place == Place::Debate {
            self.go(Place::Debates);
        }
        // From a list there is no way back: a digit leads to another place.
    }

    fn find(&mut self, key: Key) {
        let is_log = self.beside == Beside::Log;
        let filter = self.filter_mut();
        match key {
            Key::Char(c) => filter.push(c),
            Key::Backspace => drop(filter.pop()),
            Key::Clear => filter.clear(),
            Key::Enter => self.mode = Mode::Normal,
            key @ (Key::Up | Key::Down | Key::PageUp | Key::PageDown) if is_log => drop(self.scroll_log(key)),
            Key::Up => self.choose(-1),
            Key::Down => self.choose(1),
            Key::Esc => {
                filter.clear();
                self.mode = Mode::Normal;
            }
            _ => {}
        }
    }

    fn show_history(&mut self) {
        match self.history_of_chosen() {
            Some(id) => self.read(Beside::History(Some(id))),
            None => self.notice = Some(Ok(NO_STORY.to_owned())),
        }
    }

    /// Shows it beside; what is there already gets all the room, or gives it back.
    pub(super) fn read(&mut self, beside: Beside) {
        let is_there = self.beside == beside;
        if is_there && self.drawn.is_small {
            return self.back();
        }
        self.zoomed = self.drawn.is_small || (is_there && !self.zoomed);
        self.beside = beside;
        self.beside_from = 0;
    }

    fn explain(&mut self) {
        if let Some(name) = self.looked_at().map(|agent| agent.agent_name.clone()) {
            self.read(Beside::Explain(name));
        }
    }

    /// Puts aside what a person need not see again: a need by its own way, an answer by its being read.
    fn put_aside(&mut self) -> Vec<Act> {
        let told = match &self.beside {
            Beside::History(id) => id.clone(),
            _ => self.message_looked_at(),
        };
        let of_need = |need: &NeedInfo| Some((need.dismiss.clone()?.path?, need.dismiss.clone()?.body));
        let chosen = self.chosen().filter(|_| self.place == Place::Needs && self.beside == Beside::Screen);
        let need = match chosen {
            Some(id) => self.need(&id),
            None if self.place.is_of_sessions() && told.is_none() => self.need_of_looked_at_session(),
            None => self
                .needs
                .needs
                .iter()
                .find(|need| need.message.is_some() && need.message == told && need.dismiss.is_some()),
        };
        if let Some((path, body)) = need.and_then(of_need) {
            return vec![Act::Post(path, body.unwrap_or_else(|| json!({})))];
        }
        if let Some(need) = need.filter(|need| need.dismiss.is_none()) {
            let text = format!("`{}` waits for somebody and is not put aside; a settles it", need.title);
            self.notice = Some(Ok(text));
            return Vec::new();
        }
        match told.filter(|id| self.message(id).is_some_and(is_answer_for_user)) {
            Some(id) => {
                self.notice = Some(Ok(format!("the answer to {id} counts as read")));
                vec![Act::Read(id)]
            }
            None => {
                self.notice = Some(Ok(NOT_PUT_ASIDE.to_owned()));
                Vec::new()
            }
        }
    }

    /// The message that a command is about: a held or failed one where the need says so.
    fn retry(&mut self) -> Vec<Act> {
        match self.message_looked_at() {
            Some(id) => vec![Act::Retry(id)],
            None => {
                self.notice = Some(Ok("there is no message to try again".to_owned()));
                Vec::new()
            }
        }
    }

    fn call_off(&mut self) {
        let Some(id) = self.message_looked_at() else {
            self.notice = Some(Ok("there is no message to call off".to_owned()));
            return;
        };
        let parts = self.message(&id).map_or(0, |message| message.parts);
        let parts = match parts {
            0 => String::new(),
            1 => " and its open part".to_owned(),
            many => format!(" and its {}", counted(many, "open part")),
        };
        self.mode = Mode::Confirm(Confirm {
            question: format!("Call off {id}{parts}?"),
            command: format!("tasuki cancel {id}"),
            act: Act::Post(format!("/api/messages/{id}/cancel"), json!({})),
        });
    }

    /// An agent that starts anew loses what it has in mind.
    fn restart(&mut self) {
        let Some(agent) = self.looked_at() else { return };
        let name = &agent.agent_name;
        let task =
            agent.current_task.as_ref().map(|id| format!(" in the middle of {id}")).unwrap_or_default();
        self.mode = Mode::Confirm(Confirm {
            question: format!("Restart {name}{task}?"),
            command: format!("tasuki agent restart {name}"),
            act: Act::Post(format!("/api/agents/{name}/restart"), json!({})),
        });
    }

    /// Holding loses nothing, so it is done at once; letting go on is asked about.
    fn hold(&mut self) -> Vec<Act> {
        if self.halted_since().is_none() {
            return vec![Act::Post("/api/halt".to_owned(), json!({"on": true}))];
        }
        let open = self.workspace.as_ref().map_or(0, |workspace| workspace.open);
        self.mode = Mode::Confirm(Confirm {
            question: format!("Let the typing go on? {} open.", counted(open, "message")),
            command: "tasuki stop --off".to_owned(),
            act: Act::Post("/api/halt".to_owned(), json!({"on": false})),
        });
        Vec::new()
    }
}
