//! The discovery tool `describe_tools`: full definitions of named tools.

use std::borrow::Cow;

use crate::json::{self, Members, Object};

use super::{
    Answer,
    bounds::repeated,
    tools::{Definitions, Tools},
};

impl Answer {
    /// Maximum number of tools that one answer describes.
    pub const MAX_DESCRIBED: usize = 20;
}

/// The definitions of an answer, and the names without one.
#[derive(Default)]
struct Described<'a> {
    /// The definitions that fit, joined by commas.
    definitions: Vec<u8>,
    /// The names and lengths, in bytes, of the definitions that do not fit.
    left: Vec<(Cow<'a, str>, usize)>,
    unknown: Vec<Cow<'a, str>>,
}

/// Returns the definitions of tools, and the unknown names. A repeated name is described once. A schema is worth
/// nothing in part, so a definition that does not fit is left out whole.
pub(super) fn describe(tools: &Tools<'_>, given: &Members<'_>, definitions: Definitions<'_>) -> Answer {
    let described = collect(tools, given, definitions);
    Answer::from_members(|answer| {
        let out = answer.value("tools");
        out.push(b'[');
        out.extend_from_slice(&described.definitions);
        out.push(b']');
        if !described.left.is_empty() {
            Object::push_array(answer.value("left"), &described.left, |out, (name, bytes)| {
                let mut entry = Object::open(out);
                entry.text("name", &repeated(name));
                entry.raw("bytes", bytes.to_string().as_bytes());
                entry.close();
            });
            answer.text("message", &left_out());
        }
        if !described.unknown.is_empty() {
            Object::push_array(answer.value("unknown"), &described.unknown, |out, name| {
                let mut entry = Object::open(out);
                entry.text("name", &repeated(name));
                if let Some(meant) = tools.meant(name) {
                    entry.text("didYouMean", meant);
                }
                entry.close();
            });
        }
    })
}

fn collect<'a>(tools: &Tools<'_>, given: &Members<'a>, definitions: Definitions<'_>) -> Described<'a> {
    let elements = given.get("names").and_then(json::Raw::elements).unwrap_or_default();
    let (mut described, mut found) = (Described::default(), Vec::new());
    for name in elements.into_iter().filter_map(json::Raw::text) {
        let Some(index) = tools.find(&name) else {
            described.unknown.push(name);
            continue;
        };
        if found.contains(&index) {
            continue;
        }
        found.push(index);
        let mut definition = Vec::new();
        definitions(index, &mut definition);
        let out = &mut described.definitions;
        if out.len() + definition.len() >= Answer::MAX_DEFINITIONS {
            described.left.push((name, definition.len()));
            continue;
        }
        if !out.is_empty() {
            out.push(b',');
        }
        out.extend_from_slice(&definition);
    }
    described
}

/// Returns the message of an answer without some of the definitions.
fn left_out() -> String {
    let [before, behind] = [
        "The definitions in `left` are left out, because an answer has at most ",
        " bytes of definitions. Describe these tools one at a time. A tool whose definition alone is longer can still be \
         called: if its arguments do not fit, the refusal gives the reason.",
    ];
    [before, &Answer::MAX_DEFINITIONS.to_string(), behind].concat()
}
