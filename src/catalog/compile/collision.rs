//! Name collisions: primitives that were left out, and the report texts about them.

use crate::catalog::model::kind::Kind;

/// A primitive that was left out, because its name does not belong to its server and it has no other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The kind of both primitives.
    pub kind: Kind,
    /// The name, `uri` or `uriTemplate` of both.
    pub id: String,
    /// The server that has the name or, if none has it, another one that claims it.
    pub kept: String,
    /// The server whose primitive is left out.
    pub left_out: String,
}

/// Describes a primitive that was left out, because its name belongs to the primitive `kept` of its owner, or to no
/// server, because a rival lists the name too. Primitives are a name and a server.
pub(crate) fn describe_collision(
    kind: Kind,
    (kept, owner): (&str, Result<&str, &String>),
    (own, server): (&str, &str),
) -> String {
    let way = if kind.is_named() {
        "rename one of them by `prefix` or a rule"
    } else {
        "hide one of them by a rule"
    };
    match owner {
        Ok(of) => {
            format!("`{own}` of `{server}` is left out, `{kept}` of `{of}` has that name already: {way}")
        }
        Err(rival) => format!(
            "`{own}` of `{server}` is left out, `{rival}` lists `{kept}` as well and no record says which of them had it first: {way}"
        ),
    }
}

/// Describes a primitive that is listed under its prefix, because another server has its name or claims it too.
pub(crate) fn describe_prefix((own, server): (&str, &str), id: &str, other: &str) -> String {
    format!(
        "`{own}` of `{server}` is listed under its prefix, as `{id}`, because `{other}` lists the name as well"
    )
}
