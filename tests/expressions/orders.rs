//! The orders of numbers, instants and versions.

use mcp_sieve::expr::{Field, Op, Subject, Term};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

/// A subject with one value in every field.
struct Value<'a>(&'a str);

impl Subject for Value<'_> {
    fn values(&self, _: &Field, visit: &mut dyn FnMut(&str)) {
        visit(self.0);
    }
}

/// Evaluates one comparison.
#[track_caller]
fn holds(field: &Field, have: &str, op: Op, want: &str) -> bool {
    let term = Term::new(field.clone(), op, want);
    term.unwrap_or_else(|error| panic!("{want}: {error}")).holds(&Value(have))
}

/// Asserts that each value is less than all that follow, and that spellings of one value are equal.
#[track_caller]
fn ascending(field: &Field, places: &[&[&str]]) {
    for (at, spellings) in places.iter().enumerate() {
        for (place, others) in places.iter().enumerate() {
            for (have, want) in spellings.iter().flat_map(|have| others.iter().map(move |want| (have, want)))
            {
                let case = format!("{have} and {want}");
                assert_eq!(holds(field, have, Op::Less, want), at < place, "{case}");
                assert_eq!(holds(field, have, Op::AtMost, want), at <= place, "{case}");
                assert_eq!(holds(field, have, Op::Greater, want), at > place, "{case}");
                assert_eq!(holds(field, have, Op::AtLeast, want), at >= place, "{case}");
                assert_eq!(holds(field, have, Op::Equals, want), at == place, "{case}");
                assert_eq!(holds(field, have, Op::Differs, want), at != place, "{case}");
            }
        }
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn versions() {
    ascending(
        &Field::ClientVersion,
        &[
            &["0", "v0.0.0", "0.0"],
            &["0.9.10"],
            &["0.10"],
            &["1.0.0-alpha"],
            &["1.0.0-alpha.1", "1.0.0-alpha.01"],
            &["1.0.0-alpha.beta"],
            &["1.0.0-beta"],
            &["1.0.0-beta.2"],
            &["1.0.0-beta.11"],
            &["1.0.0-beta.18446744073709551616"],
            &["1.0.0-rc.1", "1-rc.1+build.7"],
            &["1.0.0-rc-1.x"],
            &["1", "1.0", "1.0.0", "v1.0.0", "1.0.0.0", "1.0.0+20130313144700", "01.00"],
            &["1.0.0.1"],
            &["1.2.3"],
            &["1.10"],
            &["2025.1.14"],
            &["340282366920938463463374607431768211456.0"],
        ],
    );
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_is_no_version() {
    for text in
        ["", "v", "latest", "1.", ".1", "1..2", "1.x", "1.0-", "1.0-a..b", "1.0-é", "1.0+", "-1", "+1", "1 "]
    {
        assert!(Term::new(Field::ClientVersion, Op::Less, text).is_err(), "{text}");
        for op in [Op::Less, Op::AtMost, Op::Greater, Op::AtLeast, Op::Equals] {
            assert!(!holds(&Field::ClientVersion, text, op, "1.0"), "{text}");
        }
    }
    assert!(holds(&Field::ClientVersion, "latest", Op::Equals, "latest"), "still a text");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn instants() {
    ascending(
        &Field::LastModified,
        &[
            &["0000-01-01", "0000-01-01T00:00:00Z"],
            &["1582-10-14T23:59:59-00:00"],
            &["1969-12-31T23:59:59.999999999Z"],
            &["1970-01-01", "1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:00", "1969-12-31T19:30:00-04:30"],
            &["1972-06-30T23:59:59Z"],
            &["1972-06-30T23:59:60Z", "1972-07-01"],
            &["2000-02-29T00:00:00z", "2000-02-29 00:00:00Z", "2000-02-29t00:00:00Z"],
            &["2000-03-01"],
            &["2100-02-28T23:59:59Z"],
            &["2100-03-01T00:00:00.0Z"],
            &["2100-03-01T00:00:00.000000001Z", "2100-03-01T00:00:00.0000000019Z"],
            &["2100-03-01T00:00:00.1Z", "2100-03-01T00:00:00.100Z"],
            &["9999-12-31T23:59:59.9Z"],
        ],
    );
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_is_no_instant() {
    let texts = [
        "",
        "T",
        "2026",
        "2026-07",
        "2026-7-28",
        "2026-00-01",
        "2026-13-01",
        "2026-01-00",
        "2026-01-32",
        "2026-04-31",
        "2026-02-29",
        "2100-02-29",
        "26-07-28",
        "+2026-07-28",
        "2026-07-28T",
        "2026-07-28TZ",
        "2026-07-28T12:00Z",
        "2026-07-28T12:00:00",
        "2026-07-28T24:00:00Z",
        "2026-07-28T12:60:00Z",
        "2026-07-28T12:00:61Z",
        "2026-07-28T12:00:00.Z",
        "2026-07-28T12:00:00.5.5Z",
        "2026-07-28T12:00:00,5Z",
        "2026-07-28T12:00:00+24:00",
        "2026-07-28T12:00:00+01:60",
        "2026-07-28T12:00:00+0100",
        "2026-07-28T12:00:00é:00",
        "2026-07-28T12:00:00Z ",
        "٢٠٢٦-٠٧-٢٨",
        "2026-07-28-01",
        "1785240000",
    ];
    for text in texts {
        assert!(Term::new(Field::LastModified, Op::Less, text).is_err(), "{text}");
        assert!(!holds(&Field::LastModified, text, Op::Less, "9999-12-31"), "{text}");
        assert!(!holds(&Field::LastModified, text, Op::AtLeast, "0000-01-01"), "{text}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn numbers() {
    ascending(
        &Field::Priority,
        &[
            &["-1e300"],
            &["-2"],
            &["-0", "0", "0.0", "0e9"],
            &["1e-9"],
            &["0.5", ".5", "5e-1"],
            &["1", "1."],
            &["10"],
        ],
    );
    for text in ["", "NaN", "inf", "-infinity", "1,5", "0x1", "1e999", "one", "1_000"] {
        assert!(Term::new(Field::Priority, Op::Greater, text).is_err(), "{text}");
        assert!(!holds(&Field::Priority, text, Op::AtLeast, "-1e300"), "{text}");
        assert!(!holds(&Field::Priority, text, Op::AtMost, "1e300"), "{text}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn the_order_of_any_other_field_is_that_of_the_value_wanted() {
    let field = Field::Meta("x".to_owned());
    for (have, op, want, expected) in [
        ("10", Op::Greater, "9", true),
        ("10.0.0", Op::Greater, "9", false),
        ("10.0.0", Op::Greater, "9.0.0", true),
        ("2026-07-28T00:00:01Z", Op::Greater, "2026-07-28", true),
        ("2026", Op::Less, "2026-07-28", false),
        ("2026", Op::Less, "2027", true),
        ("v2", Op::AtLeast, "v1.9", true),
    ] {
        assert_eq!(holds(&field, have, op, want), expected, "{have} {op} {want}");
    }
    // These are texts: they are equal only if identical.
    assert!(!holds(&field, "1.0", Op::Equals, "1"));
    assert!(holds(&field, "1.0", Op::Differs, "1"));
    assert!(Term::new(field, Op::Less, "later").is_err());
}
