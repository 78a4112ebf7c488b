//! Detects by their verbs whether a request only reads, and whether a tool changes something.

use std::sync::LazyLock;

use mcp_sieve::{json::Members, rank::Index};

/// The meaning of a word in a request and in the name of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    /// A tool with this verb reads. A request reads if the word is a verb in it.
    Reads,
    /// A request with this word reads.
    Asks,
    /// A tool with this verb reads. In a request, it may mean anything: "get me a taxi".
    Gets,
    /// A request or a tool with this verb changes something.
    Changes,
    /// A tool whose name begins with this verb changes something. A request does unless the word is a noun in it: "the
    /// office move".
    ChangesOrNoun,
    /// A request changes something if this word is a verb in it. In the name of a tool, it is ignored, because it may
    /// be a noun: `order_history`.
    MayChange,
    /// A word that may precede a verb in a request. The first word of a clause may also be a verb.
    Precedes,
}

const VERBS: [(Verb, &str); 7] = [
    (
        Verb::Reads,
        "check count describe display fetch find inspect list look lookup query read retrieve search show view",
    ),
    (Verb::Asks, "what when where which who whose"),
    (Verb::Gets, "get"),
    (
        Verb::Changes,
        "add append approve archive assign cancel create delete deploy disable edit enable execute insert invite \
         modify overwrite publish remove rename replace revoke send submit terminate uninstall unsubscribe write",
    ),
    (
        Verb::ChangesOrNoun,
        "buy close commit drop install kill merge move pay push reboot reject reset restart update upload",
    ),
    (
        Verb::MayChange,
        "book change copy draft fix forward make order post purchase put record rent reply reserve run save schedule \
         set share sign start stop subscribe switch transfer turn",
    ),
    (
        Verb::Precedes,
        "also and can could help i im just let me must now or please should then to us we will would you",
    ),
];

/// The verbs by their stems.
static STEMS: LazyLock<Vec<(String, Verb)>> = LazyLock::new(|| {
    let mut stems = Vec::new();
    for (verb, words) in VERBS {
        Index::each_stem(words, &mut |stem| stems.push((stem.to_owned(), verb)));
    }
    stems
});

fn verb(stem: &str) -> Option<Verb> {
    STEMS.iter().find(|(known, _)| known == stem).map(|(_, verb)| *verb)
}

/// Returns whether a request asks to read something, and not to change anything. Returns false for a request without a
/// known verb.
pub(super) fn only_reads(request: &str) -> bool {
    let (mut reads, mut changes) = (false, false);
    for clause in request.split(['.', ',', ';', ':', '!', '?', '\n']) {
        let mut is_verb = true;
        Index::each_stem(clause, &mut |stem| {
            let verb = verb(stem);
            match verb {
                Some(Verb::Asks) => reads = true,
                Some(Verb::Reads) => reads |= is_verb,
                Some(Verb::Changes) => changes = true,
                Some(Verb::ChangesOrNoun | Verb::MayChange) => changes |= is_verb,
                _ => {}
            }
            is_verb = verb == Some(Verb::Precedes);
        });
    }
    reads && !changes
}

/// Returns whether a tool changes something, by the first known verb in its name. A tool with `readOnlyHint: true` does
/// not. `tool` is the JSON of the tool.
pub(super) fn changes(name: &str, tool: &[u8]) -> bool {
    let (mut first, mut begins) = (None, true);
    Index::each_stem(name, &mut |stem| {
        first = first.or_else(|| match verb(stem)? {
            Verb::Reads | Verb::Gets => Some(false),
            Verb::Changes => Some(true),
            Verb::ChangesOrNoun => begins.then_some(true),
            Verb::Asks | Verb::MayChange | Verb::Precedes => None,
        });
        begins = false;
    });
    first == Some(true) && !says_read_only(tool)
}

fn says_read_only(tool: &[u8]) -> bool {
    let tool = std::str::from_utf8(tool).ok().and_then(Members::parse);
    let annotations = tool.and_then(|tool| tool.get("annotations")).and_then(Members::read);
    let hint = annotations.and_then(|annotations| annotations.get("readOnlyHint"));
    hint.is_some_and(|hint| hint.get() == "true")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{STEMS, changes, only_reads};

    #[test]
    fn every_verb_has_a_stem_of_its_own() {
        let stems: HashSet<&str> = STEMS.iter().map(|(stem, _)| stem.as_str()).collect();
        assert_eq!(stems.len(), STEMS.len());
    }

    #[test]
    fn requests_that_only_read() {
        for request in [
            "Find the minutes",
            "I'm looking for a lamp",
            "which rooms are free?",
            "Please show my letters",
            "Hello! Find the notes about the office move and the last update",
        ] {
            assert!(only_reads(request), "{request}");
        }
        for request in [
            "",
            "the minutes",
            "get me a taxi",
            "Find the draft and send it to Ann",
            "Show me how to book",
            "Find the folder. Move it",
            "Find a hotel, book it",
            "milk for the shopping list",
        ] {
            assert!(!only_reads(request), "{request}");
        }
    }

    #[test]
    fn tools_that_change_something() {
        let bare = |name| changes(name, b"{}");
        for name in ["send_email", "github.createIssue", "calendar-delete-event", "updating"] {
            assert!(bare(name), "{name}");
        }
        for name in [
            "search_email",
            "get_update_log",
            "list_deleted",
            "order_history",
            "average_closing_price",
            "weather",
            "",
        ] {
            assert!(!bare(name), "{name}");
        }
        assert!(!changes("send_probe", br#"{"annotations":{"readOnlyHint":true}}"#));
        assert!(changes("send_probe", br#"{"annotations":{"readOnlyHint":false}}"#));
    }
}
