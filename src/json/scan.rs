use std::borrow::Cow;

use super::{MAX_DEPTH, Members, Raw, text};
use crate::error::{Error, ErrorKind};

/// A place in JSON text. Every step checks what it passes, so nothing is read twice.
#[derive(Debug)]
pub(crate) struct Scanner<'a> {
    source: &'a str,
    at: usize,
    depth: usize,
}

/// A member's name; `None` for one that is not Unicode.
type Key<'a> = Option<Cow<'a, str>>;

impl<'a> Scanner<'a> {
    pub fn new(source: &'a str) -> Self {
        Self { source, at: 0, depth: 0 }
    }

    /// Passes a value and gives its text.
    pub fn value(&mut self) -> Result<Raw<'a>, Error> {
        self.peek();
        let start = self.at;
        self.skip()?;
        Ok(Raw(self.since(start)))
    }

    /// Passes an array, calling `element` in front of each of its values; false, and nothing passed,
    /// for any other value.
    pub fn elements(
        &mut self,
        element: &mut dyn FnMut(&mut Self) -> Result<(), Error>,
    ) -> Result<bool, Error> {
        if self.peek() != Some(b'[') {
            return Ok(false);
        }
        self.open()?;
        let mut more = !self.closes(b']')?;
        while more {
            element(self)?;
            more = self.goes_on(b']')?;
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
        if self.peek() != Some(b'{') {
            return Ok(false);
        }
        self.open()?;
        let mut more = !self.closes(b'}')?;
        while more {
            let key = self.key()?;
            member(self, text::unescape(key))?;
            more = self.goes_on(b'}')?;
        }
        self.close();
        Ok(true)
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

    /// Passes a value and gives its text with its members.
    pub fn item(&mut self) -> Result<(Raw<'a>, Option<Members<'a>>), Error> {
        self.peek();
        let start = self.at;
        let members = self.members()?;
        Ok((Raw(self.since(start)), members))
    }

    /// Refuses anything but space.
    pub fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.unexpected("trailing characters")),
        }
    }

    /// The first byte behind any space.
    fn peek(&mut self) -> Option<u8> {
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = self.byte() {
            self.at += 1;
        }
        self.byte()
    }

    /// The text from `start` to here.
    fn since(&self, start: usize) -> &'a str {
        // Both ends are beside ASCII characters.
        self.source.get(start..self.at).unwrap_or_default()
    }

    /// Passes a value, whatever it holds, without recursion.
    fn skip(&mut self) -> Result<(), Error> {
        // One bit for each bracket opened here, set for an object; MAX_DEPTH of them fit.
        let (mut objects, outer) = (0u64, self.depth);
        loop {
            match self.peek() {
                Some(bracket @ (b'[' | b'{')) => {
                    let object = bracket == b'{';
                    self.open()?;
                    objects = objects << 1 | u64::from(object);
                    if !self.closes(if object { b'}' } else { b']' })? {
                        if object {
                            self.key()?;
                        }
                        continue;
                    }
                }
                first => self.scalar(first)?,
            }
            // A value has ended: close every bracket that ends with it.
            loop {
                if self.depth == outer {
                    return Ok(());
                }
                let object = objects & 1 == 1;
                if self.goes_on(if object { b'}' } else { b']' })? {
                    if object {
                        self.key()?;
                    }
                    break;
                }
                self.close();
                objects >>= 1;
            }
        }
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

    /// Whether the bracket just opened closes at once.
    fn closes(&mut self, bracket: u8) -> Result<bool, Error> {
        match self.peek() {
            None => Err(self.unclosed(bracket)),
            next => Ok(next == Some(bracket)),
        }
    }

    /// Passes the comma before another element; false in front of the closing bracket.
    fn goes_on(&mut self, bracket: u8) -> Result<bool, Error> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(next) if next == bracket => Ok(false),
            Some(_) if bracket == b']' => Err(self.unexpected("expected `,` or `]`")),
            Some(_) => Err(self.unexpected("expected `,` or `}`")),
            None => Err(self.unclosed(bracket)),
        }
    }

    fn unclosed(&self, bracket: u8) -> Error {
        let object = bracket == b'}';
        self.unexpected(if object { "EOF while parsing an object" } else { "EOF while parsing a list" })
    }

    /// Passes a key and its colon; gives what stands between the quotes.
    fn key(&mut self) -> Result<&'a str, Error> {
        match self.peek() {
            Some(b'"') => {}
            Some(_) => return Err(self.unexpected("key must be a string")),
            None => return Err(self.unclosed(b'}')),
        }
        let start = self.at + 1;
        self.string()?;
        let key = self.source.get(start..self.at - 1).unwrap_or_default();
        match self.peek() {
            Some(b':') => self.at += 1,
            Some(_) => return Err(self.unexpected("expected `:`")),
            None => return Err(self.unclosed(b'}')),
        }
        Ok(key)
    }

    fn scalar(&mut self, first: Option<u8>) -> Result<(), Error> {
        match first {
            Some(b'"') => self.string(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true"),
            Some(b'f') => self.word(b"false"),
            Some(b'n') => self.word(b"null"),
            Some(_) => Err(self.unexpected("expected value")),
            None => Err(self.unexpected("EOF while parsing a value")),
        }
    }

    fn word(&mut self, word: &[u8]) -> Result<(), Error> {
        for expected in word {
            match self.next() {
                Some(byte) if byte == *expected => {}
                Some(_) => return Err(self.wrong("expected ident")),
                None => return Err(self.wrong("EOF while parsing a value")),
            }
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        if self.byte() == Some(b'-') {
            self.at += 1;
        }
        match self.next() {
            Some(b'0') => {
                if let Some(b'0'..=b'9') = self.byte() {
                    return Err(self.unexpected("invalid number"));
                }
            }
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.wrong("invalid number")),
        }
        if self.byte() == Some(b'.') {
            self.at += 1;
            let start = self.at;
            self.digits();
            if self.at == start {
                return Err(self.unexpected("invalid number"));
            }
        }
        if let Some(b'e' | b'E') = self.byte() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.byte() {
                self.at += 1;
            }
            let Some(b'0'..=b'9') = self.next() else { return Err(self.wrong("invalid number")) };
            self.digits();
        }
        Ok(())
    }

    fn digits(&mut self) {
        while let Some(b'0'..=b'9') = self.byte() {
            self.at += 1;
        }
    }

    /// Passes a string, quotes and all.
    fn string(&mut self) -> Result<(), Error> {
        self.at += 1;
        loop {
            let rest = self.source.as_bytes().get(self.at..).unwrap_or_default();
            self.at += text::plain(rest);
            match self.byte() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape()?;
                }
                Some(_) => {
                    return Err(
                        self.wrong("control character (\\u0000-\\u001F) found while parsing a string")
                    );
                }
                None => return Err(self.wrong("EOF while parsing a string")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        match self.next() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => {
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
            Some(_) => Err(self.wrong("invalid escape")),
            None => Err(self.wrong("EOF while parsing a string")),
        }
    }

    fn byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.byte()?;
        self.at += 1;
        Some(byte)
    }

    /// The next byte is not what it should be.
    fn unexpected(&self, words: &str) -> Error {
        self.refusal(words, self.source.len().min(self.at + 1))
    }

    /// The last byte was not what it should have been.
    fn wrong(&self, words: &str) -> Error {
        self.refusal(words, self.at)
    }

    #[cold]
    fn refusal(&self, words: &str, behind: usize) -> Error {
        // Where the text ends too early, or the byte before; never the end of the line above.
        let before = self.source.as_bytes().get(..behind).unwrap_or_default();
        let ended = words.starts_with("EOF") || before.last().is_none_or(|byte| *byte == b'\n');
        let at = if ended { behind } else { behind - 1 };
        let at = self.source.floor_char_boundary(at);
        Error::new(ErrorKind::Json, format!("not JSON: {words}")).at_byte(at)
    }
}
