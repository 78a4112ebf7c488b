//! Servers whose credentials and lists are a caller's own.

use std::{borrow::Cow, sync::Arc};

use futures_util::{FutureExt, StreamExt, future};
use http::{HeaderMap, HeaderValue};
use mcp_sieve::{Kind, json::Raw};
use mcp_sieve_gateway::{
    Config,
    config::{AuthKind, ListScope, Upstream as Settings, UpstreamAuth},
    error::RpcError,
    host::{Answer, Call, Caller, Event, Freshness, Revision, StreamItem},
    server::ReadObject,
    upstream::{Backend, Fetch as _, Gateway, Identity},
};
use serde_json::{Map, Value, json};

use crate::{
    gateway::{Servers, behind, config, gateway, names, serve, states},
    net::{Net, Piece, Reply, Seen},
    server::{modern, result},
};

fn with(name: &str, kind: AuthKind) -> Settings {
    let auth = UpstreamAuth { kind, ..UpstreamAuth::default() };
    Settings { auth, one_user: false, ..behind(name) }
}

fn refused(seen: &Seen, status: u16, challenge: &str) -> Reply {
    let Reply::Response { mut headers, .. } = result(seen, json!({})) else { panic!() };
    headers.push(("www-authenticate".to_owned(), challenge.to_owned()));
    Reply::Response { status, headers, body: vec![Piece::Bytes(b"{}".to_vec())] }
}

/// A server that lists a tool named after the token, and refuses requests without one, or with one that begins with `old`.
fn own_tools(seen: &Seen) -> Reply {
    let token = seen.header("authorization").and_then(|value| value.strip_prefix("Bearer "));
    let Some(token) = token.filter(|token| !token.starts_with("old")) else {
        return refused(seen, 401, "Bearer realm=\"server\"");
    };
    let tool = json!({"name": format!("of_{token}"), "inputSchema": {"type": "object"}});
    modern(json!({"tools": {}}), |seen| match seen.method() {
        "tools/list" => result(seen, json!({"tools": [tool], "ttlMs": 0, "cacheScope": "private"})),
        _ => result(seen, json!({"content": [], "asked": seen.body["params"]["name"], "as": token})),
    })(seen)
}

struct World {
    net: Net,
    gateway: Gateway,
    config: Config,
}

/// A caller of the gateway.
struct Person {
    claims: Option<Map<String, Value>>,
    headers: HeaderMap,
    capabilities: Value,
}

impl Person {
    fn named(name: &str) -> Self {
        let claims = json!({"sub": name}).as_object().cloned();
        Self { claims, headers: HeaderMap::new(), capabilities: json!({}) }
    }

    fn with_header(name: &'static str, value: &'static str) -> Self {
        let headers = HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_static(value))]);
        Self { claims: None, headers, capabilities: json!({}) }
    }

    fn caller<'a>(&'a self, method: &'a str) -> Caller<'a> {
        Caller {
            claims: self.claims.as_ref().map(Cow::Borrowed),
            capabilities: self.capabilities.clone(),
            ..Caller::new(&self.headers, Revision::V2026_07_28, method)
        }
    }
}

impl World {
    fn new(servers: &Servers, upstreams: &[Settings]) -> Self {
        Self { net: servers.net(), gateway: gateway(upstreams), config: config(upstreams) }
    }

    fn shared(&self) -> Vec<String> {
        let served = self.net.run(serve(&self.gateway, &self.net, &self.config, Freshness::List)).unwrap();
        names(&served.backend, Kind::Tool)
    }

    fn backend(&self, person: &Person) -> Arc<Backend> {
        self.try_backend(person).unwrap()
    }

    fn try_backend(&self, person: &Person) -> Result<Arc<Backend>, RpcError> {
        let caller = person.caller("tools/list");
        self.net.run(async {
            let shared =
                serve(&self.gateway, &self.net, &self.config, Freshness::List).await.unwrap().backend;
            let Some(identity) = self.gateway.identity(&caller, None) else { return Ok(shared) };
            let after = || future::ready(()).boxed_local();
            let own = self.gateway.caller_backend(
                &self.net,
                &self.config,
                Freshness::List,
                &identity,
                shared,
                after,
            );
            own.await.map(|(_, backend)| backend)
        })
    }

    fn tools(&self, person: &Person) -> Vec<String> {
        names(&self.backend(person), Kind::Tool)
    }

    fn call(&self, person: &Person, server: &str, params: Value) -> Result<Value, RpcError> {
        let (caller, params) = (person.caller("tools/call"), params.to_string());
        let identity = self.gateway.identity(&caller, None).unwrap();
        let (own, acting) = (self.gateway.of_caller(&identity), self.net.acting_for(&identity));
        let servers = [server.to_owned()];
        let call = Call {
            method: "tools/call",
            params: Raw::parse(&params).ok().and_then(ReadObject::read),
            servers: &servers,
            caller: &caller,
            accepts_requests: true,
            streams: None,
            task: None,
            passthrough: None,
        };
        self.net.run(async {
            let result = match own.forward(&acting, &call).await? {
                Answer::Result(result) => result,
                Answer::Error(failure) => return Err(failure),
                Answer::Dialog(mut turns) => loop {
                    match turns.next().await.unwrap() {
                        StreamItem::Event(Event::Result(result)) => break result,
                        StreamItem::Event(Event::Error(failure)) => return Err(failure),
                        _ => {}
                    }
                },
                _ => panic!("an answer in another form"),
            };
            Ok(serde_json::from_slice(&result).unwrap())
        })
    }
}

fn holder(name: &str) -> String {
    Identity::holder_of(name)
}

#[test]
fn each_caller_has_the_lists_of_its_own_connection() {
    let servers = Servers::default();
    servers.lists("open", &["search"], 0);
    servers.set("own", own_tools);
    let world = World::new(&servers, &[behind("open"), with("own", AuthKind::User)]);
    let [ann, ben, eve] = ["ann", "ben", "eve"].map(Person::named);
    world.net.connect(&holder("ann"), "own", &["a"]);
    world.net.connect(&holder("ben"), "own", &["b"]);
    assert_eq!(world.shared(), ["search"]);
    // No cache gives these lists to a caller that has others.
    let nameless = Person { claims: None, ..Person::named("") };
    assert!(world.backend(&nameless).is_of_caller);
    assert_eq!(world.tools(&ann), ["search", "of_a"]);
    assert_eq!(world.tools(&ben), ["search", "of_b"]);
    assert_eq!(world.tools(&eve), ["search", "connect_own"]);
    // A caller that cannot be told from others has no connection, and no tool to make one.
    assert_eq!(world.tools(&nameless), ["search"]);
    assert_eq!(world.tools(&ann), ["search", "of_a"]);
    assert_eq!(world.shared(), ["search"]);
    let asked = |token: &str| world.net.seen().iter().any(|seen| seen.header("authorization") == Some(token));
    assert!(asked("Bearer a") && asked("Bearer b"));
    for seen in world.net.seen().iter().filter(|seen| seen.url.contains("open")) {
        assert_eq!(seen.header("authorization"), None, "a token went to another server");
    }
    assert_eq!(world.call(&ann, "own", json!({"name": "of_a"})).unwrap()["as"], "a");
    assert_eq!(world.call(&ben, "own", json!({"name": "of_a"})).unwrap()["as"], "b");
}

#[test]
fn a_server_waits_until_a_caller_has_signed_in() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let world = World::new(&servers, &[with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    let served = world.net.run(serve(&world.gateway, &world.net, &world.config, Freshness::List)).unwrap();
    assert_eq!(states(&served), ["own waiting"]);
    assert!(world.net.seen().is_empty(), "a request without credentials");
    assert_eq!(world.tools(&ann), ["connect_own"]);
    assert!(world.net.seen().is_empty(), "a request without credentials");
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(world.tools(&ann), ["of_a"]);
    world.net.disconnect(&holder("ann"), "own");
    let failure = world.call(&ann, "own", json!({"name": "of_a"})).unwrap_err();
    assert_eq!(failure.reason(), Some("upstream_sign_in"));
    assert_eq!(failure.data.unwrap()["url"], "http://gateway.test/connect/own");
    assert_eq!(world.tools(&ann), ["connect_own"]);
}

#[test]
fn shared_lists_are_requested_without_the_credentials_of_a_caller() {
    let servers = Servers::default();
    let open = modern(json!({"tools": {}}), |seen| match seen.method() {
        "tools/list" => {
            let tool = json!({"name": "note", "inputSchema": {"type": "object"}});
            result(seen, json!({"tools": [tool], "ttlMs": 0, "cacheScope": "public"}))
        }
        _ => result(seen, json!({"content": [], "as": seen.header("authorization")})),
    });
    servers.set("own", open);
    let settings = [Settings { lists: Some(ListScope::Shared), ..with("own", AuthKind::User) }];
    let world = World::new(&servers, &settings);
    let ann = Person::named("ann");
    assert_eq!(world.shared(), ["note"]);
    assert!(world.net.seen().iter().all(|seen| seen.header("authorization").is_none()));
    let failure = world.call(&ann, "own", json!({"name": "note"})).unwrap_err();
    assert_eq!(failure.reason(), Some("upstream_sign_in"));
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(world.tools(&ann), ["note"]);
    assert_eq!(world.call(&ann, "own", json!({"name": "note"})).unwrap()["as"], "Bearer a");
}

#[test]
fn the_tool_asks_or_returns_the_address() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let world = World::new(&servers, &[with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    let url = "http://gateway.test/connect/own";
    world.tools(&ann);
    let told = world.call(&ann, "own", json!({"name": "connect_own"})).unwrap();
    assert!(told["content"][0]["text"].as_str().unwrap().contains(url), "{told}");
    let able = Person { capabilities: json!({"elicitation": {"url": {}}}), ..Person::named("ann") };
    let asked = world.call(&able, "own", json!({"name": "connect_own"})).unwrap();
    assert_eq!(asked["resultType"], "input_required");
    let question = &asked["inputRequests"]["sign-in"];
    assert_eq!(
        (&question["method"], &question["params"]["mode"]),
        (&json!("elicitation/create"), &json!("url"))
    );
    assert_eq!(question["params"]["url"], url);
    let answered =
        |action: &str| json!({"name": "connect_own", "inputResponses": {"sign-in": {"action": action}}});
    let declined = world.call(&able, "own", answered("decline")).unwrap();
    assert_eq!(declined["isError"], true);
    let began = world.net.now();
    assert_eq!(world.call(&able, "own", answered("accept")).unwrap()["resultType"], "input_required");
    assert!(world.net.now() - began >= 25_000);
    world.net.connect(&holder("ann"), "own", &["a"]);
    let connected = world.call(&able, "own", answered("accept")).unwrap();
    assert_eq!(connected["content"][0]["text"], "You are connected to own. Its tools are listed now.");
    assert_eq!(world.tools(&ann), ["of_a"]);
}

#[test]
fn a_refused_token_is_replaced_once() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let world = World::new(&servers, &[with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    world.net.connect(&holder("ann"), "own", &["old-1", "a"]);
    assert_eq!(world.tools(&ann), ["of_a"]);
    world.net.connect(&holder("ann"), "own", &["old-1", "old-2", "a"]);
    let failure = world.call(&ann, "own", json!({"name": "of_a"})).unwrap_err();
    assert_eq!(failure.reason(), Some("upstream_unauthorized"));
    assert!(!failure.to_json().to_string().contains("old-"), "{failure}");
}

#[test]
fn a_connection_that_cannot_be_read_pauses_no_server() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let world = World::new(&servers, &[with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    let call = || world.call(&ann, "own", json!({"name": "of_a"}));
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(world.tools(&ann), ["of_a"]);
    world.net.connect(&holder("ann"), "own", &[Net::AWAY]);
    assert_eq!(call().unwrap_err().reason(), Some("storage_unavailable"));
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(call().unwrap()["as"], "a");
}

#[test]
fn w6_a_refused_token_of_the_caller_is_reported_as_the_callers() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let settings = [with("own", AuthKind::Pass)];
    let world = World::new(&servers, &settings);
    let [ann, old] = ["Bearer a", "Bearer old-1"].map(|token| Person::with_header("authorization", token));
    assert_eq!(world.tools(&ann), ["of_a"]);
    let called = world.call(&old, "own", json!({"name": "of_a"})).unwrap_err();
    let without = Person { headers: HeaderMap::new(), ..Person::with_header("x-a", "b") };
    for failure in [called, world.try_backend(&old).unwrap_err(), world.try_backend(&without).unwrap_err()] {
        assert_eq!((failure.status.as_u16(), failure.reason()), (401, Some("upstream_unauthorized")));
        assert_eq!(failure.challenge(), Some("Bearer realm=\"server\""));
        assert!(failure.message.ends_with("the caller's credentials do not suffice"), "{failure}");
    }
    // The lists of the other caller are not touched.
    assert_eq!(world.tools(&ann), ["of_a"]);
}

#[test]
fn lists_with_a_header_of_the_caller_are_not_shared() {
    let servers = Servers::default();
    servers.set("own", |seen: &Seen| {
        let key = seen.header("x-key").unwrap_or("nothing").to_owned();
        let tool = json!({"name": format!("of_{key}"), "inputSchema": {"type": "object"}});
        modern(json!({"tools": {}}), move |seen| {
            result(seen, json!({"tools": [tool], "ttlMs": 0, "cacheScope": "private"}))
        })(seen)
    });
    let pass_headers = vec!["X-Key".to_owned()];
    let lists = Some(ListScope::Caller);
    let settings = [Settings { pass_headers, lists, one_user: false, ..behind("own") }];
    let world = World::new(&servers, &settings);
    let [one, two] = ["1", "2"].map(|key| Person::with_header("x-key", key));
    assert_eq!([world.tools(&one), world.tools(&two)], [["of_1"], ["of_2"]]);
    // The same principal with another key has another account at the server.
    let [mut one, mut two] = [one, two];
    one.claims = Person::named("ann").claims;
    two.claims = Person::named("ann").claims;
    assert_eq!([world.tools(&one), world.tools(&two)], [["of_1"], ["of_2"]]);
}

#[test]
fn a_server_of_callers_that_is_down_does_not_stop_the_others() {
    let servers = Servers::default();
    servers.lists("open", &["search"], 0);
    servers.down("own");
    let world = World::new(&servers, &[behind("open"), with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(world.tools(&ann), ["search"]);
    servers.set("own", own_tools);
    world.net.run(world.net.sleep(60_000));
    // It is listed again in the background.
    world.tools(&ann);
    assert_eq!(world.tools(&ann), ["search", "of_a"]);
    // Its last lists stay while it is down, as those of other servers do.
    servers.down("own");
    world.net.run(world.net.sleep(60_000));
    assert_eq!(world.tools(&ann), ["search", "of_a"]);
}

#[test]
fn the_names_of_shared_servers_come_first() {
    let servers = Servers::default();
    servers.lists("open", &["of_a"], 0);
    servers.set("own", own_tools);
    let own = Settings { prefix: Some("own_".to_owned()), ..with("own", AuthKind::User) };
    let world = World::new(&servers, &[own, behind("open")]);
    let ann = Person::named("ann");
    world.net.connect(&holder("ann"), "own", &["a"]);
    let backend = world.backend(&ann);
    let index = backend.guarded.catalog().kind_index(Kind::Tool);
    let owners: Vec<_> =
        (0..index.len()).map(|at| (index.id(at).unwrap(), index.server(at).unwrap())).collect();
    assert_eq!(owners, [("own_of_a", "own"), ("of_a", "open")]);
    assert!(backend.is_of_caller);
}

#[test]
fn the_gateways_own_token_serves_all_callers() {
    let servers = Servers::default();
    servers.set("own", own_tools);
    let world = World::new(&servers, &[with("own", AuthKind::ClientCredentials)]);
    world.net.connect(Identity::GATEWAY, "own", &["g"]);
    assert_eq!(world.shared(), ["of_g"]);
    assert_eq!(world.tools(&Person::named("ann")), ["of_g"]);
}

#[test]
fn a_tool_of_the_server_that_has_the_name_of_the_sign_in_is_the_servers() {
    let servers = Servers::default();
    servers.set("own", |seen: &Seen| {
        let tool = json!({"name": "connect_own", "inputSchema": {"type": "object"}});
        modern(json!({"tools": {}}), move |seen| match seen.method() {
            "tools/list" => result(seen, json!({"tools": [tool], "ttlMs": 0, "cacheScope": "private"})),
            _ => result(seen, json!({"content": [], "by": "the server"})),
        })(seen)
    });
    let world = World::new(&servers, &[with("own", AuthKind::User)]);
    let ann = Person::named("ann");
    world.net.connect(&holder("ann"), "own", &["a"]);
    assert_eq!(world.tools(&ann), ["connect_own"]);
    assert_eq!(world.call(&ann, "own", json!({"name": "connect_own"})).unwrap()["by"], "the server");
}
