//! Shortens descriptions to one line for search results and group listings.

use std::borrow::Cow;

use super::Answer;

impl Answer {
    /// Maximum length of the line about a tool or a group, in characters.
    pub const MAX_LINE: usize = 120;
}

/// Returns what a description begins with: its first sentence or line, cut between words. Texts of some languages have
/// few spaces or none, so a cut never drops more than half.
pub(super) fn line(description: &str) -> Cow<'_, str> {
    let text = description.trim_start();
    let line = text.split(['\n', '\r']).next().unwrap_or_default().trim_end();
    let ends = line
        .find(". ")
        .map(|end| end + 1)
        .into_iter()
        .chain(line.find('。').map(|end| end + '。'.len_utf8()));
    let sentence = ends.min().and_then(|end| line.get(..end)).unwrap_or(line);
    let Some((end, _)) = sentence.char_indices().nth(Answer::MAX_LINE) else { return sentence.into() };
    let cut = sentence.get(..end).unwrap_or_default();
    let space = cut.rfind(' ').filter(|space| *space >= end / 2);
    let words = space.and_then(|space| cut.get(..space)).unwrap_or(cut);
    [words, "…"].concat().into()
}

#[cfg(test)]
mod tests {
    use super::{Answer, line};

    #[test]
    fn a_line_is_the_first_sentence_cut_between_words() {
        assert_eq!(line("  Creates an issue. Needs a title."), "Creates an issue.");
        assert_eq!(line("Creates v1.2 issues\nand more"), "Creates v1.2 issues");
        assert_eq!(line(""), "");
        let long = "wörter ".repeat(40);
        assert!(line(&long).ends_with("wörter…") && line(&long).chars().count() <= Answer::MAX_LINE);
        assert_eq!(line(&"x".repeat(200)).chars().count(), Answer::MAX_LINE + 1);
    }

    #[test]
    fn a_line_of_a_language_without_spaces_is_a_sentence_or_cut_anywhere() {
        assert_eq!(line("查询天气。需要城市。"), "查询天气。");
        assert_eq!(line("Sucht Wetter. 查询天气。"), "Sucht Wetter.");
        let long = ["获取 ", &"新".repeat(200)].concat();
        assert_eq!(line(&long), ["获取 ", &"新".repeat(Answer::MAX_LINE - 3), "…"].concat());
    }
}
