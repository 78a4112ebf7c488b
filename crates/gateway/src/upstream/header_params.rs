//! Tool arguments that a stateless server wants repeated as headers (`x-mcp-header`). The gateway stores the marks and
//! writes the headers itself, since a middleware chain may change the arguments and a caller's own headers would no
//! longer match.

use std::collections::BTreeMap;

use http::{HeaderMap, HeaderValue};
use mcp_sieve::{
    Kind,
    catalog::{BoundArgument, Lists},
    json::{self, Members, Raw},
};

use crate::object::ReadObject;

use crate::{
    backend::header_param::{self, HeaderParam},
    protocol::error::RpcError,
    upstream::meta::encode,
};

/// The marked arguments, by the name of the tool.
#[derive(Debug, Default)]
pub(crate) struct HeaderParams(BTreeMap<String, Vec<HeaderParam>>);

impl HeaderParams {
    /// Stores the marks of a page of tools, in the same way as the catalog: invalid tools are left out, and of two
    /// tools with one name the first counts.
    pub fn learn(&mut self, tools: Raw<'_>) {
        // Most servers mark nothing. Searching for the key first avoids parsing their tools.
        if !tools.get().contains(header_param::MARK) {
            return;
        }
        let page = format!("{{\"tools\":{}}}", tools.get());
        let Ok(lists) = Lists::read(&page) else { return };
        for tool in lists.primitives(Kind::Tool) {
            let name = Members::read(tool).and_then(|tool| tool.get("name")).and_then(json::Raw::text);
            // The catalog leaves out a tool with invalid marks, and lists the next tool of that name.
            if let (Some(name), Ok(marks)) = (name, header_param::read(tool.get())) {
                self.0.entry(name.into_owned()).or_insert(marks);
            }
        }
    }

    /// Takes the marks of a new list. If the list is not whole, the known marks of other tools stay.
    pub fn renew(&mut self, new: Self, is_whole: bool) {
        if is_whole {
            *self = new;
        } else {
            self.0.extend(new.0);
        }
    }

    /// Stores the marks of tools, by the names that their server has for them. Bound arguments have left the schemas of
    /// tools, but their server wants the headers all the same.
    pub fn learn_tools<'a>(&mut self, tools: impl Iterator<Item = (&'a str, &'a str, &'a [BoundArgument])>) {
        for (name, tool, bound) in tools {
            let mut marks = header_param::read(tool).unwrap_or_default();
            marks.extend(bound.iter().flat_map(header_param::bound_marks));
            if !marks.is_empty() {
                self.0.entry(name.to_owned()).or_insert(marks);
            }
        }
    }

    /// Adds the headers of a tool call for the arguments that are sent.
    ///
    /// # Errors
    /// Returns `repeated_member` if a marked argument is given twice.
    pub fn write(&self, headers: &mut HeaderMap, params: Option<&ReadObject<'_>>) -> Result<(), RpcError> {
        let Some(params) = params.filter(|_| !self.0.is_empty()) else {
            return Ok(());
        };
        let name = params.get("name").and_then(json::Raw::text).unwrap_or_default();
        let arguments = params.get("arguments");
        for mark in self.0.get(name.as_ref()).into_iter().flatten() {
            let Some(argument) = mark.find(arguments)? else { continue };
            let text = match argument.text() {
                Some(text) => encode(&text),
                None if argument.get().starts_with(['{', '[', '"']) => continue,
                // A number or boolean, spelled as in the body.
                None => argument.get().to_owned(),
            };
            if let Ok(value) = HeaderValue::from_str(&text) {
                headers.insert(&mark.header, value);
            }
        }
        Ok(())
    }
}
