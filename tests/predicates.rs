//! Policies written in Rust, next to those of the configuration, and predicates that fail.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering::Relaxed},
};

use mcp_sieve::Config;
use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Primitive, Source},
    expr::{Field, Subject},
    json::Raw,
    policy::{CallerContext, Guarded, Policy, Predicate, PredicateError, Predicates, Reads, View},
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

const LISTS: &str = r#"{"tools":[{"name":"a","title":"A","description":"first",
    "inputSchema":{"type":"object","properties":{"city":{}}},"annotations":{"readOnlyHint":true},"_meta":{"x":1}},
    {"name":"b","inputSchema":{}}],"resources":[{"uri":"r:1","name":"one","description":"r"}],
    "resourceTemplates":[{"uriTemplate":"t:{x}","name":"two","description":"t"}],"prompts":[{"name":"a","description":"p"}]}"#;

/// Returns [`LISTS`] under a configuration and predicates.
fn guarded(config: &str, predicates: Vec<Box<dyn Predicate>>) -> Guarded {
    let mut config = Config::parse(config).unwrap();
    predicates.into_iter().for_each(|predicate| config.predicates.add(Boxed(predicate)));
    let source = Source { server: "s", lists: Lists::read(LISTS).unwrap() };
    config.guard(Catalog::compile(&[source], &Assignments::default()))
}

/// Returns the visible primitives of each kind.
fn seen(view: &View) -> Vec<Vec<&str>> {
    let names = |kind| view.bits(kind).iter().map(move |at| view.catalog().kind_index(kind).id(at).unwrap());
    // The last kind is skills, of which there are none.
    Kind::ALL[..4].iter().map(|kind| names(*kind).collect()).collect()
}

/// Adapts a boxed predicate, which a configuration does not accept directly.
struct Boxed(Box<dyn Predicate>);

impl Predicate for Boxed {
    fn name(&self) -> &str {
        self.0.name()
    }
    fn priority(&self) -> i32 {
        self.0.priority()
    }
    fn kinds(&self) -> &[Kind] {
        self.0.kinds()
    }
    fn reads(&self) -> Reads<'_> {
        self.0.reads()
    }
    fn fails_open(&self) -> bool {
        self.0.fails_open()
    }
    fn holds(&self, primitive: &Primitive<'_>, asking: &dyn CallerContext) -> Result<bool, PredicateError> {
        self.0.holds(primitive, asking)
    }
}

/// The function that decides whether a primitive is shown.
type Holds = fn(&Primitive<'_>, &dyn CallerContext) -> Result<bool, PredicateError>;

/// A predicate that logs each evaluation.
struct Noting {
    name: &'static str,
    priority: i32,
    kinds: Vec<Kind>,
    reads: Vec<Field>,
    request: bool,
    open: bool,
    log: Arc<Mutex<Vec<String>>>,
    holds: Holds,
}

impl Noting {
    fn new(name: &'static str, log: &Arc<Mutex<Vec<String>>>, holds: Holds) -> Self {
        let (log, kinds) = (Arc::clone(log), Kind::ALL.to_vec());
        Self { name, priority: 0, kinds, reads: vec![], request: false, open: false, log, holds }
    }
}

impl Predicate for Noting {
    fn name(&self) -> &str {
        self.name
    }
    fn priority(&self) -> i32 {
        self.priority
    }
    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }
    fn reads(&self) -> Reads<'_> {
        match (self.request, self.reads.is_empty()) {
            (true, _) => Reads::Request,
            (false, true) => Reads::Primitive,
            (false, false) => Reads::Caller(&self.reads),
        }
    }
    fn fails_open(&self) -> bool {
        self.open
    }
    fn holds(&self, primitive: &Primitive<'_>, asking: &dyn CallerContext) -> Result<bool, PredicateError> {
        let mut id = String::new();
        let field =
            if matches!(primitive.kind(), Kind::Tool | Kind::Prompt) { Field::Name } else { Field::Uri };
        primitive.values(&field, &mut |value| id = value.to_owned());
        self.log.lock().unwrap().push(format!("{} {} {id}", self.name, primitive.kind()));
        (self.holds)(primitive, asking)
    }
}

/// A caller with a role, an id and `_meta`.
#[derive(Default)]
struct Caller {
    role: &'static str,
    id: Option<&'static str>,
    meta: &'static str,
}

impl Subject for Caller {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Claim(name) if name == "role" => visit(self.role),
            Field::Method => visit("tools/list"),
            _ => {}
        }
    }
}

impl CallerContext for Caller {
    fn id(&self) -> Option<&str> {
        self.id
    }
    fn meta(&self, key: &str) -> Option<Raw<'_>> {
        mcp_sieve::json::Members::parse(self.meta)?.get(key)
    }
}

/// Takes the entries out of the log.
fn taken(log: &Arc<Mutex<Vec<String>>>) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_preset_binds_those_it_is_for_wherever_they_are_asked_about() {
    let presets = r#"{"presets":[{"name":"visitors","when":"-claim.role:*","filter":{"where":"-name:a"}}]}"#;
    let guarded = guarded(presets, vec![]);
    // This caller has no role, and its path is unknown.
    assert_eq!(seen(&guarded.view(&Person(None)))[0], ["b"]);
    assert_eq!(seen(&guarded.view(&Person(Some("clerk"))))[0], ["a", "b"]);
}

/// A caller with or without a role.
struct Person(Option<&'static str>);

impl Subject for Person {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if field.to_string() == "claim.role" {
            self.0.into_iter().for_each(visit);
        }
    }
}

impl CallerContext for Person {}

/// Q-1, Q-2: one object judges all kinds, or those that it names; true shows. Q-3: a registered predicate is used
/// without another step.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn one_object_judges_several_kinds() {
    let log = Arc::default();
    let not_a: Holds = |primitive, _| Ok(!primitive.json().contains(r#""name":"a""#));
    let all = guarded("{}", vec![Box::new(Noting::new("n", &log, not_a))]);
    assert_eq!(seen(&all.view(&Caller::default())), [vec!["b"], vec!["r:1"], vec!["t:{x}"], vec![]]);
    assert_eq!(taken(&log), ["n tool a", "n tool b", "n resource r:1", "n template t:{x}", "n prompt a"]);

    let some =
        Noting { kinds: vec![Kind::Prompt, Kind::Template], ..Noting::new("n", &log, |_, _| Ok(false)) };
    let some = guarded("{}", vec![Box::new(some)]);
    assert_eq!(seen(&some.view(&Caller::default())), [vec!["a", "b"], vec!["r:1"], vec![], vec![]]);
    assert_eq!(taken(&log), ["n template t:{x}", "n prompt a"]);
}

/// Q-4: the higher priority comes first. Q-5: equal priorities are ordered by name. Q-6: all must hold. Q-7: no
/// predicate runs after the first that fails. Policies of the configuration are in the same order.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn predicates_are_asked_in_one_order() {
    let log = Arc::default();
    let tools = |name, priority, holds: Holds| -> Box<dyn Predicate> {
        Box::new(Noting { priority, kinds: vec![Kind::Tool], ..Noting::new(name, &log, holds) })
    };
    let config = r#"{"policies":[{"name":"m","priority":5,"show":"-name:b","kinds":["tool"]}]}"#;
    let guarded = guarded(
        config,
        vec![
            tools("last", -1, |_, _| Ok(true)),
            tools("z", 5, |_, _| Ok(true)),
            tools("c", 5, |_, _| Ok(true)),
            tools("first", 9, |_, _| Ok(true)),
            tools("no", 0, |_, _| Ok(false)),
        ],
    );
    assert_eq!(seen(&guarded.view(&Caller::default()))[0], Vec::<&str>::new());
    // `m` hides `b`, so later predicates do not see it; `no` hides the rest.
    let evaluated = ["first tool a", "first tool b", "c tool a", "c tool b", "z tool a", "no tool a"];
    assert_eq!(taken(&log), evaluated);
}

/// Q-9 (`failOpen`), Q-10 (default): a predicate that fails hides the primitive, or shows it with `failOpen`. Both are
/// reported.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn who_cannot_tell_hides() {
    let log = Arc::default();
    for (open, shown, end) in [(false, vec!["b"], "hidden"), (true, vec!["a", "b"], "shown")] {
        let holds: Holds = |primitive, _| {
            if primitive.member("title").is_some() { Err(PredicateError::new("no idea")) } else { Ok(true) }
        };
        let evaluated: Holds = |_, _| Ok(true);
        let guarded = guarded(
            "{}",
            vec![
                Box::new(Noting { open, ..Noting::new("n", &log, holds) }),
                Box::new(Noting {
                    priority: -1,
                    kinds: vec![Kind::Tool],
                    ..Noting::new("next", &log, evaluated)
                }),
            ],
        );
        assert_eq!(seen(&guarded.view(&Caller::default()))[0], shown);
        let told: Vec<_> =
            guarded.reports().iter().map(|r| format!("{} {}: {}", r.kind, r.name, r.problem)).collect();
        assert_eq!(told, [format!("tool a: policy `n`: no idea, {end}")]);
        assert!(guarded.reports().is_empty(), "told once");
        let next = taken(&log).into_iter().filter(|evaluated| evaluated.starts_with("next")).count();
        assert_eq!(next, shown.len(), "the next runs");
    }
}

/// Q-8: a policy reads a limited number of bytes per primitive. Beyond the limit it hides the primitive, unless
/// `failOpen` is set.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_policy_reads_no_more_than_its_bound() {
    let huge = |bytes: usize| {
        format!(
            r#"{{"tools":[{{"name":"huge","description":"{}","inputSchema":{{}}}},{{"name":"b","inputSchema":{{}}}}]}}"#,
            "x".repeat(bytes)
        )
    };
    let view = |bytes: usize, show: &str, fail_open: bool| {
        let listed = huge(bytes);
        let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
        let policy = Policy { fail_open, ..Policy::new("p", show.parse().unwrap()) };
        let guarded = Guarded::new(Catalog::compile(&[source], &Assignments::default()), vec![policy]);
        let names = seen(&guarded.view(&Caller::default()))[0]
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>();
        (names, guarded.reports().into_iter().map(|report| report.problem).collect::<Vec<_>>())
    };
    let show = "-description:*y*";
    assert_eq!(view(Policy::MAX_READ, show, false), (vec!["huge".to_owned(), "b".to_owned()], vec![]));
    let problem = |end: &str| vec![format!("policy `p`: it has more than 262144 bytes to read, {end}")];
    assert_eq!(view(Policy::MAX_READ + 1, show, false), (vec!["b".to_owned()], problem("hidden")));
    assert_eq!(
        view(Policy::MAX_READ + 1, show, true),
        (vec!["huge".to_owned(), "b".to_owned()], problem("shown"))
    );
    // Bytes that are read several times count several times, anywhere in the expression.
    let twice = "-description:*y* (-description:*z* or name:x)";
    assert_eq!(view(Policy::MAX_READ / 2 + 1, twice, false), (vec!["b".to_owned()], problem("hidden")));
    // A hundred patterns, each of which would try every position of a long text.
    let many =
        (0..100).map(|at| format!("description:*{}y{at}*", "x".repeat(50))).collect::<Vec<_>>().join(" or ");
    assert_eq!(view(8 << 20, &format!("not ({many})"), false).0, ["b"]);
}

/// A policy does not read a `_meta` that nests too deeply. If it needs one, it hides the primitive.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_policy_reads_no_meta_that_is_too_deep() {
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    let view = |meta: usize, schema: usize, show: &str, fail_open: bool| {
        let listed = format!(
            r#"{{"tools":[{{"name":"deep","description":"Deep.","inputSchema":{{"type":"object","x":{}}},"_meta":{{"x":{},"team":"a","tags":["t"]}},"annotations":{{"readOnlyHint":true}}}},{{"name":"b","inputSchema":{{"type":"object"}}}}]}}"#,
            nested(schema),
            nested(meta)
        );
        let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
        let policy = Policy { fail_open, ..Policy::new("p", show.parse().unwrap()) };
        let guarded = Guarded::new(Catalog::compile(&[source], &Assignments::default()), vec![policy]);
        let view = guarded.view(&Caller::default());
        let names = seen(&view)[0].iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        (names, guarded.reports().into_iter().map(|report| report.problem).collect::<Vec<_>>())
    };
    let (both, other, none) = (["deep", "b"].map(str::to_owned).to_vec(), vec!["b".to_owned()], Vec::new());
    let problem = |end: &str| vec![format!("policy `p`: its `_meta` nests deeper than 64 levels, {end}")];
    let show = "-meta.team:b";
    // The object itself is one level.
    assert_eq!(view(63, 120, show, false), (both.clone(), none.clone()));
    assert_eq!(view(64, 1, show, false), (other.clone(), problem("hidden")));
    assert_eq!(view(120, 1, "meta.team:a or name:b", false), (other.clone(), problem("hidden")));
    assert_eq!(view(120, 1, show, true), (both.clone(), problem("shown")));
    // Other members are read as usual, and so is a policy that needs no more than these.
    for show in [
        "name:*",
        "description:Deep* or name:b",
        "annotation.readOnlyHint:true or name:b",
        "name:* or meta.team:b",
    ] {
        assert_eq!(view(120, 1, show, false), (both.clone(), none.clone()), "{show}");
    }
    assert_eq!(view(120, 1, "-name:deep -meta.team:b", false).0, other);
    // A definition of more than 122 levels is left out, whatever policies say.
    assert_eq!(view(121, 1, "name:*", false), (other.clone(), none.clone()));
    assert_eq!(view(1, 121, "name:*", false), (other, none));
}

/// The result of a predicate is cached for callers who are equal in all that it reads, and it sees nothing else.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_a_predicate_says_is_kept() {
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    let log = Arc::default();
    let role = Field::Claim("role".to_owned());
    let holds: Holds = |_, asking| {
        ASKED.fetch_add(1, Relaxed);
        let mut roles = Vec::new();
        asking.values(&Field::Claim("role".to_owned()), &mut |role| roles.push(role.to_owned()));
        asking.values(&Field::Method, &mut |_| panic!("it has not said that it reads the method"));
        assert_eq!((asking.id(), asking.meta("x").is_none()), (None, true));
        Ok(roles == ["admin"])
    };
    let guarded =
        guarded("{}", vec![Box::new(Noting { reads: vec![role], ..Noting::new("n", &log, holds) })]);
    assert!(guarded.reads_caller());
    let caller = |role| Caller { role, id: Some("1"), meta: r#"{"x":1}"# };
    for (role, count, evaluated) in [("admin", 2, 5), ("user", 0, 10), ("admin", 2, 10), ("user", 0, 10)] {
        assert_eq!(guarded.view(&caller(role)).count(Kind::Tool), count, "{role}");
        assert_eq!(ASKED.load(Relaxed), evaluated, "{role}");
    }
}

/// Method, id and `_meta` of the request are read by predicates that run on every request.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_predicate_may_read_the_request() {
    let log = Arc::default();
    let holds: Holds = |_, asking| {
        let mut methods = Vec::new();
        asking.values(&Field::Method, &mut |method| methods.push(method.to_owned()));
        assert_eq!(methods, ["tools/list"]);
        Ok(asking.id() == Some("7") && asking.meta("tier").is_some_and(|tier| tier.get() == "\"gold\""))
    };
    let guarded = guarded("{}", vec![Box::new(Noting { request: true, ..Noting::new("n", &log, holds) })]);
    assert!(guarded.reads_caller());
    let sees = |id, meta| guarded.view(&Caller { role: "", id, meta }).count(Kind::Tool);
    assert_eq!(sees(None, ""), 0);
    assert_eq!(sees(Some("7"), r#"{"tier":"gold"}"#), 2);
    assert_eq!(sees(Some("8"), r#"{"tier":"gold"}"#), 0);
}

/// Q-21, Q-22, Q-23, Q-24: the fields of a primitive of each kind that a predicate can read.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_is_known_of_a_primitive() {
    let log = Arc::default();
    let holds: Holds = |primitive, _| {
        let text = |field: Field| {
            let mut found = Vec::new();
            primitive.values(&field, &mut |value| found.push(value.to_owned()));
            found.join(",")
        };
        let [name, uri, description] = [Field::Name, Field::Uri, Field::Description].map(text);
        let expected = match primitive.kind() {
            Kind::Tool if name == "b" => ("b", "", ""),
            Kind::Tool => {
                assert_eq!(text(Field::Title), "A");
                assert_eq!(text(Field::Annotation("readOnlyHint".to_owned())), "true");
                assert_eq!(text(Field::Meta("x".to_owned())), "1");
                assert_eq!(primitive.member("annotations").unwrap().get(), r#"{"readOnlyHint":true}"#);
                assert_eq!(
                    primitive.member("inputSchema").unwrap().get(),
                    r#"{"type":"object","properties":{"city":{}}}"#
                );
                ("a", "", "first")
            }
            Kind::Resource => ("one", "r:1", "r"),
            Kind::Template => ("two", "t:{x}", "t"),
            Kind::Prompt => ("a", "", "p"),
            Kind::Skill => panic!("there are none"),
        };
        assert_eq!(
            (name.as_str(), uri.as_str(), description.as_str(), primitive.server()),
            (expected.0, expected.1, expected.2, "s")
        );
        Ok(true)
    };
    let guarded = guarded("{}", vec![Box::new(Noting::new("n", &log, holds))]);
    assert_eq!(guarded.view(&Caller::default()).count(Kind::Tool), 2);
    assert_eq!(taken(&log).len(), 5);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn registries_are_the_same_where_their_predicates_are() {
    let mut one = Predicates::default();
    one.add(Noting::new("n", &Arc::default(), |_, _| Ok(true)));
    assert_eq!(one, one.clone());
    assert_ne!(one, Predicates::default());
    assert_eq!(format!("{one:?}"), r#"["n"]"#);
}
