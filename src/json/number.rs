//! An exact decimal number type for JSON numbers.

use std::{cmp::Ordering, fmt, str::FromStr};

use serde::{Serialize, Serializer};

use crate::error::{Error, ErrorKind};

/// A decimal number, exact up to 18 significant digits. Further digits are dropped.
///
/// It is decimal so that `0.3` is a multiple of `0.1`, and so that browsers need not load a table of powers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    // INVARIANT: not a multiple of ten unless it is zero, and then the exponent is zero.
    digits: i64,
    exponent: i32,
}

/// Maximum number of significant digits.
const MAX_DIGITS: u32 = 18;
/// Maximum absolute value of the exponent.
const MAX_EXPONENT: i32 = 400;

/// Maximum number of digits before the point for which every number is a finite double.
const MAX_DOUBLE: i32 = 308;
/// Minimum exponent of numbers that doubles represent with all their digits.
const MIN_DOUBLE: i32 = -306;
/// Number of significant digits that doubles keep.
const DOUBLE_DIGITS: usize = 15;
/// Maximum integer up to which doubles represent every integer.
const MAX_SAFE: u64 = 1 << 53;

impl Number {
    /// `0`.
    pub const ZERO: Self = Self { digits: 0, exponent: 0 };
    /// `1`.
    pub const ONE: Self = Self { digits: 1, exponent: 0 };

    fn new(mut digits: i64, mut exponent: i32) -> Self {
        if digits == 0 {
            return Self::ZERO;
        }
        while digits % 10 == 0 {
            digits /= 10;
            exponent += 1;
        }
        Self { digits, exponent }
    }

    /// Parses a JSON number that every parser reads as the same value, whether it uses doubles, decimals or integers.
    /// Returns `None` for one with more digits than a double keeps, or beyond its range.
    pub(crate) fn portable(text: &str) -> Option<Self> {
        let mantissa = text.split(['e', 'E']).next()?;
        let digits = mantissa.bytes().filter(u8::is_ascii_digit);
        let digits = digits.skip_while(|digit| *digit == b'0').count();
        let number: Self = text.parse().ok()?;
        let in_range = number == Self::ZERO || (MIN_DOUBLE..=MAX_DOUBLE).contains(&number.magnitude());
        let is_kept = digits <= DOUBLE_DIGITS
            || number
                .whole()
                .is_some_and(|whole| digits <= MAX_DIGITS as usize && whole.unsigned_abs() <= MAX_SAFE);
        (in_range && is_kept).then_some(number)
    }

    /// Returns whether the number is an integer that a double can represent.
    pub fn is_integer(self) -> bool {
        self.exponent >= 0 && self.magnitude() <= MAX_DOUBLE
    }

    /// Returns the value, if it is an integer and not too large.
    pub fn whole(self) -> Option<i64> {
        self.units(0).filter(|_| self.exponent >= 0)
    }

    /// Returns the number among `min`, `min + step`, `min + 2 step`, … up to `max` that is nearest to this one. If two
    /// are equally near, returns the higher. Returns `None` if `step` is not positive, or so small that 18 digits
    /// cannot represent both it and the bounds.
    pub fn nearest(self, min: Self, max: Self, step: Self) -> Option<Self> {
        // One digit finer than the grid is enough to decide between the halves of a step.
        let unit = min.exponent.min(max.exponent).min(step.exponent) - 1;
        let [low, high, width] = [min.units(unit)?, max.units(unit)?, step.units(unit)?];
        let here = self.clamp(min, max).units(unit)?;
        let offset = here.checked_sub(low)?.checked_add(width / 2)?;
        let steps = if width > 0 { offset / width } else { return None };
        let most = high.checked_sub(low)? / width;
        Some(Self::new(low + steps.min(most) * width, unit))
    }

    /// Returns the nearer of two numbers below and above this one. If both are equally near, returns the lower.
    pub fn nearer(self, low: Self, high: Self) -> Self {
        let unit = self.exponent.min(low.exponent).min(high.exponent);
        let distance = |one: Self, other: Self| one.units(unit)?.checked_sub(other.units(unit)?);
        match (distance(self, low), distance(high, self)) {
            (Some(below), Some(above)) if above < below => high,
            _ => low,
        }
    }

    /// Returns the number in units of ten to the power of `unit`, rounded down.
    fn units(self, unit: i32) -> Option<i64> {
        let shift = self.exponent.checked_sub(unit)?;
        let factor = 10i64.checked_pow(shift.unsigned_abs());
        match factor {
            Some(factor) if shift >= 0 => self.digits.checked_mul(factor),
            Some(factor) => Some(self.digits.div_euclid(factor)),
            None if self.digits == 0 || (shift < 0 && self.digits > 0) => Some(0),
            None => (shift < 0).then_some(-1),
        }
    }

    /// Returns the number of digits before the point. Negative for leading zeros after the point.
    fn magnitude(self) -> i32 {
        self.exponent + self.digits.unsigned_abs().checked_ilog10().map_or(0, |log| log.cast_signed() + 1)
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Self) -> Ordering {
        let signs = self.digits.signum().cmp(&other.digits.signum());
        if signs.is_ne() || self.digits == 0 {
            return signs;
        }
        let size = self.magnitude().cmp(&other.magnitude());
        let size = size.then_with(|| {
            // Both have the same number of digits before the point, so with the same exponent both still fit.
            let unit = self.exponent.min(other.exponent);
            let [one, two] = [self, other].map(|number| number.units(unit).map(i64::unsigned_abs));
            one.cmp(&two)
        });
        if self.digits < 0 { size.reverse() } else { size }
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match (self.whole(), self.to_string().parse()) {
            (Some(whole), _) => serializer.serialize_i64(whole),
            (None, Ok(float)) => serializer.serialize_f64(float),
            (None, Err(_)) => serializer.serialize_none(),
        }
    }
}

/// Returns the error for text that is not a number, or that is outside the range of [`Number`].
fn not_a_number() -> Error {
    Error::new(ErrorKind::Json, "expected a number")
}

impl FromStr for Number {
    type Err = Error;

    /// Parses a JSON number, and also `+1`, `.5` and `5.`.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for other text, and for a number outside the range of [`Number`].
    fn from_str(text: &str) -> Result<Self, Error> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (significand, power) = match unsigned.split_once(['e', 'E']) {
            Some((significand, power)) => (significand, power.parse().map_err(|_| not_a_number())?),
            None => (unsigned, 0i32),
        };
        let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
        if whole.is_empty() && fraction.is_empty() {
            return Err(not_a_number());
        }
        let fraction_digits = i32::try_from(fraction.len()).map_err(|_| not_a_number())?;
        let (mut digits, mut exponent) = (0i64, power.saturating_sub(fraction_digits));
        for byte in whole.bytes().chain(fraction.bytes()) {
            if !byte.is_ascii_digit() {
                return Err(not_a_number());
            }
            if digits < 10i64.pow(MAX_DIGITS - 1) {
                digits = digits * 10 + i64::from(byte - b'0');
            } else {
                exponent = exponent.saturating_add(1);
            }
        }
        // The limits leave room for the trailing zeros that `new` removes.
        let exponent = exponent.clamp(-2 * MAX_EXPONENT, 2 * MAX_EXPONENT);
        let number = Self::new(if text.starts_with('-') { -digits } else { digits }, exponent);
        if number.exponent.abs() > MAX_EXPONENT { Err(not_a_number()) } else { Ok(number) }
    }
}

impl fmt::Display for Number {
    /// Writes the number without an exponent, so equal numbers have equal text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.digits < 0 {
            f.write_str("-")?;
        }
        let digits = self.digits.unsigned_abs().to_string();
        let zeros = |f: &mut fmt::Formatter<'_>, count: usize| (0..count).try_for_each(|_| f.write_str("0"));
        let Ok(decimals) = usize::try_from(-self.exponent) else {
            f.write_str(&digits)?;
            return zeros(f, self.exponent.unsigned_abs() as usize);
        };
        match digits.split_at_checked(digits.len().saturating_sub(decimals)) {
            Some((whole, "")) => f.write_str(whole),
            Some(("", fraction)) => {
                f.write_str("0.")?;
                zeros(f, decimals - fraction.len())?;
                f.write_str(fraction)
            }
            Some((whole, fraction)) => {
                f.write_str(whole)?;
                f.write_str(".")?;
                f.write_str(fraction)
            }
            None => Ok(()),
        }
    }
}
