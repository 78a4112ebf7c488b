//! Dependencies point downwards only: the test reads the sources and fails if a module depends on one above it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod cycles;
mod imports;
mod paths;
mod visibility;

use std::{fs, path::Path};

use cycles::Files;
use paths::paths;

/// The top-level modules of `src/`, from the bottom up. A module may depend on those in earlier rows.
const ROOMS: [&[&str]; 12] = [
    &["error"],
    &["digest", "edit_distance", "json", "revision", "seal", "small_collect", "sort_indices", "time"],
    &["expr"],
    &["catalog"],
    &["concern", "rank"],
    &["filter"],
    &["task"],
    &["policy"],
    &["discovery", "middleware", "picker"],
    &["config"],
    &["mcp", "sieve"],
    &["wasm"],
];

/// Crates that only some modules may use, and those modules.
const CRATES: [(&str, &[&str]); 9] = [
    ("wasm_bindgen", &["wasm"]),
    ("gloo_storage", &["wasm"]),
    ("js_sys", &["wasm"]),
    ("wasm_bindgen_futures", &["wasm"]),
    // Only the browser crate, web/.
    ("serde_wasm_bindgen", &[]),
    ("http", &["mcp", "wasm"]),
    // The tests of `time` compare its arithmetic with the crate of that name.
    ("time", &["time"]),
    ("rand", &[]),
    ("getrandom", &[]),
];

/// The same for parts of paths.
const NAMES: [(&[&str], &[&str]); 6] = [
    (&["JsValue"], &["wasm"]),
    (&["serde_json", "Value"], &["config", "mcp", "wasm"]),
    (&["serde_json", "Map"], &["config", "mcp", "wasm"]),
    (&["serde_json", "json"], &["config", "mcp", "wasm"]),
    (&["SystemTime"], &[]),
    (&["Instant"], &[]),
];

/// The folders of a module, from the bottom up as far as possible, and the other folders that each may depend on. Add
/// an entry to a row only if no file on either side could move instead.
const CATALOG: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("parse", &["model"]),
    ("index", &["model", "snapshot", "compiled"]),
    ("tokens", &["model", "index", "compiled"]),
    ("compile", &["model", "parse", "index", "compiled"]),
    ("snapshot", &["model", "index", "tokens", "compile", "compiled"]),
];

/// The same for the middleware.
const MIDDLEWARE: &[(&str, &[&str])] = &[
    ("scan", &[]),
    ("moderation", &[]),
    ("pii", &["scan"]),
    ("framework", &["scan"]),
    ("secrets", &["scan", "framework"]),
    ("functions", &["scan", "moderation", "pii", "framework", "secrets"]),
];

/// The same for the protocol.
const MCP: &[(&str, &[&str])] = &[
    ("drafts", &[]),
    ("protocol", &["streams", "http"]),
    ("upstream", &["protocol", "host", "call", "tasks", "streams", "http"]),
    ("host", &["protocol", "gateway", "request", "call", "tasks", "streams", "middleware", "http"]),
    ("gateway", &["drafts", "protocol", "upstream", "host", "request", "call", "streams"]),
    ("request", &["protocol", "host", "gateway", "call", "streams", "http"]),
    ("call", &["drafts", "protocol", "host", "request", "tasks", "streams", "middleware", "http"]),
    ("tasks", &["protocol", "host", "gateway", "request", "call", "streams", "http"]),
    ("streams", &["protocol", "host", "gateway", "request", "call", "tasks", "methods", "http"]),
    ("middleware", &["protocol", "host", "http"]),
    ("remote", &["protocol", "upstream"]),
    ("methods", &["drafts", "protocol", "host", "request", "call", "tasks", "streams", "http"]),
    ("http", &["drafts", "protocol", "host", "gateway", "request", "call", "streams", "methods"]),
];

/// Maximum number of files in a dependency cycle.
const LARGEST_CIRCLE: usize = 3;

/// Returns the row of a top-level module in [`ROOMS`].
fn level(room: &str) -> Option<usize> {
    ROOMS.iter().position(|rooms| rooms.contains(&room))
}

/// Returns the names in a source file at `module` (`["filter", "narrow"]`) that violate the layering.
fn trespasses(module: &[&str], source: &str) -> Vec<String> {
    let room = module[0];
    let own = level(room).unwrap_or_else(|| panic!("`{room}` is no room: give it its place in ROOMS"));
    let mut found = Vec::new();
    for path in paths(source) {
        let segments: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(target) = target(module, &segments)
            && let Some(above) = level(target)
            && above >= own
            && target != room
        {
            found.push(format!("{room} names {target}: {}", path.join("::")));
        }
        for (name, rooms) in CRATES {
            if segments.len() > 1 && segments[0] == name && !rooms.contains(&room) {
                found.push(format!("{room} names {name}: {}", path.join("::")));
            }
        }
        for (name, rooms) in NAMES {
            if segments.windows(name.len()).any(|window| window == name) && !rooms.contains(&room) {
                found.push(format!("{room} names {}: {}", name.join("::"), path.join("::")));
            }
        }
    }
    found
}

/// Returns the top-level module that a path leads to, if it goes through the crate root.
fn target<'a>(module: &[&str], path: &[&'a str]) -> Option<&'a str> {
    let ups = path.iter().take_while(|segment| **segment == "super").count();
    match path.first()? {
        &"crate" | &"mcp_sieve" => path.get(1).copied(),
        // One `super` for each level of the module leads to the root.
        &"super" if ups >= module.len() => path.get(ups).copied(),
        _ => None,
    }
}

/// Visits every source file below `folder` with its module path.
fn sources(folder: &Path, module: &[String], visit: &mut impl FnMut(&[String], &str)) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // `mod.rs` is the module of its folder.
        let name = (name != "mod").then_some(name);
        let inner: Vec<String> = module.iter().cloned().chain(name).collect();
        if path.is_dir() {
            sources(&path, &inner, visit);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            visit(&inner, &fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn arrows_point_down() {
    let (mut files, mut found) = (0, Vec::new());
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&src, &[], &mut |module, source| {
        // The crate root declares every module.
        if module == ["lib"] {
            return;
        }
        files += 1;
        let module: Vec<&str> = module.iter().map(String::as_str).collect();
        found.extend(
            trespasses(&module, source).into_iter().map(|what| format!("{}: {what}", module.join("/"))),
        );
    });
    assert!(files > ROOMS.len(), "only {files} files were read");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_rooms_are_there() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ROOMS.concat() {
        let found = src.join(room).with_extension("rs").is_file() || src.join(room).join("mod.rs").is_file();
        assert!(found, "{room}");
    }
}

/// Returns the parsed files of `src/`.
fn files() -> Files {
    let mut found: Vec<(Vec<String>, String)> = Vec::new();
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    sources(&src, &[], &mut |module, source| {
        let module = if module == ["lib"] { &[] } else { module };
        found.push((module.to_vec(), source.to_owned()));
    });
    Files::read(found.iter().map(|(module, source)| (module.clone(), source.as_str())))
}

#[test]
fn no_file_is_in_a_large_circle() {
    let files = files();
    assert!(files.edges().len() > 300, "only {} files were read", files.edges().len());
    let circles = files.circles();
    let large = circles.iter().filter(|circle| circle.len() > LARGEST_CIRCLE);
    let large: Vec<_> =
        large.map(|circle| format!("{} files: {}", circle.len(), circle.join(", "))).collect();
    assert!(large.is_empty(), "files name each other in circles: {}", large.join("\n"));
}

#[test]
fn folders_name_only_those_of_their_row() {
    let files = files();
    let mut found = Vec::new();
    for (room, table) in [("catalog", CATALOG), ("middleware", MIDDLEWARE), ("mcp", MCP)] {
        let mut used: Vec<(&str, &str)> = Vec::new();
        for (module, targets) in files.edges() {
            let [first, folder, rest @ ..] = module else { continue };
            // A file directly in a module may depend on all its folders; `mod.rs` of a folder belongs to that folder.
            if rest.is_empty() && !table.iter().any(|(name, _)| name == folder) {
                continue;
            }
            let inside = targets.into_iter().filter(|target| first == room && target[0] == room);
            for target in inside.filter(|target| target.len() > 1 && target[1] != *folder) {
                let Some((_, below)) = table.iter().find(|(name, _)| name == folder) else {
                    panic!("`{room}/{folder}` has no row in the table of {room}");
                };
                match below.iter().find(|name| **name == target[1]) {
                    Some(name) => used.push((folder, name)),
                    None => found.push(format!("{} names {}", module.join("/"), target.join("/"))),
                }
            }
        }
        for (folder, below) in table {
            for name in *below {
                assert!(used.contains(&(*folder, *name)), "{room}/{folder} no longer names {name}");
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Asserts the dependency cycles of some sources, given by module path.
#[track_caller]
fn assert_circles(sources: &[(&str, &str)], expected: &[&[&str]]) {
    let files = Files::read(sources.iter().map(|(module, source)| {
        (module.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect(), *source)
    }));
    assert_eq!(files.circles(), expected, "{sources:?}");
}

#[test]
fn a_circle_is_found_however_its_files_name_each_other() {
    let ab: &[&[&str]] = &[&["a", "b"]];
    assert_circles(&[("", ""), ("a", "use crate::b::B; struct A;"), ("b", "use crate::a::A; struct B;")], ab);
    assert_circles(
        &[("", ""), ("a", "struct A; fn f() -> super::b::B {}"), ("b", "struct B(crate::a::A);")],
        ab,
    );
    // Also through a re-exported name, and through a module imported under another name.
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::c::{B as Other}; struct A;"),
            ("b", "use crate::a as x; fn f() { x::A }; struct B;"),
            ("c", "pub use crate::b::*;"),
        ],
        ab,
    );
    let abc: &[&[&str]] = &[&["a", "b", "c"]];
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::b::B; struct A;"),
            ("b", "use crate::c::C; struct B;"),
            ("c", "use crate::a::A; struct C;"),
        ],
        abc,
    );
    assert_circles(
        &[("", ""), ("a", "mod b; use b::B; struct A;"), ("a/b", "use super::A; struct B;")],
        &[&["a", "a/b"]],
    );
}

#[test]
fn what_is_handed_on_or_only_tested_makes_no_circle() {
    assert_circles(
        &[("", ""), ("a", "mod b; pub use b::B; struct A;"), ("a/b", "use super::A; struct B;")],
        &[],
    );
    assert_circles(
        &[
            ("", ""),
            ("a", "use crate::b::B; struct A;"),
            ("b", "struct B; #[cfg(test)] mod tests { use crate::a::A; }"),
        ],
        &[],
    );
    assert_circles(
        &[
            ("", ""),
            ("a", "struct A; #[cfg(test)] mod b;"),
            ("a/b", "use super::A; struct B;"),
            ("c", "use crate::a::A; // crate::a::b::B"),
        ],
        &[],
    );
}

/// Asserts the violations in a source file.
#[track_caller]
fn refused(module: &[&str], source: &str, expected: &[&str]) {
    assert_eq!(trespasses(module, source), expected, "{source}");
}

#[test]
fn a_room_above_is_refused_however_it_is_named() {
    let arrow = ["catalog names policy: crate::policy::View"];
    refused(&["catalog", "bits"], "use crate::policy::View;", &arrow);
    refused(
        &["catalog", "bits"],
        "use crate::{error::Error, policy::{Guarded, View}};",
        &["catalog names policy: crate::policy::Guarded", "catalog names policy: crate::policy::View"],
    );
    refused(&["catalog", "bits"], "fn f(view: &crate::policy::View) {}", &arrow);
    refused(&["catalog", "bits"], "pub(crate) use crate :: policy\n:: View;", &arrow);
    refused(&["catalog"], "use super::policy::View;", &["catalog names policy: super::policy::View"]);
    refused(
        &["catalog", "bits"],
        "use super::super::policy;",
        &["catalog names policy: super::super::policy"],
    );
    refused(&["catalog"], "use crate::{self, expr, mcp::*};", &["catalog names mcp: crate::mcp::*"]);
    refused(&["error"], "use crate::json::Members;", &["error names json: crate::json::Members"]);
    refused(&["json"], "use crate::seal::Key;", &["json names seal: crate::seal::Key"]);
    refused(&["catalog"], "use crate::rank::Index;", &["catalog names rank: crate::rank::Index"]);
    refused(&["rank", "build"], "use crate::filter::Filter;", &["rank names filter: crate::filter::Filter"]);
    refused(&["rank"], "use crate::concern::Concerns;", &["rank names concern: crate::concern::Concerns"]);
    refused(&["filter"], "use crate::policy as p;", &["filter names policy: crate::policy"]);
    refused(
        &["config"],
        "type V = mcp_sieve::wasm::Engine;",
        &["config names wasm: mcp_sieve::wasm::Engine"],
    );
}

#[test]
fn a_name_out_of_its_room_is_refused() {
    refused(
        &["json"],
        "use serde_json::{Value, value::RawValue};",
        &["json names serde_json::Value: serde_json::Value"],
    );
    refused(
        &["filter"],
        "let v = serde_json::json!({});",
        &["filter names serde_json::json: serde_json::json"],
    );
    refused(&["filter"], "fn f(url: http::Uri) {}", &["filter names http: http::Uri"]);
    refused(
        &["mcp"],
        "use wasm_bindgen::JsValue;",
        &["mcp names wasm_bindgen: wasm_bindgen::JsValue", "mcp names JsValue: wasm_bindgen::JsValue"],
    );
    refused(&["policy"], "let x: JsValue;", &["policy names JsValue: JsValue"]);
    refused(
        &["mcp", "session"],
        "let now = std::time::Instant::now();",
        &["mcp names Instant: std::time::Instant::now"],
    );
    refused(&["seal"], "getrandom::fill(&mut bytes);", &["seal names getrandom: getrandom::fill"]);
}

#[test]
fn what_is_below_or_mere_text_is_not() {
    let nothing: [&str; 0] = [];
    refused(&["wasm", "engine"], "use crate::{mcp, policy::View}; use wasm_bindgen::JsValue;", &nothing);
    refused(&["filter", "wire"], "use super::Filter; use super::narrow::Asks; use self::x::y;", &nothing);
    refused(&["filter", "wire"], "use crate::filter::Filter; use crate::catalog::Kind;", &nothing);
    refused(
        &["catalog"],
        "// use crate::policy::View;\n/* crate::mcp /* crate::wasm */ */ /// [`crate::policy`]",
        &nothing,
    );
    refused(
        &["catalog"],
        r####"let s = "crate::policy"; let r = r##"" crate::mcp "##; let c = '"'; let l: &'a str;"####,
        &nothing,
    );
    refused(
        &["catalog"],
        r#"let b = b'"'; let e = '\''; let s = "\" crate::mcp"; let a = b"crate::mcp";"#,
        &nothing,
    );
    refused(&["filter"], "use crate::rank::Index;", &nothing);
    refused(&["config"], "fn f(v: serde_json::Value) {}", &nothing);
    refused(&["catalog"], "use serde_json::value::RawValue; let policy = 1; let http = 2;", &nothing);
}
