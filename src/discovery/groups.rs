use super::{Answer, arguments::whole, line::line, tools::Tools};
use crate::{
    catalog::{Bitset, Group},
    json::{self, Members, Object, push_array},
    sort_indices::sort_indices,
};

/// Maximum number of groups in an answer. Groups with the most tools come first.
pub const MAX_GROUPS: usize = 100;
/// Maximum number of tools of a group that one answer lists.
pub const MAX_OPENED: usize = 100;
/// The name under which the tools are opened that are in no group, unless a group has this name.
pub const UNGROUPED: &str = "(ungrouped)";

/// Answers with the groups of tools.
pub(super) fn list_groups(tools: &Tools<'_>) -> Answer {
    Answer::from_members(|answer| write(tools, answer))
}

/// Writes the groups that have a tool and how many each has; then how many groups are left out, if any.
pub(super) fn write(tools: &Tools<'_>, answer: &mut Object<'_>) {
    let groups = sized(tools);
    let ungrouped = ungrouped(tools).count();
    push_array(answer.value("groups"), groups.iter().take(MAX_GROUPS), |out, (group, count)| {
        let mut entry = Object::open(out);
        entry.text("name", &group.name);
        if let Some(title) = group.title.as_deref() {
            entry.text("title", title);
        }
        if let Some(description) = group.description.as_deref().filter(|text| !text.trim().is_empty()) {
            entry.text("description", &line(description));
        }
        let known = |parent: &&String| groups.iter().any(|(other, _)| other.name == **parent);
        let parents: Vec<&String> = group.parents.iter().filter(known).collect();
        if !parents.is_empty() {
            entry.texts("parents", &parents);
        }
        entry.raw("tools", count.to_string().as_bytes());
        entry.close();
    });
    if groups.len() > MAX_GROUPS {
        answer.raw("more", (groups.len() - MAX_GROUPS).to_string().as_bytes());
    }
    if ungrouped > 0 {
        answer.raw(UNGROUPED, ungrouped.to_string().as_bytes());
    }
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
    let name = given.get("group").and_then(json::text).unwrap_or_default();
    let from = given.get("from").and_then(whole).unwrap_or_default();
    let mut members = tools.members(Some(&name));
    if members.count() == 0 && name == UNGROUPED {
        members = ungrouped(tools);
    }
    if members.count() == 0 {
        return Answer::from_members(|answer| {
            answer.raw("tools", b"[]");
            answer.text("message", &["There is no group `", &name, "`."].concat());
            write(tools, answer);
        });
    }
    Answer::from_members(|answer| {
        push_array(answer.value("tools"), members.iter().skip(from).take(MAX_OPENED), |out, index| {
            let mut entry = Object::open(out);
            tools.summarize(index, &mut entry);
            entry.close();
        });
        let (next, count) = (from.saturating_add(MAX_OPENED), members.count());
        if next < count {
            answer.raw("next", next.to_string().as_bytes());
        }
        if from >= count {
            let last = (count - 1).to_string();
            answer.text("message", &["The last tool of the group has position ", &last, "."].concat());
        }
    })
}
