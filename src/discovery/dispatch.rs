//! Dispatches a discovery call to the tool's implementation.

use crate::json::{Members, Raw};

use super::{
    Answer, DiscoveryTool, Tools, arguments,
    bounds::reason,
    describe::describe,
    groups::{list_groups, open_group},
    search::search,
    tools::Definitions,
};

impl Tools<'_> {
    /// Answers a discovery tool; `None` for one that calls another tool.
    pub fn answer(
        &self,
        tool: DiscoveryTool,
        arguments: Option<Raw<'_>>,
        definitions: Definitions<'_>,
    ) -> Option<Answer> {
        let given = arguments.unwrap_or(Raw::known("{}"));
        if let Some(problem) = arguments::problem(tool.definition(), given) {
            return Some(Answer::refusal(reason(problem)));
        }
        let given = Members::read(given).unwrap_or_default();
        match tool {
            DiscoveryTool::SearchTools => Some(search(self, &given)),
            DiscoveryTool::ListToolGroups => Some(list_groups(self, &given)),
            DiscoveryTool::OpenToolGroup => Some(open_group(self, &given)),
            DiscoveryTool::DescribeTools => Some(describe(self, &given, definitions)),
            DiscoveryTool::CallReadOnlyTool | DiscoveryTool::CallTool => None,
        }
    }
}
