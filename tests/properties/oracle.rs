//! Selection compared with an oracle that follows the specification: plain loops over plain values.

use std::{collections::BTreeMap, ops::Range};

use mcp_sieve::{
    Filter, Kind,
    catalog::{Catalog, Lists, Source},
    expr::NoCaller,
    filter::{Fields, ParsedFilter, Selection, SettledFilter},
    policy::Guarded,
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use crate::random::Random;

const CATALOGS: u64 = 500;
/// Number of filters applied to each catalog.
pub const FILTERS: usize = 200;

const GROUPS: [&str; 7] = ["mail", "Mail", "calendar", "issues", "g 4", "größe", "nobody"];
const TAGS: [&str; 6] = ["stable", "beta", "destructive", "t\"q", "é", "nobody"];
const CONCERNS: [&str; 4] = ["security", "cost", "speed", "unheard of"];
const VALUES: [&str; 5] = ["low", "medium", "high", "HIGH", "7"];
/// The declared concerns with their values. Other values of theirs have no effect, and neither have other concerns.
const DECLARED: [(&str, &[&str]); 2] = [("security", &["low", "medium", "high"]), ("cost", &["low", "7"])];

/// A tool with its memberships.
struct Item {
    name: String,
    groups: Vec<&'static str>,
    tags: Vec<&'static str>,
    concerns: BTreeMap<&'static str, Vec<&'static str>>,
}

/// A filter.
#[derive(Debug)]
struct Wanted {
    groups: Vec<&'static str>,
    tags: Vec<&'static str>,
    concerns: BTreeMap<&'static str, Option<Vec<&'static str>>>,
    refused_groups: Vec<&'static str>,
    refused_tags: Vec<&'static str>,
    /// Suffixes of names.
    ends: Vec<&'static str>,
    limit: Option<usize>,
}

impl Item {
    fn random(random: &mut Random, name: String) -> Self {
        // No item has the names at the end of the lists.
        let (groups, tags) = (random.some(&GROUPS[..6], 3), random.some(&TAGS[..5], 3));
        let concerns = random.some(&CONCERNS[..3], 2);
        let concerns = concerns.into_iter().map(|name| (name, random.some(&VALUES, 2))).collect();
        Self { name, groups, tags, concerns }
    }

    /// Returns the item as a server might list it, with memberships in any of the permitted places.
    fn listed(&self, random: &mut Random) -> Value {
        let mut item = json!({"name": self.name, "inputSchema": {"type": "object"}});
        let places = [
            "/groups",
            "/annotations/groups",
            "/_meta/dev.mcpsieve~1groups",
            "/_meta/io.modelcontextprotocol~1groups",
        ];
        spread(&mut item, &places, &self.groups, random);
        spread(&mut item, &places.map(|place| place.replace("groups", "tags"))[..3], &self.tags, random);
        let key = *random.pick(&["concerns", "dev.mcpsieve/concerns"]);
        for (name, values) in &self.concerns {
            let value = if let [only] = values[..] { json!(only) } else { json!(values) };
            item["_meta"][key][*name] = value;
        }
        item
    }

    /// Matches an item literally by the rules of the proposals.
    fn matches(&self, wanted: &Wanted) -> bool {
        let in_a_group =
            wanted.groups.is_empty() || wanted.groups.iter().any(|group| self.groups.contains(group));
        let has_all_tags = wanted.tags.iter().all(|tag| self.tags.contains(tag));
        let agrees = wanted.concerns.iter().all(|(concern, values)| {
            let values = values.iter().flatten();
            let declared = DECLARED.iter().find(|(name, _)| name == concern);
            let counts = |value: &&&str| declared.is_some_and(|(_, declared)| declared.contains(value));
            let effective: Vec<_> = values.filter(counts).collect();
            let mapped = self.concerns.get(concern).filter(|mapped| !mapped.is_empty());
            effective.is_empty()
                || mapped.is_none_or(|mapped| mapped.iter().any(|value| effective.contains(&value)))
        });
        let refused = wanted.refused_groups.iter().any(|group| self.groups.contains(group))
            || wanted.refused_tags.iter().any(|tag| self.tags.contains(tag));
        let named = wanted.ends.is_empty() || wanted.ends.iter().any(|end| self.name.ends_with(end));
        in_a_group && has_all_tags && agrees && !refused && named
    }
}

/// Writes each name into one of the places, as an array.
fn spread(item: &mut Value, places: &[impl AsRef<str>], names: &[&str], random: &mut Random) {
    for name in names {
        let mut at = &mut *item;
        for key in random.pick(places).as_ref().split('/').skip(1) {
            at = &mut at[key.replace("~1", "/")];
        }
        match at {
            Value::Array(known) => known.push(json!(name)),
            empty => *empty = json!([name]),
        }
    }
}

impl Wanted {
    fn random(random: &mut Random) -> Self {
        let concerns = random.some(&CONCERNS, 2);
        let concerns = concerns
            .into_iter()
            .map(|name| (name, if random.one_in(8) { None } else { Some(random.some(&VALUES, 2)) }));
        let concerns = concerns.collect();
        let (groups, tags) = (random.some(&GROUPS, 2), random.some(&TAGS, 2));
        // Most filters use few fields; with more, few items would match.
        let mut seldom = |from: &[&'static str]| if random.one_in(3) { random.some(from, 2) } else { vec![] };
        let (refused_groups, refused_tags) = (seldom(&GROUPS), seldom(&TAGS));
        let ends = seldom(&["1", "3", "5", "0", "x"]);
        let limit = random.one_in(4).then(|| 1 + random.below(20));
        Self { groups, tags, concerns, refused_groups, refused_tags, ends, limit }
    }

    /// Returns the filter as JSON, with empty members present or absent.
    fn written(&self, random: &mut Random) -> String {
        let mut filter = json!({});
        if !self.groups.is_empty() || random.one_in(2) {
            filter["groups"] = json!(self.groups);
        }
        if !self.tags.is_empty() || random.one_in(2) {
            filter["tags"] = json!(self.tags);
        }
        for (name, values) in [("groups", &self.refused_groups), ("tags", &self.refused_tags)] {
            if !values.is_empty() || random.one_in(4) {
                filter["not"][name] = json!(values);
            }
        }
        if !self.ends.is_empty() || random.one_in(4) {
            filter["namePatterns"] = self.ends.iter().map(|end| format!("*{end}")).collect();
        }
        if let Some(limit) = self.limit {
            filter["limit"] = json!({"count": limit});
        }
        for (name, values) in &self.concerns {
            filter["concerns"][*name] = match values.as_deref() {
                Some([only]) if random.one_in(2) => json!(only),
                other => json!(other),
            };
        }
        filter.to_string()
    }
}

/// The function that decides whether a policy shows an item.
type Shows = fn(&Item) -> bool;

/// Policies, each with the function that decides which items it shows.
const POLICIES: [(&str, Shows); 4] = [
    ("", |_| true),
    ("-tag:destructive", |item| !item.tags.contains(&"destructive")),
    ("group:mail or -group:*", |item| item.groups.contains(&"mail") || item.groups.is_empty()),
    ("tag:stable -(concern.cost:high or tag:beta)", |item| {
        let high = item.concerns.get("cost").is_some_and(|values| values.contains(&"high"));
        item.tags.contains(&"stable") && !high && !item.tags.contains(&"beta")
    }),
];

/// Applies random filters to a random catalog for each seed; returns the number of comparisons.
pub fn compare(seeds: Range<u64>) -> usize {
    let mut compared = 0;
    for seed in seeds {
        let random = &mut Random::new(seed);
        let size = *random.pick(&[0, 1, 3, 20, 63, 64, 65, 130]);
        let items: Vec<Item> = (0..size).map(|at| Item::random(random, format!("tool {at}"))).collect();
        let listed: Vec<Value> = items.iter().map(|item| item.listed(random)).collect();
        let (policy, shows) = *random.pick(&POLICIES);
        let concerns = DECLARED.map(|(name, values)| json!({"name": name, "values": values}));
        let policies = if policy.is_empty() { json!([]) } else { json!([{"name": "p", "show": policy}]) };
        let config = json!({"concerns": concerns, "policies": policies});

        let config = Config::parse(&config.to_string()).unwrap();
        let source = json!({"tools": listed}).to_string();
        let lists = Lists::read(&source).unwrap();
        let catalog = Catalog::compile(&[Source { server: "s", lists }], &config.engine.assignments);
        assert_eq!(catalog.reports(), [], "seed {seed}");
        let view = Guarded::new(catalog, config.engine.policies).view(&NoCaller);
        let mut selection = Selection::default();
        let kind_index = view.catalog().kind_index(Kind::Tool);
        for turn in 0..FILTERS {
            let wanted = Wanted::random(random);
            let ParsedFilter { filter, ignored, .. } = Filter::parse(&wanted.written(random)).unwrap();
            let SettledFilter { narrowing, .. } = filter
                .settle(&view, &config.engine.concerns, config.engine.on_invalid_concern, ignored)
                .unwrap();
            let bits = view.select(&narrowing, Kind::Tool, &mut selection);

            let mut expected: Vec<usize> =
                (0..size).filter(|at| shows(&items[*at]) && items[*at].matches(&wanted)).collect();
            expected.truncate(wanted.limit.unwrap_or(size));
            let found: Vec<usize> = bits.iter().collect();
            assert_eq!(found, expected, "seed {seed}, filter {turn}: {wanted:?} under `{policy}`");
            assert_eq!(bits.count(), expected.len(), "seed {seed}, filter {turn}");
            // `explain` agrees with the selection.
            if size > 0 {
                let at = random.below(size);
                let told = view.explain(&narrowing, Kind::Tool, &items[at].name);
                assert_eq!(told.shown, expected.contains(&at), "seed {seed}, filter {turn}: {told:?}");
                assert_eq!(told.shown, told.reason.is_none());
            }
            // The list is parsed only now and then: it costs more than all the rest.
            if turn % 20 == 0 {
                let mut page = b"[".to_vec();
                assert_eq!(
                    Fields::write_page(kind_index, bits, narrowing.fields(), 0, usize::MAX, &mut page),
                    None
                );
                page.push(b']');
                let page: Vec<Value> = serde_json::from_slice(&page).unwrap();
                let names = page.iter().map(|item| item["name"].as_str().unwrap());
                let wanted_names = expected.iter().map(|at| items[*at].name.as_str());
                assert!(names.eq(wanted_names), "seed {seed}, filter {turn}");
            }
            compared += 1;
        }
    }
    compared
}

#[test]
fn selection_is_what_the_specification_says() {
    let compared = compare(0..CATALOGS);
    println!("{compared} filters compared");
    assert_eq!(compared, 100_000);
}
