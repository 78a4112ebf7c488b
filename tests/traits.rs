//! The traits of the public types (threads may share them), and the limits: an input at a limit is accepted, and one
//! beyond it is rejected.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::{
    cell::Cell,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use mcp_sieve::{
    Error, ErrorKind, Filter, Ignored, Kind,
    catalog::{Assignments, Catalog, Lists, Primitive, Source},
    concern::{Concerns, Configuration},
    expr::{self, Expr, Field, Subject},
    filter::{Explanation, Narrowing, Selection},
    json,
    policy::{CallerContext, Guarded, Policy, Predicate, PredicateError, Predicates, Reads, View},
    rank::Index,
    seal::Key,
};
use mcp_sieve_gateway::config::{Config, MAX_NUMBER};
use mcp_sieve_gateway::server::{Cursor, Position};

#[test]
fn threads_may_share_every_type() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<mcp_sieve::Caller>();
    shared::<mcp_sieve::Match>();
    shared::<mcp_sieve::Selection>();
    shared::<mcp_sieve::Sieve>();
    shared::<mcp_sieve::View>();
    shared::<mcp_sieve_gateway::middleware::Content<'_>>();
    shared::<mcp_sieve_gateway::middleware::Outcome<'_>>();
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

/// Asserts that the input at the limit is accepted, and the one beyond it rejected with this code and message.
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
    let beyond = json::Raw::MAX_DEPTH + 1;
    let message =
        format!("JSON nests deeper than 127 levels at byte {}", "{\"x\":".len() + json::Raw::MAX_DEPTH - 1);
    bounded(filter(nested(json::Raw::MAX_DEPTH)), filter(nested(beyond)), "json", &message);

    // What a server lists may cost itself only.
    let listed = |depth: usize| format!("{{\"tools\":[],\"x\":{}}}", nested(depth - 1));
    assert!(Lists::read(&listed(100_000)).is_ok());
    let primitives = |levels| {
        let tool = format!(
            "{{\"name\":\"deep\",\"inputSchema\":{{\"type\":\"object\"}},\"x\":{}}}",
            nested(levels - 1)
        );
        let text =
            format!("{{\"tools\":[{tool},{{\"name\":\"a\",\"inputSchema\":{{\"type\":\"object\"}}}}]}}");
        Lists::read(&text).unwrap().primitives(Kind::Tool).len()
    };
    assert_eq!(
        (primitives(Lists::MAX_DEPTH), primitives(Lists::MAX_DEPTH + 1), primitives(100_000)),
        (2, 1, 1)
    );

    // No member of a configuration may nest this deep, so an input within the limit is rejected for its shape.
    let refused = |depth| Config::parse(&nested(depth)).unwrap_err().code();
    assert_eq!((refused(json::Raw::MAX_DEPTH), refused(beyond)), ("config", "json"));
    let commented = format!("// {}\n/* \" {} */ {{}}", "[".repeat(100), "{".repeat(100));
    assert!(Config::parse(&commented).is_ok(), "brackets in comments do not nest");
}

#[test]
fn the_depth_of_an_expression() {
    let nested = |levels: usize| expression(format!("{}name:a{}", "(".repeat(levels), ")".repeat(levels)));
    let deepest = expr::Expr::MAX_DEPTH - 1;
    let message = |opened: &str| {
        let around = format!("found `name:a` after `…{}`", opened.repeat(24));
        format!("expected at most 32 levels, {around} at byte {}", expr::Expr::MAX_DEPTH)
    };
    bounded(nested(deepest), nested(deepest + 1), "expression", &message("("));
    bounded(
        expression("-".repeat(deepest) + "name:a"),
        expression("-".repeat(deepest + 1) + "name:a"),
        "expression",
        &message("-"),
    );
    // An expression that parses at the limit is printed within it.
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
    bounded(long(expr::Expr::MAX_SOURCE), long(expr::Expr::MAX_SOURCE + 1), "expression", message);
}

#[test]
fn the_terms_of_an_expression() {
    let terms = |count: usize| expression(["name:a"].repeat(count).join(" or "));
    let around = "found `name:a` after `…a or name:a or name:a or`";
    let at = "name:a or ".len() * expr::Expr::MAX_TERMS;
    let message = format!("expected at most 256 terms, {around} at byte {at}");
    bounded(terms(expr::Expr::MAX_TERMS), terms(expr::Expr::MAX_TERMS + 1), "expression", &message);
}

#[test]
fn the_value_of_a_term() {
    for letter in ["a", "ß", "🧀"] {
        let bare = |length: usize| expression(format!("name:{}", letter.repeat(length)));
        let quoted = |length: usize| expression(format!("name:\"{} \"", letter.repeat(length - 1)));
        let message = "a value holds at most 256 characters at byte 5";
        bounded(bare(expr::Expr::MAX_VALUE), bare(expr::Expr::MAX_VALUE + 1), "expression", message);
        bounded(quoted(expr::Expr::MAX_VALUE), quoted(expr::Expr::MAX_VALUE + 1), "expression", message);
    }
}

#[test]
fn the_values_of_a_filter() {
    let list = |count: usize| (0..count).map(|at| format!("\"v{at}\"")).collect::<Vec<_>>().join(",");
    for field in ["groups", "tags"] {
        let many = |count| filter(format!("{{\"{field}\":[{}]}}", list(count)));
        let message = format!("filter.{field}: a filter accepts at most 100 values here");
        bounded(
            many(Configuration::MAX_VALUES),
            many(Configuration::MAX_VALUES + 1),
            "filter_limit",
            &message,
        );
    }
    let many = |count| filter(format!("{{\"concerns\":{{\"c\":[{}]}}}}", list(count)));
    let message = "filter.concerns.c: a filter accepts at most 100 values here";
    bounded(many(Configuration::MAX_VALUES), many(Configuration::MAX_VALUES + 1), "filter_limit", message);

    let pairs = |count: usize| (0..count).map(|at| format!("\"c{at}\":null")).collect::<Vec<_>>().join(",");
    let concerns = |count| filter(format!("{{\"concerns\":{{{}}}}}", pairs(count)));
    let message = "filter.concerns: a filter accepts at most 100 concerns here";
    bounded(
        concerns(Configuration::MAX_VALUES),
        concerns(Configuration::MAX_VALUES + 1),
        "filter_limit",
        message,
    );
}

#[test]
fn the_length_of_a_query() {
    // The limit counts bytes, without the white space around the words.
    for letter in ["a", "ß", "日", "🧀"] {
        let words = |bytes: usize| letter.repeat(bytes / letter.len()) + &"b".repeat(bytes % letter.len());
        let written = |bytes| filter(format!("{{\"query\":\"  {} \"}}", words(bytes)));
        let message = "filter.query: a filter accepts at most 2048 bytes here";
        bounded(written(Index::MAX_QUERY), written(Index::MAX_QUERY + 1), "filter_limit", message);
        let asked = |bytes| Filter::from_query(&format!("query={}&query=b", words(bytes - 2))).err();
        let message = "?query: a filter accepts at most 2048 bytes here";
        bounded(asked(Index::MAX_QUERY), asked(Index::MAX_QUERY + 1), "filter_limit", message);
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
            let message = format!("{path}: a filter accepts at most 256 characters here");
            bounded(
                written(Configuration::MAX_VALUE_LENGTH),
                written(Configuration::MAX_VALUE_LENGTH + 1),
                "filter_limit",
                &message,
            );
        }
        let named = |length| filter(format!("{{\"concerns\":{{\"{}\":1}}}}", long(length)));
        let message = format!(
            "filter.concerns.{}: a filter accepts at most 256 characters here",
            long(Configuration::MAX_VALUE_LENGTH + 1)
        );
        bounded(
            named(Configuration::MAX_VALUE_LENGTH),
            named(Configuration::MAX_VALUE_LENGTH + 1),
            "filter_limit",
            &message,
        );
    }
}

#[test]
fn the_values_of_a_query() {
    let query = |source: String| Filter::from_query(&source).err();
    let list = |count: usize| (0..count).map(|at| format!("v{at}")).collect::<Vec<_>>().join(",");
    for field in ["groups", "tags", "concern.c"] {
        let message = format!("?{field}: a filter accepts at most 100 values here");
        let many = |count| query(format!("{field}={}", list(count)));
        bounded(
            many(Configuration::MAX_VALUES),
            many(Configuration::MAX_VALUES + 1),
            "filter_limit",
            &message,
        );
        // Values spread over several parameters count together.
        let split = |count| query(format!("{field}={}&{field}=w", list(count - 1)));
        bounded(
            split(Configuration::MAX_VALUES),
            split(Configuration::MAX_VALUES + 1),
            "filter_limit",
            &message,
        );
        let message = format!("?{field}: a filter accepts at most 256 characters here");
        let long = |length: usize| query(format!("{field}=x,{}", "%C3%9F".repeat(length)));
        bounded(
            long(Configuration::MAX_VALUE_LENGTH),
            long(Configuration::MAX_VALUE_LENGTH + 1),
            "filter_limit",
            &message,
        );
    }
    assert_eq!(query(format!("token={}", "x".repeat(1000))), None, "other names are not ours to bound");
    let concerns = |count: usize| query((0..count).map(|at| format!("concern.c{at}=x&")).collect());
    let message = "?concern.c100: a filter accepts at most 100 values here";
    bounded(
        concerns(Configuration::MAX_VALUES),
        concerns(Configuration::MAX_VALUES + 1),
        "filter_limit",
        message,
    );
    let named = |length: usize| query(format!("concern.{}=x", "n".repeat(length)));
    let message = format!(
        "?concern.{}: a filter accepts at most 256 characters here",
        "n".repeat(Configuration::MAX_VALUE_LENGTH + 1)
    );
    bounded(
        named(Configuration::MAX_VALUE_LENGTH),
        named(Configuration::MAX_VALUE_LENGTH + 1),
        "filter_limit",
        &message,
    );
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

/// A caller with a long token that counts how often a policy reads it.
struct Counting {
    number: usize,
    token: String,
    asked: Cell<usize>,
}

impl Counting {
    fn new(number: usize, length: usize) -> Self {
        Self { number, token: format!("{number:0length$}"), asked: Cell::new(0) }
    }
}

impl CallerContext for Counting {}

impl Subject for Counting {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.asked.set(self.asked.get() + 1);
        match field {
            Field::Claim(name) if name == "token" => visit(&self.token),
            Field::Claim(name) if name.parse().is_ok_and(|bit: u32| self.number >> bit & 1 == 1) => {
                visit("yes")
            }
            _ => {}
        }
    }
}

/// A predicate that shows everything and counts its evaluations.
struct Judgements {
    reads: Vec<Field>,
    count: Arc<AtomicUsize>,
}

impl Predicate for Judgements {
    fn name(&self) -> &str {
        "judgements"
    }

    fn reads(&self) -> Reads<'_> {
        if self.reads.is_empty() { Reads::Primitive } else { Reads::Caller(&self.reads) }
    }

    fn holds(&self, _: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
        self.count.fetch_add(1, Relaxed);
        Ok(true)
    }
}

const TOOLS: usize = 4;

/// Returns four tools under a policy and a predicate, and the number of its evaluations.
fn judged(show: &str, reads: &[&str]) -> (Guarded, Arc<AtomicUsize>) {
    let tool = |at| format!(r#"{{"name":"t{at}","description":"one of {TOOLS}","inputSchema":{{}}}}"#);
    let listed = format!(r#"{{"tools":[{}]}}"#, (0..TOOLS).map(tool).collect::<Vec<_>>().join(","));
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    let policy = Policy::new("p", show.parse().unwrap());
    let catalog = Catalog::compile(&[source], &Assignments::default());
    let reads = reads.iter().map(|name| Field::Claim((*name).to_owned())).collect();
    let (mut predicates, count) = (Predicates::default(), Arc::default());
    predicates.add(Judgements { reads, count: Arc::clone(&count) });
    (Guarded::new(catalog, vec![policy]).asking(&predicates), count)
}

#[test]
fn many_callers_are_known_at_once() {
    const CALLERS: usize = 1_000;
    let (guarded, judgements) = judged("name:*", &["token"]);
    for round in 0..3 {
        for number in 0..CALLERS {
            assert_eq!(guarded.view(&Counting::new(number, 8)).count(Kind::Tool), TOOLS, "{round}");
        }
        assert_eq!(judgements.load(Relaxed), CALLERS * TOOLS, "each caller was judged once, round {round}");
    }
}

#[test]
fn the_bytes_of_cached_views() {
    const TOKEN: usize = 60_000;
    let fit = Guarded::MAX_VIEW_BYTES / TOKEN;
    let (guarded, judgements) = judged("name:*", &["token"]);
    let known = |number: usize| {
        let before = judgements.load(Relaxed);
        assert_eq!(guarded.view(&Counting::new(number, TOKEN)).count(Kind::Tool), TOOLS);
        assert!(guarded.cached_bytes() <= Guarded::MAX_VIEW_BYTES, "caller {number}");
        judgements.load(Relaxed) == before
    };
    assert!(
        (0..3 * fit).all(|number| !known(number) && known(0)),
        "each is new, but the first is used again"
    );
    assert!(guarded.cached_bytes() > Guarded::MAX_VIEW_BYTES / 2, "as many as fit are kept");
    assert!((3 * fit - fit / 2..3 * fit).all(known), "the last are kept");
    assert!(known(0), "and what is used again and again");
    assert!(!known(1), "but not what was used long ago");
}

/// Search indexes are built long after their views were cached, and count towards the limit as well.
#[test]
fn the_bytes_of_cached_search_indexes() {
    const BITS: usize = 10;
    let word = |at: usize, of: usize| format!("w{}", at * 7919 % 100_003 + of * 31);
    let tools = (0..600).map(|at| {
        let text = (0..60).map(|of| word(at, of)).collect::<Vec<_>>().join(" ");
        format!(r#"{{"name":"t{at}","description":"{text}","inputSchema":{{}}}}"#)
    });
    let listed = format!(r#"{{"tools":[{}]}}"#, tools.collect::<Vec<_>>().join(","));
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    let policies = (0..BITS).map(|bit| {
        let show = format!("claim.{bit}:yes or -name:*{bit}{bit}");
        Policy::new(format!("p{bit}"), show.parse().unwrap())
    });
    let catalog = Catalog::compile(&[source], &Assignments::default());
    let guarded = Guarded::new(catalog, policies.collect());
    let views: Vec<View> = (0..1 << BITS).map(|number| guarded.view(&Counting::new(number, 8))).collect();
    let (without, mut size) = (guarded.cached_bytes(), 0);
    for view in &views {
        size += view.index(Kind::Tool).size();
        guarded.view(&Counting::new(0, 8));
        assert!(guarded.cached_bytes() <= Guarded::MAX_VIEW_BYTES);
        if size > 2 * Guarded::MAX_VIEW_BYTES {
            break;
        }
    }
    assert!(size > 2 * Guarded::MAX_VIEW_BYTES, "{size} bytes of indexes were made");
    assert!(guarded.cached_bytes() > Guarded::MAX_VIEW_BYTES / 2, "as many as fit are kept");
    assert!(without > (1 << BITS) * 8, "the views themselves are counted");
    // The indexes are dropped, and the views stay.
    let caller = Counting::new(1, 8);
    assert_eq!(guarded.view(&caller).bits(Kind::Tool), views[1].bits(Kind::Tool));
}

/// Expressions that read no caller are evaluated once for all callers; each term that reads the caller, once for each.
#[test]
fn primitives_are_judged_once_for_all_callers() {
    const BITS: usize = 7;
    let terms = (0..BITS).map(|bit| format!("claim.{bit}:yes")).collect::<Vec<_>>().join(" or ");
    let (guarded, judgements) = judged(&format!("(name:t0 or {terms}) description:one*"), &[]);
    for number in 0..1 << BITS {
        let caller = Counting::new(number, 8);
        let view = guarded.view(&caller);
        assert_eq!(view.count(Kind::Tool), if number == 0 { 1 } else { TOOLS }, "caller {number}");
        assert_eq!(caller.asked.get(), BITS, "caller {number}");
    }
    assert_eq!(judgements.load(Relaxed), TOOLS);
}

/// Callers with the same view share its search index, however they differ.
#[test]
fn callers_who_see_the_same_share_a_search_index() {
    let (guarded, _) = judged("name:*", &["token"]);
    let index = |number| guarded.view(&Counting::new(number, 8)).index(Kind::Tool);
    assert!(Arc::ptr_eq(&index(1), &index(2)));
}
