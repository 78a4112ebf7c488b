/// Seconds since 1970 in UTC, and nanoseconds.
pub(crate) type Moment = (i64, u32);

/// Reads an instant as RFC 3339 writes it, `2026-07-28T12:00:00.5+02:00`, or a date alone, which is its
/// first moment in UTC. A time without an offset is no instant.
pub(crate) fn read(text: &str) -> Option<Moment> {
    let (date, time) = match text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let [year, month, day] = shaped(date, "0000-00-00")?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    if !(1..=length).contains(&day) {
        return None;
    }
    let midnight = days_since_1970(year, month, day) * 86_400;
    let Some(time) = time else { return Some((midnight, 0)) };

    let (clock, offset) = match time.strip_suffix(['Z', 'z']) {
        Some(clock) => (clock, 0),
        None => {
            let (clock, zone) = time.split_at_checked(time.len().checked_sub("+00:00".len())?)?;
            let ahead = zone.strip_prefix('+');
            let [hours, minutes, _] = shaped(ahead.or_else(|| zone.strip_prefix('-'))?, "00:00")?;
            let seconds = (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60)?;
            (clock, if ahead.is_some() { seconds } else { -seconds })
        }
    };
    let (clock, nanos) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, nanos(fraction)?),
        None => (clock, 0),
    };
    let [hour, minute, second] = shaped(clock, "00:00:00")?;
    let minutes = hour * 60 + minute;
    // A leap second is one of the last minute of a day in UTC, and here the first of the next.
    let seconds = if (minutes * 60 - offset).rem_euclid(86_400) == 86_340 { 60 } else { 59 };
    let sound = hour < 24 && minute < 60 && second <= seconds;
    sound.then_some((midnight + minutes * 60 + second - offset, nanos))
}

/// The numbers in a text that has a digit wherever `shape` has a zero, and else the same.
fn shaped(text: &str, shape: &str) -> Option<[i64; 3]> {
    let (mut numbers, mut at) = ([0; 3], 0);
    for (byte, form) in text.bytes().zip(shape.bytes()) {
        match form {
            b'0' if byte.is_ascii_digit() => {
                let number = numbers.get_mut(at)?;
                *number = *number * 10 + i64::from(byte - b'0');
            }
            _ if byte == form && form != b'0' => at += 1,
            _ => return None,
        }
    }
    (text.len() == shape.len()).then_some(numbers)
}

/// A fraction of a second; what is finer than a nanosecond is cut off.
fn nanos(fraction: &str) -> Option<u32> {
    let sound = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let digits = fraction.bytes().chain(std::iter::repeat(b'0')).take(9);
    sound.then(|| digits.fold(0, |sum, digit| sum * 10 + u32::from(digit - b'0')))
}

/// Days of the Gregorian calendar: years are counted from March, so that a leap day ends one.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 1970-01-01 is day 719,468 of this count.
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}
