//! Limits for the names in a server's lists, and the memory that they take.

use std::fmt::Write;

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Group, Lists, Report, ReportCode, RuleTrace, Source},
};
use mcp_sieve_gateway::config::Config;

/// Returns a list of tools with the members that `members` returns for each index.
fn list(tools: usize, members: impl Fn(usize) -> String) -> String {
    let tools: Vec<String> = (0..tools)
        .map(|at| format!(r#"{{"name":"t{at}","inputSchema":{{"type":"object"}},{}}}"#, members(at)))
        .collect();
    format!(r#"{{"tools":[{}]}}"#, tools.join(","))
}

/// Returns names that occur only at this index, as the elements of a JSON array.
fn names(prefix: &str, place: usize, count: usize) -> String {
    let mut names = String::new();
    for at in 0..count {
        write!(names, "{}\"{prefix}{place}_{at}\"", if at > 0 { "," } else { "" }).unwrap();
    }
    names
}

fn compile(list: &str, assignments: &Assignments) -> Catalog {
    let source = Source { server: "s", lists: Lists::read(list).unwrap() };
    Catalog::compile(&[source], assignments)
}

fn plain(list: &str) -> Catalog {
    compile(list, &Assignments::default())
}

#[test]
fn a_primitive_brings_along_so_many_names_and_stays_listed() {
    for (count, over) in
        [(Catalog::MAX_OWN_NAMES, false), (Catalog::MAX_OWN_NAMES + 1, true), (120_000, true)]
    {
        let catalog = plain(&list(1, |at| {
            let values = names("v", at, count);
            format!(
                r#""groups":[{}],"tags":[{}],"_meta":{{"concerns":{{"c":[{values}]}}}}"#,
                names("g", at, count),
                names("t", at, count)
            )
        }));
        let tool = catalog.primitive(Kind::Tool, 0).unwrap();
        let most = count.min(Catalog::MAX_OWN_NAMES);
        assert_eq!((tool.groups().len(), tool.tags().len(), tool.concern("c").len()), (most, most, most));
        assert_eq!((catalog.groups().len(), catalog.tags().len()), (most, most));
        let reports: Vec<_> = catalog.reports().iter().map(|report| report.problem.as_str()).collect();
        let expected = [
            "more than 128 group names on one primitive, the others are ignored",
            "more than 128 tag names on one primitive, the others are ignored",
            "more than 128 concern values on one primitive, the others are ignored",
        ];
        assert_eq!(reports, if over { &expected[..] } else { &[] });
        assert!(catalog.reports().iter().all(|report| report.name == "t0"));
    }
}

#[test]
fn names_that_the_operator_declares_or_gives_do_not_count() {
    let own = Catalog::MAX_OWN_NAMES;
    let declared = |at| Group { name: format!("d{at}"), ..Group::default() };
    let mut assignments = Assignments { groups: (0..500).map(declared).collect(), ..Assignments::default() };
    let given = Config::parse(r#"{"rules":[{"match":"kind:tool","groups":["r1","r2"],"tags":["r3"]}]}"#);
    assignments.rules = given.unwrap().engine.assignments.rules;
    let groups: Vec<String> = (0..500).map(|at| format!("\"d{at}\"")).collect();
    let text = list(1, |at| format!(r#""groups":[{},{}]"#, names("g", at, own + 5), groups.join(",")));
    let catalog = compile(&text, &assignments);
    assert_eq!(catalog.primitive(Kind::Tool, 0).unwrap().groups().len(), own + 500 + 2);
    assert_eq!(catalog.primitive(Kind::Tool, 0).unwrap().tags(), ["r3"]);
}

#[test]
fn a_list_brings_along_so_many_names() {
    let each = 32;
    let tools = Catalog::MAX_LIST_NAMES / each + 3;
    let catalog = plain(&list(tools, |at| format!(r#""groups":[{}]"#, names("g", at, each))));
    assert_eq!(catalog.groups().len(), Catalog::MAX_LIST_NAMES);
    assert_eq!(catalog.kind_index(Kind::Tool).len(), tools, "every tool is listed");
    let (told, full): (Vec<_>, Vec<_>) =
        (0..tools).partition(|at| catalog.reports().iter().any(|report| report.name == format!("t{at}")));
    assert_eq!((full.len(), told.len()), (Catalog::MAX_LIST_NAMES / each, 3));
    assert!(catalog.reports().iter().all(|report| {
        report.problem == "more than 1024 group names in one list, the others are ignored"
    }));
    let first = catalog.primitive(Kind::Tool, 0).unwrap().groups().len();
    let last = catalog.primitive(Kind::Tool, tools - 1).unwrap().groups().len();
    assert_eq!((first, last), (each, 0));
}

#[test]
fn another_server_has_names_of_its_own() {
    let many = list(200, |at| format!(r#""groups":[{}]"#, names("g", at, 100)));
    let few = list(1, |_| r#""groups":["billing"]"#.to_owned()).replace("t0", "other");
    let source = |server, text| Source { server, lists: Lists::read(text).unwrap() };
    let catalog = Catalog::merge(&[source("a", &many), source("b", &few)], &[], &Assignments::default());
    let other = catalog.kind_index(Kind::Tool).find("other").unwrap();
    assert_eq!(catalog.primitive(Kind::Tool, other).unwrap().groups(), ["billing"]);
}

#[test]
fn long_names_are_ignored() {
    let (long, fits) = ("é".repeat(Catalog::MAX_NAME + 1), "é".repeat(Catalog::MAX_NAME));
    let catalog = plain(&list(1, |_| format!(r#""groups":["{long}","{fits}","a"],"tags":["{long}"]"#)));
    assert_eq!(catalog.primitive(Kind::Tool, 0).unwrap().groups(), [&fits, "a"]);
    let reports: Vec<_> = catalog.reports().iter().map(|report| report.problem.as_str()).collect();
    let expected = ["a group name has more than 256 characters, ignored"];
    assert_eq!(reports, [expected[0], "a tag name has more than 256 characters, ignored"]);
}

/// A snapshot holds the text and every bitset, so its size is that of the catalog.
#[test]
fn memory_is_linear_in_the_text() {
    let size = |tools: usize| {
        let text = list(tools, |at| {
            let values = names("v", at, 300);
            format!(
                r#""groups":[{}],"tags":[{}],"_meta":{{"concerns":{{"c":[{values}]}}}}"#,
                names("g", at, 300),
                names("t", at, 300)
            )
        });
        (text.len(), plain(&text).snapshot().len())
    };
    let ((text, one), (_, two)) = (size(1_000), size(2_000));
    assert!(one < 2 * text, "{one} bytes of {text}");
    assert!(two < 5 * one / 2, "{one} bytes became {two}");
}

#[test]
fn rules_are_judged_on_the_names_that_count() {
    let assignments = Assignments::default();
    let text = list(40, |at| format!(r#""groups":[{}]"#, names("g", at, 100)));
    let catalog = plain(&text);
    let sources = [Source { server: "s", lists: Lists::read(&text).unwrap() }];
    let trace = RuleTrace::new(&sources, &assignments);
    for at in 0..40 {
        let outcome = trace.outcome(at, &[]).unwrap();
        let groups = catalog.primitive(Kind::Tool, at).unwrap().groups().len();
        assert_eq!(outcome.groups().count(), groups, "t{at}");
    }
}

#[test]
fn reports_are_bounded_in_number_and_length() {
    let long = "é".repeat(Report::MAX_TEXT);
    let text = list(Report::MAX_REPORTS + 20, |at| format!(r#""title":{at}"#))
        .replace("t127\"", &format!("{long}\""));
    let catalog = plain(&text);
    assert!(catalog.kind_index(Kind::Tool).is_empty());
    let [reports @ .., last] = catalog.reports() else { panic!("none") };
    assert_eq!(reports.len(), Report::MAX_REPORTS);
    assert!(reports.iter().all(|report| report.code == ReportCode::Invalid));
    assert!(reports.iter().any(|report| report.name == "é".repeat(Report::MAX_TEXT / 2)));
    assert_eq!((last.code, last.problem.as_str()), (ReportCode::More, "20 more reports are not shown"));
    // The same applies to problems that appear only when lists are joined.
    let twice = list(Report::MAX_REPORTS + 7, |_| r#""x":1"#.to_owned()).replace("]}", "],\"prompts\":[]}");
    let again = format!("[{twice},{twice}]");
    let catalog = plain(&again);
    assert_eq!(catalog.kind_index(Kind::Tool).len(), Report::MAX_REPORTS + 7);
    assert_eq!(catalog.reports().len(), Report::MAX_REPORTS + 1);
    assert_eq!(catalog.reports().last().unwrap().problem, "7 more reports are not shown");
}
