//! Servers whose lists depend on the requests that Sieve relays to clients, with nothing configured.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use futures_util::FutureExt;
use mcp_sieve::{Kind, catalog::Lists};
use mcp_sieve_gateway::{
    config::{Capabilities, Config, RequiredCapabilities, Upstream as Settings},
    host::{Caller, Freshness, Revision},
    upstream::{Fetch, Listing, MAX_OFFERED_PAGES, Upstream},
};
use serde_json::{Value, json};

use crate::{
    ask::settings,
    gateway::{Servers, behind, config, gateway, serve},
    net::{Net, Reply, Seen},
    server::{legacy_in, modern, nameless, response, result},
};

const KEY: &str = "io.modelcontextprotocol/requiredCapabilities";
const DECLARED: &str = "io.modelcontextprotocol/clientCapabilities";
pub const HOUR_MS: u64 = 60 * 60 * 1_000;

pub fn relaying(settings: Settings) -> Settings {
    Settings { capabilities: Capabilities::default(), ..settings }
}

pub fn upstream() -> Upstream {
    Upstream::new(&relaying(settings()), &|_| None).unwrap()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

/// Returns the tools that the reference server lists to a client with these capabilities, in its order.
pub fn everything(declared: &Value) -> Vec<Value> {
    let has = |path: &str| declared.pointer(path).is_some();
    let rows = [
        ("echo", true),
        ("roots", has("/roots")),
        ("asks", has("/elicitation")),
        ("opens", has("/elicitation/url")),
        ("samples", has("/sampling")),
        ("research", true),
        ("samples later", has("/sampling") && has("/tasks/requests/sampling/createMessage")),
        ("asks later", has("/elicitation") && has("/tasks/requests/elicitation/create")),
    ];
    rows.into_iter().filter(|(_, shown)| *shown).map(|(name, _)| tool(name)).collect()
}

/// The state of a server with sessions.
#[derive(Default)]
pub struct Sessions {
    /// The capabilities that each session began with, and whether it has ended.
    pub begun: RefCell<Vec<(Value, bool)>>,
    version: Cell<u32>,
    /// Another tool.
    more: RefCell<Option<Value>>,
}

impl Sessions {
    /// Returns the sessions that have not ended.
    fn open(&self) -> usize {
        self.begun.borrow().iter().filter(|(_, ended)| !ended).count()
    }

    pub fn answer(&self, capabilities: Value, list: impl Fn(&Value) -> Vec<Value>, seen: &Seen) -> Reply {
        if seen.method() == "initialize" {
            let mut begun = self.begun.borrow_mut();
            begun.push((seen.body["params"]["capabilities"].clone(), false));
            let id = format!("s{}", begun.len() - 1);
            let info = json!({"name": "server", "version": self.version.get().to_string()});
            let body =
                json!({"protocolVersion": "2025-11-25", "capabilities": capabilities, "serverInfo": info});
            let mut reply = result(seen, body);
            if let Reply::Response { headers, .. } = &mut reply {
                headers.push(("mcp-session-id".to_owned(), id));
            }
            return reply;
        }
        let id = seen.header("mcp-session-id").and_then(|id| id.strip_prefix('s')?.parse().ok());
        let mut begun = self.begun.borrow_mut();
        let Some((declared, ended)) = id.and_then(|id: usize| begun.get_mut(id)) else {
            return legacy_in(capabilities, "2025-11-25", "", |_| Reply::Lost)(seen);
        };
        match seen.method() {
            "tools/list" if *ended => nameless(404, -32001, "Session not found"),
            "tools/list" => {
                let tools = list(declared).into_iter().chain(self.more.borrow().clone());
                result(seen, json!({"tools": tools.collect::<Vec<_>>()}))
            }
            "DELETE" => {
                *ended = true;
                response(200, "text/plain", "")
            }
            "ping" => result(seen, json!({})),
            _ => response(202, "text/plain", ""),
        }
    }
}

/// Returns a server with sessions that announces tasks.
fn sessions(list: impl Fn(&Value) -> Vec<Value> + 'static) -> (Net, Rc<Sessions>) {
    let state = Rc::new(Sessions::default());
    let server = Rc::clone(&state);
    (Net::new(move |seen| server.answer(json!({"tools": {}, "tasks": {}}), &list, seen)), state)
}

/// Returns a server with the stateless revision.
fn stateless() -> Net {
    Net::new(modern(json!({"tools": {}}), |seen| {
        result(seen, json!({"tools": everything(&seen.body["params"]["_meta"][DECLARED])}))
    }))
}

/// Returns the tools of a listing, each with the capabilities that it requires.
fn tools(listing: &Listing) -> Vec<(String, Value)> {
    let lists = Lists::read(&listing.lists).unwrap();
    let tools = lists.primitives(Kind::Tool).into_iter();
    let tools = tools.map(|tool| serde_json::from_str::<Value>(tool.get()).unwrap());
    tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool["_meta"][KEY].clone())).collect()
}

pub fn names(listing: &Listing) -> Vec<String> {
    tools(listing).into_iter().map(|(name, _)| name).collect()
}

pub fn count(net: &Net, method: &str) -> usize {
    net.methods().iter().filter(|seen| *seen == method).count()
}

#[test]
fn each_tool_is_marked_with_what_the_server_needs_of_clients() {
    let row = |name: &str, required: Value| (name.to_owned(), required);
    let asks_later = json!({"elicitation": {}, "tasks": {"requests": {"elicitation": {"create": {}}}}});
    let samples_later = json!({"sampling": {}, "tasks": {"requests": {"sampling": {"createMessage": {}}}}});
    let mut expected = vec![
        row("echo", Value::Null),
        row("roots", json!({"roots": {}})),
        row("asks", json!({"elicitation": {}})),
        row("opens", json!({"elicitation": {"url": {}}})),
        row("samples", json!({"sampling": {}})),
        row("research", Value::Null),
        row("samples later", samples_later),
        row("asks later", asks_later),
    ];
    let (net, state) = sessions(everything);
    let listing = net.run(async { upstream().lists(&net).await.unwrap() });
    assert_eq!(tools(&listing), expected);
    assert_eq!((listing.problems.len(), count(&net, "tools/list")), (0, 2 + 6));
    // Every session but the gateway's own is ended.
    assert_eq!((state.begun.borrow().len(), state.open()), (8, 1));
    let net = stateless();
    let listing = net.run(async { upstream().lists(&net).await.unwrap() });
    // Stateless requests have no tasks of clients.
    expected.truncate(6);
    assert_eq!(tools(&listing), expected);
    assert_eq!(count(&net, "tools/list"), 2 + 6);
}

#[test]
fn tools_that_require_capabilities_are_conditional_unless_they_are_annotated() {
    for (setting, flags) in [(None, 2), (Some(RequiredCapabilities::Annotate), 0)] {
        let settings = Settings { required_capabilities: setting, ..relaying(settings()) };
        let upstream = Upstream::new(&settings, &|_| None).unwrap();
        let (net, _) = sessions(everything);
        let listing = net.run(async { upstream.lists(&net).await.unwrap() });
        assert_eq!(listing.lists.matches(r#""dev.mcpsieve/conditional":true"#).count(), flags);
        assert_eq!(tools(&listing).len(), 8);
    }
}

/// Returns the tools that a client sees through a gateway.
fn seen_by(protocol: Revision, capabilities: Value) -> Vec<String> {
    let servers = Servers::default();
    let state = Rc::new(Sessions::default());
    state.more.replace(Some(json!({"name": "states it", "inputSchema": {"type": "object"},
        "_meta": {KEY: {"roots": {}}}})));
    servers.set("a", move |seen| state.answer(json!({"tools": {}, "tasks": {}}), everything, seen));
    let (net, upstreams) = (servers.net(), [relaying(behind("a"))]);
    let gateway = gateway(&upstreams);
    let config = config(&upstreams);
    let served =
        net.run(async { serve(&gateway, &net, &config, Freshness::List).boxed_local().await.unwrap() });
    let headers = http::HeaderMap::new();
    let caller = Caller { capabilities, ..Caller::new(&headers, protocol, "tools/list") };
    let view = served.backend.guarded.view(&caller);
    let tools = view.catalog().kind_index(Kind::Tool);
    view.bits(Kind::Tool).iter().map(|index| tools.id(index).unwrap().to_owned()).collect()
}

#[test]
fn a_client_sees_what_the_server_lists_to_it() {
    let requests = |name: &str, request: &str| json!({"requests": {name: {request: {}}}});
    let both = json!({"requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}});
    let rows = [
        json!({}),
        json!({"roots": {}}),
        json!({"elicitation": {"form": {}}}),
        json!({"elicitation": {"url": {}}}),
        json!({"sampling": {}, "tasks": requests("sampling", "createMessage")}),
        json!({"sampling": {}, "tasks": requests("elicitation", "create")}),
        json!({"sampling": {}, "elicitation": {}, "roots": {}, "tasks": both}),
    ];
    for capabilities in rows {
        for (protocol, offers_tasks) in [(Revision::V2025_11_25, true), (Revision::V2026_07_28, false)] {
            let mut offered = capabilities.clone();
            if !offers_tasks {
                offered.as_object_mut().unwrap().remove("tasks");
            }
            let direct =
                everything(&offered).into_iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
            // What the server itself says that a tool requires hides it from nobody.
            let direct: Vec<_> = direct.chain(["states it".to_owned()]).collect();
            assert_eq!(seen_by(protocol, capabilities.clone()), direct, "{capabilities}");
        }
    }
}

#[test]
fn nothing_is_declared_where_the_file_says_so() {
    let refusing = Settings { questions: false, ..relaying(settings()) };
    let none = Config::parse(r#"{"upstream": {"capabilities": {}}}"#).unwrap().upstream.capabilities;
    for settings in [refusing, Settings { capabilities: none, ..settings() }] {
        let upstream = Upstream::new(&settings, &|_| None).unwrap();
        let (net, state) = sessions(everything);
        let listing = net.run(async { upstream.lists(&net).await.unwrap() });
        assert_eq!(names(&listing), ["echo", "research"]);
        assert_eq!(*state.begun.borrow(), [(json!({}), false)]);
    }
}

#[test]
fn configured_capabilities_are_added_to_the_relayed_ones() {
    let file = r#"{"upstream": {"capabilities": {"sampling": {"x": {}}, "extensions": {"a/b": {}}}}}"#;
    let capabilities = Config::parse(file).unwrap().upstream.capabilities;
    let upstream = Upstream::new(&Settings { capabilities, ..settings() }, &|_| None).unwrap();
    let (net, state) = sessions(|_| vec![tool("echo")]);
    net.run(async { upstream.lists(&net).await.unwrap() });
    let all = json!({
        "elicitation": {"form": {}, "url": {}},
        "sampling": {"tools": {}, "context": {}, "x": {}},
        "roots": {"listChanged": true},
        "tasks": {"cancel": {}, "requests": {"sampling": {"createMessage": {}}, "elicitation": {"create": {}}}},
        "extensions": {"a/b": {}},
    });
    assert_eq!(*state.begun.borrow(), [(json!({}), false), (all, true)]);
}

#[test]
fn a_server_is_listed_with_capabilities_again_only_if_something_changed() {
    let conditional = |declared: &Value| everything(declared);
    let plain = |_: &Value| vec![tool("echo")];
    for (list, first, more) in
        [(Box::new(conditional) as Box<dyn Fn(&Value) -> Vec<Value>>, 8, 8), (Box::new(plain), 2, 2)]
    {
        let (net, state) = sessions(list);
        let upstream = upstream();
        net.run(async {
            let listed = async |requests: usize| {
                let before = count(&net, "tools/list");
                // Boxed, because the future is large.
                let listing = upstream.lists(&net).boxed_local().await.unwrap();
                assert_eq!(count(&net, "tools/list") - before, requests);
                listing
            };
            let before = listed(first).await;
            assert_eq!(listed(1).await.lists, before.lists);
            net.sleep(HOUR_MS).await;
            assert_eq!(listed(more).await.lists, before.lists);
            assert_eq!(listed(1).await.lists, before.lists);
            // Another list without capabilities.
            state.more.replace(Some(tool("new")));
            assert_eq!(names(&listed(more).await).len(), names(&before).len() + 1);
            listed(1).await;
            // A session that was lost changes nothing, unless another version of the server lost it.
            for (version, requests) in [(0, 1), (1, more)] {
                state.version.set(version);
                state.begun.borrow_mut().iter_mut().for_each(|(_, ended)| *ended = true);
                listed(1 + requests).await;
                listed(1).await;
            }
        });
        assert_eq!(state.open(), 1);
    }
}

#[test]
fn a_reported_change_lists_with_capabilities_again() {
    let servers = Servers::default();
    let state = Rc::new(Sessions::default());
    let server = Rc::clone(&state);
    servers.set("a", move |seen| server.answer(json!({"tools": {}}), everything, seen));
    let net = servers.net();
    let upstreams = [relaying(behind("a"))];
    let gateway = gateway(&upstreams);
    net.run(async {
        let config = config(&upstreams);
        let listed = async || {
            let before = count(&net, "tools/list");
            gateway.survey(&net).await;
            serve(&gateway, &net, &config, Freshness::List).await.unwrap();
            count(&net, "tools/list") - before
        };
        assert_eq!(listed().await, 2 + 6);
        assert_eq!(listed().await, 1);
        gateway.expire();
        assert_eq!(listed().await, 2 + 6);
    });
}

#[test]
fn servers_with_many_pages_are_listed_once_unless_capabilities_are_configured() {
    for (pages, configured, relisted) in [
        (MAX_OFFERED_PAGES, json!(null), true),
        (MAX_OFFERED_PAGES + 1, json!(null), false),
        (MAX_OFFERED_PAGES + 1, json!({"roots": {}}), true),
    ] {
        let net = Net::new(modern(json!({"tools": {}}), move |seen| {
            let params = &seen.body["params"];
            let page: usize = params["cursor"].as_str().map_or(1, |cursor| cursor.parse().unwrap());
            let next = if page < pages { json!((page + 1).to_string()) } else { Value::Null };
            let name = if params["_meta"][DECLARED]["roots"].is_object() { "more" } else { "page" };
            result(seen, json!({"tools": [tool(&format!("{name}{page}"))], "nextCursor": next}))
        }));
        let mut settings = Settings { max_pages: 100, ..relaying(settings()) };
        if configured.is_object() {
            let file = json!({"upstream": {"capabilities": configured}}).to_string();
            settings.capabilities = Config::parse(&file).unwrap().upstream.capabilities;
        }
        let upstream = Upstream::new(&settings, &|_| None).unwrap();
        let listing = net.run(async { upstream.lists(&net).await.unwrap() });
        assert_eq!(names(&listing).iter().any(|name| name.starts_with("more")), relisted, "{pages}");
        assert!(listing.problems.is_empty());
    }
}
