//! The lists of one client's session: a server may list more to a session that has enabled tools.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
    rc::Rc,
};

use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_sieve::{Kind, json::Raw};
use mcp_sieve_gateway::{
    Config,
    config::{ListScope, Upstream as Settings},
    host::{Answer, Call, Caller, Freshness, Revision},
    server::ReadObject,
    session::SessionStreams,
    upstream::{Fetch, Gateway},
};
use serde_json::json;

use crate::{
    gateway::{behind, config, gateway, names, serve},
    net::{Net, Piece, Reply, Seen},
    outside::NoLog,
    server::{event, response, result, stream},
};

/// Returns a server that lists `extra` to sessions in which a tool was called. `announces` states whether it reports that
/// on the stream of the session.
fn server(announces: bool) -> impl Fn(&Seen) -> Reply + 'static {
    let (enabled, begun) = (RefCell::<BTreeSet<String>>::default(), Cell::new(0));
    move |seen: &Seen| {
        let session = seen.header("mcp-session-id").unwrap_or_default().to_owned();
        match seen.method() {
            "server/discover" => response(404, "text/plain", ""),
            "initialize" => {
                begun.set(begun.get() + 1);
                let body = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}});
                let Reply::Response { status, mut headers, body } = result(seen, body) else { panic!() };
                headers.push(("mcp-session-id".to_owned(), format!("s-{}", begun.get())));
                Reply::Response { status, headers, body }
            }
            "tools/list" => {
                let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
                let extra = enabled.borrow().contains(&session).then(|| tool("extra"));
                let tools: Vec<_> = [tool("enable")].into_iter().chain(extra).collect();
                result(seen, json!({"tools": tools}))
            }
            "tools/call" => {
                enabled.borrow_mut().insert(session);
                result(seen, json!({"content": []}))
            }
            "GET" if announces => {
                let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
                stream(vec![Piece::Wait(2_000), event(&changed), Piece::Hang])
            }
            "GET" => response(405, "text/plain", ""),
            _ => response(202, "text/plain", ""),
        }
    }
}

/// A client with a session of its own.
struct Client {
    headers: HeaderMap,
    streams: Rc<SessionStreams>,
}

impl Client {
    fn new(session: &'static str) -> Self {
        let name = HeaderName::from_static("mcp-session-id");
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_static(session))]);
        Self { headers, streams: SessionStreams::new(NoLog::default()) }
    }

    fn call(&self, net: &Net, gateway: &Gateway) {
        let caller = Caller::new(&self.headers, Revision::V2025_11_25, "tools/call");
        let call = Call {
            method: "tools/call",
            params: Raw::parse(r#"{"name":"enable"}"#).ok().and_then(ReadObject::read),
            servers: &["a".to_owned()],
            caller: &caller,
            accepts_requests: true,
            streams: Some(&self.streams),
            task: None,
            passthrough: None,
        };
        assert!(matches!(net.run(gateway.forward(net, &call)), Ok(Answer::Result(_))));
    }

    /// Returns the tools that the client is listed.
    fn tools(&self, net: &Net, gateway: &Gateway, config: &Config) -> Vec<String> {
        let caller = Caller::new(&self.headers, Revision::V2025_11_25, "tools/list");
        let backend = net.run(async {
            let shared = serve(gateway, net, config, Freshness::List).await.unwrap().backend;
            let own = (&caller, &self.streams);
            gateway.session_backend(net, config, Freshness::List, own, shared).await
        });
        names(&backend, Kind::Tool)
    }
}

fn behind_server(announces: bool, lists_sessions: bool) -> (Net, Gateway, Config) {
    let lists = lists_sessions.then_some(ListScope::Session);
    let upstreams = [Settings { lists, ..behind("a") }];
    (Net::new(server(announces)).in_a_place(), gateway(&upstreams), config(&upstreams))
}

#[test]
fn w11_a_session_is_listed_what_it_has_enabled_if_the_file_says_so() {
    let (net, gateway, config) = behind_server(false, true);
    let [one, other] = ["one", "other"].map(Client::new);
    let listed = |client: &Client| client.tools(&net, &gateway, &config);
    assert_eq!([listed(&one), listed(&other)], [["enable"]; 2]);
    one.call(&net, &gateway);
    assert_eq!(listed(&one), ["enable", "extra"]);
    assert_eq!(listed(&other), ["enable"]);
    let shared = net.run(serve(&gateway, &net, &config, Freshness::List)).unwrap();
    assert_eq!(names(&shared.backend, Kind::Tool), ["enable"]);
}

#[test]
fn l6_a_session_is_listed_more_once_its_server_announces_it() {
    let (net, gateway, config) = behind_server(true, false);
    let [one, other] = ["one", "other"].map(Client::new);
    let listed = |client: &Client| client.tools(&net, &gateway, &config);
    one.call(&net, &gateway);
    assert_eq!(listed(&one), ["enable"], "nothing was announced yet");
    net.run(net.sleep(3_000));
    assert_eq!(listed(&one), ["enable", "extra"]);
    assert_eq!(listed(&other), ["enable"]);
    // Another catalog of all clients does not take them away.
    gateway.expire();
    assert_eq!(listed(&one), ["enable", "extra"]);
}

/// Without such a setting or announcement a session costs its server no listing.
#[test]
fn sessions_are_not_listed_without_a_reason() {
    let (net, gateway, config) = behind_server(false, false);
    let one = Client::new("one");
    one.call(&net, &gateway);
    let before = net.methods().iter().filter(|method| *method == "tools/list").count();
    assert_eq!(one.tools(&net, &gateway, &config), ["enable"]);
    let after = net.methods().iter().filter(|method| *method == "tools/list").count();
    assert!(after - before <= 1, "that of all clients");
}
