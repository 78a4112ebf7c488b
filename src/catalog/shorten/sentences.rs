//! The ends of the sentences of a description.

/// Returns the positions at which sentences and lines end, in order. The last one is the end of the text.
///
/// A full stop before a small letter ends no sentence, because it is one of an abbreviation.
pub(super) fn sentence_ends(text: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = text.char_indices().filter_map(|(at, sign)| end_at(text, at, sign)).collect();
    ends.push(text.trim_end().len());
    ends.dedup();
    ends.retain(|end| text.get(..*end).is_some_and(|before| !before.trim().is_empty()));
    ends
}

/// Returns the first sentence or line of a text.
pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim_start();
    let end = sentence_ends(text).into_iter().next();
    end.and_then(|end| text.get(..end)).unwrap_or(text).trim_end()
}

/// Returns the end of the sentence or line that the character at a position ends, if it does.
fn end_at(text: &str, at: usize, sign: char) -> Option<usize> {
    let behind = at + sign.len_utf8();
    let rest = text.get(behind..)?;
    match sign {
        '\n' => Some(at),
        '。' => Some(behind),
        '.' | '!' | '?' => {
            let next = rest.trim_start();
            let is_apart = next.len() < rest.len();
            (is_apart && !next.starts_with(char::is_lowercase)).then_some(behind)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{first_sentence, sentence_ends};

    #[test]
    fn a_sentence_ends_at_a_full_stop_before_a_capital_or_at_a_line() {
        assert_eq!(first_sentence(" Creates an issue. Needs a title."), "Creates an issue.");
        assert_eq!(first_sentence("Accepts v1.2, e.g. of issues. More."), "Accepts v1.2, e.g. of issues.");
        assert_eq!(first_sentence("\n\nCreates issues\nand more"), "Creates issues");
        assert_eq!(first_sentence("查询天气。需要城市。"), "查询天气。");
        assert_eq!(first_sentence(""), "");
        assert_eq!(sentence_ends("One. Two!  "), [4, 9]);
    }
}
