//! A scanner for JSON text. It checks everything that it passes, so that nothing has to be read twice.

mod refuse;
mod scalar;
mod skip;

use std::borrow::Cow;

use super::{MAX_DEPTH, Members, Raw, text};
use crate::error::{Error, ErrorKind};
use skip::space_end;

/// A place in JSON text. Every step checks what it passes, so nothing is read twice.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
    key_start: usize,
    tight: bool,
}

/// What is read behind the end. In the text itself it stands for no JSON either.
const END: u8 = 0;

/// A member's name; `None` for one that is not Unicode.
type Key<'a> = Option<Cow<'a, str>>;

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, depth: 0, key_start: 0, tight: false }
    }

    /// Passes a value and gives its text.
    pub fn value(&mut self) -> Result<Raw<'a>, Error> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(self.since(start))
    }

    /// Passes an array, calling `element` in front of each of its values; false, and nothing passed,
    /// for any other value.
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

    /// Passes an object and returns whether each of its values is an object. Anything else, and an object that holds
    /// anything else, is not passed.
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
                // No comma at the end.
                next = if next == b'}' { END } else { next };
            }
        }
        if next == b'}' {
            self.close();
            return Ok(true);
        }
        // The general way says what is wrong.
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

    /// Whether the object passed last has no space around its members and no escape in their keys.
    pub fn tight(&self) -> bool {
        self.tight
    }

    /// Passes a value and gives the string it is; `None` for another kind, and for one that is not Unicode.
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

    /// The place behind what was passed last.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The text that is left.
    pub fn rest(&self) -> &'a str {
        self.source.get(self.at..).unwrap_or_default()
    }

    /// How many bytes are left.
    pub fn left(&self) -> usize {
        self.source.len() - self.at
    }

    /// Where the key begins in front of whose value [`Scanner::object`] calls.
    pub fn key_start(&self) -> usize {
        self.key_start
    }

    /// Refuses anything but space.
    pub fn end(&mut self) -> Result<(), Error> {
        self.peek();
        if self.ended() { Ok(()) } else { Err(self.unexpected("trailing characters")) }
    }

    /// The value that began at `start` and ends here.
    pub fn since(&self, start: usize) -> Raw<'a> {
        // Both ends are beside ASCII characters.
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

    /// Passes a key and its colon.
    fn member(&mut self) -> Result<(), Error> {
        self.peek();
        self.key()?;
        self.colon()
    }

    /// Passes a key; whether it has escapes.
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

    /// Passes space and gives the byte behind it.
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

    /// The next byte, or [`END`]: an `Option` would be handed on through memory.
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

/// The place behind the string whose quote is at `at`; `None` where it has escapes, or is none.
#[inline(always)]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inner = bytes.get(at + 1..)?;
    let length = text::plain_start(inner);
    (inner.get(length) == Some(&b'"')).then_some(at + length + 2)
}
