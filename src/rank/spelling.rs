//! Counts the typos between two words.

use super::words::MAX_WORD;
use crate::edit_distance::edit_distance;

/// Returns the number of typos by which `word` differs from `known`: letters left out, added, exchanged or transposed.
/// Returns `None` if there are too many for words of that length.
pub(super) fn slips(word: &[u8], known: &[u8]) -> Option<usize> {
    let shorter = word.len().min(known.len());
    let most = match shorter {
        ..5 => return None,
        5..8 => 1,
        _ => 2,
    };
    if word.len().max(known.len()) > MAX_WORD || word.len().abs_diff(known.len()) > most {
        return None;
    }
    let slips = edit_distance::<{ MAX_WORD + 1 }, _>(word, known);
    (slips <= most).then_some(slips)
}

#[cfg(test)]
mod tests {
    use super::slips;

    #[test]
    fn counts_slips() {
        for (word, known, expected) in [
            ("calender", "calendar", Some(1)),
            ("wether", "weather", Some(1)),
            ("restuarant", "restaurant", Some(1)),
            ("adress", "address", Some(1)),
            ("transalte", "translate", Some(1)),
            ("translation", "transition", Some(2)),
            ("message", "massages", None),
            ("rent", "cent", None),
            ("price", "prices", Some(1)),
            ("price", "prince", Some(1)),
            ("price", "bricks", None),
        ] {
            assert_eq!(slips(word.as_bytes(), known.as_bytes()), expected, "{word} {known}");
        }
        assert_eq!(slips(&[b'x'; 200], &[b'x'; 200]), None, "beyond the longest word");
    }
}
