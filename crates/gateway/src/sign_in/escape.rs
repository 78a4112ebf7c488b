//! Text for HTML.

/// Returns a text with the characters escaped that have a meaning in HTML, for content and for quoted attributes. Control
/// characters, and those that change the direction of text, become spaces: a name of a server could look like another.
pub fn escape_html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '`' => out.push_str("&#96;"),
            c if c.is_control() || is_direction(c) => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Returns whether a character changes the direction of the text around it (Unicode, UAX 9).
fn is_direction(c: char) -> bool {
    matches!(c, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::escape_html;

    #[test]
    fn markup_and_directions_are_escaped() {
        let hostile = "</p><script>'\"`&\u{202e}\u{0}x";
        assert_eq!(escape_html(hostile), "&lt;/p&gt;&lt;script&gt;&#39;&quot;&#96;&amp;  x");
    }
}
