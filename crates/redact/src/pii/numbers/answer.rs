//! Answers to questions: `What is your NHS number? It's 943 476 5919.` The question announces the number.

use crate::pii::names::lexicon::{LEXICON, WordSense};

/// Maximum distance, in bytes, between a question and the number of its answer.
const LONGEST: usize = 40;

/// Maximum length, in bytes, of a word that leads to a number.
const LONGEST_WORD: usize = 8;

/// Names of the speakers of a conversation, before their lines.
const SPEAKERS: [&str; 16] = [
    "user", "customer", "client", "caller", "patient", "guest", "visitor", "human", "me", "you", "agent",
    "member", "kunde", "kundin", "cliente", "klient",
];

/// Returns the end of the question that a number answers, if only words of an answer are between them.
pub(crate) fn question_before(bytes: &[u8], start: usize) -> Option<usize> {
    let text = bytes.get(start.saturating_sub(LONGEST)..start)?;
    let end = text.iter().rposition(|byte| matches!(byte, b'?' | b'.'))?;
    let (sign, between) = text.get(end..)?.split_first()?;
    let blank = matches!(between.first(), Some(b' ' | b'\n'));
    (blank && leads_to_number(*sign, between)).then(|| start - text.len() + end)
}

/// Returns whether the text between the sign that ends a sentence and a number only leads to the number.
pub(crate) fn leads_to_number(sign: u8, between: &[u8]) -> bool {
    if !matches!(sign, b'?' | b'.') || between.len() > LONGEST {
        return false;
    }
    // The last word excludes most texts, so the others need not be examined.
    let said = without_dash(between.trim_ascii_end());
    let last = said.rsplit(|byte| !is_word(*byte) && *byte != b'\'').next().unwrap_or_default();
    if last.len() > LONGEST_WORD || !last.is_empty() && !LEXICON.has(last, WordSense::LEADING) {
        return false;
    }
    let new_line = between.first() == Some(&b'\n');
    let (speaker, said) = match between.iter().position(|byte| *byte == b':') {
        Some(colon) => between.split_at(colon),
        None => (&[][..], between),
    };
    if !leads(said) || between.iter().any(u8::is_ascii_digit) {
        return false;
    }
    let speaker = speaker.trim_ascii();
    // A bare number after a statement belongs to something else.
    if speaker.is_empty() {
        return sign == b'?' || said.iter().any(|byte| is_word(*byte));
    }
    leads(speaker)
        || SPEAKERS.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(speaker))
        || new_line && sign == b'?' && speaker.iter().all(|byte| is_word(*byte))
}

fn leads(text: &[u8]) -> bool {
    let mut words = text.split(|byte| !is_word(*byte) && *byte != b'\'');
    words
        .all(|word| word.is_empty() || without_dash(word).is_empty() || LEXICON.has(word, WordSense::LEADING))
}

/// Returns a text without a dash at its end, as before the line of a speaker.
fn without_dash(text: &[u8]) -> &[u8] {
    let dash = ["–", "—", " -"].iter().find_map(|dash| text.strip_suffix(dash.as_bytes()));
    dash.map_or(text, <[u8]>::trim_ascii_end)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::leads_to_number;

    #[test]
    fn only_words_of_an_answer_lead_to_its_number() {
        for (sign, between) in [
            (b'?', " "),
            (b'?', "\n"),
            (b'?', " It's "),
            (b'?', "\nAnna: sure, it is "),
            (b'.', "\nUser: "),
            (b'.', " It is "),
            (b'?', " — "),
            (b'?', " – Yes: "),
        ] {
            assert!(leads_to_number(sign, between.as_bytes()), "{between:?}");
        }
        for (sign, between) in [
            (b'.', " "),
            (b'.', "\n"),
            (b'.', "\nOrder: "),
            (b'?', " Order "),
            (b'!', " It's "),
            (b'?', " it's 12 "),
            (b'?', " we would have to look that up, it is "),
        ] {
            assert!(!leads_to_number(sign, between.as_bytes()), "{between:?}");
        }
    }
}
