//! Parses and writes the JSON form. The table of the [language](super) defines it.

use super::{
    Expr, Field, Op, Term, snippet,
    tree::{AN_OPERATOR, OPS},
};
use crate::{
    error::{Error, ErrorKind},
    json::{Members, Number, Object, Raw, Scanner},
};

impl Expr {
    /// Parses either form: a string has the text form, an object the JSON form.
    ///
    /// # Errors
    /// [`ErrorKind::Expression`] with the path inside the expression and, for an error in text, the byte position.
    pub fn from_json(raw: Raw<'_>) -> Result<Self, Error> {
        Self::from_json_with_arguments(raw)?.without_arguments()
    }

    /// Parses either form of a condition on the arguments of a call, which alone may use `arguments.PATH`.
    ///
    /// # Errors
    /// The errors of [`Expr::from_json`].
    pub fn from_json_with_arguments(raw: Raw<'_>) -> Result<Self, Error> {
        part(&mut Scanner::new(raw.get()))?.bounded()
    }

    /// Returns the expression, if it does not read arguments.
    pub(super) fn without_arguments(self) -> Result<Self, Error> {
        match self.reads_arguments() {
            None => Ok(self),
            Some(field) => {
                let message = format!("`{field}` reads a call, which only `arguments` of a policy does");
                Err(Error::new(ErrorKind::Expression, message))
            }
        }
    }

    /// Returns the canonical JSON, which parses back to the same expression.
    pub fn json(&self) -> Vec<u8> {
        let mut out = Vec::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::All(parts) => {
                member(out, "all", |out| Object::push_array(out, parts, |out, part| part.write(out)))
            }
            Self::Any(parts) => {
                member(out, "any", |out| Object::push_array(out, parts, |out, part| part.write(out)))
            }
            Self::Not(inner) => member(out, "not", |out| inner.write(out)),
            Self::Term(term) => term.write(out),
        }
    }
}

impl Term {
    fn write(&self, out: &mut Vec<u8>) {
        let value = |out: &mut Vec<u8>| match self.value.as_str() {
            bare if is_literal(bare) => out.extend_from_slice(bare.as_bytes()),
            text => Object::push_text(out, text),
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

/// Writes an object with one member.
fn member(out: &mut Vec<u8>, key: &str, write: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'{');
    Object::push_text(out, key);
    out.push(b':');
    write(out);
    out.push(b'}');
}

/// Returns whether the text is a JSON number or boolean in the canonical spelling of this language.
fn is_literal(text: &str) -> bool {
    matches!(text, "true" | "false") || text.parse().is_ok_and(|number: Number| number.to_string() == text)
}

/// Parses an expression in one pass over its text.
fn part(scanner: &mut Scanner<'_>) -> Result<Expr, Error> {
    const EXPECTED: &str = "an expression, as text or an object";
    if scanner.first() == b'"' {
        let value = scanner.value()?;
        return Expr::parse_any(&value.text().ok_or_else(|| refuse(EXPECTED, value.get()))?);
    }
    only(scanner, EXPECTED, &mut |scanner, key| {
        let read = match key {
            "all" => list(scanner, Expr::All),
            "any" => list(scanner, Expr::Any),
            "not" => part(scanner).map(|inner| Expr::Not(Box::new(inner))),
            word => match word.parse() {
                Ok(field) => term(field, scanner),
                Err(_) => named(word, scanner),
            },
        };
        read.map_err(|error| error.within(key))
    })
}

fn list(scanner: &mut Scanner<'_>, of: fn(Vec<Expr>) -> Expr) -> Result<Expr, Error> {
    let (start, mut parts) = (scanner.start(), Vec::new());
    let is_array = scanner.elements(&mut |scanner| {
        parts.push(part(scanner).map_err(|error| error.within(&format!("[{}]", parts.len())))?);
        Ok(())
    })?;
    if !is_array {
        scanner.value()?;
    }
    if parts.is_empty() {
        return Err(refuse("an array of at least one expression", scanner.since(start).get()));
    }
    Ok(Expr::list(parts, of))
}

/// Parses a term whose name is an inner key: `{"concern": {"cost": …}}`.
fn named(word: &str, scanner: &mut Scanner<'_>) -> Result<Expr, Error> {
    if !Field::takes_name(word) {
        return Err(Error::new(ErrorKind::Expression, Field::describe_unknown(word, ["all", "any", "not"])));
    }
    only(scanner, "an object of one name", &mut |scanner, name| {
        let field = Field::named(word, name).filter(|_| !name.is_empty());
        let field = field.ok_or_else(|| refuse("a name that is not empty", name))?;
        term(field, scanner).map_err(|error| error.within(name))
    })
}

fn term(field: Field, scanner: &mut Scanner<'_>) -> Result<Expr, Error> {
    if scanner.first() != b'{' {
        return compared(field, Op::Matches, scanner.value()?);
    }
    only(scanner, "an object of one operator", &mut |scanner, sign| {
        let op = OPS.iter().find(|(known, _)| *known == sign).map(|(_, op)| *op);
        compared(field.clone(), op.ok_or_else(|| refuse(AN_OPERATOR, sign))?, scanner.value()?)
    })
}

fn compared(field: Field, op: Op, raw: Raw<'_>) -> Result<Expr, Error> {
    let value = match (raw.text(), raw.get()) {
        (Some(text), _) => text.into_owned(),
        (None, flag @ ("true" | "false")) => flag.to_owned(),
        (None, other) => match other.parse::<Number>() {
            Ok(number) => number.to_string(),
            Err(_) => return Err(refuse("a string, a number, true or false", other)),
        },
    };
    Term::new(field, op, value).map(Expr::Term)
}

/// Reads the single member of an object.
fn only(
    scanner: &mut Scanner<'_>,
    expected: &str,
    read: &mut dyn FnMut(&mut Scanner<'_>, &str) -> Result<Expr, Error>,
) -> Result<Expr, Error> {
    let (rest, mut found, mut several) = (scanner.rest(), None, false);
    let passed = scanner.object(&mut |scanner, key| match key {
        Some(key) if found.is_none() && !several => {
            found = Some(read(scanner, key)?);
            Ok(())
        }
        _ => {
            several = true;
            scanner.pass()
        }
    });
    match (passed, found) {
        (Ok(true), Some(found)) if !several => Ok(found),
        // Errors of the object itself take precedence over errors inside it.
        (passed, _) => {
            let raw = Scanner::new(rest).value()?;
            match Members::read(raw).map(|members| members.0.len()) {
                Some(1) => Err(passed.err().unwrap_or_else(|| refuse(expected, raw.get()))),
                Some(_) => Err(refuse("an object of one member (terms are joined by `all`)", raw.get())),
                None => Err(refuse(expected, raw.get())),
            }
        }
    }
}

fn refuse(expected: &str, found: &str) -> Error {
    let message = format!("expected {expected}, found `{}`", snippet::head(found));
    Error::new(ErrorKind::Expression, message)
}
