//! Texts with personal data, and with words that look like placeholders.

use mcp_sieve_redact::{Kind, Kinds, PlaceholderMap, Redactor, Restorer, Scan, pii::Scanner};

use super::text;
use crate::{corpus, target::Target};

pub const TARGET: Target = Target { mutations: 600, seeds, words: WORDS, holds };

const WORDS: &[&str] = &[
    "[PERSON_1]",
    "[EMAIL_1]",
    "[person 1]",
    "[HANDLE_1]",
    "a@b.example",
    "John Smith",
    "SSN ",
    "078-05-1123",
    "+44 20 7946 0958",
    "4111 1111 1111 1111",
    "GB82WEST12345698765432",
    "1.2.3.4",
    "fe80::1",
    "00:1A:2B:3C:4D:5E",
    "https://u:p@h.example/",
    "born 1/2/1980",
    "12 Main Street",
    "é",
    "日本",
    "\u{200b}",
    "\u{0}",
];

fn seeds() -> Vec<Vec<u8>> {
    corpus::under("text").iter().filter(|text| text.is_string()).map(corpus::bytes).collect()
}

fn holds(bytes: &[u8]) -> String {
    let text = text(bytes);
    let mut found = 0;
    for scanner in [
        Scanner::default(),
        Scanner::new(true, None),
        Scanner::new(true, Some(Kinds::from_iter([Kind::Phone]))),
    ] {
        let findings: Vec<_> = scanner.findings(&text).collect();
        found += findings.len();
        let mut last = 0;
        for finding in &findings {
            assert!(last <= finding.start && finding.start < finding.end, "in order, and of something");
            assert!(text.get(finding.start..finding.end).is_some(), "whole characters");
            last = finding.end;
        }
        let mut redactor = Redactor::new(scanner, PlaceholderMap::new());
        let redacted = redactor.redact(&text);
        let map: Vec<_> =
            redactor.placeholders().iter().map(|(name, _, value)| (name, value.to_owned())).collect();
        for tolerant in [false, true] {
            let restorer = Restorer::new(map.iter().map(|(name, value)| (&**name, &**value)), tolerant);
            // A tolerant restorer also replaces parts of the original text that look like placeholders.
            if !tolerant || restorer.restore(&text) == text {
                assert_eq!(restorer.restore(&redacted), text);
            }
        }
    }
    format!("{found} found")
}
