//! Skills of several servers, their middleware, and their limits. `tests/fixtures/protocol/skills.json` covers the
//! responses for a single server.

use http::Request;
use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, ReportCode, Source},
};
use mcp_sieve_gateway::{
    config::Config,
    server::Body,
    upstream::{Backend, Features},
};
use serde_json::{Map, Value, json};

use crate::{
    client::{modern, send},
    host::World,
};

const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn file(uri: &str) -> Value {
    json!({"uri": uri, "digest": DIGEST, "size": 1, "x-own": [uri]})
}

/// Returns a skill in this directory with these additional files.
fn skill(directory: &str, files: &[&str]) -> Value {
    let uri = format!("{directory}/SKILL.md");
    let name = directory.rsplit('/').next().unwrap();
    let others = files.iter().map(|path| file(&format!("{directory}/{path}")));
    let resources: Vec<Value> = [file(&uri)].into_iter().chain(others).collect();
    json!({"uri": uri, "frontmatter": {"name": name, "description": "d", "x": {"y": 1.0}}, "resources": resources})
}

/// Returns the catalog of servers that list these skills and resources, under a configuration.
fn merged(servers: &[(&str, Value, &[&str])], config: &Value) -> Catalog {
    let mut config = config.clone();
    let names: Vec<Value> = servers
        .iter()
        .map(|(name, ..)| json!({"name": name, "url": "https://a.example/mcp", "prefix": format!("{name}_")}))
        .collect();
    if config.get("upstreams").is_none() {
        config["upstreams"] = names.into();
    }
    let listed: Vec<String> = servers
        .iter()
        .map(|(_, skills, resources)| {
            let resources: Vec<Value> =
                resources.iter().map(|uri| json!({"uri": uri, "name": "n"})).collect();
            json!({"resources": resources, "skills": skills}).to_string()
        })
        .collect();
    let sources: Vec<Source<'_>> = servers
        .iter()
        .zip(&listed)
        .map(|((server, ..), listed)| Source { server, lists: Lists::read(listed).unwrap() })
        .collect();
    Config::parse(&config.to_string()).unwrap().compile(&sources)
}

/// Returns each skill's URI for callers, its server, and its URI there.
fn skills(catalog: &Catalog) -> Vec<[&str; 3]> {
    let skills = catalog.kind_index(Kind::Skill);
    let row = |index| Some([skills.id(index)?, skills.server(index)?, skills.own_id(index)?]);
    (0..skills.len()).filter_map(row).collect()
}

#[test]
fn skills_with_one_uri_are_told_apart_by_their_servers() {
    let refunds = skill("skill://acme/refunds", &["steps.md", "inner/SKILL.md"]);
    let inner = skill("skill://acme/refunds/inner", &[]);
    let own = skill("skill://acme/returns", &[]);
    let catalog = merged(
        &[
            ("one", json!([refunds, inner, own]), &["skill://acme/refunds/steps.md", "doc://x"]),
            ("two", json!([refunds]), &["skill://acme/refunds/steps.md"]),
        ],
        &json!({}),
    );
    assert_eq!(
        skills(&catalog),
        [
            ["skill://one/acme/refunds/SKILL.md", "one", "skill://acme/refunds/SKILL.md"],
            ["skill://one/acme/refunds/inner/SKILL.md", "one", "skill://acme/refunds/inner/SKILL.md"],
            ["skill://acme/returns/SKILL.md", "one", "skill://acme/returns/SKILL.md"],
            ["skill://two/acme/refunds/SKILL.md", "two", "skill://acme/refunds/SKILL.md"],
        ]
    );
    let resources: Vec<&str> = catalog.kind_index(Kind::Resource).ids().collect();
    assert_eq!(
        resources,
        ["skill://one/acme/refunds/steps.md", "doc://x", "skill://two/acme/refunds/steps.md"]
    );
    assert!(catalog.collisions().is_empty(), "{:?}", catalog.collisions());
    let first: Value = serde_json::from_slice(catalog.kind_index(Kind::Skill).bytes(0).unwrap()).unwrap();
    let mut expected = skill("skill://one/acme/refunds", &["steps.md", "inner/SKILL.md"]);
    for (file, own) in
        expected["resources"].as_array_mut().unwrap().iter_mut().zip(refunds["resources"].as_array().unwrap())
    {
        file["x-own"] = own["x-own"].clone();
    }
    assert_eq!(first, expected, "everything but the URIs is as the server sent it");
    let text = std::str::from_utf8(catalog.kind_index(Kind::Skill).bytes(0).unwrap()).unwrap();
    assert!(text.contains(r#""x":{"y":1.0}"#), "{text}");
}

#[test]
fn a_skill_in_the_directory_of_another_servers_is_told_apart_too() {
    let (outer, inner) = (skill("skill://a", &["b/x.md"]), skill("skill://a/b", &[]));
    let catalog = merged(&[("one", json!([outer]), &[]), ("two", json!([inner]), &[])], &json!({}));
    assert_eq!(skills(&catalog).map_first(), ["skill://one/a/SKILL.md", "skill://two/a/b/SKILL.md"]);
    // A skill that a rule hides causes no collision.
    let hiding = json!({"rules": [{"match": "kind:skill server:one", "hide": true}]});
    let catalog = merged(&[("one", json!([outer]), &[]), ("two", json!([inner]), &[])], &hiding);
    assert_eq!(skills(&catalog).map_first(), ["skill://a/b/SKILL.md"]);
}

#[test]
fn a_prefix_before_every_name_goes_before_every_skill() {
    let upstreams =
        json!([{"name": "my server", "url": "https://a.example/mcp", "prefix": "m_", "prefixAll": true}]);
    let catalog = merged(
        &[("my server", json!([skill("skill://solo", &[]), skill("github://o/r/x", &[])]), &[])],
        &json!({"upstreams": upstreams}),
    );
    let expected = ["skill://my%20server/solo/SKILL.md", "github://my%20server/o/r/x/SKILL.md"];
    assert_eq!(skills(&catalog).map_first(), expected);
}

trait MapFirst {
    fn map_first(&self) -> Vec<&str>;
}

impl MapFirst for Vec<[&str; 3]> {
    fn map_first(&self) -> Vec<&str> {
        self.iter().map(|[id, ..]| *id).collect()
    }
}

/// Returns a world of two servers that each have a skill with the same URI.
fn two_servers(config: &Value) -> World {
    let refunds = skill("skill://acme/refunds", &["steps.md"]);
    let mut config = config.clone();
    config["upstreams"] = json!([
        {"name": "one", "url": "https://a.example/mcp"},
        {"name": "two", "url": "https://b.example/mcp"}]);
    let lists = json!({"tools": [], "skills": [refunds]});
    let world = World::listing(lists.clone(), config.as_object().unwrap().clone());
    let listed = lists.to_string();
    let source = |server| Source { server, lists: Lists::read(&listed).unwrap() };
    let features = Features { directory_read: true, ..Features::default() };
    let backend = Backend::compile(vec![source("one"), source("two")], &world.config, features);
    world.serve(backend);
    world
}

fn ask(world: &World, method: &str, uri: &str) -> Value {
    let mut request = modern(method, json!({"uri": uri}), &json!({}));
    request.headers_mut().insert("mcp-name", uri.parse().unwrap());
    reply(world, &request)
}

/// Returns the message that answers a request.
fn reply(world: &World, request: &Request<Vec<u8>>) -> Value {
    let (_, Body::Json(body)) = send(world, request) else { panic!("no JSON") };
    serde_json::from_slice(&body).unwrap()
}

/// Returns the URIs that were requested from the upstream server.
fn forwarded_uris(world: &World) -> Vec<String> {
    let uri =
        |params: String| serde_json::from_str::<Value>(&params).unwrap()["uri"].as_str().unwrap().to_owned();
    world.forwarded.take().into_iter().map(uri).collect()
}

#[test]
fn a_changed_uri_goes_to_its_server_and_comes_back_as_callers_know_it() {
    let world = two_servers(&json!({}));
    let own = "skill://acme/refunds";
    for server in ["one", "two"] {
        let root = format!("skill://{server}/acme/refunds");
        let main = format!("{root}/SKILL.md");
        let read = ask(&world, "resources/read", &format!("{root}/steps.md"));
        assert_eq!(read["result"]["contents"][0]["uri"], format!("{root}/steps.md"), "{read}");
        assert_eq!(read["result"]["contents"][0]["text"], format!("read {own}/steps.md"));
        let entry = ask(&world, "skills/get", &main);
        let skill = &entry["result"]["skill"];
        assert_eq!(skill["uri"], main, "{entry}");
        assert_eq!(skill["resources"][1]["uri"], format!("{root}/steps.md"));
        let children = ask(&world, "resources/directory/read", &root);
        assert_eq!(children["result"]["resources"][0]["uri"], main, "{children}");
        assert_eq!(
            forwarded_uris(&world),
            [format!("{own}/steps.md"), format!("{own}/SKILL.md"), own.to_owned()]
        );
    }
    let above = ask(&world, "resources/directory/read", "skill://one");
    assert_eq!(above["result"]["resources"][0]["uri"], "skill://one/acme", "{above}");
    for unknown in ["skill://acme/refunds/SKILL.md", "skill://three/acme/refunds/SKILL.md"] {
        assert_eq!(ask(&world, "skills/get", unknown)["error"]["code"], -32602);
        assert_eq!(ask(&world, "resources/read", unknown)["error"]["code"], -32602);
    }
}

#[test]
fn hiding_one_of_two_skills_with_one_uri_leaves_the_other() {
    for (config, left) in [
        (
            json!({"policies": [{"name": "p", "show": "-(kind:skill server:one)"}]}),
            "skill://two/acme/refunds",
        ),
        (json!({"rules": [{"match": "kind:skill server:one", "hide": true}]}), "skill://acme/refunds"),
    ] {
        let world = two_servers(&config);
        let list = reply(&world, &modern("skills/list", json!({}), &json!({})));
        let listed: Vec<&Value> =
            list["result"]["skills"].as_array().unwrap().iter().map(|skill| &skill["uri"]).collect();
        assert_eq!(listed, [&json!(format!("{left}/SKILL.md"))]);
        let read = ask(&world, "resources/read", &format!("{left}/steps.md"));
        assert_eq!(read["result"]["contents"][0]["uri"], format!("{left}/steps.md"), "{config} {read}");
        for method in ["resources/read", "skills/get", "resources/directory/read"] {
            let hidden = ask(&world, method, "skill://one/acme/refunds/SKILL.md");
            assert_eq!(hidden["error"]["code"], -32602, "{method} {hidden}");
        }
    }
}

#[test]
fn a_mandatory_chain_leaves_files_of_skills_as_they_are() {
    let config =
        json!({"middleware": {"chains": [{"on": ["resources/read"], "response": ["pii_redaction"]}]}});
    let config = config.as_object().unwrap().clone();
    let address = "mail-to-ann@example.com.md";
    let lists = json!({
        "resources": [{"uri": "doc://ann@example.com", "name": "n"}],
        "skills": [skill("skill://acme/mail", &[address])],
    });
    let world = World::listing(lists, config);
    let text = |uri: &str| ask(&world, "resources/read", uri)["result"]["contents"][0]["text"].clone();
    let changed = text("doc://ann@example.com");
    assert_eq!(changed, "read doc://[EMAIL_1]", "the chain changes what is no file of a skill");
    let uri = format!("skill://acme/mail/{address}");
    assert_eq!(text(&uri), format!("read {uri}"));
    assert!(
        world.notes.borrow().iter().any(|note| note.contains("is a file of a skill")),
        "{:?}",
        world.notes.borrow()
    );
}

/// Returns the number of valid skills, and the problems reported for the others.
fn problems(skills: Vec<Value>) -> (usize, Vec<String>) {
    let listed = json!({"skills": skills}).to_string();
    let source = Source { server: "s", lists: Lists::read(&listed).unwrap() };
    let catalog = Config::parse("{}").unwrap().compile(&[source]);
    let reports = catalog.reports().iter().filter(|report| report.code == ReportCode::Invalid);
    (catalog.kind_index(Kind::Skill).len(), reports.map(|report| report.problem.clone()).collect())
}

#[test]
fn skills_with_too_many_files_are_left_out() {
    let with = |count: usize| {
        let names: Vec<String> = (1..count).map(|number| format!("{number}.md")).collect();
        skill("skill://a", &names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(problems(vec![with(Lists::MAX_SKILL_FILES)]), (1, vec![]));
    let (left, said) = problems(vec![with(Lists::MAX_SKILL_FILES + 1)]);
    assert_eq!((left, said), (0, vec!["`resources` has more than 512 files: left out".to_owned()]));
}

#[test]
fn skills_beyond_the_limit_are_left_out() {
    let dynamic = |number: usize| json!({"uri": format!("skill://{number}/a/SKILL.md"), "frontmatter": {"name": "a", "description": "d"}, "resources": "dynamic"});
    let (left, said) = problems((0..mcp_sieve::catalog::Lists::MAX_SKILLS + 2).map(dynamic).collect());
    assert_eq!(left, Lists::MAX_SKILLS);
    let problem =
        format!("is not among the first {max} skills of its server: left out", max = Lists::MAX_SKILLS);
    assert_eq!(said, [problem.clone(), problem]);
}

#[test]
fn what_is_wrong_with_a_skill_is_reported() {
    let with = |member: &str, value: Value| {
        let mut skill = skill("skill://a/b", &["c.md"]);
        *skill.pointer_mut(member).unwrap() = value;
        skill
    };
    for (skill, problem) in [
        (with("/uri", json!("skill://a/b/skill.md")), "`uri` does not end in `/SKILL.md`"),
        (
            with("/uri", json!("skill://a/../b/SKILL.md")),
            "`uri` has dot segments, a query, a fragment or escaped separators",
        ),
        (
            with("/frontmatter/name", json!("c")),
            "`frontmatter.name` is not the name of the directory in `uri`",
        ),
        (with("/frontmatter/name", json!(1)), "`frontmatter.name` is `1`, expected a non-empty string"),
        (
            with("/frontmatter/description", json!(null)),
            "`frontmatter.description` is `null`, expected a string",
        ),
        (with("/resources", json!("static")), "`resources` is neither an array nor `dynamic`"),
        (with("/resources", json!([])), "`resources` does not list `SKILL.md`"),
        (
            with("/resources/1/uri", json!("skill://a/bc.md")),
            "`resources[1].uri` is no file in the directory of the skill",
        ),
        (
            with("/resources/1/uri", json!("skill://a/b/%2e%2e/c")),
            "`resources[1].uri` is no file in the directory of the skill",
        ),
        (with("/resources/1/uri", json!("skill://a/b/SKILL.md")), "`resources[1].uri` is listed twice"),
        (
            with("/resources/0/digest", json!(DIGEST.to_uppercase())),
            "`resources[0].digest` is not `sha256:` and 64 lowercase hexadecimal digits",
        ),
        (with("/resources/1/size", json!(1.5)), "`resources[1].size` is not a whole number of bytes"),
        (with("/resources/1/size", json!("1")), "`resources[1].size` is not a whole number of bytes"),
    ] {
        assert_eq!(problems(vec![skill]), (0, vec![format!("{problem}: left out")]));
    }
}

#[test]
fn a_policy_is_not_asked_for_less_by_an_entry_that_has_changed() {
    // The listed version has nothing that the policy hides; the current version on the server has.
    let config: Map<String, Value> =
        json!({"policies": [{"name": "p", "show": "-meta.secret:yes"}]}).as_object().unwrap().clone();
    let listed = skill("skill://a", &[]);
    let mut changed = listed.clone();
    changed["frontmatter"]["metadata"] = json!({"secret": "yes"});
    let world = World::listing(json!({"skills": [changed]}), config);
    let listed = json!({"skills": [listed]}).to_string();
    let source = Source { server: "upstream", lists: Lists::read(&listed).unwrap() };
    world.serve(Backend::compile(vec![source], &world.config, Features::default()));
    let answer = ask(&world, "skills/get", "skill://a/SKILL.md");
    assert_eq!(answer["error"]["message"], "Unknown skill: skill://a/SKILL.md", "{answer}");
}
