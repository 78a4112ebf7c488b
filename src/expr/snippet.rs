//! User input as a message quotes it: one line, and not too long.

/// Most characters quoted.
const MOST: usize = 24;

/// The beginning of `text`.
pub(super) fn head(text: &str) -> String {
    let mut quoted: String = text.chars().take(MOST).map(shown).collect();
    if text.chars().nth(MOST).is_some() {
        quoted.push('…');
    }
    quoted
}

/// The end of `text`.
pub(super) fn tail(text: &str) -> String {
    let cut = text.chars().count().saturating_sub(MOST);
    let mut quoted = String::from(if cut > 0 { "…" } else { "" });
    quoted.extend(text.chars().skip(cut).map(shown));
    quoted
}

fn shown(c: char) -> char {
    if c.is_control() { ' ' } else { c }
}
