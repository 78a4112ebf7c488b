//! The finding type of the lints, with a stable code for each kind.

use std::fmt;

/// A problem that the lints found in a configuration or a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind of the problem.
    pub flaw: Flaw,
    /// The path of a member of the file, such as `rules[3].match`, or `catalog` for a problem in the lists of servers.
    pub place: String,
    /// The description of the problem.
    pub message: String,
    /// The suggested correction.
    pub meant: Option<String>,
}

/// The kinds of finding. [`Flaw::code`] never changes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flaw {
    /// A rule that matches nothing.
    DeadRule,
    /// A rule that has a condition but no effect.
    EmptyRule,
    /// A rule whose effect other rules already have, undo or replace.
    ShadowedRule,
    /// A term of a rule that matches only what later rules assign.
    RuleOrder,
    /// A condition whose parts exclude each other.
    Contradiction,
    /// A term with a name that does not exist.
    UnknownName,
    /// A policy that shows no primitive to any caller.
    DeadPolicy,
    /// A condition for the tools of every disclosure mode that matches no tool.
    DeadAlways,
    /// A name that is allowed in one place and denied in another.
    AllowAndDeny,
    /// A group that is used but not declared.
    UndeclaredGroup,
    /// A tag that is used but not declared.
    UndeclaredTag,
    /// A concern that is mapped but not declared.
    UndeclaredConcern,
    /// A value that its concern does not declare.
    UndeclaredValue,
    /// A declared group without members.
    UnusedGroup,
    /// A declared tag that no primitive has.
    UnusedTag,
    /// A declared concern that no primitive is mapped to.
    UnusedConcern,
    /// A pinned primitive that a rule hides or a preset excludes.
    PinnedHidden,
    /// A rule that binds arguments and matches something other than a tool.
    BoundKind,
    /// A value of a concern that leaves no primitive of a kind to a caller that chooses it.
    ValueHides,
    /// A preset that restricts nothing.
    EmptyPreset,
    /// A default that leaves no primitive of a kind to a caller that takes it.
    DefaultHides,
    /// A primitive that the catalog left out or read in part, or that a policy could not evaluate.
    LeftOut,
    /// Primitives that were repaired, for the operator's information. Nothing is lost, and no configuration can prevent
    /// it.
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
    /// Passed methods that bypass mandatory middleware chains.
    PassedChains,
    /// Tool names that are too long for hosts.
    LongName,
    /// Tool names with characters that hosts reject.
    OddName,
    /// A tool with the name of a discovery tool.
    DiscoveryName,
    /// A server without a prefix beside servers with one.
    UnprefixedServer,
    /// Names of different servers that look alike.
    LookalikeName,
    /// A primitive that is listed under the prefix of its server because of another server, for the operator's
    /// information.
    Prefixed,
    /// A server that receives the access tokens that callers send to this gateway.
    TokenPassthrough,
    /// A credential that is sent to another machine without encryption.
    PlainCredential,
    /// A credential of several servers.
    SharedCredential,
    /// A policy or preset that decides by what callers write themselves.
    CallerWritten,
    /// A policy on what servers write themselves, for several servers.
    ServerWritten,
    /// Conditions on URIs where resources that no list mentions can be read.
    UnlistedUris,
    /// A gateway that accepts requests of every web page.
    AnyOrigin,
    /// A local server whose package has no exact version.
    UnpinnedPackage,
    /// A primitive with a member that occurs twice in one object.
    RepeatedMember,
    /// An acknowledgement of a finding that does not exist.
    UnusedAcknowledgement,
}

impl Flaw {
    /// The findings of a review: what may be intended, so that the file can acknowledge it. An open gateway is accepted
    /// where it is deployed, by `--public`.
    pub const REVIEW: [Self; 12] = [
        Self::PassedChains,
        Self::TokenPassthrough,
        Self::PlainCredential,
        Self::SharedCredential,
        Self::CallerWritten,
        Self::ServerWritten,
        Self::UnlistedUris,
        Self::AnyOrigin,
        Self::UnpinnedPackage,
        Self::RepeatedMember,
        Self::UnprefixedServer,
        Self::LookalikeName,
    ];

    /// Returns whether only the lists of servers show a finding of this kind.
    pub(super) const fn reads_lists(self) -> bool {
        matches!(self, Self::RepeatedMember | Self::LookalikeName)
    }

    /// Returns the stable code of the kind.
    pub const fn code(self) -> &'static str {
        match self {
            Self::DeadRule => "dead_rule",
            Self::EmptyRule => "empty_rule",
            Self::ShadowedRule => "shadowed_rule",
            Self::RuleOrder => "rule_order",
            Self::Contradiction => "contradiction",
            Self::UnknownName => "unknown_name",
            Self::DeadPolicy => "dead_policy",
            Self::DeadAlways => "dead_always",
            Self::AllowAndDeny => "allow_and_deny",
            Self::UndeclaredGroup => "undeclared_group",
            Self::UndeclaredTag => "undeclared_tag",
            Self::UndeclaredConcern => "undeclared_concern",
            Self::UndeclaredValue => "undeclared_value",
            Self::UnusedGroup => "unused_group",
            Self::UnusedTag => "unused_tag",
            Self::UnusedConcern => "unused_concern",
            Self::PinnedHidden => "pinned_hidden",
            Self::BoundKind => "bound_kind",
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
            Self::OddName => "odd_name",
            Self::DiscoveryName => "discovery_name",
            Self::UnprefixedServer => "unprefixed_server",
            Self::LookalikeName => "lookalike_name",
            Self::Prefixed => "prefixed",
            Self::TokenPassthrough => "token_passthrough",
            Self::PlainCredential => "plain_credential",
            Self::SharedCredential => "shared_credential",
            Self::CallerWritten => "caller_written",
            Self::ServerWritten => "server_written",
            Self::UnlistedUris => "unlisted_uris",
            Self::AnyOrigin => "any_origin",
            Self::UnpinnedPackage => "unpinned_package",
            Self::RepeatedMember => "repeated_member",
            Self::UnusedAcknowledgement => "unused_acknowledgement",
        }
    }
}

impl Finding {
    /// Returns a finding at a place in the configuration, without a suggestion.
    pub fn new(flaw: Flaw, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { flaw, place: place.into(), message: message.into(), meant: None }
    }

    pub(super) fn meant(mut self, meant: Option<impl Into<String>>) -> Self {
        self.meant = meant.map(Into::into);
        self
    }
}

impl fmt::Display for Finding {
    /// Writes a line such as ``rules[0].match: nothing carries the tag `stabel` (did you mean `stable`?)``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)?;
        match &self.meant {
            Some(meant) => write!(f, " (did you mean `{meant}`?)"),
            None => Ok(()),
        }
    }
}
