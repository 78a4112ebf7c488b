//! What every refusal of the engine is like.

use mcp_sieve::error::Error;

/// Longest refusal, in bytes: the engine bounds the words and the path.
const MAX_MESSAGE: usize = 5 * 1024;

/// Holds a refusal of `source` to the rules of refusals, and says what kind it is.
#[track_caller]
pub fn of(source: &str, error: &Error) -> String {
    let message = error.to_string();
    if let Some(at) = error.at() {
        // In a field that holds text of its own, bytes are counted from that text's start.
        let within = error.path().is_some();
        assert!(at <= source.len() && (within || source.is_char_boundary(at)), "byte {at}: {message}");
    }
    assert!(!message.is_empty() && message.len() <= MAX_MESSAGE, "{} bytes: {message}", message.len());
    assert!(!message.contains(['\n', '\r']), "several lines: {message}");
    kind(error)
}

/// Its words without the place, which is the input's.
pub fn kind(error: &Error) -> String {
    let message = error.to_string();
    let words = error.path().and_then(|path| message.strip_prefix(path)).unwrap_or(&message);
    format!("{}: {}", error.code(), plain(words))
}

/// Words without what they quote and count.
pub fn plain(message: &str) -> String {
    let outside = message.split('`').step_by(2).collect::<Vec<_>>().join("`");
    outside.chars().filter(|c| !c.is_ascii_digit()).take(60).collect()
}
