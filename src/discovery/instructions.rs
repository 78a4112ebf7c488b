//! Server instructions that tell a model how to find tools in a disclosure mode.

use crate::policy::DisclosureMode;

use super::{
    DiscoveryTool,
    groups::{sized, ungrouped},
    line::line,
    tools::Tools,
};

impl Tools<'_> {
    /// Maximum number of groups in instructions. Groups with the most tools come first.
    pub const MAX_INSTRUCTED_GROUPS: usize = 30;
}

/// The instructions for a list of tools without schemas. They name no number, because the list shows it.
const OUTLINE: &str = "Most tools are listed without the schemas of their arguments. Read the definitions of those that \
                       you need with `describe_tools`, then call them by their names.";

impl Tools<'_> {
    /// Returns instructions for a model in a mode: how to find tools, and the names of groups. Empty for a mode that
    /// lists every tool. A name that is no short line is left out: its server could write instructions in it.
    pub fn instructions(&self, mode: DisclosureMode) -> String {
        let names = match DiscoveryTool::listed_in(mode) {
            [] => return String::new(),
            [DiscoveryTool::DescribeTools] => return OUTLINE.to_owned(),
            [DiscoveryTool::SearchTools, ..] => "`search_tools`",
            _ => "`list_tool_groups` and `open_tool_group`",
        };
        let mut text = [
            "This server has ",
            &counted(self.count()),
            ", most of which are not listed. Find them with ",
            names,
            ", read their definitions with `describe_tools`, and call them with `call_read_only_tool` or `call_tool`.",
        ]
        .concat();
        let groups = sized(self);
        if groups.is_empty() {
            return text;
        }
        text.push_str("\n\nGroups and their numbers of tools: ");
        let named = groups.iter().filter(|(group, _)| is_short_line(&group.name));
        let mut left = groups.len();
        for (place, (group, count)) in named.take(Tools::MAX_INSTRUCTED_GROUPS).enumerate() {
            left -= 1;
            let between = if place > 0 { ", " } else { "" };
            [between, &group.name, " (", &count.to_string(), ")"].iter().for_each(|part| text.push_str(part));
        }
        if left > 0 {
            [", and ", &left.to_string(), " more groups"].iter().for_each(|part| text.push_str(part));
        }
        match ungrouped(self).count() {
            0 => text.push('.'),
            left => [". In no group: ", &counted(left), "."].iter().for_each(|part| text.push_str(part)),
        }
        text
    }
}

/// Returns whether a name is one line of at most [`Answer::MAX_LINE`] characters.
fn is_short_line(name: &str) -> bool {
    line(name) == name && !name.contains(|c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'))
}

fn counted(tools: usize) -> String {
    let noun = if tools == 1 { " tool" } else { " tools" };
    [tools.to_string().as_str(), noun].concat()
}
