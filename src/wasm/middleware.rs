//! Context middleware for JavaScript hosts: a module of its own, which pages that only filter do not fetch.

use std::{cell::RefCell, rc::Rc};

use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::{Array, Function, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, future_to_promise};

use super::value::refusal;
use crate::{
    error::Error,
    json::{self, Entry, Members, Object, Raw, push_array},
    middleware::{
        Arguments, Chain, Content, Document, Documents, Environment, Hook, Library, Middleware, Mode,
        Outcome, Passage, Phase, Record, Redactions, Registry, Report, Zone,
    },
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
    /// where contexts are kept.
    #[wasm_bindgen(constructor)]
    pub fn new(
        now: Function,
        zone: Function,
        tool: Option<Function>,
        reaches: Option<Function>,
        record: Option<Function>,
    ) -> Self {
        let world = World { now, zone, tool, reaches, record, library: Shelf::default() };
        Self { registry: Rc::new(RefCell::new(Rc::new(Registry::built_in()))), world: Rc::new(world) }
    }

    /// The array that `middleware/list` answers, as JSON.
    pub fn list(&self) -> String {
        let mut out = Vec::new();
        self.registry.borrow().list(&mut out);
        text(out)
    }

    /// Adds a function of the host's own: `apply` takes a context and arguments as JSON and promises JSON.
    #[expect(clippy::too_many_arguments, reason = "JavaScript hands each over as it has it")]
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
        let own = Own { name, description, schema, hook, apply };
        let mut registry = (**self.registry.borrow()).clone();
        registry.add(Rc::new(own)).map_err(|error| refusal(&error))?;
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

    /// Calls a function: promises `{content, metadata?, refusal?}` as JSON.
    pub fn invoke(&self, name: String, context: String, arguments: Option<String>) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let outcome = registry.invoke(&name, arguments.as_deref(), &context, &*world).await;
            outcome.map(|outcome| written(&outcome).into()).map_err(|error| refusal(&error))
        })
    }

    /// Sends a context through a chain: promises `{content, metadata, refusal?, reports, handles}` as JSON.
    pub fn run(&self, chain: String, context: String, handles: String) -> Promise {
        let (registry, world) = (Rc::clone(&self.registry.borrow()), Rc::clone(&self.world));
        future_to_promise(async move {
            let run = async {
                let chain = read(&chain)?;
                let mut handles = Redactions::read(&handles)?;
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

/// The host's side of an [`Environment`].
#[derive(Debug)]
struct World {
    now: Function,
    zone: Function,
    tool: Option<Function>,
    reaches: Option<Function>,
    record: Option<Function>,
    library: Shelf,
}

#[derive(Debug, Default)]
struct Shelf(RefCell<Library>);

impl Documents for Shelf {
    fn search<'a>(
        &'a self,
        query: &'a str,
        sources: Option<&'a [String]>,
        most: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, Error>> {
        // In memory a search is over when it is asked for, so no document can change meanwhile.
        let found = self.0.borrow().search(query, sources, most).now_or_never();
        async move { found.unwrap_or_else(|| Ok(Vec::new())) }.boxed_local()
    }
}

impl Environment for World {
    fn now(&self) -> u64 {
        let now = self.now.call0(&JsValue::NULL).ok().and_then(|now| now.as_f64());
        now.unwrap_or_default() as u64
    }

    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        let zone = self.zone.call2(&JsValue::NULL, &name.into(), &JsValue::from_f64(ms as f64)).ok()?;
        let zone = zone.dyn_into::<Array>().ok()?;
        Some(Zone { ahead: zone.get(0).as_f64()? as i32, name: zone.get(1).as_string()? })
    }

    fn tool(&self, name: &str) -> Option<String> {
        self.tool.as_ref()?.call1(&JsValue::NULL, &name.into()).ok()?.as_string()
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(&self.library)
    }

    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        async move {
            let answer = self.reaches.as_ref()?.call1(&JsValue::NULL, &url.into()).ok()?;
            JsFuture::from(Promise::resolve(&answer)).await.ok()?.as_bool()
        }
        .boxed_local()
    }

    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, Result<String, Error>> {
        async move {
            let Some(keep) = &self.record else { return Err(Error::failed("contexts are not kept here")) };
            let mut out = Vec::new();
            let mut object = Object::open(&mut out);
            object.raw("at", record.at.to_string().as_bytes());
            object.text("reason", record.reason);
            object.text("label", record.label);
            object.raw("context", record.context.as_bytes());
            object.close();
            let kept = keep.call1(&JsValue::NULL, &text(out).into());
            let kept = async { JsFuture::from(Promise::resolve(&kept?)).await };
            let id = kept.await.ok().and_then(|id| id.as_string());
            id.ok_or_else(|| Error::failed("the context cannot be kept"))
        }
        .boxed_local()
    }
}

/// A function in JavaScript.
#[derive(Debug)]
struct Own {
    name: String,
    description: String,
    schema: String,
    hook: Hook,
    apply: Function,
}

impl Middleware for Own {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn input_schema(&self) -> &str {
        &self.schema
    }

    fn hook(&self) -> Hook {
        self.hook
    }

    fn apply<'a>(
        &'a self,
        context: Content<'a>,
        arguments: &'a Arguments<'a>,
        _: &'a dyn Environment,
    ) -> LocalBoxFuture<'a, Result<Outcome<'a>, Error>> {
        async move {
            let failed = |_| Error::failed(format!("the function `{}` has thrown", self.name));
            let (context, arguments) = (context.to_json(), arguments.to_json());
            let called = self.apply.call2(&JsValue::NULL, &context.into(), &arguments.into());
            let promise = Promise::resolve(&called.map_err(failed)?);
            let given = JsFuture::from(promise).await.map_err(failed)?.as_string();
            outcome(&given.unwrap_or_default())
        }
        .boxed_local()
    }
}

/// What a function in JavaScript gave.
fn outcome(given: &str) -> Result<Outcome<'static>, Error> {
    let misshapen = || Error::failed("a function gave no content");
    let members = Raw::parse(given).ok().and_then(Members::read).ok_or_else(misshapen)?;
    let content = members.get("content").ok_or_else(misshapen)?;
    let content = Content::read(content).map_err(|_| misshapen())?.into_owned();
    let metadata = members.get("metadata").map(|metadata| metadata.get().to_owned());
    let outcome = Outcome { metadata, ..Outcome::new(content) };
    let refused = members.get("refusal").and_then(Members::read);
    let Some(refused) = refused else { return Ok(outcome) };
    let message = refused.get("message").and_then(json::text).unwrap_or_default();
    Ok(outcome.refuse("host", message))
}
