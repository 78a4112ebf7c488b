use std::borrow::Cow;

/// Maximum length of the line about a tool or a group, in characters.
pub const MAX_LINE: usize = 120;

/// Returns what a description begins with: its first sentence or line, cut between words.
pub(super) fn line(description: &str) -> Cow<'_, str> {
    let text = description.trim_start();
    let line = text.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    let sentence = line.find(". ").and_then(|end| line.get(..=end)).unwrap_or(line);
    let Some((end, _)) = sentence.char_indices().nth(MAX_LINE) else { return sentence.into() };
    let cut = sentence.get(..end).unwrap_or_default();
    let words = cut.rfind(' ').and_then(|space| cut.get(..space)).unwrap_or(cut);
    [words, "…"].concat().into()
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, line};

    #[test]
    fn a_line_is_the_first_sentence_cut_between_words() {
        assert_eq!(line("  Creates an issue. Needs a title."), "Creates an issue.");
        assert_eq!(line("Creates v1.2 issues\nand more"), "Creates v1.2 issues");
        assert_eq!(line(""), "");
        let long = "wörter ".repeat(40);
        assert!(line(&long).ends_with("wörter…") && line(&long).chars().count() <= MAX_LINE);
        assert_eq!(line(&"x".repeat(200)).chars().count(), MAX_LINE + 1);
    }
}
