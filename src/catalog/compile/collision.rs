use crate::catalog::model::kind::Kind;

/// A primitive that was left out, because another server has one of that name and neither was renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// The kind of both primitives.
    pub kind: Kind,
    /// The name, `uri` or `uriTemplate` of both.
    pub id: String,
    /// The server whose primitive is listed.
    pub kept: String,
    /// The server whose primitive is left out.
    pub left_out: String,
}

/// Describes a primitive that was left out because `kept` has its name. Each is a name and a server.
pub(crate) fn describe_collision(kind: Kind, kept: (&str, &str), left_out: (&str, &str)) -> String {
    let ((kept, of), (own, server)) = (kept, left_out);
    let way = if kind.is_named() {
        "rename one of them by `prefix` or a rule"
    } else {
        "hide one of them by a rule"
    };
    format!("`{own}` of `{server}` is left out, `{kept}` of `{of}` has that name already: {way}")
}
