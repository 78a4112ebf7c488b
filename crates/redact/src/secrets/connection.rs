//! Passwords in URLs and in connection strings that resemble URLs.

use crate::{
    scan::{
        byte_class::ByteClass,
        bytes::{at, before, end_of, start_of},
    },
    secrets::{
        rules::SecretMatch,
        secret_value::{is_plausible_password, is_strong_password},
    },
};

/// Maximum length of a name and of a password, in bytes; and of a password without a scheme, or with a slash in it.
const CREDENTIALS: usize = 256;
const SHORT: usize = 48;

/// The sign that ends a password.
const AT_SIGN: ByteClass<1> = ByteClass([(b'@', b'@')]);

/// Maximum distance, in bytes, between a colon and the `@` after the password. With a driver, a name is between them.
const REACH: usize = 2 * CREDENTIALS + 4;

/// The next `@` of a text, cached for all colons before it.
#[derive(Debug, Default)]
pub(crate) struct NextAtSign {
    /// The start of a range without `@`, which ends at `place`.
    from: usize,
    place: usize,
}

impl NextAtSign {
    /// Returns whether an `@` follows a position closely enough to end a password.
    fn is_near(&mut self, bytes: &[u8], place: usize) -> bool {
        let near = place + REACH;
        if !(self.from..=self.place).contains(&place) {
            (self.from, self.place) = (place, place);
        }
        if self.place < near && at(bytes, self.place) != b'@' {
            let window = bytes.get(..near + REACH).unwrap_or(bytes);
            self.place = AT_SIGN.find(window, self.place).unwrap_or(window.len());
        }
        self.place < near && at(bytes, self.place) == b'@'
    }
}

/// The ends of schemes, also with slashes escaped as in JSON.
const SCHEME_ENDS: [&[u8]; 2] = [b"://", b":\\/\\/"];

/// Drivers whose URLs have the form `driver:name/password@host`.
const DRIVERS: [&[u8]; 2] = [b"oracle:thin", b"oracle:oci"];

/// Returns the password of `scheme://name:password@host`, where `place` is that of the colon before it. Slashes and
/// question marks in the password are accepted, although a URL should encode them.
///
/// The name is not part of the match: it may be a token itself or look like a placeholder. `//name:password@host` and
/// `name:password@host` are found if the password mixes letters, digits and signs.
pub(crate) fn connection(bytes: &[u8], place: usize, at_sign: &mut NextAtSign) -> SecretMatch {
    if at(bytes, place) != b':' || !at_sign.is_near(bytes, place) {
        return None;
    }
    let name = start_of(bytes, 0, place, CREDENTIALS, |byte| is_password_byte(byte) && byte != b':');
    let ahead = bytes.get(..name)?;
    // Comparing the last byte first excludes most colons.
    let driver = matches!(before(bytes, place, 1), b'n' | b'i')
        && DRIVERS.iter().any(|driver| bytes.get(..place).is_some_and(|url| url.ends_with(driver)));
    let scheme =
        driver || before(bytes, name, 1) == b'/' && SCHEME_ENDS.iter().any(|end| ahead.ends_with(end));
    // Without a scheme, the name must not be empty.
    if name == place && !scheme {
        return None;
    }
    let start = if driver {
        end_of(bytes, place + 1, CREDENTIALS, |byte| is_password_byte(byte) && byte != b'@') + 1
    } else {
        place + 1
    };
    if matches!(at(bytes, start), b'$' | b'@' | b'/') || driver && before(bytes, start, 1) != b'/' {
        return None;
    }
    let most = if scheme { CREDENTIALS } else { SHORT };
    // Few colons have an `@` close enough after them; the others are skipped early.
    let reach = bytes.len().min(start + most + 1);
    AT_SIGN.find(bytes.get(..reach)?, start)?;
    let end = end_of(bytes, start, most, |byte| is_password_byte(byte) && (scheme || byte != b'@'));
    let end = end + usize::from(!scheme && at(bytes, end) == b'@');
    let at_sign = |mut window: std::slice::Iter<'_, u8>, last: bool| {
        if last { window.rposition(|byte| *byte == b'@') } else { window.position(|byte| *byte == b'@') }
    };
    let length = match at_sign(bytes.get(start..end)?.iter(), true) {
        Some(length) => length,
        // The password continues after a slash. A number before the slash is a port.
        None if scheme && bytes.get(start..end)?.iter().any(|byte| !byte.is_ascii_digit()) => {
            let window = bytes.get(start..end_of(bytes, start, SHORT, is_plain))?;
            let length = at_sign(window.iter(), false)?;
            if !has_host(bytes, start + length + 1) || before(bytes, start + length, 1) == b'/' {
                return None;
            }
            length
        }
        None => return None,
    };
    let password = bytes.get(start..start + length)?;
    let known = if scheme {
        is_plausible_password(password)
    } else {
        has_host(bytes, start + length + 1) && is_strong_password(password)
    };
    known.then_some(("connection-password", start, start + length))
}

/// Returns whether the name of a host begins at a position: it has a dot, and ends with a letter.
fn has_host(bytes: &[u8], place: usize) -> bool {
    let host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
    let end = end_of(bytes, place, CREDENTIALS, host);
    before(bytes, end, 1).is_ascii_alphabetic()
        && bytes.get(place..end).is_some_and(|host| host.contains(&b'.'))
}

/// Returns whether a URL may contain a byte that is not a sign of a template.
fn is_plain(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'\\' | b'{' | b'}')
}

fn is_password_byte(byte: u8) -> bool {
    is_plain(byte) && !matches!(byte, b'/' | b'?' | b'#')
}
