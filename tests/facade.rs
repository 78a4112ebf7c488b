//! The entry point for Rust programs: a sieve, a caller's view, and the primitives that a filter selects.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use mcp_sieve::Config;
use mcp_sieve::{
    Caller, ErrorKind, Filter, Kind, Selection, Sieve, TaskFilter, expr::Expr, filter::OnUnknownMember,
};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

/// Lists of every kind.
const LISTS: &str = r#"[{"tools":[
    {"name":"create_issue","description":"Open a ticket","inputSchema":{"type":"object"}},
    {"name":"list_issues","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}},
    {"name":"book_flight","description":"Reserve a seat","inputSchema":{"type":"object"}}]},
    {"resources":[{"name":"Notes","uri":"file:///notes.md"}],
    "resourceTemplates":[{"name":"Note","uriTemplate":"file:///{path}"}],"prompts":[{"name":"greet"}]}]"#;
/// A configuration that hides `book_flight` from most callers, and shows guests only tools tagged `read-only`.
const CONFIG: &str = r#"{
    "groups":[{"name":"issues","title":"Issues"}],
    "concerns":[{"name":"cost","values":["low","high"]}],
    "onInvalidConcern":"error",
    "rules":[{"match":"name:*_issue*","groups":["issues"],"concerns":{"cost":"low"}},{"match":"name:list_*","tags":["read-only"]}],
    "policies":[{"name":"staff","show":"-name:book_* or claim.role=staff or client.name=editor"}],
    "presets":[{"name":"guests","when":"claim.role=guest","filter":{"tags":["read-only"]}}]}"#;

fn sieve() -> Sieve {
    Sieve::compile(LISTS, &Config::parse(CONFIG).unwrap()).unwrap()
}

fn names(selection: &Selection) -> Vec<&str> {
    selection.names().collect()
}

fn tools(caller: &Caller) -> Selection {
    sieve().view(caller).tools(&Filter::default()).unwrap()
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_view_holds_what_policies_and_presets_leave_a_caller() {
    assert_eq!(names(&tools(&Caller::anonymous())), ["create_issue", "list_issues"]);
    let staff = Caller::with_claims(r#"{"role":"staff"}"#).unwrap();
    assert_eq!(names(&tools(&staff)), ["create_issue", "list_issues", "book_flight"]);
    let editor = Caller::anonymous().with_client("editor", "1.0.0");
    assert_eq!(tools(&editor).len(), 3);
    let guest = Caller::with_claims(r#"{"role":"guest"}"#).unwrap();
    assert_eq!(names(&tools(&guest)), ["list_issues"]);
    assert_eq!(Caller::with_claims("[]").unwrap_err().kind(), ErrorKind::Json);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn each_kind_has_a_list() {
    let view = sieve().view(&Caller::anonymous());
    let everything = Filter::default();
    assert_eq!(names(&view.resources(&everything).unwrap()), ["file:///notes.md"]);
    assert_eq!(names(&view.resource_templates(&everything).unwrap()), ["file:///{path}"]);
    let prompts = view.prompts(&everything).unwrap();
    assert_eq!(
        (prompts.kind(), prompts.json().as_str()),
        (Kind::Prompt, r#"{"prompts":[{"name":"greet"}]}"#)
    );
    assert_eq!(view.groups().iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["issues"]);
    assert_eq!(view.tags().iter().map(|tag| tag.name.as_str()).collect::<Vec<_>>(), ["read-only"]);
    assert_eq!(view.concerns().map(|concern| concern.name.as_str()).collect::<Vec<_>>(), ["cost"]);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_selection_answers_what_a_program_asks() {
    let view = sieve().view(&Caller::anonymous());
    let filter: Filter = r#"{"groups":["issues","mail"],"fields":["title"]}"#.parse().unwrap();
    let tools = view.tools(&filter).unwrap();
    assert_eq!(tools.iter().map(|tool| tool.groups().join(",")).collect::<Vec<_>>(), ["issues", "issues"]);
    assert!(tools.ignored().is_empty());
    assert_eq!(tools.unknown()[0].field, "groups[1]");
    assert!(
        tools.json().starts_with(r#"{"tools":[{"name":"create_issue","inputSchema":{"type":"object"}},"#)
    );
    assert!(!tools.json().contains("ticket"), "{}", tools.json());
    assert!(tools.tokens().count > 0 && !tools.tokens().exact);
    assert_eq!(tools.search("file a new ticket", 5)[0].name(), "create_issue");
    assert!(tools.search("reserve a flight", 5).iter().all(|found| found.name() != "book_flight"));
    assert_eq!(tools.search("issue", 1).len(), 1);
    assert!(tools.explain("create_issue").shown);
    // The tool is hidden from this caller, so the result is the same as if it did not exist.
    assert_eq!(tools.explain("book_flight").reason.unwrap().rule, "unknown");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_filter_is_the_same_built_and_parsed() {
    let built = Filter::default()
        .with_groups(["issues"])
        .with_tags(["read-only"])
        .with_concern("cost", ["low"])
        .without_groups(["admin"])
        .without_tags(["beta"])
        .with_name_patterns(["list_*"])
        .with_uri_patterns(["file:*"])
        .with_condition("kind:tool".parse::<Expr>().unwrap())
        .with_query("issues")
        .with_limit(3)
        .with_token_limit(500)
        .with_fields(["-description"]);
    let text = r#"{"groups":["issues"],"tags":["read-only"],"concerns":{"cost":"low"},
        "not":{"groups":["admin"],"tags":["beta"]},"namePatterns":["list_*"],"uriPatterns":["file:*"],
        "where":"kind:tool","query":"issues","limit":{"count":3,"tokens":500},"fields":["-description"]}"#;
    assert_eq!(built, text.parse().unwrap());
    assert_eq!(names(&sieve().view(&Caller::anonymous()).tools(&built).unwrap()), ["list_issues"]);
    let undeclared = Filter::default().with_concern("cost", ["none"]);
    let error = sieve().view(&Caller::anonymous()).tools(&undeclared).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConcernValue);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_cannot_be_used_is_refused_or_reported() {
    let config = Config::default();
    assert_eq!(Sieve::compile("{", &config).unwrap_err().kind(), ErrorKind::Json);
    assert_eq!(Sieve::compile(r#"{"tools":1}"#, &config).unwrap_err().kind(), ErrorKind::Catalog);
    let several =
        r#"{"upstreams":[{"name":"a","url":"https://a.test/"},{"name":"b","url":"https://b.test/"}]}"#;
    let error = Sieve::compile(LISTS, &Config::parse(several).unwrap()).unwrap_err();
    assert_eq!((error.kind(), error.path()), (ErrorKind::Config, Some("upstreams")));
    assert_eq!(Sieve::restore(*b"no snapshot").unwrap_err().kind(), ErrorKind::Snapshot);
    let twice = Sieve::compile(r#"{"prompts":[{"name":"a"},{"name":"a"}]}"#, &config).unwrap();
    assert_eq!(twice.reports()[0].code.name(), "repeated");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_snapshot_restores_catalog_and_configuration() {
    let sieve = sieve();
    let lists = mcp_sieve::catalog::Lists::read(LISTS).unwrap();
    let source = mcp_sieve::catalog::Source { server: "upstream", lists };
    let config = Config::parse(CONFIG).unwrap();
    let catalog = mcp_sieve::catalog::Catalog::compile(&[source], &config.assignments);
    let restored = Sieve::restore(catalog.snapshot_under(CONFIG)).unwrap();
    let filter = Filter::default();
    let [before, after] =
        [&sieve, &restored].map(|sieve| sieve.view(&Caller::anonymous()).tools(&filter).unwrap());
    assert_eq!(before.json(), after.json());
    assert_eq!(restored.hash().len(), 32);
}

/// A default with `applyDefault` counts for callers that do not configure its concern, and for no other. Under
/// `applyDefaults` it counts for those that configure another concern.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn defaults_that_the_server_applies_give_way_to_the_caller() {
    let lists = r#"{"tools":[
        {"name":"drill","inputSchema":{"type":"object"}},
        {"name":"file","inputSchema":{"type":"object"}},
        {"name":"tape","inputSchema":{"type":"object"}}]}"#;
    let seen = |config: &str, filter: &str| {
        let sieve = Sieve::compile(lists, &Config::parse(config).unwrap()).unwrap();
        let tools = sieve.view(&Caller::anonymous()).tools(&filter.parse().unwrap()).unwrap();
        tools.names().map(str::to_owned).collect::<Vec<_>>()
    };
    let config = |one: &str, all: bool| {
        format!(
            r#"{{"concerns":[{{"name":"noise","values":["quiet","loud"],"default":"quiet"{one}}},
            {{"name":"cost","values":["low","high"]}}],"applyDefaults":{all},
            "concernMapping":{{"drill":{{"noise":"loud"}},"file":{{"noise":"quiet"}}}}}}"#
        )
    };
    const ALL: [&str; 3] = ["drill", "file", "tape"];
    const APPLIED: [&str; 2] = ["file", "tape"];
    let one = config(r#","applyDefault":true"#, false);
    let both = config(r#","applyDefault":true"#, true);
    let (all, none) = (config("", true), config("", false));
    for (config, silent, other) in [
        (&one, &APPLIED[..], &APPLIED[..]),
        (&both, &APPLIED, &APPLIED),
        (&all, &ALL, &APPLIED),
        (&none, &ALL, &ALL),
    ] {
        assert_eq!(seen(config, "{}"), silent, "{config}");
        assert_eq!(seen(config, r#"{"concerns":{}}"#), silent, "{config}");
        assert_eq!(seen(config, r#"{"concerns":{"colour":"red"}}"#), silent, "{config}");
        assert_eq!(seen(config, r#"{"concerns":{"cost":"low"}}"#), other, "{config}");
        assert_eq!(seen(config, r#"{"concerns":{"cost":null}}"#), other, "{config}");
        assert_eq!(seen(config, r#"{"concerns":{"noise":"loud"}}"#), ["drill", "tape"], "{config}");
        assert_eq!(seen(config, r#"{"concerns":{"noise":null}}"#), ALL, "{config}");
    }
}

/// A program that parses a filter has no report of what had no effect, so a misspelt member is an error.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_filter_that_is_parsed_has_no_part_without_effect() {
    let refused = |text: &str| text.parse::<Filter>().unwrap_err().to_string();
    assert_eq!(refused(r#"{"group":["mail"]}"#), "filter.group: unknown field (did you mean `groups`?)");
    assert_eq!(refused(r#"{"colour":"red"}"#), "filter.colour: unknown field");
    let parsed = Filter::parse(r#"{"colour":"red"}"#).unwrap();
    assert_eq!((parsed.filter, parsed.ignored.len()), (Filter::default(), 1));
    let parsed = Filter::parse_with(r#"{"group":["mail"]}"#, OnUnknownMember::Ignore).unwrap();
    assert_eq!((parsed.ignored[0].field.as_str(), parsed.ignored[0].meant), ("group", Some("groups")));
}

/// A log line must hold neither megabytes of tools nor the configuration, which may hold credentials.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn debug_output_counts_the_primitives() {
    let view = sieve().view(&Caller::anonymous());
    assert_eq!(
        format!("{:?}", sieve()),
        "Sieve { tools: 3, resources: 1, resourceTemplates: 1, prompts: 1, skills: 0, .. }"
    );
    assert_eq!(
        format!("{view:?}"),
        "View { tools: 2, resources: 1, resourceTemplates: 1, prompts: 1, skills: 0, .. }"
    );
    let selection = view.tools(&Filter::default()).unwrap();
    assert_eq!(format!("{selection:?}"), "Selection { kind: Tool, len: 2, .. }");
}

/// A policy, preset or check on what a request says of itself applies as it does at the gateway.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_caller_has_the_fields_of_its_request() {
    let lists = r#"{"tools":[{"name":"deploy","inputSchema":{"type":"object"}},
        {"name":"page","inputSchema":{"type":"object"},"_meta":{"io.modelcontextprotocol/requiredCapabilities":{"sampling":{}}}}]}"#;
    let shown = |show: &str, caller: &Caller| {
        let config = format!(r#"{{"policies":[{{"name":"p","show":"name:page or {show}"}}]}}"#);
        let sieve = Sieve::compile(lists, &Config::parse(&config).unwrap()).unwrap();
        names(&sieve.view(caller).tools(&Filter::default()).unwrap()).contains(&"deploy")
    };
    let unknown = Caller::anonymous();
    let caller = Caller::anonymous()
        .with_header("X-Tenant", "acme")
        .with_method("tools/list")
        .with_protocol("2026-07-28")
        .with_transport("stdio")
        .with_capabilities(r#"{"sampling":{"tools":{}},"roots":null}"#)
        .unwrap();
    for show in [
        "header.x-tenant=acme",
        "method:tools/list",
        "protocol>=2026-07-28",
        "transport=stdio",
        "capability.sampling=true",
        "capability.sampling.tools=true",
    ] {
        assert!(shown(show, &caller), "{show}");
        assert!(!shown(show, &unknown), "{show}");
    }
    assert!(!shown("capability.roots=true", &caller));
    for (declared, form, url) in [
        (r#"{"elicitation":{}}"#, true, false),
        (r#"{"elicitation":{"url":{}}}"#, false, true),
        (r#"{"elicitation":{"form":{},"url":{}}}"#, true, true),
        (r#"{"elicitation":null}"#, false, false),
    ] {
        let caller = Caller::anonymous().with_capabilities(declared).unwrap();
        let modes =
            ["form", "url"].map(|mode| shown(&format!("capability.elicitation.{mode}=true"), &caller));
        assert_eq!(modes, [form, url], "{declared}");
    }
    assert!(shown("-header.x-tenant=other", &caller));
    assert_eq!(unknown.clone().with_capabilities("[]").unwrap_err().kind(), ErrorKind::Json);

    let config = Config::parse(r#"{"upstream":{"requiredCapabilities":"hide"}}"#).unwrap();
    let sieve = Sieve::compile(lists, &config).unwrap();
    let visible = |caller: &Caller| sieve.view(caller).tools(&Filter::default()).unwrap().len();
    assert_eq!((visible(&caller), visible(&unknown.with_capabilities("{}").unwrap())), (2, 1));

    let presets =
        r#"{"presets":[{"name":"acme","when":"header.x-tenant=acme","filter":{"namePatterns":["page"]}}]}"#;
    let sieve = Sieve::compile(lists, &Config::parse(presets).unwrap()).unwrap();
    assert_eq!(names(&sieve.view(&caller).tools(&Filter::default()).unwrap()), ["page"]);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn the_check_of_the_highest_priority_refuses() {
    let checks = r#"{"checks":[
        {"name":"b","priority":1,"require":"claim.sub:*","message":"sign in"},
        {"name":"a","require":"client.name=editor","message":"use the editor"}]}"#;
    let sieve = Sieve::compile(LISTS, &Config::parse(checks).unwrap()).unwrap();
    let alice = Caller::with_claims(r#"{"sub":"alice"}"#).unwrap();
    assert_eq!(sieve.refusal(&Caller::anonymous()), Some("sign in"));
    assert_eq!(sieve.refusal(&alice), Some("use the editor"));
    assert_eq!(sieve.refusal(&alice.with_client("editor", "1")), None);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_filter_of_tasks_selects_orders_and_pages() {
    let task = |id: u32, status: &str| {
        let at = format!("2026-07-28T10:00:{id:02}Z");
        format!(
            r#"{{"taskId":"{id}","status":"{status}","createdAt":"{at}","lastUpdatedAt":"{at}","ttl":null}}"#
        )
    };
    let tasks = format!("[{},{},{},7]", task(1, "working"), task(2, "failed"), task(3, "working"));
    let filter: TaskFilter =
        r#"{"filter":{"status":["working"],"orderBy":"createdAt","order":"desc","colour":1}}"#.parse().unwrap();
    assert_eq!(filter.select(&tasks).unwrap(), [2, 0]);
    assert_eq!(filter.ignored()[0].field, "colour");
    let first = filter.page(&tasks, None, 1, 0).unwrap();
    assert_eq!(first.indices, [2]);
    let second = filter.page(&tasks, first.next_cursor.as_deref(), 1, 0).unwrap();
    assert_eq!((second.indices.as_slice(), second.next_cursor), (&[0][..], None));
    let other: TaskFilter = "{}".parse().unwrap();
    let refused = other.page(&tasks, first.next_cursor.as_deref(), 1, 0).unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::CursorFilterMismatch);
    assert_eq!(filter.select("{}").unwrap_err().kind(), ErrorKind::FilterType);
    for other in ["5", "[]", "null", "\"failed\""] {
        assert_eq!(other.parse::<TaskFilter>().unwrap_err().kind(), ErrorKind::FilterType, "{other}");
    }
    assert_eq!("[".parse::<TaskFilter>().unwrap_err().kind(), ErrorKind::Json);
    let again: TaskFilter = filter.to_json().parse().unwrap();
    assert_eq!(again.hash(), filter.hash());
    assert!(TaskFilter::capability(&["tools/call"]).contains(r#""methods":["tools/call"]"#));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_primitive_is_printed_by_its_kind_and_id() {
    let tools = tools(&Caller::anonymous());
    let first = tools.iter().next().unwrap();
    assert_eq!(
        (first.id(), format!("{first:?}")),
        ("create_issue", r#"Primitive { kind: Tool, id: "create_issue", .. }"#.to_owned())
    );
}

/// A request could otherwise make the engine report three hundred thousand fields.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_bounded_number_of_unknown_fields_is_reported() {
    let fields: Vec<String> = (0..100).map(|at| format!(r#""x{at}":1"#)).collect();
    let fields = fields.join(",");
    let unknown = format!("{{{fields}}}");
    let parsed = Filter::parse(&format!(r#"{{"groups":["issues"],{fields}}}"#)).unwrap();
    assert_eq!((parsed.ignored.len(), parsed.ignored[0].field.as_str()), (32, "x0"));
    assert_eq!(Filter::parse(&format!(r#"{{"not":{unknown}}}"#)).unwrap().ignored.len(), 32);
    assert_eq!(format!(r#"{{"filter":{unknown}}}"#).parse::<TaskFilter>().unwrap().ignored().len(), 32);
}

/// A policy that cannot decide hides, and says so to the operator.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn what_policies_could_not_decide_is_reported_once() {
    let long = "x".repeat(300_000);
    let lists =
        format!(r#"{{"tools":[{{"name":"a","description":"{long}","inputSchema":{{"type":"object"}}}}]}}"#);
    let config =
        Config::parse(r#"{"policies":[{"name":"p","show":"-description:*secret* or claim.role:admin"}]}"#)
            .unwrap();
    let sieve = Sieve::compile(&lists, &config).unwrap();
    assert_eq!(sieve.undecided(), []);
    assert!(sieve.view(&Caller::anonymous()).tools(&Filter::default()).unwrap().is_empty());
    let reports = sieve.undecided();
    assert_eq!((reports.len(), reports[0].name.as_str()), (1, "a"));
    assert_eq!(sieve.undecided(), []);
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_query_may_begin_with_its_question_mark() {
    let [with, without] = ["?groups=issues", "groups=issues"].map(|query| Filter::from_query(query).unwrap());
    assert_eq!((with.filter, with.ignored), (without.filter, vec![]));
}

/// The schema of the file that the engine and a gateway share.
const SCHEMA: &str = include_str!("../crates/gateway/src/config/sieve.schema.json");

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn the_engine_accepts_every_member_of_the_file() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let members: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert!(members.len() > 30, "{members:?}");
    for member in members {
        // Only the engine's own members are read, so their errors are those of the value.
        let error = Config::parse(&format!(r#"{{"{member}":17}}"#)).err().map(|error| error.to_string());
        assert!(!error.as_deref().unwrap_or_default().contains("unknown field"), "{member}: {error:?}");
    }
    let error = Config::parse(r#"{"upstraems":[]}"#).unwrap_err();
    assert!(error.to_string().contains("unknown field `upstraems`"), "{error}");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn the_engine_reads_its_part_of_servers_and_filtering() {
    let tools = r#"{"tools":[{"name":"a","inputSchema":{"type":"object"},
        "_meta":{"io.modelcontextprotocol/requiredCapabilities":{"sampling":{}}}}]}"#;
    for (config, shown) in [
        (r#"{}"#, 1),
        (r#"{"auth":{"issuer":17},"upstream":{"url":17}}"#, 1),
        (r#"{"upstream":{"requiredCapabilities":"hide"}}"#, 0),
        (r#"{"upstream":{"capabilities":{"sampling":{}}}}"#, 0),
        (r#"{"upstream":{"capabilities":{"extensions":{}}}}"#, 1),
        (r#"{"upstream":{"capabilities":{"sampling":{}},"requiredCapabilities":"annotate"}}"#, 1),
        (r#"{"upstreams":[{"name":"a","url":"x","requiredCapabilities":"hide"}]}"#, 0),
        (r#"{"upstreams":[{"name":"a"}],"policies":[{"name":"p","show":"server:a"}]}"#, 1),
        (r#"{"policies":[{"name":"p","show":"server:upstream"}]}"#, 1),
        (r#"{"policies":[{"name":"p","show":"server:a"}]}"#, 0),
    ] {
        let sieve = Sieve::compile(tools, &Config::parse(config).unwrap()).unwrap();
        let caller = Caller::anonymous().with_capabilities("{}").unwrap();
        let found = sieve.view(&caller).tools(&Filter::default()).unwrap();
        assert_eq!(found.len(), shown, "{config}");
    }
}

/// Half of a surrogate pair in a text, a key or a name costs at most the primitive with that name.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_lone_surrogate_is_read_as_the_replacement_character() {
    let tools = [
        r#"{"name":"described","description":"Sends mail \ud83d","inputSchema":{"type":"object"}}"#,
        r#"{"name":"keyed","inputSchema":{"type":"object","properties":{"\udc00":{}}},"_meta":{"\ud800":1,"team":"blue\ud800"}}"#,
        r#"{"name":"tagged","inputSchema":{"type":"object"},"tags":["t"],"_meta":{"note":"\ud800"}}"#,
        r#"{"name":"both","inputSchema":{"type":"object"},"_meta":{"\ud800":1,"dev.mcpsieve/tags":["t"]}}"#,
        r#"{"name":"emoji","description":"Sends mail \ud83d\ude00","inputSchema":{"type":"object"}}"#,
        r#"{"name":"cut \ud83d","inputSchema":{"type":"object"}}"#,
        r#"{"name":"cut","\ud83d":1,"inputSchema":{"type":"object"}}"#,
    ];
    let lists = format!(r#"{{"tools":[{}]}}"#, tools.join(","));
    let sieve = Sieve::compile(&lists, &Config::default()).unwrap();
    let problems: Vec<&str> = sieve.reports().iter().map(|report| report.problem.as_str()).collect();
    assert_eq!(
        problems,
        [
            r#"`name` is `"cut \ud83d"`, expected a non-empty string: left out"#,
            "has a key that is not Unicode: left out"
        ]
    );
    let view = sieve.view(&Caller::anonymous());
    let kept = |filter: &str| {
        let selection = view.tools(&Filter::parse(filter).unwrap().filter).unwrap();
        names(&selection).join(" ")
    };
    let listed = view.tools(&Filter::default()).unwrap().json();
    assert!(listed.contains(tools[0]) && listed.contains(r#""\ud800":1,"team":"blue\ud800""#), "{listed}");
    for member in [r#""note":"\ud800""#, "\"\u{fffd}\":1", r#""tags":["t"]"#] {
        assert!(listed.contains(member), "{listed}");
    }
    assert_eq!(kept("{}"), "described keyed tagged both emoji");
    assert_eq!(kept(r#"{"where":"description:\"*mail \ufffd\""}"#), "described");
    assert_eq!(kept(r#"{"where":"meta.team:blue*"}"#), "keyed");
    assert_eq!(kept(r#"{"tags":["t"]}"#), "tagged both");
    assert_eq!(kept(r#"{"query":"mail"}"#), "described emoji");
    // What a policy hides by such a text stays hidden.
    let config = r#"{"policies":[{"name":"p","show":"-meta.team:blue* -description:*mail* -tag:t"}]}"#;
    let sieve = Sieve::compile(&lists, &Config::parse(config).unwrap()).unwrap();
    assert!(sieve.view(&Caller::anonymous()).tools(&Filter::default()).unwrap().is_empty());
}

/// A tool works without its output schema, so a schema that clients reject costs only itself.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn clients_get_no_output_schema_that_they_reject() {
    let [modern, older] = ["2026-07-28", "2025-06-18"];
    // Each is kept by clients of both revisions, of the newer one, or of none.
    let rows = [
        (r#"{"type":"object"}"#, [true, true]),
        (r#"{"type":"array"}"#, [true, false]),
        (r#"{"anyOf":[{"type":"object"}]}"#, [true, false]),
        ("{}", [true, false]),
        (r#"{"type":"object","properties":{"a":7}}"#, [true, false]),
        (r#"{"type":"object","required":"a"}"#, [true, false]),
        (r#"{"type":["object","null"]}"#, [true, false]),
        ("true", [false, false]),
        (r#""object""#, [false, false]),
        ("7", [false, false]),
        ("[]", [false, false]),
        (r#"{"$schema":7,"type":"object"}"#, [false, false]),
        (r#"{"\ud800":1,"type":"object"}"#, [false, false]),
        (r#"{"$schema":7,"type":"array"}"#, [false, false]),
    ];
    // The member may be the first, the last, or between others.
    let forms = [
        (r#"{"outputSchema":"#, r#","name":"t","inputSchema":{"type":"object"}}"#),
        (r#"{ "outputSchema" : "#, r#" , "name":"t","inputSchema":{"type":"object"}}"#),
        (r#"{"name":"t","outputSchema":"#, r#","inputSchema":{"type":"object"}}"#),
        (r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":"#, "}"),
        (r#"{"name":"t" ,"title":null,"inputSchema":{} , "outputSchema":"#, r#", "description":"d"}"#),
    ];
    for (schema, kept) in rows {
        for (before, after) in forms {
            let lists = format!(
                r#"{{"tools":[{{"name":"a","inputSchema":{{"type":"object"}}}},{before}{schema}{after},{{"name":"z","inputSchema":{{"type":"object"}}}}]}}"#
            );
            let sieve = Sieve::compile(&lists, &Config::default()).unwrap();
            let found = [modern, older].map(|date| {
                let view = sieve.view(&Caller::anonymous().with_protocol(date));
                let tools = view.tools(&Filter::default()).unwrap();
                assert_eq!(names(&tools), ["a", "t", "z"], "{lists} {date}");
                let tool = tools.iter().nth(1).unwrap();
                let plain = tool.json().replace(' ', "");
                assert!(!plain.contains(",,") && !plain.contains("{,") && !plain.contains(",}"), "{plain}");
                assert_eq!(tool.member("name").unwrap().get(), r#""t""#);
                tool.member("outputSchema").map(|schema| schema.get().to_owned())
            });
            assert_eq!(found, kept.map(|kept| kept.then(|| schema.to_owned())), "{lists}");
            let reported = sieve.reports().iter().any(|report| report.problem.contains("without it"));
            assert_eq!(reported, kept != [true, true], "{lists}");
        }
    }
    // Other tools of older clients are the same, and found by the same names.
    let lists = r#"{"tools":[{"name":"\u0061","outputSchema":[],"inputSchema":{"type":"object"}},{"outputSchema":{},"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]}"#;
    let sieve = Sieve::compile(lists, &Config::default()).unwrap();
    let view = sieve.view(&Caller::anonymous().with_protocol(older));
    let found = view.tools(&Filter::parse(r#"{"where":"name:b or name:c"}"#).unwrap().filter).unwrap();
    assert_eq!(
        found.json(),
        r#"{"tools":[{"name":"b","inputSchema":{"type":"object"}},{"name":"c","inputSchema":{"type":"object"}}]}"#
    );
}

/// The path of a preset applies it, and a path that is not for the caller is refused, but not before a check.
#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_caller_connects_in_the_path_of_a_preset() {
    let config = r#"{
        "policies":[{"name":"tenant","show":"-name:list_issues or request.meta.shop.tenant=north"}],
        "presets":[{"name":"staff","when":"claim.role=staff","filter":{"namePatterns":["*_issue"]}}],
        "checks":[{"name":"banned","require":"-claim.banned=true","message":"You are banned."}]}"#;
    let sieve = Sieve::compile(LISTS, &Config::parse(config).unwrap()).unwrap();
    let names = |caller: &Caller| {
        let tools = sieve.view(caller).tools(&Filter::default()).unwrap();
        tools.names().map(str::to_owned).collect::<Vec<_>>()
    };
    let anonymous = Caller::anonymous();
    assert_eq!(names(&anonymous), ["create_issue", "book_flight"]);
    let north = anonymous.clone().with_meta(r#"{"shop":{"tenant":"north"}}"#).unwrap();
    assert_eq!(names(&north), ["create_issue", "list_issues", "book_flight"]);
    assert_eq!(names(&north.clone().with_preset("read-only")), ["list_issues"]);
    assert_eq!(sieve.refusal(&north.with_preset("read-only")), None);
    assert!(sieve.refusal(&anonymous.clone().with_preset("staff")).is_some());
    assert!(sieve.refusal(&anonymous.with_preset("nope")).is_some());
    let staff = Caller::with_claims(r#"{"role":"staff"}"#).unwrap();
    assert_eq!(names(&staff), ["create_issue"]);
    assert_eq!(sieve.refusal(&staff.with_preset("staff")), None);
    let banned = Caller::with_claims(r#"{"banned":true}"#).unwrap().with_preset("nope");
    assert_eq!(sieve.refusal(&banned), Some("You are banned."));
}
