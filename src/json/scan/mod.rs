//! A scanner for JSON text. It validates everything that it skips, so nothing is parsed twice.

mod members;
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

/// Called before each value of an object with its key, or `None` for a key that is not valid Unicode.
type EachMember<'m, 'a> = dyn FnMut(&mut Scanner<'a>, Option<&str>) -> Result<(), Error> + 'm;

/// The value that stands for a byte after the end. In the text itself, this byte is not valid JSON either.
const END: u8 = 0;

/// The members of an object, and those of one of its values.
pub(crate) type MembersAnd<'a> = (Members<'a>, Option<Members<'a>>);

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, depth: 0, key_start: 0, tight: false }
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

    /// Skips an array and calls `element` before each of its values. Returns `false`, without skipping anything, for
    /// any other value.
    pub fn elements(
        &mut self,
        element: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if !self.open_array()? {
            return Ok(false);
        }
        let mut begun = false;
        while self.next_element(&mut begun)? {
            element(self)?;
        }
        Ok(true)
    }

    /// Skips the opening bracket of an array, for [`Scanner::next_element`]. For any other value, skips nothing and returns false.
    pub fn open_array(&mut self) -> Result<bool, Error> {
        let is_array = self.peek() == b'[';
        if is_array {
            self.open()?;
        }
        Ok(is_array)
    }

    /// Advances to the next element of an array, or to the first one if it is not `begun`. The caller then skips the element.
    /// Skips the closing bracket and returns false if there is no other element.
    #[inline(always)]
    pub fn next_element(&mut self, begun: &mut bool) -> Result<bool, Error> {
        let next = self.peek();
        if next == b']' {
            self.close();
            return Ok(false);
        }
        if *begun {
            if next != b',' {
                return Err(self.unclosed(b']'));
            }
            self.at += 1;
        }
        *begun = true;
        if self.ended() { Err(self.unclosed(b']')) } else { Ok(true) }
    }

    /// Skips an object and calls `member` with each key before its value. For any other value, skips nothing and returns false.
    pub fn object(&mut self, member: &mut EachMember<'_, 'a>) -> Result<bool, Error> {
        let Some(mut members) = self.open_object()? else { return Ok(false) };
        while self.next_member(&mut members)? {
            member(self, members.key())?;
        }
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

    /// Skips a value and returns its members, if it is an object whose keys are valid Unicode.
    pub fn members(&mut self) -> Result<Option<Members<'a>>, Error> {
        let Some(mut object) = self.open_object()? else {
            self.skip()?;
            return Ok(None);
        };
        // The usual number of members of a tool.
        let (mut members, mut sound) = (Vec::with_capacity(8), true);
        while self.next_member(&mut object)? {
            let value = self.value()?;
            match object.kept_key() {
                Some(key) => members.push((key, value)),
                None => sound = false,
            }
        }
        Ok(sound.then_some(Members(members)))
    }

    /// Does the same, and also returns the members of the value of `name`, if that is an object. The last one counts.
    pub fn members_and(&mut self, name: &str) -> Result<Option<MembersAnd<'a>>, Error> {
        let Some(mut object) = self.open_object()? else {
            self.skip()?;
            return Ok(None);
        };
        let (mut members, mut inner, mut sound) = (Vec::with_capacity(8), None, true);
        while self.next_member(&mut object)? {
            let start = self.start();
            if object.key() == Some(name) {
                inner = self.members()?;
            } else {
                self.skip()?;
            }
            match object.kept_key() {
                Some(key) => members.push((key, self.since(start))),
                None => sound = false,
            }
        }
        Ok(sound.then_some((Members(members), inner)))
    }

    /// Whether the last object has no space around its members and no escapes in their keys.
    pub fn tight(&self) -> bool {
        self.tight
    }

    /// Skips a value and returns it as a string. Returns `None` for another kind of value and for invalid Unicode.
    #[inline(always)]
    pub fn text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        self.peek();
        // Most strings have no escapes.
        if self.byte() == b'"'
            && let Some(end) = string_end(self.source.as_bytes(), self.at)
        {
            let inner = self.source.get(self.at + 1..end - 1).unwrap_or_default();
            self.at = end;
            return Ok(Some(Cow::Borrowed(inner)));
        }
        self.any_text()
    }

    #[inline(never)]
    fn any_text(&mut self) -> Result<Option<Cow<'a, str>>, Error> {
        Ok(super::text(self.value()?))
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

    /// The start of the key before the value at which [`Scanner::next_member`] stopped.
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
