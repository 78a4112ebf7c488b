//! The groups in which telephone numbers of some countries are written.

/// Returns whether the groups of a number announce it. `parenthesis` is whether an opening one precedes it.
pub(crate) fn is_national(number: &[u8], parenthesis: bool) -> bool {
    is_behind_trunk(number)
        || is_dutch_mobile(number)
        || is_in_pairs(number)
        || is_service(number)
        || is_behind_area(number, parenthesis)
}

/// Maximum number of groups that are compared.
const GROUPS: usize = 8;

/// Returns the lengths of the groups of digits of a number, without the unused zeros at the end; `None` for more than
/// [`GROUPS`] groups.
fn lengths(number: &[u8]) -> Option<([usize; GROUPS], usize)> {
    let (mut lengths, mut count) = ([0; GROUPS], 0);
    for group in number.split(|byte| !byte.is_ascii_digit()).filter(|group| !group.is_empty()) {
        *lengths.get_mut(count)? = group.len();
        count += 1;
    }
    Some((lengths, count))
}

/// Returns whether a number with trunk prefix has an area code, and then groups of one to four digits: `044 668 18 00`,
/// `0551 / 38 29 47`. Dates, and rows of groups of equal length, are other numbers as well.
fn is_behind_trunk(number: &[u8]) -> bool {
    let Some((lengths, count)) = lengths(number) else { return false };
    let mut groups = lengths.get(..count).unwrap_or_default();
    // `0 40/ 63 81 92`
    let apart = groups.first() == Some(&1);
    if apart {
        groups = groups.get(1..).unwrap_or_default();
    }
    let Some((area, others)) = groups.split_first() else { return false };
    let second = number.iter().filter(|byte| byte.is_ascii_digit()).nth(1);
    let sum: usize = groups.iter().sum::<usize>() + usize::from(apart);
    // `06 21/ 71 83 04`
    let first = number.iter().find(|byte| !byte.is_ascii_digit());
    let mixed = number.iter().any(|byte| !byte.is_ascii_digit() && Some(byte) != first);
    number.first() == Some(&b'0')
        && second.is_some_and(|second| *second != b'0')
        && (8..=12).contains(&sum)
        && (2..=5).contains(area)
        && others.len() > 1
        && others.iter().all(|length| *length <= 4)
        && (mixed || others.iter().any(|length| length != area))
        && groups != [2, 2, 4]
        && (*area > 2 || number.contains(&b'/') || !number.contains(&b'.'))
}

/// Returns whether a number without trunk prefix ends in pairs, as in Spain and Poland: `976 30 18 55`, `21 384 20 66`.
fn is_in_pairs(number: &[u8]) -> bool {
    let Some((lengths, count)) = lengths(number) else { return false };
    let Some(sign) = number.iter().find(|byte| !byte.is_ascii_digit()) else { return false };
    let groups = lengths.get(..count).unwrap_or_default();
    matches!(number.first(), Some(b'2'..=b'9'))
        && number.iter().all(|byte| byte.is_ascii_digit() || byte == sign)
        && match sign {
            b' ' | b'.' => groups == [3, 2, 2, 2] || groups == [2, 3, 2, 2],
            b'-' => groups == [3, 2, 2, 2],
            _ => false,
        }
}

/// Returns whether a number is a mobile one as in the Netherlands: `06-12345678`.
fn is_dutch_mobile(number: &[u8]) -> bool {
    number.len() == 11 && number.starts_with(b"06-") && number.iter().skip(3).all(u8::is_ascii_digit)
}

/// Returns whether a number is a free or local one of Australia: `1300 975 707`.
fn is_service(number: &[u8]) -> bool {
    let [b'1', b'3' | b'8', b'0', b'0', b' ', rest @ ..] = number else { return false };
    rest.len() == 7
        && rest
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 3 { *byte == b' ' } else { byte.is_ascii_digit() })
}

/// Returns whether a number behind an opening parenthesis begins with an area code: `(0351) 471-8826`; or with one of
/// Brazil, where the parentheses are often left out before the 9 of a mobile number: `(11) 3831-4427`, `11 98831-4427`.
fn is_behind_area(number: &[u8], parenthesis: bool) -> bool {
    let Some((lengths, count)) = lengths(number) else { return false };
    let (groups, sum) = (lengths.get(..count).unwrap_or_default(), lengths.iter().sum::<usize>());
    let closed = || number.iter().find(|byte| !byte.is_ascii_digit()) == Some(&b')');
    let trunk = number.first() == Some(&b'0');
    if parenthesis && closed() && trunk && count > 1 && (8..=11).contains(&sum) {
        return true;
    }
    let area = if trunk { 3 } else { 2 };
    let known = number.iter().skip(area - 2).take(2).all(|byte| matches!(byte, b'1'..=b'9'));
    let last = number.len().checked_sub(5).and_then(|place| number.get(place)) == Some(&b'-');
    let mobile =
        || groups == [area, 5, 4] && number.get(area) == Some(&b' ') && number.get(area + 1) == Some(&b'9');
    known && last && (mobile() || parenthesis && closed() && matches!(groups, [2, 4 | 5, 4]))
}

/// Returns whether a number without trunk prefix is written in groups of two to four digits, as in Spain, Poland and
/// Denmark.
pub(crate) fn is_in_short_groups(number: &[u8]) -> bool {
    let Some((lengths, count)) = lengths(number) else { return false };
    let groups = lengths.get(..count).unwrap_or_default();
    let signs = number.iter().filter(|byte| !byte.is_ascii_digit());
    let fits = match groups.iter().sum() {
        // `2023 2024` are years.
        8 => {
            groups == [2, 2, 2, 2] || groups == [3, 2, 3] || groups == [4, 4] && number.first() != Some(&b'2')
        }
        9..=11 => count > 2 && groups.iter().all(|length| (2..=4).contains(length)),
        _ => false,
    };
    matches!(number.first(), Some(b'2'..=b'9'))
        && signs.into_iter().all(|sign| matches!(sign, b' ' | b'-' | b'/' | b'.'))
        && fits
}

#[cfg(test)]
mod tests {
    use super::{is_in_short_groups, is_national};

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn groups_of_countries_are_told_from_others() {
        for number in [
            "02 123 45 67",
            "01 234 5678",
            "044 123 45 67",
            "08-123 456 78",
            "040-12 34 56",
            "0470 12 34 56",
            "081 123 4567",
            "0 801 12 34 56",
            "0551 / 38 29 471",
            "06 21/ 71 83 04",
            "06-12345678",
            "0 40/ 63 81 92-7",
            "0174 2 09 38 47",
            "954-18-27-36",
            "11 91234-5678",
            "041 91234-5678",
            "976 30 18 55",
            "21 384 20 66",
            "1300 123 456",
        ] {
            assert!(is_national(number.as_bytes(), false), "{number}");
        }
        for number in [
            "00 123 45 67",
            "012 345 678",
            "0123",
            "01 02 03",
            "976 301 855",
            "176 30 18 55",
            "1400 123 456",
            "1300-123-456",
            "08.123.456.78",
            "01 02 2003",
            "0102 0304 0506",
            "04 17 22 31 45 49",
            "954 18-27-36",
            "11 81234-5678",
        ] {
            assert!(!is_national(number.as_bytes(), false), "{number}");
        }
        assert!(is_national(b"11) 91234-5678", true) && is_national(b"21) 1234-5678", true));
        assert!(is_national(b"0351) 471-8826", true) && is_national(b"03) 214 8307", true));
        assert!(!is_national(b"11) 91234-5678", false) && !is_national(b"11) 912345678", true));
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn short_groups_have_one_sign() {
        for number in ["601 234 567", "655-218-304", "21 384 20 66", "28 41 73 96", "918 42 706", "4075 1928"]
        {
            assert!(is_in_short_groups(number.as_bytes()), "{number}");
        }
        for number in [
            "601234567",
            "601 234567",
            "22.1.12345",
            "601)234 567",
            "101 234 567",
            "6 012 345 67",
            "2023 2024",
            "12 34 56 78",
            "601 234 567 890",
        ] {
            assert!(!is_in_short_groups(number.as_bytes()), "{number}");
        }
    }
}
