use std::fmt;

/// Something that deserves a look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub flaw: Flaw,
    /// The member of the file, `rules[3].match`; `catalog` for what the servers say.
    pub place: String,
    /// What is so, in words.
    pub message: String,
    /// What was probably meant.
    pub meant: Option<String>,
}

/// The kinds of finding. [`Flaw::code`] never changes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A rule that matches nothing.
    DeadRule,
    /// A rule that says what to match and not what to do.
    EmptyRule,
    /// A rule without which everything would be the same, because of other rules.
    ShadowedRule,
    /// A term of a rule that only holds for what later rules give.
    RuleOrder,
    /// A condition whose parts exclude each other.
    Contradiction,
    /// A term that names what is not there.
    UnknownName,
    /// A policy that shows nothing to any caller.
    DeadPolicy,
    /// A name that is shown in one place and refused in another.
    AllowAndDeny,
    /// A group that is used and not declared.
    UndeclaredGroup,
    /// A tag that is used and not declared.
    UndeclaredTag,
    /// A concern that is mapped and not declared.
    UndeclaredConcern,
    /// A value that its concern does not declare.
    UndeclaredValue,
    /// A declared group that nothing is in.
    UnusedGroup,
    /// A declared tag that nothing carries.
    UnusedTag,
    /// A declared concern that nothing is mapped to.
    UnusedConcern,
    /// Something pinned that another rule hides, or a preset leaves out.
    PinnedHidden,
    /// A value of a concern that leaves nothing of a kind to a caller that chooses it.
    ValueHides,
    /// A preset that bounds nothing.
    EmptyPreset,
    /// A default that leaves nothing of a kind to a caller that takes it.
    DefaultHides,
    /// A primitive that was left out, of which something was ignored, or that a policy could not judge.
    LeftOut,
    /// Primitives that were repaired. Nothing is lost, and no configuration mends it: information for the operator.
    Repaired,
    /// A primitive that the two revisions of a server define differently, for the operator's information.
    Differs,
    /// A group, tag or concern of a server that was left out or changed.
    Declaration,
    /// A filter that selects nothing.
    DeadFilter,
    /// A part of a filter that has no effect.
    IgnoredField,
    /// A gateway that uses the operator's credentials for every caller.
    OpenGateway,
    /// Passed methods that go around mandatory middleware chains.
    PassedChains,
    /// Tools with names that hosts refuse.
    LongName,
    /// A tool with the name of a discovery tool.
    DiscoveryName,
}

impl Flaw {
    /// The stable token.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DeadRule => "dead_rule",
            Self::EmptyRule => "empty_rule",
            Self::ShadowedRule => "shadowed_rule",
            Self::RuleOrder => "rule_order",
            Self::Contradiction => "contradiction",
            Self::UnknownName => "unknown_name",
            Self::DeadPolicy => "dead_policy",
            Self::AllowAndDeny => "allow_and_deny",
            Self::UndeclaredGroup => "undeclared_group",
            Self::UndeclaredTag => "undeclared_tag",
            Self::UndeclaredConcern => "undeclared_concern",
            Self::UndeclaredValue => "undeclared_value",
            Self::UnusedGroup => "unused_group",
            Self::UnusedTag => "unused_tag",
            Self::UnusedConcern => "unused_concern",
            Self::PinnedHidden => "pinned_hidden",
            Self::ValueHides => "value_hides",
            Self::EmptyPreset => "empty_preset",
            Self::DefaultHides => "default_hides",
            Self::LeftOut => "left_out",
            Self::Repaired => "repaired",
            Self::Differs => "differs",
            Self::Declaration => "declaration",
            Self::DeadFilter => "dead_filter",
            Self::IgnoredField => "ignored_field",
            Self::OpenGateway => "open_gateway",
            Self::PassedChains => "passed_chains",
            Self::LongName => "long_name",
            Self::DiscoveryName => "discovery_name",
        }
    }
}

impl Finding {
    pub(crate) fn new(flaw: Flaw, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { flaw, place: place.into(), message: message.into(), meant: None }
    }

    pub(super) fn meant(mut self, meant: Option<impl Into<String>>) -> Self {
        self.meant = meant.map(Into::into);
        self
    }
}

impl fmt::Display for Finding {
    /// `rules[0].match: nothing carries the tag `stabel` (did you mean `stable`?)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        match &self.meant {
            Some(meant) => write!(f, " (did you mean `{meant}`?)"),
            None => Ok(()),
        }
    }
}
