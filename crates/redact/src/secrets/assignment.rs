//! Values that are assigned to a name such as `password`, `secret`, `token` or `api_key`: with a sign, in an XML
//! element, or after a word.

use crate::{
    scan::base64::decode_base64,
    scan::bytes::{at, before, end_of, start_of},
    secrets::{
        rules::SecretMatch,
        secret_name::{ANNOUNCING, BARE, Ending, Name, VALUES, is_name},
        secret_value::{
            MIN_PASSWORD, is_mixed, is_password, is_plausible_password, is_random, is_strong_password,
            is_uuid, is_words,
        },
        token_runs::MIN_RUN,
    },
};

/// Maximum length of a name and of a value, in bytes.
pub(super) const NAME: usize = 48;
pub(super) const VALUE: usize = 160;
/// Maximum number of backslashes before a quote: JSON in a string of JSON in a string of JSON.
const ESCAPES: usize = 7;
/// Length of the name `value`.
const VALUES_NAME: usize = 5;
/// Maximum distance, in bytes, between the name of a command and its option.
pub(super) const COMMAND: usize = 64;

impl Name {
    /// Returns the name that ends at a position, if it is that of a secret.
    fn before(bytes: &[u8], floor: usize, end: usize) -> Option<Self> {
        let ending = Ending::before(bytes, floor, end, NAME);
        // The name is in a pair of its own: `name: DB_PASSWORD, value: …`.
        let word = |byte: u8| byte.is_ascii_alphanumeric();
        if ending.is_one_of(&VALUES)
            && let word = start_of(bytes, floor, end, VALUES_NAME + 1, word)
            && end - word == VALUES_NAME
        {
            let sign = |byte: u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'"' | b'\'' | b',');
            let end = start_of(bytes, floor, word, COMMAND, sign);
            return Self::with_ending(Ending::before(bytes, floor, end, NAME));
        }
        Self::with_ending(ending)
    }

    /// Returns whether a value looks random or, for the name of a password, like a password. A `whole` value has quotes
    /// or ends its line.
    pub(super) fn accepts(self, text: &[u8], whole: bool) -> bool {
        if self.password { is_password(text, whole) } else { is_random(text) || is_uuid(text) }
    }
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// Returns whether a byte can be in a value: a letter or sign of any alphabet, but no blank or control of ASCII.
fn is_written(byte: u8) -> bool {
    byte > b' ' && byte != 0x7f
}

/// Returns the position of the first no-break or ideographic space from `start` on, `end` if there is none before it.
fn blank_beyond_ascii(bytes: &[u8], start: usize, end: usize) -> usize {
    let blank = |place: &usize| {
        let rest = bytes.get(*place..).unwrap_or_default();
        [&b"\xc2\xa0"[..], b"\xe2\x80\xaf", b"\xe3\x80\x80"].iter().any(|blank| rest.starts_with(blank))
    };
    (start..end).find(blank).unwrap_or(end)
}

/// A value and its notation.
pub(super) struct Value {
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
    /// Whether the value is complete: its closing quote follows, or no sign that would continue an expression.
    pub ended: bool,
}

/// Returns the value that begins at a position, with or without quotes.
pub(super) fn value(bytes: &[u8], place: usize) -> Value {
    let open = end_of(bytes, place, ESCAPES, |byte| byte == b'\\');
    if is_quote(at(bytes, open)) { quoted_value(bytes, place, open) } else { unquoted_value(bytes, place) }
}

/// Returns the value whose opening quote is at `open`, behind the backslashes that begin at `place`.
fn quoted_value(bytes: &[u8], place: usize, open: usize) -> Value {
    let quote = at(bytes, open);
    let start = open + 1;
    let plain = |byte: u8| is_written(byte) && byte != quote && byte != b'\\';
    let mut end = end_of(bytes, start, VALUE, plain);
    while open == place && at(bytes, end) == b'\\' && at(bytes, end + 1) > b' ' && end < start + VALUE {
        end = end_of(bytes, end + 2, VALUE, plain);
    }
    let close = end_of(bytes, end, ESCAPES, |byte| byte == b'\\');
    Value { start, end, quoted: true, ended: close - end == open - place && at(bytes, close) == quote }
}

/// Returns the value without quotes that begins at a position.
fn unquoted_value(bytes: &[u8], place: usize) -> Value {
    let mut end = blank_beyond_ascii(bytes, place, unquoted_end(bytes, place));
    end = end_of(bytes, end, 2, |byte| byte == b'=');
    // These signs end a sentence. A password may itself end with `!` or `?`, unless a sentence continues after it.
    let prose = at(bytes, end) == b' ' && !ends_line(bytes, end);
    let ends_sentence = |byte: u8| matches!(byte, b'.' | b':') || prose && matches!(byte, b'!' | b'?');
    while end > place && ends_sentence(before(bytes, end, 1)) {
        end -= 1;
    }
    let ended = !matches!(at(bytes, end), b'(' | b'[' | b'{' | b'\\');
    Value { start: place, end, quoted: false, ended }
}

/// Returns the position of the first sign or ASCII blank that ends a value without quotes.
///
/// After a space, `&` is part of the value (`Password: a&b`). In a form, it separates values (`password=a&user=b`). A
/// comma or semicolon is part of a value that is long enough without the rest.
fn unquoted_end(bytes: &[u8], place: usize) -> usize {
    let plain = |byte: u8| is_written(byte) && !is_separator(byte);
    let continues = |end: usize| match at(bytes, end) {
        b'&' => true,
        b',' | b';' => end - place >= MIN_PASSWORD,
        _ => false,
    };
    let mut end = end_of(bytes, place, VALUE, plain);
    while before(bytes, place, 1) == b' ' && continues(end) && end < place + VALUE {
        let more = end_of(bytes, end + 1, VALUE, plain);
        if more == end + 1 || matches!(at(bytes, more), b'=' | b'(' | b':') {
            break;
        }
        end = more;
    }
    end
}

/// Returns whether a byte can end a value without quotes.
fn is_separator(byte: u8) -> bool {
    matches!(byte, b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'[' | b']')
        || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'\\' | b'=' | b'&' | b':')
}

/// Finds the secret that is assigned by the `=`, `:` or `>` at a position.
pub(crate) fn find(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let element = at(bytes, place) == b'>';
    let mut name_end = if element { place } else { start_of(bytes, floor, place, 2, |byte| byte == b' ') };
    if !element && is_quote(before(bytes, name_end, 1)) {
        name_end = start_of(bytes, floor, name_end - 1, ESCAPES, |byte| byte == b'\\');
    }
    // The last byte excludes the text before most colons.
    let last = before(bytes, name_end, 1).to_ascii_lowercase();
    if !matches!(
        last,
        b'a' | b'd' | b'e' | b'l' | b'n' | b'o' | b'r' | b's' | b't' | b'y' | b'_' | b'-' | b'.'
    ) {
        return None;
    }
    if element {
        let (start, end) = element_text(bytes, floor, place)?;
        let name = Name::before(bytes, floor, name_end)?;
        let text = bytes.get(start..end)?;
        let accepted = name.accepts(text, true) || name.password && is_words(text);
        return accepted.then_some((name.rule(), start, end));
    }
    let start = end_of(bytes, place + 1, 4, |byte| matches!(byte, b'=' | b'>' | b' '));
    let mut found = value(bytes, start);
    // Most values are shorter than any secret, so their names are not read.
    if found.end - found.start < MIN_PASSWORD && scheme(bytes, found.start).is_empty() {
        return None;
    }
    let name = Name::before(bytes, floor, name_end)?;
    let scheme = if name.authorization { scheme(bytes, found.start) } else { b"" };
    if !scheme.is_empty() {
        let quoted = found.quoted;
        found = value(bytes, found.start + scheme.len());
        (found.quoted, found.ended) = (quoted, found.ended && !found.quoted);
    }
    let Value { start, end, quoted, ended } = found;
    let text = bytes.get(start..end).filter(|_| ended)?;
    // A type (`name: Type =`) is not a secret, and neither is an expression such as `url.password`.
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

/// Returns the text of the XML element whose start tag ends at a position.
fn element_text(bytes: &[u8], floor: usize, place: usize) -> Option<(usize, usize)> {
    let name = start_of(bytes, floor, place, NAME, |byte| is_name(byte) && byte != b' ');
    let text = |byte: u8| is_written(byte) && !matches!(byte, b'<' | b'>' | b'{' | b'$');
    let end = end_of(bytes, place + 1, VALUE, text);
    let closes = bytes.get(end..end + 2) == Some(b"</");
    (closes && matches!(before(bytes, name, 1), b'<' | b':')).then_some((place + 1, end))
}

/// Returns whether a value is an expression such as `url2.password`: names with dots between them.
fn is_member(text: &[u8]) -> bool {
    text.contains(&b'.')
        && text.split(|byte| *byte == b'.').all(|name| {
            at(name, 0).is_ascii_alphabetic()
                && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        })
}

/// Returns whether only blanks or a comment follow on the line.
fn ends_line(bytes: &[u8], place: usize) -> bool {
    let end = end_of(bytes, place, 8, |byte| matches!(byte, b' ' | b'\r'));
    end >= bytes.len() || at(bytes, end) == b'\n' || end > place && at(bytes, end) == b'#'
}

/// Finds the password after the word that ends at a position: `login jane password …` of a netrc file, `password is …`.
pub(crate) fn announced(bytes: &[u8], floor: usize, word: usize, end: usize) -> SecretMatch {
    let blank = |byte: u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    if !blank(at(bytes, end)) || !Ending::new(bytes.get(word..end)?).is_one_of(&ANNOUNCING) {
        return None;
    }
    let start = end_of(bytes, end, 16, blank);
    let is = [&b"is "[..], b"ist ", b"is: ", b"ist: ", b"was ", b"lautet ", b"lautet: "];
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

/// Finds the key at a position, if the word before it announces one: `secret wJalr…`, `the token is 9fQz…`. Because
/// there is no sign between them, the key must pass every check for random values.
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
    if !Ending::new(bytes.get(name)?).is_one_of(&BARE) {
        return None;
    }
    let found = value(bytes, place);
    let text = bytes.get(place..found.end).filter(|_| found.ended)?;
    let drawn = text.len() >= MIN_RUN && is_random(text) && is_strong_password(text);
    drawn.then_some(("assigned-secret", place, found.end))
}

/// Returns the scheme of an `Authorization` header and the space after it, in small letters; empty if there is none.
fn scheme(bytes: &[u8], value: usize) -> &'static [u8] {
    let begins = |scheme: &&&[u8]| {
        let written = bytes.get(value..value + scheme.len());
        written.is_some_and(|written| written.eq_ignore_ascii_case(scheme))
    };
    [&b"bearer "[..], b"basic ", b"token "].iter().find(begins).copied().unwrap_or_default()
}

/// Returns whether a text is Base64 of a name and a password.
fn is_pair(text: &[u8]) -> bool {
    let pair = std::str::from_utf8(text).ok().and_then(decode_base64).unwrap_or_default();
    let colon = pair.iter().position(|byte| *byte == b':');
    colon.and_then(|colon| pair.get(colon + 1..)).is_some_and(is_plausible_password)
        && !pair.iter().any(u8::is_ascii_control)
}
