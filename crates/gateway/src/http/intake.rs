//! Memory for request bodies: how much one isolate holds at once, and how slowly a body may arrive.
//!
//! WebAssembly memory never shrinks, so peak usage stays allocated. Bytes are counted as they are allocated, from the
//! first piece of a body until its request is answered.

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use http::{HeaderMap, StatusCode, header};

use crate::{
    host::rate_limit::CROWDED_S,
    protocol::{error::RpcError, headers},
};

/// Maximum length of a request body, in bytes.
pub const MAX_BODY: usize = 4 * 1024 * 1024;
/// Memory for request bodies in one isolate, in bytes. The rest of an isolate's 128 MB holds the module, its catalog
/// and the copies that upstream calls make.
pub const MAX_BODIES: usize = 16 * 1024 * 1024;
/// The part of [`MAX_BODIES`] that is reserved for small bodies, in bytes, so that large bodies cannot exhaust it.
pub const SMALL_BODIES: usize = 4 * 1024 * 1024;
/// Maximum memory for the bodies of one caller that are not small, in bytes: two bodies of the maximum length.
pub const MAX_CALLER_BODIES: usize = 2 * MAX_BODY;
/// Maximum length of a small body, in bytes. Most requests are shorter.
pub const SMALL_BODY: usize = 16 * 1024;
/// Maximum length, in bytes, of a body that is awaited as a whole.
pub const MAX_AWAITED: usize = 1024 * 1024;
/// Maximum length, in bytes, of all bodies that are awaited as a whole together. Others are read in pieces.
pub const MAX_ALL_AWAITED: usize = 4 * 1024 * 1024;
/// Milliseconds that every body may take to arrive, whatever its length.
pub const BODY_MS: u64 = 10_000;
/// Minimum rate of a body after [`BODY_MS`], in bytes per millisecond.
pub const BODY_PACE: u64 = 64;
/// Age in milliseconds after which a body can be dropped from the count. A runtime may stop a request without running
/// destructors.
const HELD_MS: u64 = 90_000;

/// The request bodies in the memory of one isolate.
#[derive(Debug, Default)]
pub struct Intake {
    bodies: RefCell<Bodies>,
}

#[derive(Debug, Default)]
struct Bodies {
    held: BTreeMap<u64, Held>,
    bytes: usize,
    awaited: usize,
    last: u64,
}

#[derive(Debug)]
struct Held {
    caller: String,
    bytes: usize,
    /// The length of a body that is awaited as a whole.
    awaited: usize,
    since: u64,
}

/// The memory that one body holds. It is released when this is dropped.
#[derive(Debug)]
pub struct Lease {
    intake: Rc<Intake>,
    number: u64,
}

/// A body that is being read.
#[derive(Debug)]
pub struct BodyReader {
    lease: Lease,
    bytes: Vec<u8>,
    /// The value of `Content-Length`, if the header is present.
    length: Option<usize>,
    since: u64,
}

impl Intake {
    /// Starts to read the body of a caller's request. `length` is its `Content-Length`.
    pub fn read(self: &Rc<Self>, caller: &str, length: Option<usize>, now: u64) -> BodyReader {
        let number = self.bodies.borrow_mut().open(caller, now);
        let lease = Lease { intake: Rc::clone(self), number };
        BodyReader { lease, bytes: Vec::new(), length, since: now }
    }

    /// Returns the number of bytes that are held now.
    pub fn bytes(&self) -> usize {
        self.bodies.borrow().bytes
    }
}

impl BodyReader {
    /// Takes a complete body without copying it.
    ///
    /// # Errors
    /// The errors of [`BodyReader::push`].
    pub fn whole(self, body: Vec<u8>, now: u64) -> Result<(Vec<u8>, Lease), RpcError> {
        if self.left_for(body.len(), now) == 0 {
            return Err(Self::late());
        }
        check_length(body.len())?;
        let mut bodies = self.lease.intake.bodies.borrow_mut();
        bodies.arrived(self.lease.number);
        bodies.take(self.lease.number, body.len(), now)?;
        drop(bodies);
        Ok((body, self.lease))
    }

    /// Returns for how many milliseconds the body may be awaited as a whole, if its length is known and within the
    /// limits. The platform buffers such bodies, so their total length is bounded.
    pub fn awaits(&mut self, now: u64) -> Option<u64> {
        let length = self.length.filter(|length| *length <= MAX_AWAITED)?;
        let room = self.lease.intake.bodies.borrow_mut().wait(self.lease.number, length, now);
        room.then(|| self.left_for(length, now))
    }

    /// Appends a piece of the body.
    ///
    /// # Errors
    /// Returns 413 `body_too_large` beyond [`MAX_BODY`], 503 `body_limit` if there is no memory for the piece, and 408
    /// `body_timeout` if the body arrives too slowly.
    pub fn push(&mut self, piece: &[u8], now: u64) -> Result<(), RpcError> {
        if self.left(now) == 0 {
            return Err(Self::late());
        }
        let needed = self.bytes.len().saturating_add(piece.len());
        check_length(needed)?;
        let room = self.bytes.capacity();
        if needed > room {
            // The capacity doubles each time, up to the length that the body can have.
            let most = self.length.map_or(MAX_BODY, |length| length.min(MAX_BODY));
            let wanted = room.saturating_mul(2).min(most).max(needed);
            self.lease.intake.bodies.borrow_mut().take(self.lease.number, wanted - room, now)?;
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(piece);
        Ok(())
    }

    /// Returns the milliseconds until the body is late if no more of it arrives.
    pub fn left(&self, now: u64) -> u64 {
        self.left_for(self.bytes.len(), now)
    }

    fn left_for(&self, length: usize, now: u64) -> u64 {
        let allowed = BODY_MS + length as u64 / BODY_PACE;
        self.since.saturating_add(allowed).saturating_sub(now)
    }

    /// Returns the body, and its lease on the memory.
    pub fn end(self) -> (Vec<u8>, Lease) {
        (self.bytes, self.lease)
    }

    /// Returns the error for a body that arrives too slowly.
    pub fn late() -> RpcError {
        let message = format!(
            "the body arrives too slowly, expected it within {} s, or {BODY_PACE} bytes a millisecond",
            BODY_MS / 1000
        );
        RpcError::request(StatusCode::REQUEST_TIMEOUT, "body_timeout", message)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.intake.bodies.borrow_mut().close(self.number);
    }
}

impl Bodies {
    fn open(&mut self, caller: &str, now: u64) -> u64 {
        self.last = self.last.wrapping_add(1);
        self.held.insert(self.last, Held { caller: caller.to_owned(), bytes: 0, awaited: 0, since: now });
        self.last
    }

    /// Counts `more` bytes for a body.
    ///
    /// # Errors
    /// Returns 503 `body_limit` if there is no memory for them.
    fn take(&mut self, number: u64, more: usize, now: u64) -> Result<(), RpcError> {
        if !self.has_room(number, more) {
            self.forget(now);
            if !self.has_room(number, more) {
                let message = format!("too many request bodies at once, ask again in {CROWDED_S} s");
                let failure = RpcError::internal("body_limit", message).retry_after(CROWDED_S);
                return Err(failure.under(StatusCode::SERVICE_UNAVAILABLE));
            }
        }
        if let Some(held) = self.held.get_mut(&number) {
            held.bytes += more;
            self.bytes += more;
        }
        Ok(())
    }

    /// Returns whether a body of this length may be awaited as a whole.
    fn wait(&mut self, number: u64, length: usize, now: u64) -> bool {
        if self.awaited + length > MAX_ALL_AWAITED {
            self.forget(now);
        }
        let room = self.awaited + length <= MAX_ALL_AWAITED;
        if let Some(held) = self.held.get_mut(&number).filter(|_| room) {
            held.awaited = length;
            self.awaited += length;
        }
        room
    }

    /// Records that a body is no longer awaited as a whole.
    fn arrived(&mut self, number: u64) {
        if let Some(held) = self.held.get_mut(&number) {
            self.awaited = self.awaited.saturating_sub(std::mem::take(&mut held.awaited));
        }
    }

    /// Returns whether a body may hold `more` bytes beside all others and those of its caller.
    fn has_room(&self, number: u64, more: usize) -> bool {
        let Some(held) = self.held.get(&number) else { return true };
        let all = self.bytes + more;
        if held.bytes + more <= SMALL_BODY {
            return all <= MAX_BODIES;
        }
        let others = self.held.iter().filter(|(other, body)| {
            **other != number && body.caller == held.caller && body.bytes > SMALL_BODY
        });
        let caller = others.map(|(_, body)| body.bytes).sum::<usize>() + held.bytes + more;
        all <= MAX_BODIES - SMALL_BODIES && caller <= MAX_CALLER_BODIES
    }

    /// Drops the bodies of requests that ended without releasing them.
    fn forget(&mut self, now: u64) {
        let old = |held: &Held| now.saturating_sub(held.since) > HELD_MS;
        let gone: Vec<u64> =
            self.held.iter().filter(|(_, held)| old(held)).map(|(number, _)| *number).collect();
        gone.into_iter().for_each(|number| self.close(number));
    }

    fn close(&mut self, number: u64) {
        self.arrived(number);
        let held = self.held.remove(&number).map_or(0, |held| held.bytes);
        self.bytes = self.bytes.saturating_sub(held);
    }
}

/// Returns the value of `Content-Length`, if it is a number. A number that is too large for `usize` is its maximum.
pub fn content_length(headers: &HeaderMap) -> Option<usize> {
    let text = headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().unwrap_or(usize::MAX))
}

/// Checks the length of a body, declared or read.
///
/// # Errors
/// Returns 413 `body_too_large` beyond [`MAX_BODY`].
pub(crate) fn check_length(length: usize) -> Result<(), RpcError> {
    if length <= MAX_BODY {
        return Ok(());
    }
    let message = format!("the body is larger than {MAX_BODY} bytes");
    Err(RpcError::request(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large", message))
}

/// Checks the media type and length that the headers of a POST declare.
///
/// # Errors
/// Returns 415 for a media type other than JSON, and 413 for a length beyond [`MAX_BODY`].
pub(crate) fn check_head(headers: &HeaderMap) -> Result<(), RpcError> {
    let media = headers::value(headers, header::CONTENT_TYPE.as_str())?.unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if !media.eq_ignore_ascii_case("application/json") {
        let message = format!("content type `{media}`, expected `application/json`");
        return Err(RpcError::request(StatusCode::UNSUPPORTED_MEDIA_TYPE, "content_type", message));
    }
    match content_length(headers) {
        Some(length) => check_length(length),
        None => Ok(()),
    }
}
