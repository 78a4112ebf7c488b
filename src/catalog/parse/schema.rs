//! The members of primitives and their types, as defined by the JSON Schemas of the protocol revisions 2025-11-25 and
//! 2026-07-28 and of the supported extensions.
//!
//! The revisions differ only in `outputSchema`: the older one requires a schema whose `type` is `object`, and the newer
//! one accepts any schema. `lastModified` is stricter than in both, because the official TypeScript clients reject a
//! list if it is not a date and time with an offset.
//!
//! The table is separate from `middleware::Schema`, which parses the JSON Schema of a function's arguments at
//! registration. The protocol's types are known at compile time, every list is validated during the pass that scans it,
//! and a problem is reported with its place instead of rejecting the list.

use crate::catalog::model::kind::Kind;

/// A property that the revisions define. Other members are not validated.
#[derive(Debug)]
pub(crate) struct Property {
    pub key: &'static str,
    pub form: Form,
    pub required: bool,
}

/// The values that a member may have.
#[derive(Debug)]
pub(crate) enum Form {
    Text,
    /// A non-empty string, for the id of a primitive.
    Id,
    Boolean,
    Integer,
    /// A number from 0 to 1.
    Fraction,
    /// A date and time with an offset.
    Moment,
    /// One of these strings, with a description of them for the operator.
    OneOf(&'static [&'static str], &'static str),
    /// An object whose members are not validated.
    Object,
    Record(&'static [Property]),
    Array(&'static Self),
    /// A JSON Schema whose `type` is `object`. The flag is whether a missing `type` can be inserted.
    Schema(bool),
    /// An object of JSON Schemas.
    Properties,
}

impl Form {
    /// Returns whether a value has this form because it begins with `first`.
    #[inline(always)]
    pub fn begins(&self, first: u8) -> bool {
        match self {
            Self::Text => first == b'"',
            Self::Boolean => first == b't' || first == b'f',
            Self::Object => first == b'{',
            _ => false,
        }
    }

    /// Returns the words for the form in reports.
    pub fn expected(&self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Id => "a non-empty string",
            Self::Boolean => "`true` or `false`",
            Self::Integer => "an integer",
            Self::Fraction => "a number from 0 to 1",
            Self::Moment => "a date and time such as `2026-07-28T12:00:00Z`",
            Self::OneOf(_, names) => names,
            Self::Array(_) => "an array",
            Self::Object | Self::Record(_) | Self::Schema(_) | Self::Properties => "an object",
        }
    }
}

/// Returns the members of a primitive of this kind. The first one is its id.
pub(crate) fn members(kind: Kind) -> &'static [Property] {
    match kind {
        Kind::Tool => TOOL,
        Kind::Resource => RESOURCE,
        Kind::Template => TEMPLATE,
        Kind::Prompt => PROMPT,
        Kind::Skill => SKILL,
    }
}

/// Returns the member with the id of a primitive of this kind.
pub(crate) fn id(kind: Kind) -> &'static [Property] {
    members(kind).get(..1).unwrap_or_default()
}

const fn required(key: &'static str, form: Form) -> Property {
    Property { key, form, required: true }
}

const fn optional(key: &'static str, form: Form) -> Property {
    Property { key, form, required: false }
}

const TOOL: &[Property] = &[
    required("name", Form::Id),
    optional("title", Form::Text),
    optional("description", Form::Text),
    required("inputSchema", Form::Schema(true)),
    optional("annotations", Form::Record(TOOL_ANNOTATIONS)),
    META,
    optional(OUTPUT_SCHEMA, Form::Schema(false)),
    optional("execution", Form::Record(EXECUTION)),
    ICONS,
];

const RESOURCE: &[Property] = &[
    required("uri", Form::Id),
    required("name", Form::Text),
    optional("title", Form::Text),
    optional("description", Form::Text),
    optional("mimeType", Form::Text),
    optional("size", Form::Integer),
    optional("annotations", Form::Record(ANNOTATIONS)),
    ICONS,
    META,
];

const TEMPLATE: &[Property] = &[
    required("uriTemplate", Form::Id),
    required("name", Form::Text),
    optional("title", Form::Text),
    optional("description", Form::Text),
    optional("mimeType", Form::Text),
    optional("annotations", Form::Record(ANNOTATIONS)),
    ICONS,
    META,
];

const PROMPT: &[Property] = &[
    required("name", Form::Id),
    optional("title", Form::Text),
    optional("description", Form::Text),
    optional("arguments", Form::Array(&Form::Record(ARGUMENT))),
    ICONS,
    META,
];

/// A skill of the extension `io.modelcontextprotocol/skills`. Its files are validated separately, together with its
/// name.
const SKILL: &[Property] =
    &[required("uri", Form::Id), required("frontmatter", Form::Record(FRONTMATTER)), META];

const FRONTMATTER: &[Property] = &[required("name", Form::Id), required("description", Form::Text)];

/// The member of a tool with the schema of its output, which is the only one that a tool can do without.
pub(crate) const OUTPUT_SCHEMA: &str = "outputSchema";

const META: Property = optional("_meta", Form::Object);
const ICONS: Property = optional("icons", Form::Array(&Form::Record(ICON)));

const ICON: &[Property] = &[
    required("src", Form::Text),
    optional("mimeType", Form::Text),
    optional("sizes", Form::Array(&Form::Text)),
    optional("theme", Form::OneOf(&["light", "dark"], "`light` or `dark`")),
];

const TOOL_ANNOTATIONS: &[Property] = &[
    optional("title", Form::Text),
    optional("readOnlyHint", Form::Boolean),
    optional("destructiveHint", Form::Boolean),
    optional("idempotentHint", Form::Boolean),
    optional("openWorldHint", Form::Boolean),
];

const ANNOTATIONS: &[Property] = &[
    optional("audience", Form::Array(&Form::OneOf(&["user", "assistant"], "`user` or `assistant`"))),
    optional("priority", Form::Fraction),
    optional("lastModified", Form::Moment),
];

const EXECUTION: &[Property] = &[optional(
    "taskSupport",
    Form::OneOf(&["forbidden", "optional", "required"], "`forbidden`, `optional` or `required`"),
)];

const ARGUMENT: &[Property] = &[
    required("name", Form::Text),
    optional("title", Form::Text),
    optional("description", Form::Text),
    optional("required", Form::Boolean),
];

/// The members of a JSON Schema that revision 2025-11-25 defines. For the schema of a tool's output, revision
/// 2026-07-28 defines only `$schema`.
pub(crate) const JSON_SCHEMA: &[Property] = &[
    optional("$schema", Form::Text),
    optional("type", Form::OneOf(&["object"], "`object`")),
    optional("properties", Form::Properties),
    optional("required", Form::Array(&Form::Text)),
];
/// The index of `type` in that table.
pub(crate) const TYPE: usize = 1;
