//! Verification of signatures by the platform (WebCrypto).

use std::{cell::RefCell, collections::BTreeMap};

use mcp_sieve_gateway::auth::{Algorithm, Jwk, Token};
use worker::{
    Result,
    js_sys::{Array, Function, JSON, Promise, Reflect, Uint8Array, global},
    wasm_bindgen::{JsCast, JsValue},
    wasm_bindgen_futures::JsFuture,
};

use crate::console;

/// The keys of a set that the platform has imported, by their positions in the set and the algorithm: the platform imports
/// a key for one algorithm.
#[derive(Debug, Default)]
pub(crate) struct ImportedKeys(RefCell<BTreeMap<(usize, Algorithm), JsValue>>);

impl ImportedKeys {
    /// Returns whether the key at this position signed a token. A key that the platform cannot import signed nothing.
    pub async fn verify(&self, at: usize, jwk: &Jwk, token: &Token<'_>) -> bool {
        self.check(at, jwk, token).await.unwrap_or_else(|error| {
            console::warn(&format!("a key that signs tokens or proofs cannot be used: {error}"));
            false
        })
    }

    async fn check(&self, at: usize, jwk: &Jwk, token: &Token<'_>) -> Result<bool> {
        let algorithm = JSON::parse(parameters(token.algorithm))?;
        let place = (at, token.algorithm);
        let known = self.0.borrow().get(&place).cloned();
        let key = match known {
            Some(key) => key,
            None => {
                let public = JSON::parse(&jwk.public)?;
                let uses = Array::of1(&"verify".into());
                let wanted = ["jwk".into(), public, algorithm.clone(), false.into(), uses.into()];
                let key = subtle("importKey", wanted).await?;
                self.0.borrow_mut().insert(place, key.clone());
                key
            }
        };
        let bytes = |bytes: &[u8]| JsValue::from(Uint8Array::from(bytes));
        let arguments = [algorithm, key, bytes(&token.signature), bytes(token.signed.as_bytes())];
        Ok(subtle("verify", arguments).await?.is_truthy())
    }
}

/// Returns the platform's parameters of an algorithm, as JSON, for importing a key and for verifying with it.
fn parameters(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Rs256 => r#"{"name":"RSASSA-PKCS1-v1_5","hash":"SHA-256"}"#,
        Algorithm::Ps256 => r#"{"name":"RSA-PSS","hash":"SHA-256","saltLength":32}"#,
        Algorithm::Es256 => r#"{"name":"ECDSA","namedCurve":"P-256","hash":"SHA-256"}"#,
        Algorithm::Es384 => r#"{"name":"ECDSA","namedCurve":"P-384","hash":"SHA-384"}"#,
        Algorithm::EdDsa => r#"{"name":"Ed25519"}"#,
    }
}

async fn subtle<const N: usize>(method: &str, arguments: [JsValue; N]) -> Result<JsValue> {
    let crypto = Reflect::get(&global(), &"crypto".into())?;
    let subtle = Reflect::get(&crypto, &"subtle".into())?;
    let method: Function = Reflect::get(&subtle, &method.into())?.dyn_into()?;
    let promise: Promise = method.apply(&subtle, &arguments.iter().collect())?.dyn_into()?;
    Ok(JsFuture::from(promise).await?)
}
