//! Templates beside a naive matcher, which tries every length of every variable.

use mcp_sieve::catalog::ResourceUri;
use proptest::{collection::vec, prelude::*, sample::select};

fn matches(template: &str, uri: &str) -> bool {
    let Some(first) = template.chars().next() else { return uri.is_empty() };
    if first != '{' {
        return uri.strip_prefix(first).is_some_and(|uri| matches(&template[first.len_utf8()..], uri));
    }
    let end = template.find('}').unwrap_or(template.len());
    let simple = template[1..end].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let rest = template.get(end + 1..).unwrap_or_default();
    let lengths = (0..=uri.len()).filter(|length| uri.is_char_boundary(*length));
    lengths.into_iter().any(|length| {
        let value = &uri[..length];
        (!simple || !value.is_empty() && !value.contains('/')) && matches(rest, &uri[length..])
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn a_template_matches_what_a_naive_matcher_matches(
        template in vec(select(vec!["a", "b", "/", "é", "{x}", "{+y}", "{/z}", "{", "}", "ab"]), 0..7),
        uri in vec(select(vec!["a", "b", "/", "é", "}", "{", "ab"]), 0..7),
    ) {
        let (template, uri) = (template.concat(), uri.concat());
        prop_assert_eq!(ResourceUri::matches_template(&template, &uri), matches(&template, &uri), "{} {}", template, uri);
    }
}
