//! Writes the JSON of a compiled primitive: original members, replaced texts and added memberships.

use std::{borrow::Cow, ops::Range};

use super::primitive_draft::{PrimitiveDraft, Written};
use crate::catalog::Group;
use crate::{
    catalog::{
        model::{kind::Kind, meta_keys::FACET_KEYS, rules::Assignments, stub::stub},
        parse::member_offsets::Member,
    },
    json::{Members, Object, Raw, Scanner, same_text},
};

/// The form in which clients receive a primitive: parts of its original text, followed by new text.
#[derive(Debug, Default)]
pub(crate) struct Rendering {
    /// The parts of the original text, in order. The last ones may be empty.
    pub kept: [Range<usize>; 4],
    pub more: Vec<u8>,
    /// The start of its name, `uri` or `uriTemplate` in the result, after the quote.
    pub id: usize,
}

impl Rendering {
    /// Renders a primitive whose name for callers is `id`: its original bytes, with the operator's texts replaced.
    /// Memberships are added in both places where clients look: top-level `groups` and `tags`, and `_meta`, which
    /// strict clients keep. The operator can turn the latter off.
    pub fn make<'a>(&mut self, listed: &PrimitiveDraft<'a>, id: &'a str, assignments: &Assignments) {
        self.kept = Default::default();
        self.more.clear();
        let concerns = assignments.expose_concerns && !listed.concerns.is_empty();
        // Hosts compare a skill with its files, so everything that Sieve adds is in `_meta`, under its own keys.
        let is_skill = listed.kind == Kind::Skill;
        let named = !listed.groups.is_empty() || !listed.tags.is_empty();
        let listed_groups = !listed.listed_groups.is_empty() && !assignments.omit_mirror && !is_skill;
        let member = named && !(is_skill && assignments.omit_mirror) || concerns || listed_groups;
        let sep_2084_groups = assignments.expose_sep_2084_groups && !listed.groups.is_empty() && !is_skill;
        let meta = Meta { concerns, mirror: !assignments.omit_mirror, sep_2084_groups, listed_groups };
        let text = |text: Option<&'a str>| text.filter(|_| !is_skill);
        let name = text(listed.name).filter(|_| !listed.kind.is_named());
        let anew = [
            (listed.kind.id_key(), (!same_text(id, &listed.id)).then_some(id)),
            ("name", name),
            ("title", text(listed.title)),
            ("description", text(listed.description)),
        ];
        if listed.awaits_review() {
            stub(&mut self.more, listed.kind, id);
            self.find_id(listed.kind);
            return;
        }
        let reads_anew = listed.meta.is_some()
            || !listed.replaced().is_empty()
            || anew.iter().any(|(_, text)| text.is_some());
        if !member && !reads_anew {
            let [first, ..] = &mut self.kept;
            *first = 0..listed.text.len();
        } else if listed.offsets.compact && !reads_anew {
            self.cut(listed, meta);
            memberships(&mut Object::resume(&mut self.more), listed, meta);
            self.more.push(b'}');
        } else {
            let mut object = Object::open(&mut self.more);
            copy(&mut object, listed, member && meta.is_written(), &anew);
            if member {
                memberships(&mut object, listed, meta);
            }
            object.close();
            self.find_id(listed.kind);
            return;
        }
        let id = start_of(listed.written.id);
        self.id = self.kept.iter().map(|part| part.end.min(id).saturating_sub(part.start)).sum();
    }

    /// Finds the id in a primitive that is written anew.
    fn find_id(&mut self, kind: Kind) {
        let text = std::str::from_utf8(&self.more).unwrap_or_default();
        self.id = id_in(text, kind.id_key()).map_or(0, start_of);
    }

    /// Keeps all members except those that are replaced. At least the name is kept.
    fn cut(&mut self, listed: &PrimitiveDraft<'_>, parts: Meta) {
        let Written { groups, tags, meta, .. } = listed.written;
        let anew =
            [(groups, listed.writes_groups()), (tags, listed.writes_tags()), (meta, parts.is_written())];
        let mut cuts = [const { None::<Range<usize>> }; 3];
        for (member, _) in anew.into_iter().filter(|(_, written)| *written) {
            let Some(mut cut) = member.map(|member| member.start..member.end) else { continue };
            // Insertion sort: there are at most three ranges, and a general sort would be larger than this function.
            for slot in &mut cuts {
                match slot {
                    Some(known) if known.start < cut.start => {}
                    Some(known) => std::mem::swap(known, &mut cut),
                    None => {
                        *slot = Some(cut);
                        break;
                    }
                }
            }
        }
        let mut parts = Parts { kept: &mut self.kept, count: 0 };
        // The start of the next member. Commas and braces have one byte.
        let mut at = 1;
        for cut in cuts.into_iter().flatten() {
            parts.members(at..cut.start - 1);
            at = cut.end + 1;
        }
        parts.members(at..listed.text.len() - 1);
    }
}

/// The content that is written into `_meta`.
#[derive(Debug, Clone, Copy)]
struct Meta {
    /// The concern values.
    concerns: bool,
    /// The groups and tags, repeated.
    mirror: bool,
    /// The groups under the key of SEP-2084.
    sep_2084_groups: bool,
    /// The groups by the server's lists, under the key of the extension that has these lists.
    listed_groups: bool,
}

impl Meta {
    /// Returns whether `_meta` is written, rather than kept in its original form.
    fn is_written(self) -> bool {
        self.concerns || self.mirror || self.sep_2084_groups
    }
}

/// Runs of members that are kept, as parts of the text that form an object without its closing brace.
struct Parts<'a> {
    kept: &'a mut [Range<usize>; 4],
    count: usize,
}

impl Parts<'_> {
    fn members(&mut self, members: Range<usize>) {
        if members.is_empty() {
            return;
        }
        // Each run includes the comma or the opening brace before it. The first part needs a brace of its own if a
        // member was cut before it.
        if self.count == 0 && members.start > 1 {
            self.push(0..1);
            self.push(members);
        } else {
            self.push(members.start - 1..members.end);
        }
    }

    fn push(&mut self, part: Range<usize>) {
        self.kept.get_mut(self.count).into_iter().for_each(|slot| *slot = part.clone());
        self.count += 1;
    }
}

/// Returns the last member with this key.
fn id_in<'a>(text: &'a str, id_key: &str) -> Option<Member<'a>> {
    let (mut scanner, mut id) = (Scanner::lenient(text), None);
    let read = scanner.object(&mut |scanner, key| {
        let (start, value) = (scanner.key_start(), scanner.value()?);
        if key == Some(id_key) {
            id = Some(Member { start, end: scanner.at(), value });
        }
        Ok(())
    });
    read.ok().and(id)
}

/// Returns the start of the text of an id, after its quote.
fn start_of(id: Member<'_>) -> usize {
    id.end - id.value.get().len() + 1
}

/// Writes the members that Sieve adds.
fn memberships(object: &mut Object<'_>, listed: &PrimitiveDraft<'_>, written: Meta) {
    let Meta { concerns, mirror, sep_2084_groups, listed_groups } = written;
    let Written { groups, tags, meta, plain_meta, .. } = listed.written;
    let (groups, tags) = (Facet::new(&listed.groups, groups), Facet::new(&listed.tags, tags));
    if listed.writes_groups() {
        groups.write(object, "groups");
    }
    if listed.writes_tags() {
        tags.write(object, "tags");
    }
    if !written.is_written() {
        return;
    }
    let out = object.value("_meta");
    let meta = listed.meta.as_deref().map(Raw::known).or(meta.map(|member| member.value));
    let plain = meta.filter(|_| plain_meta && !concerns && !sep_2084_groups);
    let mut inner = match plain.and_then(|meta| meta.get().as_bytes().strip_suffix(b"}")) {
        Some(members) => {
            out.extend_from_slice(members);
            if members.trim_ascii_end() == b"{" { Object::begun(out) } else { Object::resume(out) }
        }
        None => {
            let mut inner = Object::open(out);
            // Concerns that are not exposed are left to the server, so its own values stay.
            let third = if sep_2084_groups { Group::SEP_2084_KEY } else { FACET_KEYS.tags };
            let fourth = if listed_groups { Assignments::TOOLBOX } else { FACET_KEYS.tags };
            let anew = [FACET_KEYS.groups, FACET_KEYS.tags, third, fourth, FACET_KEYS.concerns, "concerns"];
            // A key that is not Unicode is written with U+FFFD.
            let text = meta.map(|meta| meta.well_formed());
            let formed = || text.as_deref().and_then(|text| Members::read(Raw::known(text)));
            let meta = meta.and_then(Members::read).or_else(formed).unwrap_or_default();
            let bare = usize::from(listed.kind != Kind::Skill);
            inner.keep(&meta, anew.get(..if concerns { 5 + bare } else { 4 }).unwrap_or_default());
            inner
        }
    };
    if mirror {
        groups.write(&mut inner, FACET_KEYS.groups);
        tags.write(&mut inner, FACET_KEYS.tags);
    }
    if sep_2084_groups {
        groups.write(&mut inner, Group::SEP_2084_KEY);
    }
    if listed_groups {
        let mut toolbox = Object::open(inner.value(Assignments::TOOLBOX));
        toolbox.texts("groups", listed.listed_groups);
        toolbox.close();
    }
    if concerns {
        if listed.kind != Kind::Skill {
            concern_map(inner.value("concerns"), listed);
        }
        concern_map(inner.value(FACET_KEYS.concerns), listed);
    }
    inner.close();
}

/// Copies every member except those that are written separately. Texts of `anew` and the operator's members replace
/// members or are added at the end.
fn copy(object: &mut Object<'_>, listed: &PrimitiveDraft<'_>, meta: bool, anew: &[(&str, Option<&str>)]) {
    let members = listed.members();
    // A server's own `tags` with another meaning stays, unless Sieve writes `tags`.
    let but = [("groups", listed.writes_groups()), ("tags", listed.writes_tags()), ("_meta", meta)];
    let text = |key: &str| anew.iter().find(|(known, _)| *known == key).and_then(|(_, text)| *text);
    for (key, value) in members.0.iter().filter(|(key, _)| !but.contains(&(key, true))) {
        let replaced = listed.replaced().iter().find(|(known, _)| key == known);
        if let Some((key, json)) = replaced {
            json.iter().for_each(|json| object.raw(key, json.as_bytes()));
            continue;
        }
        let rewritten = match key.as_ref() {
            "resources" => listed.files.as_deref(),
            "_meta" => listed.meta.as_deref(),
            _ => None,
        };
        match text(key) {
            Some(text) => object.text(key, text),
            None => object.raw(key, rewritten.unwrap_or(value.get()).as_bytes()),
        }
    }
    for (key, text) in anew.iter().filter(|(key, _)| members.get(key).is_none()) {
        text.iter().for_each(|text| object.text(key, text));
    }
    for (key, json) in listed.replaced().iter().filter(|(key, _)| members.get(key).is_none()) {
        json.iter().for_each(|json| object.raw(key, json.as_bytes()));
    }
}

/// The groups or the tags of a primitive.
struct Facet<'a> {
    names: &'a [Cow<'a, str>],
    /// The value of the server's own member, if it has the same names and no white space.
    own: Option<&'a str>,
}

impl<'a> Facet<'a> {
    fn new(names: &'a [Cow<'a, str>], member: Option<Member<'a>>) -> Self {
        Self { names, own: member.map(|member| member.value.get()).filter(|array| spells(array, names)) }
    }

    /// Writes the names as a member, if there are any.
    fn write(&self, object: &mut Object<'_>, key: &str) {
        match self.own {
            _ if self.names.is_empty() => {}
            Some(array) => object.raw(key, array.as_bytes()),
            None => object.texts(key, self.names),
        }
    }
}

/// Returns whether an array consists of exactly `names`: each is a slice of its text, and the rest is brackets, quotes
/// and commas.
fn spells(array: &str, names: &[Cow<'_, str>]) -> bool {
    let range = array.as_bytes().as_ptr_range();
    let inside = |name: &Cow<'_, str>| matches!(name, Cow::Borrowed(name) if range.contains(&name.as_ptr()));
    array.len() == names.iter().map(|name| name.len() + 3).sum::<usize>() + 1 && names.iter().all(inside)
}

/// Writes concern values. A single value is plain text, as in the proposal.
fn concern_map(out: &mut Vec<u8>, listed: &PrimitiveDraft<'_>) {
    let mut object = Object::open(out);
    for (name, values) in &listed.concerns {
        match values.as_slice() {
            [only] => object.text(name, only),
            several => object.texts(name, several),
        }
    }
    object.close();
}
