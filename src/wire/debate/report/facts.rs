//! What both forms of a report count and conclude.

use super::super::dissent::{Dissent, dissent};
use super::super::shorten::grouped;
use super::form::{DebateReport, ReportCell, ReportRound};
use super::words::Words;
use crate::engine::flow::spent::usd;
use crate::wire::time::write_duration;
use std::collections::{BTreeMap, BTreeSet};

/// What a role says of the final plan.
pub(super) struct Stand<'a> {
    pub(super) cell: &'a ReportCell<'a>,
    pub(super) dissent: Dissent,
}

pub(super) struct Facts<'a> {
    /// What each role says that has a final plan, in the order of the roles.
    pub(super) stands: Vec<Stand<'a>>,
    /// Places that exist and that several final plans cite, with how many.
    pub(super) common: Vec<(String, usize)>,
    /// Round, role and reason; round 0 is the baseline.
    pub(super) failures: Vec<(u8, &'a str, &'a str)>,
    cited: usize,
    there: usize,
}

impl<'a> Facts<'a> {
    pub(super) fn of(report: &'a DebateReport<'a>) -> Self {
        let mut facts =
            Self { stands: Vec::new(), common: Vec::new(), failures: Vec::new(), cited: 0, there: 0 };
        for (round, cell) in
            report.rounds.iter().flat_map(|of| of.cells.iter().map(move |cell| (of.round, cell)))
        {
            facts.cited += cell.citations.len();
            facts.there += cell.citations.iter().filter(|one| one.missing.is_none()).count();
            if let Some(error) = cell.output.failure() {
                facts.failures.push((round, &cell.output.role, error));
            }
        }
        // Round 0 is that of whoever was asked alone.
        let alone =
            report.baseline.iter().filter_map(|cell| Some((0, &*cell.output.role, cell.output.failure()?)));
        facts.failures.extend(alone);
        let last = report.rounds.last().filter(|round| is_last(report, round));
        let plans = last.iter().flat_map(|round| &round.cells).filter(|cell| cell.output.error.is_none());
        facts.stands = plans.map(|cell| Stand { cell, dissent: dissent(&cell.output.proposal) }).collect();
        let mut common: BTreeMap<String, usize> = BTreeMap::new();
        for stand in &facts.stands {
            let there = stand.cell.citations.iter().filter(|one| one.missing.is_none());
            let places: BTreeSet<String> = there.map(|one| one.citation.to_string()).collect();
            places.into_iter().for_each(|place| *common.entry(place).or_default() += 1);
        }
        facts.common = common.into_iter().filter(|(_, plans)| *plans > 1).collect();
        facts
    }

    /// Whether there is a final plan, and how many stand by it.
    pub(super) fn verdict(&self, report: &DebateReport<'_>) -> String {
        let all = self.stands.len();
        let agree = self.stands.iter().filter(|stand| stand.dissent == Dissent::Agrees).count();
        let unsaid = self.stands.iter().filter(|stand| stand.dissent == Dissent::Unsaid).count();
        let words = Words::of(report);
        let silent = match unsaid {
            0 => String::new(),
            _ => words.say(format!("; {unsaid} did not say"), format!("（{unsaid} 名は言及なし）")),
        };
        match (all, agree) {
            (0, _) if report.is_settled_early => {
                let last = report.rounds.last().map_or(0, |round| round.round);
                words.say(
                    format!("round {last} brought no objection and no new proposal, so the proposals stand"),
                    format!("第 {last} ラウンドに異議も新しい提案もなかったため、それまでの提案のまま"),
                )
            }
            (0, _) => words.say("there is no final plan", "最終案なし").to_owned(),
            (1, 1) => words.say("one role alone has a final plan", "最終案は一つの役割だけ").to_owned(),
            _ if agree == all => words.say(format!("all {all} agree"), format!("{all} 名全員が合意")),
            _ => words.say(
                format!("{agree} of {all} agree{silent}"),
                format!("{all} 名中 {agree} 名が合意{silent}"),
            ),
        }
    }

    /// Which rounds were left out, and why; none if all were held.
    pub(super) fn left_out(&self, report: &DebateReport<'_>) -> Option<String> {
        let held: BTreeSet<u8> = report.rounds.iter().map(|round| round.round).collect();
        let left_out: Vec<u8> = (1..=report.head.rounds).filter(|round| !held.contains(round)).collect();
        let before = left_out.first()?.checked_sub(1).filter(|_| report.is_settled_early)?;
        let (s, rounds) = (
            if left_out.len() == 1 { "" } else { "s" },
            left_out.iter().map(u8::to_string).collect::<Vec<_>>().join(", "),
        );
        Some(Words::of(report).say(
            format!(
                "Round {before} brought no objection and no new proposal, so round{s} {rounds} {} left out.",
                if left_out.len() == 1 { "was" } else { "were" }
            ),
            format!("第 {before} ラウンドに異議も新しい提案もなかったため、第 {rounds} ラウンドは省かれた。"),
        ))
    }

    /// The figures of the whole, each with what it counts.
    pub(super) fn figures(&self, report: &DebateReport<'_>) -> Vec<(String, String)> {
        let roles = &report.head.roles;
        let vendors: BTreeSet<&str> = roles.iter().filter_map(|role| role.provider.as_deref()).collect();
        let words = Words::of(report);
        let of = |number: usize, [one, many]: [&str; 2], japanese: &str| {
            let english = if number == 1 { one } else { many };
            (grouped(number), words.say(english, japanese).to_owned())
        };
        let mut figures = vec![of(roles.len(), ["role", "roles"], "役割")];
        if vendors.len() > 1 {
            figures.push(of(vendors.len(), ["provider", "providers"], "プロバイダー"));
        }
        let (held, all) = (report.rounds.len(), usize::from(report.head.rounds));
        figures.push(match held < all {
            true => {
                (words.part(&held.to_string(), &all.to_string()), words.say("rounds", "ラウンド").to_owned())
            }
            false => of(held, ["round", "rounds"], "ラウンド"),
        });
        let budget = &report.head.budget;
        let bounded = |number: String, most: Option<String>| match most {
            Some(most) => words.part(&number, &most),
            None => number,
        };
        let minutes = budget.minutes.map(|most| write_duration(most.saturating_mul(60_000)));
        figures.push((bounded(write_duration(report.ms / 1_000 * 1_000), minutes), String::new()));
        let number = |number: u64| grouped(usize::try_from(number).unwrap_or(usize::MAX));
        if report.spent.tokens > 0 || budget.tokens.is_some() {
            let tokens = bounded(number(report.spent.tokens), budget.tokens.map(number));
            figures.push((tokens, words.say("tokens", "トークン").to_owned()));
        }
        if report.spent.cost_micro_usd > 0 || budget.cost_micro_usd.is_some() {
            let cost = bounded(usd(report.spent.cost_micro_usd), budget.cost_micro_usd.map(usd));
            figures.push((cost, String::new()));
        }
        if self.cited > 0 {
            let part = words.part(&self.there.to_string(), &self.cited.to_string());
            figures.push((part, words.say("cited places exist", "引用箇所が実在").to_owned()));
        }
        if !self.failures.is_empty() {
            figures.push((grouped(self.failures.len()), words.say("failed", "失敗").to_owned()));
        }
        figures
    }
}

/// Whether a round is the one that makes final plans.
pub(super) fn is_last(report: &DebateReport<'_>, round: &ReportRound<'_>) -> bool {
    round.round >= report.head.rounds
}

/// What a round is for.
pub(super) fn purpose(report: &DebateReport<'_>, round: &ReportRound<'_>) -> &'static str {
    let words = Words::of(report);
    match round.round {
        1 => words.say("proposals, none sees another", "提案（互いの答えは見えない）"),
        _ if is_last(report, round) => words.say("final plans", "最終案"),
        _ => words.say("critique of what was said before", "それまでの発言への批評"),
    }
}

/// Tokens, time and cost of a role in a round, as far as they are known.
pub(super) fn spent(cell: &ReportCell<'_>, words: Words) -> Vec<String> {
    let output = cell.output;
    let mut spent = Vec::new();
    if output.tokens_used > 0 {
        let tokens = grouped(usize::try_from(output.tokens_used).unwrap_or(usize::MAX));
        spent.push(format!("{tokens} {}", words.say("tokens", "トークン")));
    }
    spent.push(write_duration(output.duration_secs.saturating_mul(1_000)));
    spent.extend(Some(micro(cell)).filter(|micro| *micro > 0).map(usd));
    // What an earlier try took is not known, and neither is what it did.
    let tries = output.tasuki.tries.filter(|tries| *tries > 1);
    spent.extend(tries.map(|tries| words.say(format!("asked {tries} times"), format!("{tries} 回尋ねた"))));
    spent
}

/// The provider and model of a role, for the head of its column.
pub(super) fn program(provider: Option<&str>, model: Option<&str>) -> String {
    [provider, model].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn micro(cell: &ReportCell<'_>) -> u64 {
    // What is no number of dollars becomes 0.
    (cell.output.tasuki.cost_usd.unwrap_or_default() * 1e6).round() as u64
}

/// The longest that a role of the round took, which is what it took if all were at work at the same time.
pub(super) fn longest(round: &ReportRound<'_>) -> String {
    let seconds = round.cells.iter().map(|cell| cell.output.duration_secs).max().unwrap_or_default();
    write_duration(seconds.saturating_mul(1_000))
}
