//! IP and MAC addresses.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::{
    pii::settings::Settings,
    scan::{
        bytes::{at, before, digits_end, end_of, start_of},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// Maximum length of an IPv6 address, in bytes.
pub(crate) const IP6: usize = 45;

/// Finds an IPv4 address, whose first number is from `start` to `end`.
pub(crate) fn ip4(settings: &Settings, bytes: &[u8], start: usize, end: usize) -> Option<Finding> {
    if at(bytes, end) != b'.' || end - start > 3 || !settings.wants(Kind::Ip) || part_of_name(bytes, start) {
        return None;
    }
    let mut place = start;
    let mut address = 0u32;
    for part in 0..4 {
        let stop = digits_end(bytes, place, 4);
        let digits = bytes.get(place..stop)?;
        let number = digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'));
        if digits.is_empty() || digits.len() > 3 || number > 255 {
            return None;
        }
        address = address << 8 | number;
        if part < 3 && at(bytes, stop) != b'.' {
            return None;
        }
        place = if part < 3 { stop + 1 } else { stop };
    }
    let more = at(bytes, place + 1);
    let goes_on = match at(bytes, place) {
        b'.' | b'-' | b'_' => more.is_ascii_alphanumeric(),
        byte => byte.is_ascii_alphanumeric(),
    };
    let identifies = settings.strict || !is_internal(Ipv4Addr::from_bits(address));
    // `203.0.113.0/24` is a network.
    let network =
        !settings.strict && address & 0xff == 0 && at(bytes, place) == b'/' && more.is_ascii_digit();
    (!goes_on && identifies && !network && !is_version(bytes, start)).then_some(Finding {
        kind: Kind::Ip,
        start,
        end: place,
    })
}

/// Returns whether an address is not unique, so that it identifies no person: loopback, private, link-local,
/// unspecified, multicast and broadcast addresses.
fn is_internal(address: Ipv4Addr) -> bool {
    let [first, ..] = address.octets();
    matches!(first, 0 | 10 | 127 | 224..) || address.is_private() || address.is_link_local()
}

/// Returns whether an IPv6 address is not unique, so that it identifies no person.
fn is_internal6(address: Ipv6Addr) -> bool {
    address.is_loopback()
        || address.is_unspecified()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.to_ipv4_mapped().is_some_and(is_internal)
}

/// Returns whether a number is part of a name: `v1.2.3.4`, `lib-1.2.3.4`, `Chrome/1.2.3.4`.
fn part_of_name(bytes: &[u8], start: usize) -> bool {
    match before(bytes, start, 1) {
        b'.' | b'-' | b'_' => true,
        b'/' => before(bytes, start, 2) != b'/',
        byte => byte.is_ascii_alphanumeric(),
    }
}

/// Words directly before the number of a version or a section.
const NUMBERED: &str = "version versions ver v release build firmware rev revision software driver package chrome firefox oracle \
    section chapter clause paragraph article art point item oid versionen ausgabe paket kapitel abschnitt absatz punkt versión \
    versiones sección capítulo cláusula artículo versione versioni articolo sezione capitolo logiciel chapitre paragraphe versie \
    versies hoofdstuk artikel versão versões seção wersja wersji rozdział";
/// Words before the number of a version, also if a preposition or another version follows them. An address may follow
/// others: `records point to 203.0.113.7`.
const CHANGED: &str =
    "version versions released introduced fixed upgrade upgraded upgrading downgrade downgraded new";
/// Words between such a word and its number.
const BETWEEN: [&str; 12] = ["in", "to", "from", "since", "and", "or", "no", "nr", "is", "von", "auf", "y"];
/// Maximum number of words before a number that are read.
const WORDS: usize = 5;

/// Returns whether words before a number announce a version or a section, also of several: `upgrade from 4.1.9.2 to
/// 4.2.0.1`.
fn is_version(bytes: &[u8], start: usize) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    // `Item No. 4.1.2.3`
    let (mut place, mut direct) = (start, true);
    for _ in 0..WORDS {
        let stop = start_of(bytes, 0, place, 3, |byte| {
            matches!(byte, b' ' | b':' | b'=' | b'"' | b'.' | b'(' | b',')
        });
        let number = start_of(bytes, 0, stop, 15, |byte| byte.is_ascii_digit() || byte == b'.');
        if number < stop {
            // Another sentence
            if bytes.get(stop..place).is_some_and(|signs| signs.contains(&b'.')) {
                return false;
            }
            (place, direct) = (number, false);
            continue;
        }
        let word = start_of(bytes, 0, stop, 16, letter);
        let text = bytes.get(word..stop).unwrap_or_default();
        let is = |known: &str| known.as_bytes().eq_ignore_ascii_case(text);
        let numbered = || text == "§".as_bytes() || NUMBERED.split_ascii_whitespace().any(is);
        if CHANGED.split_ascii_whitespace().any(is) || direct && numbered() {
            return true;
        }
        if !BETWEEN.into_iter().any(is) {
            return false;
        }
        direct &= is("no") || is("nr");
        place = word;
    }
    false
}

/// Finds the IPv6 address around a colon. If there is none, `passed` becomes the end of the text that was examined.
pub(crate) fn ip6(
    settings: &Settings,
    bytes: &[u8],
    floor: usize,
    place: usize,
    passed: &mut usize,
) -> ScanStep {
    // No other address can begin between these colons.
    let nothing = ScanStep::SkipTo(end_of(bytes, place, IP6, |byte| byte == b':').max(place + 1));
    if place < *passed {
        return nothing;
    }
    let part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':' || byte == b'.';
    let start = start_of(bytes, floor, place, IP6, part);
    let run = end_of(bytes, place, IP6, part);
    let apart = !matches!(before(bytes, start, 1), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_');
    let mut end = run;
    while end > place && matches!(before(bytes, end, 1), b'.')
        || before(bytes, end, 1) == b':' && before(bytes, end, 2) != b':'
    {
        end -= 1;
    }
    let text = bytes.get(start..end).and_then(|text| std::str::from_utf8(text).ok()).unwrap_or_default();
    let plausible = (3..=IP6).contains(&text.len()) && text.bytes().any(|byte| byte.is_ascii_digit());
    let goes_on = at(bytes, end).is_ascii_alphanumeric() || at(bytes, end) == b'_';
    let identifies = |address: Ipv6Addr| settings.strict || !is_internal6(address);
    if apart
        && plausible
        && !goes_on
        && settings.wants(Kind::Ip)
        && text.parse::<Ipv6Addr>().is_ok_and(identifies)
    {
        return ScanStep::Found(Finding { kind: Kind::Ip, start, end });
    }
    *passed = run;
    nothing
}

/// Finds the MAC address of six pairs of digits around its first separator. All separators must be equal.
pub(crate) fn mac(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    let nothing = ScanStep::SkipTo(place + 1);
    let Some(start) = place.checked_sub(2).filter(|start| *start >= floor) else { return nothing };
    let sign = at(bytes, place);
    let found = (0..17).all(|offset| {
        let byte = at(bytes, start + offset);
        if offset % 3 == 2 { byte == sign } else { byte.is_ascii_hexdigit() }
    });
    close(settings, bytes, start, found.then_some(start + 17), sign).map_or(nothing, ScanStep::Found)
}

/// Finds the MAC address of three groups of four digits around its first period.
pub(crate) fn mac_of_three(settings: &Settings, bytes: &[u8], floor: usize, place: usize) -> ScanStep {
    let nothing = ScanStep::SkipTo(place + 1);
    let Some(start) = place.checked_sub(4).filter(|start| *start >= floor) else { return nothing };
    let found = (0..14).all(|offset| {
        let byte = at(bytes, start + offset);
        if offset % 5 == 4 { byte == b'.' } else { byte.is_ascii_hexdigit() }
    });
    close(settings, bytes, start, found.then_some(start + 14), b'.').map_or(nothing, ScanStep::Found)
}

/// Returns the finding for a MAC address that is neither all zeros nor a broadcast, and not part of a longer text.
fn close(settings: &Settings, bytes: &[u8], start: usize, end: Option<usize>, sign: u8) -> Option<Finding> {
    let end = end?;
    let digits = || bytes.get(start..end).unwrap_or_default().iter().filter(|byte| **byte != sign);
    let everybody =
        digits().all(|byte| *byte == b'0') || digits().all(|byte| byte.eq_ignore_ascii_case(&b'f'));
    let last = before(bytes, start, 1);
    let goes_on = at(bytes, end) == sign && at(bytes, end + 1).is_ascii_alphanumeric();
    let joined = last == sign || last.is_ascii_alphanumeric() || at(bytes, end).is_ascii_alphanumeric();
    (!everybody && !joined && !goes_on && settings.wants(Kind::Mac)).then_some(Finding {
        kind: Kind::Mac,
        start,
        end,
    })
}
