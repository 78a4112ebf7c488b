use std::borrow::Cow;

use super::{MAX_DEPTH, Members, Raw, text};
use crate::error::{Error, ErrorKind};

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
        let mut next = self.peek();
        while next != b'}' {
            next = self.peek();
            let start = self.at;
            tight &= start == close_by;
            // Most keys have no escapes.
            let end = string_end(self.source.as_bytes(), start).filter(|_| next == b'"');
            let escaped = match end {
                Some(end) => {
                    self.at = end;
                    false
                }
                None => self.key()?,
            };
            let key = self.source.get(start + 1..self.at - 1).unwrap_or_default();
            tight &= !escaped && self.byte() == b':';
            self.colon()?;
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

    /// Passes a key and its value; gives the value.
    pub fn member_value(&mut self) -> Result<Raw<'a>, Error> {
        self.member()?;
        self.value()
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

    /// Passes a value, whatever it holds, without recursion.
    ///
    /// Most of a catalog is read here. What is usual, a string without escapes and members without space, is
    /// passed on a copy of the place; for anything else the place is put back and the general step taken.
    fn skip(&mut self) -> Result<(), Error> {
        let bytes = self.source.as_bytes();
        // One bit for each bracket opened here, set for an object; MAX_DEPTH of them fit.
        let (mut at, mut objects, outer) = (self.at, 0u64, self.depth);
        loop {
            let mut first = byte_at(bytes, at);
            if first <= b' ' {
                at = space_end(bytes, at);
                first = byte_at(bytes, at);
            }
            match first {
                b'"' => match string_end(bytes, at) {
                    Some(end) => at = end,
                    None => self.step(&mut at, |scanner| scanner.string().map(|_| ()))?,
                },
                bracket @ (b'[' | b'{') => {
                    let object = bracket == b'{';
                    self.step(&mut at, Self::open)?;
                    objects = objects << 1 | u64::from(object);
                    at = space_end(bytes, at);
                    let next = byte_at(bytes, at);
                    if at >= bytes.len() {
                        self.at = at;
                        return Err(self.unclosed(closing(object)));
                    }
                    if next != closing(object) {
                        if object {
                            self.pass_key(&mut at)?;
                        }
                        continue;
                    }
                }
                first => self.step(&mut at, |scanner| scanner.scalar(first))?,
            }
            // A value has ended: close every bracket that ends with it.
            loop {
                if self.depth == outer {
                    self.at = at;
                    return Ok(());
                }
                let object = objects & 1 == 1;
                let mut next = byte_at(bytes, at);
                if next <= b' ' {
                    at = space_end(bytes, at);
                    next = byte_at(bytes, at);
                }
                if next == b',' {
                    at += 1;
                    if object {
                        self.pass_key(&mut at)?;
                    }
                    break;
                }
                if next != closing(object) {
                    self.at = at;
                    return Err(self.unclosed(closing(object)));
                }
                at += 1;
                self.depth -= 1;
                objects >>= 1;
            }
        }
    }

    /// Passes a key and its colon, from a copy of the place.
    #[inline(always)]
    fn pass_key(&mut self, at: &mut usize) -> Result<(), Error> {
        let bytes = self.source.as_bytes();
        if byte_at(bytes, *at) == b'"'
            && let Some(end) = string_end(bytes, *at).filter(|end| byte_at(bytes, *end) == b':')
        {
            *at = end + 1;
            return Ok(());
        }
        self.step(at, Self::member)
    }

    /// Takes a general step from a copy of the place.
    #[inline(always)]
    fn step(
        &mut self,
        at: &mut usize,
        step: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.at = *at;
        step(self)?;
        *at = self.at;
        Ok(())
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

    fn scalar(&mut self, first: u8) -> Result<(), Error> {
        match first {
            b'-' | b'0'..=b'9' => self.number(),
            b't' => self.word(b"true"),
            b'f' => self.word(b"false"),
            b'n' => self.word(b"null"),
            _ if self.ended() => Err(self.unexpected("EOF while parsing a value")),
            _ => Err(self.unexpected("expected value")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Error> {
        for expected in word {
            if self.ended() {
                return Err(self.wrong("EOF while parsing a value"));
            }
            if self.next() != *expected {
                return Err(self.wrong("expected ident"));
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        if self.byte() == b'-' {
            self.at += 1;
        }
        match self.next() {
            b'0' => {
                if self.byte().is_ascii_digit() {
                    return Err(self.unexpected("invalid number"));
                }
            }
            b'1'..=b'9' => self.digits(),
            _ => return Err(self.wrong("invalid number")),
        }
        if self.byte() == b'.' {
            self.at += 1;
            if !self.byte().is_ascii_digit() {
                return Err(self.unexpected("invalid number"));
            }
            self.digits();
        }
        if let b'e' | b'E' = self.byte() {
            self.at += 1;
            if let b'+' | b'-' = self.byte() {
                self.at += 1;
            }
            if !self.next().is_ascii_digit() {
                return Err(self.wrong("invalid number"));
            }
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while self.byte().is_ascii_digit() {
            self.at += 1;
        }
    }

    /// Passes a string, quotes and all; whether it has escapes.
    fn string(&mut self) -> Result<bool, Error> {
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at += text::plain(self.source.as_bytes().get(self.at..).unwrap_or_default());
            match self.byte() {
                b'"' => {
                    self.at += 1;
                    return Ok(escaped);
                }
                b'\\' => {
                    self.at += 1;
                    escaped = true;
                    self.escape()?;
                }
                _ if self.ended() => return Err(self.wrong("EOF while parsing a string")),
                _ => {
                    let words = "control character (\\u0000-\\u001F) found while parsing a string";
                    return Err(self.wrong(words));
                }
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        if self.ended() {
            return Err(self.wrong("EOF while parsing a string"));
        }
        match self.next() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(()),
            b'u' => {
                let end = self.at + 4;
                let Some(digits) = self.source.as_bytes().get(self.at..end) else {
                    self.at = self.source.len();
                    return Err(self.wrong("EOF while parsing a string"));
                };
                self.at = end;
                if digits.iter().all(u8::is_ascii_hexdigit) {
                    return Ok(());
                }
                Err(self.wrong("invalid escape"))
            }
            _ => Err(self.wrong("invalid escape")),
        }
    }

    /// Passes space and gives the byte behind it.
    #[inline]
    fn peek(&mut self) -> u8 {
        while let b' ' | b'\n' | b'\t' | b'\r' = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// The next byte, or [`END`]: an `Option` would be handed on through memory.
    #[inline]
    fn byte(&self) -> u8 {
        self.source.as_bytes().get(self.at).copied().unwrap_or(END)
    }

    #[inline]
    fn next(&mut self) -> u8 {
        let byte = self.byte();
        self.at += usize::from(!self.ended());
        byte
    }

    #[inline]
    fn ended(&self) -> bool {
        self.at >= self.source.len()
    }

    /// Neither the next element nor the end of what `bracket` closes.
    #[cold]
    fn unclosed(&self, bracket: u8) -> Error {
        self.unexpected(match (bracket, self.ended()) {
            (b']', true) => "EOF while parsing a list",
            (b']', false) => "expected `,` or `]`",
            (_, true) => "EOF while parsing an object",
            (_, false) => "expected `,` or `}`",
        })
    }

    /// The next byte is not what it should be.
    #[cold]
    fn unexpected(&self, words: &str) -> Error {
        self.refusal(words, self.source.len().min(self.at + 1))
    }

    /// The last byte was not what it should have been.
    #[cold]
    fn wrong(&self, words: &str) -> Error {
        self.refusal(words, self.at)
    }

    #[cold]
    fn refusal(&self, words: &str, behind: usize) -> Error {
        // Where the text ends too early, or the byte before; never the end of the line above.
        let before = self.source.as_bytes().get(..behind).unwrap_or_default();
        let ended = words.starts_with("EOF") || before.last().is_none_or(|byte| *byte == b'\n');
        let at = self.source.floor_char_boundary(if ended { behind } else { behind - 1 });
        Error::new(ErrorKind::Json, format!("not JSON: {words}")).at_byte(at)
    }
}

#[inline(always)]
fn closing(object: bool) -> u8 {
    if object { b'}' } else { b']' }
}

#[inline(always)]
fn byte_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(END)
}

/// The place behind the space at `at`.
fn space_end(bytes: &[u8], mut at: usize) -> usize {
    while let b' ' | b'\n' | b'\t' | b'\r' = byte_at(bytes, at) {
        at += 1;
    }
    at
}

/// The place behind the string whose quote is at `at`; `None` where it has escapes, or is none.
#[inline(always)]
fn string_end(bytes: &[u8], at: usize) -> Option<usize> {
    let inner = bytes.get(at + 1..)?;
    let length = text::plain_start(inner);
    (inner.get(length) == Some(&b'"')).then_some(at + length + 2)
}
