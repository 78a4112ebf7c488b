//! Custom kinds, which are defined by regular expressions.

use std::{fmt, sync::Arc};

use mcp_sieve::{
    Error, ErrorKind,
    json::{Entry, Raw},
};
use regex_lite::{Regex, RegexBuilder};

use crate::scan::{
    bytes::folded,
    kind::{Kind, MAX_PATTERNS},
    pattern_check::{Checksum, PatternCheck, next_word},
    pattern_match::{MAX_CHECKED, MAX_MATCH, find_match, match_at},
};

/// Maximum length of a pattern, in bytes.
const MAX_PATTERN: usize = 256;
/// Maximum length of a name, in bytes. A placeholder consists of a name and a number.
const MAX_NAME: usize = 48;
/// Maximum length of a type, in bytes.
const MAX_TYPE: usize = 64;
/// Maximum size of a compiled pattern, in bytes.
const MAX_COMPILED: usize = 32 * 1024;

/// Custom kinds, each with a name and a regular expression.
///
/// [`Scanner::with_patterns`](crate::pii::Scanner::with_patterns) searches for them beside the built-in kinds. A copy
/// is cheap and shares the compiled expressions.
///
/// ```
/// use mcp_sieve_redact::{Patterns, PlaceholderMap, Redactor, pii::Scanner};
///
/// # fn main() -> Result<(), mcp_sieve_redact::Error> {
/// let patterns = Patterns::parse(r#"{"EMPLOYEE_ID": {"pattern": "\\bE-[0-9]{6}\\b", "words": ["employee"]}}"#)?;
/// let scanner = Scanner::default().with_patterns(patterns);
/// let mut redactor = Redactor::new(scanner, PlaceholderMap::new());
/// assert_eq!(redactor.redact("employee E-004711"), "employee [EMPLOYEE_ID_1]");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Patterns(Option<Arc<[Pattern]>>);

#[derive(Debug)]
struct Pattern {
    /// The name in placeholders.
    name: String,
    /// The name without signs.
    folded: Vec<u8>,
    /// The name in metadata.
    type_name: String,
    regex: Regex,
    check: PatternCheck,
}

impl fmt::Debug for Patterns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Patterns {
    /// No patterns.
    pub(crate) const NONE: &'static Self = &Self(None);

    /// Maximum number of patterns. Each pattern reads a text once more.
    pub const MAX_PATTERNS: usize = MAX_PATTERNS;
    /// Maximum length of a pattern, in bytes.
    pub const MAX_PATTERN: usize = MAX_PATTERN;
    /// Maximum length of a match, in bytes. A longer match is cut there.
    pub const MAX_MATCH: usize = MAX_MATCH;
    /// Maximum length, in bytes, of a match that needs a word before it or a checksum.
    pub const MAX_CHECKED_MATCH: usize = MAX_CHECKED;

    /// Parses patterns from JSON: an object whose keys are the names of the kinds, such as `EMPLOYEE_ID`.
    ///
    /// Each value is an object with these members:
    ///
    /// | member | meaning |
    /// |---|---|
    /// | `pattern` | The regular expression, in the syntax of `regex-lite`: required |
    /// | `type` | The name in metadata ([`PlaceholderMap::type_of`](crate::PlaceholderMap::type_of)); by default the key in lower case |
    /// | `words` | Words of which one must precede the match on its line, at most 64 bytes before it; at most 32 words of 48 bytes |
    /// | `checksum` | `luhn`, `verhoeff`, `mod11-10` or `mod97-10`, over the digits of the match |
    ///
    /// # Errors
    /// [`ErrorKind::Config`] with the path of the first invalid member: an invalid or taken name, a pattern that does
    /// not compile or matches the empty string, or a value beyond a limit.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let entry = Entry::root(Raw::parse(source)?);
        let mut list: Vec<Pattern> = Vec::new();
        for (name, mut pattern) in entry.members(Pattern::read)? {
            let refuse = |message: String| Err(Error::new(ErrorKind::Config, message).field(&*name));
            if list.len() == MAX_PATTERNS {
                return refuse(format!("expected at most {MAX_PATTERNS} patterns"));
            }
            if !is_name(&name) {
                return refuse(format!(
                    "expected a name of 2 to {MAX_NAME} of the characters A-Z 0-9 _, the first and the last a letter"
                ));
            }
            let folded: Vec<u8> = folded(name.as_bytes()).collect();
            let same = |known: &Kind| self::folded(known.name().as_bytes()).eq(folded.iter().copied());
            let built_in = Kind::ALL.iter().find(|known| same(known)).map(|kind| kind.name());
            let own = || list.iter().find(|known| known.folded == folded).map(|known| known.name.as_str());
            if let Some(taken) = built_in.or_else(own) {
                return refuse(format!("`{name}` is too similar to the type `{taken}`: choose another name"));
            }
            if pattern.type_name.is_empty() {
                pattern.type_name = name.to_ascii_lowercase();
            }
            (pattern.name, pattern.folded) = (name, folded);
            list.push(pattern);
        }
        Ok(Self((!list.is_empty()).then(|| list.into())))
    }

    fn list(&self) -> &[Pattern] {
        self.0.as_deref().unwrap_or_default()
    }

    fn of(&self, kind: Kind) -> Option<&Pattern> {
        match kind {
            Kind::Own(place) => self.list().get(usize::from(place)),
            _ => None,
        }
    }

    /// Returns whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Iterates over the names, in the order of declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list().iter().map(|pattern| pattern.name.as_str())
    }

    /// Iterates over the kinds of the patterns, in the same order.
    pub fn kinds(&self) -> impl Iterator<Item = Kind> + use<> {
        (0..self.list().len() as u8).map(Kind::Own)
    }

    /// Returns the name of a kind, own or built-in.
    pub(crate) fn name(&self, kind: Kind) -> &str {
        self.of(kind).map_or(kind.name(), |pattern| &pattern.name)
    }

    /// Returns the name of an own kind in metadata.
    pub(crate) fn type_of(&self, kind: Kind) -> Option<&str> {
        self.of(kind).map(|pattern| pattern.type_name.as_str())
    }

    /// Returns the own kind with a name.
    pub(crate) fn find_name(&self, name: &str) -> Option<Kind> {
        self.kinds().zip(self.names()).find(|(_, known)| *known == name).map(|(kind, _)| kind)
    }

    /// Returns the kind with a name, own or built-in, in any case.
    pub fn named(&self, name: &str) -> Option<Kind> {
        Kind::named(name).or_else(|| self.find_name(&name.to_ascii_uppercase()))
    }

    /// Returns whether an own kind has this folded name.
    pub(crate) fn has_folded(&self, name: &[u8]) -> bool {
        self.list().iter().any(|known| known.folded == name)
    }

    /// Returns the start and the end of the first match of a kind that begins at `from` or later.
    pub(crate) fn find(&self, kind: Kind, text: &str, from: usize) -> Option<(usize, usize)> {
        let Pattern { regex, check, .. } = self.of(kind)?;
        if check.is_empty() {
            return find_match(regex, text, from, MAX_MATCH);
        }
        let mut place = from;
        loop {
            let (start, end) = find_match(regex, text, place, MAX_CHECKED)?;
            place = start;
            // If a match is not accepted, another one may begin at a word within it.
            while place < end {
                let found = match_at(regex, text, place, MAX_CHECKED);
                if let Some(found) = found.filter(|found| check.accepts(text, place, *found)) {
                    return Some((place, found));
                }
                place = next_word(text, place);
            }
        }
    }
}

impl Pattern {
    /// Parses a pattern. Its name is not yet set.
    fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let (mut compiled, mut type_name) = (None, String::new());
        let mut check = PatternCheck::default();
        let mut record = entry.record(&["pattern", "type", "words", "checksum"])?;
        record.need(&["pattern"]);
        record.fill("pattern", &mut compiled, |entry| compile(entry).map(Some));
        record.fill("type", &mut type_name, |entry| {
            let text = entry.some_text()?;
            match text.len() {
                ..=MAX_TYPE => Ok(text),
                _ => Err(entry.refuse(format!("expected at most {MAX_TYPE} bytes"))),
            }
        });
        record.fill("words", &mut check.words, PatternCheck::read_words);
        record.fill_optional("checksum", &mut check.checksum, Checksum::read);
        record.end()?;
        let regex = compiled.ok_or_else(|| entry.refuse("missing field `pattern`"))?;
        Ok(Self { name: String::new(), folded: Vec::new(), type_name, regex, check })
    }
}

/// Compiles the expression of a pattern.
fn compile(entry: &Entry<'_>) -> Result<Regex, Error> {
    let text = entry.some_text()?;
    if text.len() > MAX_PATTERN {
        return Err(entry.refuse(format!("expected at most {MAX_PATTERN} bytes")));
    }
    let compiled = RegexBuilder::new(&text).size_limit(MAX_COMPILED).build();
    let regex = compiled.map_err(|error| {
        let looks = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().find(|look| text.contains(look));
        entry.refuse(match looks {
            Some(look) => {
                format!("look-around (`{look}`) is not supported: patterns are matched in linear time")
            }
            None => format!("expected a regular expression: {error}"),
        })
    })?;
    // These texts cover the assertions that can match an empty string: the ends of a text, a line and a word.
    let empty = ["", "a", " a\n"].into_iter().any(|text| regex.find_iter(text).any(|found| found.is_empty()));
    if empty {
        Err(entry.refuse("expected a pattern that does not match the empty string"))
    } else {
        Ok(regex)
    }
}

fn is_name(name: &str) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_uppercase);
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let bytes = name.as_bytes();
    (2..=MAX_NAME).contains(&bytes.len())
        && letter(bytes.first())
        && letter(bytes.last())
        && name.bytes().all(plain)
}
