//! The function `document_retrieval`: adds matching passages of documents to the context.

use mcp_sieve::{Error, ErrorKind, json::Object};

use crate::middleware::{
    framework::{
        content::TextItem,
        documents::Passage,
        function::{Call, Function},
        outcome::Outcome,
    },
    functions::tool_filter::{format_thousandths, query_text},
};

/// Prepends passages of documents that match a context to its last text.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRetrieval;

/// The line before the passages.
const TITLE: &str = "[Retrieved Documents]";
/// The line between the passages and the text.
const RULE: &str = "---";

impl Function for DocumentRetrieval {
    const NAME: &'static str = "document_retrieval";
    const DESCRIPTION: &'static str =
        "Finds passages of documents that match the context, and inserts the best before it.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"maxResults":{"type":"integer","description":"Maximum number of documents","minimum":1,"maximum":50,"default":3},"sources":{"type":"array","description":"The collections to search; all if absent","items":{"type":"string","maxLength":200},"maxItems":100}},"additionalProperties":false}"#;

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: mut context, arguments, environment } = call;
        let failed = || Error::new(ErrorKind::MiddlewareFailed, "there are no documents here");
        let documents = environment.documents().ok_or_else(failed)?;
        let most = arguments.whole("maxResults").and_then(|most| usize::try_from(most).ok()).unwrap_or(3);
        let sources = arguments.texts("sources");
        let sources: Option<Vec<String>> = sources.map(|names| names.into_iter().map(Into::into).collect());
        let query = query_text(&context);
        let found = documents.search(&query, sources.as_deref(), most).await?;
        if !found.is_empty() {
            context.prepend_to_text(TextItem::Last, &block(&found));
        }
        Ok(Outcome::new(context).with_metadata(|metadata| {
            Object::push_array(metadata.value("sources"), &found, |out, passage| {
                let mut object = Object::open(out);
                object.text("title", &passage.title);
                object.raw("relevance", format_thousandths(passage.relevance).as_bytes());
                object.close();
            });
        }))
    }
}

fn block(found: &[Passage]) -> String {
    let mut block = format!("{TITLE}\n\n");
    for passage in found {
        let title = one_line(&passage.title);
        if !begins_with_heading(&passage.text, &title) {
            block.extend(["# ", &title, "\n"]);
        }
        block.extend([&quoted(&passage.text), "\n\n"]);
    }
    block.extend([RULE, "\n\n"]);
    block
}

/// Returns a title on a single line, so that it cannot add lines to the block.
fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a text begins with a Markdown heading that begins with the title: `# Minutes (May 4)` for `Minutes`.
fn begins_with_heading(text: &str, title: &str) -> bool {
    text.strip_prefix("# ").is_some_and(|heading| heading.trim_start().starts_with(title))
}

/// Returns the text of a passage. A line that equals a delimiter of the block is quoted with `>`, so that a document
/// cannot end the block.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim() {
        RULE | TITLE => format!("> {line}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
