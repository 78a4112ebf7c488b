//! Days of a month in words, as people say them: `fourth of March 1948`, `veintidós de mayo de 1957`.

use crate::scan::bytes::{at, before, start_of};

/// Maximum length of a day in words, in bytes: `achtundzwanzigster`.
const LONGEST_DAY: usize = 20;

/// The last words of days, in small letters, by language. Their tens may come before them: `twenty-first`,
/// `treinta y uno`. The words of German have no ending.
const DAYS: [&str; 7] = [
    // English
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth \
     fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth thirtieth",
    // French
    "premier deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize \
     vingt trente",
    // Spanish
    "primero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince \
     dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro \
     veinticinco veintiséis veintisiete veintiocho veintinueve treinta",
    // Portuguese
    "primeiro um dois três quatro sete oito nove dez treze dezesseis dezasseis dezessete dezassete \
     dezoito dezenove dezanove vinte trinta",
    // Italian
    "primo due tre quattro cinque sei sette otto dieci undici dodici tredici quattordici quindici \
     sedici diciassette diciotto diciannove venti ventuno ventidue ventitré ventiquattro venticinque \
     ventisei ventisette ventotto ventinove trenta trentuno",
    // Dutch
    "eerste een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien \
     zestien zeventien achttien negentien twintig eenentwintig tweeëntwintig drieëntwintig \
     vierentwintig vijfentwintig zesentwintig zevenentwintig achtentwintig negenentwintig dertig \
     eenendertig",
    // German, without the ending
    "erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte elfte zwölfte dreizehnte \
     vierzehnte fünfzehnte sechzehnte siebzehnte achtzehnte neunzehnte",
];

/// The ends of the days of German from the twentieth on, whose tens come last: `einundzwanzigste`.
const GERMAN_TENS: [&str; 2] = ["zwanzigste", "dreißigste"];

/// The words between a day and its month, and between a month and its year.
const OF: [&str; 6] = ["of", "de", "del", "d", "di", "the"];

/// The tens before the last word of a day, with what is between them.
const TENS: [&str; 13] = [
    "twenty-",
    "twenty ",
    "thirty-",
    "thirty ",
    "vingt-",
    "vingt et ",
    "vingt-et-",
    "trente et ",
    "trente-et-",
    "treinta y ",
    "vinte e ",
    "trinta e ",
    "dix-",
];

/// Returns whether a token can be the year of a date whose day is in words.
#[inline(always)]
pub(crate) fn may_end_at(bytes: &[u8], start: usize, end: usize) -> bool {
    end - start == 4
        && matches!(at(bytes, start), b'1' | b'2')
        && before(bytes, start, 1) == b' '
        && (before(bytes, start, 2).is_ascii_alphabetic() || matches!(before(bytes, start, 2), b',' | 0x80..))
}

/// Returns the start of the date whose year begins at a position, if its day is in words before or after the month.
pub(super) fn date_before(
    bytes: &[u8],
    floor: usize,
    year: usize,
    is_month: impl Fn(usize, usize) -> bool,
) -> Option<usize> {
    let last = content_word(bytes, floor, year)?;
    if is_month(last.0, last.1) {
        // `fourth of March 1948`
        return day_at(bytes, floor, content_word(bytes, floor, last.0)?);
    }
    // `March the twenty-fourth, 1948`
    let month = content_word(bytes, floor, day_at(bytes, floor, last)?)?;
    is_month(month.0, month.1).then_some(month.0)
}

/// Returns the start of a day in words, given its last word.
fn day_at(bytes: &[u8], floor: usize, (start, end): (usize, usize)) -> Option<usize> {
    let word = bytes.get(start..end)?;
    // `achten März`, `einundzwanzigster Mai`
    let stem =
        word.strip_suffix(b"n").or_else(|| word.strip_suffix(b"r")).filter(|stem| stem.ends_with(b"te"));
    let stem = stem.unwrap_or(word);
    let is_day = |day: &str| stem.eq_ignore_ascii_case(day.as_bytes());
    let of_tens = GERMAN_TENS.iter().any(|tens| stem.ends_with(tens.as_bytes()));
    if !of_tens && !DAYS.iter().any(|days| days.split(' ').any(is_day)) {
        return None;
    }
    let text = bytes.get(floor..start)?;
    let tens = TENS.iter().find(|tens| {
        text.len()
            .checked_sub(tens.len())
            .and_then(|at| text.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(tens.as_bytes()))
    });
    Some(start - tens.map_or(0, |tens| tens.len()))
}

/// Returns the last word before a position that is not one of [`OF`], as its start and end.
fn content_word(bytes: &[u8], floor: usize, place: usize) -> Option<(usize, usize)> {
    let word = word_before(bytes, floor, place)?;
    let is_of = OF
        .iter()
        .any(|of| bytes.get(word.0..word.1).is_some_and(|word| word.eq_ignore_ascii_case(of.as_bytes())));
    if is_of { word_before(bytes, floor, word.0) } else { Some(word) }
}

fn word_before(bytes: &[u8], floor: usize, place: usize) -> Option<(usize, usize)> {
    let end = start_of(bytes, floor, place, 2, |byte| matches!(byte, b' ' | b',' | b'\''));
    let start = start_of(bytes, floor, end, LONGEST_DAY, |byte| byte.is_ascii_alphabetic() || byte >= 0x80);
    (start < end && end < place).then_some((start, end))
}
