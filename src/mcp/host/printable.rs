//! Text for logs and terminals. Names and messages of upstream servers can contain terminal sequences, line ends that
//! imitate log lines, and marks that reverse the order of letters. A host escapes them when it writes a line.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// Returns whether `c` acts on a terminal or a line instead of being printed: control characters, line separators and
/// bidirectional marks.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `line` with each control character, line separator and bidirectional mark escaped, as `\u{1b}`. Other text
/// is unchanged. The result is one line.
pub fn printable(line: &str) -> Cow<'_, str> {
    escaped(line, |out, c| write!(out, "{}", c.escape_unicode()))
}

/// Returns `json` with the same characters escaped as in JSON, as `\u001b`. The result is one line with the same value.
/// `json` must have no white space between its tokens.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    escaped(json, |out, c| write!(out, "\\u{:04x}", u32::from(c)))
}

fn escaped(text: &str, escape: impl Fn(&mut String, char) -> fmt::Result) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_unprintable(c) {
            // Writing to a string never fails.
            _ = escape(&mut out, c);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{printable, printable_json};

    /// The first and the last character of each escaped range.
    const MARKS: &str = "\0\u{1b}\u{1f}\u{7f}\u{80}\u{9f}\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2066}\u{2069}";

    #[test]
    fn what_acts_on_a_terminal_is_escaped() {
        assert_eq!(
            printable("a\u{1b}[2J\r\nsieve: all clear\t"),
            r"a\u{1b}[2J\u{d}\u{a}sieve: all clear\u{9}"
        );
        for c in MARKS.chars() {
            assert_eq!(printable(&format!("{c}x")), format!(r"\u{{{:x}}}x", u32::from(c)));
        }
    }

    #[test]
    fn what_prints_stays() {
        // The neighbors of each range, and text that needs joiners.
        let text = " ~\u{a0}\u{61b}\u{61d}\u{200d}\u{2010}\u{2027}\u{202f}\u{2065}\u{206a} café 日本語 עברית 👩‍💻 \\u{1b} `\"";
        assert_eq!(printable(text), text);
        assert_eq!(printable_json(text), text);
    }

    #[test]
    fn json_keeps_its_value() {
        let value = json!({ "a\u{202e}": MARKS, "b": ["café", "\n\\"] });
        let text = value.to_string();
        let line = printable_json(&text);
        assert!(!line.chars().any(super::is_unprintable));
        assert_eq!(serde_json::from_str::<Value>(&line).ok(), Some(value));
    }
}
