//! The lists of a server that supports both protocol eras, merged into one listing.

use std::collections::HashMap;

use mcp_sieve::{
    Kind,
    catalog::Lists,
    json::{self, Object, Raw},
    revision::Era,
};

use crate::upstream::collected_lists::{Collected, Difference, Page, counted, id, ids};

/// Returns a JSON array of list results: the lists of stateless requests, followed by the primitives that are listed
/// only in a session. A primitive of one era is marked with it. If both list a primitive, the definition for stateless
/// requests is used. A list that failed in one era says nothing about its primitives.
pub(crate) fn lists(stateless: &Collected, session: Option<&Collected>) -> String {
    let mut out = b"[".to_vec();
    match session {
        None => stateless.pages.iter().for_each(|page| write_page(&mut out, page, None, &page.array)),
        Some(session) => {
            write_missing(&mut out, stateless, session, Some(Era::Stateless), false);
            write_missing(&mut out, session, stateless, Some(Era::Session), true);
        }
    }
    let reports =
        stateless.reports.iter().chain(session.iter().flat_map(|session| &session.reports)).cloned();
    let reports: Vec<_> = reports.chain(session.and_then(|session| differing(stateless, session))).collect();
    if !reports.is_empty() {
        write_reports(&mut out, &reports);
    }
    out.push(b']');
    // The output consists of UTF-8 text.
    String::from_utf8(out).unwrap_or_default()
}

/// Returns a report on the first primitive that the two eras define differently, with the number of others.
fn differing(stateless: &Collected, session: &Collected) -> Option<(Kind, String, String)> {
    let known: HashMap<_, _> = stateless.primitives().collect();
    let mut differing = session.primitives().filter(|(key, primitive)| {
        known.get(key).is_some_and(|known| Difference::between(*known, *primitive) == Difference::Definition)
    });
    let ((kind, name), _) = differing.next()?;
    let problem = "is defined differently in the two revisions of the server: all clients are shown the definition for \
                   stateless requests";
    Some((kind, name.into_owned(), counted(problem, 1 + differing.count())))
}

fn write_reports(out: &mut Vec<u8>, reports: &[(Kind, String, String)]) {
    if out.len() > 1 {
        out.push(b',');
    }
    let mut object = Object::open(out);
    json::Object::push_array(object.value(Lists::REPORTS_KEY), reports, |out, (kind, name, problem)| {
        let mut report = Object::open(out);
        report.text("kind", kind.name());
        report.text("name", name);
        report.text("problem", problem);
        report.close();
    });
    object.raw(Kind::Tool.list_key(), b"[]");
    object.close();
}

/// Writes the primitives of `listed`. Those that `other` lacks are marked with `era`. If `missing_alone` is set, the
/// rest is left out.
fn write_missing(
    out: &mut Vec<u8>,
    listed: &Collected,
    other: &Collected,
    era: Option<Era>,
    missing_alone: bool,
) {
    let known = ids(other);
    for page in &listed.pages {
        let is_unknown = other.problems.iter().any(|problem| problem.kind() == Some(page.kind));
        let primitives = Raw::parse_deep(&page.array).ok().and_then(json::Raw::elements);
        let Some(primitives) = primitives else {
            // This is not an array, which the catalog reports.
            write_page(out, page, None, &page.array);
            continue;
        };
        let is_missing = |primitive: &Raw<'_>| {
            id(page.kind, *primitive).is_some_and(|id| !known.contains(&(page.kind, id)))
        };
        for run in primitives.chunk_by(|a, b| is_missing(a) == is_missing(b)) {
            let missing = run.first().is_some_and(is_missing);
            if missing || !missing_alone {
                let run: Vec<&str> = run.iter().map(|primitive| primitive.get()).collect();
                let era = era.filter(|_| missing && !is_unknown);
                write_page(out, page, era, &["[", &run.join(","), "]"].concat());
            }
        }
    }
}

/// Writes a list result with primitives of a page.
fn write_page(out: &mut Vec<u8>, page: &Page, era: Option<Era>, array: &str) {
    if out.len() > 1 {
        out.push(b',');
    }
    let mut object = Object::open(out);
    if let Some(era) = era {
        object.text(Lists::ERA_KEY, era.name());
    }
    if page.is_conditional {
        object.raw(Lists::CONDITIONAL_KEY, b"true");
    }
    object.raw(page.kind.list_key(), array.as_bytes());
    object.close();
}
