//! A primitive during compilation: its original members, and its groups, tags and concern values so far.

use crate::catalog::Group;
use std::{borrow::Cow, cell::OnceCell, rc::Rc};

use super::{
    own_names::{OwnNames, Problem, Tally},
    sources::{DEFAULT_KEYS, Sources},
};
use crate::{
    catalog::{
        Primitive,
        model::{
            binding::{Binding, BoundArgument},
            group_tree::GroupTree,
            kind::Kind,
            member_values::{concern_values, written},
            meta_keys::FACET_KEYS,
            tool_ui::ToolUi,
        },
        parse::member_offsets::{Member, MemberOffsets},
    },
    expr::{Field, Subject},
    json::{self, Members, Raw, same_text},
    lock::{Judgement, Lock, Treatment},
};

impl Group {
    /// The `_meta` key in which SEP-2084 had group memberships. It is written only if the operator enables it, because
    /// it is not a key of Sieve.
    pub const SEP_2084_KEY: &str = "io.modelcontextprotocol/groups";
}

/// The members of a primitive that are read, in their original form.
#[derive(Debug)]
pub(crate) struct Written<'a> {
    pub id: Member<'a>,
    pub groups: Option<Member<'a>>,
    pub tags: Option<Member<'a>>,
    pub meta: Option<Member<'a>>,
    /// Whether `meta` has neither white space nor keys that Sieve writes.
    pub plain_meta: bool,
}

/// A primitive during compilation: its original text, and its memberships so far.
#[derive(Debug)]
pub(crate) struct PrimitiveDraft<'a> {
    pub kind: Kind,
    pub server: &'a str,
    group_tree: &'a GroupTree<'a>,
    /// The text as received. Only the members that are read have to be checked for UTF-8 again.
    pub text: &'a [u8],
    pub offsets: MemberOffsets,
    pub written: Written<'a>,
    /// The server's own id: its name, `uri` or `uriTemplate`.
    pub id: Cow<'a, str>,
    /// The name, title and description that rules set.
    pub name: Option<&'a str>,
    pub title: Option<&'a str>,
    pub description: Option<&'a str>,
    /// The example requests that rules add.
    pub examples: Vec<&'a str>,
    /// The trusted groups and tags. Clients receive them with the primitive.
    pub groups: Vec<Cow<'a, str>>,
    pub tags: Vec<Cow<'a, str>>,
    /// The groups and tags that count in filters only. Clients receive them where the server wrote them.
    pub published_groups: Vec<Cow<'a, str>>,
    pub published_tags: Vec<Cow<'a, str>>,
    /// Those of the published groups that the text of the primitive lacks, because the server lists them apart.
    pub listed_groups: &'a [String],
    pub concerns: Vec<(Cow<'a, str>, Vec<Cow<'a, str>>)>,
    /// The manifest of a skill, if its URI differs from the server's.
    pub files: Option<String>,
    /// The `_meta` of a tool whose page has another address for callers.
    pub meta: Option<String>,
    /// The members that the operator replaces: the JSON of each, or `None` for one that is left out. Empty for most
    /// primitives, and without an allocation then.
    replaced: Vec<(&'static str, Option<String>)>,
    /// The parameters that rules bind, each path once.
    pub bindings: Vec<&'a Binding>,
    /// The bound arguments, once they have left the schema.
    pub bound: Vec<BoundArgument>,
    /// The declaration of the capabilities that it requires of clients.
    pub requires: Option<Raw<'a>>,
    /// The user interface of a tool.
    pub ui: ToolUi<'a>,
    /// Whether every filter includes the primitive.
    pub pinned: bool,
    /// What the lock makes of it, if there is a lock.
    pub judgement: Option<Judgement>,
    /// The problems of its memberships, without duplicates.
    pub problems: Vec<String>,
    /// All members, which are parsed when a rule first reads one that is not a membership.
    members: OnceCell<Members<'a>>,
}

impl<'a> PrimitiveDraft<'a> {
    /// Reads a valid primitive.
    pub fn read(
        kind: Kind,
        server: &'a str,
        group_tree: &'a GroupTree<'a>,
        text: &'a [u8],
        offsets: MemberOffsets,
        names: &mut OwnNames,
    ) -> Option<Self> {
        let member = offsets.id.member(text, kind.id_key())?;
        let id = member.value.text()?;
        let mut listed = Self {
            written: Written {
                id: member,
                groups: offsets.groups.member(text, "groups"),
                tags: offsets.tags.member(text, "tags"),
                meta: offsets.meta.member(text, "_meta"),
                plain_meta: false,
            },
            kind,
            server,
            group_tree,
            text,
            offsets,
            id,
            name: None,
            title: None,
            description: None,
            examples: vec![],
            groups: vec![],
            tags: vec![],
            published_groups: vec![],
            published_tags: vec![],
            listed_groups: &[],
            concerns: vec![],
            files: None,
            meta: None,
            replaced: vec![],
            bindings: vec![],
            bound: vec![],
            requires: None,
            ui: ToolUi::default(),
            pinned: false,
            judgement: None,
            problems: vec![],
            members: OnceCell::new(),
        };
        listed.read_memberships(&mut names.tally());
        Some(listed)
    }

    /// Returns all members in their original form.
    pub fn members(&self) -> &Members<'a> {
        let read = || std::str::from_utf8(self.text).ok().and_then(Members::parse);
        self.members.get_or_init(|| read().unwrap_or_default())
    }

    /// Returns a member in the form for callers: the operator's, if the server's is replaced.
    pub fn member(&self, key: &str) -> Option<Raw<'_>> {
        match self.replaced.iter().find(|(known, _)| *known == key) {
            Some((_, json)) => json.as_deref().map(Raw::known),
            None => self.members().get(key),
        }
    }

    /// Replaces a member, or leaves it out. A later replacement counts. `json` is one whole JSON value.
    pub fn replace(&mut self, key: &'static str, json: Option<String>) {
        match self.replaced.iter_mut().find(|(known, _)| *known == key) {
            Some((_, slot)) => *slot = json,
            None => self.replaced.push((key, json)),
        }
    }

    /// Binds a parameter. A later rule replaces the value of an earlier one.
    pub fn bind(&mut self, binding: &'a Binding) {
        self.bindings.retain(|known| known.parameter != binding.parameter);
        self.bindings.push(binding);
    }

    /// Returns whether callers get a member of this name as the server wrote it.
    pub fn keeps(&self, key: &str) -> bool {
        self.replaced.iter().all(|(known, _)| *known != key)
    }

    /// Returns the replaced members, with `None` for those that are left out.
    pub fn replaced(&self) -> &[(&'static str, Option<String>)] {
        &self.replaced
    }

    /// Reads the memberships, from the proposal's members first, then from those of its successors and of its
    /// rationale. If a server uses these names with another meaning, the primitive is kept, without those memberships.
    fn read_memberships(&mut self, tally: &mut Tally<'_>) {
        let annotations = self.offsets.annotations.member(self.text, "annotations");
        let annotations = annotations.map(|member| json::pick(member.value, ["groups", "tags"]));
        let ([annotated_groups, annotated_tags], _) = annotations.unwrap_or_default();
        let [fastmcp, old_fastmcp, tags_key, toolbox] = DEFAULT_KEYS;
        // The key without a prefix is from the proposal. The prefixed key is Sieve's own and takes precedence.
        let keys = [
            FACET_KEYS.groups,
            Group::SEP_2084_KEY,
            FACET_KEYS.tags,
            "concerns",
            FACET_KEYS.concerns,
            Primitive::REQUIRED_CAPABILITIES,
            ToolUi::KEYS[0],
            ToolUi::KEYS[1],
            fastmcp,
            old_fastmcp,
            tags_key,
            toolbox,
        ];
        let Written { groups, tags, meta, .. } = self.written;
        let picked = meta.map(|member| json::pick(member.value, keys));
        let (found, tight) = picked.unwrap_or_default();
        let [
            own_groups,
            sep_2084_groups,
            own_tags,
            concerns,
            own_concerns,
            requires,
            ui,
            flat,
            published @ ..,
        ] = found;
        self.requires = requires;
        if self.kind == Kind::Tool {
            self.ui = ToolUi::new([ui, flat]);
        }
        let [.., toolbox] = published;
        self.written.plain_meta = tight && [own_groups, own_tags, toolbox].iter().all(Option::is_none);
        let [groups, tags] = [groups, tags].map(|member| member.map(|member| member.value));
        for raw in [groups, annotated_groups, own_groups, sep_2084_groups].into_iter().flatten() {
            tally.join_groups(self, raw);
        }
        for raw in [tags, annotated_tags, own_tags].into_iter().flatten() {
            tally.join_tags(self, raw);
        }
        if tally.sources().are_named || published.iter().any(Option::is_some) {
            let meta = meta.and_then(|member| Members::read(member.value)).unwrap_or_default();
            self.read_sources(&meta, tally);
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

    /// Reads the groups and tags from members of `_meta` that other software writes.
    fn read_sources(&mut self, meta: &Members<'a>, tally: &mut Tally<'_>) {
        let declared = Rc::clone(tally.declared());
        let Sources { groups, tags, .. } = &declared.sources;
        for source in groups {
            source.find(meta).into_iter().for_each(|raw| tally.join_groups_from(self, raw, source));
        }
        for source in tags {
            source.find(meta).into_iter().for_each(|raw| tally.join_tags_from(self, raw, source));
        }
    }

    /// Adds the groups in which the lists of the server have the primitive.
    pub fn join_listed(&mut self, groups: &'a [String], trusted: bool) {
        let names = if trusted { &mut self.groups } else { &mut self.published_groups };
        groups.iter().for_each(|name| join(names, Cow::Borrowed(name)));
        if !trusted {
            self.listed_groups = groups;
        }
    }

    /// Reports a problem with names of the member `key` that were ignored. Each name is a `noun`.
    pub fn note(&mut self, problem: Option<Problem>, key: &str, noun: &str) {
        problem.into_iter().for_each(|problem| self.report(problem.text(key, noun)));
    }

    fn report(&mut self, problem: String) {
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// Compares the definition with the lock. Returns `false` if the lock hides it. A primitive that no server has listed
    /// has no definition.
    pub fn pass_lock(&mut self, lock: Option<&Lock>) -> bool {
        let Some(lock) = lock.filter(|_| !self.offsets.is_bare) else { return true };
        let definition = Raw::known(std::str::from_utf8(self.text).unwrap_or_default());
        let judgement = lock.judge(self.server, self.kind.list_key(), &self.id, definition);
        self.judgement = Some(judgement);
        // Hosts compare a skill with its files, so none is listed in another form.
        let has_stub = self.kind != Kind::Skill;
        judgement.treatment == Treatment::Serve || judgement.treatment == Treatment::Refuse && has_stub
    }

    /// Returns whether it is listed by its name alone.
    pub fn awaits_review(&self) -> bool {
        self.judgement.is_some_and(|judgement| judgement.treatment == Treatment::Refuse)
    }

    /// Removes what its server says of it. Memberships remain that the operator declares.
    pub fn await_review(&mut self, groups: &[&str], tags: &[&str]) {
        self.groups.retain(|name| groups.contains(&name.as_ref()));
        self.tags.retain(|name| tags.contains(&name.as_ref()));
        self.published_groups.clear();
        self.published_tags.clear();
        self.listed_groups = &[];
        self.concerns.clear();
        self.examples.clear();
        self.problems.clear();
        self.ui = ToolUi::default();
    }

    /// Returns the groups of the primitive, and those above them.
    pub fn all_groups(&self) -> impl Iterator<Item = &str> {
        let line = |name| std::iter::once(name).chain(self.groups_above(name));
        self.groups.iter().map(AsRef::as_ref).flat_map(line)
    }

    /// Returns the published groups, and those above them.
    pub fn all_published_groups(&self) -> impl Iterator<Item = &str> {
        let line = |name| std::iter::once(name).chain(self.groups_above(name));
        self.published_groups.iter().map(AsRef::as_ref).flat_map(line)
    }

    /// Returns the groups above one of its own, nearest first.
    pub fn groups_above(&self, name: &str) -> Vec<&'a str> {
        if self.group_tree.is_silent() { Vec::new() } else { self.group_tree.above_of(self.server, name) }
    }

    /// Returns whether `groups` is written at the top level. For a skill it is not, because hosts compare skills with
    /// their files.
    pub fn writes_groups(&self) -> bool {
        !self.groups.is_empty() && self.kind != Kind::Skill
    }

    /// Returns whether `tags` is written at the top level.
    pub fn writes_tags(&self) -> bool {
        !self.tags.is_empty() && self.kind != Kind::Skill
    }

    /// Returns the name for callers by the server and the rules. It may still be changed because of other servers.
    pub fn called(&self) -> &str {
        self.name.filter(|_| self.kind.is_named()).unwrap_or(&self.id)
    }

    /// Adopts the concern values of its groups, nearest first, for concerns without a value.
    pub fn inherit(&mut self) {
        let (group_tree, server) = (self.group_tree, self.server);
        if group_tree.is_silent() {
            return;
        }
        let line = |name: &str| -> Vec<&'a [(String, Vec<String>)]> {
            std::iter::once(group_tree.concerns(name))
                .chain(group_tree.above_of(server, name).into_iter().map(|above| group_tree.concerns(above)))
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

    /// Replaces the values of the given concerns.
    pub fn set_concerns(&mut self, concerns: &'a [(String, Vec<String>)]) {
        for (name, values) in concerns {
            let values = values.iter().map(|value| Cow::Borrowed(value.as_str())).collect();
            self.set_concern(Cow::Borrowed(name), values);
        }
    }

    /// Replaces the values of one concern.
    pub fn set_concern(&mut self, name: Cow<'a, str>, values: Vec<Cow<'a, str>>) {
        match self.concerns.iter_mut().find(|(known, _)| same_text(known, &name)) {
            Some((_, slot)) => *slot = values,
            None => self.concerns.push((name, values)),
        }
    }
}

/// Adds a name, unless the list has it already.
pub(crate) fn join<'a>(names: &mut Vec<Cow<'a, str>>, name: Cow<'a, str>) {
    if !holds(names, &name) {
        names.push(name);
    }
}

/// Returns whether a list contains a name.
pub(crate) fn holds(names: &[Cow<'_, str>], name: &str) -> bool {
    names.iter().any(|known| same_text(known, name))
}

impl Subject for PrimitiveDraft<'_> {
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
            _ => {
                written(self.kind, field, &|key| self.member(key), visit);
            }
        }
    }
}
