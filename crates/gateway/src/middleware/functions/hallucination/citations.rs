//! Finds citations in a text: numbered references, DOIs and arXiv ids.

/// A citation in a text.
pub(crate) struct Citation {
    /// The normalized form: `3`, `doi:10.1000/182`, `arxiv:2101.00001`.
    pub key: String,
    /// The text as written.
    pub written: String,
}

/// Finds the citations of a text: `[3]`, `[^3]`, DOIs and arXiv numbers.
pub(crate) fn find_citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut before = ' ';
    let mut pieces = text.split('[');
    before = pieces.next().and_then(|head| head.chars().last()).unwrap_or(before);
    for piece in pieces {
        let mark = piece.split_once(']').map(|(mark, _)| mark.trim_start_matches('^'));
        let number =
            mark.filter(|mark| (1..=3).contains(&mark.len()) && mark.bytes().all(|b| b.is_ascii_digit()));
        // After a name, brackets are an array index.
        if let Some(number) = number.filter(|_| !before.is_alphanumeric() && before != '_') {
            found.push(Citation { key: number.to_owned(), written: format!("[{number}]") });
        }
        before = piece.chars().last().unwrap_or('[');
    }
    for word in text.split_whitespace() {
        let word = word.trim_matches(|c: char| c.is_ascii_punctuation());
        let lower = word.to_ascii_lowercase();
        let doi = lower.find("10.").and_then(|at| lower.get(at..)).filter(|doi| is_doi(doi));
        let arxiv = lower.strip_prefix("arxiv:").filter(|id| id.contains('.'));
        if let Some(doi) = doi {
            found.push(Citation { key: format!("doi:{doi}"), written: word.to_owned() });
        } else if let Some(id) = arxiv {
            found.push(Citation { key: format!("arxiv:{id}"), written: word.to_owned() });
        }
    }
    found
}

fn is_doi(text: &str) -> bool {
    let Some((prefix, suffix)) = text.strip_prefix("10.").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    (4..=9).contains(&prefix.len()) && prefix.bytes().all(|byte| byte.is_ascii_digit()) && !suffix.is_empty()
}
