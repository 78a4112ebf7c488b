//! The discovery tools, with their names and JSON definitions.

use crate::policy::DisclosureMode;

/// A tool that Sieve lists itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiscoveryTool {
    /// Finds tools by words.
    SearchTools,
    /// Lists the groups of tools.
    ListToolGroups,
    /// Lists the tools of a group.
    OpenToolGroup,
    /// Returns whole definitions.
    DescribeTools,
    /// Calls a tool that only reads.
    CallReadOnlyTool,
    /// Calls any tool.
    CallTool,
}

/// The definitions in the form in which clients list them. They name no tool, no group and no number, so they are the
/// same for every caller and prompt caches stay valid.
const SEARCH_TOOLS: &str = r#"{"name":"search_tools","title":"Search tools","description":"Finds tools by what they do. Returns the name of each, a line about it and the arguments that it requires. Describe the tools that you need with describe_tools, then call them with call_read_only_tool or call_tool.","inputSchema":{"type":"object","properties":{"query":{"type":"string","description":"What the tool should do, in a few words, or its name."},"group":{"type":"string","description":"Only tools of this group."},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"Maximum number of results, 10 by default."}},"required":["query"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;
const LIST_TOOL_GROUPS: &str = r#"{"name":"list_tool_groups","title":"List tool groups","description":"Lists the groups of tools and how many tools each has. Open one with open_tool_group.","inputSchema":{"type":"object","properties":{"from":{"type":"integer","minimum":0,"description":"Position of the first group, 0 by default."}},"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;
const OPEN_TOOL_GROUP: &str = r#"{"name":"open_tool_group","title":"Open a tool group","description":"Lists the tools of a group: the name of each, a line about it and the arguments that it requires. Describe the tools that you need with describe_tools, then call them with call_read_only_tool or call_tool.","inputSchema":{"type":"object","properties":{"group":{"type":"string","description":"The name of the group."},"from":{"type":"integer","minimum":0,"description":"Position of the first tool, 0 by default."}},"required":["group"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;
const DESCRIBE_TOOLS: &str = r#"{"name":"describe_tools","title":"Describe tools","description":"Returns the whole definitions of tools, with the schemas of their arguments.","inputSchema":{"type":"object","properties":{"names":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":20,"description":"The names of the tools."}},"required":["names"],"additionalProperties":false},"annotations":{"readOnlyHint":true,"openWorldHint":false}}"#;
const CALL_READ_ONLY_TOOL: &str = r#"{"name":"call_read_only_tool","title":"Call a read-only tool","description":"Calls a tool that only reads. Refuses any other tool.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The name of the tool."},"arguments":{"type":"object","description":"The arguments of the tool, as its inputSchema describes them."}},"required":["name"],"additionalProperties":false},"annotations":{"readOnlyHint":true}}"#;
const CALL_TOOL: &str = r#"{"name":"call_tool","title":"Call a tool","description":"Calls a tool, which may change things.","inputSchema":{"type":"object","properties":{"name":{"type":"string","description":"The name of the tool."},"arguments":{"type":"object","description":"The arguments of the tool, as its inputSchema describes them."}},"required":["name"],"additionalProperties":false},"annotations":{"readOnlyHint":false}}"#;

impl DiscoveryTool {
    /// Every tool, in the order of lists.
    pub const ALL: [Self; 6] = [
        Self::SearchTools,
        Self::ListToolGroups,
        Self::OpenToolGroup,
        Self::DescribeTools,
        Self::CallReadOnlyTool,
        Self::CallTool,
    ];

    /// Returns the tools that a mode lists; none for one that lists all tools, or that is not decided yet.
    pub fn listed_in(mode: DisclosureMode) -> &'static [Self] {
        match mode {
            DisclosureMode::Flat | DisclosureMode::Auto => &[],
            DisclosureMode::Search => {
                &[Self::SearchTools, Self::DescribeTools, Self::CallReadOnlyTool, Self::CallTool]
            }
            DisclosureMode::Outline => &[Self::DescribeTools],
            DisclosureMode::Groups => &[
                Self::ListToolGroups,
                Self::OpenToolGroup,
                Self::DescribeTools,
                Self::CallReadOnlyTool,
                Self::CallTool,
            ],
        }
    }

    /// Returns the tool of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SearchTools => "search_tools",
            Self::ListToolGroups => "list_tool_groups",
            Self::OpenToolGroup => "open_tool_group",
            Self::DescribeTools => "describe_tools",
            Self::CallReadOnlyTool => "call_read_only_tool",
            Self::CallTool => "call_tool",
        }
    }

    /// Returns the definition, as the JSON of a tool.
    pub const fn definition(self) -> &'static str {
        match self {
            Self::SearchTools => SEARCH_TOOLS,
            Self::ListToolGroups => LIST_TOOL_GROUPS,
            Self::OpenToolGroup => OPEN_TOOL_GROUP,
            Self::DescribeTools => DESCRIBE_TOOLS,
            Self::CallReadOnlyTool => CALL_READ_ONLY_TOOL,
            Self::CallTool => CALL_TOOL,
        }
    }

    /// Returns whether the tool calls another one.
    pub const fn calls(self) -> bool {
        matches!(self, Self::CallReadOnlyTool | Self::CallTool)
    }
}
