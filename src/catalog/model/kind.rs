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
}

impl Kind {
    /// All kinds, in the order in which a catalog stores them.
    pub const ALL: [Self; 4] = [Self::Tool, Self::Resource, Self::Template, Self::Prompt];

    /// Returns the member of a list result that holds the primitives, such as `tools`.
    pub const fn list_key(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Resource => "resources",
            Self::Template => "resourceTemplates",
            Self::Prompt => "prompts",
        }
    }

    /// Returns the method that lists the primitives, such as `tools/list`.
    pub const fn list_method(self) -> &'static str {
        match self {
            Self::Tool => "tools/list",
            Self::Resource => "resources/list",
            Self::Template => "resources/templates/list",
            Self::Prompt => "prompts/list",
        }
    }

    /// Returns the member that identifies a primitive: `name`, `uri` or `uriTemplate`.
    pub const fn id_key(self) -> &'static str {
        match self {
            Self::Tool | Self::Prompt => "name",
            Self::Resource => "uri",
            Self::Template => "uriTemplate",
        }
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
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Template => "template",
            Self::Prompt => "prompt",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
