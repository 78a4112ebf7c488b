//! Bank accounts and payment cards.

use crate::pii::numbers::checksums::digits::{number, uniform, weighted};
use crate::scan::check_digits::{luhn, mod_97};

/// Lengths of IBANs by country: those of the registry, and others that are in use.
const IBANS: &str = "AD24AE23AL28AT20AZ28BA20BE16BF28BG22BH22BI27BJ28BR29BY28CF27CG27CH21CI28CM27CR22CV25CY28\
    CZ24DE22DJ27DK18DO28DZ26EE20EG29ES24FI18FK18FO18FR27GA27GB22GE22GI23GL18GQ27GR27GT28GW25HN28HR21HU28IE22IL23\
    IQ23IR26IS26IT27JO30KM27KW30KZ20LB28LC32LI21LT20LU20LV21LY25MA28MC27MD24ME22MG27MK19ML28MN20MR27MT31MU30MZ25\
    NE28NI28NL18NO15OM23PK24PL28PS29PT25QA29RO24RS22RU33SA24SC31SD18SE24SI19SK24SM27SN28SO23ST25SV28TD27TG28TL23\
    TN24TR26UA29VA22VG24XK20YE30";

/// The lengths by [`country_number`]; 0 for other letters.
#[expect(clippy::indexing_slicing, reason = "when it is compiled, or not at all")]
const LENGTHS: [u8; 26 * 26] = {
    let (mut lengths, (entries, _), mut place) = ([0; 26 * 26], IBANS.as_bytes().as_chunks::<4>(), 0);
    while place < entries.len() {
        let [first, second, tens, ones] = entries[place];
        lengths[country_number(&[first, second])] = (tens - b'0') * 10 + (ones - b'0');
        place += 1;
    }
    lengths
};

/// Returns the index of two capital letters among all pairs.
const fn country_number([first, second]: &[u8; 2]) -> usize {
    first.wrapping_sub(b'A') as usize * 26 + second.wrapping_sub(b'A') as usize
}

/// Returns the length of the IBANs of a country, given its two letters; 0 for a country without IBANs.
pub(crate) fn iban_length(country: [u8; 2]) -> usize {
    let length = LENGTHS.get(country_number(&country.map(|letter| letter.to_ascii_uppercase())));
    usize::from(length.copied().unwrap_or(0))
}

pub(crate) fn iban(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|country| iban_length(*country) == bytes.len())
        && mod_97(bytes.iter().cycle().skip(4).take(bytes.len()).copied()) == 1
}

/// Payment card: the length and the prefix of an issuer, and a Luhn checksum.
pub(crate) fn card(bytes: &[u8]) -> bool {
    let known = matches!(
        (bytes.len(), number(bytes, 0, 4)),
        (13 | 16 | 19, 4000..=4999)
            | (16, 2221..=2720 | 5000..=5999)
            | (15, 1800 | 2131 | 3400..=3499 | 3700..=3799)
            | (16..=19, 2200..=2204)
            | (12..=19, 5000..=5099 | 5600..=5899 | 6300..=6399 | 6700..=6799)
            | (14, 3000..=3059 | 3095 | 3600..=3699 | 3800..=3999)
            | (16..=19, 3528..=3589 | 6000..=6999 | 8100..=8171)
    );
    known && luhn(bytes)
}

pub(crate) fn aba(bytes: &[u8]) -> bool {
    matches!(number(bytes, 0, 2), 0..=12 | 21..=32 | 61..=72 | 80)
        && weighted(bytes, &[3, 7, 1, 3, 7, 1, 3, 7, 1]).is_multiple_of(10)
        && !uniform(bytes)
}
