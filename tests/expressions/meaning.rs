//! A second implementation of the meaning of expressions, without bitsets. The engine must agree with it on random
//! subjects, and on random catalogs through every interface.

use std::collections::BTreeMap;

use mcp_sieve::Config;
use mcp_sieve::{
    Filter, Kind,
    catalog::{Bitset, Catalog, Lists, Primitive, Source},
    expr::{Expr, Field, NoCaller, Op, Subject, Term},
    filter::{Narrowing, ParsedFilter, Reason, Selection},
    policy::{CallerContext, Guarded, Predicate, PredicateError, Predicates, View},
};
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};

use crate::trees::tree_of;

/// Values by field, with the field as a term spells it.
type Facts = BTreeMap<String, Vec<String>>;

/// A text, and its position in the order of numbers, instants and versions; `None` if it has none.
struct Measured(&'static str, Option<f64>, Option<u8>, Option<u8>);

const VALUES: [Measured; 16] = [
    Measured("", None, None, None),
    Measured("a", None, None, None),
    Measured("ab", None, None, None),
    Measured("true", None, None, None),
    Measured("user", None, None, None),
    Measured("0", Some(0.0), None, Some(0)),
    Measured("0.5", Some(0.5), None, Some(1)),
    Measured("1.2", Some(1.2), None, Some(2)),
    Measured("1.2.3-rc.1", None, None, Some(3)),
    Measured("1.2.3", None, None, Some(4)),
    Measured("v2", None, None, Some(5)),
    Measured("7", Some(7.0), None, Some(6)),
    Measured("1970-01-01", None, Some(0), Some(7)),
    Measured("2026-07-28", None, Some(1), Some(8)),
    Measured("2026-07-28T12:00:00.5+02:00", None, Some(2), None),
    Measured("2026-07-28T12:00:00Z", None, Some(3), None),
];

/// Compares two of [`VALUES`] in the order of a field, or returns `None` if they have none.
fn order(field: &Field, have: &str, want: &str) -> Option<std::cmp::Ordering> {
    let of = |text: &str| VALUES.iter().find(|value| value.0 == text);
    let (have, want) = (of(have)?, of(want)?);
    let number = || have.1?.partial_cmp(&want.1?);
    let instant = || Some(have.2?.cmp(&want.2?));
    let version = || Some(have.3?.cmp(&want.3?));
    match field {
        Field::Priority => number(),
        Field::LastModified => instant(),
        Field::ClientVersion => version(),
        _ if want.1.is_some() => number(),
        _ if want.2.is_some() => instant(),
        _ => version(),
    }
}

/// Matches a pattern by its definition.
fn matches(pattern: &[char], text: &[char]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some(('*', rest)) => (0..=text.len()).any(|skip| matches(rest, &text[skip..])),
        Some(('?', rest)) => !text.is_empty() && matches(rest, &text[1..]),
        Some((c, rest)) => text.first() == Some(c) && matches(rest, &text[1..]),
    }
}

/// Evaluates a term.
fn term_holds(term: &Term, facts: &Facts) -> bool {
    let (field, want) = (term.field(), term.value());
    let values = facts.get(&field.to_string()).map(Vec::as_slice).unwrap_or_default();
    let typed = matches!(field, Field::Priority | Field::LastModified | Field::ClientVersion);
    let same =
        |have: &str| have == want || (typed && order(field, have, want).is_some_and(|order| order.is_eq()));
    let chars = |text: &str| text.chars().collect::<Vec<_>>();
    let accepts = |have: &String| match term.op() {
        Op::Matches => matches(&chars(want), &chars(have)),
        Op::Equals | Op::Differs => same(have),
        Op::Contains => have.split(want).count() > 1,
        Op::Starts => {
            chars(have).iter().zip(want.chars()).filter(|(a, b)| *a == b).count() == want.chars().count()
        }
        // `tests/arguments.rs` has its rows; the generated terms do not use it.
        Op::Under => false,
        Op::Less => order(field, have, want).is_some_and(|order| order.is_lt()),
        Op::AtMost => order(field, have, want).is_some_and(|order| order.is_le()),
        Op::Greater => order(field, have, want).is_some_and(|order| order.is_gt()),
        Op::AtLeast => order(field, have, want).is_some_and(|order| order.is_ge()),
    };
    if term.op() == Op::Differs {
        !values.is_empty() && !values.iter().any(accepts)
    } else {
        values.iter().any(accepts)
    }
}

/// Evaluates a tree.
fn holds(tree: &Expr, facts: &Facts) -> bool {
    match tree {
        Expr::All(parts) => !parts.iter().any(|part| !holds(part, facts)),
        Expr::Any(parts) => !parts.iter().all(|part| !holds(part, facts)),
        Expr::Not(inner) => !holds(inner, facts),
        Expr::Term(term) => term_holds(term, facts),
    }
}

/// A subject with these facts.
struct Known<'a>(&'a Facts);

impl CallerContext for Known<'_> {}

impl Subject for Known<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        self.0.get(&field.to_string()).into_iter().flatten().for_each(|value| visit(value));
    }
}

fn fields() -> Vec<Field> {
    let named = |named: fn(String) -> Field, name: &str| named(name.to_owned());
    vec![
        Field::Kind,
        Field::Group,
        Field::Tag,
        named(Field::Concern, "cost"),
        Field::Name,
        Field::Title,
        Field::Server,
        named(Field::Annotation, "hint"),
        Field::Audience,
        Field::Priority,
        Field::LastModified,
        named(Field::Meta, "x/y.z"),
        Field::ClientVersion,
        named(Field::Claim, "sub"),
    ]
}

fn value() -> impl Strategy<Value = String> {
    (0..VALUES.len()).prop_map(|at| VALUES[at].0.to_owned())
}

fn term() -> impl Strategy<Value = Expr> {
    let want = prop_oneof![4 => value(), 1 => select(vec!["*", "?", "a*", "*0*", "tool", "s", "t0"]).prop_map(str::to_owned)];
    let op = select(vec![
        Op::Matches,
        Op::Equals,
        Op::Differs,
        Op::Less,
        Op::AtMost,
        Op::Greater,
        Op::AtLeast,
        Op::Contains,
        Op::Starts,
    ]);
    // A value without an order in this field becomes a pattern instead.
    (select(fields()), op, want).prop_map(|(field, op, want)| {
        let term =
            Term::new(field.clone(), op, want.as_str()).or_else(|_| Term::new(field, Op::Matches, want));
        Expr::Term(term.expect("a term"))
    })
}

fn tree() -> impl Strategy<Value = Expr> {
    tree_of(term())
}

fn facts() -> impl Strategy<Value = Facts> {
    let entry = (select(fields()), prop::collection::vec(value(), 0..3));
    prop::collection::vec(entry, 0..8)
        .prop_map(|entries| entries.into_iter().map(|(field, values)| (field.to_string(), values)).collect())
}

/// Returns a tool with these facts as far as a tool can have them, and the facts that it has.
fn tool(at: usize, facts: &Facts) -> (Value, Facts) {
    let of = |field: &str| facts.get(field).cloned().unwrap_or_default();
    let first = |field: &str| of(field).into_iter().next();
    let mut distinct = [of("group"), of("tag"), of("concern.cost")];
    for names in &mut distinct {
        let mut known = Vec::new();
        names.retain(|name| {
            !known.contains(name) && {
                known.push(name.clone());
                true
            }
        });
    }
    let [groups, tags, costs] = distinct;
    let mut annotations = Map::new();
    for (key, field) in
        [("hint", "annotation.hint"), ("audience", "audience"), ("lastModified", "lastModified")]
    {
        annotations.insert(key.to_owned(), json!(of(field)));
    }
    // A number is written as a JSON number if the fact is one.
    let priority = first("priority")
        .map(|text| serde_json::from_str(&text).ok().filter(Value::is_number).unwrap_or(json!(text)));
    annotations.extend(priority.clone().map(|priority| ("priority".to_owned(), priority)));
    let name = format!("t{at}");
    let mut tool = json!({
        "name": name, "inputSchema": {}, "groups": groups, "tags": tags, "annotations": annotations,
        "_meta": {"x/y": {"z": of("meta.x/y.z")}},
    });
    if !costs.is_empty() {
        tool["_meta"]["concerns"] = json!({"cost": costs});
    }
    if let Some(title) = first("title") {
        tool["title"] = json!(title);
    }
    let said = [
        ("kind", vec!["tool".to_owned()]),
        ("server", vec!["s".to_owned()]),
        ("name", vec![name]),
        ("title", first("title").into_iter().collect()),
        ("group", groups),
        ("tag", tags),
        ("concern.cost", costs),
        ("annotation.hint", of("annotation.hint")),
        ("audience", of("audience")),
        ("priority", first("priority").into_iter().collect()),
        ("lastModified", of("lastModified")),
        ("meta.x/y.z", of("meta.x/y.z")),
    ];
    (tool, said.map(|(field, values)| (field.to_owned(), values)).into_iter().collect())
}

/// Returns the names of the tools that this caller sees under `config`.
fn seen(lists: &str, config: &Value, caller: &Facts) -> Vec<String> {
    let config = Config::parse(&config.to_string()).unwrap();
    let source = Source { server: "s", lists: Lists::read(lists).unwrap() };
    let catalog = Catalog::compile(&[source], &config.assignments);
    let view = Guarded::new(catalog, config.policies).view(&Known(caller));
    let kind_index = view.catalog().kind_index(Kind::Tool);
    view.bits(Kind::Tool).iter().filter_map(|index| kind_index.id(index)).map(str::to_owned).collect()
}

/// A predicate that shows only the tools with these names.
struct Only(Vec<String>);

impl Predicate for Only {
    fn name(&self) -> &str {
        "only"
    }

    fn holds(&self, primitive: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
        let name = primitive.member("name").and_then(mcp_sieve::json::Raw::text);
        Ok(self.0.iter().any(|known| Some(known.as_str()) == name.as_deref()))
    }
}

/// Returns a view of a catalog in which only the tools in `some` are visible.
fn only(catalog: &Catalog, some: &Bitset) -> View {
    let kind_index = catalog.kind_index(Kind::Tool);
    let mut predicates = Predicates::default();
    predicates.add(Only(some.iter().filter_map(|at| kind_index.id(at)).map(str::to_owned).collect()));
    Guarded::new(catalog.clone(), Vec::new()).asking(&predicates).view(&NoCaller)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_subject(tree in tree(), facts in facts()) {
        prop_assert_eq!(tree.holds(&Known(&facts)), holds(&tree, &facts), "{}", tree);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_a_catalog(tree in tree(), tools in prop::collection::vec(facts(), 0..70), caller in facts(), within: u64) {
        let (tools, facts): (Vec<Value>, Vec<Facts>) =
            tools.iter().enumerate().map(|(at, facts)| tool(at, facts)).unzip();
        let lists = json!({"tools": tools}).to_string();
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        let catalog = Catalog::compile(&[source], &Default::default());
        let kind_index = catalog.kind_index(Kind::Tool);
        prop_assert_eq!(kind_index.len(), tools.len());

        // An anonymous caller, and one with known fields.
        let mut asked = caller.clone();
        asked.retain(|field, _| ["client.version", "claim.sub"].contains(&field.as_str()));
        for caller in [Facts::new(), asked] {
            let holds_of = |at: &usize| holds(&tree, &facts[*at].clone().into_iter().chain(caller.clone()).collect());
            let expected: Vec<usize> = (0..tools.len()).filter(holds_of).collect();

            let picked = catalog.pick(Kind::Tool, &tree, kind_index.all(), &Known(&caller));
            prop_assert_eq!(picked.iter().collect::<Vec<_>>(), expected.clone(), "{}", tree);
            let mut some = kind_index.all().clone();
            (0..tools.len()).filter(|at| within >> (at % 64) & 1 == 0).for_each(|at| some.remove(at));
            let picked = catalog.pick(Kind::Tool, &tree, &some, &Known(&caller));
            let both: Vec<usize> = expected.iter().copied().filter(|at| some.contains(*at)).collect();
            prop_assert_eq!(picked.iter().collect::<Vec<_>>(), both.clone(), "{} within", tree);

            let names: Vec<String> = expected.iter().map(|at| format!("t{at}")).collect();
            let policies = json!({"policies": [{"name": "p", "show": tree.to_string()}]});
            prop_assert_eq!(seen(&lists, &policies, &caller), names.clone(), "{} as a policy", tree);
            if caller.is_empty() && tree.reads_caller().is_none() {
                let json: Value = serde_json::from_slice(&tree.json()).unwrap();
                let ParsedFilter { filter, ignored, .. } = Filter::parse(&json!({"where": json}).to_string()).unwrap();
                prop_assert!(ignored.is_empty());
                let whole = View::everything(catalog.clone());
                let part = only(&catalog, &some);
                prop_assert_eq!(part.bits(Kind::Tool), &some);
                let narrowing = Narrowing::new(&whole, &filter);
                let mut selection = Selection::default();
                // A selection that is reused for another view must not return results of the previous one.
                for (view, expected) in [(&whole, &expected), (&part, &both), (&whole, &expected), (&part, &both)] {
                    let selected = view.select(&narrowing, Kind::Tool, &mut selection);
                    prop_assert_eq!(&selected.iter().collect::<Vec<_>>(), expected, "{} as a filter", tree);
                }
                for (at, facts) in facts.iter().enumerate() {
                    let shown = whole.explain(&narrowing, Kind::Tool, &format!("t{at}"));
                    prop_assert_eq!(shown.shown, expected.contains(&at));
                    let part = match shown.reason {
                        Some(Reason { rule: "where", wanted, .. }) => wanted.join(" or "),
                        reason => { prop_assert_eq!(reason, None); continue }
                    };
                    // The part reported as the reason does not hold, and belongs to the expression.
                    let part: Expr = part.parse().unwrap();
                    prop_assert!(!holds(&part, facts), "{part} of {tree}");
                    prop_assert!(part.terms().iter().all(|term| tree.terms().contains(term)), "{part} of {tree}");
                }
                let rules = json!({"rules": [{"match": {"not": json}, "hide": true}]});
                prop_assert_eq!(seen(&lists, &rules, &caller), names, "{} as a rule", tree);
            }
        }
    }
}
