//! The cache of responses that are the same for every caller. A request matches if it differs from the cached one only
//! by its id, and by headers on which no response depends.

use std::{
    collections::VecDeque,
    ops::Range,
    sync::{Arc, Weak},
};

use mcp_sieve::Digest;
use mcp_sieve_gateway::upstream::Backend;

/// Maximum number of cached responses. The oldest is dropped first.
const MAX_ANSWERS: usize = 16;
/// Maximum size of all cached responses with their requests, in bytes.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// Maximum number of remembered requests. A response is cached when its request is sent a second time.
const MAX_SEEN: usize = 64;
/// Headers of platforms and clients on which no cached response depends: a response that reads headers beside those of
/// the protocol depends on its caller and is not cached. All other headers have to be equal.
const IGNORED: [&str; 21] = [
    "accept-encoding",
    "accept-language",
    "baggage",
    "cdn-loop",
    "cf-connecting-ip",
    "cf-ew-via",
    "cf-ipcountry",
    "cf-ray",
    "cf-visitor",
    "connection",
    "content-length",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "traceparent",
    "tracestate",
    "user-agent",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-real-ip",
    "x-request-id",
];
/// Maximum number of digits of a numeric id. Longer ones may exceed the accepted integers.
const MAX_DIGITS: usize = 15;
/// Maximum length, in bytes, of a string id with its quotes. Requests with longer ids are not answered from the cache.
const MAX_ID: usize = 128;
/// The text before the id in a JSON-RPC response of this server.
const OPEN: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":";

/// A request: its head as the entry writes it, its body, and the position of the id in the body.
#[derive(Debug)]
pub(crate) struct CacheableRequest<'a> {
    pub head: &'a str,
    pub body: &'a [u8],
    pub id: Range<usize>,
}

/// The cached responses, all of one catalog.
#[derive(Debug, Default)]
pub(crate) struct AnswerCache {
    kept: VecDeque<Kept>,
    size: usize,
    backend: Weak<Backend>,
    seen: VecDeque<u128>,
}

#[derive(Debug)]
struct Kept {
    /// The lines of the request's head, without the ignored headers.
    head: Box<str>,
    /// The body of the request before and after its id.
    before: Box<[u8]>,
    behind: Box<[u8]>,
    answer: KeptAnswer,
}

/// A response as it was sent last.
#[derive(Debug)]
pub(crate) struct KeptAnswer {
    /// The headers, as `head_text` writes them.
    pub head: Box<str>,
    pub body: Vec<u8>,
    /// The length of the id in it.
    id_len: usize,
}

impl KeptAnswer {
    /// Returns the response for a request with this id.
    fn to(&mut self, id: &[u8]) -> &Self {
        let place = OPEN.len()..OPEN.len() + self.id_len;
        match self.body.get_mut(place.clone()) {
            Some(last) if last.len() == id.len() => last.copy_from_slice(id),
            _ => drop(self.body.splice(place, id.iter().copied())),
        }
        self.id_len = id.len();
        self
    }
}

impl AnswerCache {
    /// Returns the cached response to a request. `backend` is the current catalog.
    pub fn get(&mut self, backend: &Arc<Backend>, head: &str, body: &[u8]) -> Option<&KeptAnswer> {
        if !std::ptr::eq(self.backend.as_ptr(), Arc::as_ptr(backend)) {
            return None;
        }
        self.kept.iter_mut().find_map(|kept| {
            let id = body.strip_prefix(&*kept.before)?.strip_suffix(&*kept.behind)?;
            let same = is_plain_id(id) && relevant(head).eq(kept.head.split('\n'));
            same.then(|| kept.answer.to(id))
        })
    }

    /// Caches the response to a request that was sent before. `backend` is the catalog of the response; `head` and
    /// `body` are the response's.
    pub fn keep(&mut self, backend: &Arc<Backend>, request: &CacheableRequest<'_>, head: &str, body: &[u8]) {
        let Some(parts) = request.body.get(..request.id.start).zip(request.body.get(request.id.end..)) else {
            return;
        };
        let id = request.body.get(request.id.clone()).unwrap_or_default();
        if !is_plain_id(id) || !body.strip_prefix(OPEN).is_some_and(|rest| rest.starts_with(id)) {
            return;
        }
        if !std::ptr::eq(self.backend.as_ptr(), Arc::as_ptr(backend)) {
            self.clear();
            self.backend = Arc::downgrade(backend);
        }
        if !self.was_seen(request.head, parts) {
            return;
        }
        let kept = Kept {
            head: relevant(request.head).collect::<Vec<_>>().join("\n").into(),
            before: parts.0.into(),
            behind: parts.1.into(),
            answer: KeptAnswer { head: head.into(), body: body.to_vec(), id_len: id.len() },
        };
        let size = kept.size();
        if size > MAX_BYTES {
            return;
        }
        while self.kept.len() == MAX_ANSWERS || self.size + size > MAX_BYTES {
            self.size -= self.kept.pop_front().map_or(self.size, |first| first.size());
        }
        self.size += size;
        self.kept.push_back(kept);
    }

    /// Returns whether a request was sent before, and remembers the request.
    fn was_seen(&mut self, head: &str, (before, behind): (&[u8], &[u8])) -> bool {
        let mut digest = Digest::new();
        relevant(head).for_each(|line| digest.part(line.as_bytes()));
        digest.part(before);
        digest.part(behind);
        let digest = digest.end();
        let seen = self.seen.contains(&digest);
        if !seen {
            if self.seen.len() == MAX_SEEN {
                self.seen.pop_front();
            }
            self.seen.push_back(digest);
        }
        seen
    }

    fn clear(&mut self) {
        self.kept.clear();
        self.seen.clear();
        self.size = 0;
    }
}

impl Kept {
    /// Returns the size in bytes without the id, which differs from request to request.
    fn size(&self) -> usize {
        let Self { head, before, behind, answer } = self;
        head.len() + before.len() + behind.len() + answer.head.len() + answer.body.len() - answer.id_len
    }
}

/// Returns whether an id is written without escapes: an integer, or a plain string. Such ids can replace each other
/// without changing the meaning of the rest of the message.
fn is_plain_id(id: &[u8]) -> bool {
    match id {
        [b'"', text @ .., b'"'] => {
            id.len() <= MAX_ID
                && text.iter().all(|byte| matches!(byte, b' '..=b'~') && !b"\"\\".contains(byte))
        }
        [b'0'] => true,
        [b'1'..=b'9', digits @ ..] => digits.len() < MAX_DIGITS && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

/// Returns the lines of a head on which responses can depend: method and URL, and all headers but [`IGNORED`].
fn relevant(head: &str) -> impl Iterator<Item = &str> {
    head.split('\n').filter(|line| {
        let name = line.split_once(':').map_or(*line, |(name, _)| name);
        IGNORED.binary_search(&name).is_err()
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{AnswerCache, CacheableRequest, IGNORED, MAX_ANSWERS, MAX_BYTES, MAX_ID, is_plain_id};
    use mcp_sieve_gateway::{
        config::Config,
        upstream::{Backend, Features},
    };
    use std::sync::Arc;

    const HEAD: &str = "POST https://a.example/mcp?tags=a\naccept:application/json\ncf-ray:1";

    fn backend() -> Arc<Backend> {
        Arc::new(Backend::compile(Vec::new(), &Config::default(), Features::default()))
    }

    fn body(id: &str, rest: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":{id},{rest}}}"#)
    }

    /// Answers a request, and keeps the answer where the cache wants it.
    fn send(cache: &mut AnswerCache, backend: &Arc<Backend>, head: &str, id: &str, rest: &str) {
        let (request, answer) = (body(id, rest), body(id, r#""result":{}"#));
        let start = request.find(id).unwrap();
        let request = CacheableRequest { head, body: request.as_bytes(), id: start..start + id.len() };
        cache.keep(backend, &request, "content-type\napplication/json", answer.as_bytes());
    }

    fn get(cache: &mut AnswerCache, backend: &Arc<Backend>, head: &str, sent: &str) -> Option<String> {
        let kept = cache.get(backend, head, sent.as_bytes())?;
        Some(String::from_utf8(kept.body.clone()).unwrap())
    }

    fn filled() -> (AnswerCache, Arc<Backend>) {
        let (mut cache, backend) = (AnswerCache::default(), backend());
        (0..2).for_each(|_| send(&mut cache, &backend, HEAD, "10", r#""method":"tools/list""#));
        (cache, backend)
    }

    #[test]
    fn the_second_request_keeps_the_answer_and_others_get_it_with_their_id() {
        let (mut cache, backend) = (AnswerCache::default(), backend());
        let rest = r#""method":"tools/list""#;
        send(&mut cache, &backend, HEAD, "10", rest);
        assert_eq!(get(&mut cache, &backend, HEAD, &body("10", rest)), None);
        send(&mut cache, &backend, HEAD, "11", rest);
        for id in ["11", "7", r#""seven""#, "0", "123456789012345", r#""""#, "10"] {
            let again = get(&mut cache, &backend, HEAD, &body(id, rest));
            assert_eq!(again, Some(body(id, r#""result":{}"#)), "{id}");
        }
    }

    #[test]
    fn a_request_that_differs_in_more_than_its_id_is_not_answered() {
        let (mut cache, backend) = filled();
        let (rest, same) = (r#""method":"tools/list""#, body("1", r#""method":"tools/list""#));
        assert!(get(&mut cache, &backend, HEAD, &same).is_some());
        for head in [
            HEAD.replace("tags=a", "tags=b"),
            HEAD.replace("application/json", "*/*"),
            format!("{HEAD}\norigin:https://b.example"),
            format!("{HEAD}\nauthorization:Bearer b"),
            format!("{HEAD}\nx-mcp-tools:b"),
            HEAD.lines().next().unwrap().to_owned(),
        ] {
            assert_eq!(get(&mut cache, &backend, &head, &same), None, "{head}");
        }
        let invalid =
            ["", "null", "1.5", "01", "1e3", "-1", "1234567890123456", r#""a\"b""#, r#""a","b":"c""#, "[]"];
        let others = invalid.map(|id| body(id, rest)).into_iter();
        for sent in others.chain([body("1", r#""method":"tools/call""#), format!("{same} "), String::new()]) {
            assert_eq!(get(&mut cache, &backend, HEAD, &sent), None, "{sent}");
        }
    }

    #[test]
    fn headers_that_no_answer_depends_on_may_differ() {
        let (mut cache, backend) = filled();
        let sent = body("1", r#""method":"tools/list""#);
        for name in IGNORED {
            let head = format!("{HEAD}\n{name}:another");
            assert!(get(&mut cache, &backend, &head, &sent).is_some(), "{name}");
        }
        assert!(IGNORED.is_sorted());
    }

    #[test]
    fn another_catalog_drops_what_is_kept() {
        let (mut cache, before) = filled();
        let (after, sent) = (backend(), body("1", r#""method":"tools/list""#));
        assert_eq!(get(&mut cache, &after, HEAD, &sent), None);
        send(&mut cache, &after, HEAD, "1", r#""method":"prompts/list""#);
        assert_eq!(get(&mut cache, &before, HEAD, &sent), None);
        assert_eq!(cache.size, 0);
    }

    #[test]
    fn the_first_of_too_many_is_dropped_and_what_is_too_large_is_not_kept() {
        let (mut cache, backend) = filled();
        let rest = |at: usize| format!(r#""method":"m{at}""#);
        for at in 0..MAX_ANSWERS {
            (0..2).for_each(|_| send(&mut cache, &backend, HEAD, "1", &rest(at)));
        }
        assert_eq!(get(&mut cache, &backend, HEAD, &body("1", r#""method":"tools/list""#)), None);
        assert!(get(&mut cache, &backend, HEAD, &body("1", &rest(0))).is_some());
        assert_eq!(cache.kept.len(), MAX_ANSWERS);
        assert_eq!(cache.size, cache.kept.iter().map(super::Kept::size).sum::<usize>());
        let long = format!(r#""method":"{}""#, "m".repeat(MAX_BYTES));
        (0..2).for_each(|_| send(&mut cache, &backend, HEAD, "1", &long));
        assert_eq!(get(&mut cache, &backend, HEAD, &body("1", &long)), None);
        assert!(get(&mut cache, &backend, HEAD, &body("1", &rest(0))).is_some());
    }

    #[test]
    fn a_longer_id_takes_no_more_room_and_one_that_is_too_long_is_not_answered() {
        let (mut cache, backend) = filled();
        let (rest, size) = (r#""method":"tools/list""#, cache.size);
        let id = |length: usize| format!("\"{}\"", "i".repeat(length - 2));
        assert!(get(&mut cache, &backend, HEAD, &body(&id(MAX_ID), rest)).is_some());
        assert_eq!(get(&mut cache, &backend, HEAD, &body(&id(MAX_ID + 1), rest)), None);
        // The first is dropped while it has the long id.
        for at in 0..MAX_ANSWERS {
            let rest = format!(r#""method":"m{at:09}""#);
            (0..2).for_each(|_| send(&mut cache, &backend, HEAD, "1", &rest));
        }
        assert_eq!(cache.size, size * MAX_ANSWERS);
    }

    #[test]
    fn an_answer_that_is_no_plain_response_is_not_kept() {
        let (mut cache, backend) = (AnswerCache::default(), backend());
        let sent = body("1", r#""method":"tools/list""#);
        let request = || CacheableRequest { head: HEAD, body: sent.as_bytes(), id: 21..22 };
        for _ in 0..2 {
            cache.keep(&backend, &request(), "", b"event: message\ndata: {}\n\n");
            cache.keep(&backend, &request(), "", body("2", r#""result":{}"#).as_bytes());
        }
        assert_eq!(get(&mut cache, &backend, HEAD, &sent), None);
        assert!(!is_plain_id(b"\"\x7f\""));
    }
}
