//! Filters by groups and tags compared with the rules of the reference implementation of SEP-1300, written as plain
//! loops. Source: typescript-sdk, pull request 840, `src/server/mcp.ts`, the handlers of `tools/list`, `tools/call`,
//! `groups/list` and `tags/list`. Where Sieve differs, a row of `tests/fixtures/proposals/differences.json` gives the
//! reason. An answer that no row explains fails the test, and so does a row that explains no answer.

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Lists, Source},
    expr::NoCaller,
    filter::Selection,
    policy::View,
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::{differences::assert_explained, random::Random};

const CATALOGS: u64 = 10_000;
/// Number of filters applied to each catalog.
const FILTERS: usize = 10;

const NAMES: [&str; 10] = ["add", "Add", "7", "10", "007", "-1", "größe", "a b", "send", "2024"];
const GROUPS: [&str; 8] =
    ["mail", "Mail", "calendar", "3", "issues", "unregistered", "unused", "one too many"];
const TAGS: [&str; 7] = ["stable", "beta", "destructive", "1", "unregistered", "unused", "one too many"];

/// A registered tool.
struct Tool {
    name: &'static str,
    enabled: bool,
    groups: Option<Vec<String>>,
    tags: Option<Vec<String>>,
}

/// The registered tools, groups and tags, each in the order of registration.
struct Server {
    tools: Vec<Tool>,
    groups: Vec<String>,
    tags: Vec<String>,
}

/// A filter whose members may be absent.
#[derive(Debug)]
struct Wanted {
    groups: Option<Vec<String>>,
    tags: Option<Vec<String>>,
    /// A member that the reference implementation ignores.
    further: Option<Further>,
}

/// A member of a filter that the reference implementation ignores.
#[derive(Debug)]
enum Further {
    /// A member that Sieve ignores as well.
    Unknown,
    /// `not.tags` with one tag.
    Not(String),
}

/// A request.
enum Asked<'a> {
    Tools(&'a Wanted),
    Call(&'static str),
    Groups,
    Tags,
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Answer {
    /// The names in the list, in order.
    Listed(Vec<String>),
    Called,
    NotFound,
    Disabled,
    /// The request is rejected.
    Refused,
}

/// The rules of the reference implementation.
impl Server {
    /// Returns the answer of the reference implementation.
    fn reference(&self, asked: &Asked<'_>) -> Answer {
        match asked {
            Asked::Tools(wanted) => {
                let mut tools: Vec<&Tool> = self.tools.iter().filter(|tool| tool.enabled).collect();
                if let Some(groups) = wanted.groups.as_ref().filter(|groups| !groups.is_empty()) {
                    tools.retain(|tool| any(groups, tool.groups.as_deref().unwrap_or_default()));
                }
                if let Some(tags) = wanted.tags.as_ref().filter(|tags| !tags.is_empty()) {
                    tools.retain(|tool| all(tags, tool.tags.as_deref().unwrap_or_default()));
                }
                Answer::Listed(as_members(tools.iter().map(|tool| tool.name.to_owned()).collect()))
            }
            Asked::Call(name) => match self.tools.iter().find(|tool| tool.name == *name) {
                None => Answer::NotFound,
                Some(tool) if tool.enabled => Answer::Called,
                Some(_) => Answer::Disabled,
            },
            Asked::Groups => Answer::Listed(as_members(self.groups.clone())),
            Asked::Tags => Answer::Listed(as_members(self.tags.clone())),
        }
    }
}

fn any(wanted: &[String], of: &[String]) -> bool {
    wanted.iter().any(|name| of.contains(name))
}

fn all(wanted: &[String], of: &[String]) -> bool {
    wanted.iter().all(|name| of.contains(name))
}

/// Returns names in the order of the members of a JavaScript object, in which the reference keeps registrations: array
/// indexes in ascending order, then all others in the order of insertion.
fn as_members(names: Vec<String>) -> Vec<String> {
    let index =
        |name: &String| name.parse::<u32>().ok().filter(|at| at.to_string() == *name && *at < u32::MAX);
    let (mut indexes, others): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| index(name).is_some());
    indexes.sort_by_key(index);
    indexes.into_iter().chain(others).collect()
}

/// A rule in which Sieve differs from the reference implementation.
struct Difference {
    /// The name of its row.
    name: &'static str,
    /// Converts the answer of the reference to that of Sieve.
    ours: fn(&Server, &Asked<'_>, Answer) -> Answer,
}

const DIFFERENCES: [Difference; 8] = [
    Difference {
        name: "001 whole numbers",
        ours: |server, asked, answer| match answer {
            Answer::Listed(names) => {
                let registered: Vec<String> = match asked {
                    Asked::Groups => server.groups.clone(),
                    Asked::Tags => server.tags.clone(),
                    _ => server.tools.iter().map(|tool| tool.name.to_owned()).collect(),
                };
                Answer::Listed(registered.into_iter().filter(|name| names.contains(name)).collect())
            }
            other => other,
        },
    },
    Difference {
        name: "001 undeclared names",
        ours: |server, asked, answer| {
            let of = |tool: &Tool| match asked {
                Asked::Groups => tool.groups.clone(),
                _ => tool.tags.clone(),
            };
            match (asked, answer) {
                (Asked::Groups | Asked::Tags, Answer::Listed(mut names)) => {
                    let tools = server.tools.iter().filter(|tool| tool.enabled);
                    for name in
                        tools.filter_map(of).flat_map(|own| own.into_iter().take(Catalog::MAX_OWN_NAMES))
                    {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                    Answer::Listed(names)
                }
                (_, answer) => answer,
            }
        },
    },
    Difference {
        name: "001 disabled tools",
        ours: |_, _, answer| if answer == Answer::Disabled { Answer::NotFound } else { answer },
    },
    Difference {
        name: "001 further members",
        ours: |server, asked, answer| match (asked, answer) {
            (Asked::Tools(Wanted { further: Some(Further::Not(tag)), .. }), Answer::Listed(names)) => {
                let tags = |name: &str| server.tools.iter().find(|tool| tool.name == name)?.tags.clone();
                let kept = |name: &String| !tags(name).is_some_and(|tags| tags.contains(tag));
                Answer::Listed(names.into_iter().filter(kept).collect())
            }
            (_, answer) => answer,
        },
    },
    Difference {
        name: "001 number of values",
        ours: |_, asked, answer| match asked {
            Asked::Tools(Wanted { groups, tags, .. })
                if groups.iter().chain(tags).any(|values| values.len() > 100) =>
            {
                Answer::Refused
            }
            _ => answer,
        },
    },
    Difference {
        name: "001 length of values",
        ours: |_, asked, answer| match asked {
            Asked::Tools(Wanted { groups, tags, .. })
                if groups.iter().chain(tags).flatten().any(|value| value.len() > 256) =>
            {
                Answer::Refused
            }
            _ => answer,
        },
    },
    Difference {
        name: "001 number of groups",
        ours: |server, asked, answer| match (asked, answer) {
            (Asked::Tools(Wanted { groups: Some(groups), .. }), Answer::Listed(names))
                if !groups.is_empty() =>
            {
                let counted = |name: &String| {
                    let tool = server.tools.iter().find(|tool| tool.name == name).unwrap();
                    let own = tool.groups.as_deref().unwrap_or_default();
                    any(groups, &own[..own.len().min(Catalog::MAX_OWN_NAMES)])
                };
                Answer::Listed(names.into_iter().filter(counted).collect())
            }
            (_, answer) => answer,
        },
    },
    Difference {
        name: "001 number of tags",
        ours: |server, asked, answer| match (asked, answer) {
            (Asked::Tools(Wanted { tags: Some(tags), .. }), Answer::Listed(names)) => {
                let counted = |name: &String| {
                    let tool = server.tools.iter().find(|tool| tool.name == name).unwrap();
                    let own = tool.tags.as_deref().unwrap_or_default();
                    all(tags, &own[..own.len().min(Catalog::MAX_OWN_NAMES)])
                };
                Answer::Listed(names.into_iter().filter(counted).collect())
            }
            (_, answer) => answer,
        },
    },
];

impl Server {
    fn random(random: &mut Random) -> Self {
        let names = distinct(random.some(&NAMES, 8));
        let tools = names.into_iter().enumerate().map(|(at, name)| {
            let groups = match random.below(100) {
                // Only names that no other tool has count against the limit, so one tool has that many.
                0 if at == 0 => Some(too_many(GROUPS[7])),
                _ => memberships(random, &GROUPS[..6]),
            };
            let tags = match random.below(30) {
                0 if at == 0 => Some(too_many(TAGS[6])),
                _ => memberships(random, &TAGS[..5]),
            };
            Tool { name, enabled: !random.one_in(6), groups, tags }
        });
        let tools = tools.collect();
        let groups = owned(&distinct(random.some(&GROUPS[..5], 4)));
        Self { tools, groups, tags: owned(&distinct(random.some(&TAGS[..4], 4))) }
    }

    /// Returns the same catalog in Sieve.
    fn view(&self) -> View {
        let named = |names: &[String]| names.iter().map(|name| json!({"name": name})).collect::<Value>();
        let disabled = self.tools.iter().filter(|tool| !tool.enabled);
        let rules: Value =
            disabled.map(|tool| json!({"match": format!("name={:?}", tool.name), "hide": true})).collect();
        let config = json!({"groups": named(&self.groups), "tags": named(&self.tags), "rules": rules});
        let config = Config::parse(&config.to_string()).unwrap();
        let listed: Value = self.tools.iter().map(Tool::listed).collect();
        let lists = json!({ "tools": listed }).to_string();
        let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
        config.guard(Catalog::compile(&[source], &config.engine.assignments)).view(&NoCaller)
    }
}

impl Tool {
    fn listed(&self) -> Value {
        let mut listed = json!({"name": self.name, "inputSchema": {"type": "object"}});
        self.groups.iter().for_each(|groups| listed["groups"] = json!(groups));
        self.tags.iter().for_each(|tags| listed["tags"] = json!(tags));
        listed
    }
}

/// Returns `None`, no names, or some names.
fn memberships(random: &mut Random, from: &[&str]) -> Option<Vec<String>> {
    (!random.one_in(5)).then(|| owned(&random.some(from, 3)))
}

/// Returns one name more than the limit. Filters ask for the last one.
fn too_many(last: &str) -> Vec<String> {
    let own = (0..mcp_sieve::catalog::Catalog::MAX_OWN_NAMES).map(|at| format!("own {at}"));
    own.chain([last.to_owned()]).collect()
}

impl Wanted {
    fn random(random: &mut Random) -> Self {
        let further = match random.below(12) {
            0 => Some(Further::Unknown),
            1 => Some(Further::Not((*random.pick(&TAGS[..6])).to_owned())),
            _ => None,
        };
        let (groups, tags) = (Self::values(random, &GROUPS), Self::values(random, &TAGS));
        Self { groups, tags, further }
    }

    fn values(random: &mut Random, from: &[&str]) -> Option<Vec<String>> {
        let mut values = owned(&random.some(from, 2));
        match random.below(400) {
            0..80 => return None,
            // Values at the limits, and just above them.
            80..84 => values.extend((values.len()..100 + random.below(2)).map(|at| format!("v{at}"))),
            84..88 => values.push("x".repeat(256 + random.below(2))),
            _ => {}
        }
        Some(values)
    }

    fn written(&self) -> String {
        let mut filter = json!({});
        self.groups.iter().for_each(|groups| filter["groups"] = json!(groups));
        self.tags.iter().for_each(|tags| filter["tags"] = json!(tags));
        match &self.further {
            Some(Further::Unknown) => filter["colour"] = json!(["red"]),
            Some(Further::Not(tag)) => filter["not"]["tags"] = json!([tag]),
            None => {}
        }
        filter.to_string()
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn distinct(mut names: Vec<&'static str>) -> Vec<&'static str> {
    let mut seen = Vec::new();
    names.retain(|name| {
        !seen.contains(name) && {
            seen.push(name);
            true
        }
    });
    names
}

/// Returns the answer of Sieve.
fn ours(view: &View, asked: &Asked<'_>) -> Answer {
    match asked {
        Asked::Tools(wanted) => {
            let config = Config::default();
            let settled = Filter::parse(&wanted.written()).and_then(|parsed| {
                parsed.filter.settle(
                    view,
                    &config.engine.concerns,
                    config.engine.on_invalid_concern,
                    parsed.ignored,
                )
            });
            let Ok(settled) = settled else { return Answer::Refused };
            let mut selection = Selection::default();
            let bits = view.select(&settled.narrowing, Kind::Tool, &mut selection);
            let tools = view.catalog().kind_index(Kind::Tool);
            Answer::Listed(bits.iter().map(|at| tools.id(at).unwrap().to_owned()).collect())
        }
        Asked::Call(name) => view.find(Kind::Tool, name).map_or(Answer::NotFound, |_| Answer::Called),
        Asked::Groups => Answer::Listed(view.groups().iter().map(|group| group.name.clone()).collect()),
        Asked::Tags => Answer::Listed(view.tags().iter().map(|tag| tag.name.clone()).collect()),
    }
}

/// G-25 to G-29, G-31 to G-35, G-41, G-42, G-56: Sieve answers like the reference, except for the listed differences.
#[test]
fn tools_are_filtered_as_by_the_reference_implementation_of_sep_1300() {
    let mut explained = [0; DIFFERENCES.len()];
    let (mut compared, mut equal) = (0, 0);
    for seed in 0..CATALOGS {
        let random = &mut Random::new(seed);
        let server = Server::random(random);
        let view = server.view();
        let wanted: Vec<Wanted> = (0..FILTERS).map(|_| Wanted::random(random)).collect();
        let calls = NAMES.into_iter().map(Asked::Call);
        let questions = wanted.iter().map(Asked::Tools).chain(calls).chain([Asked::Groups, Asked::Tags]);
        for asked in questions {
            let reference = server.reference(&asked);
            let mut expected = reference.clone();
            for (difference, explained) in DIFFERENCES.iter().zip(&mut explained) {
                let changed = (difference.ours)(&server, &asked, expected.clone());
                *explained += usize::from(changed != expected);
                expected = changed;
            }
            let found = ours(&view, &asked);
            let filter = if let Asked::Tools(wanted) = asked { wanted.written() } else { String::new() };
            assert_eq!(found, expected, "seed {seed} {filter}; the reference answers {reference:?}");
            compared += usize::from(!filter.is_empty());
            equal += usize::from(!filter.is_empty() && found == reference);
        }
    }
    println!("{compared} filters compared, {equal} with the same answer");
    assert_eq!(compared, 100_000);
    assert!(equal > 80_000, "most filters have the same answer: {equal}");
    let names = DIFFERENCES.iter().map(|difference| difference.name);
    assert_explained("001", &names.zip(explained).collect::<Vec<_>>());
}
