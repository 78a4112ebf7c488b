//! Generates texts with personal data and with similar-looking text, from a seed.

use mcp_sieve_redact::Kind;

use crate::random::Random;

/// A text, and what stands in it.
#[derive(Debug, Default)]
pub struct Labelled {
    pub text: String,
    pub truth: Vec<(Kind, usize, usize)>,
}

impl Labelled {
    fn say(&mut self, words: &str) {
        self.text.push_str(words);
    }

    fn hold(&mut self, kind: Kind, value: &str) {
        let start = self.text.len();
        self.text.push_str(value);
        self.truth.push((kind, start, self.text.len()));
    }
}

/// `#` a digit, `^` a digit but 0, `@` a capital; other characters are themselves.
pub fn shape(random: &mut Random, shape: &str) -> String {
    let one = |character: char, random: &mut Random| match character {
        '#' => char::from(b'0' + random.below(10) as u8),
        '^' => char::from(b'1' + random.below(9) as u8),
        '@' => char::from(b'A' + random.below(26) as u8),
        other => other,
    };
    shape.chars().map(|character| one(character, random)).collect()
}

/// Draws until a number can be one.
fn valid(random: &mut Random, draw: &str, holds: impl Fn(&[u32]) -> bool) -> String {
    loop {
        let number = shape(random, draw);
        let digits: Vec<u32> = number.chars().filter_map(|character| character.to_digit(36)).collect();
        if holds(&digits) {
            return number;
        }
    }
}

fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 0 { *digit } else { digit * 2 / 10 + digit * 2 % 10 })
        .sum();
    sum.is_multiple_of(10)
}

fn iban(digits: &[u32]) -> bool {
    let rotated = digits[4..].iter().chain(&digits[..4]);
    rotated.fold(0u32, |rest, digit| (rest * if *digit > 9 { 100 } else { 10 } + digit) % 97) == 1
}

/// Names that the scanner's page has not, beside some that it has: as many as a page of this size may know.
const GIVEN: &[&str] = &[
    "John",
    "Maria",
    "Priya",
    "Kenji",
    "Olga",
    "Mehmet",
    "Aaliyah",
    "Hannah",
    "Luis",
    "Ingrid",
    "Wei",
    "Chloe",
    "Kwame",
    "Sofia",
    "Bartholomew",
    "Thandiwe",
    "Percival",
    "Ottilie",
    "Grace",
    "Mark",
    "Leticia",
    "Søren",
    "François",
    "Jürgen",
    "Anika",
    "Zbigniew",
];
const SURNAMES: &[&str] = &[
    "Smith",
    "Garcia",
    "Nguyen",
    "Patel",
    "Kowalski",
    "O'Brien",
    "Müller",
    "Okafor",
    "Yamamoto",
    "Lindqvist",
    "Hargreaves",
    "Delacroix",
    "Petrenko",
    "Featherstonehaugh",
    "Castellano",
    "Brown",
    "Young",
    "van Dijk",
    "Abernathy",
    "Rossi",
    "Zielonka",
    "Thistlewood",
];
const STREETS: &[&str] = &[
    "Main Street",
    "Oak Avenue",
    "Elm St",
    "Park Road",
    "Maple Drive",
    "Church Lane",
    "Sunset Blvd",
    "Market Square",
];
const TOWNS: &[&str] = &["Springfield", "Riverton", "Lakewood", "Fairview", "Ashford", "Georgetown"];
const COMPANIES: &[&str] = &[
    "Initech LLC",
    "Globex Corporation",
    "Umbrella Holdings",
    "Wayne Enterprises",
    "Hooli Inc",
    "Stark Industries",
    "Acme Tools GmbH",
    "Northwind Traders Ltd",
    "Cyberdyne Solutions",
    "Vandelay Laboratories",
];
const DOMAINS: &[&str] = &[
    "example.com",
    "mail.example.org",
    "firma.de",
    "uni-example.ac.uk",
    "example.co.jp",
    "xn--80ak6aa92e.com",
];

/// A kind that is measured, what makes one, and what may stand before it.
pub struct Maker {
    pub kind: Kind,
    pub make: fn(&mut Random) -> String,
    pub before: &'static [&'static str],
}

fn person(random: &mut Random) -> String {
    let (given, surname) = (*random.pick(GIVEN), *random.pick(SURNAMES));
    match random.below(5) {
        0 => format!("{given} {}. {surname}", shape(random, "@")),
        1 => given.to_owned(),
        _ => format!("{given} {surname}"),
    }
}

fn email(random: &mut Random) -> String {
    let surname: String =
        random.pick(SURNAMES).to_lowercase().chars().filter(char::is_ascii_alphabetic).collect();
    let domain = *random.pick(DOMAINS);
    match random.below(4) {
        0 => format!("{surname}{}@{domain}", shape(random, "##")),
        1 => format!("j.{surname}+news@{domain}"),
        2 => format!(
            "{}_{surname}@{domain}",
            random.pick(GIVEN).to_lowercase().chars().filter(char::is_ascii).collect::<String>()
        ),
        _ => format!("{surname}@{domain}"),
    }
}

fn phone(random: &mut Random) -> String {
    const SHAPES: &[&str] = &[
        "(2#2) 5#5-####",
        "6#2-4##-####",
        "+1 4#5 5#6 ####",
        "+44 20 7### ####",
        "+49 30 ^#######",
        "+33 6 ## ## ## ##",
        "020 7### ####",
        "06 ^# ## ## ##",
        "1-8#0-5#5-####",
        "+81-3-####-####",
        "5#3.6#8.####",
        "+39 06 ########",
        "07### ######",
    ];
    let drawn = random.pick(SHAPES);
    shape(random, drawn)
}

fn card(random: &mut Random) -> String {
    const SHAPES: &[&str] = &[
        "4### #### #### ####",
        "51## #### #### ####",
        "4### #### #### #### ###",
        "37## ###### #####",
        "6011-####-####-####",
    ];
    let drawn = random.pick(SHAPES);
    valid(random, drawn, luhn)
}

fn bank(random: &mut Random) -> String {
    const SHAPES: &[&str] = &[
        "DE## #### #### #### #### ##",
        "GB##NWBK##############",
        "FR## #### #### #### #### #### ###",
        "NL##ABNA##########",
        "ES######################",
    ];
    let drawn = random.pick(SHAPES);
    valid(random, drawn, iban)
}

fn ip(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("2001:db8:{}::{}", shape(random, "^###"), shape(random, "^#")),
        1 => format!("2a02:810b::{}:{}", shape(random, "^a##"), shape(random, "^b##")),
        _ => format!(
            "{}.{}.{}.{}",
            11 + random.below(112),
            random.below(256),
            random.below(256),
            random.below(256)
        ),
    }
}

fn mac(random: &mut Random) -> String {
    let sign = *random.pick(&[":", "-"]);
    (0..6).map(|_| format!("{:02X}", random.below(250))).collect::<Vec<_>>().join(sign)
}

fn ssn(random: &mut Random) -> String {
    format!("{:03}-{:02}-{:04}", 1 + random.below(660), 1 + random.below(99), 1 + random.below(9999))
}

fn birth(random: &mut Random) -> String {
    let (year, month, day) = (1930 + random.below(85), 1 + random.below(12), 1 + random.below(28));
    match random.below(4) {
        0 => format!("{month:02}/{day:02}/{year}"),
        1 => format!("{year}-{month:02}-{day:02}"),
        2 => format!("{day}.{month}.{year}"),
        _ => format!("{} {day}, {year}", random.pick(&["March", "July", "October", "May"])),
    }
}

fn address(random: &mut Random) -> String {
    let street = format!("{} {}", shape(random, "^##"), random.pick(STREETS));
    match random.below(3) {
        0 => street,
        1 => format!("{street}, {}, IL {}", random.pick(TOWNS), shape(random, "6####")),
        _ => format!("Hauptstraße {}, {} Berlin", shape(random, "^#"), shape(random, "10^##")),
    }
}

fn url(random: &mut Random) -> String {
    format!(
        "https://{}:{}@host{}.example.com/path",
        random.pick(&["admin", "bot", "deploy"]),
        shape(random, "@#@#x@"),
        random.below(10)
    )
}

pub const MAKERS: &[Maker] = &[
    Maker {
        kind: Kind::Person,
        make: person,
        before: &["contact ", "please ask ", "the file of ", "signed by ", "I met ", "Dear ", "regards, "],
    },
    Maker {
        kind: Kind::Organization,
        make: |random| (*random.pick(COMPANIES)).to_owned(),
        before: &["an offer from ", "she works at ", "invoice to "],
    },
    Maker { kind: Kind::Address, make: address, before: &["ship to ", "lives at ", "address: "] },
    Maker { kind: Kind::Email, make: email, before: &["write to ", "email: ", "cc ", "<"] },
    Maker { kind: Kind::Phone, make: phone, before: &["call ", "phone: ", "or ", "tel. ", "reach us at "] },
    Maker { kind: Kind::Card, make: card, before: &["card ", "charged to ", "number: ", "paid with "] },
    Maker { kind: Kind::Iban, make: bank, before: &["IBAN ", "transfer to ", "account: "] },
    Maker { kind: Kind::Ip, make: ip, before: &["from ", "host ", "address ", "src="] },
    Maker { kind: Kind::Mac, make: mac, before: &["device ", "MAC ", "hw addr "] },
    Maker {
        kind: Kind::Ssn,
        make: ssn,
        before: &["SSN ", "social security number: ", "his number is ", "on file: "],
    },
    Maker { kind: Kind::DateOfBirth, make: birth, before: &["born ", "date of birth: ", "DOB ", "born on "] },
    Maker { kind: Kind::Url, make: url, before: &["clone ", "see ", "remote = "] },
    Maker {
        kind: Kind::EsNie,
        make: |random| {
            let number = shape(random, "X#######");
            let rest: usize = number[1..].parse::<usize>().unwrap() % 23;
            format!("{number}{}", &"TRWAGMYFPDXBNJZSQVHLCKE"[rest..=rest])
        },
        before: &["NIE ", "documento "],
    },
    Maker {
        kind: Kind::UsNpi,
        make: |random| valid(random, "1#########", |digits| luhn(&[&[8, 0, 8, 4, 0], digits].concat())),
        before: &["NPI ", "provider identifier "],
    },
];

/// What looks like something and is not.
pub fn decoy(random: &mut Random) -> String {
    const SHAPES: &[&str] = &[
        "order 1^#-#######-#######",
        "order no. ^########",
        "version ^.#.#.##",
        "v^.##.#",
        "release 20.^.#.#",
        "at 2024-0^-1# 1#:2#:3#",
        "$^,###.##",
        "€ ^##.## per month",
        "invoice INV-2024-#####",
        "ticket ABC-^####",
        "build #######",
        "tracking 1Z######^#######",
        "took ^#### ms",
        "page ^## of ^##",
        "room ^0#",
        "sha a3f#^e##b##^c",
        "id 17######^#",
        "timestamp 17########^",
        "ISBN 978-0-^##-#####-#",
        "error 0x^#f#a#",
        "line ^##, column ^#",
        "between 10:^#  and 11:^#",
        "scored 3-^",
        "2024-0^-2#T1#:0#:##Z",
        "ratio 1^:^",
        "RFC ^###",
        "port 8#^#",
        "SKU ^##-##^-##",
        "lot ^#####-A",
        "part 0^##-##",
        "chapter 1.2.3",
        "uuid 5^0e84##-e2#b-41d4-a7#6-44665544####",
        "rev. r1####",
        "commit 9f^#a#c",
        "section 4.^.#",
        "temperature -^#.#",
        "batch ######-##",
        "case no. 2#-cv-0^###",
        "model X^##-B",
        "coordinates 5^.####, -1.####",
        "a sum of ^ ### ###",
        "meeting on 1#/0^/2024",
        "updated 0^.1#.2023",
        "Chrome/12^.0.6^##.1##",
    ];
    let drawn = random.pick(SHAPES);
    shape(random, drawn)
}

const PLAIN: &[&str] = &[
    "The quarterly report is ready for review. ",
    "Please see the attached summary before the meeting on Monday. ",
    "We moved the release to next week. ",
    "This function returns a list of items, newest first. ",
    "It was a bright cold day in April, and the clocks were striking thirteen. ",
    "Set the timeout to thirty seconds and try again. ",
    "All tests passed on Linux and Windows. ",
    "The United States and the European Union signed the agreement. ",
    "See Table 4 in Appendix B for details. ",
    "New users should read the Getting Started guide. ",
    "Customers in New York and San Francisco are affected. ",
    "Thanks for your patience. ",
    "Open the Settings page, choose Notifications and turn them off. ",
    "Error: file not found. ",
    "Will this work on Sunday? ",
    "The May release fixed it. ",
    "Mark all messages as read. ",
    "I hope so. Grace period ends soon. ",
];

/// A text of many sentences.
pub fn text(random: &mut Random, sentences: usize) -> Labelled {
    let mut labelled = Labelled::default();
    for _ in 0..sentences {
        match random.below(5) {
            0 | 1 => {
                let maker = random.pick(MAKERS);
                let value = (maker.make)(random);
                let words = *random.pick(&["Hello, ", "Note: ", "For this, ", "As agreed, ", ""]);
                labelled.say(words);
                let before = *random.pick(maker.before);
                labelled.say(before);
                labelled.hold(maker.kind, &value);
                let end = if before == "<" {
                    ">. "
                } else {
                    *random.pick(&[". ", ", please. ", " as usual.\n", "; thanks. "])
                };
                labelled.say(end);
            }
            2 | 3 => {
                let decoy = decoy(random);
                let words = *random.pick(&["it says ", "see ", "we found ", "that is "]);
                labelled.say(&format!("{words}{decoy}. "));
            }
            _ => {
                let plain = *random.pick(PLAIN);
                labelled.say(plain);
            }
        }
    }
    labelled
}
