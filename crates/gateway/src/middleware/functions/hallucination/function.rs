//! The function itself: its arguments, its limits and the order of its checks.

use std::collections::HashSet;

use mcp_sieve::{Error, json::Object};

use super::{
    checker::{Checker, Finding},
    evidence::Evidence,
};
use crate::middleware::framework::{
    function::{Call, Function},
    middleware::{Hook, Phase},
    outcome::Outcome,
};

/// Flags URLs, tool names, citations and quotations in an answer that are not in the model's input. A URL with a typo
/// is replaced by the given one.
///
/// The function only compares texts. A flagged text may be true, and a text without flags may be false.
#[derive(Debug, Clone, Copy)]
pub struct HallucinationCheck;

/// Maximum number of URLs that are requested in a call.
const MAX_REACHED: usize = 10;

impl Function for HallucinationCheck {
    const NAME: &'static str = "hallucination_check";
    const DESCRIPTION: &'static str = "Flags links, tool names, citations and quotations that do not occur in the model's input, and corrects links.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"given":{"type":"array","description":"The model's input: texts or content items","items":{"type":["string","object"]},"default":[]},"links":{"type":"array","description":"Further correct addresses, or prefixes of addresses that end in *","items":{"type":"string"},"default":[]},"tools":{"type":"array","description":"Names of the existing tools; without them tool names are not checked","items":{"type":"string"}},"citations":{"type":"array","description":"Further marks that may be cited: 1, doi:10.1000/182","items":{"type":"string"},"default":[]},"checks":{"type":"array","items":{"enum":["links","tools","citations","quotations"]},"default":["links","tools","citations","quotations"]},"fix":{"type":"boolean","description":"Whether to correct addresses","default":true},"reach":{"type":"boolean","description":"Whether to check with their servers that addresses exist","default":false}},"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: true, phase: Phase::Response, events: &["llm/completion"] };

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, environment } = call;
        let evidence = Evidence::read(arguments);
        let tools: Option<HashSet<String>> =
            arguments.texts("tools").map(|names| names.into_iter().map(Into::into).collect());
        let mut checker = Checker::new(&evidence, tools, arguments.flag("fix"));
        for (index, item) in context.items().enumerate() {
            checker.check_call(index, item);
        }
        context.rewrite(&mut |place, text| checker.check_text(place.item, text));
        let Checker { mut findings, known_links, fixed, unchecked, .. } = checker;
        if arguments.flag("reach") {
            for (item, link) in known_links.into_iter().take(MAX_REACHED) {
                if environment.reaches(&link).await == Some(false) {
                    findings.push(Finding { kind: "unreachable", item, text: link, meant: None });
                }
            }
        }
        let rerun = findings.iter().any(|finding| finding.meant.is_none());
        Ok(Outcome::new(context).with_metadata(|metadata| {
            Object::push_array(metadata.value("findings"), &findings, |out, finding| {
                let mut object = Object::open(out);
                object.text("kind", finding.kind);
                object.raw("item", finding.item.to_string().as_bytes());
                object.text("text", &finding.text);
                finding.meant.iter().for_each(|meant| object.text("meant", meant));
                object.close();
            });
            metadata.raw("fixed", fixed.to_string().as_bytes());
            metadata.raw("rerun", rerun.to_string().as_bytes());
            if unchecked > 0 {
                metadata.raw("unchecked", unchecked.to_string().as_bytes());
            }
        }))
    }
}
