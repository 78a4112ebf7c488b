//! The groups in which telephone numbers of some countries are written.

/// Whether the groups of a number announce it. `parenthesis` is whether an opening one precedes it.
pub(crate) fn is_national(number: &[u8], parenthesis: bool) -> bool {
    is_behind_trunk(number)
        || is_in_pairs(number)
        || is_service(number)
        || parenthesis && is_behind_area(number)
}

/// Whether a number with trunk prefix is written in the groups of a country: `044 668 18 00`.
fn is_behind_trunk(number: &[u8]) -> bool {
    const GROUPS: [&[usize]; 8] = [
        &[2, 3, 2, 2],
        &[2, 3, 4],
        &[3, 3, 2, 2],
        &[2, 3, 3, 2],
        &[3, 2, 2, 2],
        &[4, 2, 2, 2],
        &[3, 3, 4],
        &[1, 3, 2, 2, 2],
    ];
    let [b'0', second, ..] = number else { return false };
    let mut lengths = [0; 5];
    let mut groups = number.split(|byte| matches!(byte, b' ' | b'-' | b'/'));
    lengths.iter_mut().zip(&mut groups).for_each(|(length, group)| *length = group.len());
    let digits = number.iter().all(|byte| matches!(byte, b' ' | b'-' | b'/' | b'0'..=b'9'));
    let written = |known: &&[usize]| {
        lengths.starts_with(known) && lengths.iter().skip(known.len()).all(|rest| *rest == 0)
    };
    *second != b'0' && digits && groups.next().is_none() && GROUPS.iter().any(written)
}

/// Whether a number without trunk prefix ends in pairs, as in Spain and Poland: `976 30 18 55`, `21 384 20 66`.
fn is_in_pairs(number: &[u8]) -> bool {
    let mut lengths = [0; 4];
    let mut groups = number.split(|byte| *byte == b' ');
    lengths.iter_mut().zip(&mut groups).for_each(|(length, group)| *length = group.len());
    matches!(number.first(), Some(b'2'..=b'9'))
        && number.iter().all(|byte| matches!(byte, b' ' | b'0'..=b'9'))
        && groups.next().is_none()
        && matches!(lengths, [3, 2, 2, 2] | [2, 3, 2, 2])
}

/// Whether a number is a free or local one of Australia: `1300 975 707`.
fn is_service(number: &[u8]) -> bool {
    let [b'1', b'3' | b'8', b'0', b'0', b' ', rest @ ..] = number else { return false };
    rest.len() == 7
        && rest
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 3 { *byte == b' ' } else { byte.is_ascii_digit() })
}

/// Whether a number behind an opening parenthesis is one of Brazil: `(11) 98831-4427`.
fn is_behind_area(number: &[u8]) -> bool {
    let [b'1'..=b'9', b'1'..=b'9', b')', b' ', rest @ ..] = number else { return false };
    let mut groups = rest.split(|byte| *byte == b'-');
    let lengths = [groups.next(), groups.next()].map(|group| group.unwrap_or_default().len());
    matches!(lengths, [4 | 5, 4])
        && groups.next().is_none()
        && rest.iter().all(|byte| byte.is_ascii_digit() || *byte == b'-')
}

/// Whether a number without trunk prefix is written in three groups or more, as in Spain, Poland and Portugal.
pub(crate) fn is_in_short_groups(number: &[u8]) -> bool {
    let Some(sign) = number.iter().copied().find(|byte| !byte.is_ascii_digit()) else { return false };
    let mut groups = number.split(|byte| *byte == sign);
    let count = number.iter().filter(|byte| **byte == sign).count() + 1;
    let alike = |group: &[u8]| (2..=4).contains(&group.len()) && group.iter().all(u8::is_ascii_digit);
    matches!(number.first(), Some(b'2'..=b'9'))
        && matches!(sign, b' ' | b'-')
        && count > 2
        && (9..=11).contains(&(number.len() + 1 - count))
        && groups.all(alike)
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
            "02 123 45 67 8",
        ] {
            assert!(!is_national(number.as_bytes(), false), "{number}");
        }
        assert!(is_national(b"11) 91234-5678", true) && is_national(b"21) 1234-5678", true));
        assert!(!is_national(b"11) 91234-5678", false) && !is_national(b"11) 912345678", true));
    }

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn short_groups_have_one_sign() {
        for number in ["601 234 567", "655-218-304", "21 384 20 66"] {
            assert!(is_in_short_groups(number.as_bytes()), "{number}");
        }
        for number in [
            "601234567",
            "601 234567",
            "601 234-567",
            "22.1.12345",
            "101 234 567",
            "6 012 345 67",
            "601 234 567 890",
        ] {
            assert!(!is_in_short_groups(number.as_bytes()), "{number}");
        }
    }
}
