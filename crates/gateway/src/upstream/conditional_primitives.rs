//! Listings of a server for clients with different capabilities, merged into one.

use std::{
    borrow::Cow,
    collections::{HashMap, HashSet},
};

use mcp_sieve::{
    Kind,
    catalog::Primitive,
    json::{self, Members, Object, Raw},
};

use crate::upstream::collected_lists::{Collected, Difference, Page, counted, id, ids};

/// The kind and the name or URI of each primitive of a listing.
type Ids<'a> = HashSet<(Kind, Cow<'a, str>)>;

/// Adds to `own` the primitives that only other listings contain, each with the first capabilities that it is listed
/// with. The last listing is the one with all capabilities: kinds that it adds primitives to have its order. `hides` is
/// whether the added primitives are hidden from other clients.
pub(crate) fn merge(own: &Collected, parts: &[(String, Collected)], hides: bool) -> Collected {
    let mut merged = Collected {
        pages: own.pages.clone(),
        reports: own.reports.clone(),
        problems: own.problems.clone(),
        ..Collected::default()
    };
    let Some((_, all)) = parts.last() else { return merged };
    adopt_metadata(&mut merged, all);
    let listed: Vec<_> = parts.iter().map(|(part, listing)| (part.as_str(), ids(listing))).collect();
    let known = ids(own);
    let mut pages = Vec::new();
    for kind in Kind::ALL {
        let (of_kind, rest) = merged.pages.into_iter().partition(|page| page.kind == kind);
        merged.pages = rest;
        let of_kind: Vec<Page> = of_kind;
        let adds = own.problem(Some(kind)).is_none()
            && all.primitives().any(|(key, _)| key.0 == kind && !known.contains(&key));
        pages.extend(if adds { interleaved(kind, &of_kind, all, &listed, hides) } else { of_kind });
    }
    Collected { pages, ..merged }
}

/// Returns the primitives of a kind in the order of `all`, followed by those that `all` lacks.
fn interleaved(
    kind: Kind,
    own: &[Page],
    all: &Collected,
    listed: &[(&str, Ids<'_>)],
    hides: bool,
) -> Vec<Page> {
    let mut left: Vec<(Option<Cow<'_, str>>, &str)> = Vec::new();
    for page in own {
        let primitives = Raw::parse_deep(&page.array).ok().and_then(json::Raw::elements);
        left.extend(primitives.into_iter().flatten().map(|raw| (id(kind, raw), raw.get())));
    }
    let known: HashSet<_> = left.iter().filter_map(|(id, _)| id.clone()).collect();
    let mut runs = Runs { kind, pages: Vec::new() };
    for (key, primitive) in all.primitives().filter(|(key, _)| key.0 == kind) {
        if known.contains(&key.1) {
            let same = left.extract_if(.., |(id, _)| id.as_ref() == Some(&key.1));
            same.for_each(|(_, text)| runs.push(text, false));
        } else if let Some((part, _)) = listed.iter().find(|(_, ids)| ids.contains(&key)) {
            runs.push(&marked(primitive, part), hides);
        }
    }
    left.iter().for_each(|(_, text)| runs.push(text, false));
    runs.end()
}

/// Primitives of one kind, in pages of equal treatment.
struct Runs {
    kind: Kind,
    pages: Vec<(bool, Vec<String>)>,
}

impl Runs {
    fn push(&mut self, primitive: &str, is_conditional: bool) {
        match self.pages.last_mut().filter(|(last, _)| *last == is_conditional) {
            Some((_, texts)) => texts.push(primitive.to_owned()),
            None => self.pages.push((is_conditional, vec![primitive.to_owned()])),
        }
    }

    fn end(self) -> Vec<Page> {
        let kind = self.kind;
        let pages = self.pages.into_iter();
        pages
            .map(|(is_conditional, texts)| Page {
                kind,
                array: ["[", &texts.join(","), "]"].concat(),
                is_conditional,
            })
            .collect()
    }
}

/// Takes from `all` the definitions that differ only in `_meta`, where clients ignore unknown keys. For other
/// differences, the first one is reported.
fn adopt_metadata(own: &mut Collected, all: &Collected) {
    let theirs: HashMap<_, _> = all.primitives().collect();
    let mut differing = None;
    for Page { kind, array, .. } in &mut own.pages {
        let Some(primitives) = Raw::parse_deep(array).ok().and_then(json::Raw::elements) else { continue };
        let mut adopted = false;
        let texts: Vec<&str> = primitives
            .iter()
            .map(|primitive| {
                let key = id(*kind, *primitive).map(|id| (*kind, id));
                let Some(other) = key.as_ref().and_then(|key| theirs.get(key)) else {
                    return primitive.get();
                };
                match Difference::between(*primitive, *other) {
                    Difference::None => return primitive.get(),
                    Difference::Metadata => {}
                    Difference::Definition => {
                        let (_, name) = key.unwrap_or((*kind, "".into()));
                        differing.get_or_insert((*kind, name.into_owned(), 0)).2 += 1;
                        return primitive.get();
                    }
                }
                adopted = true;
                other.get()
            })
            .collect();
        if adopted {
            let text = ["[", &texts.join(","), "]"].concat();
            *array = text;
        }
    }
    if let Some((kind, name, count)) = differing {
        let way = "is defined differently for clients with more capabilities: all clients are shown the definition for \
                   clients without";
        own.reports.push((kind, name, counted(way, count)));
    }
}

/// Returns a primitive with a mark of the capabilities that it requires, unless the server set this mark itself.
fn marked(primitive: Raw<'_>, required: &str) -> String {
    let Some(members) = Members::read(primitive) else { return primitive.get().to_owned() };
    let meta = members.get("_meta").and_then(Members::read).unwrap_or_default();
    if meta.get(Primitive::REQUIRED_CAPABILITIES).is_some() {
        return primitive.get().to_owned();
    }
    let mut out = Vec::with_capacity(
        primitive.get().len() + required.len() + Primitive::REQUIRED_CAPABILITIES.len() + 32,
    );
    let mut object = Object::open(&mut out);
    object.keep(&members, &["_meta"]);
    let mut inner = Object::open(object.value("_meta"));
    inner.keep(&meta, &[]);
    inner.raw(Primitive::REQUIRED_CAPABILITIES, required.as_bytes());
    inner.close();
    object.close();
    // The output consists of UTF-8 text.
    String::from_utf8(out).unwrap_or_default()
}
