//! The JSON of the objects that JavaScript receives.

use mcp_sieve::{
    Digest, Filter, Ignored,
    catalog::{Bitset, Group, KindIndex, Report, Tag, Tokens},
    concern::{Concern, Concerns, Order, Range, Scalar, Values},
    expr::Expr,
    filter::Outcome,
    json::Object,
    picker::{Picker, Rank, Row},
    policy::View,
    rank::Hit,
};
use mcp_sieve_gateway::discovery::preview;

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

/// Writes the hash and the canonical form of a filter, and its parts that had no effect.
pub(super) fn filter(filter: &Filter, ignored: &[Ignored]) -> Vec<u8> {
    applied(&Digest::hex(filter.hash()), &filter.canonical(), ignored)
}

/// Writes a hash and a canonical form, and the parts of the filter that had no effect.
pub(super) fn applied(hash: &str, canonical: &[u8], ignored: &[Ignored]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", hash);
    object.raw("applied", canonical);
    Object::push_ignored(object.value("ignored"), ignored);
    object.close();
    out
}

/// Writes the hash, groups, tags and concerns of a catalog, and its reports, followed by `reports`.
pub(super) fn catalog(view: &View, concerns: &Concerns, reports: &[Report]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.text("hash", &Digest::hex(view.catalog().hash()));
    Object::push_array(object.value("groups"), view.groups(), |out, group| {
        declared_group(out, group).close()
    });
    Object::push_array(object.value("tags"), view.tags(), declared_tag);
    Object::push_array(object.value("concerns"), concerns.iter(), declaration);
    Object::push_array(
        object.value("reports"),
        view.catalog().reports().iter().chain(reports),
        |out, report| {
            let mut object = Object::open(out);
            object.text("code", report.code.name());
            object.text("kind", report.kind.name());
            object.text("name", &report.name);
            object.text("problem", &report.problem);
            object.close();
        },
    );
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
    Object::push_array(object.value("concerns"), picker.concerns(), declaration);
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
    for (key, named) in [("disabled", choice.disabled()), ("favorites", choice.favorites())] {
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
    Object::push_array(&mut out, preview(picker.view(), picker.selected(), always), |out, preview| {
        let mut object = Object::open(out);
        object.text("mode", preview.mode.name());
        number(&mut object, "tools", preview.tools);
        object.raw("tokens", preview.tokens.count.to_string().as_bytes());
        object.raw("exact", flag(preview.tokens.exact));
        object.close();
    });
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

fn declaration(out: &mut Vec<u8>, concern: &Concern) {
    let mut object = Object::open(out);
    object.text("name", &concern.name);
    object.optional_text("description", concern.description.as_deref());
    match &concern.values {
        Values::Listed(values) => object.texts("values", values),
        Values::Range(Range { min, max, step }) => {
            let mut range = Object::open(object.value("values"));
            for (key, number) in [("min", Some(min)), ("max", Some(max)), ("step", step.as_ref())] {
                if let Some(number) = number {
                    range.raw(key, number.to_string().as_bytes());
                }
            }
            range.close();
        }
    }
    match &concern.ordered {
        Order::AsListed(false) => {}
        Order::AsListed(true) => object.raw("ordered", b"true"),
        Order::Words(words) => object.texts("ordered", words),
    }
    match &concern.default {
        Some(Scalar::Text(text)) => object.text("default", text),
        Some(Scalar::Number(number)) => object.raw("default", number.to_string().as_bytes()),
        None => {}
    }
    object.close();
}
