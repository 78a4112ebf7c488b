//! The form in which a primitive is listed that awaits review: its name, and one sentence of Sieve.

use crate::{
    catalog::{Primitive, model::kind::Kind},
    json::{Members, Object, Raw},
};

impl Primitive<'_> {
    /// The member of `_meta` of a primitive that awaits the operator's review. Its value is `true`.
    pub const AWAITS_REVIEW: &'static str = "dev.mcpsieve/awaitsReview";
}

/// The schema of a tool that takes no arguments.
const EMPTY_SCHEMA: &[u8] = br#"{"type":"object"}"#;

/// Appends the definition of a primitive that awaits review. It has no text of the server but its id.
pub(crate) fn stub(out: &mut Vec<u8>, kind: Kind, id: &str) {
    let mut object = Object::open(out);
    object.text(kind.id_key(), id);
    if !kind.is_named() {
        object.text("name", id);
    }
    object.text("description", &["This ", kind.name(), " awaits review by the operator."].concat());
    if kind == Kind::Tool {
        object.raw("inputSchema", EMPTY_SCHEMA);
    }
    let mut meta = Object::open(object.value("_meta"));
    meta.raw(Primitive::AWAITS_REVIEW, b"true");
    meta.close();
    object.close();
}

/// Returns whether the text of a compiled primitive is such a definition.
pub(crate) fn awaits_review(text: &[u8]) -> bool {
    let members = std::str::from_utf8(text).ok().and_then(Members::parse);
    let meta = members.and_then(|members| Members::read(members.get("_meta")?));
    meta.and_then(|meta| meta.get(Primitive::AWAITS_REVIEW)).is_some_and(|mark: Raw<'_>| mark.get() == "true")
}
