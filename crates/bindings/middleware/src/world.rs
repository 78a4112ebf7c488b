//! The environment of functions, whose services are JavaScript functions of the host.

use std::cell::RefCell;

use futures_util::{FutureExt, future::LocalBoxFuture};
use js_sys::{Array, Function, Promise};
use mcp_sieve::{Error, json::Object};
use mcp_sieve_gateway::middleware::{Documents, Environment, Library, Passage, Record, Zone};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::utf8::text;

/// An [`Environment`] whose services are JavaScript functions of the host.
#[derive(Debug)]
pub(super) struct World {
    pub now: Function,
    pub zone: Function,
    pub tool: Option<Function>,
    pub reaches: Option<Function>,
    pub record: Option<Function>,
    pub library: MemoryLibrary,
}

/// Documents in memory.
#[derive(Debug, Default)]
pub(super) struct MemoryLibrary(pub RefCell<Library>);

impl Documents for MemoryLibrary {
    fn search<'a>(
        &'a self,
        query: &'a str,
        sources: Option<&'a [String]>,
        most: usize,
    ) -> LocalBoxFuture<'a, Result<Vec<Passage>, Error>> {
        // A search in memory completes at once, so no document can change during it.
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
            // A string is the key under which JavaScript stores the exception.
            let failed = |mark: String| Error::failed(format!("the context cannot be kept{mark}"));
            let id = kept.await.map_err(|thrown| failed(thrown.as_string().unwrap_or_default()))?;
            id.as_string().ok_or_else(|| failed(String::new()))
        }
        .boxed_local()
    }
}
