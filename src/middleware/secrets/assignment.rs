//! Values that are assigned to a name such as `password`, `secret`, `token` or `api_key`: by a sign, in an element of XML, or
//! behind a word.

use crate::middleware::{
    framework::text_visitor::base64::decode,
    scan::bytes::{at, before, end_of, start_of},
    secrets::{rules::SecretMatch, token_runs::MIN_RUN},
};

/// Maximum length of a name and of a value, in bytes.
pub(super) const NAME: usize = 48;
pub(super) const VALUE: usize = 160;
/// Minimum length of a password, of one that consists of words, and of a key, in bytes.
const MIN_PASSWORD: usize = 7;
const MIN_WORDS: usize = 10;
const MIN_KEY: usize = 16;
/// Maximum number of backslashes before a quote: JSON in a string of JSON in a string of JSON.
const ESCAPES: usize = 7;
/// How far before an option the name of its command is looked for, in bytes.
pub(super) const COMMAND: usize = 64;

/// Ends of names, without the signs between their words.
const PASSWORDS: [&[u8]; 6] = [b"password", b"passwd", b"pwd", b"passphrase", b"pass", b"passwort"];
const KEYS: [&[u8]; 23] = [
    b"secret",
    b"token",
    b"apikey",
    b"accesskey",
    b"secretkey",
    b"privatekey",
    b"authkey",
    b"signingkey",
    b"encryptionkey",
    b"accountkey",
    b"storagekey",
    b"subscriptionkey",
    b"licensekey",
    b"sessionkey",
    b"sharedaccesskey",
    b"masterkey",
    b"secretkeybase",
    b"servicekey",
    b"credential",
    b"credentials",
    b"authorization",
    b"bearer",
    b"servicerolekey",
];

/// Words of which names, types and descriptions of passwords consist, and words for a password in other languages. A value
/// that contains one is no password that consists of words.
const ORDINARY: [&[u8]; 48] = [
    b"pass",
    b"pwd",
    b"word",
    b"secret",
    b"token",
    b"cred",
    b"auth",
    b"login",
    b"user",
    b"admin",
    b"string",
    b"text",
    b"type",
    b"field",
    b"input",
    b"value",
    b"valid",
    b"require",
    b"option",
    b"default",
    b"enable",
    b"disable",
    b"hidden",
    b"crypt",
    b"hash",
    b"plain",
    b"protect",
    b"generat",
    b"random",
    b"prompt",
    b"config",
    b"environ",
    b"setting",
    b"variable",
    b"param",
    b"argument",
    b"undefined",
    b"unknown",
    b"private",
    b"forgot",
    b"reset",
    b"incorrect",
    b"wrong",
    b"missing",
    b"provide",
    b"contrase",
    b"kennwort",
    b"wachtwoord",
];

/// What a name says about the value that it is given.
#[derive(Clone, Copy)]
pub(super) struct Name {
    password: bool,
    authorization: bool,
}

impl Name {
    /// The name that ends at a place, if it is that of a secret.
    fn before(bytes: &[u8], floor: usize, end: usize) -> Option<Self> {
        let start = start_of(bytes, floor, end, NAME, is_name);
        let mut name = bytes.get(start..end)?;
        // The name stands in a pair of its own: `name: DB_PASSWORD, value: …`.
        let word = name.iter().rposition(|byte| !byte.is_ascii_alphanumeric()).map_or(0, |sign| sign + 1);
        if name.get(word..)?.eq_ignore_ascii_case(b"value") {
            let sign = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b',');
            let end = start_of(bytes, floor, start + word, COMMAND, sign);
            name = bytes.get(start_of(bytes, floor, end, NAME, is_name)..end)?;
        }
        Self::of(name)
    }

    pub(super) fn of(name: &[u8]) -> Option<Self> {
        let password = ends(name, &PASSWORDS) && !ends(name, &[b"bypass", b"compass"]);
        (password || ends(name, &KEYS))
            .then(|| Self { password, authorization: ends(name, &[b"authorization"]) })
    }

    pub(super) fn rule(self) -> &'static str {
        if self.password { "password" } else { "assigned-secret" }
    }

    /// Whether a value looks drawn, or thought of as a password. A `whole` one has quotes or ends its line.
    pub(super) fn accepts(self, text: &[u8], whole: bool) -> bool {
        if self.password { is_password(text, whole) } else { is_random(text) || is_uuid(text) }
    }
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b' ')
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// A value, and how it was written.
pub(super) struct Value {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
    /// Whether it ends as values end: with its quote, or not at what continues an expression.
    pub ended: bool,
}

/// The value that begins at a place, with or without quotes.
pub(super) fn value(bytes: &[u8], place: usize) -> Value {
    let open = end_of(bytes, place, ESCAPES, |byte| byte == b'\\');
    let quote = at(bytes, open);
    if !is_quote(quote) {
        let plain = |byte: u8| byte > b' ' && byte < 0x7f && !b"\"'`<>(){}[],;\\=&:".contains(&byte);
        let mut end = end_of(bytes, place, VALUE, plain);
        // Behind a space nothing is a form, in which `&` separates values: `Password: a&b`, `password=a&user=b`.
        while before(bytes, place, 1) == b' ' && at(bytes, end) == b'&' && end < place + VALUE {
            let more = end_of(bytes, end + 1, VALUE, plain);
            if more == end + 1 || matches!(at(bytes, more), b'=' | b'(') {
                break;
            }
            end = more;
        }
        end = end_of(bytes, end, 2, |byte| byte == b'=');
        // A sentence ends with these, and a password with the latter two where no sentence goes on.
        let prose = at(bytes, end) == b' ' && !ends_line(bytes, end);
        let ends_sentence = |byte: u8| matches!(byte, b'.' | b':') || prose && matches!(byte, b'!' | b'?');
        while end > place && ends_sentence(before(bytes, end, 1)) {
            end -= 1;
        }
        let ended = !matches!(at(bytes, end), b'(' | b'[' | b'{' | b'\\');
        return Value { start: place, end, quoted: false, ended };
    }
    let start = open + 1;
    let plain = |byte: u8| byte > b' ' && byte < 0x7f && byte != quote && byte != b'\\';
    let mut end = end_of(bytes, start, VALUE, plain);
    while open == place && at(bytes, end) == b'\\' && at(bytes, end + 1) > b' ' && end < start + VALUE {
        end = end_of(bytes, end + 2, VALUE, plain);
    }
    let close = end_of(bytes, end, ESCAPES, |byte| byte == b'\\');
    Value { start, end, quoted: true, ended: close - end == open - place && at(bytes, close) == quote }
}

/// The value behind the `=`, `:` or `>` at a place.
pub(crate) fn find(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let element = at(bytes, place) == b'>';
    let mut end = if element { place } else { start_of(bytes, floor, place, 2, |byte| byte == b' ') };
    if !element && is_quote(before(bytes, end, 1)) {
        end = start_of(bytes, floor, end - 1, ESCAPES, |byte| byte == b'\\');
    }
    // What no such name ends with is what stands before most colons.
    let last = before(bytes, end, 1).to_ascii_lowercase();
    if !matches!(last, b'd' | b'e' | b'l' | b'n' | b'r' | b's' | b't' | b'y' | b'_' | b'-' | b'.') {
        return None;
    }
    let name = Name::before(bytes, floor, end)?;
    if element {
        let (start, end) = element_text(bytes, floor, place)?;
        let text = bytes.get(start..end)?;
        let accepted = name.accepts(text, true) || name.password && is_words(text);
        return accepted.then_some((name.rule(), start, end));
    }
    let start = end_of(bytes, place + 1, 4, |byte| matches!(byte, b'=' | b'>' | b' '));
    let mut found = value(bytes, start);
    let scheme = if name.authorization { scheme(bytes, found.start) } else { b"" };
    if !scheme.is_empty() {
        let quoted = found.quoted;
        found = value(bytes, found.start + scheme.len());
        (found.quoted, found.ended) = (quoted, found.ended && !found.quoted);
    }
    let Value { start, end, quoted, ended } = found;
    let text = bytes.get(start..end).filter(|_| ended)?;
    // The type of what a value is given to is none, nor is the name of a member.
    let typed = at(bytes, place) == b':' && bytes.get(end..end + 2) == Some(b" =");
    if !quoted && (typed || is_member(text)) {
        return None;
    }
    let whole = quoted || ends_line(bytes, end);
    // `;Password=…;` in a connection string.
    let first = start_of(bytes, floor, place, NAME, is_name);
    let pair = start == place + 1 && before(bytes, first, 1) == b';' && at(bytes, end) == b';';
    let accepted = match scheme {
        b"basic " => is_pair(text),
        _ => {
            name.accepts(text, whole) || name.password && (whole && is_words(text) || pair && is_mixed(text))
        }
    };
    accepted.then_some((name.rule(), start, end))
}

/// The text of the element of XML whose first tag ends at a place.
fn element_text(bytes: &[u8], floor: usize, place: usize) -> Option<(usize, usize)> {
    let name = start_of(bytes, floor, place, NAME, |byte| is_name(byte) && byte != b' ');
    let text = |byte: u8| byte > b' ' && byte < 0x7f && !matches!(byte, b'<' | b'>' | b'{' | b'$');
    let end = end_of(bytes, place + 1, VALUE, text);
    let closes = bytes.get(end..end + 2) == Some(b"</");
    (closes && matches!(before(bytes, name, 1), b'<' | b':')).then_some((place + 1, end))
}

/// Whether a value is an expression such as `url2.password`: names with dots between them.
fn is_member(text: &[u8]) -> bool {
    text.contains(&b'.')
        && text.split(|byte| *byte == b'.').all(|name| {
            at(name, 0).is_ascii_alphabetic()
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        })
}

/// Whether nothing follows on the line but a sign that separates values, or a comment.
fn ends_line(bytes: &[u8], place: usize) -> bool {
    let end = end_of(bytes, place, 8, |byte| matches!(byte, b' ' | b'\r'));
    end >= bytes.len() || at(bytes, end) == b'\n' || end > place && at(bytes, end) == b'#'
}

/// The value behind the word that ends at a place: `login jane password …` of a netrc file, `password is …`.
pub(crate) fn announced(bytes: &[u8], floor: usize, word: usize, end: usize) -> SecretMatch {
    let name = bytes.get(word..end)?;
    if !ends(name, &[b"password", b"passwd", b"passwort"]) {
        return None;
    }
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let start = end_of(bytes, end, 16, blank);
    if start == end {
        return None;
    }
    let is = [&b"is "[..], b"ist ", b"is: ", b"ist: ", b"was "];
    let verb = is.iter().find(|verb| bytes.get(start..).is_some_and(|rest| rest.starts_with(verb)));
    let found = value(bytes, start + verb.map_or(0, |verb| verb.len()));
    let text = bytes.get(found.start..found.end).filter(|_| found.ended)?;
    let accepted = if verb.is_some() {
        is_password(text, found.quoted)
    } else {
        let gap = start_of(bytes, floor, word, 16, blank);
        let user = start_of(bytes, floor, gap, NAME, |byte| byte > b' ');
        let before_user = start_of(bytes, floor, user, 16, blank);
        let login = bytes.get(floor..before_user).is_some_and(|ahead| ahead.ends_with(b"login"));
        login && gap < word && user < gap && before_user < user && is_plausible_password(text)
    };
    accepted.then_some(("password", found.start, found.end))
}

/// The key at a place, if the word before it says that it is one: `secret wJalr…`, `the token is 9fQz…`. Without a sign
/// between them, the key must have all that drawn ones have.
pub(crate) fn named_key(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let word = |end: usize| {
        let end = start_of(bytes, floor, end, 1, |byte| byte == b' ');
        start_of(bytes, floor, end, NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'_')..end
    };
    if before(bytes, place, 1) != b' ' {
        return None;
    }
    let mut name = word(place);
    if matches!(bytes.get(name.clone())?, b"is" | b"ist") {
        name = word(name.start);
    }
    if !ends(bytes.get(name)?, &[b"secret", b"token"]) {
        return None;
    }
    let found = value(bytes, place);
    let text = bytes.get(place..found.end).filter(|_| found.ended)?;
    let drawn = text.len() >= MIN_RUN && is_random(text) && is_strong_password(text);
    drawn.then_some(("assigned-secret", place, found.end))
}

/// The scheme of an `Authorization` header, in small letters.
fn scheme(bytes: &[u8], value: usize) -> &'static [u8] {
    let begins = |scheme: &&&[u8]| {
        let written = bytes.get(value..value + scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    };
    [&b"bearer "[..], b"basic ", b"token "].iter().find(begins).copied().unwrap_or_default()
}

/// Whether Base64 holds a name and a password.
fn is_pair(text: &[u8]) -> bool {
    let pair = std::str::from_utf8(text).ok().and_then(decode).unwrap_or_default();
    let colon = pair.iter().position(|byte| *byte == b':');
    colon.and_then(|colon| pair.get(colon + 1..)).is_some_and(is_plausible_password)
        && !pair.iter().any(u8::is_ascii_control)
}

/// Whether a name ends in one of some words, whatever its case and the signs between its words.
fn ends(name: &[u8], words: &[&[u8]]) -> bool {
    let mut last = [0; 16];
    let letters = name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
    last.iter_mut().rev().zip(letters).for_each(|(slot, letter)| *slot = letter.to_ascii_lowercase());
    words.iter().any(|word| last.ends_with(word))
}

fn classes(text: &[u8]) -> (usize, usize, usize, usize) {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    (
        count(u8::is_ascii_lowercase),
        count(u8::is_ascii_uppercase),
        count(u8::is_ascii_digit),
        count(|byte| byte.is_ascii_punctuation()),
    )
}

/// How many different bytes.
pub(crate) fn variety(text: &[u8]) -> u32 {
    text.iter().fold(0u128, |seen, byte| seen | 1 << (byte & 127)).count_ones()
}

/// What a person thinks of: several kinds of characters, no path, no name in a program.
fn is_password(text: &[u8], whole: bool) -> bool {
    let (small, capital, digits, signs) = classes(text);
    let kinds = [small, capital, digits, signs].into_iter().filter(|count| *count > 0).count();
    let name = text
        .iter()
        .all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-' | b'/' | b'$'));
    text.len() >= MIN_PASSWORD
        && variety(text) >= 5
        && (!name || changes_case(text))
        && (kinds > 2 || whole && kinds > 1 || digits > 1 && kinds > 1 || changes_case(text))
        && !text.starts_with(b"$")
        && !text.windows(2).any(|two| two == b"${")
}

/// Whether a password has two kinds of letters, or letters and digits.
fn is_mixed(text: &[u8]) -> bool {
    let (small, capital, digits, _) = classes(text);
    text.len() >= MIN_PASSWORD && small > 0 && capital + digits > 0
}

/// Whether the case of letters changes as often as where they are drawn one by one.
fn changes_case(text: &[u8]) -> bool {
    let change = |two: &&[u8]| match two {
        [left, right] => {
            left.is_ascii_lowercase() && right.is_ascii_uppercase()
                || left.is_ascii_uppercase() && right.is_ascii_lowercase()
        }
        _ => false,
    };
    let (small, capital, ..) = classes(text);
    text.windows(2).filter(change).count() * 5 >= text.len() * 2 && small.min(capital) * 10 >= text.len() * 3
}

/// Whether a password consists of words, none of which a name, a type or a description would have.
fn is_words(text: &[u8]) -> bool {
    let hyphens = text.iter().filter(|byte| **byte == b'-').count();
    text.len() >= MIN_WORDS
        && text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-')
        && (hyphens == 0 || hyphens > 2)
        && variety(text) >= 4
        && !(0..text.len()).any(|place| {
            let rest = text.get(place..).unwrap_or_default();
            ORDINARY.iter().any(|word| rest.starts_with(word))
        })
}

/// What a machine makes: no words, digits among letters, few characters twice.
pub(crate) fn is_random(text: &[u8]) -> bool {
    let (small, capital, digits, signs) = classes(text);
    let letters = small + capital;
    let hex = text.iter().all(|byte| byte.is_ascii_hexdigit());
    // A word of a name or of prose has no digits in its middle.
    let mixed = text
        .windows(2)
        .filter(|two| matches!(two, [left, right] if left.is_ascii_digit() != right.is_ascii_digit()))
        .count();
    text.len() >= MIN_KEY
        && (digits >= 2 && letters >= 2 && mixed >= 3 || changes_case(text))
        && signs * 6 <= text.len()
        && variety(text) as usize >= if hex { 8 } else { text.len().min(40) * 2 / 5 }
        && !text.starts_with(b"$")
        && (small > 0 || !text.contains(&b'_'))
        && !is_uuid(text)
}

pub(crate) fn is_uuid(text: &[u8]) -> bool {
    let fits = |(place, byte): (usize, &u8)| match place {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.iter().enumerate().all(fits) && variety(text) >= 6
}

/// Whether a password has small and capital letters and digits, so that it is no name.
pub(crate) fn is_strong_password(text: &[u8]) -> bool {
    let (small, capital, digits, _) = classes(text);
    text.len() >= MIN_PASSWORD && small.min(capital).min(digits) > 0
}

/// Whether what stands in the place of a password can be one.
pub(crate) fn is_plausible_password(password: &[u8]) -> bool {
    let known =
        [&b"password"[..], b"pass", b"pwd", b"secret", b"user", b"pw", b"p", b"token", b"postgres", b"root"];
    password.len() > 2
        && !known.iter().any(|known| known.eq_ignore_ascii_case(password))
        && !password.starts_with(b"*")
}
