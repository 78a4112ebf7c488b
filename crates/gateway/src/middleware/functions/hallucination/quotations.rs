//! Finds quotations in a text, and normalizes text for comparison.

/// Minimum length of a quotation, in words. Shorter ones are names or figures of speech.
const MIN_WORDS: usize = 4;
/// Maximum length of a quotation, in bytes.
const MAX_BYTES: usize = 2000;

/// Returns the passages in quotation marks that have at least [`MIN_WORDS`] words and at most [`MAX_BYTES`] bytes.
pub(crate) fn find_quotations(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let curly = text.split('“').skip(1).filter_map(|piece| piece.split_once('”')).map(|(quoted, _)| quoted);
    // Straight quotes look the same on both sides. Pairing them within a paragraph limits the effect of a missing one.
    let straight = text.split("\n\n").flat_map(|paragraph| paragraph.split('"').skip(1).step_by(2));
    for quoted in curly.chain(straight) {
        let long = quoted.split_whitespace().nth(MIN_WORDS - 1).is_some();
        if long && quoted.len() <= MAX_BYTES {
            found.push(quoted);
        }
    }
    found
}

/// Normalizes white space, the style of quotes and the case of ASCII letters, for comparison.
pub(crate) fn normalize(text: &str) -> String {
    let mut normalized = String::with_capacity(text.len());
    let mut space = false;
    for c in text.chars() {
        match c {
            c if c.is_whitespace() => space = !normalized.is_empty(),
            c => {
                if std::mem::take(&mut space) {
                    normalized.push(' ');
                }
                normalized.push(match c {
                    '“' | '”' | '„' | '«' | '»' => '"',
                    '‘' | '’' => '\'',
                    c => c.to_ascii_lowercase(),
                });
            }
        }
    }
    normalized
}
