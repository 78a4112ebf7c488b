//! No server opens a hidden path for a URI that the gateway forwards, however it decodes, parses and joins the URI.

use http::{Method, Request};
use mcp_sieve::{
    catalog::{Catalog, Lists, ResourceUri, Source},
    expr::{Field, Subject},
    policy::{CallerContext, Reach},
};
use mcp_sieve_gateway::{config::Config, server::Body};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};
use url::Url;

use crate::host::World;

const ERA: &str = "2026-07-28";

/// Returns a world with these lists, in which callers without the role `hr` do not see what has `secret` in its name.
fn world(lists: Value, unlisted: bool) -> World {
    let config = json!({
        "policies": [{"name": "hr", "show": "-name:*secret* or claim.role:hr"}],
        "upstream": {"unlisted": unlisted},
    });
    World::listing(lists, config.as_object().unwrap().clone())
}

/// Returns a world with these lists and other settings.
fn configured(lists: Value, config: &Value) -> World {
    World::listing(lists, config.as_object().unwrap().clone())
}

/// Returns whether the caller without a role reads `uri`, which is then forwarded as written.
fn reads(world: &World, uri: &str) -> bool {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": ERA, "io.modelcontextprotocol/clientCapabilities": {}});
    let body =
        json!({"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": uri, "_meta": meta}});
    let mut request = Request::new(body.to_string().into_bytes());
    *request.method_mut() = Method::POST;
    *request.uri_mut() = "http://127.0.0.1/mcp".parse().unwrap();
    let base64 = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, uri);
    let headers = [
        ("content-type", "application/json"),
        ("accept", "application/json"),
        ("mcp-protocol-version", ERA),
        ("mcp-method", "resources/read"),
        ("mcp-name", &format!("=?base64?{base64}?=")),
    ];
    for (name, value) in headers {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    world.forwarded.take();
    let response = world.run(world.handle(Ok(None), &request));
    assert!(matches!(response.into_body(), Body::Json(_)), "{uri}");
    let forwarded = world.forwarded.take().into_iter().map(|params| serde_json::from_str(&params).unwrap());
    let forwarded: Vec<String> =
        forwarded.map(|params: Value| params["uri"].as_str().unwrap().to_owned()).collect();
    assert!(forwarded.len() <= 1, "{uri}: {forwarded:?}");
    // A URI in place of a hidden one names nothing.
    forwarded.first().is_some_and(|forwarded| forwarded == uri)
}

fn public_template() -> Value {
    json!({"uriTemplate": "file:///r/public/{+path}", "name": "public"})
}

fn named(uri: &str, name: &str) -> Value {
    json!({"uri": uri, "name": name})
}

/// Inputs that were read by servers that decode, parse and join in other orders.
const LEAVING: [&str; 16] = [
    "file:///r/public//../private/a",
    "file:///r/public/x//..//../private/a",
    "file:///r/public//../private//a",
    "file:///r/public/%2f../private/a",
    "file:///r/public/%2f%2e%2e/private/a",
    "file:///r/public//..%2fprivate/a",
    "file:///r/public/./..%2f../r/private/a",
    "file:///r/public/%252f..%252fprivate/a",
    "file:///r/public/..;/private/a",
    "file:///r/public/x?/../../private/a",
    "file:///r/public/x%3f/../../private/a",
    "file:///r/public/x#/../../private/a",
    "file:///r/public/\\../private/a",
    "file:///r/public/x\\y/../../private/a",
    "file:///r/public//%2e%2e/%2e%2e/r/private/a",
    "file:///r/public/..%00/../../private/a",
];

#[test]
fn no_reading_leaves_the_beginning_of_a_visible_template() {
    let hidden_template = json!({"uriTemplate": "file:///r/private/{+path}", "name": "secret"});
    let worlds = [
        world(
            json!({"resources": [named("file:///r/private/a", "secret")], "resourceTemplates": [public_template()]}),
            false,
        ),
        world(
            json!({"resources": [named("file:///r/private/a", "secret")], "resourceTemplates": [public_template()]}),
            true,
        ),
        world(json!({"resourceTemplates": [public_template(), hidden_template]}), false),
        world(json!({"resourceTemplates": [public_template(), hidden_template]}), true),
        world(json!({"resourceTemplates": [public_template()]}), false),
        configured(
            json!({"resources": [named("file:///r/private/a", "x")], "resourceTemplates": [public_template()]}),
            &json!({"rules": [{"match": "uri:file:///r/private/*", "hide": true}]}),
        ),
        configured(
            json!({"resourceTemplates": [public_template()]}),
            &json!({"policies": [{"name": "p", "show": "-uri:file:///r/private/*"}], "upstream": {"unlisted": true}}),
        ),
    ];
    for (at, world) in worlds.iter().enumerate() {
        assert!(reads(world, "file:///r/public/x/../a"), "world {at}");
        for uri in LEAVING {
            assert!(!reads(world, uri), "world {at}: {uri}");
        }
    }
}

#[test]
fn files_of_a_hidden_skill_stay_hidden_under_a_visible_template() {
    let lists = json!({
        "resources": [named("skill://s/secret/SKILL.md", "secret"), named("skill://s/pub/SKILL.md", "pub")],
        "resourceTemplates": [{"uriTemplate": "skill://s/{+path}", "name": "files"}],
    });
    for unlisted in [false, true] {
        let world = world(lists.clone(), unlisted);
        assert!(reads(&world, "skill://s/pub/steps.md"));
        for uri in [
            "skill://s/pub//../secret/SKILL.md",
            "skill://s/pub/%2f../secret/SKILL.md",
            "skill://s/pub//..%2fsecret/steps.md",
            "skill://s/pub/..;/secret/steps.md",
            "skill://s/%73ecret/steps.md",
        ] {
            assert!(!reads(&world, uri), "{uri}");
        }
    }
}

/// Conditions on the URI of an unlisted resource hold for every reading.
#[test]
fn an_unlisted_resource_is_judged_in_every_reading() {
    let hidden = "uri:file:///etc/* or uri:https://intra.example/hr";
    let ways = [
        json!({"policies": [{"name": "p", "show": format!("-({hidden})")}], "upstream": {"unlisted": true}}),
        json!({"presets": [{"name": "p", "filter": {"where": format!("-({hidden})")}, "when": "-claim.sub:*"}], "upstream": {"unlisted": true}}),
        json!({"rules": [{"match": hidden, "hide": true}], "upstream": {"unlisted": true}}),
    ];
    for config in ways {
        let world = configured(json!({"resources": []}), &config);
        for uri in
            ["file:///srv/a", "https://intra.example/open", "https://intra.example/hr?page=2", "note://7"]
        {
            assert!(reads(&world, uri), "{config}: {uri}");
        }
        for uri in [
            "file:///etc/passwd",
            "file:///%65tc/passwd",
            "file:///etc%2fpasswd",
            "file:////etc/passwd",
            "file:///srv//../etc/passwd",
            "file:///srv/%2f..%2f../etc/passwd",
            "file:///%2565tc/passwd",
            "file:///srv/..;/etc/passwd",
            "file://localhost/etc/passwd",
            "file://srv/etc/passwd",
            "FILE:///etc/passwd",
            "file:///etc\\passwd",
            "https://user@intra.example/hr",
            "https://intra.example/%68r",
            "https://intra.example./hr",
            "https://intra.example/hr#top",
            "https://intra.example/hr?",
        ] {
            assert!(!reads(&world, uri), "{config}: {uri}");
        }
    }
}

/// Legitimate URIs whose readings name nothing hidden.
#[test]
fn unusual_uris_stay_readable() {
    let lists = json!({
        "resources": [
            named("file:///My%20Documents/x", "documents"),
            named("https://archive.example/web/2020/https://example.com/", "archived"),
            named("file:///r/private/a", "secret"),
        ],
        "resourceTemplates": [
            {"uriTemplate": "repo://{name}", "name": "repositories"},
            {"uriTemplate": "search://items?q={q}", "name": "searches"},
            {"uriTemplate": "https://archive.example/live/{+url}", "name": "archive"},
            {"uriTemplate": "file:///Shared%20Files/{+path}", "name": "shared"},
            {"uriTemplate": "note:{id}", "name": "notes"},
            {"uriTemplate": "https://open.example{/path}", "name": "pages"},
        ],
    });
    for unlisted in [false, true] {
        let world = world(lists.clone(), unlisted);
        for uri in [
            "file:///My%20Documents/x",
            "https://archive.example/web/2020/https://example.com/",
            "repo://acme%2Fsite",
            "search://items?q=a%2Fb",
            "search://items?q=https:%2F%2Fexample.com%2Fa",
            "search://items?q=50%25",
            "https://archive.example/live/https://example.com/a?b=c",
            "file:///Shared%20Files/Q1%20report.txt",
            "note:a%2Fb",
            "https://open.example/a;v=1/b",
        ] {
            assert!(reads(&world, uri), "{uri}");
        }
    }
}

/// A listed resource that is also an alias of a hidden one is refused. One that only a hidden template matches as
/// written is listed, and so visible.
#[test]
fn a_listed_alias_of_a_hidden_resource_is_not_read() {
    let lists = json!({
        "resources": [
            named("file:///r/public/..%2fprivate/a", "alias"),
            named("file:///r/public//../private/b", "alias of a template"),
            named("file:///r/private/My%20Readme", "readme"),
            named("file:///r/private/a", "secret"),
        ],
        "resourceTemplates": [{"uriTemplate": "file:///r/private/{+path}", "name": "secret"}],
    });
    let world = world(lists, false);
    assert!(reads(&world, "file:///r/private/My%20Readme"));
    for uri in ["file:///r/public/..%2fprivate/a", "file:///r/public//../private/b"] {
        assert!(!reads(&world, uri), "{uri}");
    }
}

/// A caller of whom nothing is known.
struct Anonymous;

impl CallerContext for Anonymous {}

impl Subject for Anonymous {
    fn values(&self, _: &Field, _: &mut dyn FnMut(&str)) {}
}

/// A hidden server could otherwise close the resources of others by listing what theirs may be read as.
#[test]
fn an_alias_at_another_server_is_no_obstacle() {
    let config = Config::parse(r#"{"policies": [{"name": "p", "show": "-server:hidden"}]}"#).unwrap();
    let lists = |uri: &str| json!({"resources": [named(uri, "site")]}).to_string();
    let reach = |other: &str| {
        let (open, hidden) = (lists("repo://acme%2Fsite"), lists("repo://acme/site"));
        let sources = [("open", &open), (other, &hidden)];
        let sources = sources.map(|(server, lists)| Source { server, lists: Lists::read(lists).unwrap() });
        let guarded = config.guard(Catalog::compile(&sources, &config.engine.assignments));
        guarded.view(&Anonymous).resource(&ResourceUri::parse("repo://acme%2Fsite").unwrap())
    };
    assert_eq!(reach("hidden"), Reach::Resource(0));
    assert_eq!(reach("also open"), Reach::Resource(0));
}

#[test]
fn a_uri_with_too_many_readings_is_refused() {
    let world = configured(json!({"resourceTemplates": [public_template()]}), &json!({}));
    let long = format!("file:///r/public/{}", "%252e%252f;a?b\\..//".repeat(400));
    assert!(!reads(&world, &long));
    let short = format!("file:///r/public/{}", "a%20b/".repeat(1_000));
    assert!(reads(&world, &short));
}

/// Decodes escapes once, as `decodeURIComponent` does. Escapes that are not UTF-8 stay.
fn decoded(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let digits = behind.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = digits.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Joins a path with the root, as `path.posix.normalize` does.
fn joined(path: &str) -> String {
    let mut segments = Vec::new();
    for segment in path.split('/').filter(|segment| !matches!(*segment, "" | ".")) {
        if segment == ".." {
            segments.pop();
        } else {
            segments.push(segment);
        }
    }
    format!("/{}", segments.join("/"))
}

/// Returns the path that `new URL(uri).pathname` gives.
fn pathname(uri: &str) -> Option<String> {
    Url::parse(uri).ok().map(|url| url.path().to_owned())
}

/// Returns every path that a server opens: the URI is decoded up to three times before, between and after parsing and
/// joining, in both orders.
fn opened(uri: &str) -> Vec<String> {
    let decode = |text: String, times: usize| (0..times).fold(text, |text, _| decoded(&text));
    let mut paths = Vec::new();
    for (before, between, after) in
        (0..4).flat_map(|a| (0..4 - a).flat_map(move |b| (0..4 - a - b).map(move |c| (a, b, c))))
    {
        let text = decode(uri.to_owned(), before);
        let raw = text.strip_prefix("file://").map(str::to_owned);
        paths.extend(raw.clone().map(|path| joined(&decode(path, between))));
        paths.extend(pathname(&text).map(|path| joined(&decode(path, between + after))));
        let again = |path: String| pathname(&format!("file://{}", decode(joined(&path), between)));
        paths.extend(raw.and_then(again).map(|path| joined(&decode(path, after))));
        let twice = pathname(&text).map(|path| decode(joined(&decode(path, between)), after));
        paths.extend(twice.map(|path| joined(&path)));
    }
    paths
}

/// Generates URIs of pieces that servers read in several ways.
fn spelling() -> impl Strategy<Value = String> {
    let up = [
        "..",
        "%2e%2e",
        ".%2E",
        "%252e%252e",
        "%25252e.",
        ".",
        "..;",
        "..;x=1",
        "",
        "x",
        "r",
        "public",
        "private",
        "..\\..",
        "%2e",
    ];
    let slash =
        ["/", "//", "%2f", "%252f", "\\", "%5c", "/./", "/%2e/", "?/", "#/", "%3f/", "%23/", ";/", "/\\"];
    let end = [
        "private/a",
        "r/private/a",
        "%70rivate/a",
        "private%2fa",
        "private//a",
        "a",
        "private/a?x",
        "private/a#x",
    ];
    (vec((select(up.to_vec()), select(slash.to_vec())), 0..6), select(end.to_vec())).prop_map(
        |(steps, end)| {
            let steps: String = steps.into_iter().flat_map(|(up, slash)| [up, slash]).collect();
            format!("file:///r/public/{steps}{end}")
        },
    )
}

fn check(worlds: &[World], uri: &str) -> Result<(), TestCaseError> {
    for (at, world) in worlds.iter().enumerate() {
        if reads(world, uri) {
            for path in opened(uri) {
                // The second world is open for what no policy hides.
                let inside = path == "/r/public" || path.starts_with("/r/public/");
                let held = if at == 1 { path != "/r/private/a" } else { inside };
                prop_assert!(held, "world {at}: {uri} opens {path}");
            }
        }
    }
    Ok(())
}

fn worlds() -> [World; 2] {
    let lists = json!({"resources": [named("file:///r/private/a", "secret")], "resourceTemplates": [public_template()]});
    [world(lists.clone(), false), world(lists, true)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn no_opener_leaves_what_is_visible(uri in spelling()) {
        check(&worlds(), &uri)?;
    }
}

/// The same with a million spellings: `cargo test --test protocol -- --ignored a_million_spellings`.
#[test]
#[ignore = "takes minutes; `make attack` tries as many against servers that open files"]
fn a_million_spellings_leave_nothing() {
    let worlds = worlds();
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(1_000_000));
    runner.run(&spelling(), |uri| check(&worlds, &uri)).unwrap();
}
