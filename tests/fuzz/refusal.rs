//! Properties of every error that the engine returns for an input.

use mcp_sieve::Error;

/// Maximum length, in bytes, of an error message; the engine limits both the words and the path.
const MAX_MESSAGE: usize = 5 * 1024;

/// Asserts that an error about `source` follows the rules, and returns its kind.
#[track_caller]
pub fn of(source: &str, error: &Error) -> String {
    let message = error.to_string();
    if let Some(at) = error.at() {
        // In a field that contains a text of its own, the position counts from the start of that text.
        let within = error.path().is_some();
        assert!(at <= source.len() && (within || source.is_char_boundary(at)), "byte {at}: {message}");
    }
    assert!(!message.is_empty() && message.len() <= MAX_MESSAGE, "{} bytes: {message}", message.len());
    assert!(!message.contains(['\n', '\r']), "several lines: {message}");
    kind(error)
}

/// Returns the words of the error without the path, which depends on the input.
pub fn kind(error: &Error) -> String {
    let message = error.to_string();
    let words = error.path().and_then(|path| message.strip_prefix(path)).unwrap_or(&message);
    format!("{}: {}", error.code(), plain(words))
}

/// Returns the words without quoted parts and digits.
pub fn plain(message: &str) -> String {
    let outside = message.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}
