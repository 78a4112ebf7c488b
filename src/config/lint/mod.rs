//! What an operator probably did not mean: rules and policies that do nothing, names that nothing goes by,
//! vocabulary that is used and not declared or declared and not used.
//!
//! A [`Finding`] is never an error: whatever is found, the configuration is served as it is written.

mod contradiction;
mod defaults;
mod facets;
mod filter;
mod names;
mod open;
mod policies;
mod presets;
mod rules;
mod survey;
mod terms;

pub use filter::lint_filter;
pub(super) use survey::may_be;

use std::fmt;

use super::{Config, history::ByPath};
use crate::catalog::{Report, ReportCode, Source};
use survey::Survey;

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
    /// A policy that shows nothing to anybody.
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
    /// A value of a concern that leaves nothing of a kind to whoever asks for it.
    ValueHides,
    /// A preset that bounds nothing.
    EmptyPreset,
    /// A default that leaves nothing of a kind to whoever takes it.
    DefaultHides,
    /// A primitive that was left out, of which something was ignored, or that a policy could not judge.
    LeftOut,
    /// Primitives that were repaired. Nothing is lost, and no configuration mends it: information for the operator.
    Repaired,
    /// A filter that selects nothing.
    DeadFilter,
    /// A part of a filter that has no effect.
    IgnoredField,
    /// A gateway that uses the operator's credentials for every caller.
    OpenGateway,
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
            Self::DeadFilter => "dead_filter",
            Self::IgnoredField => "ignored_field",
            Self::OpenGateway => "open_gateway",
        }
    }
}

impl Finding {
    fn new(flaw: Flaw, place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { flaw, place: place.into(), message: message.into(), meant: None }
    }

    fn meant(mut self, meant: Option<impl Into<String>>) -> Self {
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

/// Looks a configuration over, in the order of its members. With what the servers listed, every rule is
/// tried on every primitive; without, only what the file says of itself is judged.
///
/// Time grows with the rules times the primitives, and once more with the rules that a primitive meets.
pub fn lint(config: &Config, sources: Option<&[Source<'_>]>) -> Vec<Finding> {
    let catalog = sources.map(|sources| config.compile(sources));
    let survey = sources.zip(catalog.as_ref()).map(|(sources, catalog)| Survey::of(config, sources, catalog));
    let mut findings = Vec::new();
    rules::judge(config, survey.as_ref(), &mut findings);
    policies::judge(config, survey.as_ref(), &mut findings);
    presets::judge(config, catalog.as_ref(), &mut findings);
    facets::judge(config, survey.as_ref(), &mut findings);
    names::judge(config, sources.is_some(), &mut findings);
    open::judge(config, &mut findings);
    if let Some(catalog) = catalog {
        defaults::judge(config, &catalog, &mut findings);
        let told = |report: &Report| {
            let message = format!("{} `{}`: {}", report.kind, report.name, report.problem);
            let flaw = if report.code == ReportCode::Repaired { Flaw::Repaired } else { Flaw::LeftOut };
            Finding::new(flaw, "catalog", message)
        };
        findings.extend(catalog.reports().iter().map(told));
        // What policies cannot judge shows when a caller is served.
        let guarded = config.guard(catalog);
        guarded.view(&ByPath(""));
        findings.extend(guarded.reports().iter().map(told));
    }
    findings
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{catalog::Lists, policy::MAX_READ};

    #[test]
    fn what_a_policy_cannot_judge_is_found() {
        let config = Config::parse(r#"{"policies": [{"name": "short", "show": "description:a*"}]}"#).unwrap();
        let tool = |length: usize| {
            let description = "a".repeat(length);
            let lists = format!(
                r#"{{"tools": [{{"name": "t", "inputSchema": {{"type": "object"}}, "description": "{description}"}}]}}"#
            );
            let sources = [Source { server: "s", lists: Lists::read(&lists).unwrap() }];
            lint(&config, Some(&sources)).iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(tool(MAX_READ), [""; 0]);
        let message = "catalog: tool `t`: policy `short`: it has more than 262144 bytes to read, hidden";
        assert_eq!(tool(MAX_READ + 1), [message]);
    }
}
