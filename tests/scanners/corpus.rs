//! Sentences with personal data, by kind and language, in two halves: one for tuning, one for judging. The halves share
//! neither a sentence nor a value. Both are drawn from a seed.

use mcp_sieve::middleware::scan::Kind;

use crate::{generate::Labelled, random::Random};

/// Which half a sentence is of. Nothing is tuned on the second: only its figures are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    Tuning,
    Judging,
}

/// Sentences, with `{}` where the value stands, and the parts that values are made of: one of each list in turn. In a
/// part `#` is a digit, `^` a digit but 0, `$` a capital.
#[derive(Debug)]
pub struct Sentences {
    pub around: &'static [&'static str],
    pub parts: &'static [&'static [&'static str]],
}

/// A kind in a language.
#[derive(Debug)]
pub struct Class {
    pub kind: Kind,
    pub language: &'static str,
    /// Whether a drawn value can be one.
    pub holds: fn(&str) -> bool,
    pub tuning: Sentences,
    pub judging: Sentences,
}

impl Class {
    /// Draws a sentence with its label.
    pub fn sentence(&self, half: Half, random: &mut Random) -> Labelled {
        let sentences = if half == Half::Tuning { &self.tuning } else { &self.judging };
        let value = loop {
            let draw = |part: &&[&str]| {
                let part = *random.pick::<&str>(part);
                expand(part, random)
            };
            let value: String = sentences.parts.iter().map(draw).collect();
            if (self.holds)(&value) {
                break value;
            }
        };
        let (before, behind) = random.pick(sentences.around).split_once("{}").unwrap();
        Labelled {
            text: format!("{before}{value}{behind}"),
            truth: vec![(self.kind, before.len(), before.len() + value.len())],
        }
    }
}

fn expand(part: &str, random: &mut Random) -> String {
    let one = |character: char| match character {
        '#' => char::from(b'0' + random.below(10) as u8),
        '^' => char::from(b'1' + random.below(9) as u8),
        '$' => char::from(b'A' + random.below(26) as u8),
        other => other,
    };
    part.chars().map(one).collect()
}

fn any(_: &str) -> bool {
    true
}

fn digits(value: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    value.chars().filter_map(|character| character.to_digit(10))
}

fn luhn(value: &str) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let sum: u32 = digits(value)
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { digit } else { double(digit) })
        .sum();
    sum.is_multiple_of(10)
}

/// ISO 7064, modulo 97: the country and its check digits count last, letters as two digits.
fn iban(value: &str) -> bool {
    let plain: Vec<u32> = value.chars().filter_map(|character| character.to_digit(36)).collect();
    let step = |rest: u32, digit: &u32| (rest * if *digit > 9 { 100 } else { 10 } + digit) % 97;
    plain[4..].iter().chain(&plain[..4]).fold(0, step) == 1
}

fn weighted(value: &str, weights: &[i32]) -> i32 {
    digits(value).zip(weights).map(|(digit, weight)| digit as i32 * weight).sum()
}

fn nhs(value: &str) -> bool {
    weighted(value, &[10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 == 0
}

fn bsn(value: &str) -> bool {
    weighted(value, &[9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 == 0
}

fn cpf(value: &str) -> bool {
    let check = |sum: i32| sum * 10 % 11 % 10;
    let all: Vec<i32> = digits(value).map(|digit| digit as i32).collect();
    check(weighted(value, &[10, 9, 8, 7, 6, 5, 4, 3, 2])) == all[9]
        && check(weighted(value, &[11, 10, 9, 8, 7, 6, 5, 4, 3, 2])) == all[10]
}

fn nif(value: &str) -> bool {
    let number = digits(value).fold(0, |number, digit| number * 10 + digit) as usize;
    value.as_bytes().last() == b"TRWAGMYFPDXBNJZSQVHLCKE".get(number % 23)
}

fn social_security(value: &str) -> bool {
    let number: Vec<_> = value.split('-').collect();
    !matches!(number[0], "000" | "666") && number[0] < "900" && number[1] != "00" && number[2] != "0000"
}

/// A byte, for the parts of an address.
fn address(value: &str) -> bool {
    let mut numbers = value.split('.').map(|part| part.parse::<u32>().unwrap_or(999));
    let first = numbers.next().unwrap_or_default();
    numbers.all(|number| number < 256) && (11..100).contains(&first)
}

const fn class(
    kind: Kind,
    language: &'static str,
    holds: fn(&str) -> bool,
    tuning: Sentences,
    judging: Sentences,
) -> Class {
    Class { kind, language, holds, tuning, judging }
}

const fn of(around: &'static [&'static str], parts: &'static [&'static [&'static str]]) -> Sentences {
    Sentences { around, parts }
}

/// Every class that is measured.
pub const CLASSES: &[Class] = &[
    class(
        Kind::Phone,
        "en",
        any,
        of(
            &[
                "Phone: {}",
                "Mobile: {}.",
                "WhatsApp {}, any time",
                "Tel. {}; evenings only",
                "her cell is {}",
                "Fax: {} - attention of sales",
            ],
            &[&[
                "9### ####",
                "7## ### ###",
                "2##-5##-01##",
                "(2##) 5##-01##",
                "+1-6##-5##-01##x^##",
                "6##-5##-01##x^#",
                "+44 20 79## ####",
                "07### ######",
            ]],
        ),
        of(
            &[
                "My phone number is {}",
                "Reach me by phone at {} please",
                "Telephone {} (office)",
                "Call {} for a quote",
                "cell: {} - after six",
                "Contact number: {}",
            ],
            &[&[
                "8### ####",
                "61# ### ###",
                "3##.5##.01##",
                "3## 5##-01##",
                "+1 4## 5## 01## x^###",
                "+353 1 4## ####",
                "+61 2 9### ####",
                "4##-5##-01##x^##",
                "0131 4## ####",
            ]],
        ),
    ),
    class(
        Kind::Phone,
        "de",
        any,
        of(
            &["Telefon: {}", "Mobil: {}, gern abends", "Tel.: {}"],
            &[&["030 ^#######", "0171 ^######", "+49 89 ^######", "0221/^######"]],
        ),
        of(
            &["Handy: {}", "Meine Telefonnummer ist {}", "Rufnummer {} (Büro)"],
            &[&["040 ^#######", "0152 ^#######", "+49 711 ^######", "069/^######"]],
        ),
    ),
    class(
        Kind::Phone,
        "fr",
        any,
        of(&["Téléphone : {}", "Tél. {}"], &[&["01 4# ^# ## ##", "+33 6 ^# ## ## ##", "06.^#.##.##.##"]]),
        of(
            &["Portable : {}", "Mon numéro de téléphone est le {}"],
            &[&["04 7# ^# ## ##", "+33 1 4# ## ## ##", "07-^#-##-##-##"]],
        ),
    ),
    class(
        Kind::Phone,
        "es",
        any,
        of(
            &["Teléfono: {}", "Móvil: {}", "Tel. {}", "Llámeme al {}"],
            &[&["91# ### ###", "6## ## ## ##", "+34 6## ### ###"]],
        ),
        of(
            &["Mi teléfono es {}", "Tfno. {}", "Llame al {}"],
            &[&["93# ### ###", "7## ## ## ##", "+34 93# ## ## ##"]],
        ),
    ),
    class(
        Kind::Phone,
        "it",
        any,
        of(&["Telefono: {}", "Cellulare: {}"], &[&["06 6### ####", "33# ### ####", "+39 02 ########"]]),
        of(
            &["Cell. {}", "Il mio numero di telefono è {}"],
            &[&["02 7### ####", "34# #######", "+39 06 ########"]],
        ),
    ),
    class(
        Kind::Card,
        "en",
        luhn,
        of(
            &[
                "card {}",
                "Visa card number: {}",
                "paid with credit card {}.",
                "card no. {}",
                "the card is {} (valid)",
            ],
            &[&[
                "4### #### #### ####",
                "51## #### #### ####",
                "37## ###### #####",
                "6011 #### #### ####",
                "3530 #### #### ####",
                "5018########",
                "2200 #### #### ####",
                "180030#########",
                "6250############",
                "51##############",
                "3589############",
                "3814 ###### ####",
                "630490######",
                "5612############",
                "2201############",
            ]],
        ),
        of(
            &["Please charge my card: {}", "Mastercard {}, expires soon", "debit card no. {}"],
            &[&[
                "4###-####-####-####",
                "54##############",
                "34#############",
                "6221#### ########",
                "3566############",
                "676770######",
                "2204############",
                "213100#########",
                "3600 ###### ####",
            ]],
        ),
    ),
    class(
        Kind::Card,
        "de",
        luhn,
        of(&["Kreditkarte: {}", "Karte {}"], &[&["4### #### #### ####", "55## #### #### ####"]]),
        of(
            &["Meine Kartennummer lautet {}", "Kreditkartennummer: {}"],
            &[&["4###############", "53##############", "37#############"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "en",
        any,
        of(
            &["born {}", "DOB: {}", "date of birth: {}"],
            &[&["March 1^th, 19^#", "1^th July 19^#", "0^/1^/19^#", "19^#-0^-1^"]],
        ),
        of(
            &["She was born on {} in Leeds", "Birthday: {}", "Birth date {}, female"],
            &[&["May 2^th, 19^#", "1^th of October 19^#", "1^.0^.19^#", "August 1^, 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "de",
        any,
        of(&["geboren am {}", "Geburtsdatum: {}"], &[&["1^. März 19^#", "1^.0^.19^#", "2^. Oktober 19^#"]]),
        of(
            &["geb. {} in Köln", "Sie wurde am {} geboren"],
            &[&["1^. Mai 19^#", "2^.1.19^#", "1^. Dezember 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "fr",
        any,
        of(&["né le {}", "Date de naissance : {}"], &[&["1^ mars 19^#", "1^/0^/19^#", "1er juin 19^#"]]),
        of(
            &["Elle est née le {} à Lyon", "naissance : {}"],
            &[&["2^ février 19^#", "2^/1/19^#", "1er août 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "es",
        any,
        of(&["nacido el {}", "Fecha de nacimiento: {}"], &[&["1^ de marzo de 19^#", "1^/0^/19^#"]]),
        of(&["Nació el {} en Sevilla", "F. nacimiento {}"], &[&["2^ de octubre de 19^#", "2^-0^-19^#"]]),
    ),
    class(
        Kind::DateOfBirth,
        "it",
        any,
        of(&["nato il {}", "Data di nascita: {}"], &[&["1^ marzo 19^#", "1^/0^/19^#"]]),
        of(
            &["È nata a Torino il {}", "nascita: {}"],
            &[&["2^ settembre 19^#", "2^.0^.19^#", "1º gennaio 19^#"]],
        ),
    ),
    class(
        Kind::DateOfBirth,
        "nl",
        any,
        of(&["geboren op {}", "Geboortedatum: {}"], &[&["1^ maart 19^#", "1^-0^-19^#"]]),
        of(&["Zij is op {} geboren", "geb.datum {}"], &[&["2^ augustus 19^#", "2^-1-19^#"]]),
    ),
    class(
        Kind::DateOfBirth,
        "pt",
        any,
        of(&["nascido em {}", "Data de nascimento: {}"], &[&["1^ de março de 19^#", "1^/0^/19^#"]]),
        of(&["Nasceu a {} no Porto", "nascida em {}"], &[&["2^ de setembro de 19^#", "2^-0^-19^#"]]),
    ),
    class(
        Kind::DateOfBirth,
        "pl",
        any,
        of(&["urodzony {}", "Data urodzenia: {}"], &[&["1^ marca 19^#", "1^.0^.19^#"]]),
        of(&["urodziła się {} w Gdyni", "ur. {}"], &[&["2^ września 19^#", "2^.1.19^#"]]),
    ),
    class(
        Kind::Person,
        "en",
        any,
        of(
            &["My name is {}.", "Dear {}, thank you", "signed by {}", "Patient: {}"],
            &[
                &["Sarah ", "Łukasz ", "Óscar ", "Özlem ", "Priya ", "Élodie "],
                &["Kowalski", "García", "Yılmaz", "O’Brien", "Whitfield", "Novak"],
            ],
        ),
        of(
            &["Hi, I'm {} from accounts", "the tenant {} moved", "Regards, {}", "Name: {}"],
            &[
                &["Martha ", "Żaneta ", "Ángel ", "Çağla ", "Kwabena ", "Émile "],
                &["Wiśniewska", "Ibáñez", "Öztürk", "D’Angelo", "Pemberton", "Haddad"],
            ],
        ),
    ),
    class(
        Kind::Person,
        "de",
        any,
        of(
            &["Sehr geehrter Herr {}, vielen Dank", "Frau {} hat angerufen"],
            &[&["Krüger", "Schönfeld", "Jörg Bäcker", "Annegret Lohse"]],
        ),
        of(
            &["Ich heiße {} und wohne hier", "Mein Name ist {}."],
            &[&["Ulf ", "Änne ", "Wiebke ", "Detlef "], &["Hansen", "Österreicher", "Kühn", "Petersen"]],
        ),
    ),
    class(
        Kind::Person,
        "fr",
        any,
        of(
            &["Madame {} est absente", "Monsieur {} a appelé"],
            &[&["Lefèvre", "Chloé Perrin", "Gaël Guérin"]],
        ),
        of(
            &["Je m'appelle {} et voilà", "Mon nom est {}."],
            &[&["Solène ", "Éric ", "Yann "], &["Caron", "Lemaître", "Besnard"]],
        ),
    ),
    class(
        Kind::Person,
        "es",
        any,
        of(&["Señora {} llamó ayer", "Sr. {} vive aquí"], &[&["Marta Núñez", "Íñigo Ortega", "Castaño"]]),
        of(
            &["Me llamo {} y vivo aquí", "Mi nombre es {}."],
            &[&["Aitana ", "Álex ", "Jacinto "], &["Quintana", "Peñalver", "Cabrera"]],
        ),
    ),
    class(
        Kind::Address,
        "en",
        any,
        of(
            &["Ship to {}.", "I live at {}"],
            &[&[
                "^# Oak Avenue, Boston, MA 021##",
                "^## Elm Street, Austin, TX 787##",
                "^ High Street, Sheffield S1 2$$",
                "350 5th Ave, New York, NY 101##",
                "^# Collins Street, Melbourne VIC 30##",
                "^## King Street, Toronto, ON M5V 2$^",
            ]],
        ),
        of(
            &["The parcel goes to {}, thanks", "Billing address: {}"],
            &[&[
                "^## Cedar Lane, Denver, CO 802##",
                "^# Birch Road, Portland, OR 972##",
                "^# Station Road, Leeds LS1 4$$",
                "^# George Street, Sydney NSW 20##",
                "^## Bay Street, Vancouver, BC V6B 1$^",
                "^ Church Street, Dublin",
            ]],
        ),
    ),
    class(
        Kind::Address,
        "de",
        any,
        of(
            &["Adresse: {}", "wohnt in der {}."],
            &[&[
                "Hauptstraße ^#, 101## Berlin",
                "Lindenweg ^, 803## München",
                "Bahnhofstrasse ^#, 80## Zürich",
            ]],
        ),
        of(
            &["Lieferung an {}", "Anschrift: {}"],
            &[&["Goethestraße ^#, 603## Frankfurt", "Rosenweg ^, 104# Wien", "Seestrasse ^#, 30## Bern"]],
        ),
    ),
    class(
        Kind::Address,
        "fr",
        any,
        of(&["Adresse : {}"], &[&["^# rue de Rivoli, 7500^ Paris", "^ avenue Foch, 690## Lyon"]]),
        of(&["Livrer au {}"], &[&["^# boulevard Carnot, 310## Toulouse", "^ rue Nationale, 590## Lille"]]),
    ),
    class(
        Kind::Address,
        "es",
        any,
        of(&["Dirección: {}"], &[&["Calle Mayor ^#, 280## Madrid", "Avenida Diagonal ^##, 080## Barcelona"]]),
        of(&["Vive en {}"], &[&["Calle Real ^#, 410## Sevilla", "Plaza Nueva ^, 480## Bilbao"]]),
    ),
    class(
        Kind::Address,
        "it",
        any,
        of(&["Indirizzo: {}"], &[&["Via Roma ^#, 001## Roma", "Corso Italia ^, 201## Milano"]]),
        of(&["Abita in {}"], &[&["Via Garibaldi ^#, 101## Torino", "Piazza Dante ^, 801## Napoli"]]),
    ),
    class(
        Kind::Address,
        "nl",
        any,
        of(&["Adres: {}"], &[&["Keizersgracht ^##, 1016 $$ Amsterdam", "Dorpsstraat ^#, 3511 $$ Utrecht"]]),
        of(&["Woont op {}"], &[&["Kerkstraat ^#, 2511 $$ Rotterdam", "Stationsweg ^, 9711 $$ Groningen"]]),
    ),
    class(
        Kind::Address,
        "pl",
        any,
        of(&["Adres: {}"], &[&["ul. Długa ^#, 00-^## Warszawa"]]),
        of(&["Mieszka przy {}"], &[&["ul. Krótka ^, 31-^## Kraków"]]),
    ),
    class(
        Kind::Email,
        "any",
        any,
        of(
            &["write to {}", "<{}>", "email: {}."],
            &[
                &["jane", "t.okafor", "info+x#"],
                &["@example.com", "@mail.example.org", "@[192.0.2.^#]", "@firma.example"],
            ],
        ),
        of(
            &["cc {}, please", "mailto:{}", "(by {})"],
            &[
                &["r_lind#", "o'hara", "sales-eu"],
                &[
                    "@example.net",
                    "@a.b.example.co.uk",
                    "@[198.51.100.^#]",
                    "@[IPv6:2001:db8::^]",
                    "@münchen.example",
                ],
            ],
        ),
    ),
    class(
        Kind::Ip,
        "any",
        address,
        of(&["host {}", "from {}."], &[&["##.###.##.#", "##.1#.2##.1##"]]),
        of(&["login by {} failed", "client={}"], &[&["##.##.#.##", "##.2##.1#.#"]]),
    ),
    class(
        Kind::Mac,
        "any",
        any,
        of(&["device {}", "MAC {}."], &[&["0^:1A:2B:##:4#:5^", "0^-1A-2B-##-4#-5^"]]),
        of(
            &["hw addr {} joined", "ether {}"],
            &[&["f^:c#:9#:##:e#:b^", "D^-##-A#-##-B#-C^", "0^1a.2b##.4c5^"]],
        ),
    ),
    class(
        Kind::Url,
        "any",
        any,
        of(
            &["clone {}", "remote = {}"],
            &[&[
                "https://bot:s3cr$t#@git.example.com/x",
                "postgresql+asyncpg://user:pw##$@db.example.com/app",
            ]],
        ),
        of(
            &["connect to {} now", "url: {}"],
            &[&[
                "amqp://svc:x#$$#@mq.example.net:5672/v",
                "ftp://me:q$$#@files.example.org/a",
                "mongodb+srv://app:z##$@c.example.com/db",
            ]],
        ),
    ),
    class(
        Kind::Iban,
        "any",
        iban,
        of(&["IBAN {}", "transfer to {}."], &[&["DE## #### #### #### #### ##", "NL##ABNA##########"]]),
        of(
            &["account {}, thanks", "Konto: {}"],
            &[&["GB##NWBK##############", "ES## #### #### #### #### ####", "PL##########################"]],
        ),
    ),
    class(
        Kind::Ssn,
        "en",
        social_security,
        of(&["SSN {}", "social security number: {}."], &[&["1##-##-####", "4##-##-####"]]),
        of(&["my social is {}", "SSN# {}"], &[&["2##-##-####", "5##-##-####"]]),
    ),
    class(
        Kind::UkNhs,
        "en",
        nhs,
        of(&["NHS number {}", "NHS: {}", "NHS number is {}"], &[&["4## ### ####", "9#########"]]),
        of(&["his NHS no. is {}", "(NHS {})"], &[&["6## ### ####", "7#########"]]),
    ),
    class(
        Kind::NlBsn,
        "nl",
        bsn,
        of(&["BSN {}", "BSN: {}"], &[&["1########"]]),
        of(&["burgerservicenummer {}", "mijn BSN is {}"], &[&["2########"]]),
    ),
    class(
        Kind::BrCpf,
        "pt",
        cpf,
        of(&["CPF {}", "CPF: {}"], &[&["1##.###.###-##"]]),
        of(&["meu CPF é {}", "CPF nº {}"], &[&["3##.###.###-##", "5##########"]]),
    ),
    class(
        Kind::EsNif,
        "es",
        nif,
        of(&["DNI {}", "NIF: {}"], &[&["1#######$"]]),
        of(&["mi DNI es {}", "(NIF {})"], &[&["4#######$", "5#######-$"]]),
    ),
];

/// What only looks like something, for precision.
const NOTHING: [&[&str]; 2] = [
    &[
        "order 1##-#######-#######",
        "version ^.#.##.1",
        "took ^#### ms, 01 02 03 04 05",
        "{\"call\":{\"size\":3######}}",
        "**2025-1^-2^** released",
        "at 10.#.#.^#",
        "ISBN 978-0-^##-#####-#",
        "call 3 of ^##",
        "2024-0^-2#T1#:0#:##Z",
        "id 17##############",
        "row 8########",
        "EAN 50###########",
        "-2025-0^-1^",
        "cell ^## of row ^",
        "span 3###############",
        "{\"mobile_users\": 5######}",
        "phone_count=6######",
        "cell_size: 7######",
        "{\"calls\": 5######}",
        "waited 2^#### seconds",
    ],
    &[
        "ticket ^######## was closed",
        "release 20.^.#.# is out",
        "up for 1^###### seconds",
        "{\"phone_calls\": 4######}",
        "+2026-0^-2^",
        "on 192.168.#.^#",
        "EAN 40##########^",
        "cell B^## holds text",
        "see section 4.^.#",
        "trace 9################",
    ],
];

/// Sentences with personal data, and sentences without, by one author.
#[derive(Debug)]
pub struct Corpus {
    pub classes: Vec<&'static Class>,
    pub nothing: [&'static [&'static str]; 2],
}

impl Corpus {
    /// Draws a sentence without anything.
    pub fn nothing(&self, half: Half, random: &mut Random) -> String {
        expand(random.pick::<&str>(self.nothing[usize::from(half == Half::Judging)]), random)
    }
}

/// The corpus of the scanner's authors.
pub fn corpus() -> Corpus {
    Corpus { classes: CLASSES.iter().collect(), nothing: NOTHING }
}
