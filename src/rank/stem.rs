//! A light stemmer for English: plurals, `-ing`, `-ed` and a final `e`.

/// Reduces an English word to the stem of its forms: removes plurals, `-ing`, `-ed` and a final `e`. It is deliberately
/// light. Other related words (`recommend`, `recommendation`) are matched by their beginning, with a lower weight.
/// Other words do not change.
pub(super) fn stem(word: &mut String) {
    if word.len() < 3 || word == "news" || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    plural(word);
    inflection(word);
    if word.ends_with("ll") && word.bytes().filter(|byte| is_vowel(*byte)).count() > 1 {
        word.pop();
    }
    if word.len() > 3 && word.ends_with('e') {
        word.pop();
    }
    if word.len() > 2 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
}

fn plural(word: &mut String) {
    let len = word.len();
    if word.ends_with("ies") && len > 4 {
        word.truncate(len - 3);
        word.push('y');
    } else if ["sses", "xes", "ches", "shes"].iter().any(|ending| word.ends_with(ending)) {
        word.truncate(len - 2);
    } else if word.ends_with('s')
        && len > 3
        && !["ss", "us", "is"].iter().any(|ending| word.ends_with(ending))
    {
        word.pop();
    }
}

fn inflection(word: &mut String) {
    if word.ends_with("eed") {
        return;
    }
    let root = word.strip_suffix("ing").or_else(|| word.strip_suffix("ed"));
    let Some(root) = root.filter(|root| root.len() >= 3 && root.bytes().any(is_vowel)) else { return };
    word.truncate(root.len());
    // `planning` is a form of `plan`, but `calling` of `call` and `missing` of `miss`.
    let mut ends = word.bytes().rev();
    if let (Some(last), Some(before)) = (ends.next(), ends.next())
        && last == before
        && word.len() > 3
        && !matches!(last, b'l' | b's' | b'z' | b'e' | b'o')
    {
        word.pop();
    }
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[track_caller]
    fn alike(words: &[&str]) {
        let stems: Vec<String> = words
            .iter()
            .map(|word| {
                let mut word = (*word).to_owned();
                stem(&mut word);
                word
            })
            .collect();
        assert!(stems.windows(2).all(|pair| pair.first() == pair.last()), "{words:?}: {stems:?}");
    }

    #[test]
    fn forms_of_a_word_share_a_stem() {
        alike(&["issue", "issues"]);
        alike(&["currency", "currencies"]);
        alike(&["movie", "movies"]);
        alike(&["search", "searches", "searched", "searching"]);
        alike(&["address", "addresses", "addressing"]);
        alike(&["plan", "plans", "planned", "planning"]);
        alike(&["call", "calls", "called", "calling"]);
        alike(&["control", "controls", "controlled", "controlling"]);
        alike(&["price", "prices", "priced", "pricing"]);
        alike(&["study", "studies", "studied", "studying"]);
        alike(&["box", "boxes"]);
        alike(&["status", "statuses"]);
    }

    #[test]
    fn what_is_no_form_stays() {
        for word in ["news", "speed", "string", "bus", "this", "analysis", "id", "mp3", "日本", "css"] {
            let mut stemmed = word.to_owned();
            stem(&mut stemmed);
            assert_eq!(stemmed, word);
        }
    }
}
