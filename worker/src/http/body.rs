//! Request bodies as the platform hands them over, a piece at a time.

use std::{pin::pin, time::Duration};

use futures_util::{
    FutureExt, StreamExt,
    future::{Either, select},
};
use http::StatusCode;
use mcp_sieve_gateway::{
    error::RpcError,
    server::{BodyReader, Lease, content_length},
};
use worker::{
    Delay, Method, Request,
    js_sys::{Promise, Uint8Array},
    wasm_bindgen_futures::JsFuture,
    web_sys::{self, ReadableStream},
};

use super::convert;
use crate::{
    clock,
    deployment::Deployment,
    pieces::{Pieces, pieces},
};

/// The body of a request, as the platform or the entry hands it over.
pub(crate) enum Source {
    /// The unread body of a request.
    Unread(web_sys::Request),
    /// Read by the entry; empty where the method has no body.
    Bytes(Vec<u8>),
    /// A small body that did not arrive while the entry waited: the promise of its `ArrayBuffer`.
    Arriving(Promise),
}

impl From<&Request> for Source {
    /// The body of a GET or DELETE is not read.
    fn from(request: &Request) -> Self {
        let reads = matches!(request.method(), Method::Post | Method::Put);
        if reads { Self::Unread(Clone::clone(request.inner())) } else { Self::Bytes(Vec::new()) }
    }
}

/// Maximum time for which the rest of a refused body is read.
const LINGER: Duration = Duration::from_secs(1);

/// Reads the whole request of an authenticated caller.
pub(crate) async fn whole(
    request: &Request,
    deployment: &Deployment,
    caller: &str,
) -> std::result::Result<(http::Request<Vec<u8>>, Lease), RpcError> {
    let head = convert::head(request)?;
    let (body, lease) = read(Source::from(request), &head, deployment, caller).await?;
    Ok((head.map(|()| body), lease))
}

fn broken(error: &worker::Error) -> RpcError {
    RpcError::request(StatusCode::BAD_REQUEST, "body", format!("the request cannot be read: {error}"))
}

/// Reads the body of a request up to the limit, and counts it among the bodies in memory.
pub(crate) async fn read(
    source: Source,
    head: &http::Request<()>,
    deployment: &Deployment,
    caller: &str,
) -> std::result::Result<(Vec<u8>, Lease), RpcError> {
    let now = clock::now;
    let open = |length| deployment.intake.read(caller, length, now());
    match source {
        Source::Bytes(bytes) => {
            let length = bytes.len();
            open(Some(length)).whole(bytes, now())
        }
        Source::Unread(request) => {
            let mut reading = open(content_length(head.headers()));
            if let Some(ms) = reading.awaits(now()) {
                let arriving = request.array_buffer().map_err(|error| broken(&error.into()))?;
                return read_whole(arriving, reading, ms).boxed_local().await;
            }
            match request.body() {
                Some(stream) => read_stream(&stream, reading, deployment).boxed_local().await,
                None => Ok(reading.end()),
            }
        }
        Source::Arriving(promise) => {
            let reading = open(None);
            let ms = reading.left(now());
            read_whole(promise, reading, ms).boxed_local().await
        }
    }
}

async fn read_stream(
    stream: &ReadableStream,
    mut reading: BodyReader,
    deployment: &Deployment,
) -> std::result::Result<(Vec<u8>, Lease), RpcError> {
    let mut pieces = pieces(stream).map_err(|error| broken(&error))?;
    if let Err(failure) = fill(&mut reading, &mut pieces).await {
        drop(reading);
        linger(deployment, || Some(pieces)).await;
        return Err(failure);
    }
    Ok(reading.end())
}

/// Waits for a complete body, for at most so many milliseconds.
async fn read_whole(
    promise: Promise,
    reading: BodyReader,
    ms: u64,
) -> std::result::Result<(Vec<u8>, Lease), RpcError> {
    match select(JsFuture::from(promise), Delay::from(Duration::from_millis(ms))).await {
        Either::Left((Ok(buffer), _)) => reading.whole(Uint8Array::new(&buffer).to_vec(), clock::now()),
        Either::Left((Err(error), _)) => Err(broken(&error.into())),
        Either::Right(_) => Err(BodyReader::late()),
    }
}

async fn fill(reading: &mut BodyReader, pieces: &mut Pieces) -> std::result::Result<(), RpcError> {
    let now = clock::now;
    let mut late = Delay::from(Duration::from_millis(reading.left(now())));
    loop {
        match select(pieces.next(), &mut late).await {
            Either::Left((Some(piece), _)) => {
                reading.push(&piece.map_err(|error| broken(&error))?, now())?;
            }
            Either::Left((None, _)) => return Ok(()),
            Either::Right(_) => match reading.left(now()) {
                0 => return Err(BodyReader::late()),
                left => late = Delay::from(Duration::from_millis(left)),
            },
        }
    }
}

/// Reads and discards the body of a refused request for a moment, as [`linger`] does.
pub(crate) async fn pass(source: Source, deployment: &Deployment) {
    if let Source::Unread(request) = source {
        linger(deployment, || pieces(&request.body()?).ok()).await;
    }
}

/// Reads and discards the rest of a refused body for a moment: a client whose connection closes while it sends may
/// never read the refusal. If many requests are refused at once, the connections of the others are closed.
async fn linger(deployment: &Deployment, pieces: impl FnOnce() -> Option<Pieces>) {
    let Some(_place) = deployment.linger() else { return };
    let Some(mut pieces) = pieces() else { return };
    let rest = pin!(async { while let Some(Ok(_)) = pieces.next().await {} });
    select(rest, Delay::from(LINGER)).await;
}
