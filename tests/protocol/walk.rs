//! The walk: every method and kind, in both eras, in a world with hidden primitives and in one that never had them. All
//! responses must be equal byte for byte, and so must the streams of changes and the lists as plain HTTP resources.

use std::collections::BTreeSet;

use futures_util::{FutureExt, StreamExt};
use http::{Method, Request};
use mcp_sieve::task::TaskState;
use mcp_sieve_gateway::tasks::Task;
use mcp_sieve_gateway::{
    config::Config,
    server::{Body, handle_plain_list, method_names},
    streams::Change,
};
use serde_json::{Map, Value, json};

use crate::host::World;

const ERAS: [&str; 3] = ["2026-07-28", "2025-11-25", "2025-03-26"];
/// The eras, and whether the client declares the draft of groups.
const CLIENTS: [(&str, bool); 4] = [(ERAS[0], false), (ERAS[0], true), (ERAS[1], false), (ERAS[2], false)];

fn fixture() -> Value {
    serde_json::from_str(include_str!("../fixtures/walk.json")).unwrap()
}

/// Returns the lists with hidden items before, between and after the visible ones.
fn mixed(fixture: &Value, visible: &Value) -> Value {
    let mix = |kind: &String, visible: &Value| {
        let hidden = fixture["hidden"][kind].as_array().unwrap();
        let (first, rest) = hidden.split_at(1);
        let (before, behind) = halves(visible.as_array().unwrap());
        (kind.clone(), [first, before, rest, behind].concat().into())
    };
    visible.as_object().unwrap().iter().map(|(kind, list)| mix(kind, list)).collect::<Map<_, _>>().into()
}

fn halves(list: &[Value]) -> (&[Value], &[Value]) {
    list.split_at(list.len().min(1))
}

/// Returns the server's declarations: those about visible primitives and, if `hidden`, those about hidden ones before
/// them.
fn declared(fixture: &Value, hidden: bool) -> Value {
    let part = |of: &str, key: &str| fixture["declared"][of][key].as_array().unwrap().clone();
    let all = |key: &&str| {
        let hidden = if hidden { part("hidden", key) } else { Vec::new() };
        ((*key).to_owned(), [hidden, part("visible", key)].concat().into())
    };
    ["groups", "tags", "concerns"].iter().map(all).collect::<Map<_, _>>().into()
}

/// Returns the variants of visible primitives: every kind, no templates and prompts, and nothing at all.
fn visible(fixture: &Value) -> Vec<Value> {
    let without = |kinds: &[&str]| {
        let mut visible = fixture["visible"].clone();
        kinds.iter().for_each(|kind| visible[kind] = json!([]));
        visible
    };
    let none = ["tools", "resources", "resourceTemplates", "prompts", "skills"];
    vec![without(&[]), without(&none[2..]), without(&none)]
}

/// One of the ways to hide primitives, with a world that has hidden primitives and one that does not.
struct Way {
    name: String,
    path: String,
    query: String,
    with: World,
    without: World,
}

/// Adds a task of a hidden tool for every owner that a caller without a token and a session can have.
fn with_hidden_task(world: World) -> World {
    let store = world.store.borrow().clone().unwrap();
    for owner in (0..16).map(|number| format!("stranger:{number}")) {
        let task = Task {
            id: "of-the-hidden".to_owned(),
            owner: owner.clone(),
            method: "tools/call".to_owned(),
            name: "secret_door".to_owned(),
            remote: None,
            state: TaskState::Working,
            message: None,
            created: world.clock.get(),
            updated: world.clock.get(),
            ttl: None,
            poll: None,
            questions: Vec::new(),
            outcome: None,
        };
        store.tasks.borrow_mut().insert((owner, task.id.clone()), task);
    }
    world
}

/// Returns every way of hiding in the fixture file, for one variant of visible primitives.
fn ways(fixture: &Value, visible: &Value) -> Vec<Way> {
    let ways = fixture["ways"].as_array().unwrap().iter();
    ways.map(|way| {
        let mut config = fixture["config"].as_object().unwrap().clone();
        config.extend(way["config"].as_object().unwrap().clone());
        let world = |lists: &Value| World::listing(lists.clone(), config.clone());
        let text = |key: &str| way[key].as_str().unwrap_or_default().to_owned();
        Way {
            name: text("name"),
            path: Some(text("path"))
                .filter(|path| !path.is_empty())
                .map_or(String::new(), |path| format!("/{path}")),
            query: text("query"),
            with: with_hidden_task(world(&mixed(fixture, visible)))
                .declare(&declared(fixture, true), &mixed(fixture, visible)),
            without: world(visible).declare(&declared(fixture, false), visible),
        }
    })
    .collect()
}

/// A client of one world.
struct Walker<'a> {
    world: &'a World,
    path: &'a str,
    query: &'a str,
    era: &'a str,
    declares: bool,
    session: Option<String>,
}

impl<'a> Walker<'a> {
    fn new(way: &'a Way, world: &'a World, (era, declares): (&'a str, bool)) -> Self {
        let mut walker = Self { world, path: &way.path, query: &way.query, era, declares, session: None };
        if era != ERAS[0] {
            walker.ask("initialize", &Value::Null);
        }
        walker
    }

    fn request(&self, verb: Method, place: &str, body: &Value) -> Request<Vec<u8>> {
        let mut request =
            Request::new(if body.is_null() { Vec::new() } else { body.to_string().into_bytes() });
        *request.method_mut() = verb;
        *request.uri_mut() = format!("http://127.0.0.1{place}?{}", self.query).parse().unwrap();
        let mut set =
            |name: &'static str, value: &str| _ = request.headers_mut().insert(name, value.parse().unwrap());
        set("content-type", "application/json");
        set("accept", "application/json, text/event-stream");
        set("mcp-protocol-version", self.era);
        if let Some(session) = &self.session {
            set("mcp-session-id", session);
        }
        if let Some(method) = body["method"].as_str() {
            set("mcp-method", method);
        }
        let named = ["/params/name", "/params/uri", "/params/taskId"];
        if let Some(name) = named.iter().find_map(|at| body.pointer(at)).and_then(Value::as_str) {
            set("mcp-name", name);
        }
        request
    }

    fn meta(&self) -> Value {
        let mut extensions = json!({"io.modelcontextprotocol/tasks": {}});
        if self.declares {
            extensions["io.modelcontextprotocol/groups"] = json!({});
        }
        let known = [
            "server/discover",
            "tools/list",
            "resources/list",
            "resources/templates/list",
            "prompts/list",
            "skills/list",
            "never/was",
        ];
        let known: Map<String, Value> =
            known.map(|method| (method.to_owned(), "sha256:0".into())).into_iter().collect();
        json!({"io.modelcontextprotocol/protocolVersion": self.era,
            "io.modelcontextprotocol/clientCapabilities": {"extensions": extensions},
            "io.modelcontextprotocol/knownTags": known})
    }

    /// Returns the whole response, including its headers.
    fn ask(&mut self, method: &str, params: &Value) -> String {
        let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        let mut params = params.clone();
        if self.era == ERAS[0] {
            params = if params.is_null() { json!({}) } else { params };
            params["_meta"] = self.meta();
        } else if method == "initialize" {
            self.session = None;
            params = json!({"protocolVersion": self.era, "capabilities": {}, "clientInfo": {"name": "walker", "version": "1"}});
        }
        if !params.is_null() {
            body["params"] = params;
        }
        let request = self.request(Method::POST, &format!("/mcp{}", self.path), &body);
        let response = self.world.run(self.world.handle(Ok(None), &request));
        let session = response.headers().get("mcp-session-id").map(|id| id.to_str().unwrap().to_owned());
        let answer = shown(self.world, response);
        self.session = session.or(self.session.take());
        answer
    }

    /// Reads a list as a plain HTTP resource.
    fn plain(&self, kind: &str) -> String {
        let request = self.request(Method::GET, &format!("/catalog{}/{kind}", self.path), &Value::Null);
        shown(
            self.world,
            self.world.run(handle_plain_list(&self.world.config, self.world, Ok(None), &request)),
        )
    }

    /// Returns all pages of a list, including the cursors.
    fn pages(&mut self, method: &str, params: &Value) -> String {
        let (mut all, mut params) = (String::new(), params.clone());
        for _ in 0..20 {
            let answer = self.ask(method, &params);
            all.push_str(&answer);
            let body: Value =
                answer.lines().last().and_then(|body| serde_json::from_str(body).ok()).unwrap_or_default();
            let Some(cursor) = body.pointer("/result/nextCursor").cloned() else { return all };
            params = if params.is_null() { json!({}) } else { params };
            params["cursor"] = cursor;
        }
        panic!("{method} has no last page")
    }
}

/// Returns status, headers and body, or what a stream contains so far. The random session id is left out.
fn shown(world: &World, response: http::Response<Body>) -> String {
    let (head, body) = response.into_parts();
    let mut lines = vec![head.status.to_string()];
    lines.extend(
        head.headers.iter().filter(|(name, _)| *name != "mcp-session-id").map(|header| format!("{header:?}")),
    );
    lines.push(match body {
        Body::Empty => String::new(),
        Body::Json(json) => String::from_utf8(json).unwrap(),
        Body::Passthrough(response) => format!("{response:?}"),
        Body::Events(mut events) => {
            let mut said = String::new();
            while let Some(Some(event)) = world.run(async { events.next().now_or_never() }) {
                said.push_str(&String::from_utf8(event).unwrap().replace('\n', "|"));
            }
            said
        }
    });
    lines.join("\n") + "\n"
}

/// Returns every request of the fixture table, each with its method.
fn requests(fixture: &Value) -> Vec<(String, Value)> {
    let mut requests = Vec::new();
    for (method, all_params) in fixture["asked"].as_object().unwrap() {
        for params in all_params.as_array().unwrap() {
            match params.as_str() {
                Some(filters) => {
                    let filters = fixture[filters].as_array().unwrap().iter();
                    requests.extend(filters.map(|filter| {
                        let params = if filter.is_null() { Value::Null } else { json!({"filter": filter}) };
                        (method.clone(), params)
                    }));
                }
                None => requests.push((method.clone(), params.clone())),
            }
        }
    }
    requests
}

/// hidden primitives cannot be distinguished from ones that never existed.
#[test]
fn what_is_hidden_is_answered_as_what_never_was() {
    let fixture = fixture();
    let requests = requests(&fixture);
    let mut failures = Vec::new();
    let mut answer_count = 0;
    for way in visible(&fixture).iter().flat_map(|visible| ways(&fixture, visible)) {
        for client in CLIENTS {
            let [mut with, mut without] =
                [&way.with, &way.without].map(|world| Walker::new(&way, world, client));
            let mut same = |what: String, one: String, other: String| {
                answer_count += 1;
                if one != other {
                    failures.push(format!(
                        "{} for {client:?}: {what}\n  hidden {one}\n  absent {other}",
                        way.name
                    ));
                }
            };
            for (method, params) in &requests {
                for method in [method.clone(), format!("dev.mcpsieve/{method}")] {
                    let answers = [&mut with, &mut without].map(|walker| walker.pages(&method, params));
                    let [one, other] = answers;
                    same(format!("{method} {params}"), one, other);
                }
            }
            for kind in ["tools", "resources", "resourceTemplates", "prompts", "skills"] {
                same(format!("GET {kind}"), with.plain(kind), without.plain(kind));
            }
        }
    }
    println!("{answer_count} answers");
    assert!(answer_count > 3_000, "only {answer_count} answers");
    assert!(
        failures.is_empty(),
        "{} of {answer_count}:\n{}",
        failures.len(),
        failures.iter().map(|f| f.lines().next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    );
}

/// a listener is not notified of changes that it cannot see.
#[test]
fn what_is_hidden_changes_without_a_sound() {
    let fixture = fixture();
    let ways = || ways(&fixture, &fixture["visible"]).into_iter().filter(|way| way.name != "by a rule");
    for (way, declares) in ways().map(|way| (way, false)).chain(ways().map(|way| (way, true))) {
        let walker = Walker {
            world: &way.with,
            path: &way.path,
            query: &way.query,
            era: ERAS[0],
            declares,
            session: None,
        };
        let params = &fixture["asked"]["subscriptions/listen"][0];
        let mut params = params.clone();
        params["_meta"] = walker.meta();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params});
        let request = walker.request(Method::POST, &format!("/mcp{}", way.path), &body);
        let response = way.with.run(way.with.handle(Ok(None), &request));
        let Body::Events(mut events) = response.into_body() else { panic!("{}: a stream", way.name) };
        let mut heard = |world: &World| {
            let mut heard = Vec::new();
            while let Some(Some(event)) = world.run(async { events.next().now_or_never() }) {
                heard.push(String::from_utf8(event).unwrap());
            }
            heard
        };
        assert_eq!(heard(&way.with).len(), 1, "{}: the acknowledgement", way.name);
        let mut config = fixture["config"].clone();
        config.as_object_mut().unwrap().extend(
            fixture["ways"].as_array().unwrap().iter().find(|one| one["name"] == way.name.as_str()).unwrap()
                ["config"]
                .as_object()
                .unwrap()
                .clone(),
        );
        // The hidden primitives disappear and come back.
        for lists in [&fixture["visible"], &mixed(&fixture, &fixture["visible"]), &fixture["visible"]] {
            way.with.relist(lists, &config);
            assert_eq!(heard(&way.with), Vec::<String>::new(), "{}", way.name);
        }
        way.with.relist(&mixed(&fixture, &fixture["visible"]), &config);
        for uri in ["room://secret", "secret://7", "skill://house/vault/SKILL.md"] {
            way.with.changed(&Change::Resource(uri.to_owned()));
            assert_eq!(heard(&way.with), Vec::<String>::new(), "{}: {uri}", way.name);
        }
        way.with.changed(&Change::Resource("room://open".to_owned()));
        assert_eq!(heard(&way.with).len(), 1, "{}: what is visible is told", way.name);
    }
}

/// The walk covers every method of the dispatcher's table.
#[test]
fn no_method_is_left_out_of_the_walk() {
    let fixture = fixture();
    let requests = fixture["asked"].as_object().unwrap();
    let methods: BTreeSet<String> =
        method_names().map(|name| name.trim_start_matches("dev.mcpsieve/").to_owned()).collect();
    assert!(methods.len() > 25, "{methods:?}");
    let missing: Vec<_> = methods.iter().filter(|method| !requests.contains_key(*method)).collect();
    assert!(missing.is_empty(), "not asked: {missing:?}");
    let passed = Config::parse(&fixture["config"].to_string()).unwrap().upstream.pass_methods;
    let passed: BTreeSet<String> = passed.iter().map(|entry| entry.pattern()).collect();
    let missing: Vec<_> = passed.iter().filter(|method| !requests.contains_key(*method)).collect();
    assert!(passed.len() == 4 && missing.is_empty(), "passed, and not asked: {missing:?}");
    let known = |method: &&String| methods.contains(*method) || passed.contains(*method);
    let unknown: Vec<_> = requests.keys().filter(|method| !known(method)).collect();
    assert_eq!(unknown, ["never/was"], "the one method that is asked and does not exist");
}
