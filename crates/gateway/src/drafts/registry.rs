//! The implemented drafts, with the versions of their texts.

use serde_json::{Map, Value};

use crate::config::Drafts;

/// A draft of the protocol.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Draft {
    /// The member of `drafts` that turns it on.
    pub setting: &'static str,
    /// The date of the draft's text, as `YYYY-MM-DD`.
    pub date: &'static str,
    /// The location of the draft's text.
    pub source: &'static str,
    on: fn(&Drafts) -> bool,
}

/// The drafts that can be turned on.
pub const DRAFTS: &[Draft] = &[
    Draft {
        setting: "definitionTags",
        date: "2026-10-06",
        source: "modelcontextprotocol/transports-wg: proposals/XXXX-definition-tags.md",
        on: |drafts| drafts.definition_tags,
    },
    Draft {
        setting: "primitiveDigests",
        date: "2026-09-04",
        source: "modelcontextprotocol/transports-wg: proposals/XXXX-primitive-digests-companion.md",
        on: |drafts| drafts.primitive_digests,
    },
    Draft {
        setting: "manifest",
        date: "2026-04-21",
        source: "SEP-2636, revision 2e5b9245",
        on: |drafts| drafts.manifest,
    },
    Draft {
        setting: "deterministicGroups",
        date: "2026-09-30",
        source: "modelcontextprotocol/progressive-disclosure-wg: experiments/deterministic-groups, commit c5b6dc0",
        on: |drafts| drafts.deterministic_groups,
    },
    Draft {
        setting: "serverCard",
        date: "2026-07-24",
        source: "SEP-2127; modelcontextprotocol/experimental-ext-server-card: docs/discovery.md",
        on: |drafts| drafts.server_card.is_some(),
    },
    Draft {
        setting: "groups",
        date: "2026-09-28",
        source: "modelcontextprotocol/progressive-disclosure-wg: seps/0000-progressive-disclosure-groups.md",
        on: |drafts| !drafts.disclosed_groups.is_empty(),
    },
];

/// Returns the drafts that are on, with the dates of their texts, in the form of capabilities.
pub(crate) fn announced(drafts: &Drafts) -> Map<String, Value> {
    let on = DRAFTS.iter().filter(|draft| (draft.on)(drafts));
    on.map(|draft| (draft.setting.to_owned(), draft.date.into())).collect()
}
