//! A Worker in Rust that answers every request with an empty object.

use worker::{Context, Env, Request, Response, Result, event};

#[event(fetch)]
async fn fetch(_: Request, _: Env, _: Context) -> Result<Response> {
    Response::from_json(&())
}
