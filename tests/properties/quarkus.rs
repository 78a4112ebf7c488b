//! Predicates and checks compared with the rules by which Quarkus MCP Server applies filters and initial checks,
//! written as plain loops. Sources: quarkus-mcp-server, `ToolManagerImpl.test` and its three siblings,
//! `FeatureManagerBase.fetchPage`, `FeatureManager.FeatureInfo.compareTo`, `McpMessageHandler.checkInit`, and the guide
//! "Using Filters and Initial Checks". Where Sieve differs, a row of `tests/fixtures/proposals/differences.json` gives
//! the reason. An answer that no row explains fails the test, and so does a row that explains no answer.

use std::{
    cmp::Reverse,
    sync::{Arc, Mutex},
};

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, Primitive, Source},
    expr::{Field, NoCaller, Subject},
    policy::{CallerContext, Check, Guarded, Predicate, PredicateError, Reads, View},
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::{connections, differences::assert_explained, random::Random};

const CATALOGS: u64 = 25_000;
/// Number of comparisons: one for each kind of each catalog.
const COMPARED: usize = 4 * CATALOGS as usize;
const CHECKS: u64 = 100_000;

/// The effect of a filter on a feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Show,
    Hide,
    Throw,
}

use Verdict::{Hide, Show, Throw};

/// A filter with a priority, for some kinds of feature.
#[derive(Debug, Clone)]
struct Filter {
    name: String,
    priority: i32,
    kinds: Vec<Kind>,
    /// The verdict on each feature, by its number.
    verdicts: Vec<Verdict>,
    /// Whether Sieve shows a feature for which this filter throws (`failOpen`).
    fails_open: bool,
    /// Whether the filter declares that it reads the request.
    reads_request: bool,
}

/// A feature: a tool, a resource, a template or a prompt.
#[derive(Debug)]
struct Feature {
    kind: Kind,
    number: usize,
    /// The position in the order of registration.
    created: u32,
}

/// A server with its filters and features.
#[derive(Debug)]
struct Server {
    filters: Vec<Filter>,
    /// The features in the order in which a server lists them.
    features: Vec<Feature>,
}

/// The visible features of one kind, and the filters called for each feature; both in order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    visible: Vec<usize>,
    asked: Vec<(usize, Vec<String>)>,
}

/// The rules of Quarkus MCP Server.
impl Server {
    /// Returns the answer to a list request.
    fn reference(&self, kind: Kind) -> Answer {
        // The container sorts by priority. The order of filters with the same priority is not specified.
        let mut filters: Vec<&Filter> =
            self.filters.iter().filter(|filter| filter.kinds.contains(&kind)).collect();
        filters.sort_by_key(|filter| Reverse(filter.priority));
        let mut answer = Answer { visible: vec![], asked: vec![] };
        for feature in self.features.iter().filter(|feature| feature.kind == kind) {
            let mut asked = Vec::new();
            let mut visible = true;
            for filter in &filters {
                asked.push(filter.name.clone());
                // An exception is logged, and the next filter runs.
                if filter.verdicts[feature.number] == Hide {
                    visible = false;
                    break;
                }
            }
            answer.asked.push((feature.number, asked));
            visible.then(|| answer.visible.push(feature.number));
        }
        answer.asked.sort_by_key(|(number, _)| *number);
        let order = |number: &usize| {
            let feature = self.features.iter().find(|feature| feature.number == *number).unwrap();
            (feature.created, feature.id())
        };
        answer.visible.sort_by_key(order);
        answer
    }
}

/// A rule in which Sieve differs from Quarkus.
struct Difference {
    /// The name of its row.
    name: &'static str,
    /// Converts the answer of Quarkus to that of Sieve.
    ours: fn(&Server, Kind, Answer) -> Answer,
}

const DIFFERENCES: [Difference; 4] = [
    Difference {
        name: "003 same priority",
        ours: |server, kind, _| {
            let mut filters = server.filters.clone();
            filters.sort_by(|one, other| one.name.cmp(&other.name));
            Server { filters, features: server.features.iter().map(Feature::copy).collect() }.reference(kind)
        },
    },
    Difference {
        name: "003 exceptions",
        ours: |server, _, mut answer| {
            let hidden = |number: usize, asked: &mut Vec<String>| {
                let closes = |name: &String| {
                    let filter = server.filters.iter().find(|filter| filter.name == *name).unwrap();
                    filter.verdicts[number] == Throw && !filter.fails_open
                };
                let first = asked.iter().position(closes);
                first.into_iter().for_each(|first| asked.truncate(first + 1));
                first.is_some()
            };
            let asked = answer.asked.iter_mut();
            let gone: Vec<usize> =
                asked.filter_map(|(number, asked)| hidden(*number, asked).then_some(*number)).collect();
            answer.visible.retain(|number| !gone.contains(number));
            answer
        },
    },
    Difference {
        name: "003 order of lists",
        ours: |server, _, mut answer| {
            let place = |number: &usize| server.features.iter().position(|feature| feature.number == *number);
            answer.visible.sort_by_key(place);
            answer
        },
    },
    Difference {
        name: "003 every request",
        // This row describes the second of two requests.
        ours: |server, _, mut answer| {
            // The result of a predicate that reads only the primitive is cached for every caller.
            let again = |name: &String| {
                server.filters.iter().any(|filter| filter.name == *name && filter.reads_request)
            };
            answer.asked.iter_mut().for_each(|(_, asked)| asked.retain(again));
            answer
        },
    },
];
/// Number of rows that apply to the first request. All apply to the second.
const OF_THE_FIRST: usize = 3;

impl Feature {
    fn copy(&self) -> Self {
        Self { ..*self }
    }

    fn id(&self) -> String {
        // Names sort in another order than numbers.
        format!("n{}:{}", self.number * 7 % 10, self.number)
    }

    fn listed(&self) -> Value {
        let id = self.id();
        match self.kind {
            Kind::Tool => json!({"name": id, "inputSchema": {"type": "object"}}),
            Kind::Resource => json!({"uri": id, "name": "n"}),
            Kind::Template => json!({"uriTemplate": id, "name": "n"}),
            Kind::Prompt => json!({"name": id}),
            Kind::Skill => panic!("Quarkus has no skills"),
        }
    }
}

impl Server {
    fn random(random: &mut Random) -> Self {
        let count = random.below(7);
        let mut features: Vec<Feature> = (0..count)
            .map(|number| Feature {
                kind: *random.pick(&Kind::ALL[..4]),
                number,
                created: random.below(3) as u32,
            })
            .collect();
        // The server lists them in any order.
        for last in (1..count).rev() {
            features.swap(last, random.below(last + 1));
        }
        let filters = (0..random.below(5)).map(|at| Filter {
            // Names sort in another order than registrations.
            name: format!("{}{at}", random.below(9)),
            priority: *random.pick(&[-1, 0, 0, 5, 1000]),
            kinds: Kind::ALL.into_iter().filter(|_| !random.one_in(4)).collect(),
            verdicts: (0..count).map(|_| *random.pick(&[Show, Show, Show, Show, Hide, Throw])).collect(),
            fails_open: random.one_in(2),
            reads_request: random.one_in(4),
        });
        Self { filters: filters.collect(), features }
    }

    /// Returns the features in Sieve, under predicates that log their calls.
    fn guarded(&self, log: &Log) -> Guarded {
        let mut config = Config::default();
        self.filters
            .iter()
            .for_each(|filter| config.engine.predicates.add(Logging(filter.clone(), Arc::clone(log))));
        let of = |kind: Kind| -> Value {
            let features = self.features.iter().filter(|feature| feature.kind == kind);
            features.map(Feature::listed).collect()
        };
        let lists: Value = Kind::ALL.into_iter().map(|kind| (kind.list_key().to_owned(), of(kind))).collect();
        let lists = lists.to_string();
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        config.guard(Catalog::compile(&[source], &config.engine.assignments))
    }
}

/// The calls of filters: the name of the filter and the number of the feature.
type Log = Arc<Mutex<Vec<(String, usize)>>>;

/// A filter as a predicate that logs its calls.
struct Logging(Filter, Log);

impl Predicate for Logging {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn priority(&self) -> i32 {
        self.0.priority
    }

    fn kinds(&self) -> &[Kind] {
        &self.0.kinds
    }

    fn reads(&self) -> Reads<'_> {
        if self.0.reads_request { Reads::Request } else { Reads::Primitive }
    }

    fn fails_open(&self) -> bool {
        self.0.fails_open
    }

    fn holds(&self, primitive: &Primitive<'_>, _: &dyn CallerContext) -> Result<bool, PredicateError> {
        let key = primitive.kind().id_key();
        let id: String = serde_json::from_str(primitive.member(key).unwrap().get()).unwrap();
        let number = number(&id);
        self.1.lock().unwrap().push((self.0.name.clone(), number));
        match self.0.verdicts[number] {
            Throw => Err(PredicateError::new("thrown")),
            verdict => Ok(verdict == Show),
        }
    }
}

/// Returns the number of a feature from its id.
fn number(id: &str) -> usize {
    id.rsplit(':').next().unwrap().parse().unwrap()
}

/// Returns Sieve's answer, from the view of one request and the calls that it caused.
fn ours(server: &Server, view: &View, log: &[(String, usize)], kind: Kind) -> Answer {
    let index = view.catalog().kind_index(kind);
    let visible: Vec<usize> = view.bits(kind).iter().map(|at| number(index.id(at).unwrap())).collect();
    let mut features: Vec<&Feature> = server.features.iter().filter(|feature| feature.kind == kind).collect();
    features.sort_by_key(|feature| feature.number);
    let asked = features.into_iter().map(|feature| {
        // A hidden feature cannot be called either.
        assert_eq!(view.find(kind, &feature.id()).is_some(), visible.contains(&feature.number));
        let about = log.iter().filter(|(_, about)| *about == feature.number);
        (feature.number, about.map(|(name, _)| name.clone()).collect())
    });
    Answer { asked: asked.collect(), visible }
}

/// Sieve answers like Quarkus, except for the listed differences.
#[test]
fn predicates_are_asked_as_quarkus_asks_filters() {
    let mut explained = [0; DIFFERENCES.len()];
    let (mut compared, mut equal) = (0, 0);
    for seed in 0..CATALOGS {
        let server = Server::random(&mut Random::new(seed));
        let log = Log::default();
        let guarded = server.guarded(&log);
        for (request, holding) in [OF_THE_FIRST, DIFFERENCES.len()].into_iter().enumerate() {
            let view = guarded.view(&NoCaller);
            let log = std::mem::take(&mut *log.lock().unwrap());
            for kind in Kind::ALL.into_iter().filter(|kind| *kind != Kind::Skill) {
                let reference = server.reference(kind);
                let mut expected = reference.clone();
                for (difference, explained) in DIFFERENCES.iter().zip(&mut explained).take(holding) {
                    let changed = (difference.ours)(&server, kind, expected.clone());
                    *explained += usize::from(changed != expected);
                    expected = changed;
                }
                let found = ours(&server, &view, &log, kind);
                assert_eq!(found, expected, "seed {seed}, request {request}, {kind}: {server:?}");
                if request == 0 {
                    compared += 1;
                    equal += usize::from(found == reference);
                }
            }
        }
    }
    println!("{compared} catalogs and filters compared, {equal} with the same answer");
    assert_eq!(compared, COMPARED);
    assert!(equal > COMPARED / 2, "{equal}");
    let names = DIFFERENCES.iter().map(|difference| difference.name);
    let connections = ("003 chosen connections", connections::notified_otherwise());
    assert_explained("003", &names.zip(explained).chain([connections]).collect::<Vec<_>>());
}

/// A client, described by the names of its capabilities.
struct Client(Vec<&'static str>);

const CAPABILITIES: [&str; 3] = ["sampling", "elicitation", "roots"];

impl Subject for Client {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if let Field::Capability(path) = field
            && self.0.contains(&path.as_str())
        {
            visit("true");
        }
    }
}

/// checks run one after the other, higher priorities first, and the first failure ends the run. Quarkus
/// runs checks of the same priority in any order; Sieve runs them by name.
#[test]
fn checks_are_made_as_quarkus_makes_initial_checks() {
    let (mut passed, mut ties) = (0, 0);
    for seed in 0..CHECKS {
        let random = &mut Random::new(seed);
        let client = Client(random.some(&CAPABILITIES, 3));
        let mut checks: Vec<(i32, String, &str)> = (0..random.below(5))
            .map(|at| {
                (
                    *random.pick(&[-1, 0, 0, 7]),
                    format!("{}{at}", random.below(9)),
                    *random.pick(&CAPABILITIES),
                )
            })
            .collect();
        let written: Value = checks
            .iter()
            .map(|(priority, name, capability)| {
                json!({"name": name, "priority": priority, "require": format!("capability.{capability}:true"),
                    "message": format!("{name} needs {capability}")})
            })
            .collect();
        let config = Config::parse(&json!({ "checks": written }).to_string()).unwrap();
        let found = Check::failed(&config.engine.checks, &client).map(|check| check.message.as_str());

        checks.sort_by_key(|(priority, ..)| Reverse(*priority));
        let fails = |(_, _, capability): &&(i32, String, &str)| !client.0.contains(capability);
        let first = checks.iter().find(fails);
        // Any failing check of the highest priority may be the first in Quarkus.
        let first =
            first.map(|(priority, ..)| checks.iter().filter(fails).filter(|check| check.0 == *priority));
        let of_its_priority: Vec<_> = first.into_iter().flatten().collect();
        ties += usize::from(of_its_priority.len() > 1);
        passed += usize::from(of_its_priority.is_empty());
        let by_name = of_its_priority.into_iter().min_by(|one, other| one.1.cmp(&other.1));
        let expected = by_name.map(|(_, name, capability)| format!("{name} needs {capability}"));
        assert_eq!(found, expected.as_deref(), "seed {seed}: {written}, {:?}", client.0);
    }
    assert!(passed > 10_000 && ties > 1_000, "{passed} passed, {ties} ties");
}
