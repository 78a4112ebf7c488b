//! Event streams of an upstream server: parsed as the standard requires, wherever the chunks end.

use mcp_sieve_gateway::upstream::sse::{Frame, Parser, TooLarge};

use crate::target::Target;

pub const TARGET: Target = Target { mutations: 10_000, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "data: ",
    "data:",
    "data",
    "event: ",
    "id: 7",
    "retry: 10",
    ":",
    ": c",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{feff}",
    "{}",
];
/// Maximum size, in bytes, of an unfinished event; small, so that inputs reach it.
const LIMIT: usize = 200;

fn seeds() -> Vec<Vec<u8>> {
    [
        "data: a\n\n",
        "event: message\ndata: {\"a\":1}\n\n",
        "id: 1\rdata: a\r\rdata: b\r\r",
        "\u{feff}data\n\n",
        "event: x\r\ndata: a\r\ndata:  b\r\n\r\n: c\n\ndata: d\n",
        "data: a\n\nevent: y\n\ndata:\ndata\n\n",
    ]
    .map(|seed| seed.as_bytes().to_vec())
    .to_vec()
}

fn parse<'a>(pieces: impl Iterator<Item = &'a [u8]>, limit: usize) -> Result<Vec<Frame>, TooLarge> {
    let (mut parser, mut frames) = (Parser::new(limit), Vec::new());
    for piece in pieces {
        parser.push(piece, &mut frames)?;
    }
    Ok(frames)
}

fn holds(bytes: &[u8]) -> String {
    let whole = parse([bytes].into_iter(), usize::MAX).unwrap();
    assert_eq!(whole, standard(bytes));
    let limited = parse([bytes].into_iter(), LIMIT);
    if let Ok(frames) = &limited {
        assert_eq!(*frames, whole);
        assert!(frames.iter().all(|frame| frame.event.len() + frame.data.len() <= LIMIT));
    } else {
        assert!(bytes.len() > LIMIT, "fits");
    }
    for size in [1, 2, 3, 7] {
        assert_eq!(parse(bytes.chunks(size), usize::MAX).as_ref(), Ok(&whole), "in pieces of {size}");
        assert_eq!(parse(bytes.chunks(size), LIMIT), limited, "in pieces of {size}, with a limit");
    }
    let named = whole.iter().filter(|frame| !frame.event.is_empty()).count();
    format!("{} events, {} named, {}", whole.len().min(5), named.min(5), limited.is_ok())
}

/// Parses a complete stream literally by the steps of the standard (HTML, 9.2.6).
fn standard(bytes: &[u8]) -> Vec<Frame> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (mut lines, mut line, mut at) = (Vec::new(), Vec::new(), 0);
    while at < bytes.len() {
        match bytes[at] {
            b'\r' | b'\n' => {
                at += usize::from(bytes[at..].starts_with(b"\r\n"));
                lines.push(std::mem::take(&mut line));
            }
            byte => line.push(byte),
        }
        at += 1;
    }
    let (mut frames, mut event, mut data) = (Vec::new(), Vec::new(), None::<Vec<u8>>);
    for line in lines {
        if line.is_empty() {
            let event = std::mem::take(&mut event);
            frames.extend(data.take().map(|mut data| {
                data.pop();
                Frame { event, data }
            }));
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"event" => event = value.to_vec(),
            b"data" => data.get_or_insert_default().extend([value, b"\n"].concat()),
            _ => {}
        }
    }
    frames
}
