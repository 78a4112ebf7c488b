//! Relevance: the best matches that the rows of `fixtures/rank.json` expect, and the order of scores.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[cfg(not(target_arch = "wasm32"))]
mod properties;
mod ranker;

use std::sync::Arc;

use mcp_sieve::Config;
use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    expr::{Field, Subject},
    policy::{CallerContext, Guarded, View},
    rank::{Hit, Index, Scratch},
};
use serde_json::{Value, json};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test;

fn fixture() -> Value {
    serde_json::from_str(include_str!("../fixtures/rank.json")).unwrap()
}

fn compile(lists: &Value) -> Catalog {
    compile_ruled(lists, &json!([]))
}

/// Compiles lists under rules, and asserts that there are no reports.
fn compile_ruled(lists: &Value, rules: &Value) -> Catalog {
    let text = lists.to_string();
    let source = Source { server: "", lists: Lists::read(&text).unwrap() };
    let config = Config::parse(&json!({ "rules": rules }).to_string()).unwrap();
    let catalog = Catalog::compile(&[source], &config.assignments);
    assert_eq!(catalog.reports(), []);
    catalog
}

fn names<'a>(catalog: &'a Catalog, hits: &[Hit]) -> Vec<&'a str> {
    hits.iter().map(|hit| catalog.kind_index(Kind::Tool).id(hit.index).unwrap()).collect()
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn rows() {
    let fixture = fixture();
    let catalog = compile(&fixture["lists"]);
    let index = Index::new(&catalog, Kind::Tool);
    let mut scratch = Scratch::default();
    let mut failed = Vec::new();
    for row in fixture["rows"].as_array().unwrap() {
        let expected: Vec<&str> =
            row["first"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
        let (lists, rules) = (row.get("lists"), row.get("rules"));
        let own = (lists.is_some() || rules.is_some())
            .then(|| compile_ruled(lists.unwrap_or(&fixture["lists"]), rules.unwrap_or(&json!([]))));
        let own = own.as_ref().map(|catalog| (catalog, Index::new(catalog, Kind::Tool)));
        let (catalog, index) = own.as_ref().map_or((&catalog, &index), |(catalog, index)| (*catalog, index));
        let found = names(catalog, index.search(row["query"].as_str().unwrap(), 5, &mut scratch));
        // A row that expects nothing must find nothing.
        let first = if expected.is_empty() { &found[..] } else { &found[..found.len().min(expected.len())] };
        if first != expected {
            failed.push(format!("{}: expected {expected:?}, found {found:?}", row["name"]));
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn threads_may_share_an_index() {
    fn shared<T: Send + Sync + std::fmt::Debug>() {}
    shared::<Index>();
    shared::<Scratch>();
}

/// Returns a catalog of tools that share many words, so that a query matches many of them.
fn crowd(count: usize) -> Catalog {
    const VERBS: [&str; 7] = ["create", "list", "find", "translate", "book", "plot", "send"];
    const NOUNS: [&str; 11] = [
        "issue",
        "photo",
        "weather",
        "calendar",
        "hotel",
        "stock",
        "document",
        "message",
        "recipe",
        "日本語",
        "отчёт",
    ];
    let tool = |at: usize| {
        let (verb, noun, other) = (VERBS[at % 7], NOUNS[at % 11], NOUNS[at / 7 % 11]);
        let id = format!("Which {noun}, by its identifier or its title");
        let description = format!(
            "{verb} a {noun} for a workspace, together with the {other} that belongs to it. Fields that are \
             left out keep their values; what is locked stays as it is until somebody unlocks it."
        );
        json!({
            "name": format!("{verb}_{noun}_{at}"),
            "description": description,
            "inputSchema": {"type": "object", "required": ["id"], "additionalProperties": false, "properties": {
                "id": {"type": "string", "description": id},
                "limit": {"type": "integer", "maximum": 1000, "description": "How many entries at most"},
                "order": {"type": "string", "enum": ["newest", "oldest", "alphabetical"]},
            }},
            "annotations": {"readOnlyHint": at.is_multiple_of(2), "openWorldHint": false},
        })
    };
    compile(&json!({ "tools": (0..count).map(tool).collect::<Vec<_>>() }))
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn equal_scores_are_ordered_by_name() {
    let tool =
        |name: &str| json!({"name": name, "description": "Open a door.", "inputSchema": {"type": "object"}});
    let catalog = compile(&json!({"tools": [tool("c_1"), tool("w_1"), tool("b_1"), tool("d_1")]}));
    let index = Index::new(&catalog, Kind::Tool);
    let mut scratch = Scratch::default();
    assert_eq!(names(&catalog, index.search("door", 9, &mut scratch)), ["b_1", "c_1", "d_1", "w_1"]);
    assert_eq!(names(&catalog, index.search("door", 2, &mut scratch)), ["b_1", "c_1"]);
    assert_eq!(names(&catalog, index.scores("door", 9, &mut scratch)), ["b_1", "c_1", "d_1", "w_1"]);
    // The order also holds for more hits than the search keeps.
    let catalog = crowd(1000);
    let index = Index::new(&catalog, Kind::Tool);
    let hits = index.search("issue", 1000, &mut scratch).to_vec();
    assert!(hits.len() > 150, "{}", hits.len());
    assert!(hits.is_sorted_by_key(|hit| (u32::MAX - hit.score, 0)), "scores fall");
    for limit in [0, 1, 2, 31, 32, 33, 64, 100, hits.len()] {
        assert_eq!(index.search("issue", limit, &mut scratch), &hits[..limit], "limit {limit}");
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn the_name_of_the_only_server_changes_no_score() {
    let text = json!({"tools": fixture()["lists"]["tools"]}).to_string();
    let behind = |server: &str| {
        let source = Source { server, lists: Lists::read(&text).unwrap() };
        found(&Catalog::compile(&[source], &Assignments::default()), "merge the pull request of last week")
    };
    assert!(!behind("").is_empty());
    assert_eq!(behind("upstream"), behind(""));
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_score_says_how_well_it_fits() {
    let fixture = fixture();
    let catalog = compile(&fixture["lists"]);
    let index = Index::new(&catalog, Kind::Tool);
    let mut scratch = Scratch::default();
    let mut best = |query: &str| index.search(query, 1, &mut scratch)[0].score;
    let (whole, half, other) =
        (best("merge pull request"), best("merge zebra pull xylophone"), best("month"));
    assert!((Hit::SURE..1000).contains(&whole), "{whole}");
    // Half of this query's words occur in no tool.
    assert!(half + 50 < whole, "{half} {whole}");
    assert!(best("zebra xylophone quokka merge") < best("zebra merge"));
    let mostly_unknown = best("zebra xylophone quokka merge");
    assert!(mostly_unknown < 500, "{mostly_unknown}");
    assert!(other < whole, "{other} {whole}");
    // Two tools match equally well, so neither is a sure match.
    let tied = found(&listed(&[("open_gate", "Open it."), ("open_door", "Open it.")]), "open");
    assert!(tied.iter().all(|(_, score)| *score <= 500), "{tied:?}");
    // A limit removes hits, but not from the comparison that scores are based on.
    let scores = |limit| index.scores("merge request", limit, &mut Scratch::default()).to_vec();
    assert_eq!(scores(1), scores(9)[..1]);
}

/// Returns a catalog of tools with these names and descriptions.
fn listed(tools: &[(&str, &str)]) -> Catalog {
    let tool = |(name, description): &(&str, &str)| json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
    compile(&json!({"tools": tools.iter().map(tool).collect::<Vec<_>>()}))
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn words_that_no_tool_holds_leave_little_of_a_score() {
    let mut lists = fixture()["lists"].clone();
    let others = [
        ("find_provider", "Discover a therapist who is right for you."),
        ("users_lookup_by_email", "Look up a user by the address of an email account."),
        ("law_lookup", "Look up a law by its number."),
    ];
    for (name, description) in others {
        let tool = json!({"name": name, "description": description, "inputSchema": {"type": "object"}});
        lists["tools"].as_array_mut().unwrap().push(tool);
    }
    let results = found(&compile(&lists), "I am looking for a psychiatrist in Santa Rosa");
    assert_eq!(results[0].0, "find_provider", "{results:?}");
    assert!(results.iter().all(|(_, score)| *score < Hit::SURE), "{results:?}");
    let lookup = |name: &str| results.iter().find(|(found, _)| found == name).map_or(0, |(_, score)| *score);
    assert!(lookup("law_lookup") < 300 && lookup("users_lookup_by_email") < 300, "{results:?}");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn relatives_of_a_word_add_no_more_than_the_word() {
    // Each word of the first tool is related to the only word of the second.
    let catalog = listed(&[
        ("many", "Trip, travel, journey, tour, itinerary, hotel, flight, tourist, tourism, destination."),
        ("vacation", "For your vacation."),
        ("other", "Something else about doors."),
    ]);
    let results = found(&catalog, "vacation");
    assert_eq!(results[0].0, "vacation", "{results:?}");
    assert!(results[0].1 >= Hit::SURE, "{results:?}");
    // If no tool has the word itself, its relatives match instead, with no more than its weight.
    let catalog = listed(&[
        ("many", "Trip, travel, journey, tour, itinerary, hotel, flight, tourist, tourism, destination."),
        ("openings", "A door and a window."),
    ]);
    assert_eq!(found(&catalog, "vacation door window")[0].0, "openings");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn everyday_words_in_names_decide_little() {
    let catalog = listed(&[
        ("Now", "News and more."),
        ("forecast", "Will it rain? Tells the weather of the next days."),
        ("placid", "A calm room to relax in."),
        ("placement", "Puts candidates into jobs."),
    ]);
    let results = found(&catalog, "what is the weather like right now");
    assert_eq!(results[0].0, "forecast", "{results:?}");
    let results = found(&catalog, "a nice place");
    assert!(results.iter().all(|(name, _)| name != "placid"), "{results:?}");
    assert_eq!(results[0].0, "placement", "{results:?}");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn every_kind_is_ranked_by_itself() {
    let catalog = compile(&json!({
        "tools": [{"name": "weather", "inputSchema": {"type": "object"}}],
        "resources": [{"uri": "file:///reports/weather.csv", "name": "Measurements"}, {"uri": "file:///b", "name": "Bees"}],
        "resourceTemplates": [{"uriTemplate": "weather://{city}", "name": "City"}],
        "prompts": [{"name": "greet"}, {"name": "plan", "arguments": [{"name": "x", "description": "The weather"}]}],
    }));
    let mut scratch = Scratch::default();
    for (kind, expected) in [(Kind::Tool, 0), (Kind::Resource, 0), (Kind::Template, 0), (Kind::Prompt, 1)] {
        let index = Index::new(&catalog, kind);
        let hits: Vec<usize> = index.search("weather", 9, &mut scratch).iter().map(|hit| hit.index).collect();
        assert_eq!((index.len(), hits), (catalog.kind_index(kind).len(), vec![expected]), "{kind}");
    }
    let empty = Index::new(&compile(&json!({"tools": []})), Kind::Tool);
    assert!(empty.is_empty());
    assert_eq!(empty.search("weather", 9, &mut scratch), []);
    assert_eq!(Index::default().search("weather", 9, &mut scratch), []);
}

/// A caller with the same value in every field about it.
struct Caller(&'static str);

impl CallerContext for Caller {}

impl Subject for Caller {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        if field.reads_caller() {
            visit(self.0);
        }
    }
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_view_keeps_an_index_of_its_own() {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let catalog = compile(&json!({"tools": [tool("pay_salary"), tool("read_payroll"), tool("list_pays")]}));
    let config = r#"{"policies": [{"name": "staff", "show": "-name:*payroll or client.name:staff"}]}"#;
    let guarded = Guarded::new(catalog, Config::parse(config).unwrap().policies);
    let (staff, guest) = (guarded.view(&Caller("staff")), guarded.view(&Caller("guest")));
    for (view, other) in [(&staff, "staff"), (&guest, "guest")] {
        let again = guarded.view(&Caller(other)).index(Kind::Tool);
        assert!(Arc::ptr_eq(&view.index(Kind::Tool), &again), "{other}: made once");
    }
    let mut scratch = Scratch::default();
    let mut found = |view: &View, query: &str| {
        names(view.catalog(), view.index(Kind::Tool).search(query, 9, &mut scratch)).join(" ")
    };
    assert_eq!(found(&staff, "payrol"), "read_payroll");
    assert_eq!(found(&guest, "payrol"), found(&guest, "payrox"), "a hidden word is as one that nobody wrote");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn a_query_has_a_greatest_length() {
    let catalog = crowd(50);
    let index = Index::new(&catalog, Kind::Tool);
    let mut scratch = Scratch::default();
    for letter in ["x", "я", "日", "😀"] {
        let filler = letter.repeat(Index::MAX_QUERY / letter.len() - 8) + " ";
        assert!(!index.search(&format!("{filler}photo"), 9, &mut scratch).is_empty(), "{letter}");
        let filler = letter.repeat(Index::MAX_QUERY / letter.len()) + " ";
        assert_eq!(index.search(&format!("{filler}photo"), 9, &mut scratch), [], "{letter}");
    }
}

/// Returns the names and scores that a search of a catalog finds, best first.
fn found(catalog: &Catalog, query: &str) -> Vec<(String, u32)> {
    let mut scratch = Scratch::default();
    let hits = Index::new(catalog, Kind::Tool).search(query, usize::MAX, &mut scratch).to_vec();
    names(catalog, &hits).into_iter().map(str::to_owned).zip(hits.iter().map(|hit| hit.score)).collect()
}

#[test]
fn the_order_of_a_catalog_does_not_decide_which_words_are_read() {
    // Three words stand in every 150th tool, 80 tools for each. In rotation, the distances in their posting lists take
    // two bytes; in blocks, one. The 64 words of the query have 384 related words, the maximum number read. One order
    // exceeds the maximum size of postings, and the other does not.
    const TOPICS: usize = 150;
    let word = |at: usize| {
        let letter = |at: usize| char::from(b'a' + (at % 26) as u8);
        format!("q{}{}zo{}", letter(at / 6), letter(at / 6 / 26), ["k", "m", "n", "p", "r", "t"][at % 6])
    };
    let tool = |at: usize| {
        let words: Vec<String> = (0..3).map(|nth| word(at % TOPICS * 3 + nth)).collect();
        json!({"name": format!("t{at}"), "description": words.join(" "), "inputSchema": {"type": "object"}})
    };
    let places = 0..80 * TOPICS;
    let in_turn: Vec<Value> = places.clone().map(tool).collect();
    let together: Vec<Value> = places.map(|at| tool(at % 80 * TOPICS + at / 80)).collect();
    let query = (0..64).map(|at| word(at * 6)).collect::<Vec<_>>().join(" ");
    let [in_turn, together] =
        [in_turn, together].map(|tools| found(&compile(&json!({"tools": tools})), &query));
    assert!(in_turn.len() > 5_000, "{}", in_turn.len());
    assert!(in_turn == together, "other words are read");
}

#[test]
#[cfg_attr(target_arch = "wasm32", wasm_bindgen_test)]
fn an_index_is_smaller_than_a_quarter_of_its_catalog() {
    let catalog = crowd(2000);
    let kind_index = catalog.kind_index(Kind::Tool);
    let bytes: usize = (0..kind_index.len()).map(|at| kind_index.bytes(at).unwrap().len()).sum();
    let size = Index::new(&catalog, Kind::Tool).size();
    assert!(size * 4 < bytes, "{size} of {bytes}");
}
