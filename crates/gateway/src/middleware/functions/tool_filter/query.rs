//! Builds the search query from the texts of a context.

use mcp_sieve::rank::Index;

use crate::middleware::framework::content::Content;

/// Returns the texts of a context as a query, the last text first, cut to what a search reads. Placeholders of redacted
/// values are removed, because a search would treat them as misspelled words.
pub(crate) fn query_text(context: &Content<'_>) -> String {
    let mut texts = Vec::new();
    context.each_text(&mut |_, text| {
        let begun = text.get(..text.floor_char_boundary(Index::MAX_QUERY)).unwrap_or_default();
        texts.push(without_placeholders(begun));
    });
    let mut query_text = String::new();
    for text in texts.iter().rev() {
        if query_text.len() >= Index::MAX_QUERY {
            break;
        }
        query_text.push_str(text);
        query_text.push('\n');
    }
    query_text
}

fn without_placeholders(text: &str) -> String {
    let mut pieces = text.split('[');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push(' ');
        out.push_str(match piece.split_once(']') {
            Some((name, behind)) if is_placeholder(name) => behind,
            _ => piece,
        });
    }
    out
}

/// Returns whether a name in brackets is that of a placeholder, such as `PERSON_1`.
fn is_placeholder(name: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(kind, number)| {
        let named = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        named && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}
