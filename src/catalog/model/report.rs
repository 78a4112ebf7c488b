use super::kind::Kind;

/// Maximum number of reports on the lists of one server, and as many again on its primitives of each kind that have the
/// names of others or bad memberships. One more says how many others there are.
pub const MAX_REPORTS: usize = 128;
/// Maximum length, in bytes, of the name in a report, and of its problem. Longer ones are cut off.
pub const MAX_REPORT_TEXT: usize = 512;

/// A problem that was found while a catalog was compiled or policies were evaluated.
#[non_exhaustive]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The kind of problem.
    pub code: ReportCode,
    /// The kind of the primitive.
    pub kind: Kind,
    /// The primitive's name, or its place in the list (`#3`) when it has none; for a whole list its member (`tools`).
    pub name: String,
    /// The problem and what was done about it, in words.
    pub problem: String,
}

/// The kinds of report. [`ReportCode::name`] never changes.
#[non_exhaustive]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReportCode {
    /// Primitives that the protocol's schema rejects and that were repaired, so that nothing was lost. One report for
    /// each server, on the first of them.
    Repaired,
    /// A primitive that was left out, because the protocol's schema rejects it.
    Invalid,
    /// A tool that callers of older revisions than 2026-07-28 are not shown, because their schema rejects it.
    Modern,
    /// A primitive that its server lists a second time.
    Repeated,
    /// A primitive that was left out, because another has its name.
    NameTaken,
    /// Groups, tags or concerns that were ignored.
    Membership,
    /// A primitive that its server defines differently by revision, or by what clients are capable of. Clients are shown
    /// one of the definitions.
    Differs,
    /// A primitive that says wrongly which capabilities it requires of clients.
    Requirement,
    /// A tool that was left out, because it says wrongly which of its arguments go into headers.
    HeaderMark,
    /// A primitive that a policy could not judge.
    Undecided,
    /// The number of reports that were not kept.
    More,
}

impl ReportCode {
    /// In the order of their numbers.
    pub(crate) const ALL: [Self; 11] = [
        Self::Repaired,
        Self::Invalid,
        Self::Modern,
        Self::Repeated,
        Self::NameTaken,
        Self::Membership,
        Self::Differs,
        Self::Requirement,
        Self::HeaderMark,
        Self::Undecided,
        Self::More,
    ];

    /// Returns the stable code.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Repaired => "repaired",
            Self::Invalid => "invalid",
            Self::Modern => "modern",
            Self::Repeated => "repeated",
            Self::NameTaken => "name_taken",
            Self::Membership => "membership",
            Self::Differs => "differs",
            Self::Requirement => "required_capabilities",
            Self::HeaderMark => "header_mark",
            Self::Undecided => "undecided",
            Self::More => "more",
        }
    }
}

impl Report {
    /// A report whose texts are no longer than [`MAX_REPORT_TEXT`].
    pub(crate) fn new(code: ReportCode, kind: Kind, name: &str, problem: &str) -> Self {
        Self { code, kind, name: cut(name), problem: cut(problem) }
    }
}

fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_REPORT_TEXT)).unwrap_or_default().to_owned()
}

/// No more than [`MAX_REPORTS`] reports, and how many others there are.
#[derive(Debug, Default)]
pub(crate) struct Reports {
    kept: Vec<Report>,
    dropped: usize,
}

impl Reports {
    pub fn add(&mut self, code: ReportCode, kind: Kind, name: &str, problem: &str) {
        if self.kept.len() < MAX_REPORTS {
            self.kept.push(Report::new(code, kind, name, problem));
        } else {
            self.dropped += 1;
        }
    }

    /// Adds all of them to `reports`, the one on how many there are as one on `kind`.
    pub fn end(mut self, kind: Kind, reports: &mut Vec<Report>) {
        reports.append(&mut self.kept);
        if self.dropped > 0 {
            let problem = format!("{} more reports are not shown", self.dropped);
            reports.push(Report::new(ReportCode::More, kind, kind.list_key(), &problem));
        }
    }
}
