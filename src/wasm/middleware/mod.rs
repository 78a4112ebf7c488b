//! Context middleware for JavaScript hosts: a module of its own, which pages that only filter do not fetch.

mod context;
mod host_function;
mod world;

use std::{cell::RefCell, rc::Rc};

use js_sys::{Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;

use self::{host_function::JsMiddleware, world::World};
use super::value::refusal;
use crate::{
    error::Error,
    json::{Entry, Object, Raw, push_array},
    middleware::{Chain, Content, Document, Hook, Mode, Outcome, Phase, Redactions, Registry, Report},
};

/// The functions, and what the host lends them.
#[wasm_bindgen]
#[derive(Debug, Clone)]
pub struct Workbench {
    registry: Rc<RefCell<Rc<Registry>>>,
    world: Rc<World>,
}

#[wasm_bindgen]
impl Workbench {
    /// Takes the host's clock, its time zones, and what else it has: its tools by name, whether an address answers,
    /// where contexts are kept; and policies and patterns of its own, as JSON.
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

    /// The array that `middleware/list` answers, as JSON.
    pub fn list(&self) -> String {
        let mut out = Vec::new();
        self.registry.borrow().list(&mut out);
        text(out)
    }

    /// Adds a function of the host's own: `apply` takes a context and arguments as JSON and promises JSON.
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
        // Kept for as long as the page: there are as many as functions that the host adds.
        let events: Vec<&'static str> = events.into_iter().map(|event| &*event.leak()).collect();
        let hook = Hook { changes, phase, events: events.leak() };
        let function = JsMiddleware { name, description, schema, hook, apply };
        let mut registry = (**self.registry.borrow()).clone();
        registry.add(Rc::new(function)).map_err(|error| refusal(&error))?;
        self.registry.replace(Rc::new(registry));
        Ok(())
    }

    /// Adds a document, or puts it in the place of another.
    pub fn put(&self, id: String, source: String, title: String, text: String) -> Result<(), JsValue> {
        let document = Document { id, source, title, text };
        self.world.library.0.borrow_mut().put(document).map_err(|error| refusal(&error))
    }

    /// Removes a document.
    pub fn remove(&self, id: &str) -> bool {
        self.world.library.0.borrow_mut().remove(id)
    }

    /// Refuses a chain that cannot be run.
    pub fn check(&self, chain: &str) -> Result<(), JsValue> {
        let check = || read(chain)?.check(&self.registry.borrow());
        check().map_err(|error| refusal(&error))
    }

    /// Calls a function: promises `{content, metadata?, refusal?}` as JSON. The context is [packed](context::unpacked).
    pub fn invoke(
        &self,
        name: String,
        context: Vec<u8>,
        texts: Vec<u32>,
        arguments: Option<String>,
    ) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let run = async {
                let context = context::unpacked(context, &texts)?;
                let outcome = registry.invoke(&name, arguments.as_deref(), &context, &*world).await?;
                Ok(written(&outcome))
            };
            run.await.map(JsValue::from).map_err(|error: Error| refusal(&error))
        })
    }

    /// Sends a context through a chain: promises `{content, metadata, refusal?, reports, handles}` as JSON. The context is
    /// [packed](context::unpacked).
    pub fn run(&self, chain: String, context: Vec<u8>, texts: Vec<u32>, handles: String) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let run = async {
                let chain = read(&chain)?;
                let mut handles = Redactions::read(&handles)?;
                let context = context::unpacked(context, &texts)?;
                let content = Content::read(Raw::parse(&context)?)?;
                let mut reports = Vec::new();
                let ran = chain.run(&registry, content, &mut handles, &*world, &mut reports).await?;
                let mut out = Vec::new();
                let mut object = Object::open(&mut out);
                ran.content.write(object.value("content"));
                push_array(object.value("metadata"), &ran.metadata, |out, (function, metadata)| {
                    let mut object = Object::open(out);
                    object.text("function", function);
                    object.raw("metadata", metadata.as_bytes());
                    object.close();
                });
                if let Some(refusal) = &ran.refusal {
                    refused(&mut object, refusal.reason, &refusal.message);
                }
                push_array(object.value("reports"), &reports, report);
                object.raw("handles", handles.to_json().as_bytes());
                object.close();
                Ok(text(out))
            };
            run.await.map(JsValue::from).map_err(|error: Error| refusal(&error))
        })
    }
}

fn read(chain: &str) -> Result<Chain, Error> {
    Chain::read(&Entry::root(Raw::parse(chain)?))
}

fn written(outcome: &Outcome<'_>) -> String {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    outcome.content.write(object.value("content"));
    outcome.metadata.iter().for_each(|metadata| object.raw("metadata", metadata.as_bytes()));
    if let Some(refusal) = &outcome.refusal {
        refused(&mut object, refusal.reason, &refusal.message);
    }
    object.close();
    text(out)
}

fn refused(object: &mut Object<'_>, reason: &str, message: &str) {
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

/// What engine and functions write is UTF-8.
fn text(json: Vec<u8>) -> String {
    String::from_utf8(json).unwrap_or_default()
}
