use crate::catalog::model::kind::Kind;

/// A primitive that was left out: another server's has its name, and neither got another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Collision {
    /// What both are.
    pub kind: Kind,
    /// The name, `uri` or `uriTemplate` that both would have.
    pub id: String,
    /// The server whose primitive is served.
    pub kept: String,
    /// The server whose primitive is not.
    pub left_out: String,
}

/// Describes a primitive that was left out because `kept` has its name. Each is given by its own name and its server.
pub(crate) fn describe_collision(kind: Kind, kept: (&str, &str), left_out: (&str, &str)) -> String {
    let ((kept, of), (own, server)) = (kept, left_out);
    let way = if kind.is_named() {
        "rename one of them by `prefix` or a rule"
    } else {
        "hide one of them by a rule"
    };
    format!("`{own}` of `{server}` is left out, `{kept}` of `{of}` has that name already: {way}")
}
