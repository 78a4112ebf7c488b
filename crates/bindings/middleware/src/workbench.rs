//! The class `Workbench`: middleware functions and chains for JavaScript hosts.

use std::{cell::RefCell, rc::Rc};

use js_sys::{Array, Function, Promise};
use mcp_sieve::{
    Error,
    json::{Entry, Object, Raw},
};
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::middleware::{
    Chain, Content, Document, Hook, Mode, Phase, Redactions, Refusal, Registry, Report,
};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use super::{host_function::JsMiddleware, parts, utf8::text, world::World};

/// The middleware functions, and the services of the host that they use.
#[wasm_bindgen]
#[derive(Debug, Clone)]
pub struct Workbench {
    registry: Rc<RefCell<Rc<Registry>>>,
    world: Rc<World>,
}

#[wasm_bindgen]
impl Workbench {
    /// Creates the functions with the host's clock and time zones and its optional services: tools by name, checks of
    /// URLs, and a store for contexts. `policies` and `patterns` are the host's own, as JSON.
    #[wasm_bindgen(constructor)]
    pub fn new(
        now: Function,
        zone: Function,
        tool: Option<Function>,
        reaches: Option<Function>,
        record: Option<Function>,
        policies: Option<String>,
        patterns: Option<String>,
    ) -> Result<Self, JsValue> {
        let registry = Registry::built_in_with(policies.as_deref(), patterns.as_deref());
        let registry = registry.map_err(|error| refusal(&error))?;
        let world = World { now, zone, tool, reaches, record, library: Default::default() };
        Ok(Self { registry: Rc::new(RefCell::new(Rc::new(registry))), world: Rc::new(world) })
    }

    /// Returns the array of the response to `middleware/list`, as JSON.
    pub fn list(&self) -> String {
        let mut out = Vec::new();
        self.registry.borrow().list(&mut out);
        text(out)
    }

    /// Adds a function of the host. `apply` takes a context and arguments as JSON, and returns JSON or a promise of it.
    #[expect(clippy::too_many_arguments, reason = "an object in their place makes the module larger")]
    pub fn add(
        &self,
        name: String,
        description: String,
        schema: String,
        changes: bool,
        phase: &str,
        events: Vec<String>,
        apply: Function,
    ) -> Result<(), JsValue> {
        let phase = match phase {
            "request" => Phase::Request,
            "response" => Phase::Response,
            _ => Phase::Both,
        };
        // The names are leaked. Their number is limited by the number of functions that the host adds.
        let events: Vec<&'static str> = events.into_iter().map(|event| &*event.leak()).collect();
        let hook = Hook { changes, phase, events: events.leak() };
        let function = JsMiddleware { name, description, schema, hook, apply };
        let mut registry = (**self.registry.borrow()).clone();
        registry.add(Rc::new(function)).map_err(|error| refusal(&error))?;
        self.registry.replace(Rc::new(registry));
        Ok(())
    }

    /// Adds a document, or replaces the document with the same id.
    pub fn put(&self, id: String, source: String, title: String, text: String) -> Result<(), JsValue> {
        let document = Document { id, source, title, text };
        self.world.library.0.borrow_mut().put(document).map_err(|error| refusal(&error))
    }

    /// Removes a document, and returns whether it existed.
    pub fn remove(&self, id: &str) -> bool {
        self.world.library.0.borrow_mut().remove(id)
    }

    /// Throws an error for a chain that cannot be run, with `place` before the path within the chain.
    pub fn check(&self, chain: &str, place: &str) -> Result<(), JsValue> {
        let check = || read(chain)?.check(&self.registry.borrow());
        check().map_err(|error| refusal(&error.within(place)))
    }

    /// Calls a function. Resolves with `{content, metadata?, refusal?}`. Both the context and the result are in
    /// parts (see `parts.rs`).
    pub fn invoke(&self, name: String, context: Array, arguments: Option<String>) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let run = async {
                let arguments = arguments.as_deref().map(Raw::parse).transpose()?;
                let (context, texts) = parts::read(&context);
                let content = Content::read_beside(Raw::parse(&context)?, texts)?;
                let outcome = registry.apply(&name, arguments, content, &*world).await?;
                Ok(parts::write(&outcome.content, |object| {
                    outcome.metadata.iter().for_each(|metadata| object.raw("metadata", metadata.as_bytes()));
                    refused(object, outcome.refusal.as_ref());
                }))
            };
            run.await.map(JsValue::from).map_err(|error: Error| refusal(&error))
        })
    }

    /// Applies a chain to a context. Resolves with `{content, metadata, refusal?, reports, handles}`. Both the context
    /// and the result are in parts (see `parts.rs`).
    pub fn run(&self, chain: String, context: Array, handles: String) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let run = async {
                let chain = read(&chain)?;
                let mut handles = Redactions::read(&handles)?;
                let (context, texts) = parts::read(&context);
                let content = Content::read_beside(Raw::parse(&context)?, texts)?;
                let mut reports = Vec::new();
                let ran = chain.run(&registry, content, &mut handles, &*world, &mut reports).await?;
                Ok(parts::write(&ran.content, |object| {
                    Object::push_array(
                        object.value("metadata"),
                        &ran.metadata,
                        |out, (function, metadata)| {
                            let mut object = Object::open(out);
                            object.text("function", function);
                            object.raw("metadata", metadata.as_bytes());
                            object.close();
                        },
                    );
                    refused(object, ran.refusal.as_ref());
                    Object::push_array(object.value("reports"), &reports, report);
                    object.raw("handles", handles.to_json().as_bytes());
                }))
            };
            run.await.map(JsValue::from).map_err(|error: Error| refusal(&error))
        })
    }
}

fn read(chain: &str) -> Result<Chain, Error> {
    Chain::read(&Entry::root(Raw::parse(chain)?))
}

fn refused(object: &mut Object<'_>, refusal: Option<&Refusal>) {
    let Some(Refusal { reason, message }) = refusal else { return };
    let mut refusal = Object::open(object.value("refusal"));
    refusal.text("reason", reason);
    refusal.text("message", message);
    refusal.close();
}

fn report(out: &mut Vec<u8>, report: &Report) {
    let Report { function, mode, bytes, items, changed, ended } = report;
    let pair = |[from, to]: &[usize; 2]| format!("[{from},{to}]");
    let mut object = Object::open(out);
    object.text("function", function);
    object.text("mode", if *mode == Mode::Audit { "audit" } else { "enforce" });
    object.raw("bytes", pair(bytes).as_bytes());
    object.raw("items", pair(items).as_bytes());
    object.raw("changed", changed.to_string().as_bytes());
    match ended {
        Some(ended) => object.text("ended", ended),
        None => object.raw("ended", b"null"),
    }
    object.close();
}
