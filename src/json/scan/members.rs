//! Iteration over the members of an object.

use std::borrow::Cow;

use super::scanner::{Scanner, string_end};
use crate::{error::Error, json::text};

/// The state of an iteration over the members of an object, by [`Scanner::next_member`].
#[derive(Debug)]
pub(crate) struct ObjectMembers<'a> {
    /// The key as written, without its quotes.
    key: &'a str,
    /// The unescaped key, if the key has escapes and is valid Unicode.
    unescaped: Option<String>,
    escaped: bool,
    begun: bool,
    tight: bool,
}

impl<'a> ObjectMembers<'a> {
    /// Returns the key of the member, or `None` if it is not valid Unicode.
    #[inline(always)]
    pub fn key(&self) -> Option<&str> {
        if self.escaped { self.unescaped.as_deref() } else { Some(self.key) }
    }

    /// Returns whether the key has escapes.
    pub(super) fn has_escapes(&self) -> bool {
        self.escaped
    }

    /// Returns the key as it is written, without its quotes.
    pub fn written(&self) -> &'a str {
        self.key
    }

    /// Returns the key with the lifetime of the text.
    pub fn kept_key(&self) -> Option<Cow<'a, str>> {
        if self.escaped { self.unescaped.clone().map(Cow::Owned) } else { Some(Cow::Borrowed(self.key)) }
    }
}

impl<'a> Scanner<'a> {
    /// Skips the opening brace of an object, for [`Scanner::next_member`]. For any other value, skips nothing and
    /// returns `None`.
    pub fn open_object(&mut self) -> Result<Option<ObjectMembers<'a>>, Error> {
        if self.peek() != b'{' {
            return Ok(None);
        }
        self.open()?;
        Ok(Some(ObjectMembers { key: "", unescaped: None, escaped: false, begun: false, tight: true }))
    }

    /// Skips the key and colon of the next member. The caller then skips the value. Skips the closing brace and returns
    /// false if there is no other member.
    pub fn next_member(&mut self, members: &mut ObjectMembers<'a>) -> Result<bool, Error> {
        // The position of the next character if there is no space.
        let mut close_by = self.at;
        let mut next = self.peek();
        if next == b'}' {
            members.tight &= !members.begun || self.at == close_by;
            self.close();
            self.tight = members.tight;
            return Ok(false);
        }
        if members.begun {
            if next != b',' {
                return Err(self.unclosed(b'}'));
            }
            members.tight &= self.at == close_by;
            self.at += 1;
            close_by = self.at;
            next = self.peek();
        }
        members.begun = true;
        let start = self.at;
        members.tight &= start == close_by;
        // Most keys have no escapes and are followed by their colon.
        let escaped = if next == b'"'
            && let Some(end) = string_end(self.source.as_bytes(), start)
        {
            self.at = end;
            false
        } else {
            self.key()?
        };
        members.key = self.source.get(start + 1..self.at - 1).unwrap_or_default();
        members.escaped = escaped;
        if escaped {
            members.unescaped = text::unescape(members.key).map(Cow::into_owned);
        }
        if self.byte() == b':' && !escaped {
            self.at += 1;
        } else {
            members.tight = false;
            self.colon()?;
        }
        members.tight &= self.byte() > b' ';
        self.key_start = start;
        Ok(true)
    }
}
