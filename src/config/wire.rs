use super::settings::{Config, Filtering, Identity, Upstream, positive};
use crate::{
    catalog::{Group, Names, Rule, Tag, check_parents},
    concern::{Concern, Concerns, OnInvalid},
    error::{Error, ErrorKind},
    json::{Entry, Raw, without_comments},
    policy::Policy,
};

/// The members of the file.
const KNOWN: [&str; 15] = [
    "$schema",
    "server",
    "groups",
    "tags",
    "concerns",
    "rules",
    "policies",
    "exposeConcerns",
    "onInvalidConcern",
    "filtering",
    "pageSize",
    "enforce",
    "origins",
    "hosts",
    "upstream",
];

impl Config {
    /// Reads `sieve.jsonc`: JSON with comments and trailing commas.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the byte, for text that is not JSON; [`ErrorKind::Config`] with the path
    /// of the member, for one that contradicts the schema or itself.
    pub fn parse(source: &str) -> Result<Self, Error> {
        let source = without_comments(source)?;
        let mut file = Entry::root(Raw::parse(&source)?).record(&KNOWN)?;
        let mut config = Self::default();
        let (mut schema, mut concerns) = (String::new(), Vec::new());
        let assignments = &mut config.assignments;
        file.fill("$schema", &mut schema, Entry::text);
        file.fill("server", &mut config.server, Identity::read);
        file.fill("groups", &mut assignments.groups, |entry| entry.list(Group::read));
        file.fill("tags", &mut assignments.tags, |entry| entry.list(Tag::read));
        file.fill("concerns", &mut concerns, |entry| entry.list(Concern::read));
        file.fill("rules", &mut assignments.rules, |entry| entry.list(Rule::read));
        file.fill("policies", &mut config.policies, |entry| entry.list(Policy::read));
        file.fill("exposeConcerns", &mut assignments.expose_concerns, Entry::flag);
        file.fill("onInvalidConcern", &mut config.on_invalid_concern, OnInvalid::read);
        file.fill("filtering", &mut config.filtering, Filtering::read);
        file.fill("pageSize", &mut config.page_size, positive);
        file.fill("enforce", &mut config.enforce, Entry::flag);
        file.fill("origins", &mut config.origins, Entry::texts);
        file.fill("hosts", &mut config.hosts, Entry::texts);
        file.fill("upstream", &mut config.upstream, Upstream::read);
        file.end()?;
        config.check()?;
        config.concerns = Concerns::new(concerns)?;
        Ok(config)
    }

    /// What its members do not say one by one.
    fn check(&self) -> Result<(), Error> {
        unique("groups", self.assignments.groups.iter().map(|group| group.name.as_str()))?;
        check_parents(&self.assignments.groups)?;
        unique("tags", self.assignments.tags.iter().map(|tag| tag.name.as_str()))?;
        for (at, rule) in self.assignments.rules.iter().enumerate() {
            if let Some(field) = rule.matches.reads_caller() {
                let message = format!("`{field}` reads the caller, which only policies can");
                return Err(refusal(format!("rules[{at}].match"), message));
            }
        }
        Ok(())
    }
}

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut known = Names::default();
    for (at, name) in names.enumerate() {
        // A name that is known already has an earlier place.
        if known.intern(name) < at {
            return Err(refusal(format!("{field}[{at}]"), format!("`{name}` is declared twice")));
        }
    }
    Ok(())
}

fn refusal(field: String, message: String) -> Error {
    Error::new(ErrorKind::Config, message).field(field)
}
