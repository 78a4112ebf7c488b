//! The kinds of primitives, with their list methods and JSON keys.

use std::fmt;

/// The kinds of primitive a catalog holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// `tools/list`, `tools/call`.
    Tool,
    /// `resources/list`, `resources/read`.
    Resource,
    /// `resources/templates/list`.
    Template,
    /// `prompts/list`, `prompts/get`.
    Prompt,
    /// `skills/list`, `skills/get`: the extension `io.modelcontextprotocol/skills` (SEP-2640).
    Skill,
}

/// The names of a kind.
struct Row {
    name: &'static str,
    list_key: &'static str,
    list_method: &'static str,
    id_key: &'static str,
}

const fn row(
    name: &'static str,
    list_key: &'static str,
    list_method: &'static str,
    id_key: &'static str,
) -> Row {
    Row { name, list_key, list_method, id_key }
}

const ROWS: ByKind<Row> = [
    row("tool", "tools", "tools/list", "name"),
    row("resource", "resources", "resources/list", "uri"),
    row("template", "resourceTemplates", "resources/templates/list", "uriTemplate"),
    row("prompt", "prompts", "prompts/list", "name"),
    row("skill", "skills", "skills/list", "uri"),
];

/// A value for each kind, in the order of [`Kind::ALL`].
pub type ByKind<T> = [T; Kind::COUNT];

impl Kind {
    /// All kinds, in the order in which a catalog stores them.
    pub const ALL: [Self; 5] = [Self::Tool, Self::Resource, Self::Template, Self::Prompt, Self::Skill];
    /// The number of kinds.
    pub const COUNT: usize = Self::ALL.len();

    /// Returns the value of this kind.
    pub const fn of<T>(self, values: &ByKind<T>) -> &T {
        let [tools, resources, templates, prompts, skills] = values;
        match self {
            Self::Tool => tools,
            Self::Resource => resources,
            Self::Template => templates,
            Self::Prompt => prompts,
            Self::Skill => skills,
        }
    }

    /// Returns a mutable reference to the value of this kind.
    pub(crate) const fn of_mut<T>(self, values: &mut ByKind<T>) -> &mut T {
        let [tools, resources, templates, prompts, skills] = values;
        match self {
            Self::Tool => tools,
            Self::Resource => resources,
            Self::Template => templates,
            Self::Prompt => prompts,
            Self::Skill => skills,
        }
    }

    /// Returns the member of a list result that holds the primitives, such as `tools`.
    pub const fn list_key(self) -> &'static str {
        self.of(&ROWS).list_key
    }

    /// Returns the method that lists the primitives, such as `tools/list`.
    pub const fn list_method(self) -> &'static str {
        self.of(&ROWS).list_method
    }

    /// Returns the member that identifies a primitive: `name`, `uri` or `uriTemplate`.
    pub const fn id_key(self) -> &'static str {
        self.of(&ROWS).id_key
    }

    /// Returns the kind with this [`Kind::list_key`].
    pub fn from_list_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.list_key() == key)
    }

    /// Returns the kind with this [`Kind::name`].
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the value of `kind:` in expressions, such as `tool`.
    pub const fn name(self) -> &'static str {
        self.of(&ROWS).name
    }

    /// Returns whether the id of a primitive is a name rather than a URI.
    pub const fn is_named(self) -> bool {
        matches!(self, Self::Tool | Self::Prompt)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
