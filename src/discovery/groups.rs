//! The discovery tools `list_tool_groups` and `open_tool_group`.

use crate::{
    catalog::{Bitset, Group},
    json::{self, Members, Object},
    sort_indices,
};

use super::{
    Answer,
    arguments::whole,
    bounds::{is_listable, push_fitting, repeated, write_left, write_names},
    line::line,
    tools::Tools,
};

impl Answer {
    /// Maximum number of groups in an answer. Groups with the most tools come first, and `from` continues the list.
    pub const MAX_GROUPS: usize = 100;
    /// Maximum number of tools of a group that one answer lists.
    pub const MAX_OPENED: usize = 100;
}

impl Tools<'_> {
    /// The name under which the tools are opened that are in no group, unless a group has this name.
    pub const UNGROUPED: &'static str = "(ungrouped)";
}
/// The member that counts the tools or groups that are left out because their names are too long.
pub(super) const LONG_NAMES: &str = "longNames";

/// Answers with the groups of tools.
pub(super) fn list_groups(tools: &Tools<'_>, given: &Members<'_>) -> Answer {
    let from = given.get("from").and_then(whole).unwrap_or_default();
    Answer::from_members(|answer| write(tools, from, answer))
}

/// Writes the groups that have a tool and how many each has, beginning at a position. Then follow the number of the
/// groups behind them and the position of the next one, if any.
pub(super) fn write(tools: &Tools<'_>, from: usize, answer: &mut Object<'_>) {
    let all = sized(tools);
    let groups: Vec<_> = all.iter().filter(|(group, _)| is_listable(&group.name)).collect();
    let page = groups.iter().skip(from).take(Answer::MAX_GROUPS);
    let written = push_fitting(answer.value("groups"), Answer::MAX_ENTRIES, page, |out, (group, count)| {
        let mut entry = Object::open(out);
        entry.text("name", &group.name);
        if let Some(title) = group.title.as_deref() {
            entry.text("title", &line(title));
        }
        if let Some(description) = group.description.as_deref().filter(|text| !text.trim().is_empty()) {
            entry.text("description", &line(description));
        }
        let known = |parent: &&String| groups.iter().any(|(other, _)| other.name == **parent);
        let parents: Vec<&String> = group.parents.iter().filter(known).collect();
        if !parents.is_empty() {
            write_names(&mut entry, "parents", "moreParents", &parents);
        }
        entry.raw("tools", count.to_string().as_bytes());
        entry.close();
    });
    let next = from.saturating_add(written);
    let more = groups.len().saturating_sub(next);
    write_left(answer, "more", more);
    write_left(answer, "next", if more > 0 { next } else { 0 });
    write_left(answer, LONG_NAMES, all.len() - groups.len());
    write_left(answer, Tools::UNGROUPED, ungrouped(tools).count());
}

/// Returns the groups that have tools, each with the number of its tools. The largest comes first, and of equal ones
/// the one declared first.
pub(super) fn sized<'a>(tools: &Tools<'a>) -> Vec<(&'a Group, usize)> {
    let groups = tools.view().groups().into_iter();
    let sized: Vec<_> = groups
        .map(|group| (group, tools.members(Some(&group.name)).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    let count = |at: usize| sized.get(at).map(|(_, count)| *count);
    let order = sort_indices(sized.len(), &mut |a, b| count(b).cmp(&count(a)));
    order.into_iter().filter_map(|at| sized.get(at as usize).copied()).collect()
}

/// Returns the tools that are in no group.
pub(super) fn ungrouped(tools: &Tools<'_>) -> Bitset {
    let mut left = tools.members(None);
    tools.view().groups().iter().for_each(|group| left.subtract(&tools.members(Some(&group.name))));
    left
}

/// Answers with the tools of a group. A group without visible tools is unknown, as any other name.
pub(super) fn open_group(tools: &Tools<'_>, given: &Members<'_>) -> Answer {
    let name = given.get("group").and_then(json::Raw::text).unwrap_or_default();
    let from = given.get("from").and_then(whole).unwrap_or_default();
    let mut members = tools.members(Some(&name));
    if members.count() == 0 && name == Tools::UNGROUPED {
        members = ungrouped(tools);
    }
    if members.count() == 0 {
        return Answer::from_members(|answer| {
            answer.raw("tools", b"[]");
            answer.text("message", &["There is no group `", &repeated(&name), "`."].concat());
            write(tools, 0, answer);
        });
    }
    let listable: Vec<usize> = members.iter().filter(|index| tools.is_listable(*index)).collect();
    Answer::from_members(|answer| {
        let page = listable.iter().skip(from).take(Answer::MAX_OPENED);
        let written = push_fitting(answer.value("tools"), Answer::MAX_ENTRIES, page, |out, index| {
            let mut entry = Object::open(out);
            tools.summarize(*index, &mut entry);
            entry.close();
        });
        let (next, count) = (from.saturating_add(written), listable.len());
        write_left(answer, "next", if next < count { next } else { 0 });
        if let Some(last) = count.checked_sub(1).filter(|last| from > *last) {
            let last = last.to_string();
            answer.text("message", &["The last tool of the group has position ", &last, "."].concat());
        }
        write_left(answer, LONG_NAMES, members.count() - count);
    })
}
