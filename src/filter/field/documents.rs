//! Tests that the documents about the fields of a filter agree with the table.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use super::{Member, Shape, find_field};
use crate::filter::field::FilterField;
use crate::json::{Members, Raw};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const SCHEMA: &str = include_str!("../../../crates/gateway/src/config/sieve.schema.json");

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(ROOT).join(path)).unwrap()
}

fn names<'a>(members: impl IntoIterator<Item = &'a Member>) -> BTreeSet<&'a str> {
    members.into_iter().map(|member| member.name).collect()
}

fn members(name: &str) -> &'static [Member] {
    match find_field(name).unwrap().member.shape {
        Shape::Object { members, .. } => members,
        _ => &[],
    }
}

/// Returns the keys of the object at `path` in JSON.
fn keys(source: &str, path: &[&str]) -> BTreeSet<String> {
    let mut raw = Raw::parse(source).unwrap();
    for key in path {
        raw = Members::read(raw).unwrap().get(key).expect(key);
    }
    Members::read(raw).unwrap().0.into_iter().map(|(key, _)| key.into_owned()).collect()
}

/// Returns the text of the package's declaration files.
fn declarations() -> String {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let is_generated = path.file_name().is_some_and(|name| name == "dist" || name == "node_modules");
            if path.is_dir() && !is_generated {
                walk(&path, files);
            } else if path.to_string_lossy().ends_with(".d.ts") {
                files.push(path);
            }
        }
    }
    let mut files = Vec::new();
    walk(&Path::new(ROOT).join("pkg"), &mut files);
    files.into_iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

/// Returns the part of a text between `begin`, which must occur exactly once, and `end`.
fn between<'a>(text: &'a str, begin: &str, end: &str) -> &'a str {
    assert_eq!(text.matches(begin).count(), 1, "{begin}");
    let (_, text) = text.split_once(begin).unwrap();
    text.split_once(end).unwrap().0
}

/// Returns the members of a TypeScript interface.
fn declared<'a>(types: &'a str, interface: &str) -> BTreeSet<&'a str> {
    let body = between(types, &format!("export interface {interface} {{\n"), "\n}\n");
    let member = |line: &'a str| line.strip_prefix("  readonly ")?.split_once("?:").map(|(name, _)| name);
    body.lines().filter_map(member).collect()
}

/// Returns the names at the start of the rows of the first table in a text.
fn rows(text: &str) -> BTreeSet<&str> {
    let rows = text.lines().filter_map(|line| line.trim_start_matches("//! ").strip_prefix("| `"));
    rows.map(|row| row.split(['`', ':']).next().unwrap()).collect()
}

#[test]
fn the_schema_has_the_fields_that_presets_may_use() {
    let filter = ["$defs", "preset", "properties", "filter", "properties"];
    let allowed = FilterField::ALL.iter().filter(|field| field.allowed_in_presets).map(|field| &field.member);
    assert_eq!(keys(SCHEMA, &filter), names(allowed).into_iter().map(str::to_owned).collect());
    let not = [&filter[..], &["not", "properties"]].concat();
    assert_eq!(keys(SCHEMA, &not), names(members("not")).into_iter().map(str::to_owned).collect());
}

#[test]
fn the_types_have_the_fields_of_the_table() {
    let types = declarations();
    // Only the server that created a `concernsRef` can read it, so the package does not accept it.
    let taken = FilterField::ALL.iter().filter(|field| field.capability.is_some());
    assert_eq!(declared(&types, "FilterInput"), names(taken.clone().map(|field| &field.member)));
    // A settled filter contains the values that replace `applyDefaults`.
    let applied = taken.filter(|field| field.name() != "applyDefaults");
    assert_eq!(declared(&types, "AppliedFilter"), names(applied.map(|field| &field.member)));
    assert_eq!(declared(&types, "Limit"), names(members("limit")));
    let input = between(&types, "export interface FilterInput {\n", "\n}\n");
    let not = between(input, "readonly not?: {", "}");
    let not: BTreeSet<_> =
        not.split("readonly ").filter_map(|part| Some(part.split_once("?:")?.0.trim())).collect();
    assert_eq!(not, names(members("not")));
}

#[test]
fn the_types_have_the_rules_of_explanations() {
    let types = declarations();
    let reason = between(&types, "export type Reason =\n", ";\n\n");
    let rules: BTreeSet<_> = reason
        .split("readonly rule: ")
        .skip(1)
        .flat_map(|part| part.split([';', '}']).next().unwrap().split('|'))
        .map(|rule| rule.trim().trim_matches('"'))
        .collect();
    let mut expected = BTreeSet::from(["unknown"]);
    for field in FilterField::ALL {
        match field.member.shape {
            Shape::Projection(_) | Shape::Flag(_) | Shape::Text(_) => {}
            // A rule names one concern.
            Shape::Concerns(_) => _ = expected.insert("concern"),
            Shape::Object { members, .. } => {
                for member in members {
                    let whole = matches!(member.shape, Shape::Count(_));
                    expected.insert(if whole { field.name() } else { member.parameter.unwrap() });
                }
            }
            _ => _ = expected.insert(field.name()),
        }
    }
    assert_eq!(rules, expected);
}

#[test]
fn pages_list_the_fields_of_the_table() {
    let readme = read("README.md");
    let section = between(&readme, "\n## Filters\n", "\n## ");
    let table = rows(section);
    assert!(table.is_subset(&names(FilterField::ALL.iter().map(|field| &field.member))), "{table:?}");
    for field in FilterField::ALL.iter().filter(|field| field.capability.is_some()) {
        // Fields that select nothing are described in the text below the table.
        let listed = table.contains(field.name()) || section.contains(&format!("`{}: ", field.name()));
        assert!(listed, "{}", field.name());
    }
    assert_eq!(rows(include_str!("../mod.rs")), table);
    let page = read("docs/configuration.md");
    let presets = between(&page, "\n### `presets[]`\n", "\n### ");
    let rows = presets.lines().filter_map(|line| line.strip_prefix("| `filter."));
    let listed: BTreeSet<_> = rows.map(|row| row.split(['`', '.']).next().unwrap()).collect();
    assert_eq!(
        listed,
        names(FilterField::ALL.iter().filter(|field| field.allowed_in_presets).map(|field| &field.member))
    );
}
