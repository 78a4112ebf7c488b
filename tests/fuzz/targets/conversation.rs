//! Conversations as corpus files: the name of their world, and each request in HTTP syntax. `{session}` in a header
//! stands for the session that was opened last.

use std::{cell::RefCell, collections::BTreeMap, fmt::Write};

use http::{HeaderName, HeaderValue, Request};

use crate::{
    exchange::Talk,
    host::World,
    row::{self, Row},
};

const SEPARATOR: &str = "\n=====\n";
const SESSION: &str = "mcp-session-id";
/// Maximum length, in bytes, of a row's conversation that is used as a seed.
const MAX_SEED: usize = 8 * 1024;

/// Returns a fresh world of the corpus, or the world `asking` if there is none with this name.
pub fn world(name: &str) -> World {
    thread_local! {
        static WORLDS: RefCell<BTreeMap<String, World>> = RefCell::default();
    }
    let known = |name: &str| rows().iter().any(|row| row.world == name) || name == "asking";
    let name = if known(name) { name } else { "asking" };
    WORLDS
        .with_borrow_mut(|worlds| worlds.entry(name.to_owned()).or_insert_with(|| World::named(name)).anew())
}

fn rows() -> &'static [Row] {
    static ROWS: std::sync::LazyLock<Vec<Row>> = std::sync::LazyLock::new(row::all);
    &ROWS
}

/// Returns the conversations of the protocol's rows.
pub fn of_rows() -> Vec<Vec<u8>> {
    let written = rows().iter().map(|row| {
        let world = world(&row.world);
        let mut talk = Talk::new(&world);
        // Another test checks the responses.
        let _ = row.steps.iter().try_for_each(|step| talk.step(step));
        write(&row.world, &talk.sent)
    });
    written.filter(|seed| seed.len() <= MAX_SEED).collect()
}

fn write(world: &str, requests: &[Request<Vec<u8>>]) -> Vec<u8> {
    let mut out = format!("in {world}\n").into_bytes();
    for (at, request) in requests.iter().enumerate() {
        let target = request.uri().path_and_query().map_or("/mcp", |target| target.as_str());
        let mut head = format!("{}{} {target}\n", if at == 0 { "" } else { SEPARATOR }, request.method());
        for (name, value) in request.headers() {
            let value =
                if name == SESSION { "{session}".into() } else { String::from_utf8_lossy(value.as_bytes()) };
            writeln!(head, "{name}: {value}").unwrap();
        }
        out.extend_from_slice(head.as_bytes());
        out.push(b'\n');
        out.extend_from_slice(request.body());
    }
    out
}

/// Parses the name of the world and the requests. Anything that is not valid HTTP is dropped.
pub fn read(bytes: &[u8]) -> (String, Vec<Request<Vec<u8>>>) {
    let (first, rest) = split(bytes, b"\n").unwrap_or((bytes, b""));
    let world = String::from_utf8_lossy(first.strip_prefix(b"in ").unwrap_or_default()).into_owned();
    let (mut rest, mut requests) = (Some(rest), Vec::new());
    while let Some(left) = rest {
        let (one, more) =
            split(left, SEPARATOR.as_bytes()).map_or((left, None), |(one, more)| (one, Some(more)));
        requests.push(request(one));
        rest = more;
    }
    (world, requests)
}

/// Replaces `{session}` in the headers by the open session.
pub fn in_session(request: &mut Request<Vec<u8>>, session: Option<&HeaderValue>) {
    for (name, value) in request.headers_mut() {
        if let Some(session) = session.filter(|_| name == SESSION && value == "{session}") {
            value.clone_from(session);
        }
    }
}

fn request(source: &[u8]) -> Request<Vec<u8>> {
    let (head, body) = split(source, b"\n\n").unwrap_or((source, b""));
    let mut request = Request::new(body.to_vec());
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let (verb, target) = first.split_once(' ').unwrap_or((&first, "/mcp"));
    *request.method_mut() = verb.parse().unwrap_or_default();
    let target = format!("http://127.0.0.1:8787{target}").parse();
    *request.uri_mut() = target.unwrap_or_else(|_| http::Uri::from_static("http://127.0.0.1:8787/mcp"));
    for line in lines {
        let Some((name, value)) = split(line, b":") else { continue };
        let value = HeaderValue::from_bytes(value.strip_prefix(b" ").unwrap_or(value));
        if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name), value) {
            // Headers beyond the limit of the server are dropped too.
            let _ = request.headers_mut().try_append(name, value);
        }
    }
    request
}

fn split<'a>(bytes: &'a [u8], by: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let at = bytes.windows(by.len()).position(|window| window == by)?;
    Some((&bytes[..at], &bytes[at + by.len()..]))
}
