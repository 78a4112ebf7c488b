//! The JavaScript objects that bindings receive: lists with a filter, and a page of a result.

use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The input of a selection by a filter and the query of a URL: `{config, servers, lists, filter, query, kind}`.
    pub type Selected;

    /// Returns the configuration (JSONC).
    #[wasm_bindgen(method, getter)]
    pub(super) fn config(this: &Selected) -> String;
    /// Returns the server of each list. An empty name stands for the only server.
    #[wasm_bindgen(method, getter)]
    pub(super) fn servers(this: &Selected) -> Vec<String>;
    /// List results as JSON.
    #[wasm_bindgen(method, getter)]
    pub(super) fn lists(this: &Selected) -> Vec<String>;
    /// Returns the filter, as JSON or the query of a URL.
    #[wasm_bindgen(method, getter)]
    pub(super) fn filter(this: &Selected) -> String;
    /// Returns the filter in the URL, as JSON or the query of a URL.
    #[wasm_bindgen(method, getter)]
    pub(super) fn query(this: &Selected) -> String;
    /// Returns the list key of the kind, such as `tools`.
    #[wasm_bindgen(method, getter)]
    pub(super) fn kind(this: &Selected) -> String;

    /// A page of a result: the members of [`Selected`], and `{first?, count?}`.
    #[wasm_bindgen(extends = Selected)]
    pub type ResultPage;

    /// Returns the name of the first primitive of the page.
    #[wasm_bindgen(method, getter)]
    pub(super) fn first(this: &ResultPage) -> Option<String>;
    /// Returns the maximum number of primitives of the page.
    #[wasm_bindgen(method, getter)]
    pub(super) fn count(this: &ResultPage) -> Option<usize>;
}
