//! The parser for the text form of expressions.

use std::str::FromStr;

use super::{
    Expr, Field, Op, Term,
    display::{is_bare, is_field},
    limits::Tally,
    snippet,
    tree::{AN_OPERATOR, OPS},
};
use crate::error::{Error, ErrorKind};

impl FromStr for Expr {
    type Err = Error;

    /// Parses the text form.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] with the byte position, the expected syntax, and the surrounding text.
    fn from_str(source: &str) -> Result<Self, Error> {
        // The message names the field, so the first place of its word is near enough.
        let place = |error: Error| error.at_byte(source.find("arguments").unwrap_or_default());
        Expr::parse_any(source)?.without_arguments().map_err(place)
    }
}

impl Expr {
    /// Parses the text form of an expression that may read arguments.
    pub(super) fn parse_any(source: &str) -> Result<Self, Error> {
        if source.len() > Expr::MAX_SOURCE {
            let at = source.floor_char_boundary(Expr::MAX_SOURCE);
            return Err(refuse(at, format!("expected at most {max} bytes of text", max = Expr::MAX_SOURCE)));
        }
        let mut parser = Parser::new(source);
        let expr = parser.any(0)?;
        match parser.peek() {
            None => expr.bounded(),
            Some(_) => Err(parser.expected("`and`, `or` or a term")),
        }
    }
}

impl FromStr for Field {
    type Err = Error;

    /// Parses a field as it is written in a term.
    fn from_str(source: &str) -> Result<Self, Error> {
        if let Some(plain) = Self::plain(source) {
            return Ok(plain);
        }
        let mut parser = Parser::new(source);
        let field = parser.field()?;
        if parser.rest.is_empty() { Ok(field) } else { Err(parser.expected("nothing more")) }
    }
}

/// The words that join or negate terms.
const WORDS: [&str; 3] = ["and", "or", "not"];

fn refuse(at: usize, message: String) -> Error {
    Error::new(ErrorKind::Expression, message).at_byte(at)
}

struct Parser<'a> {
    source: &'a str,
    rest: &'a str,
    tally: Tally,
}

/// The signs of other languages, and their equivalent here. A longer sign comes before its prefix.
const FOREIGN: [(&str, &str); 6] =
    [("&&", "and"), ("||", "or"), ("&", "and"), ("|", "or"), (",", "or"), ("!", "-")];

impl<'a> Parser<'a> {
    fn new(source: &'a str) -> Self {
        Self { source, rest: source, tally: Tally::default() }
    }

    /// `all ("or" all)*`
    fn any(&mut self, depth: usize) -> Result<Expr, Error> {
        let mut parts = vec![self.all(depth)?];
        while self.word("or") {
            parts.push(self.all(depth)?);
        }
        Ok(Expr::list(parts, Expr::Any))
    }

    /// `part ("and"? part)*`
    fn all(&mut self, depth: usize) -> Result<Expr, Error> {
        let mut parts = vec![self.part(depth)?];
        loop {
            let joined = self.word("and");
            let ended = matches!(self.peek(), None | Some(')')) || self.at_word("or");
            if !joined && ended {
                return Ok(Expr::list(parts, Expr::All));
            }
            parts.push(self.part(depth)?);
        }
    }

    /// `("not" | "-") part | "(" any ")" | term`
    fn part(&mut self, depth: usize) -> Result<Expr, Error> {
        if depth >= Expr::MAX_DEPTH {
            return Err(self.expected(&format!("at most {max} levels", max = Expr::MAX_DEPTH)));
        }
        if self.word("not") || self.eat("-") {
            return Ok(Expr::Not(Box::new(self.part(depth + 1)?)));
        }
        if self.eat("(") {
            let inner = self.any(depth + 1)?;
            return if self.eat(")") { Ok(inner) } else { Err(self.expected("`)`")) };
        }
        self.term()
    }

    /// `field operator value`
    fn term(&mut self) -> Result<Expr, Error> {
        self.skip_space();
        let start = Parser { tally: Tally::default(), ..*self };
        let (field, op) = (self.field()?, self.op()?);
        self.skip_space();
        let at = self.at();
        let term = Term { field, op, value: self.value()? };
        if let Some(flaw) = term.flaw() {
            return Err(refuse(at, flaw));
        }
        match self.tally.add(&term) {
            Some(most) => Err(start.expected(&most)),
            None => Ok(Expr::Term(term)),
        }
    }

    /// `word | word "." name`, with the name bare or quoted
    fn field(&mut self) -> Result<Field, Error> {
        let start = self.rest;
        let word = self.take_while(is_field);
        let field = match word.strip_suffix('.') {
            Some(word) if Field::takes_name(word) && self.rest.starts_with('"') => {
                let name = self.quoted()?;
                Field::named(word, &name).filter(|_| !name.is_empty())
            }
            _ => Field::plain(word).or_else(|| {
                let (word, name) = Field::split_name(word)?;
                Field::named(word, name)
            }),
        };
        if let Some(field) = field {
            return Ok(field);
        }
        // A word without an operator is not treated as a field.
        let bare = self.op().is_err() && Field::suggest(word, WORDS).is_none() && !word.contains('.');
        self.rest = start;
        if let Some((theirs, ours)) = FOREIGN.iter().find(|(theirs, _)| self.rest.starts_with(theirs)) {
            return Err(refuse(self.at(), format!("unknown sign `{theirs}` (did you mean `{ours}`?)")));
        }
        if bare || word.is_empty() {
            return Err(self.expected("a term such as `name:create_*`"));
        }
        Err(refuse(self.at(), Field::describe_unknown(word, WORDS)))
    }

    fn op(&mut self) -> Result<Op, Error> {
        let found = OPS.iter().find(|(sign, op)| if op.is_word() { self.word(sign) } else { self.eat(sign) });
        found.map(|(_, op)| *op).ok_or_else(|| self.expected(AN_OPERATOR))
    }

    fn value(&mut self) -> Result<String, Error> {
        if self.rest.starts_with('"') {
            return self.quoted();
        }
        match self.take_while(is_bare) {
            "" => Err(self.expected("a value")),
            value => Ok(value.to_owned()),
        }
    }

    /// `"` characters, with `\"` and `\\`, `"`
    fn quoted(&mut self) -> Result<String, Error> {
        let (start, mut value) = (self.rest, String::new());
        self.eat("\"");
        loop {
            let mut chars = self.rest.chars();
            let c = chars.next();
            self.rest = chars.as_str();
            match c {
                Some('"') => return Ok(value),
                Some('\\') => match chars.next() {
                    Some(c @ ('"' | '\\')) => {
                        value.push(c);
                        self.rest = chars.as_str();
                    }
                    _ => return Err(self.expected("`\"` or `\\`")),
                },
                Some(c) => value.push(c),
                None => {
                    let message = format!("expected a closing `\"` for `{}`", snippet::head(start));
                    return Err(refuse(self.source.len() - start.len(), message));
                }
            }
        }
    }

    fn at(&self) -> usize {
        self.source.len() - self.rest.len()
    }

    /// Returns an error with the expected and the actual syntax at this position.
    fn expected(&self, what: &str) -> Error {
        let end = self.rest.char_indices().skip(1).find(|(_, c)| c.is_whitespace() || matches!(c, '(' | ')'));
        let found = match end.and_then(|(end, _)| self.rest.get(..end)).unwrap_or(self.rest) {
            "" => "the end".to_owned(),
            found => format!("`{}`", snippet::head(found)),
        };
        let after = match self.source.strip_suffix(self.rest).unwrap_or_default().trim() {
            "" => String::new(),
            before => format!(" after `{}`", snippet::tail(before)),
        };
        refuse(self.at(), format!("expected {what}, found {found}{after}"))
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn peek(&mut self) -> Option<char> {
        self.skip_space();
        self.rest.chars().next()
    }

    fn eat(&mut self, sign: &str) -> bool {
        self.skip_space();
        self.rest.strip_prefix(sign).is_some_and(|rest| {
            self.rest = rest;
            true
        })
    }

    /// Returns whether the next word is `word`, rather than a longer word or a term.
    fn at_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let after = self.rest.strip_prefix(word);
        after.is_some_and(|rest| {
            rest.chars().next().is_none_or(|c| c.is_whitespace() || matches!(c, '(' | ')' | '"'))
        })
    }

    fn word(&mut self, word: &str) -> bool {
        self.at_word(word) && self.eat(word)
    }

    fn take_while(&mut self, accepts: fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !accepts(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }
}
