//! Bodies in pieces as they arrive. The streams of the crate `worker` take small pieces, and make an error with a stack when
//! they end.

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

    /// Opens a body.
    #[wasm_bindgen(catch)]
    fn open(stream: &ReadableStream) -> Result<Reader, JsValue>;
    /// Resolves with the next piece of a body, or with nothing at its end.
    fn next(reader: &Reader) -> Promise;
}

/// A body in pieces.
pub(crate) type Pieces = LocalBoxStream<'static, Result<Vec<u8>, Error>>;

/// Returns the pieces of a body as they arrive; nothing behind one that failed.
///
/// # Errors
/// A stream that is being read already.
pub(crate) fn pieces(stream: &ReadableStream) -> Result<Pieces, Error> {
    let read = |reader: Option<Reader>| async {
        let reader = reader?;
        match JsFuture::from(next(&reader)).await {
            Ok(end) if end.is_undefined() => None,
            Ok(piece) => Some((Ok(Uint8Array::from(piece).to_vec()), Some(reader))),
            Err(error) => Some((Err(error.into()), None)),
        }
    };
    Ok(stream::unfold(Some(open(stream)?), read).boxed_local())
}
