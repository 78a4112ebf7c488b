/// Maximum number of letters of a word that is compared. Typos in longer words are not considered, because the time is
/// quadratic.
const MOST: usize = 64;

/// Returns the candidate that `word` may be a typo of: one that begins with it, or that differs in few letters. Of
/// equally close candidates, returns the first. The case of ASCII letters is ignored.
pub fn nearest<'a>(word: &str, candidates: &mut dyn Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = letters(word).take(MOST + 1).collect();
    let mut nearest = None;
    // One typo for every three letters is allowed, and at least one.
    let mut least = (word.len() / 3).max(1) + 1;
    for candidate in candidates.take_while(|_| word.len() <= MOST) {
        let other: Vec<char> = letters(candidate).take(MOST).collect();
        let begun = word.len() > 2 && other.starts_with(&word);
        let slips = if begun { 1 } else { distance(&word, &other) };
        if slips < least.min(other.len()) {
            (nearest, least) = (Some(candidate), slips);
        }
    }
    nearest
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|c| c.to_ascii_lowercase())
}

/// Returns the number of letters to add, remove, change or swap with a neighbor to turn one word into the other. Takes
/// quadratic time.
pub fn distance(from: &[char], to: &[char]) -> usize {
    // The rows of the usual table: the one before the previous, the previous, and the current one.
    let (mut before, mut last): (Vec<usize>, Vec<usize>) = (Vec::new(), (0..=to.len()).collect());
    let mut previous = None;
    for (row, letter) in from.iter().enumerate() {
        let mut current = vec![row + 1];
        let mut beside = None;
        for (column, other) in to.iter().enumerate() {
            let at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(MOST);
            let changed = at(&last, column) + usize::from(letter != other);
            let mut best = changed.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            if previous == Some(other) && beside == Some(letter) {
                best = best.min(at(&before, column - 1) + 1);
            }
            current.push(best);
            beside = Some(other);
        }
        before = std::mem::replace(&mut last, current);
        previous = Some(letter);
    }
    last.last().copied().unwrap_or_default()
}
