//! What gives access, in texts: tokens by the beginnings that their givers chose, private keys, the passwords of
//! connection strings, and values that look made by a machine and are called a secret.
//!
//! A token has at least twenty characters in a row that no sign interrupts, so only such runs are read word by word: a
//! word whose first three bytes begin a known token is looked at. So is what stands around `=`, `:`, `://` and `--`.
//! Each look is bounded, so the time is linear.

mod assignment;
mod key;
mod run;
mod table;

use std::sync::LazyLock;

use super::pii::{
    Finding, Kind, Scan,
    bytes::{at, before, end_of, start_of},
    handle,
    scanner::Look,
};
use crate::middleware::signs::Signs;
use assignment::variety;
use table::{Body, RULES, Rule};

/// Longest name and password of a connection string, in bytes.
const CREDENTIALS: usize = 256;

/// What is no secret though it is written like one: documentation, and what people fill in later.
const PLACEHOLDERS: [&str; 14] = [
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

/// What stands in or before a secret, or begins a handle.
const SIGNS: Signs<4> = Signs([(b'-', b'-'), (b':', b':'), (b'=', b'='), (b'[', b'[')]);

/// How far ahead is looked for signs and runs at once: what is found before them is looked for anew from its end on.
const WINDOW: usize = 256;

/// What a text that looks like a handle is found as.
const HANDLE: &str = "handle";

/// A scanner for secrets.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    allowed: Vec<String>,
}

/// A secret, and what it is by the name of its rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Secret {
    /// `github-token`, `private-key`, `password`.
    pub rule: &'static str,
    /// Its first byte.
    pub start: usize,
    /// The byte behind its last.
    pub end: usize,
}

/// Which first three bytes begin a token, by their hash.
static BEGINNINGS: LazyLock<[u64; 64]> = LazyLock::new(|| {
    let mut known = [0; 64];
    for prefix in RULES.iter().flat_map(|rule| rule.prefixes.split(' ')) {
        let bytes = prefix.as_bytes();
        let third = |third: u8, known: &mut [u64; 64]| {
            let hash = beginning(at(bytes, 0), at(bytes, 1), third);
            if let Some(word) = known.get_mut(usize::from(hash >> 6)) {
                *word |= 1 << (hash & 63);
            }
        };
        if bytes.len() > 2 {
            third(at(bytes, 2), &mut known)
        } else {
            (0..=127).for_each(|any| third(any, &mut known))
        }
    }
    known
});

/// A beginning, and the rule of the tokens that have it.
type Beginning = (&'static [u8], &'static Rule);

/// The beginnings of tokens, by their first letter.
static BY_LETTER: LazyLock<Vec<Vec<Beginning>>> = LazyLock::new(|| {
    let mut known = vec![Vec::new(); 128];
    for rule in RULES {
        for prefix in rule.prefixes.split(' ') {
            if let Some(known) = known.get_mut(usize::from(at(prefix.as_bytes(), 0))) {
                known.push((prefix.as_bytes(), rule));
            }
        }
    }
    known
});

fn beginning(first: u8, second: u8, third: u8) -> u16 {
    let key = u32::from_le_bytes([first, second, third, 0]);
    (key.wrapping_mul(0x9e37_79b1) >> 20) as u16
}

impl Secrets {
    /// A scanner that passes by a secret in which one of some texts stands.
    pub fn new(allowed: Vec<String>) -> Self {
        Self { allowed }
    }

    /// The first secret that begins at `from` or later.
    pub fn secret(&self, text: &str, from: usize) -> Option<Secret> {
        self.find(text, from, false)
    }

    /// The same; or, where `handles` are looked for, the first text that looks like one.
    fn find(&self, text: &str, from: usize, handles: bool) -> Option<Secret> {
        let bytes = text.as_bytes();
        let (mut place, mut run) = (from, from..from);
        while place < bytes.len() {
            // Every place in a run is looked at; outside of runs, signs are.
            if place >= run.end {
                let window = bytes.get(..place + WINDOW).unwrap_or(bytes);
                let sign = SIGNS.next(window, place);
                let until = sign.unwrap_or(window.len());
                // Some signs can begin a run themselves.
                match run::next(bytes, from, place, until + usize::from(sign.is_some())) {
                    Some(next) => (place, run) = (next.start, next),
                    None if sign.is_some() => place = until,
                    None if until == bytes.len() => return None,
                    // A word that belongs to a run may stand across the end of the window.
                    None => {
                        place = until - run::BEARER.len();
                        continue;
                    }
                }
            }
            if handles
                && at(bytes, place) == b'['
                && let Look::Found(found) = handle::look(bytes, place)
            {
                return Some(Secret { rule: HANDLE, start: found.start, end: found.end });
            }
            match self.look(text, from, place) {
                Ok(found) => return Some(found),
                Err(next) => place = next,
            }
        }
        None
    }

    /// Every secret of a text, in order.
    pub fn secrets<'s>(&'s self, text: &'s str) -> impl Iterator<Item = Secret> + 's {
        let mut from = 0;
        std::iter::from_fn(move || {
            let found = self.secret(text, from)?;
            from = found.end;
            Some(found)
        })
    }

    /// The secret that begins at a place or before a sign there; else where to look next.
    fn look(&self, text: &str, floor: usize, place: usize) -> Result<Secret, usize> {
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
            (found.or_else(|| bearer(bytes, place, end)), end)
        } else {
            let found = match byte {
                b':' | b'=' => connection(bytes, place)
                    .or_else(|| telegram(bytes, floor, place))
                    .or_else(|| assigned(bytes, floor, place)),
                b'-' if at(bytes, place + 1) == b'-' => key::find(bytes, place),
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
        // A key goes on for lines in which anything may stand.
        (rule != "private-key" && (0..value.len()).any(|place| is_placeholder(value.as_bytes(), place)))
            || self.allowed.iter().any(|allowed| !allowed.is_empty() && value.contains(allowed.as_str()))
    }
}

impl Scan for Secrets {
    const REACH: usize = 2 * key::KEY;

    fn next(&self, text: &str, from: usize) -> Option<Finding> {
        let found = self.find(text, from, true)?;
        let kind = if found.rule == HANDLE { Kind::Handle } else { Kind::Secret };
        Some(Finding { kind, start: found.start, end: found.end })
    }
}

/// Whether one of the placeholders begins here.
fn is_placeholder(value: &[u8], place: usize) -> bool {
    // Their first letters, one bit each: a value may be long, and there may be many.
    #[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
    const FIRST: u128 = {
        let (mut first, mut at) = (0, 0);
        while at < PLACEHOLDERS.len() {
            first |= 1 << PLACEHOLDERS[at].as_bytes()[0];
            at += 1;
        }
        first
    };
    let rest = value.get(place..).unwrap_or_default();
    let begins =
        |word: &&str| rest.get(..word.len()).is_some_and(|rest| rest.eq_ignore_ascii_case(word.as_bytes()));
    let first = at(rest, 0).to_ascii_lowercase();
    first < 0x80 && FIRST >> first & 1 == 1 && PLACEHOLDERS.iter().any(begins)
}

/// What is assigned, by the rule of the token that it is, if it is one.
fn assigned(bytes: &[u8], floor: usize, place: usize) -> Found {
    let (rule, start, end) = assignment::find(bytes, floor, place)?;
    Some(token(bytes, start).unwrap_or((rule, start, end)))
}

type Found = Option<(&'static str, usize, usize)>;

/// The token that begins here, if its beginning is known.
fn token(bytes: &[u8], start: usize) -> Found {
    let hash = beginning(at(bytes, start), at(bytes, start + 1), at(bytes, start + 2));
    if BEGINNINGS.get(usize::from(hash >> 6)).is_none_or(|word| word >> (hash & 63) & 1 == 0) {
        return discord(bytes, start);
    }
    let rest = bytes.get(start..)?;
    // What begins in the middle of a run that the body could have was read with that run.
    let run =
        |body: Body| matches!(body, Body::Url | Body::Any | Body::Hex) && body.has(before(bytes, start, 1));
    let known = BY_LETTER.get(usize::from(at(bytes, start)))?;
    known
        .iter()
        .filter(|(prefix, rule)| rest.starts_with(prefix) && !run(rule.body))
        .find_map(|(prefix, rule)| body(bytes, rule, start, start + prefix.len()))
}

fn body(bytes: &[u8], rule: &Rule, start: usize, body: usize) -> Found {
    let mut end = end_of(bytes, body, rule.most + 1, |byte| rule.body.has(byte));
    while end > body && matches!(before(bytes, end, 1), b'.' | b'-' | b'=' | b'/') && end - body > rule.least
    {
        end -= 1;
    }
    let text = bytes.get(body..end)?;
    if !(rule.least..=rule.most).contains(&text.len()) || at(bytes, end).is_ascii_alphanumeric() {
        return None;
    }
    let fits = match rule.name {
        "json-web-token" => is_web_token(text),
        "github-token" if rule.body == Body::Any => {
            let id = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
            text.get(id..).is_some_and(|rest| rest.starts_with(b"_eyJ")) && is_web_token(text)
        }
        "airtable-token" => text.get(14) == Some(&b'.'),
        _ => true,
    };
    // Words in a row are no token, nor is one character again and again.
    let varied = variety(text) >= if matches!(rule.body, Body::Hex | Body::Base32) { 7 } else { 9 };
    let drawn = || text.iter().any(u8::is_ascii_digit) || rule.body == Body::Base32 || is_drawn(text);
    (fits && varied && drawn()).then_some((rule.name, start, end))
}

/// Header, claims and signature.
fn is_web_token(text: &[u8]) -> bool {
    text.iter().filter(|byte| **byte == b'.').count() == 2
}

/// Whether letters were drawn one by one: a fifth of them at least is of either case, and names have fewer capitals.
fn is_drawn(text: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    count(u8::is_ascii_uppercase).min(count(u8::is_ascii_lowercase)) * 5 >= text.len()
}

/// `Bearer …` in a header.
fn bearer(bytes: &[u8], start: usize, end: usize) -> Found {
    if !bytes.get(start..end).is_some_and(|word| word.eq_ignore_ascii_case(b"bearer"))
        || at(bytes, end) != b' '
    {
        return None;
    }
    let value = end + 1;
    let stop = end_of(bytes, value, 1024, |byte| Body::Any.has(byte));
    let text = bytes.get(value..stop)?;
    (text.len() >= 20 && assignment::is_random(text)).then_some(("bearer-token", value, stop))
}

/// Three parts of which the first is a number in Base64.
fn discord(bytes: &[u8], start: usize) -> Found {
    if !matches!(at(bytes, start), b'M' | b'N' | b'O') {
        return None;
    }
    let first = end_of(bytes, start, 30, |byte| byte.is_ascii_alphanumeric());
    if !(23..=28).contains(&(first - start)) || at(bytes, first) != b'.' {
        return None;
    }
    let second = end_of(bytes, first + 1, 8, |byte| Body::Url.has(byte));
    let third = end_of(bytes, second + 1, 48, |byte| Body::Url.has(byte));
    let fits = second == first + 7 && at(bytes, second) == b'.' && (27..=44).contains(&(third - second - 1));
    fits.then_some(("discord-token", start, third))
}

/// A number, and 35 characters that begin with `AA`.
fn telegram(bytes: &[u8], floor: usize, place: usize) -> Found {
    if at(bytes, place + 1) != b'A' || at(bytes, place + 2) != b'A' {
        return None;
    }
    let start = start_of(bytes, floor, place, 11, |byte| byte.is_ascii_digit());
    let end = end_of(bytes, place + 1, 36, |byte| Body::Url.has(byte));
    ((8..=10).contains(&(place - start)) && end == place + 36).then_some(("telegram-token", start, end))
}

/// Whether what stands in the place of a password can be one.
fn is_real(password: &[u8]) -> bool {
    let known =
        [&b"password"[..], b"pass", b"pwd", b"secret", b"user", b"pw", b"p", b"token", b"postgres", b"root"];
    password.len() > 2
        && !known.iter().any(|known| known.eq_ignore_ascii_case(password))
        && !password.starts_with(b"*")
}

/// The password of `scheme://name:password@host`, by the colon before it: the name is looked at for itself, as it may be
/// a token or look like a handle.
fn connection(bytes: &[u8], place: usize) -> Found {
    let part = |byte: u8| {
        byte > b' '
            && !matches!(
                byte,
                b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'{' | b'}' | b'$'
            )
    };
    let name = start_of(bytes, 0, place, CREDENTIALS, |byte| part(byte) && byte != b':');
    if at(bytes, place) != b':' || !bytes.get(..name)?.ends_with(b"://") {
        return None;
    }
    let behind = bytes.get(place + 1..end_of(bytes, name, CREDENTIALS, part))?;
    let password = behind.get(..behind.iter().rposition(|byte| *byte == b'@')?)?;
    is_real(password).then_some(("connection-password", place + 1, place + 1 + password.len()))
}
