//! Arrows point down only: the sources are read, and a room that names one above it fails.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod paths;
mod visibility;

use std::{fs, path::Path};

use paths::paths;

/// The rooms of `src/`, from the bottom up. A room may name those on lines before its own.
const ROOMS: [&[&str]; 12] = [
    &["error"],
    &["digest", "json", "revision", "seal", "small_collect", "sort_indices", "time"],
    &["expr"],
    &["catalog"],
    &["concern", "rank"],
    &["filter"],
    &["task"],
    &["policy"],
    &["middleware", "picker"],
    &["config"],
    &["mcp", "sieve"],
    &["wasm"],
];

/// Crates that only some rooms may name, and who may.
const CRATES: [(&str, &[&str]); 9] = [
    ("wasm_bindgen", &["wasm"]),
    ("gloo_storage", &["wasm"]),
    ("js_sys", &["wasm"]),
    ("wasm_bindgen_futures", &["wasm"]),
    ("serde_wasm_bindgen", &["wasm"]),
    ("http", &["mcp", "wasm"]),
    // Its tests compare the arithmetic with the crate of that name.
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

fn level(room: &str) -> Option<usize> {
    ROOMS.iter().position(|rooms| rooms.contains(&room))
}

/// What a source file at `module` (`["filter", "narrow"]`) names that it may not.
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

/// The room that a path leads into, if it leads through the crate's root.
fn target<'a>(module: &[&str], path: &[&'a str]) -> Option<&'a str> {
    let ups = path.iter().take_while(|segment| **segment == "super").count();
    match path.first()? {
        &"crate" | &"mcp_sieve" => path.get(1).copied(),
        // One `super` for each module on the way down arrives at the root.
        &"super" if ups >= module.len() => path.get(ups).copied(),
        _ => None,
    }
}

/// Every source file below `folder`, with its module path.
fn sources(folder: &Path, module: &[String], visit: &mut impl FnMut(&[String], &str)) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        // A folder's own file is the module that the folder is named after.
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
        // The table of contents names every room.
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
