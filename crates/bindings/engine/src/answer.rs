//! The JSON of the objects that JavaScript receives.

use mcp_sieve::{
    Digest, Filter, Ignored, UnknownName,
    catalog::{Bitset, Group, KindIndex, Report, Tag, Tokens},
    concern::Concerns,
    discovery::Preview,
    expr::Expr,
    filter::{Narrowing, Outcome},
    json::Object,
    picker::{Picker, Rank, Row},
    policy::View,
    rank::Hit,
};
use mcp_sieve_gateway::upstream::Problem;

/// Writes the names, `uri`s or `uriTemplate`s of the selected primitives.
pub(super) fn names(kind_index: &KindIndex, selected: &Bitset) -> Vec<u8> {
    let mut out = Vec::new();
    Object::push_array(&mut out, selected.iter().filter_map(|index| kind_index.id(index)), Object::push_text);
    out
}

/// Writes the hits of a search: the index among the visible primitives, the name and the score of each.
pub(super) fn hits(kind_index: &KindIndex, visible: &Bitset, hits: &[Hit]) -> Vec<u8> {
    let mut out = Vec::new();
    Object::push_array(&mut out, hits, |out, hit| {
        let mut object = Object::open(out);
        object.raw("index", visible.count_below(hit.index).to_string().as_bytes());
        object.text("name", kind_index.id(hit.index).unwrap_or_default());
        object.raw("score", hit.score.to_string().as_bytes());
        object.close();
    });
    out
}

/// Writes the number of tokens that a selection takes in a model's context, and whether it is exact.
pub(super) fn tokens(tokens: Tokens) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw("count", tokens.count.to_string().as_bytes());
    object.raw("exact", flag(tokens.exact));
    object.close();
    out
}

/// Writes the hash and the canonical form of a filter, its parts that had no effect, and its names that match nothing.
pub(super) fn filter(filter: &Filter, narrowing: &Narrowing) -> Vec<u8> {
    let report = (narrowing.ignored(), narrowing.unknown());
    applied(&Digest::hex(filter.hash()), &filter.canonical(), report)
}

/// Writes a hash and a canonical form, the parts of the filter that had no effect, and the names that match nothing.
pub(super) fn applied(
    hash: &str,
    canonical: &[u8],
    (ignored, unknown): (&[Ignored], &[UnknownName]),
) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", hash);
    object.raw("applied", canonical);
    object.filter_report(ignored, unknown);
    object.close();
    out
}

/// Writes the hash, groups, tags and concerns of a catalog, and its reports, followed by `reports` and by `problems`
/// with the declarations of servers.
pub(super) fn catalog(view: &View, concerns: &Concerns, reports: &[Report], problems: &[Problem]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", &Digest::hex(view.catalog().hash()));
    Object::push_array(object.value("groups"), view.groups(), |out, group| {
        declared_group(out, group).close()
    });
    Object::push_array(object.value("tags"), view.tags(), declared_tag);
    Object::push_array(object.value("concerns"), concerns.iter(), |out, concern| concern.write(out));
    let reports = view.catalog().reports().iter().chain(reports);
    let reports =
        reports.map(|Report { code, kind, name, problem, .. }| (code.name(), kind.name(), name, problem));
    let declared =
        problems.iter().map(|Problem { server, problem }| ("declaration", "server", server, problem));
    Object::push_array(
        object.value("reports"),
        reports.chain(declared),
        |out, (code, kind, name, problem)| {
            let mut object = Object::open(out);
            object.text("code", code);
            object.text("kind", kind);
            object.text("name", name);
            object.text("problem", problem);
            object.close();
        },
    );
    Object::push_array(object.value("changes"), view.catalog().changes(), |out, change| {
        let mut object = Object::open(out);
        object.text("server", &change.server);
        object.text("kind", change.kind.name());
        object.text("name", &change.name);
        object.text("state", change.state.name());
        object.close();
    });
    object.close();
    out
}

/// Writes the groups, tags and concerns that a picker offers, in the order of its counts.
pub(super) fn facets(picker: &Picker) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    Object::push_array(object.value("groups"), picker.groups(), |out, node| {
        let mut object = declared_group(out, &node.group);
        if let Some(server) = &node.server {
            object.text("server", server);
            object.raw("isServer", flag(node.is_server));
        }
        number(&mut object, "level", node.level);
        if let Some(parent) = node.parent {
            number(&mut object, "above", parent);
        }
        object.close();
    });
    Object::push_array(object.value("tags"), picker.tags(), declared_tag);
    Object::push_array(object.value("concerns"), picker.concerns(), |out, concern| concern.write(out));
    object.close();
    out
}

/// Writes some rows of a picker.
pub(super) fn rows<'a>(rows: impl Iterator<Item = Row<'a>>) -> Vec<u8> {
    let mut out = Vec::new();
    Object::push_array(&mut out, rows, |out, row| {
        let mut object = Object::open(out);
        number(&mut object, "index", row.place);
        object.text("name", row.id);
        object.optional_text("server", row.server);
        object.optional_text("title", row.title.as_deref());
        object.optional_text("description", row.description.as_deref());
        object.texts("groups", &row.groups);
        object.texts("tags", &row.tags);
        object.raw("tokens", row.tokens.count.to_string().as_bytes());
        object.raw("favorite", flag(row.favorite));
        object.raw("off", flag(row.off));
        Object::push_array(object.value("reasons"), &row.reasons, |out, reason| reason.write(out));
        if let Some(rank) = row.rank {
            ranked(object.value("rank"), rank);
        }
        object.close();
    });
    out
}

/// Writes the numbers and flags of a picker's choice.
pub(super) fn summary(picker: &Picker) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let ((selected, total), (left, all)) = (picker.sizes(), picker.tokens());
    number(&mut object, "rows", picker.order().len());
    number(&mut object, "selected", selected);
    number(&mut object, "total", total);
    object.raw("tokens", left.count.to_string().as_bytes());
    object.raw("totalTokens", all.count.to_string().as_bytes());
    object.raw("exact", flag(all.exact));
    let budget = picker.budget();
    number(&mut object, "candidates", budget.candidates);
    object.raw("candidateTokens", budget.tokens.count.to_string().as_bytes());
    number(&mut object, "dropped", budget.dropped);
    let (undo, redo) = picker.steps();
    number(&mut object, "undo", undo);
    number(&mut object, "redo", redo);
    let choice = picker.choice();
    for (key, named) in
        [("disabled", choice.disabled()), ("favorites", choice.favorites()), ("pins", choice.pins())]
    {
        Object::push_array(object.value(key), named, |out, (kind, name)| {
            Object::push_array(out, [kind.list_key(), name], Object::push_text);
        });
    }
    object.raw("onlyFavorites", flag(choice.only_favorites()));
    object.close();
    out
}

/// Writes the rank of a dropped primitive, and the number of tokens left if the token limit dropped it.
fn ranked(out: &mut Vec<u8>, rank: Rank) {
    let mut object = Object::open(out);
    number(&mut object, "position", rank.position);
    number(&mut object, "of", rank.of);
    if let Some(priority) = rank.priority {
        object.raw("priority", priority.to_string().as_bytes());
    }
    number(&mut object, "relevance", rank.relevance as usize);
    if let Outcome::TooLarge { left } = rank.outcome {
        object.raw("tokensLeft", left.to_string().as_bytes());
    }
    object.close();
}

/// Writes the number of tools and tokens that each disclosure mode would list of the selected tools.
pub(super) fn disclosure(picker: &Picker, always: Option<&Expr>) -> Vec<u8> {
    let mut out = Vec::new();
    Object::push_array(
        &mut out,
        Preview::of_modes(picker.view(), picker.selected(), always),
        |out, preview| {
            let mut object = Object::open(out);
            object.text("mode", preview.mode.name());
            number(&mut object, "tools", preview.tools);
            object.raw("tokens", preview.tokens.count.to_string().as_bytes());
            object.raw("exact", flag(preview.tokens.exact));
            object.close();
        },
    );
    out
}

fn number(object: &mut Object<'_>, key: &str, number: usize) {
    object.raw(key, number.to_string().as_bytes());
}

fn flag(flag: bool) -> &'static [u8] {
    if flag { b"true" } else { b"false" }
}

/// Writes the declaration of a group, and returns the open object for further members.
fn declared_group<'a>(out: &'a mut Vec<u8>, group: &Group) -> Object<'a> {
    let mut object = Object::open(out);
    object.text("name", &group.name);
    object.optional_text("title", group.title.as_deref());
    object.optional_text("description", group.description.as_deref());
    match group.parents.as_slice() {
        [] => {}
        [parent] => object.text("parent", parent),
        parents => object.texts("parent", parents),
    }
    object
}

fn declared_tag(out: &mut Vec<u8>, tag: &Tag) {
    let mut object = Object::open(out);
    object.text("name", &tag.name);
    object.text("description", &tag.description);
    object.close();
}
