//! The digests of the primitives of a catalog. They are computed once per catalog, when a draft first needs them.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Catalog},
    filter::{Fields, Narrowing, Selection},
    json::{Members, Object, Raw},
    sort_indices,
};
use sha2::{Digest, Sha256};

use crate::{config::Drafts, sha256_text::sha256_text};

/// The member of a primitive's `_meta` that holds the digest of its definition.
pub(crate) const DIGEST: &str = "io.modelcontextprotocol/digest";
/// The member of a tool's `_meta` that holds its groups, in the experiment "deterministic groups".
pub(crate) const DETERMINISTIC_GROUPS: &str = "experimental/deterministic-groups";
/// Maximum number of lists whose tags are stored. Callers with the same view share one.
const MAX_TAGS: usize = 64;

/// A SHA-256 hash.
pub(crate) type Hash = [u8; 32];

/// The digests and groups that drafts add to the primitives of one catalog.
#[derive(Debug)]
pub struct DefinitionDigests {
    /// Whether each primitive contains its digest.
    digests: bool,
    /// Whether each tool contains its groups in the form of the experiment.
    groups: bool,
    /// Those of the catalog, and of the catalog for sessions.
    kinds: [[OnceLock<KindDefinitions>; Kind::COUNT]; 2],
    /// The tags of whole lists, the newest last, each with whether it is one for sessions.
    tags: Mutex<VecDeque<(bool, Kind, Bitset, Hash)>>,
}

/// The definitions of one kind.
#[derive(Debug)]
struct KindDefinitions {
    definitions: Vec<Definition>,
    /// The indices of the definitions, sorted by hash.
    sorted: Vec<u32>,
}

/// The definition of a primitive in the form that callers receive.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The hash of the canonical form.
    pub hash: Hash,
    /// The length of the canonical form, in bytes.
    pub size: usize,
    /// The digest in the primitive, if the draft for digests is on.
    pub mark: Option<Mark>,
}

/// A digest and its position in a primitive's JSON.
#[derive(Debug)]
pub(crate) struct Mark {
    /// The digest of the primitive without its `_meta`.
    pub digest: String,
    /// The position at which `text` replaces `gap` bytes of the primitive.
    at: usize,
    gap: usize,
    text: Vec<u8>,
}

impl DefinitionDigests {
    /// Creates the digests of a catalog, none of which is computed yet.
    pub(crate) fn new(drafts: &Drafts) -> Self {
        let (digests, groups) = (drafts.primitive_digests, drafts.deterministic_groups);
        Self { digests, groups, kinds: Default::default(), tags: Mutex::default() }
    }

    fn tags(&self) -> MutexGuard<'_, VecDeque<(bool, Kind, Bitset, Hash)>> {
        self.tags.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kind_definitions(&self, catalog: &Catalog, kind: Kind) -> &KindDefinitions {
        let [own, for_sessions] = &self.kinds;
        let kinds = if catalog.is_for_sessions() { for_sessions } else { own };
        kind.of(kinds).get_or_init(|| KindDefinitions::new(catalog, kind, self))
    }

    /// Returns whether drafts add members to the primitives of a kind. The draft for digests covers four lists; skills
    /// are not among them.
    fn marks(&self, kind: Kind) -> bool {
        self.digests && kind != Kind::Skill || self.groups && kind == Kind::Tool
    }

    /// Returns the definition of the primitive at `index`.
    pub(crate) fn get(&self, catalog: &Catalog, kind: Kind, index: usize) -> Option<&Definition> {
        self.kind_definitions(catalog, kind).definitions.get(index)
    }

    /// Appends a page of a list like the function [`Fields::write_page`](mcp_sieve::filter::Fields::write_page), and
    /// returns the index at which the next page starts. Whole primitives contain their digests if that draft is on.
    pub(crate) fn write_page(
        &self,
        catalog: &Catalog,
        kind: Kind,
        (bits, fields): (&Bitset, &Fields),
        from: usize,
        limit: usize,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let kind_index = catalog.kind_index(kind);
        if !self.marks(kind) || !fields.is_whole() {
            return Fields::write_page(kind_index, bits, fields, from, limit, out);
        }
        Selection::write_each(bits, from, limit, out, &mut |index, out| {
            self.write(catalog, kind, index, fields, out)
        })
    }

    /// Returns the hash of a page that [`write_page`](mcp_sieve::filter::Fields::write_page) wrote as `text`, an array.
    pub(crate) fn page_hash(
        &self,
        catalog: &Catalog,
        kind: Kind,
        (bits, fields): (&Bitset, &Fields),
        from: usize,
        limit: usize,
        text: &[u8],
    ) -> u128 {
        if self.marks(kind) || !fields.is_whole() {
            return Selection::result_hash(text);
        }
        let page = bits.iter().skip_while(|index| *index < from).take(limit);
        Selection::hash_of_hashes(page.map(|index| catalog.primitive_hash(kind, index)))
    }

    /// Appends the primitive at `index` in the form of a list with these fields.
    pub(crate) fn write(
        &self,
        catalog: &Catalog,
        kind: Kind,
        index: usize,
        fields: &Fields,
        out: &mut Vec<u8>,
    ) {
        let bytes = catalog.kind_index(kind).listed(index).unwrap_or_default();
        let mark = || self.get(catalog, kind, index).and_then(|definition| definition.mark.as_ref());
        match mark().filter(|_| self.marks(kind) && fields.is_whole()) {
            Some(mark) => mark.write(bytes, out),
            None if fields.is_whole() => out.extend_from_slice(bytes),
            None => {
                let mut one = Bitset::none(index + 1);
                one.insert(index);
                Fields::write_page(catalog.kind_index(kind), &one, fields, index, 1, out);
            }
        }
    }

    /// Returns the hash and the canonical length, in bytes, of the primitive at `index` in the form of a list with
    /// these fields.
    pub(crate) fn measure(
        &self,
        catalog: &Catalog,
        kind: Kind,
        index: usize,
        fields: &Fields,
    ) -> Option<(Hash, usize)> {
        if fields.is_whole() {
            return self.get(catalog, kind, index).map(|definition| (definition.hash, definition.size));
        }
        let mut text = Vec::new();
        self.write(catalog, kind, index, fields, &mut text);
        measure(&text)
    }

    /// Returns the hash of a list with the primitives in `bits`. It does not depend on their order.
    pub(crate) fn list_hash(
        &self,
        catalog: &Catalog,
        kind: Kind,
        bits: &Bitset,
        narrowing: &Narrowing,
    ) -> Hash {
        let fields = narrowing.fields();
        if !fields.is_whole() {
            let measured = bits.iter().filter_map(|index| self.measure(catalog, kind, index, fields));
            let hashes: Vec<Hash> = measured.map(|(hash, _)| hash).collect();
            let sorted = sort_indices(hashes.len(), &mut |a, b| hashes.get(a).cmp(&hashes.get(b)));
            return hash_of(kind, sorted.iter().filter_map(|at| hashes.get(*at as usize)));
        }
        let era = catalog.is_for_sessions();
        let known =
            |(by, of, list, _): &&(bool, Kind, Bitset, Hash)| (*by, *of) == (era, kind) && list == bits;
        if let Some((.., hash)) = self.tags().iter().find(known) {
            return *hash;
        }
        let KindDefinitions { definitions, sorted } = self.kind_definitions(catalog, kind);
        let listed = sorted.iter().map(|index| *index as usize).filter(|index| bits.contains(*index));
        let hash = hash_of(kind, listed.filter_map(|index| Some(&definitions.get(index)?.hash)));
        let mut tags = self.tags();
        if tags.len() == MAX_TAGS {
            tags.pop_front();
        }
        tags.push_back((era, kind, bits.clone(), hash));
        hash
    }
}

/// Returns the hash of a list from the hashes of its primitives, which must be sorted.
fn hash_of<'a>(kind: Kind, hashes: impl Iterator<Item = &'a Hash>) -> Hash {
    let mut hasher = Sha256::new();
    hasher.update(kind.list_method());
    hashes.for_each(|hash| hasher.update(hash));
    hasher.finalize().into()
}

/// Returns the hash and the length of the canonical form of an object.
fn measure(text: &[u8]) -> Option<(Hash, usize)> {
    let value = std::str::from_utf8(text).ok().map(Raw::known)?;
    let mut canonical = Vec::with_capacity(text.len());
    value.push_canonical(&mut canonical);
    Some((Sha256::digest(&canonical).into(), canonical.len()))
}

impl KindDefinitions {
    fn new(catalog: &Catalog, kind: Kind, drafts: &DefinitionDigests) -> Self {
        let kind_index = catalog.kind_index(kind);
        let groups = |index| match drafts.groups && kind == Kind::Tool {
            true => catalog.primitive(kind, index).map(|tool| tool.groups()),
            false => None,
        };
        let definition = |index| {
            let bytes = kind_index.listed(index).unwrap_or_default();
            let mark =
                if drafts.marks(kind) { Mark::new(bytes, drafts.digests, groups(index)) } else { None };
            let marked = mark.as_ref().map(|mark| {
                let mut text = Vec::with_capacity(bytes.len() + mark.text.len());
                mark.write(bytes, &mut text);
                text
            });
            let (hash, size) = measure(marked.as_deref().unwrap_or(bytes)).unwrap_or_default();
            Definition { hash, size, mark }
        };
        let definitions: Vec<_> = (0..kind_index.len()).map(definition).collect();
        let hash = |at: usize| definitions.get(at).map(|definition| &definition.hash);
        let sorted = sort_indices(definitions.len(), &mut |a, b| hash(a).cmp(&hash(b)));
        Self { definitions, sorted }
    }
}

impl Mark {
    /// Computes the digest of a primitive and the `_meta` that contains it. It replaces a digest that the server wrote.
    /// The `_meta` of a tool also contains its groups, if given.
    fn new(bytes: &[u8], carries_digest: bool, groups: Option<Vec<&str>>) -> Option<Self> {
        let source = std::str::from_utf8(bytes).ok()?;
        let members = Members::parse(source)?;
        let meta = members.get("_meta");
        let mut canonical = Vec::with_capacity(bytes.len());
        members.push_canonical(&mut canonical, Some("_meta"));
        let digest = sha256_text(&Sha256::digest(&canonical).into());
        let (at, gap, mut text) = match meta {
            Some(meta) => {
                let at = meta.get().as_ptr().addr().checked_sub(source.as_ptr().addr())?;
                (at, meta.get().len(), Vec::new())
            }
            // Inserted before the closing brace. The primitive is not empty, because it has a name or a URI.
            None => (source.len().checked_sub(1)?, 0, b",\"_meta\":".to_vec()),
        };
        let mut object = Object::open(&mut text);
        let members = meta.and_then(Members::read).unwrap_or_default();
        let mut replaced = Vec::new();
        replaced.extend(carries_digest.then_some(DIGEST));
        replaced.extend(groups.as_ref().map(|_| DETERMINISTIC_GROUPS));
        object.keep(&members, &replaced);
        if carries_digest {
            object.text(DIGEST, &digest);
        }
        if let Some(groups) = groups {
            let given = members.get(DETERMINISTIC_GROUPS).and_then(Members::read).unwrap_or_default();
            let mut member = Object::open(object.value(DETERMINISTIC_GROUPS));
            member.keep(&given, &["groups"]);
            member.texts("groups", &groups);
            member.close();
        }
        object.close();
        Some(Self { digest, at, gap, text })
    }

    fn write(&self, bytes: &[u8], out: &mut Vec<u8>) {
        let (before, rest) = bytes.split_at_checked(self.at).unwrap_or((bytes, &[]));
        out.extend_from_slice(before);
        out.extend_from_slice(&self.text);
        out.extend_from_slice(rest.get(self.gap..).unwrap_or_default());
    }
}
