use std::str::FromStr;

use super::{Expr, Field, MAX_DEPTH, MAX_SOURCE, MAX_TERMS, MAX_VALUE, Op, Term};
use crate::error::{Error, ErrorKind};

impl FromStr for Expr {
    type Err = Error;

    /// Reads the text form.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] with the byte where it went wrong and what was expected there.
    fn from_str(source: &str) -> Result<Self, Error> {
        if source.len() > MAX_SOURCE {
            return Err(refuse(MAX_SOURCE, format!("an expression holds at most {MAX_SOURCE} bytes")));
        }
        let mut parser = Parser { source, rest: source, terms: 0 };
        let expr = parser.any(0)?;
        match parser.peek() {
            None => Ok(expr),
            Some(other) => Err(parser.expected(&format!("`and`, `or` or a term, found `{other}`"))),
        }
    }
}

/// Whether `c` may stand in a value without quotes.
pub(super) fn is_bare(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '"' | '\\')
}

fn is_field(c: char) -> bool {
    is_bare(c) && !matches!(c, ':' | '=' | '!' | '<' | '>')
}

fn refuse(at: usize, message: String) -> Error {
    Error::new(ErrorKind::Expression, message).at_byte(at)
}

struct Parser<'a> {
    source: &'a str,
    rest: &'a str,
    terms: usize,
}

impl<'a> Parser<'a> {
    /// `all ("or" all)*`
    fn any(&mut self, depth: usize) -> Result<Expr, Error> {
        let first = self.all(depth)?;
        let mut parts = vec![first];
        while self.word("or") {
            parts.push(self.all(depth)?);
        }
        Ok(one_or(parts, Expr::Any))
    }

    /// `part ("and"? part)*`
    fn all(&mut self, depth: usize) -> Result<Expr, Error> {
        let mut parts = vec![self.part(depth)?];
        loop {
            let joined = self.word("and");
            let ended = matches!(self.peek(), None | Some(')')) || self.at_word("or");
            if !joined && ended {
                return Ok(one_or(parts, Expr::All));
            }
            parts.push(self.part(depth)?);
        }
    }

    /// `("not" | "-") part | "(" any ")" | term`
    fn part(&mut self, depth: usize) -> Result<Expr, Error> {
        if depth >= MAX_DEPTH {
            return Err(self.expected(&format!("at most {MAX_DEPTH} levels")));
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

    fn term(&mut self) -> Result<Expr, Error> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return Err(self.expected(&format!("at most {MAX_TERMS} terms")));
        }
        self.skip_space();
        let start = self.at();
        let name = self.take_while(is_field);
        if name.is_empty() {
            return Err(self.expected("a term such as `name:create_*`"));
        }
        let field = name.parse::<Field>().map_err(|()| {
            refuse(start, format!("unknown term `{name}`, expected one of {}", Field::expected()))
        })?;
        let op = self.op()?;
        let value = self.value()?;
        Ok(Expr::Term(Term { field, op, value }))
    }

    fn op(&mut self) -> Result<Op, Error> {
        // Longer spellings first: `<=` before `<`.
        const SIGNS: [(&str, Op); 7] = [
            ("!=", Op::Differs),
            ("<=", Op::AtMost),
            (">=", Op::AtLeast),
            (":", Op::Matches),
            ("=", Op::Equals),
            ("<", Op::Less),
            (">", Op::Greater),
        ];
        if let Some((_, op)) = SIGNS.iter().find(|(sign, _)| self.eat(sign)) {
            return Ok(*op);
        }
        if self.word("contains") {
            return Ok(Op::Contains);
        }
        if self.word("starts") {
            return Ok(Op::Starts);
        }
        Err(self.expected("an operator: `:` `=` `!=` `<` `<=` `>` `>=` `contains` `starts`"))
    }

    fn value(&mut self) -> Result<String, Error> {
        self.skip_space();
        let start = self.at();
        let value = if self.eat("\"") { self.quoted(start)? } else { self.take_while(is_bare).to_owned() };
        if value.is_empty() && self.source.as_bytes().get(start).is_none_or(|byte| *byte != b'"') {
            return Err(self.expected("a value"));
        }
        if value.chars().count() > MAX_VALUE {
            return Err(refuse(start, format!("a value holds at most {MAX_VALUE} characters")));
        }
        Ok(value)
    }

    fn quoted(&mut self, start: usize) -> Result<String, Error> {
        let mut value = String::new();
        let mut chars = self.rest.chars();
        loop {
            match chars.next() {
                Some('"') => break,
                Some('\\') => match (self.source.len() - chars.as_str().len(), chars.next()) {
                    (_, Some(c @ ('"' | '\\'))) => value.push(c),
                    (at, _) => {
                        return Err(refuse(at, "expected `\"` or `\\` after `\\`".to_owned()));
                    }
                },
                Some(c) => value.push(c),
                None => return Err(refuse(start, "expected a closing `\"`".to_owned())),
            }
        }
        self.rest = chars.as_str();
        Ok(value)
    }

    fn at(&self) -> usize {
        self.source.len() - self.rest.len()
    }

    fn expected(&self, what: &str) -> Error {
        refuse(self.at(), format!("expected {what}"))
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

    /// Whether the next word is `word` and not the start of a longer one or of a term.
    fn at_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let behind = self.rest.strip_prefix(word);
        behind.is_some_and(|rest| {
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

/// A list of one is its element: `(a)` and `a` are one tree.
fn one_or(mut parts: Vec<Expr>, list: fn(Vec<Expr>) -> Expr) -> Expr {
    match (parts.len(), parts.pop()) {
        (1, Some(only)) => only,
        (_, Some(last)) => {
            parts.push(last);
            list(parts)
        }
        (_, None) => list(parts),
    }
}
