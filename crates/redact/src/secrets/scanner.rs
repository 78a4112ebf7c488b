//! The scanner for secrets: tokens, keys, passwords and random values.

use crate::{
    scan::{
        byte_class::ByteClass,
        bytes::{at, before, end_of, start_of},
        finding::{Finding, Scan, ScanStep},
        kind::Kind,
        patterns::Patterns,
        placeholder,
        redact::Redactor,
    },
    secrets::{
        assignment, command_option,
        connection::{NextAtSign, connection},
        private_key,
        rules::SecretMatch,
        token_runs,
        tokens::{bearer, telegram, token},
        webhook::webhook,
    },
};
/// Texts that mark a value as an example or a template. A value that contains one is not a secret.
const DUMMY_VALUES: [&str; 14] = [
    "example",
    "xxxx",
    "your",
    "dummy",
    "changeme",
    "change_me",
    "placeholder",
    "redacted",
    "****",
    "....",
    "sample",
    "insert",
    "todo",
    "1234567890abcdef",
];

/// The bytes that are part of a secret or precede one, or begin a placeholder. The `w` is that of `password`.
const TRIGGER_BYTES: ByteClass<5> =
    ByteClass([(b'-', b'-'), (b':', b':'), (b'=', b'>'), (b'[', b'['), (b'w', b'w')]);

/// Number of bytes that are searched for trigger bytes and runs at once.
const WINDOW: usize = 256;

/// The rule of a text that looks like a placeholder.
const PLACEHOLDER: &str = "handle";

/// A scanner for secrets. A [`Redactor`] replaces its findings by placeholders such as `[SECRET_1]`.
///
/// ```
/// use mcp_sieve_redact::secrets::Secrets;
///
/// let found: Vec<_> = Secrets::default().secrets("password=hunter2Xy!9").map(|secret| secret.rule).collect();
/// assert_eq!(found, ["password"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    allowed: Vec<String>,
    /// The custom patterns, whose placeholders are recognized.
    patterns: Patterns,
}

impl Redactor<Secrets> {
    /// Returns the rule of each secret in a text, in order, except for secrets within placeholders of earlier texts.
    /// The text is not changed, so a program can reject it instead of redacting it.
    pub fn rules(&mut self, text: &str) -> Vec<&'static str> {
        let text = self.expand(text);
        let secrets = self.scanner().secrets(&text.text);
        secrets.filter(|secret| !text.covers(secret.start, secret.end)).map(|secret| secret.rule).collect()
    }
}

/// A secret in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// The name of the rule, such as `github-token`, `private-key` or `password`.
    pub rule: &'static str,
    /// The position of the first byte.
    pub start: usize,
    /// The position after the last byte.
    pub end: usize,
}

impl Secrets {
    /// Creates a scanner that ignores a secret that contains one of the `allowed` texts. Keep these texts long: a short
    /// one exempts unrelated secrets.
    pub fn new(allowed: Vec<String>) -> Self {
        Self { allowed, patterns: Patterns::default() }
    }

    /// Sets custom patterns, whose placeholders are then recognized. Their matches are no secrets.
    #[must_use]
    pub fn with_patterns(mut self, patterns: Patterns) -> Self {
        self.patterns = patterns;
        self
    }

    /// Returns the first secret that begins at `from` or later.
    pub fn secret(&self, text: &str, from: usize) -> Option<Secret> {
        self.find(text, from, false)
    }

    /// Returns the first secret that begins at `from` or later; with `placeholders`, also a text that looks like one.
    fn find(&self, text: &str, from: usize, placeholders: bool) -> Option<Secret> {
        let bytes = text.as_bytes();
        let (mut place, mut run) = (from, from..from);
        let mut at_sign = NextAtSign::default();
        while place < bytes.len() {
            // In a run, every position is examined; outside of runs, only trigger bytes.
            if place >= run.end {
                let window = bytes.get(..place + WINDOW).unwrap_or(bytes);
                let sign = TRIGGER_BYTES.find(window, place);
                let until = sign.unwrap_or(window.len());
                // Some trigger bytes can themselves begin a run.
                match token_runs::next(bytes, from, place, until + usize::from(sign.is_some())) {
                    Some(next) => (place, run) = (next.start, next),
                    None if at(bytes, until) == b'w' && sign.is_some() => {
                        place = match announcing_word(bytes, from, until) {
                            Some(word) => word,
                            None => {
                                place = until + 1;
                                continue;
                            }
                        }
                    }
                    None if sign.is_some() => place = until,
                    None if until == bytes.len() => return None,
                    // A word that belongs to a run may cross the end of the window.
                    None => {
                        place = until - token_runs::BEARER.len();
                        continue;
                    }
                }
            }
            if placeholders && let Some(found) = self.placeholder(bytes, place, place + 1) {
                return Some(found);
            }
            match self.scan_at(text, from, place, &mut at_sign) {
                Ok(found) => return Some(found),
                Err(next) => {
                    // An allowed value may contain a text that looks like a placeholder.
                    if placeholders && let Some(found) = self.placeholder(bytes, place + 1, next) {
                        return Some(found);
                    }
                    place = next;
                }
            }
        }
        None
    }

    /// Returns the first text that looks like a placeholder and begins at `place` or later, before `until`.
    fn placeholder(&self, bytes: &[u8], mut place: usize, until: usize) -> Option<Secret> {
        while place < until {
            place += bytes.get(place..until)?.iter().position(|byte| *byte == b'[')?;
            match placeholder::scan_at(&self.patterns, bytes, place) {
                ScanStep::Found(Finding { start, end, .. }) => {
                    return Some(Secret { rule: PLACEHOLDER, start, end });
                }
                ScanStep::SkipTo(next) => place = next,
            }
        }
        None
    }

    /// Iterates over the secrets of a text, in order.
    pub fn secrets<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Secret> + 's {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.secret(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    /// Returns the secret that begins at a position or belongs to the sign there; otherwise the next position to
    /// examine.
    fn scan_at(
        &self,
        text: &str,
        floor: usize,
        place: usize,
        at_sign: &mut NextAtSign,
    ) -> Result<Secret, usize> {
        let bytes = text.as_bytes();
        let byte = at(bytes, place);
        let (found, next) = if byte.is_ascii_alphanumeric() {
            let whole = !(before(bytes, place, 1).is_ascii_alphanumeric() || before(bytes, place, 1) == b'_');
            let found = if whole { token(bytes, place) } else { None };
            let end = if found.is_some() {
                place
            } else {
                end_of(bytes, place, usize::MAX, |byte| byte.is_ascii_alphanumeric() || byte == b'_')
            };
            let found = found.or_else(|| bearer(bytes, place, end));
            let found =
                found.or_else(|| if whole { assignment::named_key(bytes, floor, place) } else { None });
            (found.or_else(|| assignment::announced(bytes, floor, place, end)), end)
        } else {
            let found = match byte {
                b':' => connection(bytes, place, at_sign)
                    .or_else(|| webhook(bytes, place))
                    .or_else(|| telegram(bytes, floor, place))
                    .or_else(|| command_option::option_pair(bytes, floor, place))
                    .or_else(|| assigned(bytes, floor, place)),
                b'=' | b'>' => assigned(bytes, floor, place),
                b'-' => {
                    private_key::find(bytes, place).or_else(|| command_option::option(bytes, floor, place))
                }
                _ => None,
            };
            (found, place + 1)
        };
        let Some((rule, start, end)) = found else { return Err(next) };
        let value = text.get(start..end).unwrap_or_default();
        if self.is_allowed(value, rule) {
            return Err(end.max(next));
        }
        Ok(Secret { rule, start, end })
    }

    fn is_allowed(&self, value: &str, rule: &str) -> bool {
        // A private key is so long that it may contain any of these texts by chance.
        (rule != "private-key" && (0..value.len()).any(|place| is_dummy(value.as_bytes(), place)))
            || self.allowed.iter().any(|allowed| !allowed.is_empty() && value.contains(allowed.as_str()))
    }
}

impl Scan for Secrets {
    fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    const REACH: usize = 2 * private_key::KEY;

    fn next(&self, text: &str, from: usize) -> Option<Finding> {
        let found = self.find(text, from, true)?;
        let kind = if found.rule == PLACEHOLDER { Kind::Placeholder } else { Kind::Secret };
        Some(Finding { kind, start: found.start, end: found.end })
    }
}

/// Returns whether one of [`DUMMY_VALUES`] begins at a position.
fn is_dummy(value: &[u8], place: usize) -> bool {
    // A bitset of their first letters keeps this fast for long values. It has two words, because WebAssembly needs a
    // call to shift 128 bits.
    #[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
    const FIRST: [u64; 2] = {
        let (mut first, mut at) = ([0; 2], 0);
        while at < DUMMY_VALUES.len() {
            let letter = DUMMY_VALUES[at].as_bytes()[0];
            first[(letter >> 6) as usize] |= 1 << (letter & 63);
            at += 1;
        }
        first
    };
    let rest = value.get(place..).unwrap_or_default();
    let begins = |word: &&str| {
        rest.get(..word.len()).is_some_and(|written| {
            // Long tokens contain any short word by chance, but rarely in a single case.
            let tail = written.get(1..).unwrap_or_default();
            let drawn = word.len() <= 4
                && tail.iter().any(u8::is_ascii_uppercase)
                && written.iter().any(u8::is_ascii_lowercase);
            written.eq_ignore_ascii_case(word.as_bytes()) && !drawn
        })
    };
    let first = at(rest, 0).to_ascii_lowercase();
    let half = FIRST.get(usize::from(first >> 6));
    half.is_some_and(|half| half >> (first & 63) & 1 == 1) && DUMMY_VALUES.iter().any(begins)
}

/// Returns the start of the word around a `w`, if it is a word for a password.
fn announcing_word(bytes: &[u8], floor: usize, place: usize) -> Option<usize> {
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let known = matches!(before(bytes, place, 1), b's' | b'S') && matches!(at(bytes, place + 1), b'o' | b'd');
    // The end of `word`, `wort` or `wd`.
    let end = place + if at(bytes, place + 1) == b'o' { 4 } else { 2 };
    let goes_on = !matches!(at(bytes, end), b' ' | b'\t' | b'\n' | b'\r' | b'_');
    let start = (known && !goes_on).then(|| start_of(bytes, floor, place, WINDOW, word))?;
    // Words are read from their first letter or digit on.
    Some(end_of(bytes, start, WINDOW, |byte| byte == b'_'))
}

/// Finds an assigned secret. If it has the format of a known token, the rule is that of the token.
fn assigned(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let (rule, start, end) = assignment::find(bytes, floor, place)?;
    Some(token(bytes, start).unwrap_or((rule, start, end)))
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use crate::secrets::{connection::NextAtSign, kinds::KINDS};

    #[test]
    fn what_is_passed_over_holds_no_secret() {
        const PIECES: [&str; 30] = [
            "=", ":", ": ", "\"", "-", "--", "://", "@", " ", "\n", ".", "/", "_", "password", "bearer ",
            "api_key", "login ", "passwd", "is ", " -p", "mysql ", "curl ", " -u ", "<", ">", "</", "w",
            "hooks/", "https", "\\",
        ];
        let prefixes: Vec<&str> = KINDS.iter().flat_map(|kind| kind.prefixes.split(' ')).collect();
        let mut seed = 1u64;
        let mut below = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % bound
        };
        let secrets = Secrets::default();
        for _ in 0..4000 {
            let mut text = String::new();
            for _ in 0..below(40) {
                match below(4) {
                    0 => text.push_str(prefixes.get(below(prefixes.len())).unwrap_or(&"")),
                    1 => text.push_str(PIECES.get(below(PIECES.len())).unwrap_or(&"")),
                    2 => text.extend((0..below(40)).map(|_| char::from(b'0' + below(75) as u8))),
                    _ => text.extend((0..below(9)).map(|_| char::from(b'a' + below(26) as u8))),
                }
            }
            let (mut naive, mut from, mut place) = (Vec::new(), 0, 0);
            while place < text.len() {
                match secrets.scan_at(&text, from, place, &mut NextAtSign::default()) {
                    Ok(found) => {
                        naive.push(found);
                        (from, place) = (found.end, found.end);
                    }
                    Err(next) => place = next,
                }
            }
            assert_eq!(secrets.secrets(&text).collect::<Vec<_>>(), naive, "{text:?}");
        }
    }
}
