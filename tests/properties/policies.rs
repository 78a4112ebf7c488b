//! Views compared with policies that are evaluated for each caller and each primitive, one after the other.

use mcp_sieve::{
    Kind,
    catalog::{Bitset, Catalog, Lists, Primitive, Source},
    expr::{Expr, Field, Subject},
    policy::{CallerContext, Guarded, Policy, Predicate, PredicateError, Predicates, Reads, View},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::random::Random;

/// Number of catalogs, each with several sets of policies.
const CATALOGS: u64 = 120;

/// Terms that read the caller, the primitive's sets, its id, and its text.
const TERMS: [&str; 18] = [
    "claim.role:staff",
    "claim.role:*",
    "claim.team!=red",
    "header.x-tier:gold",
    "method:tools/*",
    "kind:tool",
    "tag:t*",
    "tag!=t1",
    "group:g",
    "name:*a*",
    "name!=b1",
    "server:s",
    "title:*",
    "description contains secret",
    "description:*x*x*",
    "description!=plain",
    "annotation.readOnlyHint:true",
    "meta.x.y>=2",
];

/// A caller, as the values of its fields.
struct Known(Vec<(&'static str, &'static str)>);

impl Subject for Known {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        let name = field.to_string();
        self.0.iter().filter(|(known, _)| *known == name).for_each(|(_, value)| visit(value));
    }
}

impl CallerContext for Known {}

/// A predicate that fails for names that end in 7, and shows names that end in 3 only to staff.
struct Digits {
    name: &'static str,
    priority: i32,
    open: bool,
    reads: Vec<Field>,
}

impl Predicate for Digits {
    fn name(&self) -> &str {
        self.name
    }
    fn priority(&self) -> i32 {
        self.priority
    }
    fn fails_open(&self) -> bool {
        self.open
    }
    fn reads(&self) -> Reads<'_> {
        if self.reads.is_empty() { Reads::Primitive } else { Reads::Caller(&self.reads) }
    }
    fn holds(&self, primitive: &Primitive<'_>, caller: &dyn CallerContext) -> Result<bool, PredicateError> {
        let mut staff = false;
        caller.values(&Field::Claim("role".to_owned()), &mut |role| staff |= role == "staff");
        let name = primitive.member("name").and_then(mcp_sieve::json::Raw::text).unwrap_or_default();
        match name.chars().last() {
            Some('7') => Err(PredicateError::new("a seven")),
            Some('3') => Ok(staff),
            _ => Ok(true),
        }
    }
}

/// Returns a random expression of [`TERMS`].
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.one_in(3) {
        return (*random.pick(&TERMS)).to_owned();
    }
    let parts: Vec<String> = (0..2 + random.below(3)).map(|_| expression(random, depth - 1)).collect();
    match random.below(3) {
        0 => format!("({})", parts.join(" ")),
        1 => format!("({})", parts.join(" or ")),
        _ => format!("-({})", parts.join(" ")),
    }
}

/// Returns a random primitive.
fn primitive(random: &mut Random, kind: Kind, at: usize) -> Value {
    let name = format!("{}{at}", random.pick(&["a", "b", "xa"]));
    let mut listed = match kind {
        Kind::Tool => json!({"name": name, "inputSchema": {"type": "object"}}),
        Kind::Resource => json!({"uri": format!("r:{at}"), "name": name}),
        Kind::Template => json!({"uriTemplate": format!("t:{at}/{{x}}"), "name": name}),
        Kind::Prompt => json!({"name": name}),
        Kind::Skill => json!({"uri": format!("skill://{at}/{name}/SKILL.md"), "resources": "dynamic",
            "frontmatter": {"name": name, "description": "plain"}}),
    };
    if random.one_in(2) {
        listed["title"] = json!("A title");
    }
    match random.below(60) {
        0 => {}
        // This text is within the limit if it is read once or twice, and beyond it if read more often.
        1 => listed["description"] = json!("x".repeat(Policy::MAX_READ / 2 - random.below(3))),
        2 => listed["description"] = json!("x".repeat(Policy::MAX_READ + 1)),
        3 => listed["description"] = json!("\u{fc}".repeat(Policy::MAX_READ / 2)),
        4..15 => listed["description"] = json!("plain"),
        15..25 => listed["description"] = json!("a secret"),
        _ => listed["description"] = json!("an \"x\" and an x"),
    }
    if random.one_in(3) {
        listed["annotations"] = json!({"readOnlyHint": random.one_in(2)});
    }
    if random.one_in(3) {
        listed["_meta"] = json!({"x": {"y": random.below(4)}});
    }
    if random.one_in(2) {
        listed["tags"] = json!([random.pick(&["t1", "t2", "u"])]);
    }
    if random.one_in(3) {
        listed["groups"] = json!(["g"]);
    }
    // A skill has its description in its frontmatter.
    if kind == Kind::Skill {
        let members = listed.as_object_mut().unwrap();
        let description = members.remove("description").unwrap_or_else(|| json!("plain"));
        listed["frontmatter"]["description"] = description;
    }
    listed
}

/// Evaluates each primitive of a kind by itself; returns those that are shown, and the reports.
fn naive(
    catalog: &Catalog,
    kind: Kind,
    policies: &[Policy],
    predicates: &[Digits],
    caller: &Known,
) -> (Bitset, Vec<String>) {
    enum Judge<'a> {
        Policy(&'a Policy),
        Predicate(&'a Digits),
    }
    let mut judges: Vec<(i32, &str, Judge<'_>)> = policies
        .iter()
        .map(|policy| (-policy.priority, policy.name.as_str(), Judge::Policy(policy)))
        .collect();
    let predicates =
        predicates.iter().map(|digits| (-digits.priority, digits.name, Judge::Predicate(digits)));
    judges.extend(predicates);
    judges.sort_by_key(|(priority, name, _)| (*priority, *name));
    let len = catalog.kind_index(kind).len();
    let (mut left, mut reports) = (Bitset::all(len), Vec::new());
    for (_, name, judge) in judges {
        if matches!(judge, Judge::Policy(policy) if !policy.kinds.contains(&kind)) {
            continue;
        }
        let before = left.clone();
        for index in before.iter() {
            let (shown, problem, open) = match judge {
                Judge::Policy(policy) => {
                    let mut only = Bitset::none(len);
                    only.insert(index);
                    let (shown, unread) =
                        catalog.pick_within(kind, &policy.show, &only, caller, Policy::MAX_READ);
                    let problem = (unread == only)
                        .then(|| format!("it has more than {max} bytes to read", max = Policy::MAX_READ));
                    (shown == only, problem, policy.fail_open)
                }
                Judge::Predicate(digits) => {
                    let holds =
                        digits.holds(&catalog.primitive(kind, index).unwrap(), &Restricted(digits, caller));
                    let problem = holds.as_ref().err().map(ToString::to_string);
                    (holds.unwrap_or_default(), problem, digits.open)
                }
            };
            left.set(index, if problem.is_some() { open } else { shown });
            if let Some(problem) = problem {
                let end = if open { "shown" } else { "hidden" };
                let id = catalog.kind_index(kind).id(index).unwrap();
                reports.push(format!("{kind} {id}: policy `{name}`: {problem}, {end}"));
            }
        }
    }
    (left, reports)
}

/// A caller restricted to the fields that the predicate reads.
struct Restricted<'a>(&'a Digits, &'a Known);

impl Subject for Restricted<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if self.0.reads.contains(field) {
            self.1.values(field, visit);
        }
    }
}

impl CallerContext for Restricted<'_> {}

fn callers(random: &mut Random) -> Vec<Known> {
    let all = [
        ("claim.role", "staff"),
        ("claim.role", "guest"),
        ("claim.team", "red"),
        ("claim.team", "blue"),
        ("header.x-tier", "gold"),
        ("method", "tools/list"),
    ];
    (0..5).map(|_| Known(all.into_iter().filter(|_| random.one_in(2)).collect())).collect()
}

fn compile(random: &mut Random) -> Catalog {
    let lists = Kind::ALL.map(|kind| {
        let len = *random.pick(&[0, 1, 5, 20, 70]);
        (0..len).map(|at| primitive(random, kind, at)).collect::<Vec<_>>()
    });
    let listed: serde_json::Map<String, Value> =
        Kind::ALL.iter().zip(lists).map(|(kind, list)| (kind.list_key().to_owned(), list.into())).collect();
    let listed = Value::Object(listed).to_string();
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    Config::default().compile(&[source])
}

#[test]
fn a_view_is_what_each_policy_says_of_each_primitive() {
    let (mut shown, mut hidden, mut undecided, mut same) = (0, 0, 0, 0);
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let catalog = compile(random);
        let policies: Vec<Policy> = (0..1 + random.below(4))
            .map(|at| {
                let show: Expr = expression(random, 3).parse().unwrap();
                let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(|_| !random.one_in(4)).collect();
                let priority = random.below(3) as i32;
                Policy { priority, kinds, fail_open: random.one_in(2), ..Policy::new(format!("p{at}"), show) }
            })
            .collect();
        let digits = |reads: Vec<Field>, random: &mut Random| Digits {
            name: if reads.is_empty() { "alone" } else { "asking" },
            priority: random.below(3) as i32,
            open: random.one_in(2),
            reads,
        };
        let role = vec![Field::Claim("role".to_owned())];
        let mut written = Vec::new();
        for reads in [Vec::new(), role] {
            if random.one_in(2) {
                written.push(digits(reads, random));
            }
        }
        let mut predicates = Predicates::default();
        for Digits { name, priority, open, reads } in &written {
            predicates.add(Digits { name, priority: *priority, open: *open, reads: reads.clone() });
        }
        let guarded = Guarded::new(catalog.clone(), policies.clone()).asking(&predicates);
        if random.one_in(2) {
            assert!(
                guarded.prepare().count() > 0
                    || Kind::ALL.iter().all(|kind| catalog.kind_index(*kind).is_empty())
            );
        }
        for (at, caller) in callers(random).iter().enumerate() {
            let expected = Kind::ALL.map(|kind| naive(&catalog, kind, &policies, &written, caller));
            guarded.reports();
            let view: View = guarded.view(caller);
            let reports: Vec<String> =
                guarded.reports().iter().map(|r| format!("{} {}: {}", r.kind, r.name, r.problem)).collect();
            let known = (seed, at, &policies);
            for (kind, (bits, _)) in Kind::ALL.into_iter().zip(&expected) {
                assert_eq!(view.bits(kind), bits, "{kind} {known:?}");
                shown += bits.count();
                hidden += catalog.kind_index(kind).len() - bits.count();
            }
            let expected: Vec<String> =
                expected.into_iter().flat_map(|(_, reports)| reports).take(64).collect();
            // A view that is cached reports nothing.
            match reports.is_empty() {
                true => same += expected.len(),
                false => assert_eq!(reports, expected, "{known:?}"),
            }
            undecided += reports.len();
        }
    }
    assert!(shown > 10_000 && hidden > 10_000 && undecided > 100, "{shown} {hidden} {undecided} {same}");
}
