//! `serde_json` as the reference for our parser.

use mcp_sieve::json::Raw;
use serde_json::value::RawValue;

/// Returns the text of the JSON value that `serde_json` finds, or its error message and position.
fn reference(source: &str) -> Result<&str, (String, usize)> {
    serde_json::from_str::<&RawValue>(source).map(RawValue::get).map_err(|error| {
        let before: usize = source.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
        let at = if error.is_eof() { source.len() } else { before + error.column().saturating_sub(1) };
        let words = error.to_string();
        (format!("not JSON: {}", words.split(" at line ").next().unwrap()), source.floor_char_boundary(at))
    })
}

/// Asserts that our parser and `serde_json` agree.
#[track_caller]
pub fn agree(source: &str) {
    let ours = Raw::parse(source);
    if let Err(error) = &ours
        && error.to_string().contains("nests deeper")
    {
        return;
    }
    let ours = ours.map(Raw::get).map_err(|error| {
        let at = error.at().unwrap();
        (error.to_string().strip_suffix(&format!(" at byte {at}")).unwrap().to_owned(), at)
    });
    assert_eq!(ours, reference(source), "{source:?}");
}
