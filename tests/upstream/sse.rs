//! The event parser returns the same events wherever the chunks end, and no input makes it panic.

use mcp_sieve_gateway::upstream::sse::{Frame, Parser, TooLarge};
use proptest::prelude::*;

const LIMIT: usize = 1000;

fn frame(event: &str, data: &str) -> Frame {
    Frame { event: event.into(), data: data.into() }
}

fn parse(pieces: &[&[u8]], limit: usize) -> Result<Vec<Frame>, TooLarge> {
    let (mut parser, mut frames) = (Parser::new(limit), Vec::new());
    for piece in pieces {
        parser.push(piece, &mut frames)?;
    }
    Ok(frames)
}

fn rows() -> Vec<(&'static str, &'static str, Vec<Frame>)> {
    vec![
        ("one event", "data: a\n\n", vec![frame("", "a")]),
        ("named", "event: message\ndata: a\n\n", vec![frame("message", "a")]),
        ("carriage returns", "event: x\rdata: a\r\rdata: b\r\r", vec![frame("x", "a"), frame("", "b")]),
        ("both", "event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", vec![frame("x", "a"), frame("", "b")]),
        ("mixed ends", "data: a\r\ndata: b\rdata: c\n\r\n", vec![frame("", "a\nb\nc")]),
        ("several lines", "data: a\ndata:\ndata: b\n\n", vec![frame("", "a\n\nb")]),
        ("one space only", "data:  a\ndata:b\n\n", vec![frame("", " a\nb")]),
        ("a colon in the value", "data: a: b\n\n", vec![frame("", "a: b")]),
        ("no colon", "data\n\n", vec![frame("", "")]),
        ("comments", ": hi\n\n:\ndata: a\n: in between\n\n", vec![frame("", "a")]),
        ("other fields", "id: 7\nretry: 10\nwhat: ever\ndata: a\n\n", vec![frame("", "a")]),
        ("a priming event", "id: 7\ndata:\n\ndata: a\n\n", vec![frame("", ""), frame("", "a")]),
        ("a name without data is forgotten", "event: x\n\ndata: a\n\n", vec![frame("", "a")]),
        ("the last name counts", "event: x\nevent: y\ndata: a\n\n", vec![frame("y", "a")]),
        ("a byte order mark", "\u{feff}data: a\n\n", vec![frame("", "a")]),
        ("a second mark is none", "data: a\n\n\u{feff}data: b\n\n", vec![frame("", "a")]),
        ("unfinished", "data: a\n\ndata: b\n", vec![frame("", "a")]),
        ("blank lines", "\n\r\n\r\n\ndata: a\n\n\n", vec![frame("", "a")]),
        ("beyond ASCII", "data: größer 🎉\n\n", vec![frame("", "größer 🎉")]),
    ]
}

#[test]
fn events_are_read_as_the_standard_says() {
    for (name, source, expected) in rows() {
        assert_eq!(parse(&[source.as_bytes()], LIMIT), Ok(expected), "{name}");
    }
}

#[test]
fn every_cut_gives_the_same_events() {
    for (name, source, expected) in rows() {
        let bytes = source.as_bytes();
        for first in 0..=bytes.len() {
            for second in first..=bytes.len() {
                let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                assert_eq!(parse(&pieces, LIMIT).as_ref(), Ok(&expected), "{name} at {first} and {second}");
            }
        }
        let single: Vec<&[u8]> = bytes.chunks(1).collect();
        assert_eq!(parse(&single, LIMIT), Ok(expected), "{name} byte by byte");
    }
}

#[test]
fn an_event_may_reach_its_limit_and_not_pass_it() {
    for (name, source, fits) in [
        ("a line", "data: 12345678\n\n", 14),
        ("an unfinished line", "data: 12345678", 14),
        ("a comment", ": 123456789012\n", 14),
        ("lines together", "data: 12\ndata: 34\n\n", 10),
        ("a name and data", "event: abc\ndata: 1\n\n", 10),
    ] {
        let bytes = source.as_bytes();
        assert!(parse(&[bytes], fits).is_ok(), "{name}");
        assert_eq!(parse(&[bytes], fits - 1), Err(TooLarge), "{name}");
    }
    let many = "data: 12345678\n\n".repeat(100);
    assert_eq!(parse(&[many.as_bytes()], 14).map(|frames| frames.len()), Ok(100));
}

fn alphabet() -> impl Strategy<Value = Vec<u8>> {
    let token = prop_oneof![
        Just(b"data".to_vec()),
        Just(b"event".to_vec()),
        Just(b":".to_vec()),
        Just(b" ".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\xef\xbb\xbf".to_vec()),
        prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
}

proptest! {
    #[test]
    fn any_bytes_in_any_pieces_give_the_same_events(
        source in alphabet(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        limit in 0_usize..60,
    ) {
        let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(source.len() + 1)).collect();
        at.extend([0, source.len()]);
        at.sort_unstable();
        let pieces: Vec<&[u8]> = at.windows(2).map(|pair| &source[pair[0]..pair[1]]).collect();
        prop_assert_eq!(parse(&pieces, limit), parse(&[&source], limit));
    }
}
