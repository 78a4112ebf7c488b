use js_sys::Promise;
use wasm_bindgen::prelude::*;
use web_sys::RequestInit;

#[wasm_bindgen]
extern "C" {
    /// What JavaScript does for the protocol. A `context` is that of the request on whose behalf it is done.
    #[derive(Clone)]
    pub type World;

    /// Resolves with the `Response` of the handler, called on behalf of the caller, or with a `shared` request, which
    /// serves all callers. Rejects with an error.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn call(
        this: &World,
        context: &JsValue,
        shared: bool,
        request: &RequestInit,
    ) -> Result<JsValue, JsValue>;
    /// Returns whether later requests reach what waits in this one.
    #[wasm_bindgen(method)]
    pub(super) fn resumes(this: &World, context: &JsValue) -> bool;
    /// Returns sixteen random bytes.
    #[wasm_bindgen(method, catch)]
    pub(super) fn random(this: &World) -> Result<Vec<u8>, JsValue>;
    /// Keeps the request's world alive until the promise is settled.
    #[wasm_bindgen(method)]
    pub(super) fn wait(this: &World, context: &JsValue, promise: Promise);
    /// Writes a line for the operator, escaped where it is not printable. Never throws.
    #[wasm_bindgen(method)]
    pub(super) fn note(this: &World, line: &str);
    /// Whether the author identifies callers.
    #[wasm_bindgen(method, getter)]
    pub(super) fn identifies(this: &World) -> bool;
    /// Resolves with the caller's claims as JSON, or with nothing for a stranger. Rejects with an error whose `name` is
    /// `Unauthorized`, `ClaimsError` or `TimeoutError`.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn identify(this: &World, context: &JsValue) -> Result<JsValue, JsValue>;
    /// Resolves with the request's body, as a `Uint8Array`. Rejects with an error; its `name` is `TooLargeError`,
    /// `TimeoutError` or `CrowdedError` for a body that is too large, too slow, or one of too many.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn body(this: &World, context: &JsValue) -> Result<JsValue, JsValue>;
    /// Resolves with nothing for a caller that the checks let in, and otherwise with the text that refuses it.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn check(this: &World, context: &JsValue, caller: &str) -> Result<JsValue, JsValue>;
    /// Whether the author ranks tools.
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
    /// The predicates as JSON, in the order of their places; nothing if there are none.
    #[wasm_bindgen(method, getter)]
    pub(super) fn predicates(this: &World) -> JsValue;
    /// Asks the predicate at a place about a primitive, as JSON: `true`, `false` or, as text, why it cannot tell.
    #[wasm_bindgen(method)]
    pub(super) fn test(
        this: &World,
        at: u32,
        primitive: &str,
        kind: &str,
        server: &str,
        caller: &str,
    ) -> JsValue;
    /// The text of a session, or nothing.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn load(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;
    /// Keeps the text of a session.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn save(
        this: &World,
        context: &JsValue,
        id: &str,
        session: &str,
    ) -> Result<JsValue, JsValue>;
    /// Forgets a session.
    #[wasm_bindgen(method, catch)]
    pub(super) async fn end(this: &World, context: &JsValue, id: &str) -> Result<JsValue, JsValue>;
}
