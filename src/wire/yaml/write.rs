//! YAML as we write it, in the forms that libyaml and PyYAML read as it is meant: every text comes back byte for byte.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_saphyr::{DoubleQuoted, LitStr};

/// YAML of anything whose parts can be shown. It cannot fail for the types of this crate; if it ever did, the file would say so.
pub(in crate::wire) fn yaml(value: &impl Serialize) -> String {
    // Blocks are chosen by `Prose` alone: left to itself the serializer writes some that libyaml does not read.
    let options = serde_saphyr::ser_options! { prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(value, options)
        .unwrap_or_else(|error| format!("# this cannot be shown: {}\n", error.to_string().escape_debug()))
}

/// A text that may have many lines: a block where every reader takes it as it is, else in double quotes.
pub(in crate::wire) struct Prose<'a>(pub(in crate::wire) &'a str);

impl Prose<'_> {
    /// libyaml refuses a block whose line begins with a tab, or that begins with a line of blanks; and it takes NEL, LS and
    /// PS for line ends. A line of blanks alone is lost by some readers, trailing ones by editors.
    fn fits_a_block(&self) -> bool {
        let line = |line: &str| !line.starts_with('\t') && (line.is_empty() || !line.trim().is_empty());
        let plain = |c: char| {
            c == '\n'
                || c == '\t'
                || !(c.is_control()
                    || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'))
        };
        self.0.chars().all(plain) && self.0.lines().all(line) && !self.0.starts_with(['\n', ' '])
    }
}

impl Serialize for Prose<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            text if !text.contains('\n') => serializer.serialize_str(text),
            text if self.fits_a_block() => LitStr(text).serialize(serializer),
            text => DoubleQuoted(text).serialize(serializer),
        }
    }
}

/// A map that leaves out what is not there.
pub(in crate::wire) struct Entries<M>(pub(in crate::wire) M);

impl<M: SerializeMap> Entries<M> {
    pub(in crate::wire) fn entry(
        &mut self,
        key: &str,
        value: &(impl Serialize + ?Sized),
    ) -> Result<(), M::Error> {
        self.0.serialize_entry(key, value)
    }

    pub(in crate::wire) fn some(&mut self, key: &str, value: Option<impl Serialize>) -> Result<(), M::Error> {
        value.map_or(Ok(()), |value| self.entry(key, &value))
    }

    pub(in crate::wire) fn unless<T: Serialize + Default + PartialEq>(
        &mut self,
        key: &str,
        value: T,
    ) -> Result<(), M::Error> {
        if value == T::default() { Ok(()) } else { self.entry(key, &value) }
    }

    pub(in crate::wire) fn list(&mut self, key: &str, items: &[impl Serialize]) -> Result<(), M::Error> {
        if items.is_empty() { Ok(()) } else { self.entry(key, items) }
    }
}
