use super::{
    Answer,
    tools::{Definitions, Tools},
};
use crate::json::{self, Members, Object, push_array};

/// Maximum number of tools that one answer describes.
pub const MAX_DESCRIBED: usize = 20;

/// Returns the definitions of tools, and the unknown names. A repeated name is described once.
pub(super) fn describe(tools: &Tools<'_>, given: &Members<'_>, definitions: Definitions<'_>) -> Answer {
    let elements = given.get("names").and_then(json::elements).unwrap_or_default();
    let (mut found, mut unknown) = (Vec::new(), Vec::new());
    for name in elements.into_iter().filter_map(json::text) {
        match tools.find(&name) {
            Some(index) if !found.contains(&index) => found.push(index),
            Some(_) => {}
            None => unknown.push(name),
        }
    }
    Answer::from_members(|answer| {
        push_array(answer.value("tools"), found, |out, index| definitions(index, out));
        if !unknown.is_empty() {
            push_array(answer.value("unknown"), &unknown, |out, name| {
                let mut entry = Object::open(out);
                entry.text("name", name);
                if let Some(meant) = tools.meant(name) {
                    entry.text("didYouMean", meant);
                }
                entry.close();
            });
        }
    })
}
