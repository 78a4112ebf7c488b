//! Writes JSON: strings, arrays and objects, appended to a byte buffer.

use super::{Members, text};
use crate::error::{Ignored, UnknownName};

impl Object<'_> {
    /// Appends `value` as a JSON string.
    pub fn push_text(out: &mut Vec<u8>, value: &str) {
        let mut rest = value.as_bytes();
        out.reserve(rest.len() + 2);
        out.push(b'"');
        loop {
            let (plain, special) = rest.split_at_checked(text::plain_start(rest)).unwrap_or((rest, &[]));
            out.extend_from_slice(plain);
            let Some((byte, behind)) = special.split_first() else { break };
            match byte {
                b'"' | b'\\' => out.extend([b'\\', *byte]),
                8 => out.extend(b"\\b"),
                9 => out.extend(b"\\t"),
                10 => out.extend(b"\\n"),
                12 => out.extend(b"\\f"),
                13 => out.extend(b"\\r"),
                control => {
                    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' - 10 + value };
                    out.extend(b"\\u00");
                    out.extend([digit(control >> 4), digit(control & 15)]);
                }
            }
            rest = behind;
        }
        out.push(b'"');
    }
}

impl Object<'_> {
    /// Returns the size in bytes of a text as a JSON string with its quotes, as
    /// [`Object::push_text`](crate::json::Object::push_text) writes it.
    pub fn text_size(value: &str) -> usize {
        let (mut rest, mut size) = (value.as_bytes(), value.len() + 2);
        while let Some((byte, behind)) = rest.get(text::plain_start(rest)..).and_then(<[u8]>::split_first) {
            size += match byte {
                b'"' | b'\\' | 8 | 9 | 10 | 12 | 13 => 1,
                _ => 5,
            };
            rest = behind;
        }
        size
    }
}

impl Object<'_> {
    /// Appends an array, with `write` for each element.
    pub fn push_array<T>(
        out: &mut Vec<u8>,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Vec<u8>, T),
    ) {
        push_sign(out, b'[');
        for (at, item) in items.into_iter().enumerate() {
            if at > 0 {
                push_sign(out, b',');
            }
            write(out, item);
        }
        push_sign(out, b']');
    }
}

/// Appends parts of a filter: the field, the reason and the field that was probably meant.
fn push_parts<'a>(
    out: &mut Vec<u8>,
    parts: impl Iterator<Item = (&'a String, &'static str, Option<&'static str>)>,
) {
    Object::push_array(out, parts, |out, (field, reason, meant)| {
        let mut object = Object::open(out);
        object.text("field", field);
        object.text("reason", reason);
        object.optional_text("meant", meant);
        object.close();
    });
}

/// Appends a byte. A separate function, because [`Object::push_array`](crate::json::Object::push_array) is compiled
/// again for every type of element.
#[inline(never)]
fn push_sign(out: &mut Vec<u8>, sign: u8) {
    out.push(sign);
}

impl Object<'_> {
    /// Writes the member `ignored` with the parts of a filter that had no effect, `[{"field", "reason", "meant"?}]`, and
    /// if there are any, `unknown` with the names that match nothing, `[{"field", "reason"}]`.
    pub fn filter_report(&mut self, ignored: &[Ignored], unknown: &[UnknownName]) {
        let ignored = ignored.iter().map(|part| (&part.field, part.reason, part.meant));
        push_parts(self.value("ignored"), ignored);
        if !unknown.is_empty() {
            push_parts(self.value("unknown"), unknown.iter().map(|name| (&name.field, name.reason, None)));
        }
    }
}

/// A JSON object being written, member by member.
#[derive(Debug)]
pub struct Object<'a> {
    out: &'a mut Vec<u8>,
    first: bool,
}

impl<'a> Object<'a> {
    /// Begins an object at the end of `out`.
    pub fn open(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, first: true }
    }

    /// Continues an object of which only the opening brace is written.
    pub(crate) fn begun(out: &'a mut Vec<u8>) -> Self {
        Self { out, first: true }
    }

    /// Continues an object that already has members.
    pub fn resume(out: &'a mut Vec<u8>) -> Self {
        Self { out, first: false }
    }

    /// Ends the object.
    pub fn close(self) {
        self.out.push(b'}');
    }

    /// Writes a key and returns the buffer, for the caller to write the value.
    pub fn value(&mut self, key: &str) -> &mut Vec<u8> {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(b',');
        }
        Object::push_text(self.out, key);
        self.out.push(b':');
        self.out
    }

    /// Writes a member whose value is already JSON.
    pub fn raw(&mut self, key: &str, json: &[u8]) {
        self.value(key).extend_from_slice(json);
    }

    /// Writes a member that is a string.
    pub fn text(&mut self, key: &str, value: &str) {
        Object::push_text(self.value(key), value);
    }

    /// Writes a member that is a string, if there is a value.
    pub fn optional_text(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    /// Writes a member that is an array of strings.
    pub fn texts<T: AsRef<str>>(&mut self, key: &str, values: &[T]) {
        Object::push_array(self.value(key), values, |out, value| Object::push_text(out, value.as_ref()));
    }

    /// Copies every member except those in `but`, which the caller writes separately.
    pub fn keep(&mut self, members: &Members<'_>, but: &[&str]) {
        for (key, value) in members.0.iter().filter(|(key, _)| !but.contains(&key.as_ref())) {
            self.raw(key, value.get().as_bytes());
        }
    }
}
