//! What a person types into a search box, as a query of SQLite's full-text index.

use super::error::Fail;

/// Words of a query that are looked up; more would only cost time.
const MAX_WORDS: usize = 12;

/// Every word must occur, each as the beginning of a word. A word is quoted whole, so that none of the
/// index's own operators can be typed.
///
/// # Errors
/// When there is nothing to look for.
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
