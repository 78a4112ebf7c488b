//! The reason codes of errors. The test reads the sources: it fails for a code that is missing from the table and for
//! one that is never used. `docs/errors.md` holds the same table; `UPDATE=1` rewrites it.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice
)]

use std::{collections::BTreeSet, fs, path::Path};

use mcp_sieve_gateway::{
    audit::AUDIT_REASONS,
    error::{REASONS, Reason, SIGN_IN_REASONS},
};

/// Functions that take a reason, in the form of their calls, and the index of the reason among the arguments. An HTTP
/// status before it does not count.
const CALLS: [(&str, usize); 5] = [
    ("RpcError::request(", 0),
    ("RpcError::handle(", 0),
    ("RpcError::internal(", 0),
    (".denied(", 0),
    ("Operation::new(", 4),
];

/// Functions that pass a reason on, each within one file.
const HELPERS: [(&str, &str); 4] = [
    ("crates/gateway/src/protocol/error.rs", "Self::internal("),
    ("crates/gateway/src/protocol/message.rs", "invalid("),
    ("crates/gateway/src/server/batch.rs", "refused("),
    ("crates/gateway/src/upstream/errors.rs", "fault("),
];

/// Files that map an enumeration to codes: each string after an arrow is a code.
const CODES: [&str; 3] = [
    "src/error.rs",
    "crates/gateway/src/request/auth/rejection.rs",
    "crates/gateway/src/task_record/event.rs",
];

/// Arguments other than a string literal, and the codes they may hold. The codes of enumerations are read from
/// [`CODES`], and those of parameters from the callers of the function.
const OTHER: [(&str, &[&str]); 12] = [
    ("CHECK_REASON", &["check"]),
    ("NO_SERVER", &["upstream_missing"]),
    ("SIGN_IN", &["upstream_sign_in"]),
    // The code of a step of a sign-in, which JavaScript reports.
    ("&code", &[]),
    ("self.code()", &[]),
    ("error.code()", &[]),
    ("refusal.code()", &[]),
    // Of a policy on the arguments of calls.
    ("refusal.code", &["argument_refused", "arguments_too_large"]),
    ("Rejection::Missing.code()", &[]),
    ("rejection.code()", &[]),
    ("reason", &["hidden", "unlisted"]),
    // The effect of a middleware function on a call, which is a text and not a code.
    ("&format!(\"{audit}{ended}\")", &[]),
];

/// The reason codes in the sources, and the arguments that the test cannot read.
#[derive(Default)]
struct Used {
    codes: BTreeSet<String>,
    problems: Vec<String>,
}

impl Used {
    /// Collects the codes in a source file.
    fn read(&mut self, file: &str, source: &str) {
        let helpers = HELPERS.iter().filter(|(of, _)| *of == file).map(|(_, call)| (*call, 0));
        for (call, place) in CALLS.into_iter().chain(helpers) {
            for (at, _) in source.match_indices(call) {
                let before = &source[..at];
                if before.ends_with("fn ") || before.ends_with([':', '_']) {
                    continue;
                }
                let mut given = arguments_of(&source[at + call.len()..]);
                if given[0].starts_with("StatusCode::") || given[0] == "status" {
                    given.remove(0);
                }
                self.argument(file, &given[place]);
            }
        }
        for (at, key) in source.match_indices("\"reason\": \"") {
            let code = source[at + key.len()..].split('"').next().unwrap();
            self.codes.insert(code.to_owned());
        }
        if CODES.contains(&file) {
            let body = source.split_once("fn code(").unwrap().1.split_once("\n    }\n").unwrap().0;
            for part in body.split("=> \"").skip(1) {
                self.codes.insert(part.split('"').next().unwrap().to_owned());
            }
        }
    }

    fn argument(&mut self, file: &str, reason: &str) {
        if let Some(code) = reason.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            self.codes.insert(code.to_owned());
        } else if let Some((_, codes)) = OTHER.iter().find(|(known, _)| *known == reason) {
            self.codes.extend(codes.iter().map(|code| (*code).to_owned()));
        } else {
            self.problems.push(format!("{file}: `{reason}` is no reason that this test can read"));
        }
    }
}

/// Returns the arguments of a call up to its closing parenthesis, each on one line.
fn arguments_of(source: &str) -> Vec<String> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    let mut all = vec![String::new()];
    for letter in source.chars() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => break,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(String::new());
                continue;
            }
            _ => {}
        }
        all.last_mut().unwrap().push(letter);
    }
    all.iter().map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

fn walk(root: &Path, folder: &Path, used: &mut Used) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") && !path.ends_with("node_modules") {
            walk(root, &path, used);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let file = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            used.read(&file, &fs::read_to_string(&path).unwrap());
        }
    }
}

fn used() -> Used {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut used = Used::default();
    for folder in ["src", "crates", "worker", "examples"] {
        walk(root, &root.join(folder), &mut used);
    }
    used
}

fn codes(table: &[Reason]) -> Vec<&'static str> {
    table.iter().map(|reason| reason.code).collect()
}

#[test]
fn every_reason_in_the_sources_is_in_the_table_and_no_other() {
    let used = used();
    assert_eq!(used.problems, Vec::<String>::new());
    let listed: BTreeSet<String> =
        [REASONS, AUDIT_REASONS].concat().iter().map(|reason| reason.code.to_owned()).collect();
    // Those of sign-ins arise in JavaScript.
    let missing: Vec<_> = used
        .codes
        .difference(&listed)
        .filter(|code| !codes(SIGN_IN_REASONS).contains(&code.as_str()))
        .collect();
    assert!(missing.is_empty(), "crates/gateway/src/protocol/reason.rs lacks {missing:?}");
    let unused: Vec<_> = listed.difference(&used.codes).collect();
    assert!(unused.is_empty(), "nothing uses {unused:?} of crates/gateway/src/protocol/reason.rs");
}

#[test]
fn reasons_are_in_alphabetical_order_and_of_one_style() {
    for table in [REASONS, AUDIT_REASONS, SIGN_IN_REASONS] {
        assert!(codes(table).is_sorted());
        for Reason { code, meaning, .. } in table {
            assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{code}");
            assert!(meaning.ends_with('.') && meaning.starts_with(char::is_uppercase), "{code}: {meaning}");
        }
    }
    assert!(codes(AUDIT_REASONS).iter().all(|code| !codes(REASONS).contains(code)));
}

fn rows(table: &[Reason]) -> String {
    let row = |reason: &Reason| format!("| `{}` | {} |\n", reason.code, reason.meaning);
    format!("| code | meaning |\n|---|---|\n{}", table.iter().map(row).collect::<String>())
}

#[test]
fn the_page_of_errors_holds_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/errors.md");
    let page = format!(
        "# Error codes\n\n\
         A failed request has a stable code. In Rust it is `Error::code()`, in JavaScript `error.code`, and in a \
         JSON-RPC\nresponse `error.data.reason`. Codes are never renamed; new ones may be added. Rely on the code, \
         not on the message. Errors\nthat MCP itself defines have a JSON-RPC code and no reason: -32601 for an unknown method, \
         -32602 for an unknown tool, prompt\nor resource and for a missing parameter, -32020 for headers that differ from \
         the body, and -32021 for a missing\ncapability. The JavaScript package has a few codes of its own, which its \
         type `SieveError` lists.\n\n## Codes in responses\n\n{}\n## Codes in the audit log only\n\n\
         The caller sees the same error as for something that does not exist.\n\n{}\n\
         ## Codes of sign-ins to upstream servers\n\n\
         The page `/connect/NAME` and `mcp-sieve login` show them. No message contains a token, a code or a secret.\n\n{}",
        rows(REASONS),
        rows(AUDIT_REASONS),
        rows(SIGN_IN_REASONS),
    );
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "run `UPDATE=1 cargo test --test reasons`");
}
