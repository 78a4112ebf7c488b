//! Numbers of orders, parts and durations that look like telephone numbers and are near words such as *call* and
//! *mobile*: `Call us about order 4123456789.`

use std::{ops::Range, sync::LazyLock};

use crate::{
    pii::{
        names::lexicon::{LEXICON, WordSense},
        numbers::{
            context_words::words_before,
            phone_words::{is_before_word, word_before},
        },
    },
    scan::{
        bytes::{at, before, digits_end, end_of},
        word_table::WordTable,
    },
};

/// Nouns whose numbers look like telephone numbers, in the languages of the words that announce telephones. Plurals by
/// which a business announces its telephone are left out: `Orders: 020 7946 0123`.
const THINGS: &str = "order invoice invoices ticket tickets case cases incident reference references ref refs id ids uuid guid \
    serial sn s/n p/n part parts sku item items article product model version build revision rev release \
    firmware driver port ports row rows column tracking shipment parcel consignment package reservation \
    confirmation transaction receipt payment claim policy contract account acct membership docket entry entries \
    record log job batch lot pin zip isbn issn ean upc gtin asin imei imsi iccid meid doi error errno exit \
    pid tid process thread offset timestamp epoch delta diff checksum hash vat lat lon latitude longitude \
    coordinates range max min int art cat lottery lotto draw flight seat seats room apartment chapter section \
    figure volume edition catalog catalogue complaint bug commit vin lottozahlen ziehung angebot lieferschein \
    quittung az typ modell teil ersatzteil charge bestellung auftrag rechnung vorgang aktenzeichen vertrag \
    reklamation sendung artikel konto kennung zimmer loterie devis reçu commande facture dossier référence réf \
    colis contrat série compte réclamation sorteo presupuesto recibo pedido factura expediente referencia \
    contrato serie artículo cuenta reclamación envío albarán preventivo ricevuta ordine fattura pratica \
    riferimento contratto articolo conto reclamo spedizione bestelling factuur referentie rekening klacht \
    zending powerball euromillions bingo comanda comenzii sipariş objednávka objednávky tilaus ordre beställning \
    encomenda fatura processo referência série artigo conta reclamação zamówienie zamówienia faktura \
    faktury sprawa sprawy umowa umowy seryjny reklamacja przesyłka przesyłki zlecenie";

/// Units that follow a number.
const UNITS: &str = "bytes byte kb mb gb tb kib mib gib ms ns us µs sec secs seconds minutes mins ticks cycles samples units \
    pieces pcs items rows lines words characters chars tokens records requests calls packets frames bits users \
    copies votes views points times usd eur gbp chf pln dollars euros euro pounds km miles meters metres kg \
    grams hz khz mhz kw kwh mw mm cm mah mbit gbit zeilen stück sekunden minuten octets unités secondes segundos \
    unidades secondi sekund sztuk";

#[derive(Debug, Clone, Copy, Default)]
struct Noun {
    thing: bool,
    unit: bool,
}

static NOUNS: LazyLock<WordTable<Noun>> = LazyLock::new(|| {
    let noun = |thing: bool| move |word| (word, Noun { thing, unit: !thing });
    let things = THINGS.split_ascii_whitespace().map(noun(true));
    let words: Vec<_> = things.chain(UNITS.split_ascii_whitespace().map(noun(false))).collect();
    WordTable::new(&words, |one, other| Noun {
        thing: one.thing || other.thing,
        unit: one.unit || other.unit,
    })
});

/// Returns whether a number that looks like a telephone number is another number. If `grouped`, its groups alone make
/// it a telephone number, and only the word directly before it counts.
#[inline(never)]
pub(crate) fn is_of_other(bytes: &[u8], start: usize, end: usize, grouped: bool) -> bool {
    if !grouped && is_amount(bytes, end) || counts(bytes, start) {
        return true;
    }
    if word_before(bytes, start).is_some() {
        return false;
    }
    // The start of the following word, whether the last word such as *phone* is part of a compound, and whether only
    // words such as *number is* were in between.
    let (mut next, mut compound, mut adjacent) = (None, false, true);
    let mut words = words_before(bytes, start).peekable();
    // A field of a table is not about the noun in another field: `driver,+1 (604) 555-0135`.
    let is_field = |word: &Range<usize>| {
        bytes
            .get(word.end..start)
            .is_some_and(|gap| gap.iter().any(|byte| matches!(byte, b',' | b'|' | b'\t')))
    };
    if grouped && words.peek().is_some_and(is_field) {
        return false;
    }
    while let Some(word) = words.next() {
        let text = bytes.get(word.clone()).unwrap_or_default();
        let sense = LEXICON.sense(text);
        if sense.is(WordSense::PHONE) {
            compound = is_compound(bytes, text, word.end, next);
            if !compound {
                return false;
            }
        } else if has_own_number(bytes, word.end, start) {
            // `Order 4471 is late`
        } else if is_thing(bytes, text, word.start) {
            // `Caller ID 415 555 0132`, `To order 0800 123 456`, `tel. part. 0351 471 8826`
            let led = words.peek().and_then(|word| bytes.get(word.clone())).unwrap_or_default();
            let is_led = [&b"caller"[..], b"to"].iter().any(|known| known.eq_ignore_ascii_case(led))
                || at(bytes, word.end) == b'.' && LEXICON.has(led, WordSense::PHONE);
            return !is_led && (adjacent || !is_before_word(bytes, end));
        } else if !(sense.is(WordSense::NUMBER) || sense.is(WordSense::LEADING)) {
            adjacent = false;
            if grouped {
                return false;
            }
        }
        next = Some(word.start);
    }
    compound && !grouped
}

/// Returns whether a word is a noun of the list, or a compound such as *Kundennummer*.
fn is_thing(bytes: &[u8], word: &[u8], start: usize) -> bool {
    // `S/N`, `P/N`
    let of_two = word.eq_ignore_ascii_case(b"n") && before(bytes, start, 1) == b'/';
    let compound = |ending: &[u8]| {
        let head = word.len().checked_sub(ending.len()).filter(|head| *head > 0);
        head.and_then(|head| word.get(head..)).is_some_and(|found| found.eq_ignore_ascii_case(ending))
    };
    // `Art.-Nr.`
    let of_abbreviation = before(bytes, start, 1) == b'.' && word.eq_ignore_ascii_case(b"-nr");
    // `Mobilfunknummer`
    let of_phone = || {
        const HEADS: [&[u8]; 11] = [
            b"notfall",
            b"tel",
            b"mob",
            b"handy",
            b"ruf",
            b"fax",
            b"gsm",
            b"notruf",
            b"festnetz",
            b"service",
            b"kontakt",
        ];
        let begins =
            |head: &&[u8]| word.get(..head.len()).is_some_and(|found| found.eq_ignore_ascii_case(head));
        HEADS.iter().any(begins)
    };
    let of_compound = (compound(b"nummer") || compound(b"nr")) && !of_phone();
    of_two || of_abbreviation || NOUNS.get(word).thing || of_compound
}

/// Returns whether another number than the one at `start` follows a noun.
fn has_own_number(bytes: &[u8], noun: usize, start: usize) -> bool {
    let digit = end_of(bytes, noun, 4, |byte| matches!(byte, b' ' | b'#' | b':' | b'.'));
    digit < start && at(bytes, digit).is_ascii_digit()
}

/// Returns whether a word such as *phone* only describes the next word: `phone case`, `cell battery`.
fn is_compound(bytes: &[u8], word: &[u8], end: usize, next: Option<usize>) -> bool {
    const NOUNS: [&[u8]; 5] = [b"phone", b"cell", b"mobile", b"fax", b"telephone"];
    let Some(next) = next.filter(|next| *next == end + 1 && at(bytes, end) == b' ') else { return false };
    let stop = end_of(bytes, next, 24, |byte| byte.is_ascii_lowercase());
    let other = bytes.get(next..stop).unwrap_or_default();
    let verb = [&b"ed"[..], b"ing", b"ly"].iter().any(|ending| other.ends_with(ending));
    // Prepositions and pronouns are short, or known.
    other.len() > 3
        && !verb
        && LEXICON.sense(other) == WordSense::default()
        && !matches!(other, b"before" | b"after" | b"with" | b"from" | b"again" | b"please" | b"back")
        && NOUNS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// Returns whether a unit follows a number: `mobile: 412345678 bytes`.
fn is_amount(bytes: &[u8], end: usize) -> bool {
    let start = end + usize::from(at(bytes, end) == b' ');
    let stop = end_of(bytes, start, 16, |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_uppercase() || byte >= 0x80
    });
    start > end && bytes.get(start..stop).is_some_and(|word| NOUNS.get(word).unit)
}

/// Returns whether the groups of a number are two digits each and count, or are more than a telephone number has:
/// `phone 14 15 16 17 18`, `04 17 22 31 45 49`.
fn counts(bytes: &[u8], start: usize) -> bool {
    let pair = |place: usize| {
        let [tens, ones] = [at(bytes, place), at(bytes, place + 1)];
        let two = tens.is_ascii_digit() && ones.is_ascii_digit() && digits_end(bytes, place, 3) == place + 2;
        two.then(|| i32::from(tens) * 10 + i32::from(ones))
    };
    let pairs = [0, 3, 6, 9].map(|place| pair(start + place));
    let [Some(one), Some(two), Some(three), Some(four)] = pairs else { return false };
    let more = [12, 15]
        .into_iter()
        .all(|place| pair(start + place).is_some() && at(bytes, start + place - 1) == b' ');
    more || two - one == three - two && three - two == four - three
}

#[cfg(test)]
mod tests {
    use super::is_of_other;

    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn the_nearest_noun_says_whose_number_it_is() {
        let read = |text: &str, grouped| {
            let digit = |byte: u8| byte.is_ascii_digit();
            let start = text.bytes().position(digit).unwrap_or(0);
            let end = text.bytes().rposition(digit).map_or(0, |last| last + 1);
            is_of_other(text.as_bytes(), start, end, grouped)
        };
        for (text, grouped) in [
            ("Call us about order 4123456789", false),
            ("Case 412 345 6789: call", true),
            ("phone S/N 4123456789", false),
            ("mobile: 412345678 bytes", false),
            ("phone 14 15 16 17 18", false),
            ("cell battery 61234-12345", false),
            ("Rufen Sie an, Kundennummer 0412-34567", false),
        ] {
            assert!(read(text, grouped), "{text}");
        }
        for (text, grouped) in [
            ("Order is late, call me on 4123456789", false),
            ("about my order: my number is 4123456789", false),
            ("Caller ID 412 345 6789", true),
            ("To order 412 345 6789", true),
            ("mobile phone 4123456789", false),
            ("in case it rains, 412 345 6789", true),
        ] {
            assert!(!read(text, grouped), "{text}");
        }
    }
}
