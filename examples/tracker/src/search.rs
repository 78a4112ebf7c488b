//! Converts text from a search box to a query for SQLite's full-text index.

use super::error::Fail;

/// Maximum number of words looked up; more would only cost time.
const MAX_WORDS: usize = 12;

/// Returns a query in which every word must occur, as a prefix of an indexed word. Each word is quoted, so the index's
/// own operators have no effect.
///
/// # Errors
/// When the text has no letter or digit.
pub(crate) fn words(query: &str) -> Result<String, Fail> {
    let words = query.split(|c: char| c.is_whitespace() || c.is_control());
    let words = words.filter(|word| word.chars().any(char::is_alphanumeric)).take(MAX_WORDS);
    let quoted: Vec<String> = words.map(|word| format!("\"{}\"*", word.replace('"', "\"\""))).collect();
    if quoted.is_empty() {
        return Err(Fail::refused("`query` must hold at least one letter or digit"));
    }
    Ok(quoted.join(" "))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::words;

    #[test]
    fn operators_are_only_words() {
        assert_eq!(words("last way*").unwrap(), r#""last"* "way*"*"#);
        assert_eq!(words(r#"a" OR body:b -c"#).unwrap(), r#""a"""* "OR"* "body:b"* "-c"*"#);
        assert_eq!(words("end\0here").unwrap(), r#""end"* "here"*"#);
        assert!(words(" -- \"\" ").is_err());
    }
}
