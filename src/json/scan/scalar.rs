//! Scanning of strings, numbers, `true`, `false` and `null`.

use super::scanner::Scanner;
use crate::{error::Error, json::text};

impl Scanner<'_> {
    /// Skips a value that is neither an array nor an object and begins with `first`.
    pub(super) fn scalar(&mut self, first: u8) -> Result<(), Error> {
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

    /// Skips a string with its quotes. Returns whether it contains escapes.
    pub(super) fn string(&mut self) -> Result<bool, Error> {
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
}
