//! Reports about problems with lists, found when a catalog is compiled or policies are evaluated.

use super::kind::Kind;

impl Report {
    /// Maximum number of reports on the lists of one server, and on its primitives of each kind that have taken names
    /// or bad memberships. One more report has the number of omitted ones.
    pub const MAX_REPORTS: usize = 128;

    /// Maximum length, in bytes, of the name in a report, and of its problem. Longer texts are truncated.
    pub const MAX_TEXT: usize = 512;
}

/// A problem that was found while a catalog was compiled or policies were evaluated.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The kind of problem.
    pub code: ReportCode,
    /// The kind of the primitive.
    pub kind: Kind,
    /// The primitive's name, or its position in the list (`#3`) if it has none. For a whole list, its member (`tools`).
    pub name: String,
    /// A description of the problem and of its effect.
    pub problem: String,
}

/// The kinds of report. [`ReportCode::name`] never changes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportCode {
    /// Primitives that the protocol's schema rejects and that were repaired without loss: one report for each server, on
    /// the first of them. And each tool that is listed without its output schema, which the protocol's schema rejects.
    Repaired,
    /// A primitive that was left out, because the protocol's schema rejects it.
    Invalid,
    /// A tool that clients of revisions before 2026-07-28 get without its output schema, because they reject that.
    Modern,
    /// A primitive that its server lists a second time.
    Repeated,
    /// A primitive that was left out, because another has its name.
    NameTaken,
    /// A primitive that is listed under the prefix of its server, because another server has its name.
    Prefixed,
    /// Groups, tags or concerns that were ignored.
    Membership,
    /// A primitive that its server defines differently by revision, or by the capabilities of clients. Clients see one
    /// of the definitions.
    Differs,
    /// A primitive with an invalid declaration of the capabilities that it requires of clients.
    Requirement,
    /// A tool that was left out, because its declaration of arguments for headers is invalid.
    HeaderMark,
    /// A primitive that a policy could not evaluate.
    Undecided,
    /// The number of omitted reports.
    More,
    /// A primitive with a member that occurs twice in one object. Only the last value is read and listed.
    RepeatedMember,
    /// A tool that was left out, because a rule binds a parameter that its schema lacks.
    Binding,
    /// A primitive whose definition the operator has not accepted, or that is gone.
    NotAccepted,
    /// Primitives that a policy in audit mode would hide.
    Audited,
}

impl ReportCode {
    /// All codes, in the order of their numbers.
    pub(crate) const ALL: [Self; 16] = [
        Self::Repaired,
        Self::Invalid,
        Self::Modern,
        Self::Repeated,
        Self::NameTaken,
        Self::Prefixed,
        Self::Membership,
        Self::Differs,
        Self::Requirement,
        Self::HeaderMark,
        Self::Undecided,
        Self::More,
        Self::RepeatedMember,
        Self::Binding,
        Self::NotAccepted,
        Self::Audited,
    ];

    /// Returns the stable code.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::Invalid => "invalid",
            Self::Modern => "modern",
            Self::Repeated => "repeated",
            Self::NameTaken => "name_taken",
            Self::Prefixed => "prefixed",
            Self::Membership => "membership",
            Self::Differs => "differs",
            Self::Requirement => "required_capabilities",
            Self::HeaderMark => "header_mark",
            Self::Undecided => "undecided",
            Self::Audited => "audited",
            Self::More => "more",
            Self::RepeatedMember => "repeated_member",
            Self::Binding => "bound_parameter",
            Self::NotAccepted => "not_accepted",
        }
    }
}

impl Report {
    /// Creates a report whose texts are truncated to [`Report::MAX_TEXT`](crate::catalog::Report::MAX_TEXT).
    pub fn new(code: ReportCode, kind: Kind, name: &str, problem: &str) -> Self {
        Self { code, kind, name: cut(name), problem: cut(problem) }
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(Report::MAX_TEXT)).unwrap_or_default().to_owned()
}

/// At most [`Report::MAX_REPORTS`](crate::catalog::Report::MAX_REPORTS) reports, and the number of omitted ones.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    kept: Vec<Report>,
    dropped: usize,
}

impl Reports {
    pub fn add(&mut self, code: ReportCode, kind: Kind, name: &str, problem: &str) {
        if self.kept.len() < Report::MAX_REPORTS {
            self.kept.push(Report::new(code, kind, name, problem));
        } else {
            self.dropped += 1;
        }
    }

    /// Appends all reports to `reports`, with one on `kind` for the number of omitted ones.
    pub fn end(mut self, kind: Kind, reports: &mut Vec<Report>) {
        reports.append(&mut self.kept);
        if self.dropped > 0 {
            let problem = format!("{} more reports are not shown", self.dropped);
            reports.push(Report::new(ReportCode::More, kind, kind.list_key(), &problem));
        }
    }
}
