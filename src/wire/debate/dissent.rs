//! Who disagrees in the last round, and why: what stands below the heading that the round asks for.

use super::sections::{Section, is_nothing, sections};
use serde::{Deserialize, Serialize};

/// What a role says of the plan that the debate comes to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dissent {
    /// It says that it does not disagree.
    Agrees,
    /// Why it disagrees, in its own Markdown.
    Disagrees(String),
    /// The heading is missing, so nobody knows.
    Unsaid,
}

/// Titles of the section.
const TITLES: &[&str] = &["dissent", "異議", "反対意見"];
/// How a text begins whose writer agrees, in small letters.
const AGREED: &[&str] = &[
    "i agree",
    "i do not disagree",
    "i have no dissent",
    "i have no objection",
    "agree",
    "同意します",
    "計画に同意",
    "最終計画に同意",
    "異議はない",
    "異議ありません",
];
/// Words after which an agreement is none.
const BUT: &[&str] = &[
    "but ",
    "however",
    "except",
    "unless",
    "although",
    "provided that",
    "ただし",
    "しかし",
    "だが",
    "ものの",
];

/// Reads the last section of dissent in a text of the last round.
#[must_use]
pub fn dissent(text: &str) -> Dissent {
    let all = sections(text);
    let Some(at) = all.iter().rposition(|section| section.level > 0 && section.is_about(TITLES)) else {
        return Dissent::Unsaid;
    };
    let why = Section::whole(&all, at);
    let why = why.trim();
    let small = why.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let agrees =
        AGREED.iter().any(|begin| small.starts_with(begin)) && !BUT.iter().any(|but| small.contains(but));
    if agrees || is_nothing(why) { Dissent::Agrees } else { Dissent::Disagrees(why.to_owned()) }
}

/// The text without its last section of dissent, which stands elsewhere in a report.
#[must_use]
pub fn without_dissent(text: &str) -> String {
    let all = sections(text);
    let at = all.iter().rposition(|section| section.level > 0 && section.is_about(TITLES));
    let Some((at, own)) = at.and_then(|at| Some((at, all.get(at)?))) else { return text.to_owned() };
    let behind = all.iter().enumerate().skip(at + 1).find(|(_, section)| section.level <= own.level);
    let behind = behind.map_or(all.len(), |(behind, _)| behind);
    let kept = all.iter().take(at).chain(all.iter().skip(behind));
    kept.fold(String::new(), |text, section| text + section.heading + section.body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_agrees_disagrees_or_says_nothing() {
        for text in [
            "# Plan\nx\n## Dissent\nnone\n",
            "## Dissent\n\n**None.** I agree with the order.\n",
            "### 4. Dissent:\n- None — the plan is sound\n",
            "## 異議\nなし\n",
            "## 異議\n\n特になし（計画に同意します）\n",
            "**Dissent**\nI agree with the final plan.\n",
            "## Dissent\n",
            "## Dissent\nI disagree\n## Dissent\nnone",
            "## 異議\n計画に同意します。",
        ] {
            assert_eq!(dissent(text), Dissent::Agrees, "{text}");
        }
        for (text, why) in [
            (
                "## Dissent\n\nStore the digits.\n\n### Why\n\nRules change.\n\n## End\nx",
                "Store the digits.\n\n### Why\n\nRules change.",
            ),
            ("## Dissent\nNone of the plans keeps the digits.", "None of the plans keeps the digits."),
            ("## Dissent\nI agree, but not with step 2.", "I agree, but not with step 2."),
            ("## 異議\n手順2に同意しません。", "手順2に同意しません。"),
            ("## Dissent\nNo, this is wrong", "No, this is wrong"),
        ] {
            assert_eq!(dissent(text), Dissent::Disagrees(why.to_owned()), "{text}");
        }
        for text in ["", "# Plan\nThere is dissent.", "```\n## Dissent\nnone\n```\n"] {
            assert_eq!(dissent(text), Dissent::Unsaid, "{text}");
        }
    }

    #[test]
    fn the_plan_stands_without_its_dissent() {
        assert_eq!(without_dissent("# Plan\na\n## Dissent\nb\n### c\nd\n## End\ne"), "# Plan\na\n## End\ne");
        assert_eq!(without_dissent("# Plan\n"), "# Plan\n");
    }
}
