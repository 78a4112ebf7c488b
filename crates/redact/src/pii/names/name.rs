//! Names of people and organizations, best effort. Consecutive words with capitals are judged by the lexicon and by the
//! word before them.

use crate::{
    pii::{
        names::{
            introduction::is_introduced,
            lexicon::{LEXICON, WordSense},
        },
        settings::Settings,
        street, street_word,
    },
    scan::{
        bytes::{at, before, is_capital, is_letter, start_of, word_end},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// Maximum number of words that are read together.
const WORDS: usize = 6;
/// Maximum length of a word, in bytes.
const WORD: usize = 32;

#[derive(Debug, Clone, Copy, Default)]
struct Word {
    start: usize,
    end: usize,
    sense: WordSense,
    /// Whether it is a single letter, as an initial.
    initial: bool,
    /// Whether all its letters are capitals.
    loud: bool,
    /// Whether it consists of several words that are joined by signs.
    compound: bool,
    /// Whether it can be a part of the name of a person.
    name: bool,
}

impl Word {
    fn read(bytes: &[u8], start: usize) -> Option<Self> {
        let mut end = word_end(bytes, start, WORD);
        let first = end;
        let mut typographic = None;
        // `O'Brien`, `Jean-Pierre`, `O’Brien`.
        while end < start + WORD {
            let sign = match at(bytes, end) {
                b'\'' | b'-' => 1,
                0xe2 if bytes.get(end..end + 3) == Some("’".as_bytes()) => 3,
                _ => break,
            };
            if !is_capital(bytes, end + sign) {
                break;
            }
            typographic = if sign == 3 { Some(end) } else { typographic };
            end = word_end(bytes, end + sign, WORD);
        }
        let word = bytes.get(start..end).filter(|word| !word.is_empty())?;
        let sense = match typographic {
            None => LEXICON.sense(word),
            Some(sign) => {
                let mut plain = bytes.get(start..sign)?.to_vec();
                plain.push(b'\'');
                plain.extend_from_slice(bytes.get(sign + 3..end)?);
                LEXICON.sense(&plain)
            }
        };
        let letter = end - start == letter(bytes, start);
        let loud = !letter && !word.iter().any(u8::is_ascii_lowercase);
        let name = !sense.is(WordSense::COMMON)
            && (!sense.is(WordSense::COMPANY) || sense.is(WordSense::SURNAME))
            && !loud
            || sense.is(WordSense::GIVEN) && !sense.is(WordSense::DOUBTFUL)
            || sense.is(WordSense::SURNAME);
        Some(Self { start, end, sense, initial: letter, loud, compound: end > first, name })
    }
}

/// Consecutive words with capitals, separated by spaces.
#[derive(Debug, Default)]
pub(crate) struct CapitalizedRun {
    /// A buffer for more words than are read together, so that words rarely have to be moved.
    room: [Word; 2 * WORDS],
    first: usize,
    count: usize,
}

impl CapitalizedRun {
    fn words(&self) -> &[Word] {
        self.room.get(self.first..self.first + self.count).unwrap_or_default()
    }

    /// Returns the index of the word that begins at a position.
    fn known(&self, place: usize) -> Option<usize> {
        self.words().iter().position(|word| word.start == place)
    }

    /// Returns the word before the first, if only a space separates them, and a space precedes it.
    fn previous(&self, bytes: &[u8]) -> Option<&Word> {
        let word = self.room.get(self.first.checked_sub(1)?)?;
        let first = self.words().first()?;
        let apart = word.end + 1 == first.start && at(bytes, word.end) == b' ';
        let whole = !word.compound && word.end - word.start <= WORD && before(bytes, word.start, 1) == b' ';
        (apart && whole).then_some(word)
    }

    /// Advances to a run that begins with the word `first`. `known` is its index among the words that were already
    /// read; these are not read again, because each word of a run begins another run.
    fn go(&mut self, bytes: &[u8], first: Word, known: Option<usize>) {
        match known {
            Some(past) => {
                let full = self.count == WORDS;
                (self.first, self.count) = (self.first + past, self.count - past);
                if !full {
                    return;
                }
                if self.first + WORDS > self.room.len() {
                    // The word before the run is kept too.
                    let kept = self.first.saturating_sub(1);
                    self.room.copy_within(kept..self.first + self.count, 0);
                    self.first -= kept;
                }
            }
            None => {
                self.room.iter_mut().take(1).for_each(|slot| *slot = first);
                (self.first, self.count) = (0, 1);
            }
        }
        let mut last = self.words().last().copied().unwrap_or(first);
        while self.count < WORDS
            && let Some(slot) = self.room.get_mut(self.first + self.count)
        {
            let Some(word) = following(bytes, last) else { break };
            (*slot, last) = (word, word);
            self.count += 1;
        }
    }
}

/// Finds the name that begins with the capital at a position. `run` has the words that were read at earlier positions.
pub(crate) fn scan_at(settings: &Settings, bytes: &[u8], place: usize, run: &mut CapitalizedRun) -> ScanStep {
    let starts = !is_joined(before(bytes, place, 1));
    if starts && is_lone_initial(bytes, place) {
        return ScanStep::SkipTo(place + 1);
    }
    let known = if starts { run.known(place) } else { None };
    let first = match known {
        Some(known) => run.words().get(known).copied(),
        None if starts => Word::read(bytes, place),
        None => None,
    };
    let Some(first) = first else {
        return ScanStep::SkipTo(word_end(bytes, place, WORD).max(place + 1));
    };
    // Only the first part is skipped: `AA-BB-…` may be a MAC address.
    let nothing = ScanStep::SkipTo(if first.compound { word_end(bytes, place, WORD) } else { first.end });
    // Most words with capitals begin a sentence, and a word in small letters follows.
    let alone = at(bytes, first.end) != b' ' && at(bytes, first.end) != b'.' || !next_matters(bytes, &first);
    let is_known = first.sense.is(WordSense::GIVEN) || first.sense.is(WordSense::TITLE);
    if let Some(found) = street::behind_name(settings, bytes, first.start, first.end) {
        return ScanStep::Found(found);
    }
    if alone && !is_known && !is_introduced(bytes, first.start) {
        return nothing;
    }
    run.go(bytes, first, known);
    let found = company(settings, run)
        .or_else(|| person(settings, bytes, run))
        .filter(|found| !in_address(bytes, found.end) && !is_street(bytes, found));
    found.map_or(nothing, ScanStep::Found)
}

/// Returns whether a capital is a single letter that is not an initial, so that it begins no name.
fn is_lone_initial(bytes: &[u8], place: usize) -> bool {
    let next = place + letter(bytes, place);
    !is_letter(bytes, next) && !matches!(at(bytes, next), b'.' | b'\'' | b'-' | 0xe2)
}

/// Returns whether the text after a word may matter: another capital, a particle, or a number after a surname.
fn next_matters(bytes: &[u8], word: &Word) -> bool {
    let end = word.end;
    let next = end + 1 + usize::from(at(bytes, end) == b'.');
    is_capital(bytes, next)
        || at(bytes, end) == b'.'
        || particle(bytes, next).is_some()
        || at(bytes, next) == b'&'
        || word.sense.is(WordSense::SURNAME) && at(bytes, next).is_ascii_digit()
}

/// Returns the word with a capital that continues a run after its last word.
fn following(bytes: &[u8], last: Word) -> Option<Word> {
    let mut next = last.end;
    if at(bytes, next) == b'.' && (last.initial || last.sense.is(WordSense::TITLE)) {
        next += 1;
    }
    if at(bytes, next) == b','
        && at(bytes, next + 1) == b' '
        && Word::read(bytes, next + 2).is_some_and(|word| is_legal_form(&word))
    {
        next += 1;
    }
    if at(bytes, next) != b' ' {
        return None;
    }
    next += 1;
    while let Some(behind) = particle(bytes, next) {
        next = behind + 1;
    }
    if is_capital(bytes, next) { Word::read(bytes, next) } else { None }
}

/// Returns the end of a particle between names: `van`, `de la`, or the `&` of a company.
fn particle(bytes: &[u8], start: usize) -> Option<usize> {
    // No particle begins with another letter.
    if !matches!(at(bytes, start), b'&' | b'a' | b'b' | b'd' | b'e' | b'l' | b's' | b't' | b'v' | b'y' | b'z')
    {
        return None;
    }
    let end = if at(bytes, start) == b'&' { start + 1 } else { word_end(bytes, start, 4) };
    let small = at(bytes, start).is_ascii_lowercase() || at(bytes, start) == b'&';
    let word = bytes.get(start..end).filter(|_| small)?;
    let follows = is_capital(bytes, end + 1) || at(bytes, end + 1).is_ascii_lowercase();
    let known = || word == b"&" || LEXICON.has(word, WordSense::PARTICLE);
    (at(bytes, end) == b' ' && follows && known()).then_some(end)
}

/// Finds the name of an organization, such as `Acme Widgets Inc`: from the first word that is not an everyday word to
/// the last one that ends such a name.
fn company(settings: &Settings, run: &CapitalizedRun) -> Option<Finding> {
    if !settings.wants(Kind::Organization) {
        return None;
    }
    let words = run.words();
    let last = words.iter().rposition(|word| word.sense.is(WordSense::COMPANY))?;
    // `Working Group` and `LIMITED` in capitals are not names: one of the words must be unambiguous.
    let decides = |word: &Word| {
        is_legal_form(word)
            && !word.sense.is(WordSense::UNIT)
            && !(word.loud && word.end - word.start > LEGAL_FORM)
    };
    if !words.iter().any(decides) {
        return None;
    }
    let first = words.iter().take(last).position(|word| !word.sense.is(WordSense::COMMON))?;
    let (start, end) = (words.get(first)?.start, words.get(last)?.end);
    Some(Finding { kind: Kind::Organization, start, end })
}

/// Maximum length of a legal form in capitals, which is an abbreviation: `GMBH`.
const LEGAL_FORM: usize = 4;

fn is_legal_form(word: &Word) -> bool {
    word.sense.is(WordSense::COMPANY)
}

/// Finds the name of a person at the beginning of a run.
fn person(settings: &Settings, bytes: &[u8], run: &CapitalizedRun) -> Option<Finding> {
    let words = run.words();
    let first = words.first().filter(|_| settings.wants(Kind::Person))?;
    // Most words are everyday words, which begin no name.
    if !first.name && !first.initial && !first.sense.is(WordSense::TITLE | WordSense::GIVEN) {
        return None;
    }
    let (skipped, count) = if first.sense.is(WordSense::TITLE) {
        name_behind_title(words)?
    } else {
        (0, name_length(settings, bytes, run, first)?)
    };
    let (start, end) = (words.get(skipped)?.start, words.get(skipped + count.checked_sub(1)?)?.end);
    Some(Finding { kind: Kind::Person, start, end })
}

/// Returns the number of titles before a name, which stay, and of the words of the name: `Dr. Smith`,
/// `Mr. and Mrs. Jones`.
fn name_behind_title(words: &[Word]) -> Option<(usize, usize)> {
    let titles = words.iter().take_while(|word| word.sense.is(WordSense::TITLE)).count();
    let rest = words.get(titles..).unwrap_or_default();
    let count = rest.iter().take_while(|word| word.name || word.initial).count().min(3);
    let real = |word: &&Word| !word.initial && word.name && !word.sense.is(WordSense::STREET);
    rest.first().filter(real).map(|_| (titles, count))
}

/// Returns the number of words of the name with which a run begins.
fn name_length(settings: &Settings, bytes: &[u8], run: &CapitalizedRun, first: &Word) -> Option<usize> {
    let words = run.words();
    let follows = words.iter().skip(1).take(3).take_while(|word| word.name || word.initial).count();
    // A middle initial is no surname.
    let follows = (0..=follows)
        .rev()
        .find(|count| words.get(*count).is_none_or(|word| !word.initial) || *count == 0)?;
    let is_surname = |place: usize| {
        words.get(place).filter(|_| follows > 0).is_some_and(|word| word.sense.is(WordSense::SURNAME))
    };
    let announced = || match run.previous(bytes) {
        Some(word) => word.sense.is(WordSense::NAMED),
        None => is_announced(bytes, first.start),
    };
    let doubtful = first.sense.is(WordSense::DOUBTFUL);
    if first.sense.is(WordSense::GIVEN) && !doubtful {
        // A given name alone is a name, unless it is part of the name of a place.
        let alone = follows > 0 || !first.loud && !behind_place(bytes, first.start);
        return alone.then_some(follows + 1);
    }
    let told = || announced() || !begins_sentence(bytes, first.start);
    let no_street = || words.get(1).is_some_and(|word| !word.sense.is(WordSense::STREET));
    if doubtful && (is_surname(1) || is_surname(follows) || follows > 0 && told() && no_street()) {
        return Some(follows + 1);
    }
    // `J. Smith`, `J. R. R. Tolkien`.
    if first.initial {
        return (is_surname(follows) && at(bytes, first.end) == b'.').then_some(follows + 1);
    }
    if !first.name {
        return None;
    }
    if follows > 0 {
        let real = !first.sense.is(WordSense::STREET) && (is_surname(follows) || announced());
        return real.then_some(follows + 1);
    }
    // `My name is Thandiwe`
    let alone = || {
        first.sense.is(WordSense::SURNAME)
            && words.len() == 1
            && (settings.strict || announced())
            && !begins_sentence(bytes, first.start)
    };
    (is_introduced(bytes, first.start) || alone()).then_some(1)
}

/// Returns whether the word before, with or without a colon, announces a name.
fn is_announced(bytes: &[u8], start: usize) -> bool {
    let sign = |byte: u8| matches!(byte, b' ' | b':' | b'"' | b'=' | b',' | b'-' | b'\n' | b'*');
    let stop = start_of(bytes, 0, start, 4, sign);
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let word = start_of(bytes, 0, stop, WORD, |byte| letter(byte) || byte == b'\'');
    let word = bytes.get(word..stop).filter(|word| !word.is_empty());
    // The `m'` of `m'appelle` is not part of the word in the lexicon.
    let word = word.map(|word| word.strip_prefix(b"m'").unwrap_or(word));
    let is = [&b"is"[..], b"was", b"by", b"ist", b"est", b"es", "è".as_bytes(), "é".as_bytes()];
    match word {
        // `name is`, `written by`.
        Some(word) if is.contains(&word) => {
            let stop = start_of(bytes, 0, stop - word.len(), 2, |byte| byte == b' ');
            let before = start_of(bytes, 0, stop, WORD, |byte| byte.is_ascii_alphabetic());
            bytes
                .get(before..stop)
                .is_some_and(|word| LEXICON.has(word, WordSense::NAMED) || word.ends_with(b"ed"))
        }
        Some(word) => LEXICON.has(word, WordSense::NAMED),
        None => false,
    }
}

/// Returns whether a name is that of a street: `Calle Luna 7`.
fn is_street(bytes: &[u8], found: &Finding) -> bool {
    at(bytes, found.end) == b' '
        && at(bytes, found.end + 1).is_ascii_digit()
        && street_word::in_front(bytes, found.start, word_end(bytes, found.start, WORD))
}

/// Returns whether the word before begins the name of a place: `San Francisco`, `Fort Lauderdale`, `São Paulo`.
fn behind_place(bytes: &[u8], start: usize) -> bool {
    const PLACES: [&[u8]; 24] = [
        b"San",
        b"Santa",
        b"St",
        b"Saint",
        b"Los",
        b"Las",
        b"New",
        b"Fort",
        b"Port",
        b"Lake",
        b"Mount",
        b"El",
        b"La",
        b"The",
        "São".as_bytes(),
        b"Sao",
        b"Santo",
        b"Sant",
        b"Sainte",
        b"Sankt",
        b"Ciudad",
        b"Puerto",
        b"Villa",
        "Île".as_bytes(),
    ];
    let stop = start_of(bytes, 0, start, 2, |byte| byte == b' ' || byte == b'.');
    let word = start_of(bytes, 0, stop, 8, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    bytes.get(word..stop).is_some_and(|word| PLACES.contains(&word))
}

fn begins_sentence(bytes: &[u8], start: usize) -> bool {
    let stop = start_of(bytes, 0, start, 4, |byte| matches!(byte, b' ' | b'\n' | b'"' | b'*' | b'-'));
    stop == 0
        || matches!(before(bytes, stop, 1), b'.' | b'!' | b'?' | b':')
        || before(bytes, start, 1) == b'\n'
}

/// Returns whether the text that ends at a position is part of an e-mail address, a URL or an identifier.
pub(crate) fn in_address(bytes: &[u8], end: usize) -> bool {
    match at(bytes, end) {
        b'@' | b'_' | b'(' | b'=' => true,
        b':' => at(bytes, end + 1).is_ascii_hexdigit(),
        b'.' => is_letter(bytes, end + 1) || at(bytes, end + 1).is_ascii_digit(),
        b'/' | b'-' => is_letter(bytes, end + 1),
        byte => byte.is_ascii_digit(),
    }
}

/// Returns whether the text after a byte is the rest of a word, an address or a path.
fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80 && byte != 0x9c && byte != 0xa0
        || matches!(byte, b'_' | b'@' | b'.' | b'/' | b'-' | b'$' | b'#' | b'\\')
}

/// Returns the number of bytes of the capital at a position.
fn letter(bytes: &[u8], place: usize) -> usize {
    1 + usize::from(at(bytes, place) >= 0x80)
}
