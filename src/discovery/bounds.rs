//! The limits of answers in bytes. Servers choose the texts, and a model reads every answer whole.

use std::borrow::Cow;

use crate::json::Object;

use super::{Answer, line::line};

impl Answer {
    /// Maximum length of the list of tools or groups in an answer, in bytes of JSON: about the default `budget` in
    /// tokens. Every other member is shorter than 1 KiB. An entry that does not fit is left for the next answer.
    pub const MAX_ENTRIES: usize = 32 * 1024;
    /// Maximum length of a name that answers list, in bytes. Names are not cut, because a part of one names nothing:
    /// tools, groups and arguments with longer names are left out and counted.
    pub const MAX_NAME: usize = 256;
    /// Maximum length of the names that an entry lists in one member, in bytes of JSON. Those beyond it are counted.
    pub const MAX_NAMES: usize = 512;
    /// Maximum length of the definitions in one answer, in bytes. A definition is whole or left out.
    pub const MAX_DEFINITIONS: usize = 128 * 1024;
    /// Maximum length of the schema in a refusal, in bytes. A longer one is left out.
    pub const MAX_SCHEMA: usize = 16 * 1024;
    /// Maximum length of the reason in a refusal, in bytes. It may repeat names and values of a schema.
    pub const MAX_REASON: usize = 1024;
}

/// Returns whether a name is short enough for an answer.
pub(super) fn is_listable(name: &str) -> bool {
    name.len() <= Answer::MAX_NAME
}

/// Appends an array of the first entries that fit into `most` bytes together, and returns how many these are.
pub(super) fn push_fitting<T>(
    out: &mut Vec<u8>,
    most: usize,
    entries: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut Vec<u8>, T),
) -> usize {
    let (start, mut count) = (out.len(), 0);
    out.push(b'[');
    for entry in entries {
        let end = out.len();
        if count > 0 {
            out.push(b',');
        }
        write(out, entry);
        if out.len() - start >= most {
            out.truncate(end);
            break;
        }
        count += 1;
    }
    out.push(b']');
    count
}

/// Writes the names that fit into [`Answer::MAX_NAMES`] bytes as `key`, and the number of the others as `left`.
pub(super) fn write_names<T: AsRef<str>>(entry: &mut Object<'_>, key: &str, left: &str, names: &[T]) {
    let listable = names.iter().map(AsRef::as_ref).filter(|name| is_listable(name));
    let count = push_fitting(entry.value(key), Answer::MAX_NAMES, listable, Object::push_text);
    write_left(entry, left, names.len() - count);
}

/// Returns a name from a call as an answer repeats it: cut only if no listed tool or group could have it.
pub(super) fn repeated(name: &str) -> Cow<'_, str> {
    if is_listable(name) { name.into() } else { line(name) }
}

/// Writes a number of things that are left out, unless it is 0.
pub(super) fn write_left(answer: &mut Object<'_>, key: &str, left: usize) {
    if left > 0 {
        answer.raw(key, left.to_string().as_bytes());
    }
}

/// Returns a reason of a refusal, cut to [`Answer::MAX_REASON`] bytes.
pub(super) fn reason(mut problem: String) -> String {
    if problem.len() > Answer::MAX_REASON {
        problem.truncate(problem.floor_char_boundary(Answer::MAX_REASON));
        problem.push('…');
    }
    problem
}
