//! The self-descriptions of servers in both eras, and how the gateway learns, refreshes, reports and shares them.

use std::cell::Cell;

use mcp_sieve_gateway::{
    config,
    host::Freshness,
    upstream::{
        Fetch, Introduction, Listing, MAX_FOREIGN_CAPABILITIES, MAX_INSTRUCTIONS, MAX_LIST_MEMBERS,
        MAX_SERVER_INFO,
    },
};
use serde_json::{Value, json};

use crate::{
    gateway::{Servers, behind, config, gateway, serve},
    net::{Reply, Seen},
    server::{error, nameless, result},
};

/// Returns the self-description in the form of a discovery or a handshake.
fn says(stateless: bool, words: &Value) -> Value {
    let mut members = match stateless {
        true => {
            json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "ttlMs": 60_000, "cacheScope": "public"})
        }
        false => json!({"protocolVersion": "2025-11-25"}),
    };
    members["capabilities"] = json!({"tools": {}, "experimental": {"com.example/x": {}}});
    members.as_object_mut().unwrap().extend(words.as_object().unwrap().clone());
    members
}

/// Returns a server that supports one revision, or both.
fn server(stateless: Option<Value>, session: Option<Value>) -> impl Fn(&Seen) -> Reply {
    move |seen| match (seen.method(), &stateless, &session) {
        ("server/discover", Some(words), _) => result(seen, says(true, words)),
        ("server/discover", None, _) => nameless(400, -32000, "Bad Request: Server not initialized"),
        ("initialize", _, Some(words)) => {
            let mut reply = result(seen, says(false, words));
            if let Reply::Response { headers, .. } = &mut reply {
                headers.push(("mcp-session-id".to_owned(), "one".to_owned()));
            }
            reply
        }
        ("initialize", _, None) => error(seen, 404, json!({"code": -32601, "message": "method not found"})),
        ("tools/list", ..) => result(
            seen,
            json!({"tools": [{"name": "t", "inputSchema": {"type": "object"}}], "ttlMs": 0, "com.example/n": 1,
                "_meta": {"com.example/m": 2, "dev.mcpsieve/filter": {}, "io.modelcontextprotocol/serverInfo": {}}}),
        ),
        _ => Reply::Response { status: 202, headers: vec![], body: vec![] },
    }
}

/// Returns what the gateway knows of a server, and the notes for the operator.
fn learned(server: impl Fn(&Seen) -> Reply + 'static) -> (Introduction, Vec<String>) {
    let servers = Servers::default();
    servers.set("a", server);
    let (net, upstreams) = (servers.net(), [behind("a")]);
    net.run(async {
        let served = serve(&gateway(&upstreams), &net, &config(&upstreams), Freshness::List).await.unwrap();
        let (name, introduction) = served.backend.introductions[0].clone();
        assert_eq!(name, "a");
        (introduction, served.notes)
    })
}

fn parsed(json: Option<&String>) -> Value {
    json.map_or(Value::Null, |json| serde_json::from_str(json).unwrap())
}

#[test]
fn a_server_of_either_era_introduces_itself() {
    let info = json!({"name": "n", "version": "1", "com.example/i": [1]});
    let meta = json!({"io.modelcontextprotocol/serverInfo": info});
    let handshake = json!({"instructions": "Hands.", "serverInfo": info});
    let discovery = json!({"instructions": "Discover.", "_meta": meta});
    let silent = json!({});
    let rows = [
        (None, Some(handshake.clone()), Some("Hands."), info.clone()),
        (Some(discovery.clone()), None, Some("Discover."), info.clone()),
        (Some(discovery), Some(handshake.clone()), Some("Discover."), info.clone()),
        // One revision may provide what the other omits.
        (Some(silent.clone()), Some(handshake), Some("Hands."), info),
        (Some(silent), None, None, Value::Null),
        (None, Some(json!({"instructions": 7, "serverInfo": {"name": "n"}})), None, Value::Null),
        (None, Some(json!({"instructions": ""})), None, Value::Null),
    ];
    for (stateless, session, instructions, info) in rows {
        let shown = format!("{stateless:?} {session:?}");
        let (introduction, notes) = learned(server(stateless, session));
        assert_eq!(introduction.instructions.as_deref(), instructions, "{shown}");
        assert_eq!(parsed(introduction.server_info.as_ref()), info, "{shown}");
        assert_eq!(
            parsed(introduction.capabilities.as_ref()),
            json!({"experimental": {"com.example/x": {}}})
        );
        // A list can set neither Sieve's own keys nor the identity.
        let members = json!({"com.example/n": 1, "_meta": {"com.example/m": 2}});
        assert_eq!(parsed(introduction.lists.get("tools")), members);
        let keeps = |note: &String| note.starts_with("upstreams: `a` keeps sessions; ");
        assert_eq!(notes.iter().filter(|note| !keeps(note)).count(), 0, "{notes:?}");
    }
}

#[test]
fn what_is_too_long_is_cut_or_left_out_and_reported() {
    let long = |most: usize| "é".repeat(most);
    let mut words = json!({"instructions": format!("x{}", long(MAX_INSTRUCTIONS))});
    words["serverInfo"] = json!({"name": "n", "version": long(MAX_SERVER_INFO)});
    words["capabilities"] = json!({"tools": {}, "foo": long(MAX_FOREIGN_CAPABILITIES)});
    let listed = json!({"tools": [], "foo": long(MAX_LIST_MEMBERS)});
    let other = server(None, Some(words));
    let (introduction, notes) = learned(move |seen| match seen.method() {
        "tools/list" => result(seen, listed.clone()),
        _ => other(seen),
    });
    let (cut, whole) = (MAX_INSTRUCTIONS - 1, 2 * MAX_INSTRUCTIONS + 1);
    let mark = format!("\n\n[Cut after {cut} of {whole} bytes.]");
    assert_eq!(introduction.instructions, Some(["x", &long(cut / 2), &mark].concat()));
    assert_eq!((introduction.server_info, introduction.capabilities), (None, None));
    assert!(introduction.lists.is_empty());
    let told = |what: &str| notes.iter().filter(|note| note.contains(what)).count();
    for what in ["`instructions`", "`serverInfo`", "`capabilities`", "`tools/list`"] {
        assert_eq!(told(what), 1, "{what}: {notes:?}");
    }
    assert_eq!(told("upstreams: `a`: "), 4, "{notes:?}");
}

#[test]
fn new_words_are_served_when_the_server_is_discovered_again() {
    let servers = Servers::default();
    let version = std::rc::Rc::new(Cell::new(1));
    let now = std::rc::Rc::clone(&version);
    servers
        .set("a", move |seen| server(Some(json!({"instructions": format!("V{}", now.get())})), None)(seen));
    let (net, upstreams) = (servers.net(), [behind("a")]);
    net.run(async {
        let (gateway, config) = (gateway(&upstreams), config(&upstreams));
        let words = async || {
            let served = serve(&gateway, &net, &config, Freshness::List).await.unwrap();
            served.backend.introductions[0].1.instructions.clone().unwrap()
        };
        assert_eq!(words().await, "V1");
        version.set(2);
        net.sleep(60_001).await;
        words().await;
        net.sleep(1).await;
        assert_eq!(words().await, "V2", "the lists are the same");
    });
}

#[test]
fn another_process_knows_what_servers_say() {
    let servers = Servers::default();
    let version = std::rc::Rc::new(Cell::new(1));
    let now = std::rc::Rc::clone(&version);
    servers
        .set("a", move |seen| server(Some(json!({"instructions": format!("V{}", now.get())})), None)(seen));
    let (net, upstreams): (_, [config::Upstream; 1]) = (servers.net(), [behind("a")]);
    net.run(async {
        let (keeper, other, config) = (gateway(&upstreams), gateway(&upstreams), config(&upstreams));
        let words = |backend: &mcp_sieve_gateway::upstream::Backend| {
            backend.introductions[0].1.instructions.clone().unwrap()
        };
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        let adopted = other.adopt(keeper.share(net.now(), None).unwrap(), &config).unwrap();
        assert_eq!(words(&adopted.served.backend), "V1");
        let hash = adopted.served.backend.guarded.catalog().hash();
        version.set(2);
        net.sleep(60_001).await;
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        net.sleep(1).await;
        serve(&keeper, &net, &config, Freshness::List).await.unwrap();
        // The catalog is the same, so its bytes are not sent again.
        let adopted = other.adopt(keeper.share(net.now(), Some(hash)).unwrap(), &config).unwrap();
        assert_eq!(words(&adopted.served.backend), "V2");
        // Stored lists contain it as well.
        let (_, listing) = keeper.listings().remove(0);
        assert_eq!(Listing::read(&listing.to_bytes()).unwrap(), *listing);
    });
}
