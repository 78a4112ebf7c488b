//! Timestamps of ISO 8601 that RFC 3339 leaves out: the basic format, week dates, ordinal dates, a comma before the
//! fraction, times without minutes or seconds, the end of a day (24:00), and offsets without a colon or without
//! minutes.

use super::{
    civil::CivilDate,
    rfc3339::{Moment, parse_rfc3339},
};

/// Parses a timestamp of ISO 8601 with an offset, or a date alone. Years have four digits; periods, dates without a
/// day, and fractions of a minute or an hour are rejected.
pub(crate) fn parse_iso8601(text: &str) -> Option<Moment> {
    if let Some(moment) = parse_rfc3339(text) {
        return Some(moment);
    }
    let written = to_rfc3339(text)?;
    // The end of a day is the beginning of the next.
    let Some((date, rest)) = written.split_once("T24:00:00") else { return parse_rfc3339(&written) };
    let (seconds, nanos) = parse_rfc3339(&[date, "T00:00:00", rest].concat())?;
    (nanos == 0).then_some((seconds + CivilDate::DAY_S, 0))
}

/// Converts a timestamp to RFC 3339. Hours, minutes and offsets may still be out of range.
fn to_rfc3339(text: &str) -> Option<String> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let CivilDate { year, month, day } = parse_date(date)?;
    let mut written = format!("{year:04}-{month:02}-{day:02}");
    let Some(time) = time else { return Some(written) };
    let (clock, offset) = time.split_at_checked(time.find(['Z', 'z', '+', '-'])?)?;
    let (clock, fraction) = match clock.split_once([',', '.']) {
        Some((clock, fraction)) => (clock, Some(fraction)),
        None => (clock, None),
    };
    written.push('T');
    let parts = push_parts(&mut written, clock)?;
    match (parts, fraction) {
        (1, None) => written.push_str(":00:00"),
        (2, None) => written.push_str(":00"),
        (3, None) => {}
        (3, Some(fraction)) => {
            written.push('.');
            written.push_str(fraction);
        }
        _ => return None,
    }
    let zone = offset.get(1..)?;
    if zone.is_empty() {
        written.push_str(offset);
    } else {
        written.push_str(offset.get(..1)?);
        match push_parts(&mut written, zone)? {
            1 => written.push_str(":00"),
            2 => {}
            _ => return None,
        }
    }
    Some(written)
}

/// Appends two-digit numbers, with or without colons between them, with colons. Returns the number of these numbers.
fn push_parts(written: &mut String, text: &str) -> Option<usize> {
    let colons = text.contains(':');
    let mut parts = 0;
    let mut rest = text;
    loop {
        let (part, behind) = rest.split_at_checked(2)?;
        if parts > 0 {
            written.push(':');
        }
        digits(part)?;
        written.push_str(part);
        parts += 1;
        if behind.is_empty() {
            return Some(parts);
        }
        rest = if colons { behind.strip_prefix(':')? } else { behind };
    }
}

/// Parses a calendar, week or ordinal date, in the basic or the extended format.
fn parse_date(date: &str) -> Option<CivilDate> {
    let (year, rest) = date.split_at_checked(4)?;
    let (year, extended) = (digits(year)?, rest.strip_prefix('-'));
    let rest = extended.unwrap_or(rest);
    let first = CivilDate::new(year, 1, 1)?.days();
    let days = if let Some(week) = rest.strip_prefix('W') {
        let (week, day) = week.split_at_checked(2)?;
        let day = if extended.is_some() { day.strip_prefix('-')? } else { day };
        let (week, day) = (digits(week)?, digits(day).filter(|_| day.len() == 1)?);
        let days = first_week(year)? + (week - 1) * 7 + day - 1;
        let exists = week > 0 && (1..=7).contains(&day) && days < first_week(year + 1)?;
        exists.then_some(days)?
    } else if rest.len() == 3 {
        let days = first + digits(rest)? - 1;
        (first..CivilDate::new(year + 1, 1, 1)?.days()).contains(&days).then_some(days)?
    } else {
        let (month, day) = rest.split_at_checked(2)?;
        let day = if extended.is_some() { day.strip_prefix('-')? } else { day };
        return CivilDate::new(year, digits(month)?, digits(day).filter(|_| day.len() == 2)?);
    };
    Some(CivilDate::from_days(days))
}

/// Returns the Monday of the first week of a year, the week of January 4.
fn first_week(year: i64) -> Option<i64> {
    let fourth = CivilDate::new(year, 1, 4)?.days();
    // January 1, 1970 was a Thursday.
    Some(fourth - (fourth + 3).rem_euclid(7))
}

/// Parses a number that consists of ASCII digits only.
fn digits(text: &str) -> Option<i64> {
    let sound = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    sound.then(|| text.bytes().fold(0, |sum, digit| sum * 10 + i64::from(digit - b'0')))
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;
    use time::{OffsetDateTime, UtcOffset};

    use super::{parse_iso8601, parse_rfc3339};

    #[test]
    fn every_form_is_the_same_moment() {
        let moment = parse_rfc3339("2026-07-28T10:00:00.5Z");
        for text in [
            "20260728T100000.5Z",
            "20260728T100000,5Z",
            "2026-07-28T10:00:00,5Z",
            "2026-W31-2T10:00:00.5Z",
            "2026W312T100000,5Z",
            "2026-209T10:00:00.5Z",
            "2026209T100000,50Z",
            "2026-07-28T12:00:00,5+02",
            "2026-07-28T12:00:00.5+0200",
            "20260728T053000.5-0430",
        ] {
            assert_eq!(parse_iso8601(text), moment, "{text}");
        }
        assert_eq!(parse_iso8601("2026-07-28T10:00Z"), parse_rfc3339("2026-07-28T10:00:00Z"));
        assert_eq!(parse_iso8601("20260728T1000Z"), parse_rfc3339("2026-07-28T10:00:00Z"));
        assert_eq!(parse_iso8601("2026-07-28T10Z"), parse_rfc3339("2026-07-28T10:00:00Z"));
        assert_eq!(parse_iso8601("20260728T12+02"), parse_rfc3339("2026-07-28T10:00:00Z"));
        assert_eq!(parse_iso8601("2026-W31-2"), parse_rfc3339("2026-07-28"));
        assert_eq!(parse_iso8601("2020-W53-7"), parse_rfc3339("2021-01-03"));
    }

    #[test]
    fn the_end_of_a_day_is_the_beginning_of_the_next() {
        for (end, beginning) in [
            ("2026-07-28T24:00:00Z", "2026-07-29T00:00:00Z"),
            ("2026-12-31T24:00:00.000+02:00", "2027-01-01T00:00:00+02:00"),
            ("2024-02-28T24:00Z", "2024-02-29T00:00:00Z"),
            ("20260728T240000,0Z", "2026-07-29T00:00:00Z"),
            ("2026-W31-7T24-04", "2026-08-03T00:00:00-04:00"),
        ] {
            assert!(parse_rfc3339(beginning).is_some());
            assert_eq!(parse_iso8601(end), parse_rfc3339(beginning), "{end}");
        }
    }

    #[test]
    fn what_is_no_timestamp_is_rejected() {
        for text in [
            "",
            "2026",
            "2026-07",
            "2026-W31",
            "2026-W00-1",
            "2026-W54-1",
            "2025-W53-1",
            "2026-W31-8",
            "2026-W31-0",
            "2026-000",
            "2026-366",
            "2026-0728",
            "202607-28",
            "2026-07-28T10",
            "2026-07-28T10,5Z",
            "2026-07-28T10:00",
            "2026-07-28T1000,5Z",
            "2026-07-28T10:00,5Z",
            "20260728T100000",
            "20260728T250000Z",
            "2026-07-28T24:00:01Z",
            "2026-07-28T24:30Z",
            "2026-07-28T24:00:00.5Z",
            "2026-07-28T24:00:00.Z",
            "2026-07-28T24:00,0Z",
            "2026-07-28T2400:00Z",
            "2026-07-28T10:00:00,Z",
            "2026-07-28T10:00:00+2",
            "2026-07-28T10:00:00+020",
            "2026-07-28T10:00:00+02:00:00",
            "2026-W31-2T",
            "2026-07-28T10:0000Z",
            "２０２６0728",
            "2026-07-28/2026-07-29",
            "+2026-07-28",
            "2026-07-28T10:00:00Z5",
        ] {
            assert_eq!(parse_iso8601(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn forms_agree_with_the_crate_time(seconds in -62_135_596_800i64..253_402_300_800, minutes in -1439i32..1440) {
            let moment = OffsetDateTime::from_unix_timestamp(seconds).unwrap();
            let offset = UtcOffset::from_whole_seconds(minutes * 60).unwrap();
            let Some(moment) = moment.checked_to_offset(offset) else { return Ok(()) };
            let (year, week, weekday) = moment.to_iso_week_date();
            if !(0..=9999).contains(&year) || !(0..=9999).contains(&moment.year()) { return Ok(()) }
            let (hour, minute, second) = moment.to_hms();
            let sign = if minutes < 0 { '-' } else { '+' };
            let (ahead, behind) = (minutes.abs() / 60, minutes.abs() % 60);
            let day = weekday.number_from_monday();
            for text in [
                format!("{year:04}-W{week:02}-{day}T{hour:02}:{minute:02}:{second:02}{sign}{ahead:02}:{behind:02}"),
                format!("{year:04}W{week:02}{day}T{hour:02}{minute:02}{second:02}{sign}{ahead:02}{behind:02}"),
                format!("{:04}-{:03}T{hour:02}:{minute:02}:{second:02},0{sign}{ahead:02}{behind:02}", moment.year(), moment.ordinal()),
                format!("{:04}{:02}{:02}T{hour:02}{minute:02}{second:02}{sign}{ahead:02}{behind:02}", moment.year(), u8::from(moment.month()), moment.day()),
            ] {
                prop_assert_eq!(parse_iso8601(&text), Some((seconds, 0)), "{}", text);
            }
        }

        #[test]
        fn any_text_is_read_or_rejected(text in "[0-9TWZ+:,. -]{0,30}|.{0,12}") {
            parse_iso8601(&text);
        }
    }
}
