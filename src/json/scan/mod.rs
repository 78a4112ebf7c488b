//! A scanner for JSON text. It validates everything that it skips, so nothing is parsed twice.

mod refuse;
mod scalar;
mod skip;

use std::borrow::Cow;

use super::{MAX_DEPTH, Members, Raw, text};
use crate::error::{Error, ErrorKind};
use skip::space_end;

/// A position in JSON text. Every step validates what it skips, so nothing is parsed twice.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    key_start: usize,
    tight: bool,
}

/// The value that stands for a byte after the end. In the text itself, this byte is not valid JSON either.
const END: u8 = 0;

/// The members of an object, and those of one of its values.
pub(crate) type MembersAnd<'a> = (Members<'a>, Option<Members<'a>>);

/// A member's name; `None` for one that is not Unicode.
type Key<'a> = Option<Cow<'a, str>>;

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, depth: 0, key_start: 0, tight: false }
    }

    /// Skips a value and returns its text.
    pub fn value(&mut self) -> Result<Raw<'a>, Error> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.since(start))
    }

    /// Skips an array and calls `element` before each of its values. Returns `false`, without skipping anything, for
    /// any other value.
    pub fn elements(
        &mut self,
        element: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if self.peek() != b'[' {
            return Ok(false);
        }
        self.open()?;
        let mut next = self.peek();
        while next != b']' {
            if self.ended() {
                return Err(self.unclosed(b']'));
            }
            element(self)?;
            next = self.peek();
            match next {
                b',' => self.at += 1,
                b']' => {}
                _ => return Err(self.unclosed(b']')),
            }
        }
        self.close();
        Ok(true)
    }

    /// Passes an object, calling `member` with each key in front of its value; false, and nothing passed,
    /// for any other value.
    pub fn object(
        &mut self,
        member: &mut dyn FnMut(&mut Self, Key<'a>) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if self.peek() != b'{' {
            return Ok(false);
        }
        self.open()?;
        // Where the next key stands if there is no space.
        let (mut close_by, mut tight) = (self.at, true);
        let bytes = self.source.as_bytes();
        let mut next = self.peek();
        while next != b'}' {
            next = self.peek();
            let start = self.at;
            tight &= start == close_by;
            // Most keys have no escapes, and their colon behind them.
            let end = string_end(bytes, start).filter(|_| next == b'"');
            let escaped = match end {
                Some(end) => {
                    self.at = end;
                    false
                }
                None => self.key()?,
            };
            let key = self.source.get(start + 1..self.at - 1).unwrap_or_default();
            if self.byte() == b':' && !escaped {
                self.at += 1;
            } else {
                tight = false;
                self.colon()?;
            }
            tight &= self.byte() > b' ';
            self.key_start = start;
            member(self, if escaped { text::unescape(key) } else { Some(Cow::Borrowed(key)) })?;
            close_by = self.at + 1;
            next = self.peek();
            match next {
                b',' => self.at += 1,
                b'}' => tight &= self.at + 1 == close_by,
                _ => return Err(self.unclosed(b'}')),
            }
            // The comma, if it is one, stands where the value ended.
            tight &= next == b'}' || self.at == close_by;
        }
        self.close();
        self.tight = tight;
        Ok(true)
    }

    /// Skips an object if all its values are objects, and returns whether it did. Any other value is not skipped.
    pub fn objects(&mut self) -> Result<bool, Error> {
        let start = self.at;
        if self.peek() != b'{' {
            return Ok(false);
        }
        self.open()?;
        let mut next = self.peek();
        while next == b'"' {
            let mut at = self.at;
            self.pass_key(&mut at)?;
            self.at = at;
            if self.peek() != b'{' {
                break;
            }
            self.skip()?;
            next = self.peek();
            if next == b',' {
                self.at += 1;
                next = self.peek();
                // A comma must not be the last character.
                next = if next == b'}' { END } else { next };
            }
        }
        if next == b'}' {
            self.close();
            return Ok(true);
        }
        // The general parser then reports the problem.
        self.at = start;
        self.depth -= 1;
        Ok(false)
    }

    /// Passes a value and gives its members, if it is an object with keys of Unicode.
    pub fn members(&mut self) -> Result<Option<Members<'a>>, Error> {
        // What a tool usually has.
        let (mut members, mut sound) = (Vec::with_capacity(8), true);
        let is_object = self.object(&mut |scanner, key| {
            let value = scanner.value()?;
            match key {
                Some(key) => members.push((key, value)),
                None => sound = false,
            }
            Ok(())
        })?;
        if !is_object {
            self.skip()?;
        }
        Ok((is_object && sound).then_some(Members(members)))
    }

    /// The same, with the members of the value of `name`, if that is an object too; of a repeated name the last counts.
    pub fn members_and(&mut self, name: &str) -> Result<Option<MembersAnd<'a>>, Error> {
        let (mut members, mut inner, mut sound) = (Vec::with_capacity(8), None, true);
        let is_object = self.object(&mut |scanner, key| {
            let Some(key) = key else {
                sound = false;
                return scanner.skip();
            };
            let start = scanner.start();
            if key == name {
                inner = scanner.members()?;
            } else {
                scanner.skip()?;
            }
            members.push((key, scanner.since(start)));
            Ok(())
        })?;
        if !is_object {
            self.skip()?;
        }
        Ok((is_object && sound).then_some((Members(members), inner)))
    }

    /// Whether the object passed last has no space around its members and no escape in their keys.
    pub fn tight(&self) -> bool {
        self.tight
    }

    /// Skips a value and returns it as a string. Returns `None` for another kind of value and for invalid Unicode.
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        self.peek();
        match string_end(self.source.as_bytes(), self.at).filter(|_| self.byte() == b'"') {
            Some(end) => {
                let inner = self.source.get(self.at + 1..end - 1).unwrap_or_default();
                self.at = end;
                Ok(Some(Cow::Borrowed(inner)))
            }
            None => Ok(super::text(self.value()?)),
        }
    }

    /// Passes space and returns the byte behind it, or zero at the end.
    pub fn first(&mut self) -> u8 {
        self.peek()
    }

    /// Passes space and gives the place behind it.
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

    /// Where the key begins in front of whose value [`Scanner::object`] calls.
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

    fn open(&mut self) -> Result<(), Error> {
        if self.depth == MAX_DEPTH {
            let message = format!("JSON nests deeper than {MAX_DEPTH} levels");
            return Err(Error::new(ErrorKind::Json, message).at_byte(self.at));
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    fn close(&mut self) {
        self.at += 1;
        self.depth -= 1;
    }

    /// Skips a key and its colon.
    fn member(&mut self) -> Result<(), Error> {
        self.peek();
        self.key()?;
        self.colon()
    }

    /// Skips a key. Returns whether it contains escapes.
    fn key(&mut self) -> Result<bool, Error> {
        match self.byte() {
            b'"' => self.string(),
            _ if self.ended() => Err(self.unclosed(b'}')),
            _ => Err(self.unexpected("key must be a string")),
        }
    }

    fn colon(&mut self) -> Result<(), Error> {
        match self.peek() {
            b':' => self.at += 1,
            _ if self.ended() => return Err(self.unclosed(b'}')),
            _ => return Err(self.unexpected("expected `:`")),
        }
        Ok(())
    }

    /// Skips white space and returns the next byte.
    #[inline(always)]
    fn peek(&mut self) -> u8 {
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
    fn byte(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    #[inline]
    fn next(&mut self) -> u8 {
        let byte = self.byte();
        self.at += usize::from(!self.ended());
        byte
    }

    #[inline(always)]
    fn ended(&self) -> bool {
        self.at >= self.source.len()
    }
}

/// Returns the position after the string whose quote is at `at`. Returns `None` if it contains escapes or is not a
/// string.
#[inline(always)]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inner = bytes.get(at + 1..)?;
    let length = text::plain_start(inner);
    (inner.get(length) == Some(&b'"')).then_some(at + length + 2)
}
