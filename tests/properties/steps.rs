//! Limits on the work of a filter: texts come from a server and patterns from a client, and their product is bounded.

use mcp_sieve::{
    Error, ErrorKind, Filter, Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    concern::{Concerns, OnInvalid},
    expr::NoCaller,
    filter::{Narrowing, Selection},
    policy::{Guarded, Policy, View},
};

fn compile(list: &str) -> View {
    let source = Source { server: "s", lists: Lists::read(list).unwrap() };
    View::everything(Catalog::compile(&[source], &Assignments::default()))
}

/// Returns a view of `count` tools with these members, which alternate between two groups.
fn tools(count: usize, members: &str) -> View {
    let tools: Vec<String> = (0..count)
        .map(|at| {
            format!(
                r#"{{"name":"t{at}","inputSchema":{{"type":"object"}},"groups":["g{}"],{members}}}"#,
                at % 2
            )
        })
        .collect();
    compile(&format!(r#"{{"tools":[{}]}}"#, tools.join(",")))
}

/// Resolves a filter with this expression against a view.
fn settle(view: &View, expr: &str) -> Result<Narrowing, Error> {
    let filter = Filter::parse(&format!(r#"{{"where":{expr:?}}}"#)).unwrap().filter;
    let settled = filter.settle(view, &Concerns::default(), OnInvalid::Error, Vec::new());
    settled.map(|settled| settled.narrowing)
}

fn any(term: &str, times: usize) -> String {
    vec![term; times].join(" or ")
}

/// Number of tools, and bytes of text in each: enough to reach the limit.
const LIST: usize = 1_000;
const TEXT: usize = 10_000;

/// Returns a view of tools with long descriptions.
fn repeated() -> View {
    tools(LIST, &format!(r#""description":"{}""#, "a".repeat(TEXT)))
}

#[test]
fn patterns_on_long_texts_are_refused_by_their_steps() {
    let view = repeated();
    // Each byte costs two steps, and one to read it.
    let most = (Filter::MAX_STEPS / (LIST * TEXT) - 1) / 2;
    assert!((2..32).contains(&most), "{most}");
    let term = format!("description:*{}b*", "a".repeat(200));
    let narrowing = settle(&view, &any(&term, most - 1)).unwrap();
    let mut selection = Selection::default();
    assert_eq!(view.select(&narrowing, Kind::Tool, &mut selection).count(), 0);
    let error = settle(&view, &any(&term, most + 1)).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::FilterLimit, "filter_limit"));
    assert_eq!(error.to_string(), "filter.where: expected at most 268435456 steps to select from `tools`");
    // A part with `?` costs two steps for each word of bits, and two more.
    let slow = format!("description:*{}?b*", "a".repeat(200));
    assert!(settle(&view, &any(&slow, most / 6 + 1)).is_err());
    assert!(settle(&view, &any(&slow, most / 6)).is_ok());
    // The limit applies to every operator, because a text that is searched must be read.
    let contains = format!("description contains {}b", "a".repeat(200));
    assert!(settle(&view, &any(&contains, most + 1)).is_err());
}

#[test]
fn what_sets_decide_takes_no_steps() {
    let view = repeated();
    let term = format!("description:*{}b*", "a".repeat(200));
    let narrowing = settle(&view, &format!("group:none ({})", any(&term, 32))).unwrap();
    let mut selection = Selection::default();
    assert_eq!(view.select(&narrowing, Kind::Tool, &mut selection).count(), 0);
    assert!(settle(&view, &any("name:*a*b*", 90)).is_ok());
    // The first term that holds is enough.
    assert!(settle(&view, &format!("description:a* or {}", any(&term, 32))).is_ok());
}

/// A caller must not learn from an error how long hidden texts are.
#[test]
fn only_what_is_visible_takes_steps() {
    let view = repeated();
    let expr = any(&format!("description:*{}b*", "a".repeat(200)), 32);
    assert!(settle(&view, &expr).is_err());
    let policy = Policy::new("first", "name:t? or name:t??".parse().unwrap());
    let part = Guarded::new(view.catalog().clone(), vec![policy]).view(&NoCaller);
    assert_eq!(part.count(Kind::Tool), LIST / 10);
    assert!(settle(&part, &expr).is_ok());
}

#[test]
fn a_long_object_takes_steps_for_each_term_that_reads_it() {
    let long: Vec<String> = (0..20_000).map(|at| format!(r#""k{at}":{at}"#)).collect();
    let view = tools(40, &format!(r#""_meta":{{{}}}"#, long.join(",")));
    assert!(settle(&view, "meta.k7=7").is_ok());
    assert!(settle(&view, &any("meta.a.b.c.d.e=7", 200)).is_err());
}

#[test]
fn explaining_one_primitive_is_bounded_as_well() {
    let view = tools(2, &format!(r#""description":"{}""#, "a".repeat(2_000_000)));
    let narrowing = settle(&view, &format!("group:none ({})", any("description:*ab*", 99))).unwrap();
    let told = view.explain(&narrowing, Kind::Tool, "t1");
    let reason = told.reason.unwrap();
    assert_eq!((told.shown, reason.rule, reason.wanted.len()), (false, "where", 1));
}

#[test]
fn a_condition_of_sets_and_texts_selects_the_same_by_steps() {
    let view = tools(600, &format!(r#""description":"{} end""#, "ab".repeat(13_000)));
    let parts = ["(group:g1 description:*end)", "(group:g0 -description:*ab*)", "name:t6?"];
    let expr = format!("{} or {}", parts.join(" or "), any("description:*zz*", 3));
    let mut selection = Selection::default();
    let filter = Filter::parse(&format!(r#"{{"where":{expr:?}}}"#)).unwrap().filter;
    let free = Narrowing::new(&view, &filter);
    let free = view.select(&free, Kind::Tool, &mut selection).clone();
    let bounded = settle(&view, &expr).unwrap();
    let mut selection = Selection::default();
    assert_eq!(view.select(&bounded, Kind::Tool, &mut selection), &free);
    assert_eq!(free.count(), 300 + 5);
}
