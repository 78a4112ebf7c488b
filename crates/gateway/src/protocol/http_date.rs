//! Parses the dates of HTTP headers (RFC 9110).

use mcp_sieve::time::CivilDate;

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// Parses a date of an HTTP header, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7), into seconds since 1970.
///
/// As in dates of mail (RFC 5322), the day of the week and the seconds are optional, and the zone may be an offset such
/// as `+0100`.
pub fn parse_http_date(text: &str) -> Option<i64> {
    let date = match text.split_once(',') {
        Some((weekday, date)) => find(&WEEKDAYS, weekday.trim()).map(|_| date)?,
        None => text,
    };
    let mut words = date.split_ascii_whitespace();
    let day = number(words.next()?, 1..=2)?;
    let month = find(&MONTHS, words.next()?)?;
    let year = number(words.next()?, 4..=4).filter(|year| *year >= 1900)?;
    let mut clock = words.next()?.split(':');
    let (hour, minute) = (number(clock.next()?, 2..=2)?, number(clock.next()?, 2..=2)?);
    let second = clock.next().map_or(Some(0), |second| number(second, 2..=2))?;
    let offset = offset(words.next()?)?;
    let complete = clock.next().is_none() && words.next().is_none();
    let exists = hour < 24 && minute < 60 && second < 60;
    let days = CivilDate::new(year, month, day)?.days();
    (complete && exists).then_some(days * CivilDate::DAY_S + hour * 3600 + minute * 60 + second - offset)
}

/// Returns the position of a name in a list, counted from 1.
fn find(names: &[&str], name: &str) -> Option<i64> {
    (1..).zip(names).find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|(number, _)| number)
}

fn number(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<i64> {
    let digits = lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits)
}

/// Returns the seconds that a zone is ahead of UTC.
fn offset(zone: &str) -> Option<i64> {
    if ["GMT", "UT"].iter().any(|known| known.eq_ignore_ascii_case(zone)) {
        return Some(0);
    }
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let digits = number(digits, 4..=4)?;
    let (hours, minutes) = (digits / 100, digits % 100);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;
    use time::{OffsetDateTime, UtcOffset, format_description::well_known::Rfc2822};

    use super::parse_http_date;

    #[test]
    fn the_example_of_the_standard() {
        assert_eq!(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), Some(784_111_777));
    }

    #[test]
    fn an_offset_of_less_than_an_hour_keeps_its_sign() {
        assert_eq!(parse_http_date("1 Jan 1900 00:00 -0001"), Some(-2_208_988_740));
        assert_eq!(parse_http_date("1 Jan 1900 00:00 +0001"), Some(-2_208_988_860));
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "0",
            "Sun",
            "Sun, 06 Nov 1994 08:49:37",
            "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:60:37 GMT",
            "Sun, 31 Nov 1994 08:49:37 GMT",
            "Xyz, 06 Nov 1994 08:49:37 GMT",
            "Sun, 06 Nov 94 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 +9999",
            "Sun, 06 Nov 1994 08:49:37 GMT x",
        ] {
            assert_eq!(parse_http_date(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn dates_agree_with_the_crate_time(seconds in -2_208_988_800i64..253_402_300_800, minutes in -1439i32..1440) {
            let offset = UtcOffset::from_whole_seconds(minutes * 60).unwrap();
            let date = OffsetDateTime::from_unix_timestamp(seconds).unwrap();
            let written = date.format(&Rfc2822).unwrap();
            prop_assert_eq!(parse_http_date(&written), Some(seconds));
            prop_assert_eq!(parse_http_date(&written.replace("+0000", "GMT")), Some(seconds));
            if let Some(ahead) = date.checked_to_offset(offset)
                && let Ok(written) = ahead.format(&Rfc2822)
            {
                prop_assert_eq!(parse_http_date(&written), Some(seconds));
            }
        }

        #[test]
        fn no_date_is_parsed_differently_by_the_crate_time(
            text in "((Mon|Sun|sun), )?[0-3]?[0-9] (Jan|Feb|Nov|feb) (19|20)[0-9]{2} [0-2][0-9]:[0-6][0-9](:[0-6][0-9])? (GMT|UT|[+-][0-2][0-9][0-6][0-9])"
        ) {
            // The crate adds the minutes of an offset that is less than an hour behind, and RFC 2822 subtracts them.
            prop_assume!(!text.contains(" -00"));
            let known = OffsetDateTime::parse(&text, &Rfc2822).map(OffsetDateTime::unix_timestamp);
            if let (Some(seconds), Ok(known)) = (parse_http_date(&text), known) {
                prop_assert_eq!(seconds, known);
            }
        }
    }
}
