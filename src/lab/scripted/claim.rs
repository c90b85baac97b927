//! The phrase, and the forms in which an agent says done or lies about it. Pure.

use super::action::Claim;
use crate::engine::screen::marker::check_phrase;
use crate::engine::words::Token;
use crate::lab::chance::Chance;

/// What is in place of a token that a text would have put beside the phrase.
const NOT_HERE: &str = "······";

/// The phrase (合言葉) that is agreed for this agent.
#[derive(Debug, Clone)]
pub(super) struct Phrase(String);

impl Phrase {
    /// Checks a phrase.
    ///
    /// # Errors
    /// A sentence that says what is wrong.
    pub(super) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        check_phrase(text).map_err(|why| format!("the phrase {text:?} {why}"))?;
        Ok(Self(text.to_owned()))
    }

    /// `text` without a claim in it: only the action `claim` says done, so that a script shows where it is said.
    pub(super) fn keep_from_claiming(&self, text: &str, token: Option<&Token>) -> String {
        let Some(token) = token.map(Token::as_str) else { return text.to_owned() };
        let mut kept = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(&self.0) {
            let (before, after) = rest.split_at(at + self.0.len());
            kept.push_str(before);
            rest = after;
            let gap = after.len() - after.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
            if let Some(after_token) = after.get(gap..).and_then(|after| after.strip_prefix(token)) {
                kept.extend([after.get(..gap).unwrap_or_default(), NOT_HERE]);
                rest = after_token;
            }
        }
        kept + rest
    }

    /// The phrase, and the token behind it.
    pub(super) fn with(&self, token: Option<&Token>) -> String {
        match token {
            Some(token) => format!("{} {token}", self.0),
            None => self.0.clone(),
        }
    }

    /// The lines that say done in this form. `stale` is the token of the turn before; a task without a token is
    /// claimed with the phrase alone.
    pub(super) fn lines(
        &self,
        form: Claim,
        token: Option<&Token>,
        stale: Option<&Token>,
        chance: &mut Chance,
    ) -> Vec<String> {
        let phrase = &self.0;
        let with = |token: Option<&Token>| self.with(token);
        let done = with(token);
        match form {
            // What is drawn differs only in how it comes to stand there.
            Claim::Now | Claim::Early | Claim::Drawn => vec![done],
            Claim::Never => Vec::new(),
            Claim::Wrong => vec![with(Some(&made_up(token, chance)))],
            Claim::Stale => {
                let old = stale.filter(|old| Some(*old) != token).copied();
                vec![with(Some(&old.unwrap_or_else(|| made_up(token, chance))))]
            }
            Claim::Twice => vec![done.clone(), done],
            Claim::Prose => vec![format!("When all of it is done I shall print {done} and wait.")],
            Claim::Quoted => vec![format!("> {done}")],
            Claim::Split => {
                [Some(phrase.clone()), token.map(Token::to_string)].into_iter().flatten().collect()
            }
            Claim::Dressed => vec![format!("● **{done}**.")],
        }
    }
}

/// A token that is well formed and not `token`.
fn made_up(token: Option<&Token>, chance: &mut Chance) -> Token {
    loop {
        let other = Token::mint(chance.next());
        if Some(&other) != token {
            return other;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(form: Claim, stale: Option<&str>) -> Vec<String> {
        let token = Token::new("k7qf2m").expect("a token");
        let stale = stale.map(|text| Token::new(text).expect("a token"));
        let phrase = Phrase::new(" 完了 OK ").expect("a phrase");
        phrase.lines(form, Some(&token), stale.as_ref(), &mut Chance::new(1))
    }

    #[test]
    fn each_form_is_what_its_name_says() {
        assert_eq!(said(Claim::Now, None), ["完了 OK k7qf2m"]);
        assert_eq!(said(Claim::Early, None), ["完了 OK k7qf2m"]);
        assert_eq!(said(Claim::Never, None), [""; 0]);
        assert_eq!(said(Claim::Stale, Some("abcde1")), ["完了 OK abcde1"]);
        assert_eq!(said(Claim::Twice, None), ["完了 OK k7qf2m", "完了 OK k7qf2m"]);
        assert_eq!(
            said(Claim::Prose, None),
            ["When all of it is done I shall print 完了 OK k7qf2m and wait."]
        );
        assert_eq!(said(Claim::Quoted, None), ["> 完了 OK k7qf2m"]);
        assert_eq!(said(Claim::Split, None), ["完了 OK", "k7qf2m"]);
        assert_eq!(said(Claim::Dressed, None), ["● **完了 OK k7qf2m**."]);
        assert_eq!(said(Claim::Drawn, None), ["完了 OK k7qf2m"]);
        for lie in [said(Claim::Wrong, None), said(Claim::Stale, None), said(Claim::Stale, Some("k7qf2m"))] {
            let token = lie[0].strip_prefix("完了 OK ").expect("the phrase first");
            assert!(token != "k7qf2m" && Token::new(token).is_ok(), "{lie:?}");
        }
    }

    #[test]
    fn a_text_never_claims() {
        let phrase = Phrase::new("OK").expect("a phrase");
        let token = Token::new("k7qf2m").expect("a token");
        let check = |text: &str, kept: &str| assert_eq!(phrase.keep_from_claiming(text, Some(&token)), kept);
        check("OK k7qf2m", "OK ······");
        check("OK\n  **k7qf2m** OKk7qf2m OK", "OK\n  **······** OK······ OK");
        check("OK and k7qf2m, k7qf2m OK 日本", "OK and k7qf2m, k7qf2m OK 日本");
        assert_eq!(phrase.keep_from_claiming("OK k7qf2m", None), "OK k7qf2m");
    }

    #[test]
    fn a_phrase_is_one_short_line() {
        for bad in ["", "  ", "a\nb", "a\x1b[0m", "**", &"x".repeat(101)] {
            assert!(Phrase::new(bad).is_err(), "{bad:?}");
        }
    }
}
