//! Validates the groups in `drafts.groups.disclose`.

use mcp_sieve::{Error, ErrorKind, catalog::Group, expr::Expr};

use super::Config;

/// Maximum number of groups that `drafts.groups.disclose` names. All groups of one level fit on one page.
pub const MAX_DISCLOSED_GROUPS: usize = 256;
/// Maximum length of the name of a disclosed group, in bytes.
pub const MAX_DISCLOSED_NAME: usize = 64;

impl Config {
    /// Checks that every disclosed group is declared once, with a name and a description that the draft accepts.
    pub(super) fn check_disclosed_groups(&self) -> Result<(), Error> {
        let disclosed = &self.drafts.disclosed_groups;
        if disclosed.len() > MAX_DISCLOSED_GROUPS {
            let message = format!("expected at most {MAX_DISCLOSED_GROUPS} groups");
            return Err(Error::new(ErrorKind::Config, message).field("drafts.groups.disclose"));
        }
        for (at, name) in disclosed.iter().enumerate() {
            let problem = match disclosed.iter().position(|known| known == name) {
                Some(first) if first < at => Some(format!("`{name}` is named twice")),
                _ => self.disclosure_problem(name),
            };
            if let Some(problem) = problem {
                let field = format!("drafts.groups.disclose[{at}]");
                return Err(Error::new(ErrorKind::Config, problem).field(field));
            }
        }
        Ok(())
    }

    fn disclosure_problem(&self, name: &str) -> Option<String> {
        let groups = &self.engine.assignments.groups;
        let Some(group) = groups.iter().find(|group| group.name == name) else {
            let guess = Expr::nearest(name, &mut groups.iter().map(|group| group.name.as_str()));
            let guess = guess.map(|guess| format!(", did you mean `{guess}`?")).unwrap_or_default();
            return Some(format!("no group `{name}` is declared{guess}"));
        };
        if !is_name(name) {
            return Some(format!(
                "a disclosed group needs a name of at most {MAX_DISCLOSED_NAME} lowercase letters, digits and single \
                 hyphens between them, which `{name}` is not"
            ));
        }
        let Group { description, .. } = group;
        let missing = description.as_deref().is_none_or(|text| text.trim().is_empty());
        missing.then(|| format!("the disclosed group `{name}` needs a description"))
    }
}

/// Returns whether a text is a valid name under the draft: lowercase letters and digits, with single hyphens between
/// them.
fn is_name(name: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    name.len() <= MAX_DISCLOSED_NAME && name.split('-').all(plain)
}
