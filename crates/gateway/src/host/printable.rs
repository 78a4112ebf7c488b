//! Text for logs and terminals. Names and messages of upstream servers can contain terminal sequences, line ends that
//! imitate log lines, marks that reverse the order of letters, and characters without a shape, by which two names look
//! the same. A host escapes them when it writes a line.

use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// The characters without a shape of their own, in order: the Unicode category Cf, which holds the zero-width
/// characters and the bidirectional marks; the code points that a font may ignore (`Default_Ignorable_Code_Point`),
/// such as variation selectors, fillers and tags; and the separators of lines and paragraphs. Unicode 17.
const INVISIBLE: [(char, char); 25] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Returns whether `c` acts on a terminal or a line, or is not shown, instead of being printed: control characters and
/// [`INVISIBLE`] ones.
fn is_unprintable(c: char) -> bool {
    let after = INVISIBLE.partition_point(|(first, _)| *first <= c);
    let range = after.checked_sub(1).and_then(|index| INVISIBLE.get(index));
    c.is_control() || range.is_some_and(|(_, last)| c <= *last)
}

/// Returns `line` with each control character and each character without a shape escaped, as `\u{1b}`. Other text is
/// unchanged. The result is one line.
pub fn printable(line: &str) -> Cow<'_, str> {
    escaped(line, |out, c| write!(out, "{}", c.escape_unicode()))
}

/// Returns `json` with the same characters escaped as in JSON, as `\u001b`. The result is one line with the same value.
/// `json` must have no white space between its tokens.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    escaped(json, |out, c| {
        c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))
    })
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

    /// Control characters; then all that names can differ by and look the same: soft hyphen, joiners, marks of
    /// direction, variation selectors, fillers and tags.
    const MARKS: &str = "\0\u{1b}\u{1f}\u{7f}\u{80}\u{9f}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202e}\u{2060}\u{2064}\u{2066}\u{2069}\u{206a}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff9}\u{1d173}\u{e0001}\u{e0041}\u{e01ef}";

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

    /// Two names that differ only in characters without a shape are two lines that differ.
    #[test]
    fn names_that_look_the_same_are_told_apart() {
        assert_eq!(printable("send\u{200b}"), r"send\u{200b}");
        assert_eq!(printable("se\u{ad}nd"), r"se\u{ad}nd");
        assert_eq!(printable("send\u{e0041}"), r"send\u{e0041}");
    }

    #[test]
    fn ranges_are_in_order_and_whole() {
        let ends = super::INVISIBLE.iter().flat_map(|(first, last)| [*first, *last]);
        assert!(ends.is_sorted());
        for (first, last) in super::INVISIBLE {
            let (before, after) = (u32::from(first) - 1, u32::from(last) + 1);
            assert!(super::is_unprintable(first) && super::is_unprintable(last), "{first:?}");
            assert!(
                [before, after].into_iter().filter_map(char::from_u32).all(|c| !super::is_unprintable(c))
            );
        }
    }

    #[test]
    fn what_prints_stays() {
        let text = " ~\u{a0}\u{61b}\u{61d}\u{2010}\u{2027}\u{202f}\u{2070}\u{fffc}\u{fffd} café 日本語 עברית 👩💻 \\u{1b} `\"";
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
