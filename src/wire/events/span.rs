//! JSON taken apart without being read: which bytes are which value. `serde_json` finds the end of each value, so all
//! that is known here are the brackets, commas and colons between them.

use serde::de::{Error as _, IgnoredAny};
use serde_json::{Deserializer, Error};

/// The only bytes that JSON lets stand between its pieces.
const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

/// An array or an object of which the front is read off, piece by piece.
pub(super) struct List<'a> {
    rest: &'a str,
    close: char,
    begun: bool,
}

impl<'a> List<'a> {
    /// The items of an array.
    pub(super) fn array(text: &'a str) -> Result<Self, Error> {
        Self::open(text, '[', ']')
    }

    /// The members of an object.
    pub(super) fn object(text: &'a str) -> Result<Self, Error> {
        Self::open(text, '{', '}')
    }

    /// The text of the next item; none after the last one.
    pub(super) fn item(&mut self) -> Result<Option<&'a str>, Error> {
        if self.more()? { self.value().map(Some) } else { Ok(None) }
    }

    /// The name, as it is written within its quotes, and the text of the value of the next member.
    pub(super) fn member(&mut self) -> Result<Option<(&'a str, &'a str)>, Error> {
        if !self.more()? {
            return Ok(None);
        }
        let name = unquoted(self.value()?).ok_or_else(|| flaw("a member's name is not in quotes"))?;
        if !self.eat(':') {
            return Err(flaw("`:` is missing after a member's name"));
        }
        Ok(Some((name, self.value()?)))
    }

    fn open(text: &'a str, open: char, close: char) -> Result<Self, Error> {
        let mut list = Self { rest: text, close, begun: false };
        if list.eat(open) { Ok(list) } else { Err(flaw(format!("`{open}` is missing at its beginning"))) }
    }

    /// Whether another value follows. After the closing bracket nothing may.
    fn more(&mut self) -> Result<bool, Error> {
        if self.eat(self.close) {
            let end = self.rest.trim_start_matches(BLANKS).is_empty();
            return if end { Ok(false) } else { Err(flaw(format!("more follows after `{}`", self.close))) };
        }
        if self.begun && !self.eat(',') {
            return Err(flaw(format!("`,` or `{}` is missing", self.close)));
        }
        self.begun = true;
        Ok(true)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let rest = self.rest.trim_start_matches(BLANKS).strip_prefix(wanted);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn value(&mut self) -> Result<&'a str, Error> {
        let text = self.rest.trim_start_matches(BLANKS);
        let mut values = Deserializer::from_str(text).into_iter::<IgnoredAny>();
        values.next().unwrap_or_else(|| Err(flaw("it ends too early")))?;
        let cut = text.split_at_checked(values.byte_offset());
        let (value, rest) = cut.ok_or_else(|| flaw("it ends too early"))?;
        self.rest = rest;
        Ok(value)
    }
}

/// The texts of these members of an object, which is read to its end.
pub(super) fn members<'a, const N: usize>(
    object: &'a str,
    wanted: [&str; N],
) -> Result<[Option<&'a str>; N], Error> {
    let mut found = [None; N];
    let mut list = List::object(object)?;
    while let Some((name, value)) = list.member()? {
        let slot = wanted.iter().zip(&mut found).find(|(wanted, _)| **wanted == name);
        if slot.is_some_and(|(_, slot)| slot.replace(value).is_some()) {
            return Err(flaw(format!("`{name}` is there twice")));
        }
    }
    Ok(found)
}

/// What stands between the quotes of a text, with its escapes.
pub(super) fn unquoted(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"')
}

/// An error in words.
pub(super) fn flaw(why: impl std::fmt::Display) -> Error {
    Error::custom(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Result<Vec<&str>, String> {
        let mut list = List::array(text).map_err(|error| error.to_string())?;
        let mut items = Vec::new();
        while let Some(item) = list.item().map_err(|error| error.to_string())? {
            items.push(item);
        }
        Ok(items)
    }

    #[test]
    fn values_are_cut_where_they_end() {
        assert_eq!(items("[]"), Ok(vec![]));
        assert_eq!(items(" [ ] "), Ok(vec![]));
        assert_eq!(
            items(r#"[1, -2.5e3,"a,]\"b" ,[[],{}],{"]":","},null,true]"#),
            Ok(vec!["1", "-2.5e3", r#""a,]\"b""#, "[[],{}]", r#"{"]":","}"#, "null", "true"])
        );
        assert_eq!(items("[\"襷🏃\"]"), Ok(vec!["\"襷🏃\""]));
    }

    #[test]
    fn what_is_not_json_is_seen() {
        for bad in
            ["", "[", "]", "{}", "[1", "[1 2]", "[1,]", "[,1]", "[1]x", "[1]]", "[tru]", "[\"a]", "[1]\u{a0}"]
        {
            assert!(items(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn members_are_found_by_their_names_alone() {
        let text = r#"{"a":{"x":1},"s":"\"x\":2", "x" : [3] ,"y":4}"#;
        assert_eq!(members(text, ["x", "z", "a"]).unwrap(), [Some("[3]"), None, Some(r#"{"x":1}"#)]);
        for bad in
            ["{x:1}", r#"{"a" 1}"#, r#"{"a":}"#, r#"{"a":1 "x":2}"#, "{1:2}", r#"{"x":1,"x":1}"#, r#"{"x":1"#]
        {
            assert!(members(bad, ["x"]).is_err(), "{bad}");
        }
    }
}
