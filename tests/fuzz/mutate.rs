//! Small mutations of bytes, and of JSON values anywhere in the input.

use serde_json::{Map, Value, json};

use crate::random::Random;

/// Maximum length, in bytes, of a mutated input.
const MAX_INPUT: usize = 16 * 1024;

/// Bytes that have a meaning in some input language, or break UTF-8.
const BYTES: &[u8] = b"\0\t\n\r \"\\/{}[]():,;=<>*?%&+-.0129aeE_\x7f\x80\xc3\xe2\xff";
/// Numbers at limits.
const NUMBERS: [&str; 10] =
    ["0", "-1", "1e999", "-0.0", "255", "256", "65536", "4294967296", "18446744073709551616", "1e-400"];

/// Returns a mutation of `input`, which may contain parts of `other` and of `words`.
pub fn mutate(input: &[u8], other: &[u8], words: &[&str], random: &mut Random) -> Vec<u8> {
    let mut out = input.to_vec();
    for _ in 0..=random.below(4) {
        match random.below(10) {
            0 => byte(&mut out, random),
            1 | 2 => word(&mut out, words, random),
            3 => _ = out.drain(range(&out, 32, random)),
            4 => repeat(&mut out, random),
            5 => splice(&mut out, other, random),
            6 => number(&mut out, random),
            7 if random.one_in(8) => out.truncate(random.below(out.len() + 1)),
            _ => value(&mut out, words, random),
        }
        out.truncate(MAX_INPUT);
    }
    out
}

/// Returns a random range of up to `most` bytes.
fn range(of: &[u8], most: usize, random: &mut Random) -> std::ops::Range<usize> {
    let from = random.below(of.len() + 1);
    from..(from + random.below(most + 1)).min(of.len())
}

/// Flips a bit of a byte, or replaces the byte.
fn byte(out: &mut [u8], random: &mut Random) {
    if out.is_empty() {
        return;
    }
    let at = random.below(out.len());
    out[at] = if random.one_in(2) { out[at] ^ (1 << random.below(8)) } else { *random.pick(BYTES) };
}

/// Inserts a word or a byte.
fn word(out: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    let at = random.below(out.len() + 1);
    if words.is_empty() || random.one_in(4) {
        out.insert(at, *random.pick(BYTES));
    } else {
        out.splice(at..at, random.pick(words).bytes());
    }
}

/// Repeats a part of the input once, or occasionally up to 2,000 times to reach the limits.
fn repeat(out: &mut Vec<u8>, random: &mut Random) {
    let range = range(out, 24, random);
    let times = if random.one_in(12) { 1 + random.below(2_000) } else { 1 };
    let part = out[range.clone()].repeat(times);
    out.splice(range.end..range.end, part);
}

/// Joins a part of another input to this one, or inserts it.
fn splice(out: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let (from, at) = (random.below(other.len() + 1), random.below(out.len() + 1));
    if random.one_in(2) {
        out.truncate(at);
        out.extend_from_slice(&other[from..]);
    } else {
        out.splice(at..at, other[range(other, 64, random)].iter().copied());
    }
}

/// Replaces a run of digits by another number.
fn number(out: &mut Vec<u8>, random: &mut Random) {
    let from = random.below(out.len() + 1);
    let Some(start) = out[from..].iter().position(u8::is_ascii_digit).map(|at| from + at) else { return };
    let end = out[start..].iter().position(|byte| !byte.is_ascii_digit()).map_or(out.len(), |at| start + at);
    out.splice(start..end, random.pick(&NUMBERS).bytes());
}

/// Changes a value inside an object or array of the input, so that it remains JSON.
fn value(out: &mut Vec<u8>, words: &[&str], random: &mut Random) {
    let opens: Vec<usize> =
        out.iter().enumerate().filter(|(_, byte)| matches!(byte, b'{' | b'[')).map(|(at, _)| at).collect();
    if opens.is_empty() {
        return word(out, words, random);
    }
    // The outermost value is chosen as often as all others together.
    let at = if random.one_in(2) { opens[0] } else { *random.pick(&opens) };
    let mut values = serde_json::Deserializer::from_slice(&out[at..]).into_iter::<Value>();
    let Some(Ok(mut found)) = values.next() else { return };
    let end = at + values.byte_offset();
    let turn = random.below(count(&found));
    change(nth(&mut found, &mut { turn }).expect("counted"), words, random);
    out.splice(at..end, found.to_string().into_bytes());
}

/// Returns the number of values, including those inside.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Returns the value at this position in a depth-first traversal.
fn nth<'a>(value: &'a mut Value, left: &mut usize) -> Option<&'a mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(values) => values.iter_mut().find_map(|value| nth(value, left)),
        Value::Object(members) => members.values_mut().find_map(|value| nth(value, left)),
        _ => None,
    }
}

/// Changes a value, or the elements or members inside it.
fn change(value: &mut Value, words: &[&str], random: &mut Random) {
    let odd = odd(words, random);
    match value {
        Value::Object(members) if !random.one_in(4) => member(members, odd, words, random),
        Value::Array(values) if !random.one_in(4) => match random.below(3) {
            0 if !values.is_empty() => _ = values.remove(random.below(values.len())),
            1 if !values.is_empty() => {
                let again = random.pick(values).clone();
                values.resize(values.len() + *random.pick(&[1, 1, 1, 64, 300]), again);
            }
            _ => values.push(odd),
        },
        _ if random.one_in(10) => {
            let depth = *random.pick(&[1, 2, 8, 31, 32, 33, 63, 64, 65]);
            let object = random.one_in(2);
            for _ in 0..depth {
                let inner = value.take();
                *value = if object { json!({"not": inner}) } else { json!([inner]) };
            }
        }
        _ => *value = odd,
    }
}

/// Removes, renames, replaces or adds a member of an object.
fn member(members: &mut Map<String, Value>, odd: Value, words: &[&str], random: &mut Random) {
    let keys: Vec<String> = members.keys().cloned().collect();
    let new = if words.is_empty() { "x" } else { random.pick(words) };
    let new = new.trim_matches(['"', ':', ' ']).to_owned();
    match (random.below(4), keys.is_empty()) {
        (0, false) => _ = members.remove(random.pick(&keys)),
        (1, false) => {
            let moved = members.remove(random.pick(&keys)).expect("a member");
            members.insert(new, moved);
        }
        (2, false) => _ = members.insert(random.pick(&keys).clone(), odd),
        _ => _ = members.insert(new, odd),
    }
}

/// Returns a value that is rarely valid in its place.
fn odd(words: &[&str], random: &mut Random) -> Value {
    match random.below(10) {
        0 => Value::Null,
        1 => random.one_in(2).into(),
        2 => json!([]),
        3 => json!({}),
        4 => random.pick(&[0.5, -1e300, 1e21, -0.0]).to_owned().into(),
        5 => random.pick(&[0, -1, 1, i64::MAX, i64::MIN, 4_294_967_296]).to_owned().into(),
        6 => "x".repeat(*random.pick(&[0, 1, 255, 256, 257, 9_000])).into(),
        7 => random
            .pick(&["é🧀", "\u{0}", "\u{3000}", "a\nb", "*", "\u{feff}", "=?base64?YQ==?="])
            .to_owned()
            .into(),
        _ if words.is_empty() => "".into(),
        _ => random.pick(words).trim_matches('"').into(),
    }
}
