//! What the types promise (threads may share them), and where the limits lie: at each bound an input is
//! taken, one beyond it is refused.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::cell::Cell;

use mcp_sieve::{
    catalog::{Assignments, Catalog, Kind, Lists, Primitive, Source},
    concern::{Concerns, Configuration, MAX_VALUE_LENGTH, MAX_VALUES},
    config::{Config, MAX_NUMBER},
    error::{Error, ErrorKind, Ignored},
    expr::{self, Expr, Field, Subject},
    filter::{Cursor, Explanation, Filter, Narrowing, Position, Selection},
    json,
    policy::{CallerContext, Guarded, MAX_VIEWS, Policy, View},
    rank::MAX_QUERY,
    seal::Key,
};

#[test]
fn threads_may_share_every_type() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<mcp_sieve::Caller>();
    shared::<mcp_sieve::Match>();
    shared::<mcp_sieve::Selection>();
    shared::<mcp_sieve::Sieve>();
    shared::<mcp_sieve::View>();
    shared::<Assignments>();
    shared::<Catalog>();
    shared::<Concerns>();
    shared::<Config>();
    shared::<Configuration>();
    shared::<Cursor>();
    shared::<Error>();
    shared::<ErrorKind>();
    shared::<Explanation>();
    shared::<Expr>();
    shared::<Field>();
    shared::<Filter>();
    shared::<Guarded>();
    shared::<Ignored>();
    shared::<Key>();
    shared::<Lists<'_>>();
    shared::<Narrowing>();
    shared::<Policy>();
    shared::<Position>();
    shared::<Primitive<'_>>();
    shared::<Selection>();
    shared::<Source<'_>>();
    shared::<View>();
}

#[test]
fn an_error_is_one() {
    fn error<T: std::error::Error + Clone + PartialEq>() {}
    error::<Error>();
    let error = "nope".parse::<Expr>().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Expression, "expression"));
}

/// At the bound it is taken, one beyond it is refused with these words.
#[track_caller]
fn bounded(at: Option<Error>, beyond: Option<Error>, code: &str, message: &str) {
    assert_eq!(at, None, "at the bound");
    let beyond = beyond.expect("one beyond the bound is refused");
    assert_eq!(beyond.code(), code);
    assert_eq!(beyond.to_string(), message);
}

fn expression(source: String) -> Option<Error> {
    source.parse::<Expr>().err()
}

fn filter(source: String) -> Option<Error> {
    Filter::parse(&source).err()
}

#[test]
fn the_depth_of_json() {
    let nested = |depth: usize| format!("{{\"x\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let beyond = json::MAX_DEPTH + 1;
    let message =
        format!("JSON nests deeper than 64 levels at byte {}", "{\"x\":".len() + json::MAX_DEPTH - 1);
    bounded(filter(nested(json::MAX_DEPTH)), filter(nested(beyond)), "json", &message);

    let listed = |depth| format!("{{\"tools\":[],\"x\":{}}}", nested(depth - 1));
    let read = |depth| Lists::read(&listed(depth)).err();
    let message =
        format!("JSON nests deeper than 64 levels at byte {}", "{\"tools\":[],\"x\":{\"x\":".len() + 62);
    bounded(read(json::MAX_DEPTH), read(beyond), "json", &message);

    // A configuration has no member that may nest so deep; what is within the bound is refused for its shape.
    let refused = |depth| Config::parse(&nested(depth)).unwrap_err().code();
    assert_eq!((refused(json::MAX_DEPTH), refused(beyond)), ("config", "json"));
    let commented = format!("// {}\n/* \" {} */ {{}}", "[".repeat(100), "{".repeat(100));
    assert!(Config::parse(&commented).is_ok(), "brackets in comments do not nest");
}

#[test]
fn the_depth_of_an_expression() {
    let nested = |levels: usize| expression(format!("{}name:a{}", "(".repeat(levels), ")".repeat(levels)));
    let deepest = expr::MAX_DEPTH - 1;
    let message = |opened: &str| {
        let around = format!("found `name:a` after `…{}`", opened.repeat(24));
        format!("expected at most 32 levels, {around} at byte {}", expr::MAX_DEPTH)
    };
    bounded(nested(deepest), nested(deepest + 1), "expression", &message("("));
    bounded(
        expression("-".repeat(deepest) + "name:a"),
        expression("-".repeat(deepest + 1) + "name:a"),
        "expression",
        &message("-"),
    );
    // What parses at the bound is printed within it.
    let mut source = "name:a or name:b name:c".to_owned();
    for _ in 0..deepest {
        source = format!("(name:a or name:b {source}) name:c");
    }
    let tree: Expr = source.parse().unwrap();
    assert_eq!(tree.to_string().parse(), Ok(tree));
}

#[test]
fn the_length_of_an_expression() {
    let long = |bytes: usize| {
        let terms = "name:a ".repeat(200);
        expression(format!("{terms}{}name:b", " ".repeat(bytes - terms.len() - "name:b".len())))
    };
    let message = "expected at most 8192 bytes of text at byte 8192";
    bounded(long(expr::MAX_SOURCE), long(expr::MAX_SOURCE + 1), "expression", message);
}

#[test]
fn the_terms_of_an_expression() {
    let terms = |count: usize| expression(["name:a"].repeat(count).join(" or "));
    let around = "found `name:a` after `…a or name:a or name:a or`";
    let at = "name:a or ".len() * expr::MAX_TERMS;
    let message = format!("expected at most 256 terms, {around} at byte {at}");
    bounded(terms(expr::MAX_TERMS), terms(expr::MAX_TERMS + 1), "expression", &message);
}

#[test]
fn the_value_of_a_term() {
    for letter in ["a", "ß", "🧀"] {
        let bare = |length: usize| expression(format!("name:{}", letter.repeat(length)));
        let quoted = |length: usize| expression(format!("name:\"{} \"", letter.repeat(length - 1)));
        let message = "a value holds at most 256 characters at byte 5";
        bounded(bare(expr::MAX_VALUE), bare(expr::MAX_VALUE + 1), "expression", message);
        bounded(quoted(expr::MAX_VALUE), quoted(expr::MAX_VALUE + 1), "expression", message);
    }
}

#[test]
fn the_values_of_a_filter() {
    let list = |count: usize| (0..count).map(|at| format!("\"v{at}\"")).collect::<Vec<_>>().join(",");
    for field in ["groups", "tags"] {
        let many = |count| filter(format!("{{\"{field}\":[{}]}}", list(count)));
        let message = format!("filter.{field}: a filter takes at most 100 values here");
        bounded(many(MAX_VALUES), many(MAX_VALUES + 1), "filter_limit", &message);
    }
    let many = |count| filter(format!("{{\"concerns\":{{\"c\":[{}]}}}}", list(count)));
    let message = "filter.concerns.c: a filter takes at most 100 values here";
    bounded(many(MAX_VALUES), many(MAX_VALUES + 1), "filter_limit", message);

    let pairs = |count: usize| (0..count).map(|at| format!("\"c{at}\":null")).collect::<Vec<_>>().join(",");
    let concerns = |count| filter(format!("{{\"concerns\":{{{}}}}}", pairs(count)));
    let message = "filter.concerns: a filter takes at most 100 concerns here";
    bounded(concerns(MAX_VALUES), concerns(MAX_VALUES + 1), "filter_limit", message);
}

#[test]
fn the_length_of_a_query() {
    // Bytes, and not those around the words.
    for letter in ["a", "ß", "日", "🧀"] {
        let words = |bytes: usize| letter.repeat(bytes / letter.len()) + &"b".repeat(bytes % letter.len());
        let written = |bytes| filter(format!("{{\"query\":\"  {} \"}}", words(bytes)));
        let message = "filter.query: a filter takes at most 2048 bytes here";
        bounded(written(MAX_QUERY), written(MAX_QUERY + 1), "filter_limit", message);
        let asked = |bytes| Filter::from_query(&format!("query={}&query=b", words(bytes - 2))).err();
        let message = "?query: a filter takes at most 2048 bytes here";
        bounded(asked(MAX_QUERY), asked(MAX_QUERY + 1), "filter_limit", message);
    }
}

#[test]
fn the_length_of_a_filter_value() {
    for letter in ["a", "ß", "🧀"] {
        let long = |length: usize| letter.repeat(length);
        for (source, path) in [
            ("{\"groups\":[\"x\",\"_\"]}", "filter.groups[1]"),
            ("{\"tags\":[\"_\"]}", "filter.tags[0]"),
            ("{\"concerns\":{\"c\":\"_\"}}", "filter.concerns.c"),
            ("{\"concerns\":{\"c\":[1,\"_\"]}}", "filter.concerns.c[1]"),
        ] {
            let written = |length| filter(source.replace('_', &long(length)));
            let message = format!("{path}: a filter takes at most 256 characters here");
            bounded(written(MAX_VALUE_LENGTH), written(MAX_VALUE_LENGTH + 1), "filter_limit", &message);
        }
        let named = |length| filter(format!("{{\"concerns\":{{\"{}\":1}}}}", long(length)));
        let message = format!(
            "filter.concerns.{}: a filter takes at most 256 characters here",
            long(MAX_VALUE_LENGTH + 1)
        );
        bounded(named(MAX_VALUE_LENGTH), named(MAX_VALUE_LENGTH + 1), "filter_limit", &message);
    }
}

#[test]
fn the_values_of_a_query() {
    let query = |source: String| Filter::from_query(&source).err();
    let list = |count: usize| (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>().join(",");
    for field in ["groups", "tags", "concern.c"] {
        let message = format!("?{field}: a filter takes at most 100 values here");
        let many = |count| query(format!("{field}={}", list(count)));
        bounded(many(MAX_VALUES), many(MAX_VALUES + 1), "filter_limit", &message);
        // Spread over several parameters, they count together.
        let split = |count| query(format!("{field}={}&{field}=w", list(count - 1)));
        bounded(split(MAX_VALUES), split(MAX_VALUES + 1), "filter_limit", &message);
        let message = format!("?{field}: a filter takes at most 256 characters here");
        let long = |length: usize| query(format!("{field}=x,{}", "%C3%9F".repeat(length)));
        bounded(long(MAX_VALUE_LENGTH), long(MAX_VALUE_LENGTH + 1), "filter_limit", &message);
    }
    assert_eq!(query(format!("token={}", "x".repeat(1000))), None, "other names are not ours to bound");
    let concerns = |count: usize| query((0..count).map(|at| format!("concern.c{at}=x&")).collect());
    let message = "?concern.c100: a filter takes at most 100 values here";
    bounded(concerns(MAX_VALUES), concerns(MAX_VALUES + 1), "filter_limit", message);
    let named = |length: usize| query(format!("concern.{}=x", "n".repeat(length)));
    let message =
        format!("?concern.{}: a filter takes at most 256 characters here", "n".repeat(MAX_VALUE_LENGTH + 1));
    bounded(named(MAX_VALUE_LENGTH), named(MAX_VALUE_LENGTH + 1), "filter_limit", &message);
}

#[test]
fn the_numbers_of_a_configuration() {
    for (source, path, lowest) in [
        ("{\"pageSize\":_}", "pageSize", 1),
        ("{\"upstream\":{\"timeoutMs\":_}}", "upstream.timeoutMs", 1),
        ("{\"upstream\":{\"callTimeoutMs\":_}}", "upstream.callTimeoutMs", 1),
        ("{\"upstream\":{\"ttlMs\":_}}", "upstream.ttlMs", 0),
        ("{\"upstream\":{\"maxPages\":_}}", "upstream.maxPages", 1),
    ] {
        let parse = |number: i64| Config::parse(&source.replace('_', &number.to_string())).err();
        let message = format!("{path}: expected a whole number from {lowest} to 4294967295");
        bounded(parse(lowest), parse(lowest - 1), "config", &message);
        bounded(parse(MAX_NUMBER), parse(MAX_NUMBER + 1), "config", &message);
    }
}

/// A caller who counts how often it is asked about itself.
struct Counting {
    claims: usize,
    asked: Cell<usize>,
}

impl CallerContext for Counting {}

impl Subject for Counting {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.asked.set(self.asked.get() + 1);
        if let Field::Claim(name) = field
            && name.parse().is_ok_and(|bit: u32| self.claims >> bit & 1 == 1)
        {
            visit("yes");
        }
    }
}

#[test]
fn the_views_of_a_catalog() {
    const BITS: usize = 7;
    let listed = r#"{"tools":[{"name":"a","inputSchema":{}},{"name":"b","inputSchema":{}}]}"#;
    let source = Source { server: "s", lists: Lists::read(listed).unwrap() };
    let terms = (0..BITS).map(|bit| format!("claim.{bit}:yes")).collect::<Vec<_>>().join(" or ");
    let show = format!("name:a or {terms}");
    let policy = Policy::new("p", show.parse().unwrap());
    let guarded = Guarded::new(Catalog::compile(&[source], &Assignments::default()), vec![policy]);

    // A view that is kept asks the caller its terms and no more; a new one asks again for each primitive.
    let kept = |claims: usize| {
        let caller = Counting { claims, asked: Cell::new(0) };
        let view = guarded.view(&caller);
        assert_eq!(view.count(Kind::Tool), if claims == 0 { 1 } else { 2 }, "caller {claims}");
        caller.asked.get() == BITS
    };
    assert!((0..MAX_VIEWS).all(|claims| !kept(claims)), "every caller differs");
    assert!((0..MAX_VIEWS).all(kept), "as many as fit are kept");
    assert!(!kept(MAX_VIEWS), "one more is new");
    assert!(kept(MAX_VIEWS), "and kept");
    assert!(!kept(0), "for which the others were given up");
}
