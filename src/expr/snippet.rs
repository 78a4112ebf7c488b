//! Quotes of user input in messages: on one line, and truncated.

/// Maximum number of quoted bytes.
const MOST: usize = 24;

/// Returns the beginning of `text`.
pub(super) fn head(text: &str) -> String {
    let mut end = text.len().min(MOST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    line("", text.get(..end), if end < text.len() { "…" } else { "" })
}

/// Returns the end of `text`.
pub(super) fn tail(text: &str) -> String {
    let mut from = text.len().saturating_sub(MOST);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    line(if from > 0 { "…" } else { "" }, text.get(from..), "")
}

fn line(before: &str, text: Option<&str>, behind: &str) -> String {
    let mut line = before.to_owned();
    for c in text.unwrap_or_default().chars() {
        line.push(if c.is_control() { ' ' } else { c });
    }
    line + behind
}
