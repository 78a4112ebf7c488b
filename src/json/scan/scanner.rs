//! The scanner type: a position in JSON text that skips and validates values.

use std::borrow::Cow;

use super::{key_filter::KeyFilter, members::ObjectMembers, skip::space_end};
use crate::{
    error::{Error, ErrorKind},
    json::{raw::Raw, text::plain_start},
};

/// A position in JSON text. Every step validates what it skips, so nothing is parsed twice.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    pub(super) source: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
    /// The depth that no bracket may exceed.
    limit: usize,
    /// Whether deeper values are skipped rather than rejected.
    lenient: bool,
    /// Whether a deeper value was skipped.
    too_deep: bool,
    pub(super) key_start: usize,
    pub(super) tight: bool,
    /// Whether an object may have repeated a key.
    pub(super) suspect: bool,
    /// Whether the scanner watches for repeated keys in what it skips.
    pub(super) watching: bool,
    /// The keys of the open objects around the current one.
    pub(super) outer_keys: Vec<KeyFilter>,
}

/// The value that stands for a byte after the end. In the text itself, this byte is not valid JSON either.
pub(super) const END: u8 = 0;

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        Self {
            source,
            at: 0,
            depth: 0,
            limit: Raw::MAX_DEPTH,
            lenient: false,
            too_deep: false,
            key_start: 0,
            tight: false,
            suspect: false,
            watching: false,
            outer_keys: Vec::new(),
        }
    }

    /// Creates a scanner that skips values of any depth. It is for text that was parsed before and for text of servers,
    /// where a value that is too deep may not cost those beside it.
    pub fn lenient(source: &'a str) -> Self {
        Self { lenient: true, ..Self::new(source) }
    }

    /// Creates such a scanner that watches for repeated keys in the objects that it skips, for
    /// [`Scanner::take_suspect`].
    pub fn watching(source: &'a str) -> Self {
        Self { watching: true, ..Self::lenient(source) }
    }

    /// Calls `read` for a value that may have at most so many levels. Returns its result, and whether a value that
    /// nests deeper was skipped.
    pub fn within<T>(
        &mut self,
        levels: usize,
        read: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<(T, bool), Error> {
        let outer = std::mem::replace(&mut self.limit, self.depth + levels);
        let value = read(self)?;
        self.limit = outer;
        Ok((value, std::mem::take(&mut self.too_deep)))
    }

    /// Skips a value and returns whether it nests deeper than `levels`.
    pub fn passes_beyond(&mut self, levels: usize) -> bool {
        self.within(levels, Self::pass).is_ok_and(|(_, is_deeper)| is_deeper)
    }

    /// Records that an object repeats a key.
    #[inline(always)]
    pub fn suspect(&mut self, suspect: bool) {
        self.suspect |= suspect;
    }

    /// Adds the key of the current member to those of its object.
    #[inline(always)]
    pub fn note_key(&mut self, members: &ObjectMembers<'_>, keys: &mut KeyFilter) {
        let start = self.key_start + 1;
        let known = keys.add(self.source.as_bytes(), start, start + members.written().len());
        self.suspect |= known || members.has_escapes();
    }

    /// Returns whether an object since the last call may have repeated a key.
    #[inline(always)]
    pub fn take_suspect(&mut self) -> bool {
        std::mem::take(&mut self.suspect)
    }

    /// Skips a value and returns its text.
    pub fn value(&mut self) -> Result<Raw<'a>, Error> {
        let start = self.start();
        self.pass()?;
        Ok(self.since(start))
    }

    /// Skips a value.
    #[inline]
    pub fn pass(&mut self) -> Result<(), Error> {
        // Most values are strings without escapes.
        if self.peek() == b'"'
            && let Some(end) = string_end(self.source.as_bytes(), self.at)
        {
            self.at = end;
            return Ok(());
        }
        self.skip()
    }

    /// Returns whether the last object has no space around its members and no escapes in their keys.
    pub fn tight(&self) -> bool {
        self.tight
    }

    /// Skips a value and returns it as a string. Returns `None` for another kind of value and for invalid Unicode.
    #[inline(always)]
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        match self.plain_text() {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => self.any_text(),
        }
    }

    /// Skips a value like [`Scanner::text`], and returns a string with U+FFFD in place of each lone surrogate.
    #[inline(always)]
    pub fn lossy_text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        match self.plain_text() {
            Some(text) => Ok(Some(Cow::Borrowed(text))),
            None => Ok(self.value()?.lossy_text()),
        }
    }

    /// Skips a string without escapes, which most are, and returns it.
    #[inline(always)]
    fn plain_text(&mut self) -> Option<&'a str> {
        if self.peek() != b'"' {
            return None;
        }
        let end = string_end(self.source.as_bytes(), self.at)?;
        let inner = self.source.get(self.at + 1..end - 1).unwrap_or_default();
        self.at = end;
        Some(inner)
    }

    #[inline(never)]
    fn any_text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        Ok(self.value()?.text())
    }

    /// Skips space and returns the byte after it, or zero at the end.
    #[inline(always)]
    pub fn first(&mut self) -> u8 {
        self.peek()
    }

    /// Skips space and returns the position after it.
    #[inline(always)]
    pub fn start(&mut self) -> usize {
        self.peek();
        self.at
    }

    /// Returns the current position, which is the end of what was last skipped.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the remaining text.
    pub fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// Returns the number of remaining bytes.
    pub fn left(&self) -> usize {
        self.source.len() - self.at
    }

    /// Returns the start of the key before the value at which [`Scanner::next_member`] stopped.
    pub fn key_start(&self) -> usize {
        self.key_start
    }

    /// Rejects anything but white space.
    pub fn end(&mut self) -> Result<(), Error> {
        self.peek();
        if self.ended() { Ok(()) } else { Err(self.unexpected("trailing characters")) }
    }

    /// Returns the value from `start` to the current position.
    pub fn since(&self, start: usize) -> Raw<'a> {
        // Both positions are next to ASCII characters, so they are character boundaries.
        Raw(self.source.get(start..self.at).unwrap_or_default())
    }

    /// Returns the depth at which [`Scanner::skip_deeper`] skips the next bracket, if values above it have so many levels.
    #[inline(always)]
    pub(super) fn deepest(&self, levels: usize) -> usize {
        self.limit.min(self.depth + levels)
    }

    /// Skips an array or object for which a skipped value has no room left, because it is deep, or too deep.
    #[cold]
    #[inline(never)]
    pub(super) fn skip_deeper(&mut self) -> Result<(), Error> {
        if self.depth < self.limit {
            return self.skip();
        }
        if !self.lenient {
            return Err(self.nests_too_deep());
        }
        self.too_deep = true;
        self.skip_any_depth()
    }

    #[cold]
    #[inline(never)]
    fn nests_too_deep(&self) -> Error {
        let message = format!("JSON nests deeper than {} levels", self.limit);
        Error::new(ErrorKind::Json, message).at_byte(self.at)
    }

    pub(super) fn open(&mut self) -> Result<(), Error> {
        if self.depth == self.limit {
            return Err(self.nests_too_deep());
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    pub(super) fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Skips a key and its colon. Adds the key to `keys`, and returns whether it may be there already. A key with
    /// escapes has other spellings, so it always may.
    pub(super) fn member(&mut self, keys: &mut KeyFilter) -> Result<bool, Error> {
        self.peek();
        let start = self.at + 1;
        let escaped = self.key()?;
        let known = escaped || keys.add(self.source.as_bytes(), start, self.at - 1);
        self.colon()?;
        Ok(known)
    }

    /// Skips a key. Returns whether it contains escapes.
    pub(super) fn key(&mut self) -> Result<bool, Error> {
        match self.byte() {
            b'"' => self.string(),
            _ if self.ended() => Err(self.unclosed(b'}')),
            _ => Err(self.unexpected("key must be a string")),
        }
    }

    pub(super) fn colon(&mut self) -> Result<(), Error> {
        match self.peek() {
            b':' => self.at += 1,
            _ if self.ended() => return Err(self.unclosed(b'}')),
            _ => return Err(self.unexpected("expected `:`")),
        }
        Ok(())
    }

    /// Skips white space and returns the next byte.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> u8 {
        let next = self.byte();
        if next > b' ' { next } else { self.pass_space() }
    }

    #[inline(never)]
    fn pass_space(&mut self) -> u8 {
        self.at = space_end(self.source.as_bytes(), self.at);
        self.byte()
    }

    /// Returns the next byte, or [`END`]. An `Option` would be passed through memory.
    #[inline(always)]
    pub(super) fn byte(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    #[inline]
    pub(super) fn next(&mut self) -> u8 {
        let byte = self.byte();
        self.at += usize::from(!self.ended());
        byte
    }

    #[inline(always)]
    pub(super) fn ended(&self) -> bool {
        self.at >= self.source.len()
    }
}

/// Returns the position after the string whose quote is at `at`. Returns `None` if it contains escapes or is not a
/// string.
#[inline(always)]
pub(super) fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inner = bytes.get(at + 1..)?;
    let length = plain_start(inner);
    (inner.get(length) == Some(&b'"')).then_some(at + length + 2)
}
