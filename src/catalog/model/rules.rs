use super::{concern_mapping::ConcernMapping, member_values::concern_values};
use crate::{error::Error, expr::Expr, json::Entry};

/// A named set of primitives (SEP-1300 `Group`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Group {
    /// The name that filters use, matched exactly.
    pub name: String,
    /// The title for people.
    pub title: Option<String>,
    /// The description for people.
    pub description: Option<String>,
    /// The parent groups. Members of this group are members of these too.
    pub parents: Vec<String>,
    /// Members of its `_meta` in `groups/list`, as the text of a JSON object.
    pub meta: Option<String>,
    /// Concern values of its members that have none of their own for that concern (#1936); by name, each
    /// once. A catalog has folded them in, and does not tell them.
    #[doc(hidden)]
    pub concerns: Vec<(String, Vec<String>)>,
}

/// A label of primitives (SEP-1300 `Tag`).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tag {
    /// The name that filters use, matched exactly.
    pub name: String,
    /// The description for people, empty for a tag that the configuration does not declare.
    pub description: String,
    /// Members of its `_meta` in `tags/list`, as the text of a JSON object.
    pub meta: Option<String>,
}

/// What the operator adds to every primitive that an expression picks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Which primitives. Sees their own memberships and those of the rules before it.
    pub matches: Expr,
    /// Groups they join.
    pub groups: Vec<String>,
    /// Tags they get.
    pub tags: Vec<String>,
    /// Concern values they get, in place of what they had for that concern; by name, each once.
    pub concerns: Vec<(String, Vec<String>)>,
    /// Takes them out of the catalog altogether (SEP-1300: a disabled tool).
    pub hide: bool,
    /// No filter leaves them out: what every caller needs, whatever it asks for.
    pub pin: bool,
    /// What they read as, in place of what their server writes.
    pub shown: Shown,
    /// Requests that they answer, in the words of users. Searches read them; no client is shown them.
    pub examples: Vec<String>,
}

/// Maximum number of example requests of one rule.
pub const MAX_EXAMPLES: usize = 64;
/// Maximum length of an example request, in bytes.
pub const MAX_EXAMPLE: usize = 256;

/// Members of a primitive that the operator writes anew; those that are `None` stay the server's.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// The `name`: of a tool or prompt what callers call it by, its server keeps calling it by its own.
    pub name: Option<String>,
    /// The `title`.
    pub title: Option<String>,
    /// The `description`.
    pub description: Option<String>,
}

/// The groups and tags that one server declares. They describe and nest the primitives of that server alone, so that a
/// caller who sees none of them learns nothing of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerWords {
    /// The operator's name for the server.
    pub server: String,
    /// Its groups; those that the operator declares too, as far as the operator says nothing else.
    pub groups: Vec<Group>,
    /// Its tags, likewise.
    pub tags: Vec<Tag>,
}

/// What the operator knows of a catalog beyond what its servers say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignments {
    /// Declared groups, in the order `groups/list` gives them.
    pub groups: Vec<Group>,
    /// Declared tags, in the order `tags/list` gives them.
    pub tags: Vec<Tag>,
    /// How many of the groups, of the tags and of the concerns servers declare: those stand last. Of groups and tags only the
    /// names stand there.
    pub served: [usize; 3],
    /// What each server declares of groups and tags, in the order of the servers.
    pub declared: Vec<ServerWords>,
    /// Concern values by the names of primitives, which rules may replace.
    pub concern_mapping: ConcernMapping,
    /// Applied in order.
    pub rules: Vec<Rule>,
    /// Writes concern values into `_meta.concerns`; off, the mapping stays internal (#1936).
    pub expose_concerns: bool,
    /// Leaves out the copy of groups and tags in `_meta`, so that a primitive has them only at the top level.
    pub omit_mirror: bool,
    /// Writes groups under the `_meta` key of SEP-2084 as well.
    pub expose_sep_2084_groups: bool,
    /// The servers of which a client is not shown what requires capabilities that it does not declare.
    pub hide_incapable: Vec<String>,
    /// Maximum length of the name of a tool, in characters, if longer ones are shortened.
    pub max_tool_name: Option<usize>,
}

impl Group {
    /// Reads a declaration.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path.
    #[doc(hidden)]
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut group = Self::default();
        let mut record = entry.record(&["name", "title", "description", "parent", "_meta", "concerns"])?;
        record.need(&["name"]);
        record.fill("name", &mut group.name, Entry::text);
        record.fill_optional("title", &mut group.title, Entry::text);
        record.fill_optional("description", &mut group.description, Entry::text);
        record.fill("parent", &mut group.parents, parents);
        record.fill_optional("_meta", &mut group.meta, Entry::object_text);
        record.fill("concerns", &mut group.concerns, mapping);
        record.end().map(|()| group)
    }
}

impl Tag {
    /// Reads a declaration.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path.
    #[doc(hidden)]
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut tag = Self::default();
        let mut record = entry.record(&["name", "description", "_meta"])?;
        record.need(&["name"]);
        record.fill("name", &mut tag.name, Entry::text);
        record.fill("description", &mut tag.description, Entry::text);
        record.fill_optional("_meta", &mut tag.meta, Entry::object_text);
        record.end().map(|()| tag)
    }
}

impl Rule {
    /// Reads a rule.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path.
    #[doc(hidden)]
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut rule = Self {
            matches: Expr::All(vec![]),
            groups: vec![],
            tags: vec![],
            concerns: vec![],
            hide: false,
            pin: false,
            shown: Shown::default(),
            examples: vec![],
        };
        let known = [
            "match",
            "groups",
            "tags",
            "concerns",
            "hide",
            "pin",
            "name",
            "title",
            "description",
            "examples",
        ];
        let mut record = entry.record(&known)?;
        record.need(&["match"]);
        record.fill("match", &mut rule.matches, |entry| entry.read(Expr::from_json));
        record.fill("groups", &mut rule.groups, Entry::texts);
        record.fill("tags", &mut rule.tags, Entry::texts);
        record.fill("concerns", &mut rule.concerns, mapping);
        record.fill("hide", &mut rule.hide, Entry::flag);
        record.fill("pin", &mut rule.pin, Entry::flag);
        record.fill_optional("name", &mut rule.shown.name, Entry::some_text);
        record.fill_optional("title", &mut rule.shown.title, Entry::text);
        record.fill_optional("description", &mut rule.shown.description, Entry::text);
        record.fill("examples", &mut rule.examples, examples);
        record.end().map(|()| rule)
    }
}

/// Reads example requests.
fn examples(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let examples = entry.list(|entry| match entry.text()? {
        example if (1..=MAX_EXAMPLE).contains(&example.len()) => Ok(example),
        _ => Err(entry.refuse(format!("expected 1 to {MAX_EXAMPLE} bytes"))),
    })?;
    match examples.len() {
        0..=MAX_EXAMPLES => Ok(examples),
        _ => Err(entry.refuse(format!("expected at most {MAX_EXAMPLES} examples"))),
    }
}

/// Reads a name, an array of names, or `null` for none.
fn parents(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    match entry.raw().get().bytes().next() {
        Some(b'[') => entry.list(Entry::some_text),
        Some(b'n') => Ok(Vec::new()),
        _ => Ok(vec![entry.some_text()?]),
    }
}

/// Reads concern values by the name of the concern.
pub(super) fn mapping(entry: &Entry<'_>) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut mapping: Vec<(String, Vec<String>)> = Vec::new();
    for (name, values) in entry.members(mapped)? {
        let place = mapping.partition_point(|(known, _)| *known < name);
        mapping.insert(place, (name, values));
    }
    Ok(mapping)
}

fn mapped(entry: &Entry<'_>) -> Result<Vec<String>, Error> {
    let values = concern_values(entry.raw())
        .ok_or_else(|| entry.refuse("expected a string, a number or an array of these"))?;
    Ok(values.into_iter().map(Into::into).collect())
}
