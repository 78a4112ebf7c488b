//! Bodies in pieces as they arrive. The streams of the crate `worker` take small pieces, and make an error with a stack
//! when they end.

use futures_util::{
    StreamExt,
    stream::{self, LocalBoxStream},
};
use worker::{
    Error,
    js_sys::{Promise, Uint8Array},
    wasm_bindgen::{JsValue, prelude::wasm_bindgen},
    wasm_bindgen_futures::JsFuture,
    web_sys::ReadableStream,
};

#[wasm_bindgen(module = "/pieces.js")]
extern "C" {
    /// Reads a body.
    type Reader;

    /// Opens a body that is read in pieces of at most `length` bytes.
    #[wasm_bindgen(catch)]
    fn open(stream: &ReadableStream, length: usize) -> Result<Reader, JsValue>;
    /// Resolves with the next piece of a body, or with nothing at its end.
    fn next(reader: &Reader) -> Promise;
    /// Cancels a body whose rest is not needed.
    fn cancel(reader: &Reader);
}

/// Maximum length of a piece, in bytes. The runtime's default readers return 4,096 at most, and each piece costs a
/// turn.
pub(crate) const PIECE: usize = 65_536;
/// The same for the rest of a body that is known to be long.
pub(crate) const LONG_PIECE: usize = 262_144;

/// A body that is being read. It is cancelled unless it was read to its end.
struct Reading {
    reader: Reader,
    ended: bool,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if !self.ended {
            cancel(&self.reader);
        }
    }
}

/// A body in pieces.
pub(crate) type Pieces = LocalBoxStream<'static, Result<Vec<u8>, Error>>;

/// Returns the pieces of a body as they arrive, up to the first failure.
///
/// # Errors
/// When the stream is being read already.
pub(crate) fn pieces(stream: &ReadableStream) -> Result<Pieces, Error> {
    read(stream, PIECE)
}

/// Reads the stream in pieces of another length.
///
/// # Errors
/// As [`pieces`].
pub(crate) fn read(stream: &ReadableStream, length: usize) -> Result<Pieces, Error> {
    let next_piece = |reading: Option<Reading>| async {
        let mut reading = reading?;
        let piece = JsFuture::from(next(&reading.reader)).await;
        reading.ended = piece.as_ref().map_or(true, JsValue::is_undefined);
        match piece {
            Ok(_) if reading.ended => None,
            Ok(piece) => Some((Ok(Uint8Array::from(piece).to_vec()), Some(reading))),
            Err(error) => Some((Err(error.into()), None)),
        }
    };
    Ok(stream::unfold(Some(Reading { reader: open(stream, length)?, ended: false }), next_piece)
        .boxed_local())
}
