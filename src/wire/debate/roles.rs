//! The built-in roles of a debate, each with a system prompt in English and in Japanese.

use crate::wire::team_file::Language;

/// A role that needs no prompt of its own in a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuiltInRole {
    /// How a request names it.
    pub id: &'static str,
    names: [&'static str; 2],
    prompts: [&'static str; 2],
}

impl BuiltInRole {
    /// How people call it, such as `System Architect`.
    #[must_use]
    pub fn name(&self, language: Language) -> &'static str {
        by(language, self.names)
    }

    /// What it is told of itself before each round, without an end of line behind it.
    #[must_use]
    pub fn system_prompt(&self, language: Language) -> &'static str {
        by(language, self.prompts).trim_end()
    }
}

fn by(language: Language, [english, japanese]: [&'static str; 2]) -> &'static str {
    match language {
        Language::English => english,
        Language::Japanese => japanese,
    }
}

macro_rules! roles {
    ($($id:literal, $english:literal, $japanese:literal;)*) => {
        /// Every built-in role.
        pub const BUILT_IN: &[BuiltInRole] = &[$(BuiltInRole {
            id: $id,
            names: [$english, $japanese],
            prompts: [
                include_str!(concat!("../../../protocol/prompts/debate/en/", $id, ".md")),
                include_str!(concat!("../../../protocol/prompts/debate/ja/", $id, ".md")),
            ],
        },)*];
    };
}

roles! {
    "architect", "System Architect", "システムアーキテクト";
    "security", "Security Expert", "セキュリティ専門家";
    "qa", "QA Engineer", "QAエンジニア";
    "developer", "Developer", "開発者";
    "performance", "Performance Engineer", "性能エンジニア";
    "product", "Product Manager", "プロダクトマネージャー";
}

/// The built-in role that a request calls by this id.
#[must_use]
pub fn built_in(id: &str) -> Option<&'static BuiltInRole> {
    BUILT_IN.iter().find(|role| role.id == id)
}

/// The ids of all built-in roles, for a sentence.
#[must_use]
pub fn built_in_ids() -> String {
    BUILT_IN.iter().map(|role| role.id).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::language;
    use super::*;

    #[test]
    fn each_role_has_a_prompt_of_its_own_in_both_languages() {
        let mut all = Vec::new();
        for role in BUILT_IN {
            for language in [Language::English, Language::Japanese] {
                let prompt = role.system_prompt(language);
                assert_eq!(language::of(prompt), language, "{}", role.id);
                let lines = prompt.lines().count();
                assert!((8..=15).contains(&lines), "{} {language:?}: {lines} lines", role.id);
                all.extend([prompt, role.name(language)]);
            }
        }
        let number = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!((all.len(), number), (24, 24));
        assert_eq!(built_in("qa").map(|role| role.name(Language::English)), Some("QA Engineer"));
        assert_eq!(built_in("QA"), None);
    }
}
