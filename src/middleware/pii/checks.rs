//! Check digits, and what else the issuers of numbers say of them. Each takes the number's letters, in capitals, and
//! digits, without separators, in the shape that the table has matched.

/// What a digit or letter counts: `0`–`9`, then `A` as 10.
pub(super) fn value(byte: u8) -> u32 {
    match byte {
        b'0'..=b'9' => u32::from(byte - b'0'),
        b'A'..=b'Z' => u32::from(byte - b'A') + 10,
        _ => 0,
    }
}

/// The digits from a place on, as a number.
pub(super) fn number(bytes: &[u8], start: usize, length: usize) -> u64 {
    bytes.iter().skip(start).take(length).fold(0, |number, byte| number * 10 + u64::from(value(*byte)))
}

fn digit(bytes: &[u8], place: usize) -> u32 {
    bytes.get(place).map_or(0, |byte| value(*byte))
}

fn byte(bytes: &[u8], place: usize) -> u8 {
    bytes.get(place).copied().unwrap_or(0)
}

fn weighted(bytes: &[u8], weights: &[u32]) -> u32 {
    bytes.iter().zip(weights).map(|(byte, weight)| value(*byte) * weight).sum()
}

fn uniform(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| Some(byte) == bytes.first())
}

/// The sum of the digits of a number of two digits.
fn cross(number: u32) -> u32 {
    number / 10 + number % 10
}

fn letter_of(alphabet: &[u8], place: u32) -> u8 {
    alphabet.get(place as usize).copied().unwrap_or(0)
}

fn date(year: u64, month: u64, day: u64) -> bool {
    let last = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) => 29,
        2 => 28,
        _ => 0,
    };
    (1..=last).contains(&day)
}

/// `yymmdd`.
fn dated(bytes: &[u8]) -> bool {
    date(number(bytes, 0, 2), number(bytes, 2, 2), number(bytes, 4, 2))
}

pub(super) fn any(_: &[u8]) -> bool {
    true
}

/// Every other digit from the last doubled, a multiple of ten.
pub(super) fn luhn(bytes: &[u8]) -> bool {
    luhn_sum(bytes).is_multiple_of(10) && !uniform(bytes)
}

fn luhn_sum(bytes: &[u8]) -> u32 {
    let doubled = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    bytes
        .iter()
        .rev()
        .enumerate()
        .map(|(at, byte)| if at % 2 == 1 { doubled(value(*byte)) } else { value(*byte) })
        .sum()
}

/// Verhoeff: multiplication in the dihedral group of order ten, which is computed rather than tabulated.
fn verhoeff(bytes: &[u8]) -> bool {
    const TURN: [u32; 10] = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];
    let product = |left: u32, right: u32| match (left < 5, right < 5) {
        (true, true) => (left + right) % 5,
        (true, false) => (left + right - 5) % 5 + 5,
        (false, true) => (left - 5 + 5 - right) % 5 + 5,
        (false, false) => (left + 5 - right) % 5,
    };
    let sum = bytes.iter().rev().enumerate().fold(0, |sum, (place, byte)| {
        let turned =
            (0..place % 8).fold(value(*byte), |digit, _| TURN.get(digit as usize).copied().unwrap_or(0));
        product(sum, turned)
    });
    sum == 0
}

/// ISO 7064, MOD 11,10.
fn mod_11_10(bytes: &[u8]) -> bool {
    let Some((last, body)) = bytes.split_last() else { return false };
    let product = body.iter().fold(10, |product, byte| {
        let sum = (value(*byte) + product) % 10;
        (if sum == 0 { 10 } else { sum }) * 2 % 11
    });
    (11 - product) % 10 == value(*last)
}

/// Letters as their numbers from 10 on: the whole modulo 97.
fn mod_97(bytes: impl Iterator<Item = u8>) -> u32 {
    bytes.fold(0, |rest, byte| match value(byte) {
        digit @ 0..10 => (rest * 10 + digit) % 97,
        letter => (rest * 100 + letter) % 97,
    })
}

/// 7-3-1, as on machine-readable documents.
fn document(bytes: &[u8]) -> bool {
    let Some((last, body)) = bytes.split_last() else { return false };
    let sum: u32 =
        body.iter().zip([7, 3, 1].iter().cycle()).map(|(byte, weight)| value(*byte) * weight).sum();
    sum % 10 == value(*last)
}

/// Lengths of IBANs, by country, in their order: those of the registry, and what is in use beside it.
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BF28BG22BH22BI27BJ28BR29BY28CF27CG27CH21CI28CM27CR22CV25CY28\
    CZ24DE22DJ27DK18DO28DZ26EE20EG29ES24FI18FK18FO18FR27GA27GB22GE22GI23GL18GQ27GR27GT28GW25HN28HR21HU28IE22IL23\
    IQ23IR26IS26IT27JO30KM27KW30KZ20LB28LC32LI21LT20LU20LV21LY25MA28MC27MD24ME22MG27MK19ML28MN20MR27MT31MU30MZ25\
    NE28NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SN28SO23ST25SV28TD27TG28TL23\
    TN24TR26UA29VA22VG24XK20YE30";

pub(super) fn iban(bytes: &[u8]) -> bool {
    let country = |entry: &[u8]| entry.first_chunk().map(|country| u16::from_be_bytes(*country));
    let (countries, _) = IBANS.as_bytes().as_chunks::<4>();
    let known = countries.binary_search_by_key(&country(bytes), |entry| country(entry));
    let entry = known.ok().and_then(|place| countries.get(place));
    entry.is_some_and(|entry| number(entry, 2, 2) == bytes.len() as u64)
        && mod_97(bytes.iter().cycle().skip(4).take(bytes.len()).copied()) == 1
}

/// The issuers' ranges, then Luhn.
pub(super) fn card(bytes: &[u8]) -> bool {
    let known = matches!(
        (bytes.len(), number(bytes, 0, 4)),
        (13 | 16 | 19, 4000..=4999)
            | (16, 2221..=2720 | 5000..=5999)
            | (15, 3400..=3499 | 3700..=3799)
            | (14, 3000..=3059 | 3095 | 3600..=3699 | 3800..=3999)
            | (16..=19, 3528..=3589 | 6000..=6999 | 8100..=8171)
    );
    known && luhn(bytes)
}

pub(super) fn ssn(bytes: &[u8]) -> bool {
    let (area, group, serial) = (number(bytes, 0, 3), number(bytes, 3, 2), number(bytes, 5, 4));
    // The last two were printed in advertisements.
    !matches!(area, 0 | 666 | 900..)
        && group != 0
        && serial != 0
        && !uniform(bytes)
        && !matches!(number(bytes, 0, 9), 78_051_120 | 219_099_999)
}

/// As long as nobody draws it up by counting.
pub(super) fn ssn_bare(bytes: &[u8]) -> bool {
    ssn(bytes) && !matches!(number(bytes, 0, 9), 123_456_789 | 987_654_320..=987_654_329)
}

pub(super) fn itin(bytes: &[u8]) -> bool {
    matches!(number(bytes, 3, 2), 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

pub(super) fn aba(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 0..=12 | 21..=32 | 61..=72 | 80)
        && weighted(bytes, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
        && !uniform(bytes)
}

/// With the prefix that makes it a card of the health industry.
pub(super) fn npi(bytes: &[u8]) -> bool {
    let counted = uniform(bytes.get(..9).unwrap_or_default());
    !counted && matches!(byte(bytes, 0), b'1' | b'2') && (luhn_sum(bytes) + 24).is_multiple_of(10)
}

/// Medicare: letters that cannot be taken for digits.
pub(super) fn mbi(bytes: &[u8]) -> bool {
    byte(bytes, 0) != b'0' && !bytes.iter().any(|byte| b"SLOIBZ".contains(byte))
}

/// Drug Enforcement Administration.
pub(super) fn dea(bytes: &[u8]) -> bool {
    let sum = [2, 4, 6].iter().map(|at| digit(bytes, *at)).sum::<u32>()
        + 2 * [3, 5, 7].iter().map(|at| digit(bytes, *at)).sum::<u32>();
    b"ABCDEFGHJKLMPRSTUX".contains(&byte(bytes, 0))
        && (byte(bytes, 1) == b'9' || byte(bytes, 1).is_ascii_alphabetic())
        && sum % 10 == digit(bytes, 8)
}

pub(super) fn nhs(bytes: &[u8]) -> bool {
    weighted(bytes, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11) && !uniform(bytes)
}

pub(super) fn nino(bytes: &[u8]) -> bool {
    let prefix = bytes.get(..2).unwrap_or_default();
    !b"DFIQUV".contains(&byte(bytes, 0))
        && !b"DFIOQUV".contains(&byte(bytes, 1))
        && ![*b"BG", *b"GB", *b"KN", *b"NK", *b"NT", *b"TN", *b"ZZ"].iter().any(|not| not == prefix)
        && matches!(byte(bytes, 8), b'A'..=b'D')
}

/// `AB51ABC`.
pub(super) fn uk_plate(bytes: &[u8]) -> bool {
    let excluded = |places: std::ops::Range<usize>, letters: &[u8]| {
        places.into_iter().any(|place| letters.contains(&byte(bytes, place)))
    };
    !excluded(0..2, b"IQZ") && !excluded(4..7, b"IQ") && matches!(number(bytes, 2, 2), 2..=29 | 51..=79)
}

/// `A123BCD`.
pub(super) fn uk_plate_prefix(bytes: &[u8]) -> bool {
    !b"IOQUZ".contains(&byte(bytes, 0))
        && byte(bytes, 1) != b'0'
        && !bytes.iter().skip(1).any(|byte| b"IQ".contains(byte))
}

/// `ABC123D`.
pub(super) fn uk_plate_suffix(bytes: &[u8]) -> bool {
    !b"IOQUZ".contains(&byte(bytes, bytes.len().wrapping_sub(1)))
        && byte(bytes, 3) != b'0'
        && !bytes.iter().take(3).any(|byte| b"IQ".contains(byte))
}

/// Initials and a date of birth stand in it.
pub(super) fn uk_driver(bytes: &[u8]) -> bool {
    let month = number(bytes, 6, 2) % 50;
    (1..=12).contains(&month)
        && (1..=31).contains(&number(bytes, 8, 2))
        && byte(bytes, 0).is_ascii_alphabetic()
}

pub(super) fn abn(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]);
    byte(bytes, 0) != b'0' && (sum - 10).is_multiple_of(89)
}

pub(super) fn acn(bytes: &[u8]) -> bool {
    (10 - weighted(bytes, &[8, 7, 6, 5, 4, 3, 2, 1]) % 10) % 10 == digit(bytes, 8)
}

pub(super) fn tfn(bytes: &[u8]) -> bool {
    weighted(bytes, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11) && !uniform(bytes)
}

pub(super) fn medicare(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'2'..=b'6')
        && weighted(bytes, &[1, 3, 7, 9, 1, 3, 7, 9]) % 10 == digit(bytes, 8)
        && digit(bytes, 9) > 0
}

pub(super) fn de_tax(bytes: &[u8]) -> bool {
    let most = (b'0'..=b'9').map(|digit| bytes.iter().take(10).filter(|byte| **byte == digit).count()).max();
    byte(bytes, 0) != b'0' && most.is_some_and(|most| most <= 3) && mod_11_10(bytes)
}

/// Behind the country's letters.
pub(super) fn de_vat(bytes: &[u8]) -> bool {
    byte(bytes, 2) != b'0' && mod_11_10(bytes.get(2..).unwrap_or_default())
}

pub(super) fn lanr(bytes: &[u8]) -> bool {
    (10 - weighted(bytes, &[4, 9, 4, 9, 4, 9]) % 10) % 10 == digit(bytes, 6)
}

/// The first two are the region.
pub(super) fn bsnr(bytes: &[u8]) -> bool {
    let region = number(bytes, 0, 2);
    (matches!(region, 1..=3 | 6..=8 | 17 | 20 | 21 | 24 | 25 | 27 | 28 | 31 | 35 | 37..=41 | 43..=52 | 55 | 58)
        || matches!(region, 59..=64 | 67..=74 | 78 | 79 | 81 | 83 | 85..=88 | 93..=99))
        && number(bytes, 2, 7) != 0
}

pub(super) fn de_identity(bytes: &[u8]) -> bool {
    b"LMNPRTVWXYCFGHJK".contains(&byte(bytes, 0))
        && !bytes.iter().any(|byte| b"ABDEIOQSU".contains(byte))
        && document(bytes)
}

pub(super) fn de_passport(bytes: &[u8]) -> bool {
    b"CFGHJK".contains(&byte(bytes, 0))
        && !bytes.iter().any(|byte| b"ABDEIOQSU".contains(byte))
        && bytes.iter().any(u8::is_ascii_digit)
        && (bytes.len() == 9 || document(bytes))
}

pub(super) fn register(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 2), b'A' | b'B') && byte(bytes, 3) != b'0'
}

pub(super) fn postal(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 5), 1001..=99_998)
}

/// Digits, the letter as two of them, weighed; the sums of their digits.
pub(super) fn pension(bytes: &[u8]) -> bool {
    let letter = value(byte(bytes, 8)) - 9;
    let digits = [
        digit(bytes, 0),
        digit(bytes, 1),
        digit(bytes, 2),
        digit(bytes, 3),
        digit(bytes, 4),
        digit(bytes, 5),
        digit(bytes, 6),
        digit(bytes, 7),
        letter / 10,
        letter % 10,
        digit(bytes, 9),
        digit(bytes, 10),
    ];
    let weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
    let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| cross(digit * weight)).sum();
    sum % 10 == digit(bytes, 11)
        && matches!(number(bytes, 4, 2), 1..=12)
        && matches!(number(bytes, 2, 2) % 50, 1..=31)
}

pub(super) fn health(bytes: &[u8]) -> bool {
    let letter = value(byte(bytes, 0)) - 9;
    let head = [letter / 10, letter % 10];
    let digits = head.into_iter().chain(bytes.iter().skip(1).take(8).map(|byte| value(*byte)));
    let sum: u32 = digits.zip([1, 2].iter().cycle()).map(|(digit, weight)| cross(digit * weight)).sum();
    sum % 10 == digit(bytes, 9)
}

pub(super) fn nif(bytes: &[u8]) -> bool {
    byte(bytes, 8) == letter_of(b"TRWAGMYFPDXBNJZSQVHLCKE", (number(bytes, 0, 8) % 23) as u32)
}

pub(super) fn nie(bytes: &[u8]) -> bool {
    let first = match byte(bytes, 0) {
        b'X' => 0,
        b'Y' => 1,
        b'Z' => 2,
        _ => return false,
    };
    let rest = (first * 10_000_000 + number(bytes, 1, 7)) % 23;
    byte(bytes, 8) == letter_of(b"TRWAGMYFPDXBNJZSQVHLCKE", rest as u32)
}

pub(super) fn hetu(bytes: &[u8]) -> bool {
    let serial = bytes.len() - 4;
    let rest = (number(bytes, 0, 6) * 1000 + number(bytes, serial, 3)) % 31;
    date(number(bytes, 4, 2), number(bytes, 2, 2), number(bytes, 0, 2))
        && (bytes.len() == 10 || b"ABCDEFUVWXY".contains(&byte(bytes, 6)))
        && byte(bytes, serial + 3) == letter_of(b"0123456789ABCDEFHJKLMNPRSTUVWXY", rest as u32)
}

pub(super) fn nir(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'1' | b'2')
        && matches!(number(bytes, 3, 2), 1..=12 | 20 | 30..=42 | 50..)
        && 97 - number(bytes, 0, 13) % 97 == number(bytes, 13, 2)
}

pub(super) fn aadhaar(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 0), b'2'..=b'9') && !bytes.iter().eq(bytes.iter().rev()) && verhoeff(bytes)
}

pub(super) fn nin(bytes: &[u8]) -> bool {
    verhoeff(bytes) && !uniform(bytes)
}

pub(super) fn pan(bytes: &[u8]) -> bool {
    b"ABCFGHJLPT".contains(&byte(bytes, 3)) && number(bytes, 5, 4) > 0
}

pub(super) fn gstin(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 1..=37)
}

pub(super) fn nonzero_second(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 1), b'1'..=b'9') && byte(bytes, 7) != b'0'
}

const STATES: &[u8] = b"ANAPARASBRCHDDDLDNGAGJHPHRJHJKKAKLLALDMHMLMNMPMZNLODORPBPYRJSKTNTRTSUKUPUAWB";

pub(super) fn indian_plate(bytes: &[u8]) -> bool {
    STATES.chunks(2).any(|state| bytes.starts_with(state))
}

pub(super) fn fiscal_code(bytes: &[u8]) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let sum: u32 = bytes
        .iter()
        .take(15)
        .enumerate()
        .map(|(at, byte)| {
            let place = if byte.is_ascii_digit() { value(*byte) } else { value(*byte) - 10 };
            if at % 2 == 0 { ODD.get(place as usize).copied().unwrap_or(0) } else { place }
        })
        .sum();
    byte(bytes, 15) == b'A' + (sum % 26) as u8 && b"ABCDEHLMPRST".contains(&byte(bytes, 8))
}

pub(super) fn italian_driver(bytes: &[u8]) -> bool {
    !bytes.starts_with(b"U1") || !bytes.iter().skip(2).take(7).any(|byte| b"AEIOQV".contains(byte))
}

pub(super) fn korean_resident(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    dated(bytes)
        && matches!(byte(bytes, 6), b'1'..=b'4' | b'9' | b'0')
        && (11 - sum % 11) % 10 == digit(bytes, 12)
}

pub(super) fn korean_foreigner(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]);
    dated(bytes) && matches!(byte(bytes, 6), b'5'..=b'8') && (13 - sum % 11) % 10 == digit(bytes, 12)
}

pub(super) fn korean_business(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[1, 3, 7, 1, 3, 7, 1, 3, 5]) + digit(bytes, 8) * 5 / 10;
    (10 - sum % 10) % 10 == digit(bytes, 9)
}

pub(super) fn korean_passport(bytes: &[u8]) -> bool {
    b"MSDRGO".contains(&byte(bytes, 0))
}

pub(super) fn korean_driver(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 11..=28)
}

pub(super) fn pesel(bytes: &[u8]) -> bool {
    let month = number(bytes, 2, 2) % 20;
    date(number(bytes, 0, 2), month, number(bytes, 4, 2))
        && weighted(bytes, &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]).is_multiple_of(10)
}

/// Of organisations: what would be a month is at least 20.
pub(super) fn swedish_organisation(bytes: &[u8]) -> bool {
    matches!(byte(bytes, 2), b'2'..=b'9') && luhn(bytes)
}

pub(super) fn swedish_person(bytes: &[u8]) -> bool {
    let short = bytes.get(bytes.len().saturating_sub(10)..).unwrap_or_default();
    // A coordination number has 60 added to its day.
    let day = number(short, 4, 2) % 60;
    date(number(short, 0, 2), number(short, 2, 2), day)
        && luhn(short)
        && (bytes.len() == 10 || matches!(number(bytes, 0, 2), 18..=20))
}

pub(super) fn fin(bytes: &[u8]) -> bool {
    let offset = match byte(bytes, 0) {
        b'S' | b'F' => 0,
        b'T' | b'G' => 4,
        b'M' => 3,
        _ => return false,
    };
    let sum = weighted(bytes.get(1..).unwrap_or_default(), &[2, 7, 6, 5, 4, 3, 2]) + offset;
    let alphabet: &[u8; 11] = match byte(bytes, 0) {
        b'S' | b'T' => b"JZIHGFEDCBA",
        b'M' => b"XWUTRQPNJLK",
        _ => b"XWUTRQPNMLK",
    };
    byte(bytes, 8) == letter_of(alphabet, sum % 11)
}

/// Businesses, companies, and everybody else.
pub(super) fn uen(bytes: &[u8]) -> bool {
    let last = byte(bytes, bytes.len().wrapping_sub(1));
    match bytes.len() {
        9 => last == letter_of(b"XMKECAWLJDB", weighted(bytes, &[10, 4, 9, 3, 8, 2, 7, 1]) % 11),
        _ if byte(bytes, 0).is_ascii_digit() => {
            last == letter_of(b"ZKCMDNERGWH", weighted(bytes, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11)
        }
        _ => {
            const ALPHABET: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWX0123456789";
            let place = |byte: &u8| ALPHABET.iter().position(|known| known == byte).unwrap_or(0) as u32;
            let sum: u32 = bytes
                .iter()
                .zip([4, 3, 5, 3, 10, 2, 2, 5, 7])
                .map(|(byte, weight)| place(byte) * weight)
                .sum();
            b"RST".contains(&byte(bytes, 0)) && last == letter_of(ALPHABET, (sum + 6) % 11)
        }
    }
}

pub(super) fn thai(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
    // The second and third digit are a province.
    matches!(number(bytes, 1, 2), 10..=27 | 30..=58 | 60..=67 | 70..=77 | 80..=86 | 90..=96)
        && byte(bytes, 0) != b'0'
        && (11 - sum % 11) % 10 == digit(bytes, 12)
}

pub(super) fn turkish(bytes: &[u8]) -> bool {
    let odd: u32 = [0, 2, 4, 6, 8].iter().map(|at| digit(bytes, *at)).sum();
    let even: u32 = [1, 3, 5, 7].iter().map(|at| digit(bytes, *at)).sum();
    byte(bytes, 0) != b'0'
        && (odd * 7 + 90 - even) % 10 == digit(bytes, 9)
        && (odd + even + digit(bytes, 9)) % 10 == digit(bytes, 10)
}

pub(super) fn cpf(bytes: &[u8]) -> bool {
    let check = |weights: &[u32]| match weighted(bytes, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !uniform(bytes)
        && check(&[10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 9)
        && check(&[11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 10)
}

pub(super) fn cnpj(bytes: &[u8]) -> bool {
    let check = |weights: &[u32]| match weighted(bytes, weights) % 11 {
        0 | 1 => 0,
        rest => 11 - rest,
    };
    !uniform(bytes)
        && check(&[5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 12)
        && check(&[6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2]) == digit(bytes, 13)
}

pub(super) fn bsn(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[9, 8, 7, 6, 5, 4, 3, 2]);
    sum % 11 == digit(bytes, 8) && !uniform(bytes)
}

/// Those born since 2000 have a 2 put before.
pub(super) fn belgian(bytes: &[u8]) -> bool {
    let (body, check) = (number(bytes, 0, 9), number(bytes, 9, 2));
    let month = number(bytes, 2, 2) % 20;
    month <= 12
        && number(bytes, 4, 2) <= 31
        && (97 - body % 97 == check || 97 - (2_000_000_000 + body) % 97 == check)
}

pub(super) fn norwegian(bytes: &[u8]) -> bool {
    weighted(bytes, &[3, 7, 6, 1, 8, 9, 4, 5, 2, 1]).is_multiple_of(11)
        && weighted(bytes, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)
        && !uniform(bytes)
}

pub(super) fn danish(bytes: &[u8]) -> bool {
    date(number(bytes, 4, 2), number(bytes, 2, 2), number(bytes, 0, 2))
}

pub(super) fn ahv(bytes: &[u8]) -> bool {
    bytes.starts_with(b"756") && weighted(bytes, &[1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]).is_multiple_of(10)
}

pub(super) fn chinese(bytes: &[u8]) -> bool {
    let sum = weighted(bytes, &[7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
    date(number(bytes, 8, 2), number(bytes, 10, 2), number(bytes, 12, 2))
        && byte(bytes, 17) == letter_of(b"10X98765432", sum % 11)
}

pub(super) fn curp(bytes: &[u8]) -> bool {
    date(number(bytes, 4, 2), number(bytes, 6, 2), number(bytes, 8, 2)) && b"HMX".contains(&byte(bytes, 10))
}

/// North America: neither area nor exchange begins with 0 or 1, nor is either a service.
pub(super) fn nanp(bytes: &[u8]) -> bool {
    let national = bytes.get(bytes.len().saturating_sub(10)..).unwrap_or_default();
    let service = |place: usize| byte(national, place + 1) == b'1' && byte(national, place + 2) == b'1';
    matches!(byte(national, 0), b'2'..=b'9')
        && matches!(byte(national, 3), b'2'..=b'9')
        && !service(0)
        && !service(3)
}

/// A trunk prefix, then an area.
pub(super) fn trunk(bytes: &[u8]) -> bool {
    byte(bytes, 0) == b'0'
        && matches!(byte(bytes, 1), b'1'..=b'9')
        && !uniform(bytes.get(2..).unwrap_or_default())
}

/// The same in pairs, unless they count: `01 02 03 04 05`.
pub(super) fn pairs(bytes: &[u8]) -> bool {
    let counts = |place: usize| number(bytes, place, 2) == number(bytes, place - 2, 2) + 1;
    trunk(bytes) && ![2, 4, 6, 8].into_iter().all(counts)
}

pub(super) fn philippine(bytes: &[u8]) -> bool {
    bytes.starts_with(b"09")
}
