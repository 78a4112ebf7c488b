//! The operator's declarations: groups, tags, assignment rules and text overrides.

use std::sync::Arc;

use super::{
    binding::{Binding, MemberOverrides, annotations, bindings, dropped, icons},
    concern_mapping::ConcernMapping,
    kind::Kind,
    member_values::concern_values,
};
use crate::{error::Error, expr::Expr, json::Entry, lock::Lock};

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
    /// The default concern values of its members (#1936), by the name of the concern. Each name occurs once. In a
    /// catalog this is empty, because the values are already applied to the members.
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

/// A rule of the operator that changes every primitive that matches an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The condition. It reads a primitive's own memberships and those from earlier rules.
    pub matches: Expr,
    /// The groups that the primitives join.
    pub groups: Vec<String>,
    /// The tags that the primitives receive.
    pub tags: Vec<String>,
    /// The concern values of the primitives, by the name of the concern. They replace earlier values. Each name occurs
    /// once.
    pub concerns: Vec<(String, Vec<String>)>,
    /// Whether the primitives are removed from the catalog (SEP-1300: a disabled tool).
    pub hide: bool,
    /// Whether every filter includes the primitives, because every caller needs them.
    pub pin: bool,
    /// The texts that replace those of the server.
    pub overrides: TextOverrides,
    /// Example requests that the primitives fulfill, in the words of users. Searches read them, but clients do not
    /// receive them.
    pub examples: Vec<String>,
    /// The other members that replace those of the server.
    pub members: MemberOverrides,
    /// The parameters of tools that the gateway fills. They leave the schemas of tools, and callers cannot set them.
    pub bind: Vec<Binding>,
}

/// The beginning of a source in the `_meta` of primitives.
pub(crate) const META: &str = "meta.";

/// Maximum number of example requests of one rule.
pub const MAX_EXAMPLES: usize = 64;
/// Maximum length of an example request, in bytes.
pub const MAX_EXAMPLE: usize = 256;

/// The members of a primitive that the operator replaces. For `None`, the server's own text is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextOverrides {
    /// The `name`. For a tool or prompt, callers use it instead of the server's name.
    pub name: Option<String>,
    /// The `title`.
    pub title: Option<String>,
    /// The `description`.
    pub description: Option<String>,
}

/// The values of concerns, by the name of the concern.
type ConcernValues = Vec<(String, Vec<String>)>;

/// The groups and tags that one server declares. They apply only to the primitives of that server, so that they reveal
/// nothing to callers who see none of these primitives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ServerWords {
    /// The operator's name for the server.
    pub server: String,
    /// Its groups. If the operator declares a group too, the operator's members take precedence.
    pub groups: Vec<Group>,
    /// Its tags, with the same precedence.
    pub tags: Vec<Tag>,
    /// The groups of its primitives by the lists of [`Assignments::TOOLBOX`]: the kind, the server's own name and the
    /// groups of each, sorted by kind and name.
    pub members: Vec<(Kind, String, Vec<String>)>,
    /// Whether these lists could not be read. If the operator trusts them, the primitives of the server are hidden,
    /// because a policy may hide those of a group.
    pub lacks_members: bool,
    /// The concern values of its primitives that its lists show but do not state: the kind, the server's own name and
    /// the values of each, sorted by kind and name.
    pub concerns: Vec<(Kind, String, ConcernValues)>,
}

impl ServerWords {
    /// Returns the groups of a primitive by the server's lists.
    pub(crate) fn groups_of(&self, kind: Kind, id: &str) -> &[String] {
        of_primitive(&self.members, kind, id)
    }

    /// Returns the concern values of a primitive that the server's lists show.
    pub(crate) fn concerns_of(&self, kind: Kind, id: &str) -> &[(String, Vec<String>)] {
        of_primitive(&self.concerns, kind, id)
    }
}

/// Returns the entry of a primitive in a table that is sorted by kind and name.
fn of_primitive<'a, T>(table: &'a [(Kind, String, Vec<T>)], kind: Kind, id: &str) -> &'a [T] {
    let place =
        table.binary_search_by(|(known, name, _)| (*known as usize, name.as_str()).cmp(&(kind as usize, id)));
    place.ok().and_then(|at| table.get(at)).map_or(&[], |(_, _, entry)| entry)
}

/// The operator's additions to the lists of servers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignments {
    /// The declared groups, in the order of `groups/list`.
    pub groups: Vec<Group>,
    /// The declared tags, in the order of `tags/list`.
    pub tags: Vec<Tag>,
    /// The number of groups, tags and concerns that only servers declare. They come last. For groups and tags, only
    /// their names are included.
    pub served: [usize; 3],
    /// The groups and tags that each server declares, in the order of the servers.
    pub declared: Vec<ServerWords>,
    /// The sources of groups that the operator trusts, as the file writes them: `meta.` and a path in the `_meta` of
    /// primitives, or [`Assignments::TOOLBOX`]. The default sources are read besides, for filters only. `None` names no
    /// source, and an empty list turns the default sources off.
    pub groups_from: Option<Vec<String>>,
    /// The sources of tags that the operator trusts, likewise.
    pub tags_from: Option<Vec<String>>,
    /// Concern values by the names of primitives. Rules may replace them.
    pub concern_mapping: ConcernMapping,
    /// The rules, which are applied in order.
    pub rules: Vec<Rule>,
    /// The definitions that the operator has accepted, and what becomes of all others.
    pub lock: Option<Arc<Lock>>,
    /// Whether concern values are written into `_meta.concerns`. If not, the mapping stays internal (#1936).
    pub expose_concerns: bool,
    /// Whether the copy of groups and tags in `_meta` is omitted, so that a primitive has them only at the top level.
    pub omit_mirror: bool,
    /// Whether groups are also written under the `_meta` key of SEP-2084.
    pub expose_sep_2084_groups: bool,
    /// The servers whose primitives are hidden from clients without the capabilities that the primitives require.
    pub hide_incapable: Vec<String>,
    /// Maximum length, in characters, to which the names of tools are shortened. `None` if they are not shortened.
    pub max_tool_name: Option<usize>,
    /// Whether names of tools that hosts refuse are rewritten: those with other characters than ASCII letters, digits,
    /// `_` and `-`, or with more than [`MAX_PORTABLE_NAME`](Self::MAX_PORTABLE_NAME).
    pub portable_tool_names: bool,
}

impl Assignments {
    /// The extension of Google's MCP Toolbox, whose `groups/list` and `groups/get` say which tools and prompts are in a
    /// group. The format is documented in `extensions/2026-07-28/groups` of `googleapis/mcp-toolbox`.
    pub const TOOLBOX: &'static str = "com.google.cloud/toolbox.v1";

    /// Maximum number of sources of groups, and of sources of tags, that the operator names.
    pub const MAX_SOURCES: usize = 16;

    /// Reads the sources of groups or of tags. `other` is a source of another form, if there is one.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
    pub(crate) fn read_sources(entry: &Entry<'_>, other: Option<&str>) -> Result<Vec<String>, Error> {
        let sources = entry.list(|entry| {
            let source = entry.text()?;
            let path = source.strip_prefix(META).filter(|path| !path.is_empty());
            if path.is_some() && source.chars().count() <= Expr::MAX_VALUE || other == Some(source.as_str()) {
                return Ok(source);
            }
            let other = other.map_or_else(String::new, |other| [" or `", other, "`"].concat());
            let expected =
                format!("expected `meta.PATH`{other}, at most {max} characters", max = Expr::MAX_VALUE);
            Err(entry.refuse(expected))
        })?;
        match sources.len() {
            0..=Self::MAX_SOURCES => Ok(sources),
            _ => Err(entry.refuse(format!("expected at most {max} sources", max = Self::MAX_SOURCES))),
        }
    }
}

impl Group {
    /// Reads a declaration.
    ///
    /// # Errors
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
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
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
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
    /// [`ErrorKind::Config`](crate::error::ErrorKind::Config) with the path of the member.
    pub fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut rule = Self {
            matches: Expr::All(vec![]),
            groups: vec![],
            tags: vec![],
            concerns: vec![],
            hide: false,
            pin: false,
            overrides: TextOverrides::default(),
            examples: vec![],
            members: MemberOverrides::default(),
            bind: vec![],
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
            "annotations",
            "icons",
            "outputSchema",
            "bind",
        ];
        let mut record = entry.record(&known)?;
        record.need(&["match"]);
        record.fill("match", &mut rule.matches, |entry| entry.read(Expr::from_json));
        record.fill("groups", &mut rule.groups, Entry::texts);
        record.fill("tags", &mut rule.tags, Entry::texts);
        record.fill("concerns", &mut rule.concerns, mapping);
        record.fill("hide", &mut rule.hide, Entry::flag);
        record.fill("pin", &mut rule.pin, Entry::flag);
        record.fill_optional("name", &mut rule.overrides.name, Entry::some_text);
        record.fill_optional("title", &mut rule.overrides.title, Entry::text);
        record.fill_optional("description", &mut rule.overrides.description, Entry::text);
        record.fill("examples", &mut rule.examples, examples);
        record.fill("annotations", &mut rule.members.annotations, annotations);
        record.fill("icons", &mut rule.members.icons, icons);
        record.fill("outputSchema", &mut rule.members.drops_output_schema, dropped);
        record.fill("bind", &mut rule.bind, bindings);
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
