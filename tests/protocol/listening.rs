//! Change notifications: each listener is notified once of the changes that it can see.

use futures_util::{FutureExt, StreamExt};
use mcp_sieve::catalog::{Lists, Source};
use mcp_sieve_gateway::{
    config::Config,
    host::Freshness,
    streams::{Change, relay_change, upstream_subscription},
    upstream::{Backend, Features},
};
use serde_json::{Value, json};

use crate::{
    client::{Client, Frames, frame, frames_of, json_of, modern, send, send_as},
    host::World,
};

/// Returns the pending notifications, each as the name of its list or the URI of its resource.
pub fn told(world: &World, frames: &mut Frames) -> Vec<String> {
    let mut told = Vec::new();
    while let Some(Some(bytes)) = world.run(async { frames.next().now_or_never() }) {
        let Some(message) = frame(&bytes).data else { continue };
        let list = message["method"].as_str().and_then(|method| method.split('/').nth(1)).unwrap_or("end");
        let uri = message.pointer("/params/uri").and_then(Value::as_str);
        told.push(uri.unwrap_or(list).to_owned());
    }
    told
}

/// Returns the methods of the pending notifications.
fn methods(world: &World, frames: &mut Frames) -> Vec<String> {
    let mut methods = Vec::new();
    while let Some(Some(bytes)) = world.run(async { frames.next().now_or_never() }) {
        methods.extend(frame(&bytes).data.and_then(|message| message["method"].as_str().map(str::to_owned)));
    }
    methods
}

fn everything() -> Value {
    let lists = Change::LISTS.map(|(selector, _)| (selector.to_owned(), json!(true)));
    let mut selectors: serde_json::Map<String, Value> = lists.into_iter().collect();
    selectors.insert("resourceSubscriptions".to_owned(), json!(["note:open", "note:secret"]));
    Value::Object(selectors)
}

/// Subscribes to everything.
fn listen(world: &World, token: Option<&str>, query: &str) -> Frames {
    let mut request = modern("subscriptions/listen", json!({"notifications": everything()}), &json!({}));
    *request.uri_mut() = format!("http://127.0.0.1/mcp?{query}").parse().unwrap();
    let mut frames = frames_of(send_as(world, token, &request).1);
    assert_eq!(told(world, &mut frames), ["subscriptions"], "the acknowledgement");
    frames
}

/// Replaces the tools and groups of the world `watched`, and notifies the listeners.
pub fn relist(world: &World, tools: &Value, groups: &Value) {
    let worlds: Value = serde_json::from_str(include_str!("../fixtures/protocol-worlds.json")).unwrap();
    let mut watched = worlds["watched"].clone();
    watched["lists"]["tools"] = tools.clone();
    watched["config"]["groups"] = groups.clone();
    world.relist(&watched["lists"], &watched["config"]);
}

/// Replaces the tools without notifying the listeners.
fn replace(world: &World, tools: &Value) {
    let worlds: Value = serde_json::from_str(include_str!("../fixtures/protocol-worlds.json")).unwrap();
    let mut lists = worlds["watched"]["lists"].clone();
    lists["tools"] = tools.clone();
    let listed = lists.to_string();
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    world.serve(Backend::compile(vec![source], &world.config, Features::of_host()));
}

pub fn tool(name: &str, group: &str) -> Value {
    json!({"name": name, "groups": [group], "inputSchema": {"type": "object"}})
}

/// No notifications.
pub const NOBODY: [&str; 0] = [];

/// changes are aimed at the listeners who see another list than before, and at no other.
#[test]
fn a_listener_is_told_of_what_it_may_see_alone() {
    let world = World::named("watched");
    let mut stranger = listen(&world, None, "");
    let mut alice = listen(&world, Some("alice-token"), "");
    let mut bound = listen(&world, Some("alice-token"), "groups=yard");
    let mut both = |tools: &Value| {
        relist(&world, tools, &json!([]));
        [&mut stranger, &mut alice, &mut bound].map(|frames| told(&world, frames))
    };
    let (open, secret) = (tool("open", "yard"), tool("secret", "cellar"));
    assert_eq!(both(&json!([open, secret])), [NOBODY; 3], "the same again");
    let mut louder = secret.clone();
    louder["description"] = json!("hush");
    assert_eq!(both(&json!([open, louder]))[..2], [vec![], vec!["tools".to_owned()]]);
    // A group that contains only the hidden tool exists only for callers who see the tool.
    let moved = tool("secret", "attic");
    let [stranger, alice, bound] = both(&json!([open, moved]));
    assert_eq!((stranger, alice), (vec![], vec!["tools".to_owned(), "groups".to_owned()]));
    assert_eq!(bound, NOBODY, "what its URL leaves out it cannot see, since that binds");
    let [stranger, alice, bound] = both(&json!([tool("open", "garden"), moved]));
    for told in [stranger, alice] {
        assert_eq!(told, ["tools", "groups"]);
    }
    assert!(bound.contains(&"tools".to_owned()), "{bound:?}");
}

#[test]
fn a_list_is_looked_at_as_its_own_method_would() {
    let world = World::named("watched");
    let mut frames = listen(&world, None, "");
    relist(
        &world,
        &json!([tool("open", "yard"), tool("secret", "cellar"), tool("poster", "yard")]),
        &json!([]),
    );
    assert_eq!(told(&world, &mut frames), ["tools"]);
}

/// H-15: a primitive of any kind that joins or leaves a group is a change of the list of its kind, and of no
/// other, without a session and in one.
#[test]
fn a_changed_membership_is_a_change_of_the_list_of_its_kind() {
    let config = json!({"groups": [{"name": "mail"}, {"name": "plans"}]});
    let lists = |changed: Option<&str>, groups: &[&str]| {
        let meta = |kind: &str| {
            let groups: &[&str] = if changed == Some(kind) { groups } else { &["mail"] };
            json!({"io.modelcontextprotocol/groups": groups})
        };
        json!({
            "tools": [{"name": "send", "inputSchema": {"type": "object"}, "_meta": meta("tools")},
                {"name": "plan", "inputSchema": {"type": "object"}, "groups": ["plans"]}],
            "resources": [{"uri": "note://inbox", "name": "inbox", "_meta": meta("resources")}],
            "resourceTemplates": [{"uriTemplate": "note://{id}", "name": "note", "_meta": meta("resourceTemplates")}],
            "prompts": [{"name": "reply", "_meta": meta("prompts")}],
        })
    };
    let world = World::named("plain");
    world.relist(&lists(None, &[]), &config);
    let mut listeners = [listen(&world, None, ""), session(&world)];
    for (kind, list) in [
        ("tools", "tools"),
        ("resources", "resources"),
        ("resourceTemplates", "resources"),
        ("prompts", "prompts"),
    ] {
        for groups in [&["mail", "plans"][..], &["plans"], &["mail"]] {
            world.relist(&lists(Some(kind), groups), &config);
            let told = listeners.each_mut().map(|frames| told(&world, frames));
            assert_eq!(told, [[list]; 2], "{kind} in {groups:?}");
        }
    }
}

/// G-16: if a group or tag is registered, updated or removed, its list changes, and listeners are notified only of that
/// list. The members of a group or tag are not part of it. G-12: both lists change while the server runs.
#[test]
fn registered_groups_and_tags_are_listed_and_announced() {
    let world = World::named("plain");
    let tools = json!({"tools": [tool("open", "yard")]});
    for (kind, other) in [("groups", "tags"), ("tags", "groups")] {
        let mut config = json!({"groups": [{"name": "yard"}], "tags": []});
        world.relist(&tools, &config);
        let mut frames = listen(&world, None, "");
        let before = config[kind].as_array().unwrap().clone();
        for registered in [
            json!([{"name": "roof", "description": "Up there"}]),
            json!([{"name": "roof", "description": "Above"}]),
            json!([{"name": "roof", "description": "Above"}, {"name": "cellar", "description": ""}]),
            json!([{"name": "cellar", "description": ""}]),
            json!([]),
        ] {
            let all = [before.clone(), registered.as_array().unwrap().clone()].concat();
            config[kind] = json!(all);
            world.relist(&tools, &config);
            assert_eq!(told(&world, &mut frames), [kind], "{all:?}");
            let listed = |kind: &str| {
                json_of(send(&world, &modern(&format!("{kind}/list"), json!({}), &json!({}))).1)["result"]
                    [kind]
                    .clone()
            };
            assert_eq!((listed(kind), listed(other)), (json!(all), config[other].clone()));
        }
        world.relist(&tools, &config);
        assert_eq!(told(&world, &mut frames), NOBODY, "the same again");
    }
}

/// Opens the stream of a new session.
fn session(world: &World) -> Frames {
    let mut frames = Client::of(world.clone(), "2025-11-25", &json!({})).get(None);
    told(world, &mut frames);
    frames
}

/// G-10: a group that changes its description, without a session and in one. A group without visible members is not
/// listed, so it changes nothing.
#[test]
fn what_is_said_of_a_group_is_a_change_of_the_groups() {
    let world = World::named("watched");
    let tools = json!([tool("open", "yard"), tool("secret", "cellar")]);
    let mut listeners = [listen(&world, None, ""), session(&world)];
    let mut said = |groups: Value| {
        relist(&world, &tools, &groups);
        listeners.each_mut().map(|frames| methods(&world, frames))
    };
    let changed = [["notifications/groups/list_changed"]; 2];
    assert_eq!(said(json!([{"name": "yard", "description": "Where it is sunny"}])), changed);
    assert_eq!(said(json!([{"name": "yard", "description": "Where it rains"}])), changed);
    assert_eq!(
        said(json!([{"name": "yard", "description": "Where it rains"}, {"name": "roof"}])),
        [NOBODY; 2],
        "what nothing visible is in cannot be told from what all is hidden of"
    );
}

/// G-24: a tool that gains or loses a tag is a change of the list of tools, as its filters select other tools. Without
/// a session, and in one.
#[test]
fn a_changed_tag_of_a_tool_is_a_change_of_the_tools() {
    for with_session in [false, true] {
        let world = World::named("watched");
        let mut frames = if with_session { session(&world) } else { listen(&world, None, "") };
        let mut tagged = |tags: &[&str]| {
            let mut tool = tool("open", "yard");
            tool["tags"] = json!(tags);
            relist(&world, &json!([tool]), &json!([]));
            told(&world, &mut frames)
        };
        tagged(&[]);
        for tags in [&["new"][..], &[]] {
            assert_eq!(tagged(tags), ["tools", "tags"], "{tags:?}");
        }
        assert_eq!(tagged(&[]), NOBODY);
    }
}

/// G-11: tags that appear, change and disappear, in a session.
#[test]
fn what_is_said_of_a_tag_is_told_to_a_session() {
    let world = World::named("watched");
    let tools = json!([{"name": "open", "inputSchema": {"type": "object"}, "tags": ["new"]}]);
    let mut frames = session(&world);
    let mut said = |tags: Value| {
        world.relist(&json!({"tools": tools}), &json!({"tags": tags}));
        methods(&world, &mut frames)
    };
    said(json!([]));
    let changed = ["notifications/tags/list_changed"];
    assert_eq!(said(json!([{"name": "new", "description": "Fresh"}])), changed);
    assert_eq!(
        said(json!([{"name": "new", "description": "Old"}, {"name": "more", "description": ""}])),
        changed
    );
    assert_eq!(said(json!([{"name": "new", "description": "Old"}])), changed);
    assert_eq!(said(json!([{"name": "new", "description": "Old"}])), NOBODY);
}

/// G-11: tags that appear and disappear. Q-35: without a session, every subscriber is notified, under the id of its own
/// request.
#[test]
fn what_is_said_of_a_tag_is_a_change_of_the_tags() {
    let world = World::named("watched");
    let heard = |frames: &mut Frames| {
        let mut heard = Vec::new();
        while let Some(Some(bytes)) = world.run(async { frames.next().now_or_never() }) {
            let message = frame(&bytes).data.unwrap();
            let id = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            heard.push((message["method"].as_str().unwrap().to_owned(), id.clone()));
        }
        heard
    };
    let listen = |id: Value| {
        let params = json!({"notifications": {"tagsListChanged": true}});
        let mut request = modern("subscriptions/listen", params, &json!({}));
        let mut body: Value = serde_json::from_slice(request.body()).unwrap();
        body["id"] = id;
        *request.body_mut() = body.to_string().into_bytes();
        let mut frames = frames_of(send(&world, &request).1);
        assert_eq!(heard(&mut frames).len(), 1, "the acknowledgement");
        frames
    };
    let (mut one, mut other) = (listen(json!("one")), listen(json!(2)));
    let mut tagged = |tags: &[&str]| {
        let mut tool = tool("open", "yard");
        tool["tags"] = json!(tags);
        relist(&world, &json!([tool]), &json!([]));
        (heard(&mut one), heard(&mut other))
    };
    let told = |id: Value| vec![("notifications/tags/list_changed".to_owned(), id)];
    for tags in [&["new"][..], &["new", "newer"], &["newer"], &[]] {
        assert_eq!(tagged(tags), (told(json!("one")), told(json!(2))), "{tags:?}");
    }
    assert_eq!(tagged(&[]), (vec![], vec![]));
}

/// Declarations are part of the configuration: a host that replaces it notifies its listeners of differences.
#[test]
fn declarations_of_concerns_that_change_are_told() {
    let world = World::named("watched");
    let params = json!({"notifications": {"concernsListChanged": true}});
    let mut frames = frames_of(send(&world, &modern("subscriptions/listen", params, &json!({}))).1);
    let mut heard = || methods(&world, &mut frames);
    assert_eq!(heard(), ["notifications/subscriptions/acknowledged"]);
    let declare = |values: &[&str]| {
        let mut config = world.config.clone();
        let declared = json!({"concerns": [{"name": "noise", "values": values}]});
        config.engine.concerns = Config::parse(&declared.to_string()).unwrap().engine.concerns;
        world.reconfigure(&config);
    };
    for values in [&["loud"][..], &["loud", "quiet"], &["quiet", "loud"]] {
        declare(values);
        assert_eq!(heard(), ["notifications/concerns/list_changed"], "{values:?}");
        declare(values);
        assert_eq!(heard(), [""; 0]);
    }
}

/// a client that may not read a resource is not notified of its updates.
#[test]
fn a_resource_is_told_of_to_those_who_may_read_it() {
    let world = World::named("watched");
    let (mut stranger, mut alice) = (listen(&world, None, ""), listen(&world, Some("alice-token"), ""));
    let session = Client::of(world.clone(), "2025-11-25", &json!({}));
    let mut subscribed = session.get(None);
    for uri in ["note:open", "note:secret"] {
        assert_eq!(session.ask("resources/subscribe", json!({"uri": uri}))["result"], json!({}));
    }
    assert_eq!(told(&world, &mut subscribed), NOBODY);
    for uri in ["note:open", "note:secret", "note:else"] {
        world.changed(&Change::Resource(uri.to_owned()));
    }
    assert_eq!(told(&world, &mut subscribed), ["note:open"]);
    assert_eq!(told(&world, &mut stranger), ["note:open"]);
    assert_eq!(told(&world, &mut alice), ["note:open", "note:secret"]);
}

#[test]
fn a_slow_listener_is_told_once_of_what_changed_often() {
    let world = World::named("watched");
    let mut frames = listen(&world, None, "");
    for _ in 0..1000 {
        world.changed(&Change::Tools);
        world.changed(&Change::Resource("note:open".to_owned()));
    }
    assert_eq!(told(&world, &mut frames), ["tools", "note:open"]);
}

#[test]
fn a_subscription_is_acknowledged_tagged_and_ended() {
    let world = World::named("asking");
    let notifications = json!({"toolsListChanged": true, "groupsListChanged": true, "promptsListChanged": false,
        "resourceSubscriptions": ["note:one", "note:two"], "moonChanged": true});
    let request = modern("subscriptions/listen", json!({"notifications": notifications}), &json!({}));
    let frames = frames_of(send(&world, &request).1);
    for change in [Change::Tools, Change::Prompts, Change::Groups, Change::Resource("note:one".to_owned())] {
        world.changed(&change);
    }
    let heard = frames.take(4).collect::<Vec<Vec<u8>>>();
    let messages: Vec<Value> = world.run(heard).iter().filter_map(|bytes| frame(bytes).data).collect();
    let tag = json!({"io.modelcontextprotocol/subscriptionId": 0});
    let methods: Vec<_> = messages.iter().filter_map(|message| message["method"].as_str()).collect();
    assert_eq!(
        methods,
        [
            "notifications/subscriptions/acknowledged",
            "notifications/tools/list_changed",
            "notifications/groups/list_changed",
            "notifications/resources/updated",
        ]
    );
    assert_eq!(
        messages[0]["params"]["notifications"],
        json!({"toolsListChanged": true, "groupsListChanged": true,
        "resourceSubscriptions": ["note:one", "note:two"]})
    );
    assert!(messages.iter().all(|message| message["params"]["_meta"] == tag), "{messages:?}");
}

#[test]
fn a_subscription_that_the_server_ends_is_ended_with_a_result() {
    let world = World::named("watched");
    let frames = listen(&world, None, "");
    world.close();
    let last: Vec<Vec<u8>> = world.run(frames.collect());
    let last = frame(last.last().unwrap()).data.unwrap();
    assert_eq!(last["id"], 0);
    assert_eq!(last["result"]["resultType"], "complete");
    assert_eq!(last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 0);
}

/// A change that an upstream server announces is first compared: each listener is notified of what differs in its view.
#[test]
fn an_announced_change_is_told_to_those_for_whom_something_differs() {
    let world = World::named("watched");
    let mut stranger = listen(&world, None, "");
    let mut alice = listen(&world, Some("alice-token"), "");
    let mut relay = |change: &Change| {
        world.needs.borrow_mut().clear();
        world.run(relay_change(&world, &world.config, &world.hub, change));
        let needs = world.needs.borrow().clone();
        ([&mut stranger, &mut alice].map(|frames| told(&world, frames)), needs)
    };
    let list = vec![Freshness::List];
    assert_eq!(relay(&Change::Tools), ([vec![], vec![]], list.clone()), "nothing differs");
    let tools = |secret: &str| {
        let mut hidden = tool("secret", "cellar");
        hidden["description"] = json!(secret);
        json!([tool("open", "yard"), hidden])
    };
    replace(&world, &tools("hush"));
    // All lists are compared, whichever the server names.
    let (told_to, needs) = relay(&Change::Prompts);
    assert_eq!((&told_to[0], needs), (&vec![], list.clone()), "it sees none of that");
    assert!(told_to[1].contains(&"tools".to_owned()), "{told_to:?}");
    assert_eq!(relay(&Change::Tools).0, [NOBODY; 2], "told once");
    replace(&world, &tools("hush, hush"));
    assert_eq!(relay(&Change::Tools).0, [vec![], vec!["tools".to_owned()]]);

    let route = vec![Freshness::Route];
    let changed = |uri: &str| Change::Resource(uri.to_owned());
    let open = ["note:open".to_owned()].to_vec();
    assert_eq!(relay(&changed("note:open")), ([open.clone(), open], route.clone()));
    let (told_to, needs) = relay(&changed("note:secret"));
    assert_eq!((&told_to[0], needs), (&vec![], route), "a resource that it may not read");
}

/// Listeners that connected with different catalogs are each notified of what differs for them.
#[test]
fn listeners_that_came_at_different_times_are_told_what_differs_for_each() {
    let world = World::named("watched");
    let mut first = listen(&world, Some("alice-token"), "");
    replace(&world, &json!([tool("open", "yard"), tool("new", "yard")]));
    let mut second = listen(&world, Some("alice-token"), "");
    world.run(relay_change(&world, &world.config, &world.hub, &Change::Tools));
    assert!(told(&world, &mut first).contains(&"tools".to_owned()));
    assert_eq!(told(&world, &mut second), NOBODY);
}

#[test]
fn all_lists_are_watched_beside_the_resources_that_are_wanted() {
    let wanted = upstream_subscription(["note:open".to_owned()].into());
    assert!(Change::LISTS.iter().all(|(_, change)| wanted.has(change)));
    assert!(wanted.has(&Change::Resource("note:open".to_owned())));
    assert_eq!(wanted.all().count(), Change::LISTS.len() + 1);
}
