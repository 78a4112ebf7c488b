use std::{borrow::Cow, cell::OnceCell, sync::OnceLock};

use super::{
    Catalog, Kind, OWN, Shelf,
    lineage::Lineage,
    own_names::{OwnNames, Problem, Tally},
    shape::{Member, Shape},
};
use crate::{
    expr::{Field, Subject, at_path},
    json::{self, Members, Number, Raw},
};

/// The `_meta` key in which SEP-2084 carried group membership. Read, never written: it is not ours.
const SEP_2084_GROUPS: &str = "io.modelcontextprotocol/groups";

/// The members of a primitive that are read, as they came.
#[derive(Debug)]
pub(super) struct Written<'a> {
    pub id: Member<'a>,
    pub groups: Option<Member<'a>>,
    pub tags: Option<Member<'a>>,
    pub meta: Option<Member<'a>>,
    /// There is no space in `meta`, and nothing that is ours to write.
    pub plain_meta: bool,
}

/// One listed primitive while the catalog is compiled: its text as it came, and the memberships it has so far.
#[derive(Debug)]
pub(super) struct Listed<'a> {
    pub kind: Kind,
    pub server: &'a str,
    lineage: &'a Lineage<'a>,
    pub text: &'a str,
    pub shape: Shape,
    pub written: Written<'a>,
    /// What its server calls it: its name, `uri` or `uriTemplate`.
    pub id: Cow<'a, str>,
    /// What rules write anew.
    pub name: Option<&'a str>,
    pub title: Option<&'a str>,
    pub description: Option<&'a str>,
    pub groups: Vec<Cow<'a, str>>,
    pub tags: Vec<Cow<'a, str>>,
    pub concerns: Vec<(Cow<'a, str>, Vec<Cow<'a, str>>)>,
    /// Whether no filter leaves it out.
    pub pinned: bool,
    /// What it says of its memberships that cannot be used, each once.
    pub problems: Vec<String>,
    /// Read when a rule first asks for what is not a membership.
    members: OnceCell<Members<'a>>,
}

impl<'a> Listed<'a> {
    /// Reads a valid primitive.
    pub fn read(
        kind: Kind,
        server: &'a str,
        lineage: &'a Lineage<'a>,
        text: &'a str,
        shape: Shape,
        names: &mut OwnNames,
    ) -> Option<Self> {
        let member = shape.id.member(text)?;
        let id = json::text(member.value)?;
        let [groups, tags, meta] = [shape.groups, shape.tags, shape.meta].map(|place| place.member(text));
        let mut listed = Self {
            written: Written { id: member, groups, tags, meta, plain_meta: false },
            kind,
            server,
            lineage,
            text,
            shape,
            id,
            name: None,
            title: None,
            description: None,
            groups: vec![],
            tags: vec![],
            concerns: vec![],
            pinned: false,
            problems: vec![],
            members: OnceCell::new(),
        };
        listed.read_memberships(&mut names.tally());
        Some(listed)
    }

    /// The members as they came.
    pub fn members(&self) -> &Members<'a> {
        self.members.get_or_init(|| Members::parse(self.text).unwrap_or_default())
    }

    /// The proposal's place first, then the places its heirs and its rationale name. A server that means
    /// something else by these words keeps its primitive, which is then in no group by them.
    fn read_memberships(&mut self, tally: &mut Tally<'_>) {
        let annotations = self.shape.annotations.member(self.text);
        let annotations = annotations.map(|member| json::pick(member.value, ["groups", "tags"]));
        let ([annotated_groups, annotated_tags], _) = annotations.unwrap_or_default();
        // The bare key is the proposal's, the prefixed one is ours and wins on conflict.
        let keys = [OWN.groups, SEP_2084_GROUPS, OWN.tags, "concerns", OWN.concerns];
        let Written { groups, tags, meta, .. } = self.written;
        let meta = meta.map(|member| json::pick(member.value, keys));
        let ([own_groups, sep_2084_groups, own_tags, concerns, own_concerns], tight) =
            meta.unwrap_or_default();
        self.written.plain_meta = tight && own_groups.is_none() && own_tags.is_none();
        let [groups, tags] = [groups, tags].map(|member| member.map(|member| member.value));
        for raw in [groups, annotated_groups, own_groups, sep_2084_groups].into_iter().flatten() {
            tally.join_groups(self, raw);
        }
        for raw in [tags, annotated_tags, own_tags].into_iter().flatten() {
            tally.join_tags(self, raw);
        }
        for raw in [concerns, own_concerns].into_iter().flatten() {
            let Some(values) = Members::read(raw) else {
                self.report("`_meta.concerns` is not an object, ignored".to_owned());
                continue;
            };
            for (name, raw) in values.0 {
                match concern_values(raw) {
                    Some(values) => tally.set_concern(self, name, values),
                    None => self.report("a value in `_meta.concerns` is not text, ignored".to_owned()),
                }
            }
        }
    }

    /// Reports names of the member `key`, each a `noun`, that were ignored.
    pub fn note(&mut self, problem: Option<Problem>, key: &str, noun: &str) {
        problem.into_iter().for_each(|problem| self.report(problem.text(key, noun)));
    }

    fn report(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// The groups it was put in, and those above them.
    pub fn all_groups(&self) -> impl Iterator<Item = &str> {
        let line = |name| std::iter::once(name).chain(self.lineage.above(name));
        self.groups.iter().map(AsRef::as_ref).flat_map(line)
    }

    /// What callers call it, as far as its server's other primitives and the rules have a say.
    pub fn called(&self) -> &str {
        match self.kind {
            Kind::Tool | Kind::Prompt => self.name.unwrap_or(&self.id),
            Kind::Resource | Kind::Template => &self.id,
        }
    }

    /// Takes the concern values of its groups, the nearest first, for concerns that it has none for.
    pub fn inherit(&mut self) {
        let lineage = self.lineage;
        let line = |name: &str| -> Vec<&'a [(String, Vec<String>)]> {
            std::iter::once(lineage.concerns(name))
                .chain(lineage.above(name).map(|above| lineage.concerns(above)))
                .collect()
        };
        let inherited: Vec<_> = self.groups.iter().flat_map(|name| line(name)).flatten().collect();
        for (name, values) in inherited {
            if !self.concerns.iter().any(|(known, _)| known == name) {
                let values = values.iter().map(|value| Cow::Borrowed(value.as_str())).collect();
                self.set_concern(Cow::Borrowed(name), values);
            }
        }
    }

    /// Replaces the values of one concern.
    pub fn set_concern(&mut self, name: Cow<'a, str>, values: Vec<Cow<'a, str>>) {
        match self.concerns.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = values,
            None => self.concerns.push((name, values)),
        }
    }
}

/// Adds a name that is not there yet.
pub(super) fn join<'a>(names: &mut Vec<Cow<'a, str>>, name: Cow<'a, str>) {
    if !names.contains(&name) {
        names.push(name);
    }
}

/// A concern value on a primitive: text, a number, or an array of these.
pub(super) fn concern_values(raw: Raw<'_>) -> Option<Vec<Cow<'_, str>>> {
    let one = |raw| json::text(raw).or_else(|| number_text(raw).map(Cow::Owned));
    match json::elements(raw) {
        Some(values) => values.into_iter().map(one).collect(),
        None => one(raw).map(|value| vec![value]),
    }
}

/// The canonical text of a JSON number (`3`, `3.0` and `3e0` are one value), or `None` for anything else.
pub fn number_text(raw: Raw<'_>) -> Option<String> {
    Some(raw.get().parse::<Number>().ok()?.to_string())
}

impl Subject for Listed<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Kind => visit(self.kind.name()),
            Field::Server => visit(self.server),
            Field::Group => self.all_groups().for_each(visit),
            Field::Tag => self.tags.iter().for_each(|name| visit(name)),
            Field::Concern(name) => {
                let mapped = self.concerns.iter().filter(|(known, _)| known == name);
                mapped.flat_map(|(_, values)| values).for_each(|value| visit(value));
            }
            _ => written(self.kind, self.members(), field, visit),
        }
    }
}

/// The member that a field is read from, of those that a primitive itself spells out.
fn member_of(kind: Kind, field: &Field) -> Option<&'static str> {
    Some(match field {
        Field::Name => "name",
        Field::Title => "title",
        Field::Description => "description",
        Field::Uri if matches!(kind, Kind::Resource | Kind::Template) => kind.id_key(),
        Field::Annotation(_) | Field::Audience | Field::Priority | Field::LastModified => "annotations",
        Field::Meta(_) => "_meta",
        _ => return None,
    })
}

/// The fields that a primitive itself spells out.
fn written(kind: Kind, members: &Members<'_>, field: &Field, visit: &mut dyn FnMut(&str)) {
    let Some(member) = member_of(kind, field).and_then(|key| members.get(key)) else { return };
    let annotation = |name: &str| Members::read(member)?.get(name);
    let found = match field {
        Field::Annotation(name) => annotation(name),
        Field::Audience => annotation("audience"),
        Field::Priority => annotation("priority"),
        Field::LastModified => annotation("lastModified"),
        Field::Meta(path) => Members::read(member)
            .and_then(|meta| at_path(meta, path, |object, key| object.get(key), Members::read)),
        _ => Some(member).filter(|raw| json::text(*raw).is_some()),
    };
    if let Some(raw) = found {
        match json::elements(raw) {
            Some(elements) => elements.into_iter().for_each(|raw| spell(raw, visit)),
            None => spell(raw, visit),
        }
    }
}

/// Text as it is, numbers in their one spelling, whatever else as it is written, `null` not at all.
fn spell(raw: Raw<'_>, visit: &mut dyn FnMut(&str)) {
    if json::is_null(raw) {
        return;
    }
    match json::text(raw).or_else(|| number_text(raw).map(Cow::Owned)) {
        Some(text) => visit(&text),
        None => visit(raw.get()),
    }
}

/// A primitive of a compiled catalog, for whoever asks expressions about it.
#[derive(Debug)]
pub struct Primitive<'a> {
    catalog: &'a Catalog,
    shelf: &'a Shelf,
    kind: Kind,
    index: usize,
    /// Read when first asked for: names and facets are known without.
    members: OnceLock<Members<'a>>,
}

impl Catalog {
    /// The primitive at `index` of its kind.
    pub fn primitive(&self, kind: Kind, index: usize) -> Option<Primitive<'_>> {
        let (shelf, members) = (self.shelf(kind), OnceLock::new());
        (index < shelf.len()).then_some(Primitive { catalog: self, shelf, kind, index, members })
    }
}

impl<'a> Primitive<'a> {
    /// What it is.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// It as it is sent, as JSON.
    pub fn json(&self) -> &str {
        self.shelf.bytes(self.index).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// A member of it as it is sent: its `name`, its `annotations`, its `_meta`.
    pub fn member(&self, key: &str) -> Option<Raw<'_>> {
        self.members().get(key)
    }

    /// The server it came from, by the operator's name.
    pub fn server(&self) -> &str {
        self.shelf.server(self.index).unwrap_or_default()
    }

    /// The groups it is in, with those above them.
    pub fn groups(&self) -> Vec<&'a str> {
        let Self { catalog, shelf, index, .. } = *self;
        catalog.facets.groups.named(shelf.groups_of(index)).collect()
    }

    /// The tags it carries.
    pub fn tags(&self) -> Vec<&'a str> {
        let Self { catalog, shelf, index, .. } = *self;
        catalog.facets.tags.named(shelf.tags_of(index)).collect()
    }

    /// Its values for a concern; none for a concern it says nothing about.
    pub fn concern(&self, name: &str) -> Vec<&'a str> {
        let Self { catalog, shelf, index, .. } = *self;
        let found = catalog.facets.concern(name);
        found.map_or_else(Vec::new, |(id, values)| values.named(shelf.concern_values_of(id, index)).collect())
    }
}

impl<'a> Primitive<'a> {
    /// Whether a field is what the primitive goes by: it is known without reading the text.
    pub(super) fn is_id(&self, field: &Field) -> bool {
        match field {
            Field::Name => self.kind.id_key() == "name",
            Field::Uri => self.kind.id_key() != "name",
            _ => false,
        }
    }

    /// The length of the member that a field is read from, in bytes.
    pub(super) fn length(&self, field: &Field) -> usize {
        if self.is_id(field) {
            return self.shelf.id(self.index).map_or(0, str::len);
        }
        let member = member_of(self.kind, field).and_then(|key| self.members().get(key));
        member.map_or(0, |raw| raw.get().len())
    }

    fn members(&self) -> &Members<'a> {
        self.members.get_or_init(|| {
            let source = self.shelf.bytes(self.index).and_then(|bytes| std::str::from_utf8(bytes).ok());
            source.and_then(Members::parse).unwrap_or_default()
        })
    }
}

impl Subject for Primitive<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let facets = &self.catalog.facets;
        match field {
            Field::Kind => visit(self.kind.name()),
            Field::Server => self.shelf.server(self.index).into_iter().for_each(visit),
            Field::Group => facets.groups.named(self.shelf.groups_of(self.index)).for_each(visit),
            Field::Tag => facets.tags.named(self.shelf.tags_of(self.index)).for_each(visit),
            Field::Concern(name) => {
                let Some((id, values)) = facets.concern(name) else { return };
                values.named(self.shelf.concern_values_of(id, self.index)).for_each(visit);
            }
            field if self.is_id(field) => self.shelf.id(self.index).into_iter().for_each(visit),
            _ => written(self.kind, self.members(), field, visit),
        }
    }
}
