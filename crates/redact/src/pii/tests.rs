//! Comparisons of the scanner with a slow one, which examines every position and keeps no state.

use crate::{
    pii::{
        names::lexicon::PAGE,
        network,
        numbers::{
            automaton::{AUTOMATON, Candidate, End},
            birth_date,
            candidates::{
                self, alone, choose_form, from, headed, is_behind_label, is_cell, is_joined_after,
                is_joined_before, is_of_other_kind,
            },
            checksums::finance::iban,
            context_words,
            near_words::NearWords,
            table::FORMS,
        },
        phone,
        scanner::{SHORTEST_NUMBER, ScanState, Scanner},
        street, wallet,
    },
    scan::{
        bytes::{at, digits_end, end_of},
        finding::{Finding, ScanStep},
        kind::Kind,
    },
};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % bound as u64) as usize
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.get(self.below(from.len())).copied().unwrap_or_default()
    }

    /// Returns a number in one of the forms, or nearly so.
    fn number(&mut self, pattern: &str, separators: &str) -> String {
        let separator = separators.chars().nth(self.below(separators.len().max(1)));
        let one = |sign: char| match sign {
            '-' => separator.filter(|sign| *sign != '~'),
            'd' | 'n' | '?' => char::from_digit(self.below(10) as u32, 10),
            'a' | '*' => char::from_u32('A' as u32 + self.below(26) as u32),
            'x' => char::from_digit(self.below(36) as u32, 36),
            other => Some(other),
        };
        pattern.chars().filter_map(one).collect()
    }

    fn text(&mut self, words: &[&str]) -> String {
        const SIGNS: [&str; 24] = [
            " ", " ", " ", " ", ". ", ", ", ": ", "\n", "; ", "-", ".", ":", "::", "@", "://", "[", "]", "/",
            "(", ")", "é", "Dr. ", "van ", "1:a2:",
        ];
        let mut text = String::new();
        for _ in 0..1 + self.below(24) {
            match self.below(6) {
                0 | 1 => text.push_str(self.pick(words)),
                2 => {
                    let place = self.below(FORMS.len());
                    let Some(form) = FORMS.get(place) else { continue };
                    let said: Vec<_> = form.words.split(' ').collect();
                    if self.below(2) == 0 {
                        text.push_str(self.pick(&said));
                        text.push(' ');
                    }
                    text.push_str(&self.number(form.pattern, form.separators));
                }
                _ => {}
            }
            text.push_str(self.pick(&SIGNS));
        }
        text
    }
}

fn naive(scanner: &Scanner, text: &str) -> Vec<Finding> {
    let (mut found, mut from, mut place) = (Vec::new(), 0, 0);
    while place < text.len() {
        match scanner.scan_at(text.as_bytes(), from, place, &mut ScanState::default()) {
            ScanStep::Found(finding) => {
                found.push(finding);
                (from, place) = (finding.end, finding.end);
            }
            ScanStep::SkipTo(next) => place = next.max(place + 1),
        }
    }
    found
}

/// Calls `each` with texts of words and numbers that the scanner knows, and of similar ones.
fn texts(each: impl Fn(&str)) {
    let words: Vec<&str> = PAGE.split_ascii_whitespace().collect();
    (0..4000).for_each(|seed| each(&Random(seed).text(&words)));
}

#[test]
fn passing_over_and_remembering_change_nothing() {
    texts(|text| {
        for strict in [false, true] {
            let scanner = Scanner::new(strict, None);
            let mut found = Vec::new();
            let (mut from, mut memory) = (0, ScanState::default());
            while let Some(finding) = scanner.scan(text.as_bytes(), from, &mut memory) {
                (from, found) = (finding.end, [found, vec![finding]].concat());
            }
            assert_eq!(found, naive(&scanner, text), "{text:?}");
        }
    });
}

#[test]
fn no_number_that_begins_with_a_digit_is_shorter() {
    for form in FORMS.iter().filter(|form| !form.pattern.starts_with(|lead| matches!(lead, 'a' | 'A'..='Z')))
    {
        let least = form.pattern.chars().filter(|sign| !matches!(sign, '-' | '?' | '*')).count();
        assert!(least >= SHORTEST_NUMBER, "{}", form.pattern);
    }
}

#[test]
fn forms_that_nothing_speaks_for_need_no_check() {
    let naive = |scanner: &Scanner, bytes: &[u8], start: usize| {
        let mut number = Candidate::default();
        AUTOMATON.read(bytes, start, scanner.0.wanted_forms, &mut number);
        (0..number.count()).for_each(|place| number.fill(bytes, start, number.end(place)));
        let ends: Vec<_> = (0..number.count()).rev().map(|place| number.end(place)).collect();
        let judged = |end: End| {
            let near = NearWords::default();
            let told = context_words::before(&AUTOMATON, bytes, start, &near)
                | context_words::behind(&AUTOMATON, bytes, end.place, &near);
            let alone = alone(&scanner.0, &AUTOMATON, &number, end.length);
            let told = told | headed(&AUTOMATON, bytes, start, &mut number, end.forms & !alone & !told);
            let form = choose_form(&scanner.0, &AUTOMATON, bytes, start, &number, end, told)?;
            let told = told & end.forms != 0;
            let other = is_of_other_kind(&scanner.0, bytes, start, &number, end, form, told);
            if other { None } else { Some((form.kind, end.place)) }
        };
        let mut ends = ends
            .into_iter()
            .filter(|end| !is_joined_after(bytes, end.place) || is_cell(bytes, start, end.place));
        let joined = is_joined_before(bytes, start) && !is_behind_label(&AUTOMATON, bytes, start);
        if joined { None } else { ends.find_map(judged) }
    };
    texts(|text| {
        let bytes = text.as_bytes();
        for strict in [false, true] {
            let scanner = Scanner::new(strict, None);
            for start in (0..bytes.len()).filter(|start| at(bytes, *start).is_ascii_alphanumeric()) {
                let found = from(&scanner.0, &AUTOMATON, bytes, start, &mut Candidate::default());
                let found = found.map(|found| (found.kind, found.end));
                assert_eq!(found, naive(&scanner, bytes, start), "{text:?} from {start}");
            }
        }
    });
}

#[test]
fn bytes_around_a_token_hide_no_number() {
    const PARTS: [&str; 35] = [
        "1",
        "0",
        "12",
        "14",
        "0049",
        "1985",
        "02108",
        "5551234",
        "+",
        "(",
        ")",
        "-",
        ".",
        "/",
        ",",
        " ",
        " ",
        " ",
        "st",
        "th",
        "x12",
        "born ",
        " rue de Rivoli, ",
        "phone ",
        "Rua Augusta, ",
        " - Bela Vista - São Paulo - SP",
        "Apto 45",
        " Budapest, Aa utca ",
        "-Mar-",
        "-III-",
        "14 03 1985",
        "19850314",
        " March '85",
        "Your phone number? It's ",
        "<b>Phone</b>",
    ];
    let all = |scanner: &Scanner, bytes: &[u8], token: usize, end: usize| {
        let (settings, number) = (&scanner.0, &mut Candidate::default());
        network::ip4(settings, bytes, token, end)
            .or_else(|| phone::international(settings, bytes, 0, token))
            .or_else(|| birth_date::find(settings, bytes, 0, token, end, &mut number.columns))
            .or_else(|| candidates::find(settings, bytes, 0, token, token, number))
            .or_else(|| phone::announced(settings, bytes, 0, token, &mut number.columns))
            .or_else(|| street::find(settings, bytes, 0, token, end))
            .or_else(|| wallet::find(settings, bytes, token, end))
    };
    let scanner = Scanner::default();
    let check = |text: &str| {
        let bytes = text.as_bytes();
        for token in (0..bytes.len()).filter(|token| at(bytes, *token).is_ascii_digit()) {
            let digits = digits_end(bytes, token, usize::MAX);
            let end = end_of(bytes, digits, usize::MAX, |byte| byte.is_ascii_alphanumeric());
            let found = scanner.number(bytes, 0, [token, token, end], &mut Candidate::default());
            assert_eq!(found, all(&scanner, bytes, token, end), "{text:?} from {token}");
        }
    };
    texts(check);
    for seed in 0..20_000 {
        let mut random = Random(seed);
        check(&(0..12).map(|_| random.pick(&PARTS)).collect::<String>());
    }
}

/// An IBAN ends at the length of its country, and is found with any text after it.
#[test]
fn accounts_are_found_whatever_stands_behind() {
    let scanner = Scanner::default();
    for number in ["GB82WEST12345698765432", "DE89370400440532013000", "NO9386011117947"] {
        assert!(iban(number.as_bytes()), "{number}");
        let grouped: Vec<&str> =
            (0..number.len()).step_by(4).filter_map(|at| number.get(at..number.len().min(at + 4))).collect();
        for written in [number.to_owned(), grouped.join(" "), grouped.join("-")] {
            for behind in ["", " ", " AB12 CD34", " 12", ", next", " GB82 WEST 1234"] {
                let text = format!("{written}{behind}");
                let found = scanner.scan(text.as_bytes(), 0, &mut ScanState::default());
                let expected = Finding { kind: Kind::Iban, start: 0, end: written.len() };
                assert_eq!(found, Some(expected), "{text}");
            }
        }
    }
}
