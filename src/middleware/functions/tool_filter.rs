use std::{borrow::Cow, collections::HashSet};

use crate::{
    catalog::{Assignments, Catalog, Kind, Lists, Source},
    error::{Error, ErrorKind},
    json::{self, Members, Object, Raw, push_array, push_text},
    middleware::framework::{
        content::Content,
        environment::Environment,
        function::{Call, Function},
        middleware::{Hook, Phase},
        outcome::Outcome,
    },
    rank::{FLOOR, Index, MAX_QUERY, Scratch},
};

/// Says which of an application's tools a context is about, the best first. The context stays as it is.
#[derive(Debug, Clone, Copy)]
pub struct ToolFilter;

impl Function for ToolFilter {
    const NAME: &'static str = "tool_filter";
    const DESCRIPTION: &'static str = "Ranks the available tools by what the context is about, and suggests those worth a model's attention.";
    const INPUT_SCHEMA: &'static str = r#"{"type":"object","properties":{"availableTools":{"type":"array","description":"Names of tools, or tools as tools/list has them","items":{"type":["string","object"]},"maxItems":10000},"maxTools":{"type":"integer","description":"How many tools to suggest at most","minimum":0,"maximum":10000},"maxTokens":{"type":"integer","description":"How many tokens the suggested tools may take","minimum":0,"maximum":10000000}},"required":["availableTools"],"additionalProperties":false}"#;
    const HOOK: Hook = Hook { changes: false, phase: Phase::Response, events: &["tools/list"] };

    async fn run<'a>(&'a self, call: Call<'a>) -> Result<Outcome<'a>, Error> {
        let Call { content: context, arguments, environment } = call;
        let available = arguments.elements("availableTools").unwrap_or_default();
        let tools = listed(&available, environment)?;
        let lists = Lists::read(&tools).map_err(|error| error.within("arguments.availableTools"))?;
        let source = Source { server: "", lists };
        let catalog = Catalog::compile(&[source], &Assignments::default());
        let index = Index::new(&catalog, Kind::Tool);
        let mut scratch = Scratch::default();
        let hits = index.scores(&query_text(&context), catalog.kind_index(Kind::Tool).len(), &mut scratch);
        let bar = hits.first().map_or(0, |best| best.score.div_ceil(FLOOR));
        let relevant: Vec<Relevant<'_>> = hits
            .iter()
            .take_while(|hit| hit.score >= bar)
            .filter_map(|hit| {
                let tokens = catalog.tokens_of(Kind::Tool, hit.index)?.count;
                Some(Relevant {
                    name: catalog.kind_index(Kind::Tool).id(hit.index)?,
                    score: hit.score,
                    tokens,
                })
            })
            .collect();
        let suggested = suggest(&relevant, arguments.whole("maxTools"), arguments.whole("maxTokens"));
        Ok(Outcome::new(context).with_metadata(|metadata| {
            push_array(metadata.value("relevantTools"), &relevant, |out, tool| {
                let mut object = Object::open(out);
                object.text("name", tool.name);
                object.raw("score", format_thousandths(tool.score).as_bytes());
                object.close();
            });
            metadata.texts("suggestedToolSet", &suggested);
        }))
    }
}

struct Relevant<'a> {
    name: &'a str,
    score: u32,
    tokens: u64,
}

/// The best that fit: what is too large is passed by, since ten short tools may still find room.
fn suggest<'a>(relevant: &[Relevant<'a>], count: Option<i64>, tokens: Option<i64>) -> Vec<&'a str> {
    let mut left = tokens.map_or(u64::MAX, |tokens| u64::try_from(tokens).unwrap_or_default());
    let most = count.map_or(usize::MAX, |count| usize::try_from(count).unwrap_or_default());
    let fits = |tool: &&Relevant<'a>| match left.checked_sub(tool.tokens) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    relevant.iter().filter(fits).take(most).map(|tool| tool.name).collect()
}

/// A list of the tools, each once, with what the environment knows of those that are names alone.
fn listed(available: &[Raw<'_>], environment: &dyn Environment) -> Result<String, Error> {
    let mut names = HashSet::new();
    let mut tools: Vec<Cow<'_, str>> = Vec::new();
    for (at, tool) in available.iter().enumerate() {
        let name = match json::text(*tool) {
            Some(name) => Some(name),
            None => Members::read(*tool).and_then(|tool| tool.get("name")).and_then(json::text),
        };
        let refuse = || {
            let message = "expected a name, or a tool that has one";
            Error::new(ErrorKind::ArgumentsInvalid, message).field(format!("arguments.availableTools[{at}]"))
        };
        let name = name.filter(|name| !name.is_empty()).ok_or_else(refuse)?;
        let given = tool.get().starts_with('{');
        let tool =
            if given { Some(Cow::Borrowed(tool.get())) } else { environment.tool(&name).map(Cow::Owned) };
        if names.insert(name.clone()) {
            tools.push(tool.map_or_else(|| Cow::Owned(bare(&name)), schemed));
        }
    }
    Ok(format!("{{\"tools\":[{}]}}", tools.join(",")))
}

/// A tool of which nothing but the name is known.
fn bare(name: &str) -> String {
    let mut out = Vec::new();
    out.extend(b"{\"name\":");
    push_text(&mut out, name);
    out.extend(b",\"inputSchema\":{\"type\":\"object\"}}");
    String::from_utf8(out).unwrap_or_default()
}

/// The tool with a schema of some sort: applications may leave it out where it says nothing.
fn schemed(tool: Cow<'_, str>) -> Cow<'_, str> {
    let has = Members::parse(&tool).is_none_or(|members| members.get("inputSchema").is_some());
    let open = tool.trim_end().strip_suffix('}').filter(|_| !has);
    let with = open.map(|open| format!("{open},\"inputSchema\":{{\"type\":\"object\"}}}}"));
    with.map_or(tool, Cow::Owned)
}

/// What a context is about: its texts, what was said last first, no more of it than a search reads. Placeholders of what
/// was redacted are no words: a search would take them for misspelt ones.
pub(crate) fn query_text(context: &Content<'_>) -> String {
    let mut texts = Vec::new();
    context.each_text(&mut |_, text| {
        let begun = text.get(..text.floor_char_boundary(MAX_QUERY)).unwrap_or_default();
        texts.push(without_placeholders(begun));
    });
    let mut query_text = String::new();
    for text in texts.iter().rev() {
        if query_text.len() >= MAX_QUERY {
            break;
        }
        query_text.push_str(text);
        query_text.push('\n');
    }
    query_text
}

fn without_placeholders(text: &str) -> String {
    let mut pieces = text.split('[');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        out.push(' ');
        out.push_str(match piece.split_once(']') {
            Some((name, behind)) if is_placeholder(name) => behind,
            _ => piece,
        });
    }
    out
}

/// Whether a name in brackets is that of a placeholder: `PERSON_1`.
fn is_placeholder(name: &str) -> bool {
    name.rsplit_once('_').is_some_and(|(kind, number)| {
        let named = !kind.is_empty() && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        named && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// A number of thousandths as a decimal.
pub(crate) fn format_thousandths(number: u32) -> String {
    let text = format!("{}.{:03}", number / 1000, number % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
