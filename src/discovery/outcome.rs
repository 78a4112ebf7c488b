//! The outcome of a tool call in a disclosure mode: an answer, or the call of a tool that was found.

use super::{Answer, DiscoveryTool, ToolCall, Tools};
use crate::{Kind, json::Raw};

/// The outcome of a tool call in a disclosure mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The result of the call.
    Answer(Answer),
    /// The call that the host must make instead.
    Call {
        /// The index of the tool in the catalog.
        index: usize,
        /// The arguments of the tool, the text of a JSON object, if there are any.
        arguments: Option<String>,
    },
}

impl Tools<'_> {
    /// Decides about a call of `tool`, which is a discovery tool or a tool that can be found. `arguments` is the text of
    /// a JSON object.
    pub fn call(&self, tool: &str, arguments: &str) -> Outcome {
        match self.find_call(tool, arguments) {
            Ok((index, arguments)) => Outcome::Call { index, arguments },
            Err(answer) => Outcome::Answer(answer),
        }
    }

    /// Returns the index and the arguments of the tool to call, or the answer if no tool is called.
    fn find_call(&self, tool: &str, arguments: &str) -> Result<(usize, Option<String>), Answer> {
        let arguments =
            Raw::parse(arguments).map_err(|_| Answer::refusal("arguments: expected an object"))?;
        let kind_index = self.view().catalog().kind_index(Kind::Tool);
        let unknown = |name: &str| Answer::refusal(["Unknown tool: ", name, &self.hint(name)].concat());
        let find = |name: &str| self.find(name).ok_or_else(|| unknown(name));
        let definition = |at: usize| {
            let bytes = kind_index.bytes(at).unwrap_or_default();
            std::str::from_utf8(bytes).unwrap_or_default()
        };
        let Some(tool) = DiscoveryTool::named(tool) else {
            let at = find(tool)?;
            return match ToolCall::refused(DiscoveryTool::CallTool, definition(at), Some(arguments)) {
                Some(refusal) => Err(refusal),
                None => Ok((at, Some(arguments.get().to_owned()))),
            };
        };
        if !tool.calls() {
            let write = |at: usize, out: &mut Vec<u8>| {
                out.extend_from_slice(kind_index.bytes(at).unwrap_or_default())
            };
            let answer = self.answer(tool, Some(arguments), &write);
            return Err(answer.unwrap_or_else(|| Answer::refusal(["Unknown tool: ", tool.name()].concat())));
        }
        let ToolCall { name, arguments } = ToolCall::read(tool, Some(arguments))?;
        let at = find(&name)?;
        let given = arguments.as_deref().and_then(|text| Raw::parse(text).ok());
        match ToolCall::refused(tool, definition(at), given) {
            Some(refusal) => Err(refusal),
            None => Ok((at, arguments)),
        }
    }
}
