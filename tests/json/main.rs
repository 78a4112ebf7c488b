//! Our JSON parser compared with `serde_json`: both accept the same texts and reject the others at the same byte with
//! the same words.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod reference;

use std::borrow::Cow;

use mcp_sieve::ErrorKind;
use mcp_sieve::json::{Members, Number, Object, Raw};
use proptest::prelude::*;
use reference::agree;
use serde_json::Value;

/// Pieces from which valid and invalid JSON is assembled.
const PIECES: [&str; 46] = [
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "\\",
    "\"a\"",
    "\"\\n\"",
    "\"\\u00e9\"",
    "\\u",
    "\\ud83d",
    "00e9",
    "é",
    "𝄞",
    "\u{1}",
    "\u{7f}",
    " ",
    "\n",
    "\t",
    "\r",
    "0",
    "1",
    "-",
    "+",
    ".",
    "e",
    "E",
    "12",
    "-0.5e+10",
    "true",
    "false",
    "null",
    "tru",
    "nul",
    "x",
    "/",
    "{\"a\":1}",
    "[1,2]",
    "{}",
    "[]",
    "\"abcdefgh\"",
    "abcdefgh",
    "\"\"",
    "'",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn takes_and_refuses_what_serde_json_does(pieces in prop::collection::vec(0..PIECES.len(), 0..24)) {
        agree(&pieces.iter().map(|piece| PIECES[*piece]).collect::<String>());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn takes_any_value(value in value(), pretty in any::<bool>(), cut in any::<prop::sample::Index>()) {
        let source = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) }.unwrap();
        agree(&source);
        let cut = (0..=cut.index(source.len() + 1)).rev().find(|at| source.is_char_boundary(*at)).unwrap();
        agree(source.split_at(cut).0);
        let raw = Raw::parse(&source).unwrap();
        match &value {
            Value::Array(items) => {
                let read: Vec<Value> = raw.elements().unwrap().iter().map(|raw| serde_json::from_str(raw.get()).unwrap()).collect();
                prop_assert_eq!(&read, items);
            }
            Value::Object(map) => {
                let members = Members::read(raw).unwrap();
                prop_assert_eq!(members.0.len(), map.len());
                for (key, value) in map {
                    prop_assert_eq!(&serde_json::from_str::<Value>(members.get(key).unwrap().get()).unwrap(), value);
                }
            }
            Value::String(inner) => prop_assert_eq!(raw.text().unwrap(), inner.as_str()),
            _ => prop_assert!(raw.text().is_none() && raw.elements().is_none() && Members::read(raw).is_none()),
        }
    }

    #[test]
    fn reads_and_writes_strings_as_serde_json_does(value in any::<String>(), units in prop::collection::vec(any::<u16>(), 0..4)) {
        let mut ours = Vec::new();
        Object::push_text(&mut ours, &value);
        prop_assert_eq!(&ours, &serde_json::to_vec(&value).unwrap());
        prop_assert_eq!(Raw::parse(std::str::from_utf8(&ours).unwrap()).unwrap().text().unwrap(), value);

        // Unpaired surrogates are well-formed JSON, but not text.
        let escaped: String = units.iter().map(|unit| format!("\\u{unit:04x}")).collect();
        let quoted = format!("\"{escaped}\"");
        let theirs: Option<String> = serde_json::from_str(&quoted).ok();
        prop_assert_eq!(Raw::parse(&quoted).unwrap().text().map(Cow::into_owned), theirs);
    }

    #[test]
    fn numbers_are_what_they_say(digits in -999_999_999_999_999_i64..=999_999_999_999_999, exponent in -30..30_i32) {
        let number: Number = format!("{digits}e{exponent}").parse().unwrap();
        prop_assert_eq!(number.to_string().parse(), Ok(number));
        let float: f64 = format!("{digits}e{exponent}").parse().unwrap();
        prop_assert_eq!(number.to_string().parse::<f64>().unwrap(), float);
    }

    #[test]
    fn numbers_compare_as_numbers(a in -9999_i64..=9999, b in -9999_i64..=9999, p in -6..6_i32, q in -6..6_i32) {
        let [one, other]: [Number; 2] = [(a, p), (b, q)].map(|(digits, power)| format!("{digits}e{power}").parse().unwrap());
        // With a common exponent, both numbers are integers.
        let [whole, rest] = [(a, p), (b, q)].map(|(digits, power)| digits * 10_i64.pow((power + 6).unsigned_abs()));
        prop_assert_eq!(one.cmp(&other), whole.cmp(&rest));
    }

    #[test]
    fn the_nearest_step_is_on_the_grid(min in -500_i64..500, steps in 0..50_i64, width in 1..40_i64, value in -3000_i64..3000) {
        let hundredths = |number: i64| format!("{number}e-2").parse::<Number>().unwrap();
        let max = min + steps * width;
        // A maximum that no step reaches is never returned.
        let found = hundredths(value).nearest(hundredths(min), hundredths(max + width - 1), hundredths(width)).unwrap();
        let best = (0..=steps).map(|step| min + step * width).min_by_key(|on| ((on - value).abs(), -on)).unwrap();
        let bounded = value.clamp(min, max + width - 1);
        let expected = (0..=steps).map(|step| min + step * width).min_by_key(|on| ((on - bounded).abs(), -on)).unwrap();
        prop_assert!(found == hundredths(best) || found == hundredths(expected));
        prop_assert_eq!(found, hundredths(expected));
    }

    #[test]
    fn comments_leave_every_byte_in_its_place(value in value(), seed in any::<u64>()) {
        let source = serde_json::to_string(&value).unwrap();
        let (mut commented, mut seed, mut quoted, mut escaped) = (String::new(), seed, false, false);
        for c in source.chars() {
            let inside = quoted;
            match c {
                _ if escaped => escaped = false,
                '\\' if quoted => escaped = true,
                '"' => quoted = !quoted,
                _ => {}
            }
            if !inside && matches!(c, ',' | ':' | '[' | '{' | ']' | '}') {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                commented.push_str([" ", "/* ] \" é */", "// }\n", "", ""][(seed >> 33) as usize % 5]);
            }
            commented.push(c);
        }
        let plain = Raw::strip_comments(&commented).unwrap();
        prop_assert_eq!(plain.len(), commented.len());
        prop_assert_eq!(serde_json::from_str::<Value>(&plain).unwrap(), value);
    }
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|eighths| Value::from(f64::from(eighths) / 8.0)),
        any::<String>().prop_map(Value::from),
        "[a-z \"\\\\\n]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
            prop::collection::vec((any::<String>(), inner), 0..8)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

#[test]
fn trailing_commas_are_taken_and_no_others() {
    for (source, expected) in [
        ("[1,]", "[1 ]"),
        ("{\"a\":[1, /* x */ ] , }", "{\"a\":[1          ]   }"),
        ("[1,// x\n]", "[1     \n]"),
    ] {
        assert_eq!(Raw::strip_comments(source).unwrap(), expected);
    }
    for source in ["[,]", "{,}", "[1,,]", "{\"a\":,}", ",", "[1],"] {
        assert!(Raw::parse(&Raw::strip_comments(source).unwrap()).is_err(), "{source}");
    }
    assert_eq!(Raw::strip_comments("[1] /* then").unwrap_err().at(), Some(4));
    assert_eq!(Raw::strip_comments("\"/* no comment, ]\"").unwrap(), "\"/* no comment, ]\"");
}

#[test]
fn the_deepest_that_is_read() {
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Raw::parse(&nested(Raw::MAX_DEPTH)).is_ok());
    let error = Raw::parse(&nested(Raw::MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.at()),
        ("JSON nests deeper than 127 levels at byte 127", Some(127))
    );
    assert!(serde_json::from_str::<serde_json::Value>(&nested(Raw::MAX_DEPTH)).is_ok());
    assert!(serde_json::from_str::<serde_json::Value>(&nested(Raw::MAX_DEPTH + 1)).is_err());
}

#[test]
fn text_of_any_depth() {
    // A scan keeps 64 levels at a time, and more than its limit on the heap.
    for depth in [63, 64, 65, 127, 128, 129, 192, 193, 20_000] {
        for (open, inner, close) in [
            ("[", "", "]"),
            ("[1,", "{}", ", \"\" ]"),
            (r#"{"a":[],"b":"#, "1", r#","c":"x"}"#),
            (r#" { "\u0061" : "#, "[ ]", r#" , "\ud800" : -1.5e3 } "#),
        ] {
            let source = [&open.repeat(depth), inner, &close.repeat(depth)].concat();
            let value = Raw::parse_deep(&source).unwrap();
            assert_eq!(value.get(), source.trim());
            let beside = format!(r#"{{"a":{source},"b":[{source},7]}}"#);
            let members = Members::parse(&beside).unwrap();
            assert_eq!(members.get("a"), Some(value));
            assert_eq!(members.get("b").unwrap().elements().unwrap().last().unwrap().get(), "7");
            // Deep text is checked like any other.
            for (at, wrong) in [
                (source.rfind([']', '}']).unwrap(), ""),
                (source.rfind(close).unwrap(), "x"),
                (open.len() * (depth - 1), "]"),
            ] {
                let (before, after) = source.split_at(at);
                let after = if wrong.is_empty() {
                    after.strip_prefix(|_: char| true).unwrap_or_default()
                } else {
                    after
                };
                let source = [before, wrong, after].concat();
                assert!(Raw::parse_deep(&source).is_err(), "{depth} {open} {at}");
                assert!(Members::parse(&format!(r#"{{"a":{source}}}"#)).is_none(), "{depth} {open} {at}");
            }
        }
    }
}

#[test]
fn numbers_at_the_edges() {
    for (source, expected) in [
        ("0", "0"),
        ("-0", "0"),
        ("-0.0e5", "0"),
        ("3.0", "3"),
        ("3e0", "3"),
        ("30e-1", "3"),
        ("1e21", "1000000000000000000000"),
        ("-1.5e-3", "-0.0015"),
        ("0.30000000000000004", "0.30000000000000004"),
        ("123456789012345678901234567890", "123456789012345678000000000000"),
        ("+5", "5"),
        (".5", "0.5"),
        ("5.", "5"),
    ] {
        assert_eq!(source.parse::<Number>().unwrap().to_string(), expected, "{source}");
    }
    for source in ["", ".", "-", "e5", "1e", "1e9999", "1e-9999", "inf", "NaN", "0x10", "1 ", "--1"] {
        assert_eq!(source.parse::<Number>().unwrap_err().kind(), ErrorKind::Json, "{source}");
    }
}
