//! How fast chains are, natively: `cargo test --profile fuzz --test middleware -- --ignored --nocapture chains`. No
//! test asserts a time.

use std::time::Instant;

use futures_executor::block_on;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::middleware::{Chain, Content, Redactions, Registry, Step};

use crate::conversations::Nowhere;

fn best(mut run: impl FnMut() -> usize) -> f64 {
    let time = |run: &mut dyn FnMut() -> usize| {
        let start = Instant::now();
        std::hint::black_box(run());
        start.elapsed().as_secs_f64()
    };
    (0..7).map(|_| time(&mut run)).fold(f64::INFINITY, f64::min)
}

/// Chains hand on what handles stand for, so a text of many values shows what is not linear in their number.
#[test]
#[ignore = "measures"]
fn chains() {
    let registry = Registry::built_in();
    let addresses = |count: usize| {
        let text: String = (0..count).map(|at| format!("u{at}@a.io ")).collect();
        format!(r#"[{{"type":"text","text":"{text}"}}]"#)
    };
    let notes = |count: usize| {
        let text: String = (0..count).map(|at| format!("[note {at}] ")).collect();
        format!(r#"[{{"type":"text","text":"{text}"}}]"#)
    };
    let run = |steps: &[&str], context: &str, handles: &str| {
        let steps = steps.iter().map(|name| Step::new(name)).collect();
        let chain = Chain { steps, last: None };
        best(|| {
            let content = Content::read(Raw::parse(context).unwrap()).unwrap();
            let (mut handles, mut reports) = (Redactions::read(handles).unwrap(), Vec::new());
            let ran = block_on(chain.run(&registry, content, &mut handles, &Nowhere, &mut reports));
            ran.unwrap().content.len()
        })
    };
    println!("chains, ms for 50,000 values, and how many times as long for 200,000:");
    let all = ["pii_redaction", "secret_detection", "content_moderation", "pii_restoration"];
    for steps in [&all[..1], &all[..2], &[all[0], all[2]], &[all[0], all[3]], &all[..3], &all[..]] {
        let [small, large] = [50_000, 200_000].map(|count| run(steps, &addresses(count), "{}"));
        println!("{steps:?}: {:.1} ms, x{:.1}", small * 1e3, large / small);
    }
    let names = |count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!(r#""other {at}":"x""#)).collect();
        format!("{{{}}}", names.join(","))
    };
    let [small, large] = [4_000, 16_000].map(|count| run(&all[..1], &notes(count), &names(count)));
    println!("carried names beside 4,000 brackets: {:.1} ms, x{:.1}", small * 1e3, large / small);
}
