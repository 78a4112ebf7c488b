//! Parses the arguments of `call_tool` and `call_read_only_tool`, which call another tool.

use std::borrow::Cow;

use crate::json::{self, Members, Raw};

use super::{Answer, DiscoveryTool, arguments, bounds::reason, tools::is_read_only};

/// The tool call that the arguments of a discovery tool describe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// The name of the tool.
    pub name: String,
    /// Its arguments: the text of a JSON object.
    pub arguments: Option<String>,
}

impl ToolCall {
    /// Reads the arguments of a discovery tool that calls another. Models also write the arguments of that tool as a
    /// string that holds a JSON object, which is read as the object.
    ///
    /// # Errors
    /// The refusal of any other shape.
    pub fn read(tool: DiscoveryTool, arguments: Option<Raw<'_>>) -> Result<Self, Answer> {
        let given = arguments.unwrap_or(Raw::known("{}"));
        let members = Members::read(given).unwrap_or_default();
        let written = members.get("arguments").and_then(json::Raw::text);
        let unwrapped = written.as_deref().and_then(object);
        if unwrapped.is_none()
            && let Some(problem) = arguments::problem(tool.definition(), given)
        {
            return Err(Answer::refusal(reason(problem)));
        }
        let name = members.get("name").and_then(json::Raw::text).map(Cow::into_owned);
        let name = name.ok_or_else(|| Answer::refusal("arguments.name: expected a string"))?;
        let arguments = unwrapped.or_else(|| members.get("arguments").map(|raw| raw.get().to_owned()));
        Ok(Self { name, arguments })
    }

    /// Returns why `tool` does not make the call of a tool with this definition, if it does not: the tool may change
    /// things, or its arguments do not fit its schema, which the refusal holds.
    pub fn refused(tool: DiscoveryTool, definition: &str, arguments: Option<Raw<'_>>) -> Option<Answer> {
        let members = Members::parse(definition).unwrap_or_default();
        if tool == DiscoveryTool::CallReadOnlyTool && !is_read_only(members.get("annotations")) {
            return Some(Answer::refusal("This tool may change things. Call it with call_tool."));
        }
        let given = arguments.unwrap_or(Raw::known("{}"));
        let problem = reason(arguments::problem(definition, given)?);
        let schema = members.get("inputSchema").map(Raw::get).unwrap_or_default();
        Some(Answer::refusal(match schema.len() {
            ..=Answer::MAX_SCHEMA => [&problem, ". The inputSchema of this tool is: ", schema].concat(),
            _ => [&problem, ". Read the inputSchema of this tool with describe_tools."].concat(),
        }))
    }
}

/// Returns the text, if it is a JSON object.
fn object(text: &str) -> Option<String> {
    Raw::parse(text).ok().filter(|raw| raw.is_object()).map(|raw| raw.get().to_owned())
}
