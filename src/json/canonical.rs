//! The canonical form of JSON (RFC 8785), in which equal values have equal bytes.
//!
//! Members are sorted by the UTF-16 code units of their names. Strings have the shortest escapes. Numbers are written
//! as ECMAScript writes the nearest double. The last of several members with one name counts, as in `JSON.parse`. RFC
//! 8785 defines no form for strings that are not Unicode and for numbers that a double does not hold: those beyond its
//! range, and whole numbers such as 9007199254740993, which some parsers read exactly and others round. All of these
//! are copied unchanged, so that the form stays deterministic and two such numbers never count as equal.

use super::{Members, Object, Raw};
use crate::sort_indices::sort_indices;

/// Maximum number of significant decimal digits of a double's exact value.
const MAX_DIGITS: usize = 767;
/// Maximum length of whole numbers that are all exact.
const EXACT_DIGITS: usize = 15;
/// Minimum number of digits at which two decimals of this length can be equally near to a double.
const MIN_TIE: usize = 15;

impl Raw<'_> {
    /// Appends the canonical form of the value (RFC 8785), in which equal values have equal bytes.
    pub fn push_canonical(self, out: &mut Vec<u8>) {
        push_canonical(out, self);
    }
}

impl Members<'_> {
    /// Appends the canonical form of the object without the member called `but`.
    pub fn push_canonical(self, out: &mut Vec<u8>, but: Option<&str>) {
        push_members(out, self, but);
    }
}

fn push_canonical(out: &mut Vec<u8>, value: Raw<'_>) {
    if let Some(members) = Members::read(value) {
        push_members(out, members, None);
    } else if let Some(elements) = value.elements() {
        Object::push_array(out, elements, push_canonical);
    } else if let Some(text) = value.text() {
        Object::push_text(out, &text);
    } else {
        match number(value.get()) {
            Some(number) => out.extend_from_slice(number.as_bytes()),
            None => out.extend_from_slice(value.get().as_bytes()),
        }
    }
}

fn push_members(out: &mut Vec<u8>, members: Members<'_>, but: Option<&str>) {
    let members = members.0;
    let units = |at: usize| members.get(at).into_iter().flat_map(|(name, _)| name.encode_utf16());
    // The sort is stable, so the last of several equal names stays last.
    let order = sort_indices(members.len(), &mut |a, b| units(a).cmp(units(b)));
    let member = |place: usize| members.get(*order.get(place)? as usize);
    let repeated = |place: usize, name| member(place + 1).is_some_and(|(next, _)| next == name);
    let sorted = (0..order.len()).filter_map(|place| Some((place, member(place)?)));
    let kept = sorted.filter(|(place, (name, _))| !repeated(*place, name) && but != Some(name));
    out.push(b'{');
    for (place, (_, (name, value))) in kept.enumerate() {
        if place > 0 {
            out.push(b',');
        }
        Object::push_text(out, name);
        out.push(b':');
        push_canonical(out, *value);
    }
    out.push(b'}');
}

/// Returns a number as ECMAScript writes it (`Number::toString`); `None` for a literal, and for a number that a double
/// does not hold.
fn number(text: &str) -> Option<String> {
    let number: f64 = text.parse().ok()?;
    if !number.is_finite() || !text.ends_with(|last: char| last.is_ascii_digit()) {
        return None;
    }
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    // Shorter whole numbers are exact.
    if is_whole && digits.len() > EXACT_DIGITS && format!("{:.0}", number.abs()) != digits {
        return None;
    }
    if number == 0.0 {
        return Some("0".to_owned());
    }
    let (shortest, exponent) = digits_of(&format!("{:e}", number.abs()))?;
    let digits = even_of_two(number.abs(), &shortest, exponent).unwrap_or(shortest);
    let (count, point) = (digits.len(), exponent + 1);
    let sign = if number < 0.0 { "-" } else { "" };
    Some(match usize::try_from(point) {
        Ok(point) if point >= count && point <= 21 => [sign, &digits, &"0".repeat(point - count)].concat(),
        Ok(point) if (1..=21).contains(&point) => {
            let (whole, fraction) = digits.split_at_checked(point)?;
            [sign, whole, ".", fraction].concat()
        }
        _ if point <= 0 && point > -6 => {
            [sign, "0.", &"0".repeat(point.unsigned_abs() as usize), &digits].concat()
        }
        _ => {
            let mark = if point > 0 { "e+" } else { "e-" };
            let exponent = (point - 1).unsigned_abs().to_string();
            let (first, rest) = digits.split_at_checked(1)?;
            let dot = if rest.is_empty() { "" } else { "." };
            [sign, first, dot, rest, mark, &exponent].concat()
        }
    })
}

/// Splits a number in scientific notation into its digits and its exponent.
fn digits_of(scientific: &str) -> Option<(String, i32)> {
    let (significand, exponent) = scientific.split_once('e')?;
    Some((significand.replace('.', ""), exponent.parse().ok()?))
}

/// Returns the even one of the two shortest decimals that are equally near to a number, if there are two. ECMAScript
/// chooses that one, Rust the higher one.
fn even_of_two(number: f64, shortest: &str, exponent: i32) -> Option<String> {
    if shortest.len() < MIN_TIE {
        return None;
    }
    let (exact, _) = digits_of(&format!("{number:.MAX_DIGITS$e}"))?;
    let lower = exact.trim_end_matches('0').strip_suffix('5')?;
    let last = lower.bytes().last().filter(|_| lower.len() == shortest.len())?;
    if last % 2 == 1 {
        return None;
    }
    let (first, rest) = lower.split_at_checked(1)?;
    let read: f64 = format!("{first}.{rest}e{exponent}").parse().ok()?;
    (read == number).then(|| lower.to_owned())
}

#[cfg(all(test, not(target_arch = "wasm32")))]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::{collection, prelude::*};
    use serde_json::Value;

    use super::*;

    fn canonical(text: &str) -> String {
        let mut out = Vec::new();
        push_canonical(&mut out, Raw::parse(text).unwrap());
        String::from_utf8(out).unwrap()
    }

    /// RFC 8785, appendix B: doubles by their bits, and their text.
    #[test]
    fn numbers_are_written_as_the_samples_of_the_rfc() {
        let samples: [(u64, &str); 24] = [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
            (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
        ];
        for (bits, expected) in samples {
            let text = format!("{:e}", f64::from_bits(bits));
            assert_eq!(canonical(&text), expected, "{bits:016x}");
        }
    }

    /// RFC 8785, sections 3.2.2 and 3.2.3.
    #[test]
    fn values_are_written_as_the_examples_of_the_rfc() {
        let example = r#"{
            "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
            "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
            "literals": [null, true, false]
        }"#;
        let expected = "{\"literals\":[null,true,false],\
            \"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],\
            \"string\":\"\u{20ac}$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}";
        assert_eq!(canonical(example), expected);
        let names = r#"{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh",
            "1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}"#;
        let written = canonical(names);
        let order = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"];
        let places = order.map(|name| written.find(name));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{written}");
    }

    #[test]
    fn what_the_rfc_leaves_open_is_copied_and_of_two_members_the_last_counts() {
        assert_eq!(canonical(r#"{"a":1,"b":2,"a":3.0}"#), r#"{"a":3,"b":2}"#);
        assert_eq!(canonical(r#"["\ud800",1e999,-1e999,-0]"#), r#"["\ud800",1e999,-1e999,0]"#);
        assert_eq!(canonical("[9007199254740992,9007199254740993]"), "[9007199254740992,9007199254740993]");
        assert_eq!(
            canonical("[-9007199254740993,9007199254740993.0]"),
            "[-9007199254740993,9007199254740992]"
        );
        assert_eq!(
            canonical("[100000000000000000000,100000000000000000001]"),
            "[100000000000000000000,100000000000000000001]"
        );
        let members = Members::parse(r#"{"b":1,"_meta":{},"a":2}"#).unwrap();
        let mut out = Vec::new();
        push_members(&mut out, members, Some("_meta"));
        assert_eq!(out, br#"{"a":2,"b":1}"#);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                collection::btree_map(".{0,4}", inner, 0..6)
                    .prop_map(|members| members.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    /// Writes the same value with the members of each object in reverse order, and with white space in between.
    fn reversed(value: &Value, out: &mut String) {
        match value {
            Value::Array(elements) => {
                let elements = elements.iter().map(|element| {
                    let mut text = String::new();
                    reversed(element, &mut text);
                    text
                });
                *out += &format!("[ {} ]", elements.collect::<Vec<_>>().join(" ,\n"));
            }
            Value::Object(members) => {
                let members = members.iter().rev().map(|(name, value)| {
                    let mut text = format!("{} :\t", Value::from(name.as_str()));
                    reversed(value, &mut text);
                    text
                });
                *out += &format!("{{ {} }}", members.collect::<Vec<_>>().join(" , "));
            }
            leaf => *out += &leaf.to_string(),
        }
    }

    proptest! {
        #[test]
        fn one_value_has_one_form(value in value()) {
            let form = canonical(&value.to_string());
            let mut other = String::new();
            reversed(&value, &mut other);
            prop_assert_eq!(&canonical(&other), &form);
            prop_assert_eq!(&canonical(&form), &form);
            prop_assert_eq!(serde_json::from_str::<Value>(&form).unwrap(), value);
        }

        #[test]
        fn a_number_keeps_its_value(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            let form = canonical(&format!("{number:e}"));
            prop_assert_eq!(form.parse::<f64>().unwrap(), number);
            prop_assert_eq!(&canonical(&form), &form);
        }
    }
}
