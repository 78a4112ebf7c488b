//! Passwords in the options of commands: `mysql -p…`, `curl -u name:…`, `--api-key …`.

use super::{
    assignment::{COMMAND, NAME, VALUE, is_quote, value},
    secret_name::Name,
    secret_value::is_plausible_password,
};
use crate::{
    scan::bytes::{at, before, end_of, start_of},
    secrets::rules::SecretMatch,
};

/// Options of commands that take a password: the command or subcommand, the letter, and whether a space may precede the
/// password.
const OPTIONS: [(&[u8], u8, bool); 9] = [
    (b"mysql", b'p', false),
    (b"mysqldump", b'p', false),
    (b"mysqladmin", b'p', false),
    (b"mariadb", b'p', false),
    (b"sshpass", b'p', true),
    (b"login", b'p', true),
    (b"redis-cli", b'a', true),
    (b"ldapsearch", b'w', true),
    (b"unzip", b'P', true),
];

/// Commands whose option `-u`, `--user` or `-a` takes a name and a password.
const PAIRS: [&[u8]; 5] = [b"curl", b"wget", b"http", b"https", b"xh"];

/// Finds the password after the option that begins with the `-` at a position.
pub(crate) fn option(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let previous = before(bytes, place, 1);
    if previous > b' ' && !is_quote(previous) {
        return None;
    }
    if at(bytes, place + 1) == b'-' {
        let end = end_of(bytes, place + 2, NAME, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let name = Name::read(bytes.get(place + 2..end)?).filter(|_| at(bytes, end) == b' ')?;
        let found = value(bytes, end + 1);
        let text = bytes.get(found.start..found.end).filter(|_| found.ended)?;
        return name.accepts(text, true).then_some((name.rule(), found.start, found.end));
    }
    let letter = at(bytes, place + 1);
    if !matches!(letter, b'p' | b'a' | b'w' | b'P') {
        return None;
    }
    let glued = at(bytes, place + 2) != b' ';
    let found = value(bytes, place + 2 + usize::from(!glued));
    let text =
        bytes.get(found.start..found.end).filter(|text| found.ended && is_argument(text, found.quoted))?;
    let known = is_command(bytes, floor, place, |word| {
        let takes = |(command, option, separate): &(&[u8], u8, bool)| {
            *option == letter && (glued || *separate) && *command == word
        };
        OPTIONS.iter().any(takes)
    });
    known.then(|| ("password", found.end - text.len(), found.end))
}

/// Finds the password after the colon at a position, in `curl -u name:password`.
pub(crate) fn option_pair(bytes: &[u8], floor: usize, place: usize) -> SecretMatch {
    let user = |byte: u8| byte > b' ' && !is_quote(byte) && byte != b':' && byte != b'=';
    let mut name = start_of(bytes, floor, place, NAME, user);
    if name == place || at(bytes, place + 1) == b'/' {
        return None;
    }
    let quote = Some(before(bytes, name, 1)).filter(|byte| is_quote(*byte));
    name -= usize::from(quote.is_some());
    let gap = start_of(bytes, floor, name, 2, |byte| matches!(byte, b' ' | b'='));
    // The last letters of the options.
    if !matches!(before(bytes, gap, 1), b'u' | b'r' | b'a' | b'h' | b'U') {
        return None;
    }
    let options = [&b" -u"[..], b" --user", b" -a", b" --auth", b" --proxy-user", b" -U"];
    let ahead = bytes.get(floor..gap)?;
    let option = options.iter().find(|option| ahead.ends_with(option))?;
    let plain = |byte: u8| {
        byte != b'\n'
            && byte != b'\\'
            && Some(byte) != quote
            && (quote.is_some() || byte > b' ' && !is_quote(byte))
    };
    let end = end_of(bytes, place + 1, VALUE, plain);
    let text = bytes.get(place + 1..end).filter(|text| is_argument(text, quote.is_some()))?;
    let known = is_command(bytes, floor, gap - option.len() + 1, |word| PAIRS.contains(&word));
    (known && text.iter().any(|byte| !byte.is_ascii_digit())).then_some(("password", place + 1, end))
}

/// Returns whether an argument can be a password: not a variable, an example in capitals or another option.
fn is_argument(text: &[u8], quoted: bool) -> bool {
    let first = at(text, 0);
    text.len() >= 4
        && !b"-<[{$".contains(&first)
        && (quoted || !b"&*()|;>=".contains(&first))
        && !text.iter().all(|byte| byte.is_ascii_uppercase() || *byte == b'_')
        && is_plausible_password(text)
}

/// Returns whether a word before an option, on the same line, is a command that `is` accepts.
fn is_command(bytes: &[u8], floor: usize, option: usize, is: impl Fn(&[u8]) -> bool) -> bool {
    let line = start_of(bytes, floor, option, COMMAND, |byte| !matches!(byte, b'\n' | b'|' | b';' | b'/'));
    bytes
        .get(line..option)
        .unwrap_or_default()
        .split(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
        .any(is)
}
