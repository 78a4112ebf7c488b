//! URLs with credentials; in strict mode, all URLs.

use crate::{
    pii::settings::Settings,
    scan::{
        bytes::{at, before, end_of, start_of},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// Maximum length of a scheme, of credentials and a host, and of a URL, in bytes.
const SCHEME: usize = 32;
const AUTHORITY: usize = 512;
const URL: usize = 2048;

/// Finds the URL around `://`, if it has a name and a password; with `strict`, any URL.
pub(crate) fn scan_at(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    let behind = place + 3;
    if !settings.wants(Kind::Url) {
        return ScanStep::SkipTo(behind);
    }
    let scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let mut start = start_of(bytes, floor, place, SCHEME, scheme);
    while start < place && !at(bytes, start).is_ascii_alphabetic() {
        start += 1;
    }
    let authority =
        end_of(bytes, behind, AUTHORITY, |byte| is_url(byte) && !matches!(byte, b'/' | b'?' | b'#'));
    let credentials = bytes.get(behind..authority).is_some_and(|authority| {
        let user = authority.iter().rposition(|byte| *byte == b'@').unwrap_or(0);
        let user = authority.get(..user).unwrap_or_default();
        let password = user.iter().position(|byte| *byte == b':').and_then(|colon| user.get(colon + 1..));
        password.is_some_and(|password| !is_masked(password))
    });
    if start == place || authority == behind || !(credentials || settings.strict) {
        // The scan continues within the URL, which may contain an IP address.
        return ScanStep::SkipTo(behind);
    }
    let mut end = end_of(bytes, behind, URL, is_url);
    while end > authority
        && matches!(before(bytes, end, 1), b'.' | b',' | b';' | b':' | b'!' | b'?' | b')' | b']' | b'\'')
    {
        end -= 1;
    }
    while at(bytes, end) & 0xc0 == 0x80 {
        end += 1;
    }
    ScanStep::Found(Finding { kind: Kind::Url, start, end })
}

/// Returns whether a password was already removed: `…`, `***`.
fn is_masked(password: &[u8]) -> bool {
    let mask = |byte: &u8| matches!(byte, b'*' | b'.') || "…".as_bytes().contains(byte);
    password.iter().all(mask)
}

fn is_url(byte: u8) -> bool {
    byte > b' ' && !matches!(byte, b'"' | b'<' | b'>' | b'`' | b'{' | b'}' | b'|' | b'\\' | b'^' | 0x7f)
}
