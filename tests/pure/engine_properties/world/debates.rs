//! Debates: opened by people, and spoken in by those who are hired for it.

use super::{World, agent};
use crate::engine::make::name;
use tasuki::engine::flow::branch::BranchName;
use tasuki::engine::flow::debate::{Debate, DebateBudget, DebateRole, RoleId};
use tasuki::engine::flow::debating::DebateStage;
use tasuki::engine::flow::opening::Opening;
use tasuki::engine::flow::speaking::Told;
use tasuki::engine::flow::spent::SpeechCost;
use tasuki::engine::flow::tree::FlowRepository;
use tasuki::engine::input::Command;
use tasuki::engine::message::Body;
use tasuki::engine::words::{AgentName, Token};

impl World {
    /// Opens a debate of one to three roles, with as many of these as there are numbers.
    pub(super) fn open_debate(&mut self, roles: &[u8], how: u8) -> Result<(), String> {
        let (number, id) = self.new_flow();
        let role = |id: &str| DebateRole {
            id: RoleId::new(id).expect("an id"),
            name: format!("the {id}"),
            provider: "claude".to_owned(),
            model: None,
        };
        let bits = roles.iter().fold(how, |all, bits| all.rotate_left(3) ^ bits);
        let tokens = bits.is_multiple_of(4).then(|| u64::from(bits / 4 % 2) * 60);
        let budget = DebateBudget { tokens, ..DebateBudget::default() };
        let debate = Debate {
            roles: ["qa", "ops", "dev"].into_iter().take(roles.len()).map(role).collect(),
            rounds: 2 + bits % 3,
            timeout_ms: 100_000,
            keep: bits % 8 == 1,
            budget,
            baseline: (bits % 8 < 3).then(|| Box::new(role("alone"))),
        };
        let body = |content: String| Body { content: content.into(), extra: "".into() };
        let told = |round, role: &DebateRole| {
            let text = body(format!("{number}: round {round}, {}", role.id));
            Told { text, env: Default::default() }
        };
        let (root, base) = ("/r".to_owned(), "c0ffee".to_owned());
        let repository = Box::new(FlowRepository { root, base, branch: None });
        let (owner, parallel) = (name("user"), u16::from(bits / 8 % 4));
        let of = (id, owner, "何".to_owned());
        let opening = Opening::of_debate(debate, of, (repository, parallel), body("何？".to_owned()), told);
        self.ask(Command::OpenFlow(Box::new(opening.expect("names"))))
    }

    /// Somebody of the team, or at times of those who are hired to speak.
    pub(super) fn somebody(&self, number: u8) -> AgentName {
        let hired: Vec<&AgentName> = self.workers.keys().filter(|name| is_speaker(name)).collect();
        let speaks = number.is_multiple_of(4) && !hired.is_empty();
        if speaks { hired[usize::from(number / 4) % hired.len()].clone() } else { agent(number) }
    }

    /// What a speaker says that its answer took: at times that it has nothing new to say.
    pub(super) fn spent(&self, token: Token) -> Option<Box<SpeechCost>> {
        let _ = self.owner(token).filter(is_speaker)?;
        Some(Box::new(SpeechCost { tokens: 25, cost_micro_usd: 1, no_news: self.fresh.is_multiple_of(2) }))
    }

    /// Says how debates have ended.
    pub(super) fn tell_debates(&mut self) {
        for flow in self.engine.state().flows.values() {
            let how = match flow.debate_stage() {
                Some(DebateStage::Completed) => "a debate is completed",
                Some(DebateStage::Failed(_)) => "a debate has failed",
                Some(DebateStage::Cancelled) => "a debate is called off",
                _ => continue,
            };
            self.told += how;
            self.told.push('\n');
        }
    }
}

fn is_speaker(name: &AgentName) -> bool {
    BranchName::new(name.as_str()).is_ok_and(|name| name.speech().is_some())
}
