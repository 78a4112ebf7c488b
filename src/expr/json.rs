//! The JSON form, read and written; the table of the [language](super) says what stands for what.

use std::borrow::Cow;

use super::{
    Expr, Field, Op, Term, snippet,
    tree::{AN_OPERATOR, OPS},
};
use crate::{
    error::{Error, ErrorKind},
    json::{self, Number, Raw, Scanner, push_array, push_text},
};

impl Expr {
    /// Parses either form: a string is the text form, an object the JSON form.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] with the path below the expression, and the byte where it is in text.
    pub fn from_json(raw: Raw<'_>) -> Result<Self, Error> {
        part(raw)?.bounded()
    }

    /// Returns the canonical JSON, which parses back to the same expression.
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::All(parts) => member(out, "all", |out| push_array(out, parts, |out, part| part.write(out))),
            Self::Any(parts) => member(out, "any", |out| push_array(out, parts, |out, part| part.write(out))),
            Self::Not(inner) => member(out, "not", |out| inner.write(out)),
            Self::Term(term) => term.write(out),
        }
    }
}

impl Term {
    fn write(&self, out: &mut Vec<u8>) {
        let value = |out: &mut Vec<u8>| match self.value.as_str() {
            bare if is_literal(bare) => out.extend_from_slice(bare.as_bytes()),
            text => push_text(out, text),
        };
        let compared = |out: &mut Vec<u8>| match self.op {
            Op::Matches => value(out),
            op => member(out, op.sign(), value),
        };
        member(out, self.field.word(), |out| match self.field.name() {
            Some(name) => member(out, name, compared),
            None => compared(out),
        });
    }
}

/// An object of one member.
fn member(out: &mut Vec<u8>, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'{');
    push_text(out, key);
    out.push(b':');
    write(out);
    out.push(b'}');
}

/// Whether the text is that of a JSON number or boolean as this language spells it.
fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse().is_ok_and(|number: Number| number.to_string() == text)
}

fn part(raw: Raw<'_>) -> Result<Expr, Error> {
    if let Some(text) = json::text(raw) {
        return text.parse();
    }
    let (key, inner) = only(raw, "an expression, as text or an object")?;
    let read = match key.as_ref() {
        "all" => list(inner, Expr::All),
        "any" => list(inner, Expr::Any),
        "not" => part(inner).map(|inner| Expr::Not(Box::new(inner))),
        word => match word.parse() {
            Ok(field) => term(field, inner),
            Err(_) => named(word, inner),
        },
    };
    read.map_err(|error| error.within(&key))
}

fn list(raw: Raw<'_>, of: fn(Vec<Expr>) -> Expr) -> Result<Expr, Error> {
    let mut parts = Vec::new();
    let is_array = Scanner::new(raw.get()).elements(&mut |scanner| {
        parts.push(part(scanner.value()?).map_err(|error| error.within(&format!("[{}]", parts.len())))?);
        Ok(())
    })?;
    if !is_array || parts.is_empty() {
        return Err(refuse("an array of at least one expression", raw.get()));
    }
    Ok(Expr::list(parts, of))
}

/// A term whose field's own name is a key inside: `{"concern": {"cost": …}}`.
fn named(word: &str, raw: Raw<'_>) -> Result<Expr, Error> {
    if !Field::takes_name(word) {
        return Err(Error::new(ErrorKind::Expression, Field::describe_unknown(word, ["all", "any", "not"])));
    }
    let (name, raw) = only(raw, "an object of one name")?;
    let field = Field::named(word, &name).filter(|_| !name.is_empty());
    let field = field.ok_or_else(|| refuse("a name that is not empty", &name))?;
    term(field, raw).map_err(|error| error.within(&name))
}

fn term(field: Field, raw: Raw<'_>) -> Result<Expr, Error> {
    let (op, raw) = if json::is_object(raw) {
        let (sign, raw) = only(raw, "an object of one operator")?;
        let op = OPS.iter().find(|(known, _)| *known == sign).map(|(_, op)| *op);
        (op.ok_or_else(|| refuse(AN_OPERATOR, &sign))?, raw)
    } else {
        (Op::Matches, raw)
    };
    let value = match (json::text(raw), raw.get()) {
        (Some(text), _) => text.into_owned(),
        (None, flag @ ("true" | "false")) => flag.to_owned(),
        (None, other) => match other.parse::<Number>() {
            Ok(number) => number.to_string(),
            Err(_) => return Err(refuse("a string, a number, true or false", other)),
        },
    };
    Term::new(field, op, value).map(Expr::Term)
}

/// The one member of an object.
fn only<'a>(raw: Raw<'a>, expected: &str) -> Result<(Cow<'a, str>, Raw<'a>), Error> {
    let (mut member, mut several, mut sound) = (None, false, true);
    let is_object = Scanner::new(raw.get()).object(&mut |scanner, key| {
        several |= member.is_some();
        sound &= key.is_some();
        member = key.zip(Some(scanner.value()?));
        Ok(())
    });
    match member.filter(|_| !several) {
        _ if !is_object? || !sound => Err(refuse(expected, raw.get())),
        Some(member) => Ok(member),
        None => Err(refuse("an object of one member (terms are joined by `all`)", raw.get())),
    }
}

fn refuse(expected: &str, found: &str) -> Error {
    let message = format!("expected {expected}, found `{}`", snippet::head(found));
    Error::new(ErrorKind::Expression, message)
}
