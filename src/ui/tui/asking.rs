//! Keys while a task is written, an answer is chosen, or something is asked about.

use super::input::{Act, Key};
use super::modes::{Answering, Composer, Confirm, INCOMPLETE, Mode, Sheet, choice_keys};
use super::state::{Beside, Place, TopState};
use crate::wire::api::{NeedKindInfo, PaneAnswerBody, Problem};
use serde_json::json;

impl TopState {
    pub(super) fn compose(&mut self) {
        if let Some(draft) = self.draft.take_if(|draft| draft.sheet == Sheet::Task) {
            self.mode = Mode::Compose(draft);
            return;
        }
        let to = self.looked_at().or(self.agents.first()).map(|agent| agent.agent_name.clone());
        let id = self.next_id.clone().unwrap_or_default();
        self.mode = Mode::Compose(Composer {
            to: to.unwrap_or_default(),
            id,
            is_to_proposed: true,
            ..Composer::default()
        });
    }

    pub(super) fn paste(&mut self, text: &str) {
        match &mut self.mode {
            Mode::Compose(composer) => composer.put(text),
            Mode::Filter => {
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                self.filter_mut().push_str(&text);
            }
            // Elsewhere letters are commands, and a pasted text is none.
            _ => {}
        }
    }

    /// A key while a task is written.
    pub(super) fn write(&mut self, key: Key) -> Vec<Act> {
        let Mode::Compose(composer) = &mut self.mode else { return Vec::new() };
        match key {
            Key::Esc => {
                // One that is on its way is told of when it is accepted, or refused.
                let is_worth_it = composer.is_changed() && !composer.sheet.is_line();
                let is_kept = !composer.is_sent && !composer.text.trim().is_empty() && is_worth_it;
                let key = if matches!(composer.sheet, Sheet::Edit(..)) { "e" } else { "n" };
                self.draft = is_kept.then(|| composer.clone());
                if is_kept {
                    self.notice = Some(Ok(format!("the text is kept: {key} goes on with it")));
                }
                self.mode = Mode::Normal;
            }
            Key::Enter if let Some(field) = composer.next() => composer.field = field,
            Key::Enter if composer.is_sent => {}
            Key::Enter if composer.missing().is_some() => {
                composer.problem = composer.missing().map(|(field, why, cure)| {
                    composer.field = field;
                    Problem {
                        code: INCOMPLETE.to_owned(),
                        why: why.to_owned(),
                        cure: cure.to_owned(),
                        ..Problem::default()
                    }
                });
            }
            Key::Enter if composer.sheet != Sheet::Task => {
                let written = composer.clone();
                let begun = self.begin(&written);
                let Mode::Compose(composer) = &mut self.mode else { return Vec::new() };
                composer.is_sent = begun.is_ok();
                composer.problem = begun.as_ref().err().cloned();
                return begun.into_iter().collect();
            }
            Key::Enter => {
                composer.is_sent = true;
                composer.problem = None;
                let (id, to, text) = (&composer.id, &composer.to, &composer.text);
                return vec![Act::Send(json!({"id": id, "to": to, "type": "task", "content": text}))];
            }
            key => composer.edit(key),
        }
        Vec::new()
    }

    /// What became of the task that was handed over: a refused text stays with its cure.
    pub(super) fn handed_over(&mut self, sent: Result<String, Problem>) {
        match sent {
            Ok(id) => {
                if let Mode::Compose(composer) = &self.mode
                    && composer.is_sent
                {
                    self.mode = Mode::Normal;
                }
                self.follow(id.clone());
                self.notice = Some(Ok(format!("{id} is accepted: it is on the disk")));
            }
            Err(problem) => match &mut self.mode {
                Mode::Compose(composer) => {
                    composer.is_sent = false;
                    composer.problem = Some(problem);
                }
                _ => self.notice = Some(Err(problem)),
            },
        }
    }

    /// The new task is chosen, and its story is told as it goes on; not where the person is at something else by now.
    fn follow(&mut self, id: String) {
        let shelf = &mut self.shelves[Place::Tasks.index()];
        shelf.chosen = Some(id.clone());
        shelf.is_awaited = true;
        if self.mode == Mode::Normal {
            shelf.filter.clear();
            self.go(Place::Tasks);
            self.beside = Beside::History(Some(id));
        }
    }

    /// Opens the choices of what is asked, or what can be done about a need.
    pub(super) fn ask(&mut self) {
        let Some(need) = self.need_to_answer() else {
            let nothing = match self.place {
                place if place.is_of_sessions() => self.nothing_to_answer(),
                place if place.is_of_debates() => "nothing of this debate needs you".to_owned(),
                _ => "nothing needs you".to_owned(),
            };
            self.notice = Some(Ok(nothing));
            return;
        };
        if need.kind == NeedKindInfo::Unread {
            return self.read(Beside::Letters);
        }
        let asked = Answering {
            need: need.id.clone(),
            title: need.title.clone(),
            detail: need.detail.clone(),
            agent: need.agent.clone(),
            asks: need.asks.clone(),
            cures: need.cures.clone(),
            from: 0,
        };
        // Its screen is looked at while it is answered.
        if let Some(agent) = asked.agent.clone() {
            match self.place {
                Place::Team => self.shelf_mut().chosen = Some(agent),
                Place::Needs => self.shelf_mut().chosen = Some(asked.need.clone()),
                _ => {}
            }
        }
        // The choices stand below a screen, and nowhere else.
        self.close_log();
        self.beside = Beside::Screen;
        self.mode = Mode::Answer(asked);
    }

    /// A key while an answer is chosen.
    pub(super) fn answer(&mut self, key: Key) -> Vec<Act> {
        let Mode::Answer(asked) = &mut self.mode else { return Vec::new() };
        let number = match key {
            Key::Esc | Key::Char('q') => {
                self.mode = Mode::Normal;
                return Vec::new();
            }
            Key::Char(c @ '1'..='9') => c as usize - '1' as usize,
            Key::Char('\r') | Key::Enter => {
                let agent = asked.agent.clone();
                self.mode = Mode::Normal;
                return agent.map(Act::Attach).into_iter().collect();
            }
            Key::Up | Key::PageUp | Key::Char('k') => {
                asked.from = asked.from.saturating_sub(1);
                return Vec::new();
            }
            Key::Down | Key::PageDown | Key::Char('j') => {
                // What is drawn goes no further than its end.
                asked.from = (asked.from + 1).min(asked.rows());
                return Vec::new();
            }
            _ => return Vec::new(),
        };
        if let (Some(asks), Some(agent)) = (&asked.asks, &asked.agent)
            && !asks.choices.is_empty()
        {
            let key = u8::try_from(number + 1).ok();
            if !choice_keys(&asks.choices).contains(&key) {
                return Vec::new();
            }
            let body = PaneAnswerBody { choose: (number + 1).to_string(), of: Some(asks.id.clone()) };
            let act = Act::Post(format!("/api/panes/{agent}/answer"), json!(body));
            self.mode = Mode::Normal;
            return vec![act];
        }
        let Some(cure) = asked.cures.get(number).cloned() else { return Vec::new() };
        let Some(path) = cure.path else { return Vec::new() };
        let act = Act::Post(path, cure.body.unwrap_or_else(|| json!({})));
        if cure.asks_first {
            self.mode =
                Mode::Confirm(Confirm { question: format!("{}?", cure.label), command: cure.command, act });
            return Vec::new();
        }
        self.mode = Mode::Normal;
        vec![act]
    }

    /// A key while something is asked about.
    pub(super) fn confirm(&mut self, key: Key) -> Vec<Act> {
        let Mode::Confirm(confirm) = &self.mode else { return Vec::new() };
        match key {
            Key::Char('y' | 'Y') => {
                let act = confirm.act.clone();
                self.mode = Mode::Normal;
                vec![act]
            }
            Key::Char('n' | 'N' | 'q') | Key::Esc => {
                self.mode = Mode::Normal;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}
