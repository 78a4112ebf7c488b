//! The resources that a caller can reach, in any spelling, and the requests to the upstream server.

use http::{Method, Request};
use mcp_sieve_gateway::server::Body;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};
use url::Url;

use crate::{
    client::{json_of, modern, send},
    host::World,
};

const ERA: &str = "2026-07-28";

/// Returns a world with a policy that hides resources with `secret` in their names.
fn world(unlisted: bool) -> World {
    let named = |uri: &str, name: &str| json!({"uri": uri, "name": name});
    let made = |template: &str, name: &str| json!({"uriTemplate": template, "name": name});
    let lists = json!({
        "tools": [
            {"name": "panel", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://panel/main"}}},
            {"name": "secret_panel", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://vault/main"}}},
            {"name": "secret_twin", "inputSchema": {"type": "object"}, "_meta": {"ui/resourceUri": "ui://panel/main"}},
            {"name": "secret_remote", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://unlisted/main"}}},
        ],
        "resources": [
            named("docs://handbook", "handbook"),
            named("docs://payroll", "secret payroll"),
            named("https://intra.example/hr", "secret page"),
            named("file:///private/keys", "secret file"),
            named("file:///docs/a+b.txt", "secret plus"),
            named("file:///docs/salary(2026).txt", "secret salary"),
            named("ui://panel/main", "panel page"),
            named("ui://vault/main", "vault page"),
            named("skill://acme/refunds/SKILL.md", "secret skill"),
            named("skill://acme/refunds/steps.md", "steps"),
            named("skill://acme/returns/SKILL.md", "returns"),
            named("https://open.example/", "open page"),
        ],
        "resourceTemplates": [
            made("file:///public/{+path}", "public files"),
            made("file:///private/{+path}", "secret files"),
            made("people://{id}/salary", "secret salaries"),
            made("issue://{id}", "issues"),
        ],
    });
    let config = json!({
        "policies": [{"name": "hr", "show": "-name:*secret* or claim.role:hr"}],
        "upstream": {"unlisted": unlisted},
    });
    World::listing(lists, config.as_object().unwrap().clone())
}

/// Returns the response to a request about `uri`, and the URIs that are requested from the upstream server.
fn ask(world: &World, method: &str, uri: &str, claims: Option<&Map<String, Value>>) -> (Value, Vec<String>) {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": ERA, "io.modelcontextprotocol/clientCapabilities": {}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"uri": uri, "_meta": meta}});
    let mut request = Request::new(body.to_string().into_bytes());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = "http://127.0.0.1/mcp".parse().unwrap();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, uri);
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("mcp-protocol-version", ERA),
        ("mcp-method", method),
        ("mcp-name", &format!("=?base64?{base64}?=")),
    ];
    for (name, value) in headers {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    world.forwarded.take();
    let response = world.run(world.handle(Ok(claims), &request));
    let Body::Json(answer) = response.into_body() else { panic!("no JSON for {uri}") };
    let forwarded = world.forwarded.take().into_iter().map(|params| {
        let params: Value = serde_json::from_str(&params).unwrap();
        params["uri"].as_str().unwrap().to_owned()
    });
    (serde_json::from_slice(&answer).unwrap(), forwarded.collect())
}

fn read(world: &World, uri: &str) -> (Value, Vec<String>) {
    ask(world, "resources/read", uri, None)
}

/// Returns the error for a resource that does not exist.
fn missing(uri: &str) -> Value {
    json!({"code": -32602, "message": format!("Resource not found: {uri}"), "data": {"uri": uri}})
}

/// Spellings of hidden resources that servers treat as the same resource.
const SPELLINGS: [&str; 35] = [
    "docs://payroll",
    "DOCS://payroll",
    "Docs://payroll",
    "docs://payroll#part",
    "docs://payroll?",
    "docs://PAYROLL",
    "docs://pay%72oll",
    "docs://guest@payroll",
    "https://INTRA.example/hr",
    "https://intra.example:443/hr",
    "https://intra.example/x/../hr",
    "https://intra.example/./hr",
    "https://intra.example/%2e/hr",
    "https:intra.example/hr",
    "https:\\\\intra.example\\hr",
    "https://ｉntra.example/hr",
    "PEOPLE://7/salary",
    "file:///private/keys",
    "file:/private/keys",
    "file://localhost/private/keys",
    "file:///PRIVATE/other",
    "skill://acme/refunds/steps.md",
    // File servers decode escapes and join empty segments.
    "file:////private/keys",
    "file:///private//keys",
    "file:///x/..//private/keys",
    "file:///private/a%2fb",
    "file://127.0.0.1/private/keys",
    "file:///docs//a+b.txt",
    "file:///docs/a%2Bb.txt",
    "file:///docs/salary%282026%29.txt",
    "file:///docs%2Fa+b.txt",
    "https://intra.example./hr",
    "https://intra.example//hr",
    "skill://acme//refunds/steps.md",
    "skill://acme/refunds%2Fsteps.md",
];

/// Spellings that lead from a visible template to a hidden one.
const ESCAPES: [&str; 10] = [
    "file:///public/../private/a",
    "file:///public/%2e%2e/private/a",
    "file:///public/.%2E/private/a",
    "file:///public\\..\\private\\a",
    "file:///public/x/../../private/a",
    "file:///public/..%2fprivate/a",
    "file:///public/%2e%2e%5cprivate/a",
    "file:///public/%252e%252e/private/a",
    "file:///public/%ff/..%2f..%2fprivate/a",
    "file:///public/%25252e.%25252fprivate/a",
];

#[test]
fn a_hidden_resource_is_missing_by_whatever_spelling() {
    for uri in SPELLINGS.into_iter().chain(ESCAPES) {
        let (answer, forwarded) = read(&world(false), uri);
        assert_eq!((answer["error"].clone(), forwarded), (missing(uri), vec![]), "{uri}");
        // A server that is asked for unlisted resources is asked for another URI.
        let open = world(true);
        let (answer, forwarded) = read(&open, uri);
        assert_eq!(answer["error"], missing(uri), "{uri}");
        for sent in forwarded {
            assert_ne!(Url::parse(&sent), Url::parse(uri), "{uri}");
            assert!(!sent.contains("payroll") && !sent.contains("private"), "{uri} became {sent}");
        }
    }
}

/// What a server sends before its response could name the URI that it is asked for in place of a hidden one.
#[test]
fn a_server_says_nothing_while_it_reads_what_may_be_hidden() {
    let lists = json!({"resources": [{"uri": "loud://payroll", "name": "secret payroll"}]});
    let policies = json!([{"name": "hr", "show": "-name:*secret*"}]);
    let loud = |config: Value, uri: &str| {
        let world = World::listing(lists.clone(), config.as_object().unwrap().clone());
        let params = json!({"uri": uri, "_meta": {"io.modelcontextprotocol/logLevel": "debug"}});
        let mut request = modern("resources/read", params, &json!({}));
        request.headers_mut().insert("mcp-name", uri.parse().unwrap());
        send(&world, &request).1
    };
    for uri in ["loud://payroll", "loud://absent0"] {
        let config = json!({"policies": policies, "upstream": {"unlisted": true}});
        assert_eq!(json_of(loud(config, uri))["error"], missing(uri));
    }
    assert!(
        matches!(loud(json!({}), "loud://absent0"), Body::Events(_)),
        "nothing is hidden from this caller"
    );
}

/// `public` lets any cache serve a result to any caller. A server does not know the gateway's policies.
#[test]
fn a_read_is_public_only_where_every_caller_may_have_it() {
    let scope = |config: Value, claims: Value| {
        let lists = json!({"resources": [{"uri": "shared://page", "name": "page"}]});
        let world = World::listing(lists, config.as_object().unwrap().clone());
        let (answer, _) = ask(&world, "resources/read", "shared://page", claims.as_object());
        assert_eq!(answer["result"]["ttlMs"], 5_000, "{answer}");
        answer["result"]["cacheScope"].clone()
    };
    let hr = json!({"sub": "alice", "role": "hr"});
    assert_eq!(scope(json!({}), json!(null)), "public");
    assert_eq!(scope(json!({"policies": [{"name": "p", "show": "-name:secret"}]}), json!(null)), "public");
    for config in [
        json!({"policies": [{"name": "p", "show": "claim.role:hr"}]}),
        json!({"checks": [{"name": "c", "require": "claim.role:hr", "message": "only hr"}]}),
        json!({"middleware": {"chains": [{"on": ["resources/read"], "response": ["pii_redaction"]}]}}),
    ] {
        assert_eq!(scope(config.clone(), hr.clone()), "private", "{config}");
    }
}

/// Lists and discovery are the gateway's own.
#[test]
fn a_list_is_private_where_a_check_may_refuse_callers() {
    let config = json!({"checks": [{"name": "c", "require": "claim.role:hr", "message": "only hr"}]});
    let lists = json!({"resources": [{"uri": "shared://page", "name": "page"}]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    let hr = json!({"sub": "alice", "role": "hr"});
    for method in ["server/discover", "resources/list"] {
        let request = modern(method, json!({}), &json!({}));
        let answer = json_of(world.run(world.handle(Ok(hr.as_object()), &request)).into_body());
        assert_eq!(answer["result"]["cacheScope"], "private", "{answer}");
    }
}

/// What is no URL after decoding names nothing that parsers open. Joining paths can still leave the template.
#[test]
fn a_reading_that_names_nothing_is_no_obstacle() {
    let lists = json!({"resourceTemplates": [{"uriTemplate": "docs://{+path}", "name": "docs"}]});
    let world = World::listing(lists, json!({"upstream": {"unlisted": false}}).as_object().unwrap().clone());
    for uri in ["docs://open/a%20b", "docs://a%20b/..%2fopen", "docs://a%5Eb/%2e%2e%2fopen"] {
        assert_eq!(read(&world, uri).1, [uri]);
    }
    for uri in ["docs://a%20b/..%2f..%2fopen", "docs://../open", "docs://a/../../open"] {
        assert_eq!(read(&world, uri).1, Vec::<String>::new(), "{uri}");
    }
}

#[test]
fn who_may_see_them_reads_resources_by_other_spellings() {
    let claims = json!({"sub": "alice", "role": "hr"});
    let world = world(false);
    for (spelt, expected) in [
        ("docs://payroll", "docs://payroll"),
        ("DOCS://payroll", "docs://payroll"),
        ("https://intra.example:443/x/../hr", "https://intra.example/hr"),
        ("people://7/salary", "people://7/salary"),
        ("file:///public/a b", "file:///public/a b"),
        ("https://open.example", "https://open.example/"),
        ("issue://a%2Fb", "issue://a%2Fb"),
    ] {
        let (answer, forwarded) = ask(&world, "resources/read", spelt, claims.as_object());
        assert!(answer["error"].is_null(), "{spelt}: {answer}");
        assert_eq!(forwarded, [expected], "{spelt}");
    }
    // A URI of a template is forwarded as written, whether or not its server knows this spelling.
    let (_, forwarded) = ask(&world, "resources/read", "PEOPLE://7/salary", claims.as_object());
    assert_eq!(forwarded, ["PEOPLE://7/salary"]);
}

#[test]
fn text_that_is_cut_when_it_is_parsed_is_no_uri() {
    let long = format!("docs://{}", "a".repeat(mcp_sieve::catalog::ResourceUri::MAX_LENGTH));
    for uri in
        ["docs://pay\nroll", "docs://payroll ", " docs://handbook", "docs://hand\tbook", "docs://x\0", &long]
    {
        for method in ["resources/read", "resources/subscribe"] {
            let world = world(true);
            let (answer, forwarded) = ask(&world, method, uri, None);
            // The stateless revision has no such method.
            if method == "resources/read" {
                assert_eq!(answer["error"]["data"]["reason"], "uri", "{uri:?}");
            }
            assert_eq!(forwarded, Vec::<String>::new(), "{uri:?}");
        }
    }
}

#[test]
fn what_no_list_mentions_is_closed_unless_the_operator_opens_it() {
    let rows = [
        (json!({}), true),
        (json!({"policies": [{"name": "p", "show": "claim.role:admin"}]}), false),
        (json!({"policies": [{"name": "p", "show": "kind:tool", "kinds": ["tool"]}]}), false),
        (json!({"presets": [{"name": "p", "filter": {"groups": ["a"]}}]}), false),
        (json!({"rules": [{"match": "name:x", "hide": true}]}), false),
        (json!({"enforce": true}), false),
        (json!({"rules": [{"match": "name:x", "groups": ["a"]}]}), true),
        (json!({"upstream": {"unlisted": false}}), false),
        // Unlisted resources are enabled: policies apply to them as resources with only a URI.
        (
            json!({"upstream": {"unlisted": true}, "policies": [{"name": "p", "show": "claim.role:admin"}]}),
            false,
        ),
        (json!({"upstream": {"unlisted": true}, "policies": [{"name": "p", "show": "-name:secret*"}]}), true),
        (json!({"upstream": {"unlisted": true}, "policies": [{"name": "p", "show": "name:*"}]}), false),
        (json!({"upstream": {"unlisted": true}, "rules": [{"match": "uri:note://*", "hide": true}]}), false),
        (
            json!({"upstream": {"unlisted": true}, "presets": [{"name": "p", "filter": {"groups": ["a"]}, "when": "-claim.sub:*"}]}),
            false,
        ),
        (json!({"upstream": {"unlisted": true}, "policies": [{"name": "p", "show": "server:other"}]}), false),
        (json!({"upstream": {"unlisted": true}, "policies": [{"name": "p", "show": "uri:note://*"}]}), true),
    ];
    for (config, reads) in rows {
        let world = World::listing(json!({"resources": []}), config.as_object().unwrap().clone());
        let (answer, forwarded) = read(&world, "note://7");
        assert_eq!(!forwarded.is_empty(), reads, "{config}");
        // Where nothing may be hidden, the error is the server's.
        let is_open = config.get("policies").is_none();
        let own = json!({"code": -32002, "message": "nothing at note://7", "data": {"uri": "note://7"}});
        let expected = if is_open && reads { own } else { missing("note://7") };
        assert_eq!(answer["error"], expected, "the server has none: {config}");
        // Both spellings are checked; in its original form, this one has another scheme.
        let by_scheme = config.to_string().contains(r#""show":"uri:note"#);
        assert_eq!(!read(&world, "NOTE://7").1.is_empty(), reads && !by_scheme, "{config}");
    }
}

#[test]
fn the_page_of_a_hidden_tool_and_the_files_of_a_hidden_skill_are_hidden() {
    let world = world(true);
    let listed = |claims: Option<&Map<String, Value>>| {
        let (answer, _) = ask(&world, "resources/list", "", claims);
        let resources = answer["result"]["resources"].as_array().unwrap().clone();
        resources.into_iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // One page belongs to a hidden tool and to a visible one.
    let shown =
        ["docs://handbook", "ui://panel/main", "skill://acme/returns/SKILL.md", "https://open.example/"];
    assert_eq!(listed(None), shown);
    assert_eq!(listed(json!({"role": "hr"}).as_object()).len(), 12);
    for uri in
        ["ui://vault/main", "UI://vault/main", "ui://unlisted/main", "skill://acme/refunds/deep/unlisted.md"]
    {
        let (answer, forwarded) = read(&world, uri);
        assert_eq!(answer["error"], missing(uri), "{uri}");
        assert!(!forwarded.iter().any(|sent| sent == uri), "{uri}");
    }
    assert_eq!(read(&world, "ui://panel/main").1, ["ui://panel/main"]);
    assert_eq!(read(&world, "skill://acme/returns/unlisted.md").1, ["skill://acme/returns/unlisted.md"]);
}

/// A server may list a page in another spelling than its tool uses.
#[test]
fn the_page_of_a_hidden_tool_is_not_listed_under_another_spelling() {
    let tool = |name: &str, uri: &str| json!({"name": name, "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": uri}}});
    let spellings = [
        "UI://Vault/Main",
        "ui://vault/x/../main",
        "ui://vault/%6dain",
        "ui://vault/./main/",
        "ui://vault/main#top",
    ];
    let pages = spellings.iter().chain(&["ui://vault/other", "ui://open/main"]);
    let resources: Vec<Value> = pages.map(|uri| json!({"uri": uri, "name": "page"})).collect();
    let lists = json!({
        "tools": [tool("secret", "ui://vault/main"), tool("twin", "UI://open/main"), tool("secret_twin", "ui://open/%6Dain")],
        "resources": resources,
    });
    let config = json!({"policies": [{"name": "hr", "show": "-name:*secret* or claim.role:hr"}]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    let listed = |claims: Option<&Map<String, Value>>| {
        let (answer, _) = ask(&world, "resources/list", "", claims);
        let resources = answer["result"]["resources"].as_array().unwrap().clone();
        resources.into_iter().map(|resource| resource["uri"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(None), ["ui://vault/other", "ui://open/main"]);
    assert_eq!(listed(json!({"role": "hr"}).as_object()).len(), 7);
}

/// The same with rules, which remove tools and skills from the catalog.
#[test]
fn rules_hide_what_belongs_to_what_they_hide() {
    let lists = json!({
        "tools": [
            {"name": "open", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://both"}}},
            {"name": "closed", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://closed"}}},
            {"name": "closed_too", "inputSchema": {"type": "object"}, "_meta": {"ui": {"resourceUri": "ui://both"}}},
        ],
        "resources": [
            {"uri": "ui://both", "name": "both"}, {"uri": "ui://closed", "name": "page"},
            {"uri": "skill://a/SKILL.md", "name": "closed skill"}, {"uri": "skill://a/file.md", "name": "file"},
        ],
    });
    let config = json!({"rules": [{"match": "name:closed*", "hide": true}]});
    let world = World::listing(lists, config.as_object().unwrap().clone());
    let (answer, _) = ask(&world, "resources/list", "", None);
    assert_eq!(answer["result"]["resources"].as_array().unwrap().len(), 1, "{answer}");
    assert_eq!(read(&world, "ui://both").1, ["ui://both"]);
    for uri in ["ui://closed", "skill://a/SKILL.md", "skill://a/file.md"] {
        assert_eq!(read(&world, uri), (json!({"jsonrpc": "2.0", "id": 1, "error": missing(uri)}), vec![]));
    }
}

/// Generates a random spelling that a URL parser treats as `uri`.
fn respelt(uri: &'static str) -> impl Strategy<Value = String> {
    let url = Url::parse(uri).unwrap();
    let special = url.is_special();
    let cased = |text: String, how: Vec<bool>| -> String {
        let letters = text.chars().zip(how.into_iter().chain(std::iter::repeat(false)));
        letters.map(|(letter, upper)| if upper { letter.to_ascii_uppercase() } else { letter }).collect()
    };
    let (scheme, host, path) =
        (url.scheme().to_owned(), url.host_str().unwrap_or_default().to_owned(), url.path().to_owned());
    let flags = || prop::collection::vec(any::<bool>(), 0..20);
    let slashes = select(if special { vec!["://", ":/", ":\\\\", ":/\\", ":///", ":"] } else { vec!["://"] });
    let detours = prop::collection::vec(
        (any::<prop::sample::Index>(), select(vec!["/.", "/%2e", "/x/..", "/x/%2E.", "/x/y/../.."])),
        0..3,
    );
    let port = select(if scheme == "https" { vec!["", ":443", ":"] } else { vec![""] });
    (flags(), flags(), slashes, detours, port).prop_map(move |(one, two, slashes, detours, port)| {
        let host = if special { cased(host.clone(), two) } else { host.clone() };
        let mut path = path.clone();
        for (at, detour) in detours {
            let places: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
            if !places.is_empty() {
                path.insert_str(*at.get(&places), detour);
            }
        }
        format!("{}{slashes}{host}{port}{path}", cased(scheme.clone(), one))
    })
}

thread_local! {
    /// The worlds in which unlisted resources are refused, and forwarded. All cases share them, since a world costs
    /// more than a case.
    static WORLDS: [World; 2] = [world(false), world(true)];
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    #[test]
    fn no_spelling_of_a_hidden_resource_is_forwarded(
        (hidden, spelt) in select(vec![
            "docs://payroll", "https://intra.example/hr", "file:///private/keys", "file:///private/deep/er",
            "people://7/salary", "skill://acme/refunds/steps.md", "ui://vault/main",
        ]).prop_flat_map(|uri| (Just(uri), respelt(uri))),
        unlisted in any::<bool>(),
    ) {
        // A text that parses to another URL is not a spelling of it.
        prop_assume!(Url::parse(&spelt).ok() == Url::parse(hidden).ok());
        let (answer, forwarded) = WORLDS.with(|worlds| read(&worlds[usize::from(unlisted)], &spelt));
        prop_assert_eq!(&answer["error"], &missing(&spelt));
        prop_assert!(!forwarded.iter().any(|sent| Url::parse(sent).ok() == Url::parse(hidden).ok()), "{}", spelt);
    }
}
