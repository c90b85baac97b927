//! What keys do where debates are looked at.

use super::input::{Act, Key};
use super::modes::{Composer, Confirm, Mode, Sheet};
use super::state::{Beside, Place, TopState};
use crate::wire::debate::document::DebateStatus;
use serde_json::json;

/// Characters of a debate's id that are told: more are rarely needed to name it.
const ID_SHOWN: usize = 8;
/// Characters of a title within a sentence.
const TITLE_SHOWN: usize = 40;
/// Who speaks where nobody says who.
const ROLES: &str = "architect, security, qa";

impl TopState {
    /// A key where debates are looked at; none if it does there what it does everywhere.
    pub(super) fn debate_key(&mut self, key: Key) -> Option<Vec<Act>> {
        let is_open = self.place == Place::Debate;
        // A text that has all the room is scrolled; its neighbours are read all the same.
        let is_read = self.zoomed && self.beside != Beside::Screen;
        match key {
            Key::Left | Key::Right if is_open => {
                self.choose_cell(0, if key == Key::Left { -1 } else { 1 });
                Some(Vec::new())
            }
            Key::Char('k') | Key::Up if is_open && !is_read => {
                self.choose_cell(-1, 0);
                Some(Vec::new())
            }
            Key::Char('j') | Key::Down if is_open && !is_read => {
                self.choose_cell(1, 0);
                Some(Vec::new())
            }
            Key::Char('X') => {
                self.cancel_debate();
                Some(Vec::new())
            }
            Key::Char('c') => {
                self.hand_debate_over();
                Some(Vec::new())
            }
            Key::Char('n') => {
                self.compose_debate();
                Some(Vec::new())
            }
            Key::Char('t') => {
                match self.debate_looked_at() {
                    Some(_) => self.read(Beside::Question),
                    None => drop(self.say("there is no debate here")),
                }
                Some(Vec::new())
            }
            Key::Char('r') => {
                Some(self.say("nobody speaks twice in a round: a debate goes on without those that failed"))
            }
            Key::Char('/') if is_open => {
                Some(self.say("the rounds have no filter; Esc, then / finds debates"))
            }
            // A screen that has all the room gives it back, whoever's it is.
            Key::Char('s') if !self.zoomed || self.beside != Beside::Screen => {
                self.why_no_screen_of_speech().map(|why| self.say(why))
            }
            Key::Char('w') if self.history_of_chosen().is_none() => {
                Some(self.say("who has not spoken has no story yet"))
            }
            _ => None,
        }
    }

    /// Enter: opens the chosen debate, then the chosen speech, then the window of whoever speaks.
    pub(super) fn open_in_debates(&mut self) -> Vec<Act> {
        if self.place == Place::Debates {
            if let Some(id) = self.chosen() {
                self.open_debate(id);
            }
            return Vec::new();
        }
        if self.beside != Beside::Speech {
            if self.chosen_speech().is_some() {
                self.beside = Beside::Speech;
                self.beside_from = 0;
                self.zoomed = true;
            }
            return Vec::new();
        }
        let agent = self.chosen_speech().and_then(|speech| speech.agent.clone());
        match agent.filter(|name| self.agent(name).is_some()) {
            Some(name) => vec![Act::Attach(name)],
            None => self.say("nobody speaks here now, so there is no window to go to"),
        }
    }

    /// Why no screen is shown of the chosen speech; none where there is one.
    pub(super) fn why_no_screen_of_speech(&self) -> Option<String> {
        let Some(speech) = self.chosen_speech() else {
            return Some("Enter opens the debate; there s shows the screen of whoever speaks".to_owned());
        };
        let is_there = speech.agent.as_deref().is_some_and(|name| self.agent(name).is_some());
        let (role, word) = (&speech.role, speech.word());
        (!is_there).then(|| format!("{role} {word}, and has no screen"))
    }

    /// What is debated, and by whom.
    fn compose_debate(&mut self) {
        let draft = self.draft.take_if(|draft| draft.sheet == Sheet::Debate);
        let new = || Composer {
            sheet: Sheet::Debate,
            to: ROLES.to_owned(),
            is_to_proposed: true,
            ..Composer::default()
        };
        self.mode = Mode::Compose(draft.unwrap_or_else(new));
    }

    /// What is handed over of it.
    pub(super) fn begin_debate(&self, composer: &Composer) -> Act {
        let words = composer.to.split(|c: char| c.is_whitespace() || matches!(c, ',' | '、' | '，'));
        let roles: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let mut request = json!({"task": composer.text, "roles": roles});
        let parallel = composer.needs.trim();
        if !parallel.is_empty() {
            request["parallel"] = json!(parallel);
        }
        Act::Begin("/api/debates".to_owned(), request)
    }

    /// The title, the status and the id of the debate that is looked at.
    fn debate_meant(&self) -> Option<((String, DebateStatus), String)> {
        let of_list = self.debate_looked_at().and_then(|id| self.debate_of_list(&id));
        let of_list = of_list.map(|debate| (debate.title.clone(), debate.status.clone()));
        let seen = || self.debate().map(|seen| (seen.title(), seen.result.status.clone()));
        seen().or(of_list).zip(self.debate_looked_at())
    }

    /// Has a session carry out its final plan.
    fn hand_debate_over(&mut self) {
        match self.debate_meant() {
            None => drop(self.say("there is no debate whose plan could be carried out")),
            Some(((_, status), _)) if !status.is_over() => {
                self.say("it has no final plan yet: it is under way");
            }
            Some(((title, _), id)) => {
                let short_id: String = id.chars().take(ID_SHOWN).collect();
                self.mode = Mode::Confirm(Confirm {
                    question: format!("Begin a session by the plan of `{}`?", short(&title, TITLE_SHOWN)),
                    command: format!("tasuki debate hand-over {short_id}"),
                    act: Act::Post("/api/sessions".to_owned(), json!({"debate": id})),
                });
            }
        }
    }

    fn cancel_debate(&mut self) {
        let Some(((title, status), id)) = self.debate_meant() else {
            self.say("there is no debate to cancel");
            return;
        };
        if status.is_over() {
            self.say(format!("it is {} already", super::debates::word_of(&status)));
            return;
        }
        let speaking = match self.debate().map_or(0, |seen| seen.speakers().len()) {
            0 => String::new(),
            1 => " while a role speaks".to_owned(),
            many => format!(" while {many} roles speak"),
        };
        self.mode = Mode::Confirm(Confirm {
            question: format!("Cancel the debate `{}`{speaking}?", short(&title, TITLE_SHOWN)),
            command: format!("tasuki debate cancel {}", id.chars().take(ID_SHOWN).collect::<String>()),
            act: Act::Post(format!("/api/debates/{id}/cancel"), json!({})),
        });
    }
}

/// The beginning of a text.
fn short(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text.get(..end).unwrap_or_default().to_owned() + "…",
        None => text.to_owned(),
    }
}
