//! The interface to the JavaScript services of a handler's host.

use js_sys::Promise;
use wasm_bindgen::prelude::*;
use web_sys::RequestInit;

#[wasm_bindgen]
extern "C" {
    /// The services that JavaScript provides to the gateway. `context` is always that of the current request.
    #[derive(Clone)]
    pub type World;

    /// Calls the handler on behalf of the caller, or with a `shared` request that serves all callers. Resolves with its
    /// `Response`. Rejects with an error.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn call(
        this: &World,
        context: &JsValue,
        shared: bool,
        request: &RequestInit,
    ) -> Result<JsValue, JsValue>;
    /// Returns whether later requests can resume calls that are suspended in this one.
    #[wasm_bindgen(method)]
    pub(super) fn resumes(this: &World, context: &JsValue) -> bool;
    /// Returns sixteen random bytes.
    #[wasm_bindgen(method, catch)]
    pub(super) fn random(this: &World) -> Result<Vec<u8>, JsValue>;
    /// Keeps the context of the request alive until the promise is settled.
    #[wasm_bindgen(method)]
    pub(super) fn wait(this: &World, context: &JsValue, promise: Promise);
    /// Logs a line for the operator, with unprintable characters escaped. Never throws.
    #[wasm_bindgen(method)]
    pub(super) fn note(this: &World, line: &str);
    /// Returns whether the host has checks.
    #[wasm_bindgen(method, getter, js_name = hasChecks)]
    pub(super) fn has_checks(this: &World) -> bool;
    /// Returns whether the host identifies callers.
    #[wasm_bindgen(method, getter)]
    pub(super) fn identifies(this: &World) -> bool;
    /// Resolves with the caller's claims as JSON, or with nothing for an anonymous caller. Rejects with an error whose
    /// `name` is `Unauthorized`, `ClaimsError` or `TimeoutError`.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn identify(this: &World, context: &JsValue) -> Result<JsValue, JsValue>;
    /// Resolves with the request's body, as a `Uint8Array`. Rejects with an error; its `name` is `TooLargeError`,
    /// `TimeoutError` or `CrowdedError` for a body that is too large, too slow, or one of too many.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn body(this: &World, context: &JsValue) -> Result<JsValue, JsValue>;
    /// Runs the checks for a caller. Resolves with nothing if it passes, and otherwise with the message of the refusal.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn check(this: &World, context: &JsValue, caller: &str) -> Result<JsValue, JsValue>;
    /// Returns whether the host ranks tools.
    #[wasm_bindgen(method, getter)]
    pub(super) fn ranks(this: &World) -> bool;
    /// Resolves with a `Float32Array` of scores for a query, given the tools as JSON. Rejects with an error.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn rank(
        this: &World,
        context: &JsValue,
        query: &str,
        tools: &str,
    ) -> Result<JsValue, JsValue>;
    /// Returns the declarations of the predicates as JSON, in the order of their indices; nothing if there are none.
    #[wasm_bindgen(method, getter)]
    pub(super) fn predicates(this: &World) -> JsValue;
    /// Calls the predicate at an index with a primitive as JSON. Returns `true`, `false`, or a text with the reason why
    /// it cannot decide.
    #[wasm_bindgen(method)]
    pub(super) fn test(
        this: &World,
        at: u32,
        primitive: &str,
        kind: &str,
        server: &str,
        caller: &str,
    ) -> JsValue;
    /// Resolves with the stored text of a session, or with nothing.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn load(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;
    /// Stores the text of a session.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn save(
        this: &World,
        context: &JsValue,
        id: &str,
        session: &str,
    ) -> Result<JsValue, JsValue>;
    /// Removes a session from the store.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn end(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;
}
