//! Responses of an upstream server that are passed on unread: the same verdict wherever the pieces end, and the one that
//! `serde_json` comes to.

use mcp_sieve_gateway::{
    host::Era,
    upstream::outer_members::{Form, Obstacle, OuterMembers},
};

use super::text;
use crate::{
    passed_response::{is_json, passed},
    target::Target,
};

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    r#""jsonrpc":"2.0","#,
    r#""id":7,"#,
    r#""result":{"#,
    r#""error":{},"#,
    r#""method":"ping","#,
    r#""resultType":"complete","#,
    r#""resultType":"task","#,
    r#""cacheScope":"private","#,
    r#""cacheScope":"public","#,
    r#""ttlMs":0,"#,
    r#""structuredContent":{},"#,
    r#""structuredContent":[],"#,
    r#""_meta":{"#,
    r#""io.modelcontextprotocol/serverInfo":{},"#,
    r#""task":{},"#,
    r#""inputRequests":{},"#,
    r#""t\u0061sk":{},"#,
    r#"\""#,
    r"\\",
    "\"",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
];
/// The id of the request.
const ID: &str = "7";
/// What results must be like.
const FORMS: [Form; 3] = [
    Form { era: Era::Session, private: false, cached: false },
    Form { era: Era::Stateless, private: false, cached: true },
    Form { era: Era::Stateless, private: true, cached: false },
];

fn seeds() -> Vec<Vec<u8>> {
    [
        r#"{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"a \"}\\"}],"structuredContent":{}}}"#,
        r#"{"result":{"content":[],"resultType":"complete","ttlMs":1,"cacheScope":"private"},"jsonrpc":"2.0","id":7}"#,
        r#" { "id" : 7 , "jsonrpc" : "2.0" , "result" : { "_meta" : { "a" : [ 1 , true ] } } } "#,
        r#"{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a"}}}}"#,
        r#"{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"no"}}"#,
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .to_vec()
}

type Read = (Result<(), Obstacle>, [bool; 3]);

fn read<'a>(pieces: impl Iterator<Item = &'a [u8]>, form: Form) -> Read {
    let mut reader = OuterMembers::new(ID, form);
    for piece in pieces {
        if let Err(obstacle) = reader.push(piece) {
            assert_eq!(reader.push(b"{}"), Err(obstacle));
            break;
        }
    }
    (reader.finish(), [reader.has_result(), reader.is_closed(), reader.is_complete()])
}

fn holds(bytes: &[u8]) -> String {
    let source = text(bytes);
    let is_json = is_json(&source);
    let verdicts = FORMS.map(|form| {
        let whole = read([bytes].into_iter(), form);
        for size in [1, 2, 3, 7] {
            assert_eq!(read(bytes.chunks(size), form), whole, "{form:?} in pieces of {size}");
        }
        // Clients read other bytes than UTF-8 as U+FFFD.
        assert_eq!(read([source.as_bytes()].into_iter(), form), whole, "{form:?}");
        let (verdict, [has_result, is_closed, is_complete]) = whole;
        if is_json {
            let expected = passed(&source, ID, form);
            assert_eq!(verdict.is_ok().then_some(is_complete), expected, "{form:?}: {verdict:?}");
        }
        assert!(verdict.is_err() || has_result && is_closed, "{form:?}");
        verdict.map_or_else(Obstacle::code, |()| if is_complete { "complete" } else { "passed" })
    });
    format!("{}, JSON: {is_json}", verdicts.join(", "))
}
