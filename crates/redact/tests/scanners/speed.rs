//! How fast, natively: `cargo test --profile fuzz -p mcp-sieve-redact --test scanners -- --ignored --nocapture speed`.
//! No test asserts a time; `benches/scanners` measures the module that is shipped.

use std::time::Instant;

use mcp_sieve_redact::{
    PlaceholderMap, Redactor, Scan, moderation::Policies, pii::Scanner, secrets::Secrets,
};

use crate::{generate, random::Random};

fn best(mut run: impl FnMut() -> usize) -> f64 {
    let time = |run: &mut dyn FnMut() -> usize| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64()
    };
    (0..7).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

fn sized(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes.div_ceil(piece.len()))
}

#[test]
#[ignore = "measures"]
fn speed() {
    let ordinary = sized(
        "The quarterly report is ready for review, and we moved the release to next week. Please see the attached \
        summary before the meeting on Monday; this function returns a list of 12 items, newest first. It was a bright \
        cold day in April, and the clocks were striking thirteen. All tests passed on Linux and Windows.\n",
        1 << 20,
    );
    let dense: String = (0..)
        .scan(0, |length, seed| {
            (*length < 1 << 20).then(|| {
                let text = generate::text(&mut Random::new(seed), 12).text;
                *length += text.len();
                text
            })
        })
        .collect();
    let scanner = Scanner::default();
    let secrets = Secrets::default();
    let moderation = Policies::default();
    let policies = moderation.names();
    let rate = |text: &str, seconds: f64| text.len() as f64 / seconds / 1e6;
    for (name, text) in [("ordinary", &ordinary), ("dense", &dense)] {
        println!("{name}: find {:.0} MB/s", rate(text, best(|| scanner.findings(text).count())));
        println!(
            "{name}: redact {:.0} MB/s",
            rate(text, best(|| Redactor::new(scanner.clone(), PlaceholderMap::new()).redact(text).len()))
        );
        println!("{name}: secrets {:.0} MB/s", rate(text, best(|| secrets.secrets(text).count())));
        println!(
            "{name}: moderation {:.0} MB/s",
            rate(text, best(|| moderation.flags(text, &policies).len()))
        );
    }
    let hostile = [
        "1 ",
        "11 ",
        "1-",
        "123-45-",
        "12345678 ",
        "12345678901 ",
        "4111 1111 1111 1111 ",
        "a1",
        "@",
        "a@",
        "@a.",
        "a%40",
        "a&#64;",
        "a＠",
        "a@b.",
        "a@b.c ",
        ":",
        "::",
        "a:",
        "1:",
        "://",
        "a://",
        "a://b:c",
        "http://a@",
        "-",
        "aa-",
        "a-1-",
        ".",
        "aaaa.",
        "1.",
        "1.1.1.",
        "[",
        "[a1]",
        "[PERSON_",
        "[PERSON_1]",
        "A",
        "A ",
        "Aa ",
        "Aa. ",
        "John ",
        "Mr. ",
        "Dr Dr ",
        "van ",
        "Aa van ",
        "Inc ",
        "1 Main ",
        "1 Aa Aa Aa Aa ",
        "+1 ",
        "+12345678",
        "(555) ",
        "00",
        "0012 ",
        "born 1/1/",
        "my name is ",
        "my name is anna ",
        "am ",
        "me llamo ",
        "contact: tom ",
        "ich heiße ",
        "ich heisse ",
        "ik heet anna ",
        "i am anna ",
        "call about order 4123456789 ",
        "phone case 14 15 16 17 18 ",
        "born 14 III 85 in a b c d ",
        "ssn? it's 12345678 ",
        "phone.\nuser: 0123 4567 ",
        "<b>Phone</b>1234567 ",
        "Rua Aa, 1 - ",
        "Aa 1/2, 110 00 ",
        "1051 Aa, Aa ",
        "é",
        "É ",
        "日本",
        "1a1b1c1d1e1f1g1h1i1j1k1l1m ",
        "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2 ",
        "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq ",
        "0x",
        "0 0",
        "12 112",
        "GB82 ",
        "x12is ",
        "1passwort ",
        "Aa ssn 12 123456789, ",
        "  phone 5551234",
        "GB82 WEST 1234 ",
        "AB 12 ",
        "SSN ",
        "ssn 12345678 ",
        "password=",
        "token:",
        "password=\"",
        "eyJ.",
        "eyJ",
        "sk-ant-",
        "xoxb-",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN ",
        "Bearer ",
        "M",
        "1:AA",
        "k i l l ",
        "a ",
        "k1",
        "кi",
        "ignore all ",
        "make a ",
        "!",
        "4",
        "\u{200b}",
    ];
    println!("hostile, ms for 1 MB, and how many times as long for 4 MB; those above 12 ms or 5 times:");
    for piece in hostile {
        let (one, four) = (sized(piece, 1 << 20), sized(piece, 4 << 20));
        let row = |name: &str, run: &dyn Fn(&str) -> usize| {
            let (small, large) = (best(|| run(&one)), best(|| run(&four)));
            if small > 0.012 || large / small > 5.0 {
                println!("{name:10} {piece:?}: {:.1} ms, x{:.1}", small * 1e3, large / small);
            }
        };
        row("pii", &|text| scanner.findings(text).count());
        row("secrets", &|text| secrets.secrets(text).count());
        row("moderation", &|text| moderation.flags(text, &policies).len());
    }
}
