//! Properties of the drafts: what a tag depends on, and what it does not.

use http::Request;
use mcp_sieve_gateway::{drafts::DRAFTS, server::Body};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::{client, host::World};

/// The pointer to the tag of a list result.
const TAG: &str = "/result/tag";
/// The pointer to the report of stale tags.
const STALE: &str = "/result/_meta/io.modelcontextprotocol~1staleTags";

fn config(page_size: usize) -> Map<String, Value> {
    let config = json!({
        "pageSize": page_size,
        "policies": [{"name": "hidden", "show": "-tag:hidden"}],
        "drafts": {"definitionTags": true, "primitiveDigests": true, "manifest": true},
    });
    config.as_object().unwrap().clone()
}

/// Returns the response to a stateless request, with the tag that the client knows for `tools/list`.
fn ask(world: &World, method: &str, params: &Value, known: Option<&Value>) -> Value {
    let known = known.map(|known| json!({"io.modelcontextprotocol/knownTags": {"tools/list": known}}));
    ask_with(world, method, params, known.unwrap_or_else(|| json!({})))
}

/// Returns the response to a stateless request with these members of `_meta` and the required ones.
fn ask_with(world: &World, method: &str, params: &Value, meta: Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = meta;
    client::ask(world, method, params)
}

/// Returns the tags of all pages of the tools.
fn tags(world: &World) -> Vec<Value> {
    let (mut tags, mut params) = (Vec::new(), json!({}));
    loop {
        let answer = ask(world, "tools/list", &params, None);
        tags.push(answer.pointer(TAG).unwrap().clone());
        let Some(cursor) = answer.pointer("/result/nextCursor") else { return tags };
        params["cursor"] = cursor.clone();
    }
}

fn tool(name: usize, description: u8, hidden: bool) -> Value {
    let tags = if hidden { json!(["hidden"]) } else { json!([]) };
    json!({"name": format!("tool-{name}"), "description": format!("Number {description}"), "inputSchema": {"type": "object"}, "tags": tags})
}

fn tools(descriptions: &[(u8, bool)]) -> Vec<Value> {
    descriptions.iter().enumerate().map(|(name, (text, hidden))| tool(name, *text, *hidden)).collect()
}

fn world(tools: &[Value], page_size: usize) -> World {
    World::listing(json!({"tools": tools}), config(page_size))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_tag_depends_on_what_is_visible_and_not_on_order_pages_or_what_is_hidden(
        descriptions in prop::collection::vec((0_u8..3, any::<bool>()), 1..8),
        page_size in 1_usize..9,
        turn in 0_usize..8,
    ) {
        let tools = tools(&descriptions);
        let tag = tags(&world(&tools, 1000));
        prop_assert_eq!(tag.len(), 1);
        let mut others = tools.clone();
        others.rotate_left(turn % tools.len());
        for other in tags(&world(&others, page_size)) {
            prop_assert_eq!(&other, &tag[0]);
        }
        let visible: Vec<Value> = tools.iter().filter(|tool| tool["tags"] != json!(["hidden"])).cloned().collect();
        prop_assert_eq!(&tags(&world(&visible, page_size))[0], &tag[0]);
    }

    #[test]
    fn a_change_of_one_tool_changes_the_tag_exactly_if_the_tool_is_visible(
        descriptions in prop::collection::vec((0_u8..3, any::<bool>()), 1..8),
        place in 0_usize..8,
        removed: bool,
    ) {
        let before = tools(&descriptions);
        let place = place % before.len();
        let mut after = before.clone();
        if removed {
            after.remove(place);
        } else {
            after[place]["description"] = "Another".into();
        }
        let visible = !descriptions[place].1;
        let world = world(&before, 1000);
        let tag = tags(&world)[0].clone();
        let stale = |world: &World, known: &Value| ask(world, "groups/list", &json!({}), Some(known)).pointer(STALE).cloned();
        prop_assert_eq!(stale(&world, &tag), None);
        world.relist(&json!({"tools": after}), &Value::Object(config(1000)));
        prop_assert_eq!(tags(&world)[0] != tag, visible);
        prop_assert_eq!(stale(&world, &tag), visible.then(|| json!(["tools/list"])));
        world.relist(&json!({"tools": before}), &Value::Object(config(1000)));
        prop_assert_eq!(&tags(&world)[0], &tag);
    }

    #[test]
    fn every_tool_of_the_manifest_can_be_described_and_is_what_the_list_holds(
        descriptions in prop::collection::vec((0_u8..3, any::<bool>()), 1..8),
    ) {
        let world = world(&tools(&descriptions), 1000);
        let listed = ask(&world, "tools/list", &json!({}), None);
        let manifest = ask(&world, "tools/manifest", &json!({}), None);
        let entries = manifest.pointer("/result/entries").unwrap().as_array().unwrap();
        let mut names: Vec<Value> = entries.iter().map(|entry| entry["name"].clone()).collect();
        names.reverse();
        if names.is_empty() {
            return Ok(());
        }
        let described = ask(&world, "tools/describe", &json!({"names": names}), None);
        let mut described = described.pointer("/result/tools").unwrap().as_array().unwrap().clone();
        described.reverse();
        prop_assert_eq!(&Value::Array(described), listed.pointer("/result/tools").unwrap());
    }
}

#[test]
fn a_request_names_as_many_tools_as_there_may_be_and_no_more() {
    let world = world(&[tool(0, 0, false)], 1000);
    let names =
        |count: usize| json!({"names": (0..count).map(|at| format!("tool-{at}")).collect::<Vec<_>>()});
    let error = ask(&world, "tools/describe", &names(100), None)["error"].clone();
    assert_eq!(error["data"]["unknownNames"].as_array().map(Vec::len), Some(99));
    let error = ask(&world, "tools/describe", &names(101), None)["error"].clone();
    assert_eq!((&error["code"], &error["data"]), (&json!(-32602), &json!({"maxNames": 100})));
}

#[test]
fn the_page_about_drafts_names_each_with_the_date_of_its_text() {
    let page = include_str!("../../docs/drafts.md");
    for draft in DRAFTS {
        assert!(page.contains(&format!("`{}`", draft.setting)), "{}", draft.setting);
        let dated = page.lines().any(|line| line.contains(draft.setting) && line.contains(draft.date));
        assert!(dated, "{} without {}", draft.setting, draft.date);
    }
}

#[test]
fn a_digest_that_the_server_wrote_is_replaced_and_the_rest_of_its_meta_stays() {
    let mut listed = tool(0, 0, false);
    listed["_meta"] = json!({"a": [1, "\u{20ac}"], "io.modelcontextprotocol/digest": "sha256:old", "z": {}});
    let digest = |tool: &Value| {
        let answer = ask(&world(std::slice::from_ref(tool), 1000), "tools/list", &json!({}), None);
        answer.pointer("/result/tools/0/_meta").unwrap().clone()
    };
    let meta = digest(&listed);
    assert_eq!((&meta["a"], &meta["z"]), (&json!([1, "\u{20ac}"]), &json!({})));
    let own = &meta["io.modelcontextprotocol/digest"];
    assert_eq!(own, &digest(&tool(0, 0, false))["io.modelcontextprotocol/digest"], "of the definition alone");
    assert_ne!(own, &digest(&tool(0, 1, false))["io.modelcontextprotocol/digest"]);
    assert_ne!(own, "sha256:old");
}

/// Returns the card at a URL of a server without further settings.
fn card(server: Value, url: &str, host: &str) -> Value {
    let config = json!({"server": server, "drafts": {"serverCard": true}});
    let world = World::listing(json!({"tools": []}), config.as_object().unwrap().clone());
    let request = Request::builder().uri(url).header("host", host).body(Vec::new()).unwrap();
    let response = world.run(world.handle(Ok(None), &request));
    match response.into_body() {
        Body::Json(json) => serde_json::from_slice(&json).unwrap(),
        _ => panic!("{url}: no JSON"),
    }
}

#[test]
fn a_card_without_settings_is_named_after_the_host() {
    let named = |server: &str, url: &str, host: &str| {
        card(json!({"name": server}), url, host)["name"].as_str().unwrap().to_owned()
    };
    let url = "https://mcp.example.com/mcp/server-card";
    assert_eq!(named("tracker", url, "mcp.example.com"), "com.example.mcp/tracker");
    assert_eq!(named("My tracker/2", url, "mcp.example.com"), "com.example.mcp/My-tracker-2");
    assert_eq!(named("", url, "mcp.example.com"), "com.example.mcp/server");
    assert_eq!(named("t", "http://127.0.0.1:8787/mcp/server-card", "127.0.0.1:8787"), "127.0.0.1/t");
    assert_eq!(named("t", "http://localhost:8787/mcp/server-card", "localhost:8787"), "localhost/t");
    assert!(named(&"t".repeat(300), url, "mcp.example.com").len() <= 200);
    let title = card(json!({"name": "t", "title": "é".repeat(101)}), url, "mcp.example.com")["title"].clone();
    assert_eq!(title.as_str().unwrap().chars().count(), 100);
}

#[test]
fn a_card_is_refused_to_a_name_that_a_page_gave_this_address() {
    let refused = card(json!({}), "http://rebound.example/mcp/server-card", "rebound.example");
    assert_eq!(refused["error"]["data"]["reason"], "host");
}

#[test]
fn hints_go_to_the_server_only_while_the_drafts_are_off() {
    let forwarded = |config: Map<String, Value>| {
        let world = World::listing(json!({"tools": tools(&[(0, false)])}), config);
        let listed = ask(&world, "tools/list", &json!({}), None);
        let digest = listed.pointer("/result/tools/0/_meta/io.modelcontextprotocol~1digest");
        let digest = digest.cloned().unwrap_or_else(|| "sha256:of-the-server".into());
        let params = json!({"name": "tool-0", "arguments": {"a": 1}});
        ask_with(
            &world,
            "tools/call",
            &params,
            json!({
                "io.modelcontextprotocol/knownTags": {"tools/list": "old"},
                "io.modelcontextprotocol/expectedDigest": digest,
                "trace": "7",
            }),
        );
        let sent = world.forwarded.borrow();
        serde_json::from_str::<Value>(sent.last().unwrap()).unwrap()
    };
    let sent = forwarded(config(1000));
    assert_eq!((&sent["arguments"], &sent["_meta"]["trace"]), (&json!({"a": 1}), &json!("7")));
    assert_eq!(sent["_meta"].get("io.modelcontextprotocol/knownTags"), None);
    assert_eq!(sent["_meta"].get("io.modelcontextprotocol/expectedDigest"), None);
    let sent = forwarded(Map::new());
    assert_eq!(sent["_meta"]["io.modelcontextprotocol/knownTags"]["tools/list"], "old");
    assert_eq!(sent["_meta"]["io.modelcontextprotocol/expectedDigest"], "sha256:of-the-server");
}
