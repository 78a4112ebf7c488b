//! A response is passed on unread exactly if `serde_json` finds in it what the gateway requires, wherever its pieces end.

use std::collections::BTreeMap;

use mcp_sieve_gateway::{
    host::Era,
    upstream::outer_members::{Form, Obstacle, OuterMembers},
};

use crate::{
    passed_response::{is_json, passed},
    random::Random,
};

const SEED: u64 = 54;
const RESPONSES: usize = 12_000;

/// Bytes that have a meaning, or none.
const BYTES: &[u8] = b"\"\"\\{}[]:,, 7nx\n\xc3";

/// Returns white space, most often none.
fn gap(random: &mut Random) -> &'static str {
    if random.one_in(12) { random.pick::<&str>(&[" ", "\n", "\t", "\r\n  "]) } else { "" }
}

/// Returns a value of a few levels, or rarely of a hundred.
fn value(levels: usize, random: &mut Random) -> String {
    const LEAVES: [&str; 12] = [
        "0",
        "-1.5e+3",
        "true",
        "null",
        r#""""#,
        r#""a""#,
        r#""}]{[""#,
        r#""\"""#,
        r#""\\""#,
        r#""\u00e9\\\"}""#,
        r#""é🧀""#,
        r#""complete""#,
    ];
    if random.one_in(400) {
        let levels = 120 + random.below(10);
        return format!("{}{}{}", "[".repeat(levels), value(0, random), "]".repeat(levels));
    }
    if random.one_in(40) {
        return format!("\"{}\"", "long ".repeat(random.below(40)));
    }
    match random.below(if levels == 0 { 1 } else { 3 }) {
        0 => (*random.pick(&LEAVES)).to_owned(),
        1 => {
            let elements: Vec<_> = (0..random.below(4)).map(|_| value(levels - 1, random)).collect();
            format!("[{}]", elements.join(","))
        }
        _ => {
            let keys = ["a", "task", "resultType", "_meta", r"a\n", r"\\", r#"\""#, "", "content", "é"];
            let members = (0..random.below(4)).map(|_| (*random.pick(&keys), value(levels - 1, random)));
            object(&members.collect::<Vec<_>>(), random)
        }
    }
}

/// Returns an object, with white space anywhere.
fn object(members: &[(&str, String)], random: &mut Random) -> String {
    let mut object = "{".to_owned();
    for (at, (key, value)) in members.iter().enumerate() {
        object += if at == 0 { "" } else { "," };
        for part in [gap(random), "\"", key, "\"", gap(random), ":", gap(random), value, gap(random)] {
            object += part;
        }
    }
    object + gap(random) + "}"
}

/// Returns the value that a key should have, or rarely another.
fn right(value_of_key: &str, random: &mut Random) -> String {
    if random.one_in(12) { value(2, random) } else { value_of_key.to_owned() }
}

fn meta(random: &mut Random) -> String {
    let mut members = vec![("a", value(2, random))];
    if !random.one_in(4) {
        members.push(("io.modelcontextprotocol/serverInfo", value(2, random)));
    }
    if random.one_in(6) {
        members.push((r"io.modelcontextprotocol\/serverInfo", value(1, random)));
    }
    shuffle(&mut members, random);
    object(&members, random)
}

fn result(era: Era, random: &mut Random) -> String {
    let mut members = vec![("content", value(3, random))];
    let foreign = era == Era::Stateless || random.one_in(12);
    for (key, known, often) in [
        ("resultType", r#""complete""#, foreign),
        ("cacheScope", r#""private""#, foreign),
        ("ttlMs", "1000", foreign),
        ("structuredContent", r#"{"a":[]}"#, true),
    ] {
        if often && !random.one_in(3) {
            members.push((key, right(known, random)));
        }
    }
    for _ in 0..random.below(3) {
        let meta = meta(random);
        members.push(("_meta", right(&meta, random)));
    }
    if random.one_in(12) {
        let keys = ["task", "inputRequests", r"t\u0061sk", "tasks", "resultTyp", "resultType", "cacheScope"];
        members.push((*random.pick(&keys), value(2, random)));
    }
    shuffle(&mut members, random);
    object(&members, random)
}

fn response(id: &str, era: Era, random: &mut Random) -> Vec<u8> {
    let result = result(era, random);
    let mut members = vec![
        ("jsonrpc", right(r#""2.0""#, random)),
        ("id", right(id, random)),
        ("result", right(&result, random)),
    ];
    if random.one_in(20) {
        let keys = ["method", "error", "id", "result", r"\u0069d", ""];
        members.push((*random.pick(&keys), value(2, random)));
    }
    if random.one_in(30) {
        members.remove(random.below(members.len()));
    }
    shuffle(&mut members, random);
    let mut response = format!("{}{}{}", gap(random), object(&members, random), gap(random)).into_bytes();
    if random.one_in(3) {
        mutate(&mut response, random);
    }
    response
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at + 1));
    }
}

/// Removes, inserts or replaces a byte, or cuts the text.
fn mutate(text: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(text.len());
    match random.below(8) {
        0 => text.truncate(at),
        1 | 2 => _ = text.remove(at),
        3 | 4 => text.insert(at, *random.pick(BYTES)),
        _ => text[at] = *random.pick(BYTES),
    }
}

type Read = (Result<(), Obstacle>, bool, bool, bool);

/// Reads a response in pieces, which have random sizes up to `most`.
fn read(response: &[u8], id: &str, form: Form, most: usize, random: &mut Random) -> Read {
    let mut reader = OuterMembers::new(id, form);
    let mut rest = response;
    while !rest.is_empty() {
        let (piece, others) = rest.split_at(random.below(most.min(rest.len()) + 1));
        rest = others;
        if let Err(obstacle) = reader.push(piece) {
            assert_eq!(reader.push(rest), Err(obstacle));
            break;
        }
    }
    (reader.finish(), reader.has_result(), reader.is_closed(), reader.is_complete())
}

#[test]
fn responses_are_read_in_passing_as_serde_json_reads_them() {
    let (mut random, mut verdicts) = (Random::new(SEED), BTreeMap::new());
    for number in 0..RESPONSES {
        let era = *random.pick(&[Era::Session, Era::Stateless]);
        let form = Form { era, private: random.one_in(2), cached: random.one_in(2) };
        let id = *random.pick(&["7", r#""a\"b""#, r#""""#, "-1"]);
        let bytes = response(id, era, &mut random);
        let source = String::from_utf8_lossy(&bytes);
        let case = format!("response {number} to {id}, {form:?}: {}", bytes.escape_ascii());

        let mut whole = OuterMembers::new(id, form);
        let _ = whole.push(&bytes);
        let verdict = whole.finish();
        let whole = (verdict, whole.has_result(), whole.is_closed(), whole.is_complete());
        for most in [1, 2, 7, bytes.len()] {
            assert_eq!(read(&bytes, id, form, most, &mut random), whole, "{case}");
        }
        // What is skipped may be no JSON.
        if is_json(&source) {
            let expected = passed(&source, id, form);
            assert_eq!(verdict.is_ok().then_some(whole.3), expected, "{verdict:?}, {case}");
        }
        *verdicts.entry((era.name(), verdict.map_err(Obstacle::code), is_json(&source))).or_insert(0) += 1;
    }
    // Every obstacle occurs, in JSON too, and much is passed on.
    for era in ["session", "stateless"] {
        for verdict in [Ok(()), Err("depth"), Err("id"), Err("kind"), Err("member"), Err("result")] {
            let times = verdicts.get(&(era, verdict, true)).copied().unwrap_or(0);
            assert!(times > if verdict.is_ok() { RESPONSES / 6 } else { 10 }, "{verdict:?}: {verdicts:?}");
        }
        assert!(verdicts.get(&(era, Err("json"), false)).is_some_and(|times| *times > 100), "{verdicts:?}");
        assert!(!verdicts.contains_key(&(era, Err("json"), true)), "{verdicts:?}");
    }
}
