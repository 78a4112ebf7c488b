//! Responses of upstream servers that pass through unread.

use std::{any::Any, cell::Cell, fmt, rc::Rc};

use futures_util::{
    FutureExt, StreamExt, future,
    stream::{self, LocalBoxStream},
};

use crate::protocol::error::RpcError;

/// What a response has to be like to pass through unread, and the id that it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassthroughTerms {
    /// The id of the client's request, as JSON. The request to the server has the same one.
    pub id: String,
    /// Whether no cache may give the result to other callers.
    pub private: bool,
    /// Whether a complete result states its lifetime.
    pub cached: bool,
}

/// A complete JSON-RPC response in pieces, as its server wrote it.
///
/// Whatever is [held](Self::hold) is released when the response was sent, or its reader is gone.
pub struct Passthrough {
    /// The pieces; `None` if the platform passes them on by itself.
    pieces: Option<Pieces>,
    /// Whether there is a single piece, and it has arrived.
    is_whole: bool,
    state: Rc<Passed>,
}

/// The pieces of a body. It breaks off with an error, which the operator's log explains.
pub type Pieces = LocalBoxStream<'static, Result<Vec<u8>, RpcError>>;

/// Work at the end, which takes the number of bytes that have passed.
type End = Box<dyn FnOnce(u64)>;

/// The bytes that have passed, and the work that follows them.
#[derive(Default)]
struct Passed {
    bytes: Cell<u64>,
    held: Cell<Vec<Box<dyn Any>>>,
    ends: Cell<Vec<End>>,
}

impl Drop for Passed {
    fn drop(&mut self) {
        let bytes = self.bytes.get();
        self.ends.take().into_iter().for_each(|end| end(bytes));
    }
}

impl fmt::Debug for Passthrough {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Passthrough").field("is_whole", &self.is_whole).finish_non_exhaustive()
    }
}

impl Passthrough {
    /// Creates a response that has arrived.
    pub fn whole(response: Vec<u8>) -> Self {
        let pieces = future::ready(Ok(response)).into_stream().boxed_local();
        Self { pieces: Some(pieces), is_whole: true, state: Rc::default() }
    }

    /// Creates a response whose pieces arrive.
    pub fn new(pieces: Pieces) -> Self {
        Self { pieces: Some(pieces), is_whole: false, state: Rc::default() }
    }

    /// Creates the mark of a response that the platform passes on by itself. It [counts](Self::count) the bytes.
    pub fn of_platform() -> Self {
        Self { pieces: None, is_whole: false, state: Rc::default() }
    }

    /// Returns whether the platform passes the response on by itself.
    pub fn is_of_platform(&self) -> bool {
        self.pieces.is_none()
    }

    /// Counts bytes that the platform has passed on.
    pub fn count(&self, bytes: u64) {
        self.state.bytes.set(self.state.bytes.get().saturating_add(bytes));
    }

    /// Keeps a value until the response was sent.
    pub fn hold(&self, value: impl Any) {
        let mut held = self.state.held.take();
        held.push(Box::new(value));
        self.state.held.set(held);
    }

    /// Calls `end` with the number of bytes that have passed, when the response was sent.
    pub fn at_end(&self, end: impl FnOnce(u64) + 'static) {
        let mut ends = self.state.ends.take();
        ends.push(Box::new(end));
        self.state.ends.set(ends);
    }

    /// Returns the pieces of the response, counted as they pass.
    pub fn into_pieces(self) -> Pieces {
        let state = self.state;
        let pieces = self.pieces.unwrap_or_else(|| stream::empty().boxed_local());
        let counted = pieces.inspect(move |piece| {
            let bytes = piece.as_ref().map_or(0, |piece| piece.len() as u64);
            state.bytes.set(state.bytes.get().saturating_add(bytes));
        });
        counted.boxed_local()
    }

    /// Returns the response if it has arrived.
    ///
    /// # Errors
    /// Returns the response itself otherwise.
    pub fn into_whole(self) -> Result<Vec<u8>, Self> {
        if !self.is_whole {
            return Err(self);
        }
        let whole = self.into_pieces().next().now_or_never().flatten();
        Ok(whole.and_then(Result::ok).unwrap_or_default())
    }

    /// Collects the response, of at most `limit` bytes.
    ///
    /// # Errors
    /// Fails if the body breaks off, and with `too_large` if it is longer.
    pub async fn collect(
        self,
        limit: usize,
        too_large: impl FnOnce() -> RpcError,
    ) -> Result<Vec<u8>, RpcError> {
        let (mut pieces, mut whole) = (self.into_pieces(), Vec::new());
        while let Some(piece) = pieces.next().await {
            let piece = piece?;
            if whole.len() + piece.len() > limit {
                return Err(too_large());
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }
}
