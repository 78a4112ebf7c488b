//! The JavaScript interface of the engine: text goes in; slots, addresses and plain objects come out.

use js_sys::{JSON, Reflect, Uint8Array, Uint32Array, WebAssembly::Memory};
use mcp_sieve::{catalog::Kind, config::locate, wasm};
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};

use super::{
    face::{Answer, Caller, Face, Linter, Refused},
    rows::Asked,
};

/// The engine through its JavaScript interface.
pub struct Engine(wasm::Engine);

impl Engine {
    /// Compiles a filter and returns its slot in the engine; slot 0 is the empty filter.
    fn slot(&mut self, asked: &Asked) -> Result<usize, JsValue> {
        match asked {
            Asked::Nothing => Ok(0),
            Asked::Filter(source) => self.0.pin(source),
            Asked::Query(query) => self.0.pin_query(query),
        }
    }
}

impl Face for Engine {
    const NAME: &str = "the engine in JavaScript";
    const HAS_CALLERS: bool = false;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused> {
        let mut inbox = wasm::Inbox::new(lists.len());
        let (at, length) = (inbox.room(lists.len()) as u32, lists.len() as u32);
        let room = Uint8Array::new_with_byte_offset_and_length(&memory().buffer(), at, length);
        room.copy_from(lists.as_bytes());
        wasm::Engine::new(inbox, config.map(str::to_owned), None).map(Self).map_err(refused)
    }

    fn compile_for(lists: &str, config: Option<&str>, _: &Caller) -> Result<Self, Refused> {
        Self::compile(lists, config)
    }

    fn ask(&mut self, kind: Kind, asked: &Asked) -> Result<Answer, Refused> {
        let slot = self.slot(asked).map_err(refused)?;
        if let Asked::Filter(source) = asked {
            assert_eq!(self.0.find(source), self.0.find(source), "a text has one slot");
        }
        let kind = kind as usize;
        let described = plain(&self.0.describe(slot));
        // The engine has the memory of the test. An allocation may move its buffer, so views are made after it.
        let mut indices = vec![0; self.0.indices(slot, kind)];
        let (address, length) = (self.0.indices_address() as u32, indices.len() as u32);
        Uint32Array::new_with_byte_offset_and_length(&memory().buffer(), address, length)
            .copy_to(&mut indices);
        let mut list = vec![0; self.0.list(slot, kind)];
        let (address, length) = (self.0.list_address() as u32, list.len() as u32);
        Uint8Array::new_with_byte_offset_and_length(&memory().buffer(), address, length).copy_to(&mut list);
        let answer = Answer {
            names: serde_json::from_value(plain(&self.0.names(slot, kind))).expect("an array of names"),
            count: self.0.count(slot, kind),
            indices,
            list: String::from_utf8(list).expect("UTF-8"),
            hash: described["hash"].as_str().unwrap_or_default().to_owned(),
            applied: described["applied"].clone(),
            ignored: described["ignored"].as_array().cloned().unwrap_or_default(),
        };
        self.0.release(slot);
        Ok(answer)
    }

    fn explain(&mut self, kind: Kind, asked: &Asked, of: &str) -> Value {
        let slot = self.slot(asked).expect("a filter");
        plain(&self.0.explain(of, slot, kind as usize))
    }

    fn about(&self) -> Value {
        plain(&self.0.about())
    }
}

impl Linter for Engine {
    fn lint(config: &str, lists: Option<&str>, filter: &Asked) -> Result<Value, Refused> {
        let filter = match filter {
            Asked::Nothing => None,
            Asked::Filter(text) | Asked::Query(text) => Some(text.clone()),
        };
        let lists: Vec<String> = lists.map(str::to_owned).into_iter().collect();
        let servers = vec![String::new(); lists.len()];
        let told = wasm::command::lint(config, servers, lists, filter).map_err(refused)?;
        let mut told: Value = serde_json::from_str(&told).expect("JSON");
        for finding in told["findings"].as_array_mut().into_iter().flatten() {
            let members = finding.as_object_mut().expect("an object");
            let Some(at) = members.remove("at") else { continue };
            // The text from the start of the value to its end; the native face reports the same range.
            let place = members["place"].as_str().unwrap_or_default();
            let range = locate(config, place).expect("a configuration that was read");
            assert_eq!(at.as_u64(), Some(range.start as u64), "the byte of {place}");
            members.insert("text".to_owned(), config.get(range).into());
        }
        Ok(told["findings"].take())
    }
}

/// Returns the memory of the WebAssembly instance.
fn memory() -> Memory {
    wasm_bindgen::memory().unchecked_into()
}

/// Converts a plain JavaScript object to JSON.
fn plain(value: &JsValue) -> Value {
    let text = JSON::stringify(value).expect("a plain object").as_string().expect("JSON");
    serde_json::from_str(&text).expect("JSON")
}

/// Converts an exception, which must be an `Error` with additional properties.
fn refused(thrown: JsValue) -> Refused {
    assert!(thrown.is_instance_of::<js_sys::Error>(), "what is thrown is an Error");
    let get = |key: &str| Reflect::get(&thrown, &key.into()).unwrap_or(JsValue::UNDEFINED);
    Refused {
        code: get("code").as_string().unwrap_or_default(),
        message: get("message").as_string().unwrap_or_default(),
        path: get("path").as_string(),
        at: get("at").as_f64().map(|at| at as u64),
    }
}
