use crate::{
    error::{Error, ErrorKind},
    json::{Object, push_array},
    middleware::{
        framework::{
            content::TextItem,
            documents::Passage,
            function::{Call, Function},
            outcome::Outcome,
        },
        functions::tool_filter::{format_thousandths, query_text},
    },
};

/// Puts what documents say about a context in front of its last text.
#[derive(Debug, Clone, Copy)]
pub struct DocumentRetrieval;

/// What stands over the passages.
const TITLE: &str = "[Retrieved Documents]";
/// What stands between the passages and the text.
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
            push_array(metadata.value("sources"), &found, |out, passage| {
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

/// A title can open no line of its own.
fn one_line(title: &str) -> String {
    title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether a Markdown heading opens the text and begins with the title: `# Minutes (May 4)` of `Minutes`.
fn begins_with_heading(text: &str, title: &str) -> bool {
    text.strip_prefix("# ").is_some_and(|heading| heading.trim_start().starts_with(title))
}

/// A document cannot end the block that it stands in: a line that would is written as the start of one that goes
/// on.
fn quoted(text: &str) -> String {
    let lines = text.lines().map(|line| match line.trim() {
        RULE | TITLE => format!("> {line}"),
        _ => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}
