//! In which language a debate is held: that of its task.

use crate::wire::team_file::Language;

/// Pairs of signs between which a text of another language may stand, such as a message that is to be translated.
const QUOTES: [(char, char); 6] =
    [('`', '`'), ('"', '"'), ('“', '”'), ('「', '」'), ('『', '』'), ('«', '»')];

/// The language of a task. Kana are Japanese, but for a few among many words in Latin letters, and so is a text that is mostly in
/// Chinese characters without a letter of Hangul. Any other is told in English. What stands in quotes counts only where nothing
/// stands outside of them.
#[must_use]
pub fn of(task: &str) -> Language {
    let outside = outside_of_quotes(task);
    let counted = if outside.chars().any(char::is_alphabetic) { &outside } else { task };
    if is_japanese(counted) { Language::Japanese } else { Language::English }
}

fn is_japanese(text: &str) -> bool {
    let (mut letters, mut characters, mut has_kana) = (0_usize, 0_usize, false);
    for c in text.chars() {
        match c {
            // Hiragana, katakana and their half-width forms, without the middle dot that other languages use too.
            '\u{3041}'..='\u{309F}'
            | '\u{30A1}'..='\u{30FA}'
            | '\u{30FD}'..='\u{30FF}'
            | '\u{FF66}'..='\u{FF9F}' => has_kana = true,
            // Hangul.
            '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7A3}' if !has_kana => {
                return false;
            }
            '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => characters += 1,
            _ if c.is_alphabetic() => letters += 1,
            _ => {}
        }
    }
    if has_kana { !is_mostly_words(text) } else { characters > letters }
}

/// Whether a text is in words of Latin letters, with a few of another language among them: names of files and the like are no words.
fn is_mostly_words(text: &str) -> bool {
    let is_word = |word: &&str| {
        let word = word.trim_end_matches([',', '.', ':', ';', '?', '!', ')']).trim_start_matches('(');
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '\'' | '’' | '-'))
    };
    let words = text.split_whitespace().filter(is_word).count();
    let others = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
    // A word says as much as two or three of those letters.
    words > others.div_ceil(2)
}

/// The text without what is quoted in one line.
fn outside_of_quotes(text: &str) -> String {
    let mut outside = String::with_capacity(text.len());
    for line in text.lines() {
        let mut rest = line;
        while let Some((before, open, behind)) = first_quote(rest) {
            outside.push_str(before);
            let close = QUOTES.iter().find(|(begin, _)| *begin == open).map_or(open, |(_, end)| *end);
            match behind.split_once(close) {
                Some((_, after)) => rest = after,
                None => {
                    outside.push_str(behind);
                    rest = "";
                }
            }
        }
        outside.push_str(rest);
        outside.push('\n');
    }
    outside
}

fn first_quote(text: &str) -> Option<(&str, char, &str)> {
    let (at, open) = text.char_indices().find(|(_, c)| QUOTES.iter().any(|(begin, _)| begin == c))?;
    Some((text.get(..at)?, open, text.get(at + open.len_utf8()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_task_is_that_of_its_letters_outside_of_quotes() {
        for task in [
            "ユーザー認証を実装する",
            "src/wire/session/plan.rs の read_task を直す",
            "認証方式検討",
            "「認証」を直す `fix the parser`",
            "｢ｶﾅ｣ﾃﾞｽ",
            "「認証」",
            "Rustで書く 🚀",
            "React と Vue のどちらを使う?",
            "Visual Studio Code の拡張を作る",
            "Claude Code Agent SDK を使って、認証を実装するにはどうすればよいですか",
        ] {
            assert_eq!(of(task), Language::Japanese, "{task}");
        }
        for task in [
            "",
            "Implement user authentication system",
            "Translate `ユーザー認証` in src/a.rs",
            "Why does \"こんにちは\" break the parser?",
            "Say 「はい」 in the dialog",
            "사용자 인증을 구현한다",
            "Rename the label 保存する in the settings page, and test it.",
            "We should say 保存する there",
            "한국어로 認證方式檢討 작성",
            "Add 認証 to the list of words",
            "🚀🚀🚀",
        ] {
            assert_eq!(of(task), Language::English, "{task}");
        }
        assert_eq!(of(&"「".repeat(100_000)), Language::English);
    }
}
