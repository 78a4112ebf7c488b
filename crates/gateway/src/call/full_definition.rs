//! The full definition of a tool, for a caller whose call was refused and whose list has the tool in a shorter form.

use mcp_sieve::{
    Kind,
    discovery::Answer,
    json::{Members, Object, Raw},
    policy::DisclosureMode,
};
use serde_json::{Value, json};

use crate::{
    host::Host,
    protocol::{
        error::{INVALID_PARAMS, RpcError},
        method::Method,
    },
    request::context::Context,
};

/// The member of `data` with the full definition.
const DEFINITION: &str = "definition";
/// The text before the full definition in a result.
const INTRODUCTION: &str = "The full definition of this tool: ";

/// The full definition of a called tool, which the caller's list shortens or outlines.
#[derive(Debug)]
pub(crate) struct FullDefinition(String);

impl FullDefinition {
    /// Returns the full definition of the tool that a request calls, if lists have it in a shorter form and it fits
    /// into an answer.
    pub fn find<H: Host>(context: &Context<'_, H>) -> Option<Self> {
        let outlines = context.disclosure == DisclosureMode::Outline;
        let shortens = context.exchange.config.engine.assignments.definition_budget.is_some();
        if !(outlines || shortens) || context.message.known != Some(Method::CallTool) {
            return None;
        }
        let name = context.message.text_param("name").ok()?;
        let tools = context.view.catalog().kind_index(Kind::Tool);
        let index = context.view.find(Kind::Tool, &name)?;
        let definition = std::str::from_utf8(tools.bytes(index)?).ok()?;
        let is_shorter = outlines || tools.short(index).is_some();
        (is_shorter && definition.len() <= Answer::MAX_DEFINITIONS).then(|| Self(definition.to_owned()))
    }

    /// Adds the definition to the `data` of an error for invalid parameters, unless `data` is no object.
    pub fn add_to_error(&self, mut failure: RpcError) -> RpcError {
        if failure.code != INVALID_PARAMS {
            return failure;
        }
        let definition = || serde_json::from_str::<Value>(&self.0).ok();
        match &mut failure.data {
            Some(Value::Object(data)) => {
                definition()
                    .into_iter()
                    .for_each(|definition| _ = data.insert(DEFINITION.to_owned(), definition));
            }
            Some(_) => {}
            None => failure.data = definition().map(|definition| json!({ DEFINITION: definition })),
        }
        failure
    }

    /// Adds the definition as a last text to a result with `isError`, and returns any other result unchanged.
    pub fn add_to_result(&self, result: Vec<u8>) -> Vec<u8> {
        let members = std::str::from_utf8(&result).ok().and_then(Members::parse).unwrap_or_default();
        if members.get("isError").is_none_or(|flag| flag.get() != "true") {
            return result;
        }
        let content = members.get("content").and_then(Raw::elements).unwrap_or_default();
        let text = [INTRODUCTION, &self.0].concat();
        let mut out = Vec::with_capacity(result.len() + text.len());
        let mut object = Object::open(&mut out);
        Object::push_array(
            object.value("content"),
            content.into_iter().map(Some).chain([None]),
            |out, part| match part {
                Some(part) => out.extend_from_slice(part.get().as_bytes()),
                None => {
                    let mut part = Object::open(out);
                    part.text("type", "text");
                    part.text("text", &text);
                    part.close();
                }
            },
        );
        object.keep(&members, &["content"]);
        object.close();
        out
    }
}
