//! Normalization of words that are spelled to evade a list: `K1LL`, `k i l l`, `кill`, `kiiiill`, `k.i.l.l`.

use std::sync::LazyLock;

/// Maximum number of letters that are kept of a word. Further letters are ignored.
pub(crate) const LONGEST: usize = 24;

/// A normalized word of a text: small letters without accents, none twice in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    letters: [u8; LONGEST],
    length: usize,
    /// The position of its first byte in the text.
    pub start: usize,
    /// The position after its last letter.
    pub end: usize,
    /// The number of letters as written, with repetitions.
    written: usize,
}

impl Word {
    fn at(start: usize) -> Self {
        Self { letters: [0; LONGEST], length: 0, start, end: start, written: 0 }
    }

    pub fn letters(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }

    /// Returns whether the word is a single letter.
    pub fn alone(&self) -> bool {
        self.written == 1
    }

    fn push(&mut self, letter: u8, end: usize) {
        self.end = end;
        self.written += 1;
        if self.length > 0 && self.letters().last() == Some(&letter) {
            return;
        }
        if let Some(slot) = self.letters.get_mut(self.length) {
            (*slot, self.length) = (letter, self.length + 1);
        }
    }
}

/// Joins single letters, as in `k i l l`, to a word that begins with `first`. Returns `None` for fewer than three.
pub(crate) fn joined(text: &str, first: Word) -> Option<Word> {
    if !first.alone() {
        return None;
    }
    let (mut whole, mut count) = (first, 1);
    while let Some(next) = word(text, whole.end) {
        // At most two bytes may separate the letters: a space, or a sign.
        if !next.alone() || next.start > whole.end + 2 || count >= LONGEST {
            break;
        }
        let letter = next.letters().first().copied().unwrap_or(0);
        whole.push(letter, next.end);
        count += 1;
    }
    (count > 2).then_some(whole)
}

/// Returns the first word that begins at `from` or later: a run of letters, and of signs before and between them that
/// stand for letters.
pub(crate) fn word(text: &str, from: usize) -> Option<Word> {
    let mut word: Option<Word> = None;
    // Signs that stand for letters if a letter follows, and their positions.
    let mut pending: [(u8, usize); 4] = [(0, 0); 4];
    let mut waiting = 0;
    for (offset, character) in text.get(from..)?.char_indices() {
        let (place, end) = (from + offset, from + offset + character.len_utf8());
        match fold(character) {
            Fold::Letter(letter) => {
                let word = word.get_or_insert_with(|| {
                    Word::at(pending.first().filter(|_| waiting > 0).map_or(place, |(_, start)| *start))
                });
                pending.iter().take(waiting).for_each(|(letter, start)| word.push(*letter, start + 1));
                waiting = 0;
                word.push(letter, end);
            }
            Fold::Sign(letter) => match pending.get_mut(waiting) {
                Some(slot) => (*slot, waiting) = ((letter, place), waiting + 1),
                None => waiting = 0,
            },
            Fold::Nothing => {}
            Fold::Between if word.is_some() => {
                // Pending signs at the end are dropped: the `!` of `kill!` ends a sentence.
                break;
            }
            Fold::Between => waiting = 0,
        }
    }
    word
}

enum Fold {
    Letter(u8),
    /// A digit or sign that may stand for a letter.
    Sign(u8),
    /// An invisible character or an apostrophe, which is skipped.
    Nothing,
    Between,
}

fn fold(character: char) -> Fold {
    match character {
        'a'..='z' => Fold::Letter(character as u8),
        'A'..='Z' => Fold::Letter(character.to_ascii_lowercase() as u8),
        '0' => Fold::Sign(b'o'),
        '1' | '!' | '|' => Fold::Sign(b'i'),
        '3' | '€' => Fold::Sign(b'e'),
        '4' | '@' => Fold::Sign(b'a'),
        '5' | '$' => Fold::Sign(b's'),
        '7' | '+' => Fold::Sign(b't'),
        '8' => Fold::Sign(b'b'),
        '9' => Fold::Sign(b'g'),
        // Soft hyphen, joiners, direction marks, variation selectors, combining accents and apostrophes.
        '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2060}'..='\u{2064}'
        | '\u{feff}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{300}'..='\u{36f}'
        | '\''
        | '’' => Fold::Nothing,
        character if (character as u32) < 0xc0 => Fold::Between,
        character => homoglyph(character).map_or(
            if character.is_alphanumeric() { Fold::Letter(b'?') } else { Fold::Between },
            Fold::Letter,
        ),
    }
}

/// Latin letters, each followed by the characters that look like it.
const LOOKS: &str = "aàáâãäåāăąаαａɑ|cçćĉċčсϲ|dďđԁ|eèéêëēĕėęěеєεёҽ|gĝğġģɡ|hĥħһн|iìíîïĩīĭįıіιї|jĵјϳ|kķкκ|lĺļľŀłӏ|mм|nñńņňŉηп|oòóôõöøōŏőоοσ|pрρ|rŕŗřг|sśŝşšѕ|tţťŧтτ|uùúûüũūŭůűųυ|vνѵ|wŵѡω|xхχ|yýÿŷуγ|zźżž|bьЬвβ";

/// The characters of [`LOOKS`], sorted, each with its Latin letter.
static LIKE: LazyLock<Vec<(char, u8)>> = LazyLock::new(|| {
    let of = |looks: &'static str| {
        let letter = looks.bytes().next().unwrap_or(b'?');
        looks.chars().skip(1).map(move |look| (look, letter))
    };
    let mut like: Vec<(char, u8)> = Vec::with_capacity(LOOKS.len() / 2);
    for (look, letter) in LOOKS.split('|').flat_map(of) {
        like.insert(like.partition_point(|known| *known < (look, letter)), (look, letter));
    }
    like
});

/// Returns the Latin letter that another character looks like.
fn homoglyph(character: char) -> Option<u8> {
    let code = character as u32;
    match code {
        // Full-width letters.
        0xff21..=0xff3a => return Some(b'a' + (code - 0xff21) as u8),
        0xff41..=0xff5a => return Some(b'a' + (code - 0xff41) as u8),
        // Circled letters.
        0x24b6..=0x24e9 => return Some(b'a' + ((code - 0x24b6) % 26) as u8),
        // Mathematical alphabets: bold, italic, script and others.
        0x1d400..=0x1d6a3 => return Some(b'a' + ((code - 0x1d400) % 26) as u8),
        _ => {}
    }
    // The list has no character beyond.
    if code > 0x5ff {
        return None;
    }
    let small = character.to_lowercase().next().unwrap_or(character);
    let place = LIKE.binary_search_by_key(&small, |(look, _)| *look).ok()?;
    LIKE.get(place).map(|(_, letter)| *letter)
}
