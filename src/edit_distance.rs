//! The distance between two words, for typos.

/// Returns the optimal string alignment distance: the number of letters to add, remove, exchange or swap with a
/// neighbor to turn one word into the other. Takes quadratic time.
///
/// `ROW` must be greater than the length of `b`, and `a` must be shorter than 256 letters.
pub(crate) fn edit_distance<const ROW: usize, T: PartialEq>(a: &[T], b: &[T]) -> usize {
    // The rows for the letter of `a` before the previous one, for the previous one, and for the current one.
    let mut rows = [[0u8; ROW]; 3];
    let [before, last, row] = &mut rows;
    let (mut before, mut last, mut row) = (before, last, row);
    (0..).zip(last.iter_mut()).for_each(|(at, cell)| *cell = at);
    let mut earlier_a = None;
    for (line, letter) in (1..).zip(a) {
        let mut left = line;
        let mut earlier_b = None;
        let (mut corner, mut far) = (line - 1, None);
        for ((cell, other), (above, two_above)) in
            row.iter_mut().skip(1).zip(b).zip(last.iter().skip(1).zip(before.iter()))
        {
            let exchanged = corner + u8::from(letter != other);
            let mut best = exchanged.min(left + 1).min(above + 1);
            if earlier_a == Some(other) && earlier_b == Some(letter) {
                best = best.min(far.map_or(best, |far: u8| far + 1));
            }
            *cell = best;
            (left, corner, far, earlier_b) = (best, *above, Some(*two_above), Some(other));
        }
        if let Some(first) = row.first_mut() {
            *first = line;
        }
        earlier_a = Some(letter);
        (before, last, row) = (last, row, before);
    }
    last.get(b.len()).map_or(a.len(), |slips| usize::from(*slips))
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    /// Computes the distance by its definition, as a matrix.
    fn matrix(a: &[u8], b: &[u8]) -> usize {
        let mut cells = vec![vec![0; b.len() + 1]; a.len() + 1];
        let at = |cells: &[Vec<usize>], i: usize, j: usize| {
            cells.get(i).and_then(|row| row.get(j)).copied().unwrap_or(usize::MAX / 2)
        };
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                let (x, y) = (i.wrapping_sub(1), j.wrapping_sub(1));
                let mut best = if i == 0 || j == 0 { i.max(j) } else { usize::MAX };
                if i > 0 && j > 0 {
                    best = best.min(at(&cells, x, y) + usize::from(a.get(x) != b.get(y)));
                    best = best.min(at(&cells, x, j) + 1).min(at(&cells, i, y) + 1);
                }
                if i > 1 && j > 1 && a.get(x) == b.get(j - 2) && a.get(i - 2) == b.get(y) {
                    best = best.min(at(&cells, i - 2, j - 2) + 1);
                }
                if let Some(cell) = cells.get_mut(i).and_then(|row| row.get_mut(j)) {
                    *cell = best;
                }
            }
        }
        at(&cells, a.len(), b.len())
    }

    #[test]
    fn agrees_with_the_definition() {
        // Every pair of words of up to four letters, from an alphabet of three.
        let mut words = vec![Vec::new()];
        for length in 0..4 {
            let longest: Vec<_> =
                words.iter().filter(|word: &&Vec<u8>| word.len() == length).cloned().collect();
            for word in longest {
                words.extend(b"abc".iter().map(|letter| [word.as_slice(), &[*letter]].concat()));
            }
        }
        assert_eq!(words.len(), 121);
        for a in &words {
            for b in &words {
                assert_eq!(edit_distance::<5, _>(a, b), matrix(a, b), "{a:?} {b:?}");
            }
        }
    }
}
