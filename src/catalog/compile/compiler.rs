//! The catalog compiler: applies rules to listed primitives, names them and adds them to the indexes.

use std::{
    borrow::Cow,
    rc::Rc,
    sync::{Arc, OnceLock},
};

use super::{
    collision::{Collision, describe_collision, describe_prefix},
    concat::{Batch, gather},
    in_place::InPlaceWriter,
    new_name::NewName,
    own_names::{Declared, OwnNames},
    primitive_draft::PrimitiveDraft,
    render::Rendering,
    rules::apply_rules,
    schemas::rewrite_schemas,
};
use crate::{
    catalog::{
        Catalog, Primitive,
        index::{
            id_table::IdTable,
            kind_index::{Entry, KindIndex},
            page::Page,
        },
        model::{
            change::Change,
            group_tree::GroupTree,
            kind::{ByKind, Kind},
            name_record::NameRecord,
            report::{Report, ReportCode, Reports},
            requirement::required,
            rules::{Assignments, Group, Tag},
            skill_path::hidden_key,
            tool_name_form::ToolNameForm,
            tool_ui::ToolUi,
            vocabulary::{Names, Vocabulary},
        },
        parse::{
            lists::{Notes, Source},
            schema::OUTPUT_SCHEMA,
        },
        shorten::shorten,
    },
    digest::name_hash,
    json::{Raw, same_text},
    lock::{Judgement, LockState, Treatment},
};

impl Catalog {
    /// Compiles the lists of all sources, in the given order, with the operator's assignments.
    ///
    /// Never fails. Primitives that are left out are [reported](Catalog::reports), for example because of a taken name,
    /// and all others are listed. Of two primitives with the same name, the first is kept.
    ///
    /// The text is copied. [`Catalog::keep`] avoids the copy.
    pub fn compile(sources: &[Source<'_>], assignments: &Assignments) -> Self {
        Self::compile_as(sources, assignments, None, Rename::NOTHING)
    }

    /// Compiles the list of one primitive under the name or URI by which a caller asked for it. `None` keeps its own.
    pub fn compile_called(source: Source<'_>, assignments: &Assignments, called: Option<&str>) -> Self {
        let name = |listed: &PrimitiveDraft<'_>| match called {
            Some(called) => Naming::New(NewName::new(listed, called.to_owned())),
            None => Naming::Kept,
        };
        Self::compile_as(&[source], assignments, None, Rename { name: &name, ..Rename::NOTHING })
    }

    /// Compiles like [`Catalog::compile`], with the names that `rename` returns. Templates come in the order in which
    /// `record` has them.
    pub(crate) fn compile_as(
        sources: &[Source<'_>],
        assignments: &Assignments,
        record: Option<&NameRecord>,
        rename: Rename<'_>,
    ) -> Self {
        let mut notes = Notes::default();
        for Source { server, lists } in sources {
            notes.add(lists.notes(), server, sources.len() > 1);
        }
        let mut catalog = build(gather(sources, record), notes, assignments, rename);
        catalog.is_recorded = record.is_some() || sources.len() < 2;
        catalog
    }

    /// Compiles one source and reuses its text, so there are never two copies of it. This requires that the source's
    /// lists were [taken](crate::catalog::Lists::take), with kinds in the order of [`Kind::ALL`]. Other lists are
    /// copied.
    pub fn keep(source: Source<'_>, assignments: &Assignments) -> Self {
        let Source { server, lists } = source;
        let mut notes = Notes::default();
        notes.add(lists.notes(), server, false);
        let gathered = match lists.kept() {
            Ok((text, items)) => {
                let server = Arc::<str>::from(server);
                let batch = |(kind, items)| Batch { kind, server: Arc::clone(&server), items };
                (InPlaceWriter::new(text.into()), Kind::ALL.into_iter().zip(items).map(batch).collect())
            }
            Err(lists) => gather(&[Source { server, lists: *lists }], None),
        };
        build(gathered, notes, assignments, Rename::NOTHING)
    }
}

/// The functions that return the names of primitives for callers.
#[derive(Clone, Copy)]
pub(crate) struct Rename<'a> {
    /// Returns the name of a primitive, whose name by its server and the rules it reads.
    pub name: &'a dyn Fn(&PrimitiveDraft<'_>) -> Naming,
    /// Returns the address of the page that a server's tool names, if it differs.
    pub page: &'a dyn Fn(&str, &str) -> Option<String>,
}

impl Rename<'_> {
    /// Keeps all names.
    pub const NOTHING: Self = Self { name: &|_| Naming::Kept, page: &|_, _| None };
}

/// The name of a primitive for callers.
pub(crate) enum Naming {
    /// It keeps its name.
    Kept,
    /// It has another name, whatever other servers list.
    New(NewName),
    /// It has the prefix of its server, because `other` has its name or claims it too.
    Prefixed { name: NewName, other: String },
    /// It is left out, because the name belongs to another server or, on an error, to none: that server claims it too.
    LeftOut { id: String, owner: Result<String, String> },
}

/// Compiles the gathered items of all sources.
fn build(
    (mut writer, batches): (InPlaceWriter, Vec<Batch>),
    notes: Notes,
    assignments: &Assignments,
    rename: Rename<'_>,
) -> Catalog {
    let mut facets = Vocabulary::default();
    assignments.groups.iter().for_each(|group| _ = facets.groups.intern(&group.name));
    assignments.tags.iter().for_each(|tag| _ = facets.tags.intern(&tag.name));
    let known = [facets.groups.len(), facets.tags.len()];
    let own = Declared::new(assignments);

    let group_tree = GroupTree::new(assignments);
    let locked = assignments.lock.is_some();
    let hides = locked || assignments.rules.iter().any(|rule| rule.hide);
    let found = Found { reports: notes.reports, ..Found::default() };
    let form = ToolNameForm::new(assignments);
    let mut compiler =
        Compiler { assignments, group_tree: &group_tree, own: &own, rename, form, hides, facets, found };
    let mut indexes: ByKind<KindIndex> = Default::default();
    for (kind, slot) in Kind::ALL.into_iter().zip(&mut indexes) {
        *slot = compiler.index(kind, &batches, &notes.left_out, &mut writer);
    }
    drop(batches);
    let Compiler { facets, found: Found { reports, collisions, renamed_pages, changes, .. }, .. } = compiler;
    // The bitsets of a concern need all its values, whichever kind has them, so they are completed last.
    let text = Arc::new(writer.end());
    indexes.iter_mut().for_each(|kind_index| kind_index.complete(&facets, &text));

    let (groups, tags) = groups_and_tags(assignments, &facets, known);
    let ([known_groups, known_tags], [served_groups, served_tags, _]) = (known, assignments.served);
    let declared = [known_groups.saturating_sub(served_groups), known_tags.saturating_sub(served_tags)];
    Catalog {
        indexes,
        facets,
        groups,
        tags,
        declared,
        words: assignments.declared.clone(),
        hash: OnceLock::new(),
        costs: Default::default(),
        hashes: Default::default(),
        spans: Default::default(),
        resources: OnceLock::new(),
        attached: OnceLock::new(),
        skills: OnceLock::new(),
        reports,
        collisions,
        renamed_pages,
        changes,
        is_recorded: true,
        is_for_sessions: false,
    }
}

/// Returns the groups and tags of the catalog. The first `known` of each vocabulary are those that the operator
/// declares.
fn groups_and_tags(
    assignments: &Assignments,
    facets: &Vocabulary,
    [known_groups, known_tags]: [usize; 2],
) -> (Vec<Group>, Vec<Tag>) {
    let own_groups: Vec<Group> =
        assignments.groups.iter().map(|group| Group { concerns: vec![], ..group.clone() }).collect();
    let groups = declared(&own_groups, facets.groups.iter().skip(known_groups), |name| Group {
        name: name.to_owned(),
        ..Group::default()
    });
    let tags = declared(&assignments.tags, facets.tags.iter().skip(known_tags), |name| Tag {
        name: name.to_owned(),
        ..Tag::default()
    });
    (groups, tags)
}

/// The reports for the operator, and the data for them.
#[derive(Default)]
struct Found {
    reports: Vec<Report>,
    collisions: Vec<Collision>,
    interfaces: Interfaces,
    /// The addresses of pages that differ for callers, each with the server's own.
    renamed_pages: Vec<(String, String)>,
    /// The primitives that differ from the lock.
    changes: Vec<Change>,
}

/// The resources for the user interfaces of tools, by whether a rule hides the tool.
#[derive(Default)]
struct Interfaces {
    shown: Names,
    hidden: Names,
    /// Those of visible tools that a rule hides.
    closed: Names,
}

impl Interfaces {
    /// Returns the resources that only hidden tools link to.
    fn orphans(&self) -> impl Iterator<Item = &str> {
        self.hidden.iter().filter(|uri| self.shown.find(uri).is_none())
    }
}

/// Adds listed primitives to the indexes of their kinds.
struct Compiler<'a> {
    assignments: &'a Assignments,
    group_tree: &'a GroupTree<'a>,
    own: &'a Rc<Declared>,
    rename: Rename<'a>,
    form: ToolNameForm,
    /// Whether any rule hides primitives.
    hides: bool,
    facets: Vocabulary,
    found: Found,
}

/// The primitive is hidden from all callers.
struct Hidden;

impl<'a> Compiler<'a> {
    /// Compiles all primitives of one kind. `left_out` holds the names that the lists had, but that could not be read.
    fn index(
        &mut self,
        kind: Kind,
        batches: &[Batch],
        left_out: &[(Kind, String)],
        writer: &mut InPlaceWriter,
    ) -> KindIndex {
        let batches = batches.iter().filter(|batch| batch.kind == kind);
        let count = batches.clone().map(|batch| batch.items.len()).sum();
        let items = batches.clone().flat_map(|batch| &batch.items);
        let seed = IdTable::seed(count, items.filter_map(|item| writer.id(kind, item)));
        let mut kind_index = KindIndex::with_room(count, seed);
        if kind == Kind::Resource {
            self.found.interfaces.orphans().for_each(|uri| kind_index.hide(uri));
        }
        batches.for_each(|batch| self.batch(batch, writer, &mut kind_index, seed));
        for (_, id) in left_out.iter().filter(|(of, _)| *of == kind) {
            if kind_index.draft(writer.written()).find(id).is_none() {
                kind_index.hide(id);
            }
        }
        if kind == Kind::Resource {
            for page in self.found.interfaces.closed.iter() {
                if kind_index.draft(writer.written()).find(page).is_none() {
                    kind_index.hide(page);
                }
            }
        }
        kind_index
    }

    /// Writes the primitives of one kind of one server, and adds them to the index of the kind.
    fn batch(&mut self, batch: &Batch, writer: &mut InPlaceWriter, kind_index: &mut KindIndex, seed: u64) {
        self.note_removed(batch, writer);
        let Batch { kind, ref server, ref items } = *batch;
        let mut rendering = Rendering::default();
        // The names that this server lists but that the index lacks under the server's own name.
        let mut elsewhere = Names::seeded(seed);
        let mut names = OwnNames::new(self.own);
        let mut reports = Reports::default();
        for item in items {
            let text = writer.text(item);
            let listed = PrimitiveDraft::read(kind, server, self.group_tree, text, item.offsets, &mut names);
            let Some(mut listed) = listed else { continue };
            let shelved = kind_index.draft(writer.written());
            let own_hash = name_hash(seed, &listed.id);
            let twin = shelved.find_hashed(own_hash, &listed.id);
            let own = twin.is_some_and(|at| shelved.is(at, server, &listed.id));
            if own || elsewhere.find(&listed.id).is_some() {
                reports.add(ReportCode::Repeated, kind, &listed.id, "listed twice, the first is kept");
                continue;
            }
            let admitted = self.admit(&mut listed, kind_index, &mut reports);
            self.note_change(&listed, &mut reports);
            let Ok(requirement) = admitted else {
                elsewhere.intern(&listed.id);
                kind_index.hide(&hidden_key(kind, server, &listed.id));
                continue;
            };
            if listed.awaits_review() {
                self.await_review(&mut listed);
            }
            let Some(new_name) = self.rename(&listed, &mut reports) else {
                elsewhere.intern(&listed.id);
                continue;
            };
            let new_name = new_name.map(|NewName { id, files }| {
                listed.files = files;
                id
            });
            let bound = std::mem::take(&mut listed.bound);
            let id = new_name.map_or_else(|| Cow::Borrowed(listed.called()), Cow::Owned);
            let id = self.form.rewrite(kind, &id).map_or(id, Cow::Owned);
            let renamed = !same_text(&id, &listed.id);
            let hash = if renamed { name_hash(seed, &id) } else { own_hash };
            let kept = if renamed { shelved.find_hashed(hash, &id) } else { twin };
            if let Some(kept) = kept {
                let own_id = shelved.own_id(kept).unwrap_or_default();
                let owner = kind_index.server(kept).unwrap_or_default().to_owned();
                self.collide(&listed, id.into_owned(), own_id, Ok(owner), &mut reports);
                continue;
            }
            if renamed {
                elsewhere.intern(&listed.id);
            }
            let problems = listed.problems.iter();
            problems.for_each(|problem| reports.add(ReportCode::Membership, kind, &id, problem));
            requirement.into_iter().for_each(|requirement| kind_index.mark_requirement(requirement));
            number(&listed, &mut self.facets, kind_index);
            kind_index.add_examples(&listed.examples);
            kind_index.bind(bound);
            rendering.make(&listed, &id, self.assignments);
            // The text moves when the next primitive is written, so positions are stored instead of references.
            let escaped = matches!(listed.id, Cow::Owned(_));
            let entry = Entry::new(hash, &id, &listed.id, escaped, rendering.id);
            let place = writer.write(item, !kind_index.is_empty(), &rendering.kept, &rendering.more);
            self.shorten(kind, writer.written().get(place.clone()), kind_index);
            kind_index.push(place, entry, server);
        }
        reports.end(kind, &mut self.found.reports);
    }

    /// Adds the shortened definition of the next tool, if it is longer than the operator's budget.
    fn shorten(&self, kind: Kind, written: Option<&[u8]>, kind_index: &mut KindIndex) {
        let Some(budget) = self.assignments.definition_budget.filter(|_| kind == Kind::Tool) else { return };
        let definition = written.and_then(|written| std::str::from_utf8(written).ok());
        if let Some(short) = definition.and_then(|definition| shorten(definition, budget)) {
            kind_index.shorten(short);
        }
    }

    /// Applies the rules to a primitive. Returns the number of its requirement, if it has one.
    fn admit<'l>(
        &mut self,
        listed: &mut PrimitiveDraft<'l>,
        kind_index: &KindIndex,
        reports: &mut Reports,
    ) -> Result<Option<usize>, Hidden>
    where
        'a: 'l,
    {
        let kind = listed.kind;
        let orphan = kind == Kind::Resource && kind_index.hides(&listed.id);
        if orphan || !apply_rules(self.assignments, listed) {
            let pages = listed.ui.pages().filter(|_| self.hides);
            pages.for_each(|uri| _ = self.found.interfaces.hidden.intern(&uri));
            return Err(Hidden);
        }
        let requirement = match self.requirement(listed) {
            Ok(requirement) => requirement,
            Err(problem) => {
                reports.add(ReportCode::Requirement, kind, &listed.id, &problem);
                if self.hides_incapable(listed) {
                    return Err(Hidden);
                }
                None
            }
        };
        if let Err(problem) = rewrite_schemas(self.assignments, listed) {
            reports.add(ReportCode::Binding, kind, &listed.id, &[&problem, ", left out"].concat());
            return Err(Hidden);
        }
        self.read_pages(listed);
        Ok(requirement)
    }

    /// Records a primitive that differs from the lock.
    fn note_change(&mut self, listed: &PrimitiveDraft<'_>, reports: &mut Reports) {
        let changed = listed.judgement.filter(|judgement| judgement.state != LockState::Accepted);
        let Some(judgement) = changed else { return };
        reports.add(ReportCode::NotAccepted, listed.kind, &listed.id, &judgement.describe());
        self.found.changes.push(Change {
            server: listed.server.to_owned(),
            kind: listed.kind,
            name: listed.id.to_string(),
            state: judgement.state,
        });
    }

    /// Records the accepted primitives of one kind that a server no longer lists. A list without elements may be one that
    /// could not be read.
    fn note_removed(&mut self, Batch { kind, server, items }: &Batch, writer: &InPlaceWriter) {
        let lock = self.assignments.lock.as_deref().filter(|_| !items.is_empty());
        let Some(lock) = lock else { return };
        let ids = items.iter().filter_map(|item| Raw::known(writer.id(*kind, item)?).text());
        let listed: Vec<_> = ids.collect();
        let mut reports = Reports::default();
        for name in lock.removed(server, kind.list_key(), &|id| listed.iter().any(|known| known == id)) {
            let state = LockState::Removed;
            let judgement = Judgement { state, treatment: Treatment::Serve };
            reports.add(ReportCode::NotAccepted, *kind, &name, &judgement.describe());
            self.found.changes.push(Change { server: server.to_string(), kind: *kind, name, state });
        }
        reports.end(*kind, &mut self.found.reports);
    }

    /// Leaves a primitive that awaits review the memberships that the operator declares.
    fn await_review(&self, listed: &mut PrimitiveDraft<'_>) {
        let Assignments { groups, tags, served: [served_groups, served_tags, _], .. } = self.assignments;
        let groups = groups.iter().take(groups.len().saturating_sub(*served_groups));
        let tags = tags.iter().take(tags.len().saturating_sub(*served_tags));
        let groups: Vec<&str> = groups.map(|group| group.name.as_str()).collect();
        let tags: Vec<&str> = tags.map(|tag| tag.name.as_str()).collect();
        listed.await_review(&groups, &tags);
    }

    /// Gives the pages of a tool their addresses for callers, and records what rules say of them.
    fn read_pages(&mut self, listed: &mut PrimitiveDraft<'_>) {
        let renamed =
            |uri: &str| ToolUi::is_page(uri).then(|| (self.rename.page)(listed.server, uri)).flatten();
        let mut changes = false;
        for own in listed.ui.pages() {
            let page = match renamed(&own) {
                Some(page) => {
                    changes = true;
                    self.found.renamed_pages.push((page.clone(), own.to_string()));
                    page
                }
                None => own.to_string(),
            };
            if !self.hides {
                continue;
            }
            let subject = Page { tool: listed, listed: None, kind: Kind::Resource, uri: &own };
            if self.assignments.rules.iter().any(|rule| rule.hide && rule.matches.holds(&subject)) {
                self.found.interfaces.closed.intern(&page);
            }
            self.found.interfaces.shown.intern(&page);
        }
        if changes {
            let meta = listed.written.meta.map(|member| ToolUi::renamed(member.value, &renamed));
            listed.meta = meta;
        }
    }

    /// Returns the new name of a primitive, if it has one. Returns `None` for a primitive that is left out, because its
    /// name does not belong to its server.
    fn rename(&mut self, listed: &PrimitiveDraft<'_>, reports: &mut Reports) -> Option<Option<NewName>> {
        match (self.rename.name)(listed) {
            Naming::Kept => Some(None),
            Naming::New(name) => Some(Some(name)),
            Naming::Prefixed { name, other } => {
                let problem = describe_prefix((&listed.id, listed.server), &name.id, &other);
                reports.add(ReportCode::Prefixed, listed.kind, &name.id, &problem);
                Some(Some(name))
            }
            Naming::LeftOut { id, owner } => {
                let kept = id.clone();
                self.collide(listed, id, &kept, owner, reports);
                None
            }
        }
    }

    /// Reports a primitive that is left out, because the name `id` belongs to the primitive `kept` of another server
    /// or, on an error, to no server.
    fn collide(
        &mut self,
        listed: &PrimitiveDraft<'_>,
        id: String,
        kept: &str,
        owner: Result<String, String>,
        reports: &mut Reports,
    ) {
        let kind = listed.kind;
        let problem = describe_collision(kind, (kept, owner.as_deref()), (&listed.id, listed.server));
        reports.add(ReportCode::NameTaken, kind, &id, &problem);
        let (kept, left_out) = (owner.unwrap_or_else(|rival| rival), listed.server.to_owned());
        self.found.collisions.push(Collision { kind, id, kept, left_out });
    }

    /// Returns the number of a primitive's requirement.
    ///
    /// # Errors
    /// A description of the problem and of its effect, if the requirement cannot be evaluated.
    fn requirement(&mut self, listed: &PrimitiveDraft<'_>) -> Result<Option<usize>, String> {
        let Some(value) = listed.requires else { return Ok(None) };
        let hides = self.hides_incapable(listed);
        let problem = match required(value) {
            Ok(None) => return Ok(None),
            Ok(Some(needed)) => match self.facets.intern_requirement(needed.get(), hides) {
                Some(requirement) => return Ok(Some(requirement)),
                None => "is one more than 64 different ones",
            },
            Err(problem) => problem,
        };
        let done = if hides { ", left out" } else { ", not evaluated" };
        Err(["`_meta.", Primitive::REQUIRED_CAPABILITIES, "` ", problem, done].concat())
    }

    /// Returns whether a primitive is hidden from clients without the required capabilities.
    fn hides_incapable(&self, listed: &PrimitiveDraft<'_>) -> bool {
        listed.offsets.is_conditional
            || self.assignments.hide_incapable.iter().any(|hiding| hiding == listed.server)
    }
}

fn number(listed: &PrimitiveDraft<'_>, facets: &mut Vocabulary, kind_index: &mut KindIndex) {
    if listed.pinned {
        kind_index.pin();
    }
    if listed.ui.is_app_only() {
        kind_index.mark_app_only();
    }
    if let Some(era) = listed.offsets.era {
        kind_index.mark_era(era);
    }
    if listed.offsets.modern_output && listed.keeps(OUTPUT_SCHEMA) {
        kind_index.mark_modern_output();
    }
    for name in &listed.groups {
        kind_index.mark_group(facets.groups.intern(name));
        for above in listed.groups_above(name) {
            kind_index.mark_group(facets.groups.intern(above));
        }
    }
    for name in &listed.tags {
        kind_index.mark_tag(facets.tags.intern(name));
    }
    for name in listed.all_published_groups() {
        kind_index.publish_group(facets.groups.intern(name));
    }
    for name in &listed.published_tags {
        kind_index.publish_tag(facets.tags.intern(name));
    }
    for (name, values) in &listed.concerns {
        for value in values {
            let (concern, value) = facets.intern_value(name, value);
            kind_index.mark_value(concern, value);
        }
    }
}

/// Returns the declared names, followed by names that are only used, because clients need a closed vocabulary.
fn declared<'a, T: Clone>(
    declared: &[T],
    used: impl Iterator<Item = &'a str>,
    undeclared: impl Fn(&str) -> T,
) -> Vec<T> {
    declared.iter().cloned().chain(used.map(undeclared)).collect()
}
