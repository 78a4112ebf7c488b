//! Evaluates conditions on the arguments of a call, in three-valued logic.

use super::{Expr, Field, Op, Subject, Term, order};
use crate::json::{Members, Number, Raw};

/// The arguments of a call, together with the caller and the called primitive.
///
/// A term on an argument is true, false or unknown, and an expression accepts a call only if it is true. Unknown are an
/// argument that is missing, `null` or of the wrong type, one that programs may read differently, and its negation.
/// Only `arguments.PATH:*` is never unknown because an argument is missing: it tests whether there is one.
///
/// Each element of an array has to satisfy the term, and for its negation none may. Paths lead through the objects of
/// an array, to an argument of each. A member of a path that occurs twice, also in other letter case, or whose name has
/// a dot, makes the argument unknown.
#[derive(Debug)]
pub struct Arguments<'a> {
    members: Members<'a>,
}

/// Why an argument has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// No program finds it.
    Absent,
    /// Programs differ on it, or it is not of a usable type.
    Unknown,
}

impl<'a> Arguments<'a> {
    /// Reads the arguments of a call, without which it has none. Returns `None` if they are not an object.
    pub fn read(raw: Option<Raw<'a>>) -> Option<Self> {
        let members = raw.map_or_else(|| Some(Members::default()), Members::read)?;
        Some(Self { members })
    }

    /// Evaluates a condition. Returns `None` if it is unknown. Fields other than `arguments.PATH` are read from
    /// `subject`, and are never unknown.
    pub fn evaluate(&self, expr: &Expr, subject: &dyn Subject) -> Option<bool> {
        match expr {
            Expr::All(parts) => self.list(parts, subject, false),
            Expr::Any(parts) => self.list(parts, subject, true),
            Expr::Not(inner) => self.evaluate(inner, subject).map(|holds| !holds),
            Expr::Term(term) => match term.field() {
                Field::Argument(path) => self.term(term, path),
                _ => Some(term.holds(subject)),
            },
        }
    }

    /// Evaluates a list, in which a part with the result `end` decides.
    fn list(&self, parts: &[Expr], subject: &dyn Subject, end: bool) -> Option<bool> {
        let mut all_known = true;
        for part in parts {
            match self.evaluate(part, subject) {
                Some(holds) if holds == end => return Some(end),
                Some(_) => {}
                None => all_known = false,
            }
        }
        all_known.then_some(!end)
    }

    fn term(&self, term: &Term, path: &str) -> Option<bool> {
        let tests_presence = term.op == Op::Matches && term.value == "*";
        let judge = |value: Raw<'_>| match tests_presence {
            true => (!value.is_null()).then_some(true),
            false => judge_value(term, value),
        };
        match find(&self.members, path, &judge) {
            Ok(holds) => Some(holds),
            Err(Missing::Absent) if tests_presence => Some(false),
            Err(_) => None,
        }
    }
}

/// Evaluates `judge` on the argument at a path in an object.
fn find(members: &Members<'_>, path: &str, judge: &dyn Fn(Raw<'_>) -> Option<bool>) -> Result<bool, Missing> {
    let (key, rest) = path.split_once('.').map_or((path, None), |(key, rest)| (key, Some(rest)));
    let mut found = None;
    for (name, value) in &members.0 {
        if alike(name, key) {
            // Some programs take the first, some the last, and some ignore the case of letters.
            if found.is_some() || name != key {
                return Err(Missing::Unknown);
            }
            found = Some(*value);
        } else if starts_dotted(name, key, path) {
            return Err(Missing::Unknown);
        }
    }
    let value = found.ok_or(Missing::Absent)?;
    match rest {
        Some(rest) => inside(value, rest, judge),
        None => judge(value).ok_or(Missing::Unknown),
    }
}

/// Evaluates `judge` on the argument at a path in an object, or in every object of an array.
fn inside(value: Raw<'_>, path: &str, judge: &dyn Fn(Raw<'_>) -> Option<bool>) -> Result<bool, Missing> {
    if let Some(members) = Members::read(value) {
        return find(&members, path, judge);
    }
    let elements = value.elements().ok_or(Missing::Unknown)?;
    let judged = elements.into_iter().map(|element| match Members::read(element) {
        Some(members) => find(&members, path, judge),
        None => Err(Missing::Unknown),
    });
    unite(judged)
}

/// Returns the common result of all elements; unknown if there are none, or if they differ.
fn unite(results: impl Iterator<Item = Result<bool, Missing>>) -> Result<bool, Missing> {
    let mut common = None;
    for result in results {
        if common.is_some_and(|known| known != result) {
            return Err(Missing::Unknown);
        }
        common = Some(result);
    }
    common.unwrap_or(Err(Missing::Unknown))
}

/// Returns whether programs that read a name with dots as a path find a member of the path in the member `name`.
fn starts_dotted(name: &str, key: &str, path: &str) -> bool {
    let Some((first, _)) = name.split_once('.') else { return false };
    let begins = || fold(path).take(fold(name).count()).eq(fold(name));
    alike(first, key) && (begins() || fold(name).take(fold(path).count()).eq(fold(path)))
}

/// Returns whether a parser that ignores case may take one name for the other: by the letters of ASCII, and by the two
/// others that have one of them as their other case.
fn alike(name: &str, key: &str) -> bool {
    name == key || fold(name).eq(fold(key))
}

fn fold(name: &str) -> impl Iterator<Item = char> {
    name.chars().map(|c| match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    })
}

/// Evaluates a term on a value, or on each element of an array.
fn judge_value(term: &Term, value: Raw<'_>) -> Option<bool> {
    match value.elements() {
        None => scalar(term, value),
        Some(elements) => {
            let judged = elements.into_iter().map(|element| scalar(term, element).ok_or(Missing::Unknown));
            unite(judged).ok()
        }
    }
}

/// Evaluates a term on a text, a number or a boolean. Returns `None` for a value of another type than that of the term.
fn scalar(term: &Term, value: Raw<'_>) -> Option<bool> {
    let want = term.value.as_str();
    match term.op {
        Op::Matches if term.is_pattern() => Some(Expr::glob(want, &value.text()?)),
        Op::Matches | Op::Equals => equals(want, value),
        Op::Differs => equals(want, value).map(|equal| !equal),
        Op::Contains | Op::Starts | Op::Under => Some(term.accepts(&value.text()?)),
        Op::Less | Op::AtMost | Op::Greater | Op::AtLeast => match want.parse::<Number>() {
            Ok(_) => {
                Number::portable(value.get())?;
                Some(term.accepts(value.get()))
            }
            Err(_) => {
                let text = value.text()?;
                order::compare(&term.field, &text, want)?;
                Some(term.accepts(&text))
            }
        },
    }
}

/// Compares a value with that of a term. A text that another program may convert to an equal number is not known to
/// differ from it.
fn equals(want: &str, value: Raw<'_>) -> Option<bool> {
    if matches!(want, "true" | "false") {
        return (value.has_type("boolean") == Some(true)).then(|| value.get() == want);
    }
    let number = want.parse::<Number>().ok();
    match (value.text(), number) {
        (Some(text), None) => Some(text == want),
        (Some(text), Some(_)) if text == want => Some(true),
        (Some(text), Some(number)) => match text.trim().parse::<Number>() {
            Ok(other) => (other != number).then_some(false),
            Err(_) if text.trim().starts_with(|c: char| !c.is_ascii_alphabetic()) => None,
            Err(_) => Some(false),
        },
        (None, Some(number)) => Some(Number::portable(value.get())? == number),
        (None, None) => None,
    }
}
