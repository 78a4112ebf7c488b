use serde::Deserialize;

use super::settings::{Config, Filtering, Identity, PAGE_SIZE, Upstream};
use crate::{
    catalog::{Assignments, Group, Rule, Tag},
    concern::{Concern, Concerns, OnInvalid},
    error::{Error, ErrorKind},
    policy::Policy,
};

impl Config {
    /// Reads `sieve.jsonc`: JSON with comments and trailing commas.
    ///
    /// # Errors
    /// [`ErrorKind::Json`] with the byte, for text that is not JSON; [`ErrorKind::Config`] with the path
    /// of the member, for one that contradicts the schema or itself.
    pub fn parse(source: &str) -> Result<Self, Error> {
        crate::json::check_depth(source.as_bytes())?;
        let options = jsonc_parser::ParseOptions::default();
        let value: serde_json::Value =
            jsonc_parser::parse_to_serde_value(source, &options).map_err(|error| {
                let message = format!("not JSON: {}", error.kind());
                Error::new(ErrorKind::Json, message).at_byte(error.range().start)
            })?;
        let file: File = serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let refused = Error::new(ErrorKind::Config, error.into_inner().to_string());
            if path == "." { refused } else { refused.field(path) }
        })?;
        file.check()
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct File {
    #[serde(rename = "$schema")]
    _schema: String,
    server: Identity,
    groups: Vec<Group>,
    tags: Vec<Tag>,
    concerns: Vec<Concern>,
    rules: Vec<Rule>,
    policies: Vec<Policy>,
    expose_concerns: bool,
    on_invalid_concern: OnInvalid,
    filtering: Filtering,
    page_size: usize,
    enforce: bool,
    origins: Vec<String>,
    upstream: Upstream,
}

impl Default for File {
    fn default() -> Self {
        Self {
            _schema: String::new(),
            server: Identity::default(),
            groups: Vec::new(),
            tags: Vec::new(),
            concerns: Vec::new(),
            rules: Vec::new(),
            policies: Vec::new(),
            expose_concerns: false,
            on_invalid_concern: OnInvalid::default(),
            filtering: Filtering::default(),
            page_size: PAGE_SIZE,
            enforce: false,
            origins: Vec::new(),
            upstream: Upstream::default(),
        }
    }
}

impl File {
    /// What the types alone do not say.
    fn check(self) -> Result<Config, Error> {
        unique("groups", self.groups.iter().map(|group| group.name.as_str()))?;
        unique("tags", self.tags.iter().map(|tag| tag.name.as_str()))?;
        for (at, rule) in self.rules.iter().enumerate() {
            if let Some(term) = rule.matches.terms().into_iter().find(|term| term.field().reads_caller()) {
                let message = format!("`{}` reads the caller, which only policies can", term.field());
                return Err(refusal(format!("rules[{at}].match"), message));
            }
        }
        let Upstream { timeout_ms, max_pages, .. } = self.upstream;
        for (field, value) in [
            ("pageSize", self.page_size as u64),
            ("upstream.timeoutMs", timeout_ms),
            ("upstream.maxPages", max_pages as u64),
        ] {
            if value == 0 {
                return Err(refusal(field.to_owned(), "expected at least 1".to_owned()));
            }
        }
        Ok(Config {
            server: self.server,
            assignments: Assignments {
                groups: self.groups,
                tags: self.tags,
                rules: self.rules,
                expose_concerns: self.expose_concerns,
            },
            concerns: Concerns::new(self.concerns)?,
            on_invalid_concern: self.on_invalid_concern,
            policies: self.policies,
            filtering: self.filtering,
            page_size: self.page_size,
            enforce: self.enforce,
            origins: self.origins,
            upstream: self.upstream,
        })
    }
}

fn unique<'a>(field: &str, names: impl Iterator<Item = &'a str>) -> Result<(), Error> {
    let mut known = std::collections::BTreeSet::new();
    for (at, name) in names.enumerate() {
        if !known.insert(name) {
            return Err(refusal(format!("{field}[{at}]"), format!("`{name}` is declared twice")));
        }
    }
    Ok(())
}

fn refusal(field: String, message: String) -> Error {
    Error::new(ErrorKind::Config, message).field(field)
}
