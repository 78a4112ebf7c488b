//! The class `Sieve`: lists that are compiled under a configuration.

use mcp_sieve_gateway::Config;
use tsify::Ts;
use wasm_bindgen::prelude::*;

use crate::{
    View,
    caller::caller,
    decode,
    failure::{Failure, objects},
    types::Report,
};

/// The lists of one server, compiled under a configuration. Compile them once, and query them many times.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Sieve(mcp_sieve::Sieve);

#[wasm_bindgen]
impl Sieve {
    /// Compiles the results of list requests under an optional configuration, an object or JSONC text. A primitive that
    /// cannot be used is left out and named in `reports`.
    ///
    /// Throws a `SieveError` with the code `json`, `catalog` or `config`.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Lists")] lists: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Config | string | null")] config: JsValue,
    ) -> Result<Sieve, Failure> {
        let config = match decode::text(config)? {
            Some(source) => Config::parse(&source)?,
            None => Config::default(),
        };
        Ok(Self(mcp_sieve::Sieve::compile(&decode::list_text(lists)?, &config.engine)?))
    }

    /// Returns what a caller may see; without a value, an anonymous one.
    pub fn view(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "CallerInput | null")] input: JsValue,
    ) -> Result<View, Failure> {
        Ok(View::new(self.0.view(&caller(input)?)))
    }

    /// Returns the message of the first check of the configuration that a caller does not pass. Views do not apply
    /// checks.
    pub fn refusal(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "CallerInput | null")] input: JsValue,
    ) -> Result<Option<String>, Failure> {
        Ok(self.0.refusal(&caller(input)?).map(str::to_owned))
    }

    /// Returns the primitives that were left out or repaired, with the reason.
    pub fn reports(&self) -> Result<Vec<Ts<Report>>, Failure> {
        objects(self.0.reports().iter().map(Report::from))
    }

    /// The hash of the content, 32 hexadecimal digits. Equal catalogs have equal hashes.
    #[wasm_bindgen(getter)]
    pub fn hash(&self) -> String {
        self.0.hash()
    }
}
