use jsonc_parser::ParseOptions;
use serde::Deserialize;
use serde_json::Value;

use super::settings::{Config, Filtering, Identity, PAGE_SIZE, Upstream, positive};
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
        let value: Value = jsonc_parser::parse_to_serde_value(source, &JSONC).map_err(|error| {
            let words = error.kind().to_string();
            let mut chars = words.chars();
            let first = chars.next().map(|first| first.to_ascii_lowercase()).unwrap_or_default();
            let message = format!("not JSON: {first}{}", chars.as_str());
            Error::new(ErrorKind::Json, message).at_byte(error.range().start)
        })?;
        check_objects(&value)?;
        let file: File = serde_path_to_error::deserialize(value).map_err(|error| {
            let path = error.path().to_string();
            let refused = Error::new(ErrorKind::Config, error.into_inner().to_string());
            if path == "." { refused } else { refused.field(path) }
        })?;
        file.check()
    }
}

/// JSON with comments and trailing commas, as editors know it; the parser would take JSON5 too.
const JSONC: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Refuses arrays where objects belong: to serde a list of its members' values is a struct too.
fn check_objects(file: &Value) -> Result<(), Error> {
    let object = |value: &Value| value.is_object().then_some(()).ok_or("expected an object".to_owned());
    object(file).map_err(|message| Error::new(ErrorKind::Config, message))?;
    for field in ["server", "filtering", "upstream"] {
        file.get(field).map_or(Ok(()), object).map_err(|message| refusal(field.to_owned(), message))?;
    }
    for field in ["groups", "tags", "concerns", "rules", "policies"] {
        for (at, value) in file.get(field).and_then(Value::as_array).into_iter().flatten().enumerate() {
            object(value).map_err(|message| refusal(format!("{field}[{at}]"), message))?;
        }
    }
    Ok(())
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
    #[serde(deserialize_with = "positive")]
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
