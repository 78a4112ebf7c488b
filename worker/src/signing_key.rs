//! The signing key of a deployment, stored in a Durable Object, and random bytes.

use mcp_sieve_gateway::error::RpcError;
use worker::{
    Env, Method,
    js_sys::{Function, Reflect, Uint8Array, global},
    wasm_bindgen::JsCast,
};

use crate::objects::{self, lost};

/// The path of the object at which it returns the key.
pub(crate) const KEY_PATH: &str = "/key";

/// Returns unguessable bytes of the platform.
pub(crate) fn random<const N: usize>() -> worker::Result<[u8; N]> {
    let bytes = Uint8Array::new_with_length(u32::try_from(N).unwrap_or_default());
    let crypto = Reflect::get(&global(), &"crypto".into())?;
    let fill: Function = Reflect::get(&crypto, &"getRandomValues".into())?.dyn_into()?;
    fill.call1(&crypto, &bytes)?;
    let mut random = [0; N];
    bytes.copy_to(&mut random);
    Ok(random)
}

/// Returns the key that the deployment stores itself.
pub(crate) async fn stored_key(env: &Env) -> Result<Vec<u8>, RpcError> {
    let read = async {
        let stub = objects::session_object(env, "key")?;
        objects::ask(&stub, Method::Get, KEY_PATH, None).await
    };
    let key = read.await.map_err(|error| lost("the signing key", &error))?;
    key.ok_or_else(|| RpcError::internal("storage", "the signing key is missing"))
}
