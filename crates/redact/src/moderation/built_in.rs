//! The built-in policies, and synonyms of their names.

use super::{
    flags::{Flag, flags_of},
    page::{self, PAGE},
};

/// The policy for questions about how to hurt a person. `violence` and `harassment` include it.
pub(super) const HARM_SEEKING: &str = "potential_harm_seeking";

/// Returns the built-in policy with a name or a common synonym of it, in any case: `hate_speech` is `hate`.
pub(super) fn policy(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    let meant = match plain.as_str() {
        "hate_speech" => "hate",
        "selfharm" | "suicide" => "self_harm",
        "sexual_content" | "adult" => "sexual",
        "jailbreak" => "prompt_injection",
        "illegal_drugs" => "drugs",
        "scam" => "fraud",
        "threats" | "violent_content" => "violence",
        "bullying" => "harassment",
        other => other,
    };
    policies().iter().copied().find(|policy| *policy == meant)
}

/// Returns a name in small letters, with `_` between its words.
pub(super) fn plain(name: &str) -> String {
    let plain = |letter: char| if letter == '-' || letter == ' ' { '_' } else { letter.to_ascii_lowercase() };
    name.chars().map(plain).collect()
}

/// Returns the names of the built-in policies.
pub(super) fn policies() -> &'static [&'static str] {
    page::names()
}

/// Returns the built-in phrases of the given policies that a text contains, in order.
pub(super) fn flags(text: &str, policies: &[&str]) -> Vec<Flag> {
    flags_of(&[&PAGE], text, policies)
}
