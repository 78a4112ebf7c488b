//! Words as somebody who evades a list writes them: `K1LL`, `k i l l`, `кill`, `kiiiill`, `k.i.l.l`.

use std::sync::LazyLock;

/// Longest word that is kept, in letters; the rest of a longer one is passed over.
pub(crate) const LONGEST: usize = 24;

/// A word of a text, in small letters without accents, none twice in a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word {
    letters: [u8; LONGEST],
    length: usize,
    /// Its place in the text.
    pub start: usize,
    /// The byte behind its last letter.
    pub end: usize,
    /// How many letters were written, repetitions counted.
    written: usize,
}

impl Word {
    fn at(start: usize) -> Self {
        Self { letters: [0; LONGEST], length: 0, start, end: start, written: 0 }
    }

    pub fn letters(&self) -> &[u8] {
        self.letters.get(..self.length).unwrap_or_default()
    }

    /// Whether it is one letter.
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

/// The word that letters make which stand alone in a row, the first of them given; at least three.
pub(crate) fn joined(text: &str, first: Word) -> Option<Word> {
    if !first.alone() {
        return None;
    }
    let (mut whole, mut count) = (first, 1);
    while let Some(next) = word(text, whole.end) {
        // A space or a sign between; more is a new beginning.
        if !next.alone() || next.start > whole.end + 2 || count >= LONGEST {
            break;
        }
        let letter = next.letters().first().copied().unwrap_or(0);
        whole.push(letter, next.end);
        count += 1;
    }
    (count > 2).then_some(whole)
}

/// The word that begins at `from` or later: a run of letters, and of signs that are taken for letters before and
/// between them.
pub(crate) fn word(text: &str, from: usize) -> Option<Word> {
    let mut word: Option<Word> = None;
    // Signs after which a letter must follow to make them one.
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
                // Digits end a word as well: `k1ll3`, but `!` ends a sentence.
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
    /// Invisible.
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
        // Soft hyphen, joiners, directions, variation selectors, combining accents; asterisks are left to hide letters.
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

/// A letter, and behind it what looks like it.
const LOOKS: &str = "aàáâãäåāăąаαａɑ|cçćĉċčсϲ|dďđԁ|eèéêëēĕėęěеєεёҽ|gĝğġģɡ|hĥħһн|iìíîïĩīĭįıіιї|jĵјϳ|kķкκ|lĺļľŀłӏ|mм|nñńņňŉηп|oòóôõöøōŏőоοσ|pрρ|rŕŗřг|sśŝşšѕ|tţťŧтτ|uùúûüũūŭůűųυ|vνѵ|wŵѡω|xхχ|yýÿŷуγ|zźżž|bьЬвβ";

/// The same, by what looks like a letter.
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

/// The Latin letter that a letter of another kind is written like.
fn homoglyph(character: char) -> Option<u8> {
    let code = character as u32;
    match code {
        // Full width.
        0xff21..=0xff3a => return Some(b'a' + (code - 0xff21) as u8),
        0xff41..=0xff5a => return Some(b'a' + (code - 0xff41) as u8),
        // In circles.
        0x24b6..=0x24e9 => return Some(b'a' + ((code - 0x24b6) % 26) as u8),
        // Bold, italic, script and so on, of mathematics.
        0x1d400..=0x1d6a3 => return Some(b'a' + ((code - 0x1d400) % 26) as u8),
        _ => {}
    }
    // Nothing beyond is in the list.
    if code > 0x5ff {
        return None;
    }
    let small = character.to_lowercase().next().unwrap_or(character);
    let place = LIKE.binary_search_by_key(&small, |(look, _)| *look).ok()?;
    LIKE.get(place).map(|(_, letter)| *letter)
}
