//! Names of people and organizations, best effort: words with capitals in a row, what the lexicon knows of them, and
//! the word before.

use crate::middleware::{
    pii::{
        names::{
            introduction::is_introduced,
            lexicon::{LEXICON, WordSense},
        },
        settings::Settings,
        street,
    },
    scan::{
        bytes::{at, before, is_capital, is_letter, start_of, word_end},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// Most words that are read together.
const WORDS: usize = 6;
/// Longest word, in bytes.
const WORD: usize = 32;

#[derive(Debug, Clone, Copy, Default)]
struct Word {
    start: usize,
    end: usize,
    sense: WordSense,
    /// A single letter with its period.
    initial: bool,
    /// Whether all its letters are capitals.
    loud: bool,
    /// Whether it consists of several words with signs between.
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

/// The words that begin with capitals from a place on, a space between each and the next.
#[derive(Debug, Default)]
pub(crate) struct CapitalizedRun {
    /// Room for more words than are read together, so that most words need not move.
    room: [Word; 2 * WORDS],
    first: usize,
    count: usize,
}

impl CapitalizedRun {
    fn words(&self) -> &[Word] {
        self.room.get(self.first..self.first + self.count).unwrap_or_default()
    }

    /// Which of the words begins at a place.
    fn known(&self, place: usize) -> Option<usize> {
        self.words().iter().position(|word| word.start == place)
    }

    /// The word before the first, if a space alone stands between them and the word alone between spaces.
    fn previous(&self, bytes: &[u8]) -> Option<&Word> {
        let word = self.room.get(self.first.checked_sub(1)?)?;
        let first = self.words().first()?;
        let apart = word.end + 1 == first.start && at(bytes, word.end) == b' ';
        let whole = !word.compound && word.end - word.start <= WORD && before(bytes, word.start, 1) == b' ';
        (apart && whole).then_some(word)
    }

    /// Goes on to a word and those behind it, where `known` is its place among those that were read already. They are
    /// not read again: each word of a run begins one.
    fn go(&mut self, bytes: &[u8], first: Word, known: Option<usize>) {
        match known {
            Some(past) => {
                let full = self.count == WORDS;
                (self.first, self.count) = (self.first + past, self.count - past);
                if !full {
                    return;
                }
                if self.first + WORDS > self.room.len() {
                    // The word before is kept.
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

/// The name that begins with the capital at a place. `run` is what was read at another before.
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
    // Past its first part only: `AA-BB-…` may be an address of a machine.
    let nothing = ScanStep::SkipTo(if first.compound { word_end(bytes, place, WORD) } else { first.end });
    // Most words with capitals begin a sentence, and a small letter follows.
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
        .filter(|found| !in_address(bytes, found.end));
    found.map_or(nothing, ScanStep::Found)
}

/// A letter that stands alone and is no initial begins no name.
fn is_lone_initial(bytes: &[u8], place: usize) -> bool {
    let next = place + letter(bytes, place);
    !is_letter(bytes, next) && !matches!(at(bytes, next), b'.' | b'\'' | b'-' | 0xe2)
}

/// Whether something beside a small letter follows: another capital, a particle; or a number behind a surname.
fn next_matters(bytes: &[u8], word: &Word) -> bool {
    let end = word.end;
    let next = end + 1 + usize::from(at(bytes, end) == b'.');
    is_capital(bytes, next)
        || at(bytes, end) == b'.'
        || particle(bytes, next).is_some()
        || at(bytes, next) == b'&'
        || word.sense.is(WordSense::SURNAME) && at(bytes, next).is_ascii_digit()
}

/// The word with a capital that goes on a run behind its last.
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

/// Where a particle that a capital follows ends: `van`, `de la`, and the `&` of a company.
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

/// `Acme Widgets Inc`: up to the first word that ends an organization's name, from the first that is not everyday.
fn company(settings: &Settings, run: &CapitalizedRun) -> Option<Finding> {
    if !settings.wants(Kind::Organization) {
        return None;
    }
    let words = run.words();
    let last = words.iter().rposition(|word| word.sense.is(WordSense::COMPANY))?;
    // `Working Group` and `LIMITED` in capitals are none: one of the words must say so by itself.
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

/// Longest abbreviation of a legal form in capitals: `GMBH`.
const LEGAL_FORM: usize = 4;

fn is_legal_form(word: &Word) -> bool {
    word.sense.is(WordSense::COMPANY)
}

fn person(settings: &Settings, bytes: &[u8], run: &CapitalizedRun) -> Option<Finding> {
    if !settings.wants(Kind::Person) {
        return None;
    }
    let words = run.words();
    let found = |first: usize, count: usize| {
        let start = words.get(first)?.start;
        let end = words.get(first + count.checked_sub(1)?)?.end;
        Some(Finding { kind: Kind::Person, start, end })
    };
    let first = words.first()?;
    // Most words are everyday ones.
    if !first.name && !first.initial && !first.sense.is(WordSense::TITLE | WordSense::GIVEN) {
        return None;
    }
    if first.sense.is(WordSense::TITLE) {
        // `Dr. Smith`, `Mr. and Mrs. Jones`: the title stays.
        let title = words.iter().take_while(|word| word.sense.is(WordSense::TITLE)).count();
        let rest = words.get(title..).unwrap_or_default();
        let count = rest.iter().take_while(|word| word.name || word.initial).count().min(3);
        let real =
            rest.first().is_some_and(|word| !word.initial && word.name && !word.sense.is(WordSense::STREET));
        return if real { found(title, count) } else { None };
    }
    let follows = words.iter().skip(1).take(3).take_while(|word| word.name || word.initial).count();
    // A middle initial is no surname.
    let follows = (0..=follows)
        .rev()
        .find(|count| words.get(*count).is_none_or(|word| !word.initial) || *count == 0)?;
    let second = words.get(1);
    let given = first.sense.is(WordSense::GIVEN);
    let doubtful = first.sense.is(WordSense::DOUBTFUL);
    let surname = second.filter(|_| follows > 0).is_some_and(|word| word.sense.is(WordSense::SURNAME));
    let last_is_surname =
        words.get(follows).filter(|_| follows > 0).is_some_and(|word| word.sense.is(WordSense::SURNAME));
    let announced = || match run.previous(bytes) {
        Some(word) => word.sense.is(WordSense::NAMED),
        None => is_announced(bytes, first.start),
    };
    if given && !doubtful {
        let count = follows + 1;
        // Alone it is one all the same, unless a word without a capital makes a compound of it.
        let alone = count > 1 || !first.loud && !behind_place(bytes, first.start);
        return if alone { found(0, count) } else { None };
    }
    if doubtful
        && (surname
            || last_is_surname
            || follows > 0
                && (announced() || !begins_sentence(bytes, first.start))
                && second.is_some_and(|word| !word.sense.is(WordSense::STREET)))
    {
        return found(0, follows + 1);
    }
    if first.name
        && !first.initial
        && !first.sense.is(WordSense::STREET)
        && follows > 0
        && (last_is_surname || announced())
    {
        return found(0, follows + 1);
    }
    // `J. Smith`, `J. R. R. Tolkien`.
    if first.initial && last_is_surname && at(bytes, first.end) == b'.' {
        return found(0, follows + 1);
    }
    // `My name is Thandiwe`
    if follows == 0 && first.name && !first.initial && is_introduced(bytes, first.start) {
        return found(0, 1);
    }
    let single = first.name && !first.initial && first.sense.is(WordSense::SURNAME);
    if single
        && follows == 0
        && words.len() == 1
        && (settings.strict || announced())
        && !begins_sentence(bytes, first.start)
    {
        return found(0, 1);
    }
    None
}

/// Whether the word before, past a colon, says that a name follows.
fn is_announced(bytes: &[u8], start: usize) -> bool {
    let sign = |byte: u8| matches!(byte, b' ' | b':' | b'"' | b'=' | b',' | b'-' | b'\n' | b'*');
    let stop = start_of(bytes, 0, start, 4, sign);
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte >= 0x80;
    let word = start_of(bytes, 0, stop, WORD, |byte| letter(byte) || byte == b'\'');
    let word = bytes.get(word..stop).filter(|word| !word.is_empty());
    // `m'appelle`: what is cut off in front announces nothing.
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

/// `San Francisco`, `Fort Lauderdale`: what the name of a place begins with.
fn behind_place(bytes: &[u8], start: usize) -> bool {
    const PLACES: [&[u8]; 14] = [
        b"San", b"Santa", b"St", b"Saint", b"Los", b"Las", b"New", b"Fort", b"Port", b"Lake", b"Mount",
        b"El", b"La", b"The",
    ];
    let stop = start_of(bytes, 0, start, 2, |byte| byte == b' ' || byte == b'.');
    let word = start_of(bytes, 0, stop, 8, |byte| byte.is_ascii_alphabetic());
    bytes.get(word..stop).is_some_and(|word| PLACES.contains(&word))
}

fn begins_sentence(bytes: &[u8], start: usize) -> bool {
    let stop = start_of(bytes, 0, start, 4, |byte| matches!(byte, b' ' | b'\n' | b'"' | b'*' | b'-'));
    stop == 0
        || matches!(before(bytes, stop, 1), b'.' | b'!' | b'?' | b':')
        || before(bytes, start, 1) == b'\n'
}

/// Whether what ends here is a part of an address or of a name in a program.
pub(crate) fn in_address(bytes: &[u8], end: usize) -> bool {
    match at(bytes, end) {
        b'@' | b'_' | b'(' | b'=' => true,
        b':' => at(bytes, end + 1).is_ascii_hexdigit(),
        b'.' => is_letter(bytes, end + 1) || at(bytes, end + 1).is_ascii_digit(),
        b'/' | b'-' => is_letter(bytes, end + 1),
        byte => byte.is_ascii_digit(),
    }
}

/// Whether what follows a byte is the rest of a word, an address or a path.
fn is_joined(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte >= 0x80 && byte != 0x9c && byte != 0xa0
        || matches!(byte, b'_' | b'@' | b'.' | b'/' | b'-' | b'$' | b'#' | b'\\')
}

/// How many bytes a capital has.
fn letter(bytes: &[u8], place: usize) -> usize {
    1 + usize::from(at(bytes, place) >= 0x80)
}
