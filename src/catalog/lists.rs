use serde_json::value::RawValue;

use super::Kind;
use crate::{
    error::{Error, ErrorKind},
    json::{self, Members},
};

/// Where primitives come from: a server's name, for `server:` terms, and what it listed.
#[derive(Debug)]
pub struct Source<'a> {
    /// The operator's name for the server.
    pub server: &'a str,
    /// Its lists.
    pub lists: Lists<'a>,
}

/// Primitives as a server listed them, still the bytes they came as.
#[derive(Debug, Default)]
pub struct Lists<'a> {
    items: [Vec<&'a RawValue>; 4],
}

impl<'a> Lists<'a> {
    /// Reads list results: an object with any of `tools`, `resources`, `resourceTemplates`, `prompts`;
    /// a JSON-RPC response that holds one as its `result`; or an array of these, such as the pages of a
    /// list. Order is kept.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] for text that is not JSON, [`ErrorKind::Catalog`] for another shape.
    pub fn read(source: &'a str) -> Result<Self, Error> {
        json::check_depth(source.as_bytes())?;
        let root: &RawValue = serde_json::from_str(source).map_err(|error| json::syntax(source, &error))?;
        let mut lists = Self::default();
        match json::elements(root) {
            Some(results) => results.into_iter().try_for_each(|result| lists.add(result))?,
            None => lists.add(root)?,
        }
        Ok(lists)
    }

    /// Appends the primitives of one list result.
    fn add(&mut self, result: &'a RawValue) -> Result<(), Error> {
        let members = Members::read(result).ok_or_else(|| shape("a list result is an object"))?;
        if let Some(inner) = members.get("result") {
            return self.add(inner);
        }
        let mut listed = false;
        for kind in Kind::ALL {
            let Some(raw) = members.get(kind.list_key()) else { continue };
            listed = true;
            let items =
                json::elements(raw).ok_or_else(|| shape("expected an array").field(kind.list_key()))?;
            self.of_mut(kind).extend(items);
        }
        if listed {
            return Ok(());
        }
        Err(shape("expected one of `tools`, `resources`, `resourceTemplates`, `prompts`"))
    }

    /// The primitives of one kind.
    pub fn of(&self, kind: Kind) -> &[&'a RawValue] {
        let [tools, resources, templates, prompts] = &self.items;
        match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        }
    }

    fn of_mut(&mut self, kind: Kind) -> &mut Vec<&'a RawValue> {
        let [tools, resources, templates, prompts] = &mut self.items;
        match kind {
            Kind::Tool => tools,
            Kind::Resource => resources,
            Kind::Template => templates,
            Kind::Prompt => prompts,
        }
    }
}

fn shape(message: &str) -> Error {
    Error::new(ErrorKind::Catalog, message)
}
