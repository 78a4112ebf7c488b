//! Groups that disclose their members, compared with the draft's rules for random groups and callers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use futures_util::{FutureExt, StreamExt};

use crate::{
    client::{frame, frames_of, json_of, modern, send, send_as},
    host::World,
};

const CASES: u64 = 150;
/// The kinds of primitives, and the member that identifies one.
const KINDS: [(&str, &str); 3] = [("tools", "name"), ("prompts", "name"), ("resources", "uri")];

/// A random generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn chance(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }
}

/// Sends a request; `declares` is whether the client declares the extension.
fn ask(world: &World, declares: bool, token: Option<&str>, method: &str, params: Value) -> Value {
    let capabilities = match declares {
        true => json!({"extensions": {"io.modelcontextprotocol/groups": {}}}),
        false => json!({}),
    };
    let mut request = modern(method, params, &capabilities);
    if method.starts_with("groups/") {
        request.headers_mut().remove("mcp-name");
    }
    json_of(send_as(world, token, &request).1)
}

fn items(list: &Value) -> Vec<Value> {
    list.as_array().cloned().unwrap_or_default()
}

fn names(list: &Value) -> Vec<String> {
    items(list).iter().map(|item| item["name"].as_str().unwrap().to_owned()).collect()
}

/// Groups with up to three parents, some of them disclosed, and primitives in some of the groups.
struct Case {
    parents: Vec<Vec<usize>>,
    disclosed: Vec<bool>,
    /// By kind: the groups of each primitive, and whether it is secret.
    primitives: Vec<Vec<(Vec<usize>, bool)>>,
}

impl Case {
    fn new(random: &mut Random) -> Self {
        let count = 1 + random.below(7);
        let parents: Vec<Vec<usize>> =
            (0..count).map(|group| (0..group).filter(|_| random.chance(3)).take(3).collect()).collect();
        // If no group is disclosed, the draft is off.
        let disclosed = (0..count).map(|group| group == 0 || !random.chance(3)).collect();
        let primitives = KINDS
            .iter()
            .map(|_| {
                let length = random.below(7);
                (0..length)
                    .map(|_| ((0..count).filter(|_| random.chance(4)).collect(), random.chance(3)))
                    .collect()
            })
            .collect();
        Self { parents, disclosed, primitives }
    }

    /// Returns a world with the groups and primitives of the case.
    fn world(&self) -> World {
        let mut lists = Map::new();
        for ((kind, id), primitives) in KINDS.iter().zip(&self.primitives) {
            let list = primitives.iter().enumerate().map(|(at, (groups, secret))| {
                let groups: Vec<_> = groups.iter().map(|group| format!("g{group}")).collect();
                let mut item = json!({"name": format!("{kind}{at}"), "_meta": {"dev.mcpsieve/groups": groups, "secret": secret}});
                if *id == "uri" {
                    item["uri"] = format!("note://{at}").into();
                }
                if *kind == "tools" {
                    item["inputSchema"] = json!({"type": "object"});
                }
                item
            });
            lists.insert((*kind).to_owned(), list.collect());
        }
        let groups = self.parents.iter().enumerate().map(|(at, parents)| {
            let parents: Vec<_> = parents.iter().map(|parent| format!("g{parent}")).collect();
            json!({"name": format!("g{at}"), "description": "A group.", "parent": parents})
        });
        let disclosed = self.disclosed.iter().enumerate().filter(|(_, on)| **on);
        let disclosed: Vec<_> = disclosed.map(|(at, _)| format!("g{at}")).collect();
        let config = json!({"groups": groups.collect::<Vec<_>>(), "drafts": {"groups": {"disclose": disclosed}},
            "policies": [{"name": "secret", "show": "-meta.secret:true or claim.sub:*"}]});
        let tokens = BTreeMap::from([("t".to_owned(), json!({"sub": "a"}).as_object().unwrap().clone())]);
        World::with_tokens(lists.into(), config.as_object().unwrap().clone(), tokens)
    }

    /// Returns the group and all its ancestors.
    fn around(&self, group: usize) -> BTreeSet<usize> {
        let parents = self.parents[group].iter().flat_map(|parent| self.around(*parent));
        parents.chain([group]).collect()
    }

    /// Returns the disclosed groups that contain a primitive.
    fn scopes(&self, groups: &[usize]) -> BTreeSet<usize> {
        let around = groups.iter().flat_map(|group| self.around(*group));
        around.filter(|group| self.disclosed[*group]).collect()
    }

    /// Checks all answers to one caller.
    fn check(&self, world: &World, token: Option<&str>) {
        let visible = |secret: bool| token.is_some() || !secret;
        let all = self.primitives.iter().flatten().filter(|(_, secret)| visible(*secret));
        let offered: BTreeSet<usize> = all.flat_map(|(groups, _)| self.scopes(groups)).collect();
        let strictly_in = |group: usize, outer: usize| group != outer && self.around(group).contains(&outer);
        let called = |groups: Vec<usize>| groups.iter().map(|group| format!("g{group}")).collect::<Vec<_>>();

        let top = ask(world, true, token, "groups/list", json!({}))["result"]["groups"].clone();
        let outermost =
            offered.iter().filter(|group| !offered.iter().any(|outer| strictly_in(**group, *outer)));
        assert_eq!(names(&top), called(outermost.copied().collect()));

        let mut reached: BTreeMap<String, Value> = BTreeMap::new();
        let mut nested = BTreeSet::new();
        let mut carried = [const { Vec::new() }; KINDS.len()];
        let mut next: Vec<Value> = items(&top);
        while let Some(group) = next.pop() {
            let name = group["name"].as_str().unwrap().to_owned();
            if let Some(known) = reached.insert(name.clone(), group.clone()) {
                assert_eq!(known, group, "a group is the same wherever it stands");
                continue;
            }
            let number: usize = name[1..].parse().unwrap();
            let contents =
                ask(world, true, token, "groups/get", json!({"name": name}))["result"]["contents"].clone();
            let below: Vec<usize> = offered.iter().copied().filter(|one| strictly_in(*one, number)).collect();
            let right_below = below
                .iter()
                .copied()
                .filter(|one| !below.iter().any(|between| strictly_in(*one, *between)))
                .collect();
            assert_eq!(names(&contents["groups"]), called(right_below));
            for ((kind, carried), primitives) in KINDS.iter().zip(&mut carried).zip(&self.primitives) {
                let innermost = |groups: &[usize]| {
                    let scopes = self.scopes(groups);
                    scopes.contains(&number) && !scopes.iter().any(|inner| strictly_in(*inner, number))
                };
                let expected = primitives.iter().enumerate();
                let expected = expected.filter(|(_, (groups, secret))| visible(*secret) && innermost(groups));
                let expected: Vec<_> = expected.map(|(at, _)| format!("{}{at}", kind.0)).collect();
                assert_eq!(names(&contents[kind.0]), expected, "{name} of {kind:?}");
                carried.extend(items(&contents[kind.0]));
            }
            nested.extend(names(&contents["groups"]));
            next.extend(items(&contents["groups"]));
        }
        assert_eq!(
            reached.keys().cloned().collect::<BTreeSet<_>>(),
            called(offered.into_iter().collect()).into_iter().collect()
        );
        assert!(names(&top).iter().all(|name| !nested.contains(name)), "at the top or nested, never both");

        for ((kind, id), carried) in KINDS.iter().zip(carried) {
            let list = |declares| {
                items(&ask(world, declares, token, &format!("{kind}/list"), json!({}))["result"][*kind])
            };
            let (flat, mut both) = (list(false), list(true));
            let by_id = |items: &[Value]| {
                let keyed = items.iter().map(|item| (item[*id].as_str().unwrap().to_owned(), item.clone()));
                keyed.collect::<BTreeMap<_, _>>()
            };
            let (top_level, scoped) = (by_id(&both), by_id(&carried));
            assert!(top_level.keys().all(|id| !scoped.contains_key(id)), "top level or scoped, never both");
            assert!(
                carried.iter().all(|item| scoped[item[*id].as_str().unwrap()] == *item),
                "one definition"
            );
            both.extend(carried);
            assert_eq!(by_id(&both), by_id(&flat), "the flattened list is all that can be reached");
        }
        for (at, _) in
            self.parents.iter().enumerate().filter(|(at, _)| !reached.contains_key(&format!("g{at}")))
        {
            let name = format!("g{at}");
            let error = json!({"code": -32002, "message": format!("Group not found: {name}"), "data": {"name": name}});
            assert_eq!(ask(world, true, token, "groups/get", json!({"name": name}))["error"], error);
        }
    }
}

#[test]
fn every_primitive_has_one_placement_and_all_can_be_reached() {
    let mut random = Random(5);
    for _ in 0..CASES {
        let case = Case::new(&mut random);
        let world = case.world();
        case.check(&world, None);
        case.check(&world, Some("t"));
    }
}

/// A listener that declares the extension is notified of a group that reaches the top level, although SEP-1300's list
/// of groups stays the same.
#[test]
fn a_group_that_is_offered_anew_changes_the_list_of_groups() {
    let config = json!({"groups": [{"name": "issues", "description": "Reads issues."}], "drafts": {"groups": {"disclose": ["issues"]}}});
    let template = json!({"uriTemplate": "issue://{id}", "name": "issue", "groups": ["issues"]});
    let tool = json!({"name": "open", "inputSchema": {"type": "object"}, "groups": ["issues"]});
    let lists = |tools: &[&Value]| json!({"tools": tools, "resourceTemplates": [template]});
    for (declares, expected) in [(true, vec!["tools", "groups"]), (false, vec!["tools"])] {
        let world = World::listing(lists(&[]), config.as_object().unwrap().clone());
        let capabilities = match declares {
            true => json!({"extensions": {"io.modelcontextprotocol/groups": {}}}),
            false => json!({}),
        };
        let wanted = json!({"notifications": {"toolsListChanged": true, "groupsListChanged": true}});
        let mut frames = frames_of(send(&world, &modern("subscriptions/listen", wanted, &capabilities)).1);
        let mut heard = || {
            let mut heard = Vec::new();
            while let Some(Some(bytes)) = world.run(async { frames.next().now_or_never() }) {
                let message = frame(&bytes).data.unwrap();
                heard.push(message["method"].as_str().unwrap().split('/').nth(1).unwrap().to_owned());
            }
            heard
        };
        assert_eq!(heard(), ["subscriptions"], "the acknowledgement");
        world.relist(&lists(&[&tool]), &config);
        assert_eq!(heard(), expected, "{declares}");
    }
}
