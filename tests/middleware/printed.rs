//! The requests that the proposal prints, sent as they are printed. The text stays outside the project: where it is
//! absent, the test says so and ends.

use std::{collections::BTreeSet, fs, path::Path};

use futures_executor::block_on;
use mcp_sieve::middleware::Registry;
use serde_json::{Deserializer, Value, json};

use super::{World, value};

const SEED: &str = "../shared/seeds/004_c85619d6c904ba75.txt";

/// The `params` of each printed call, and the response printed behind it.
fn printed() -> Option<Vec<(Value, Value)>> {
    let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(SEED)) else {
        println!("{SEED} is absent: its requests are skipped");
        return None;
    };
    let (mut blocks, mut rest): (Vec<Value>, &str) = (Vec::new(), &text);
    while let Some(at) = rest.find("\n{\n") {
        rest = rest.split_at(at + 1).1;
        let mut values = Deserializer::from_str(rest).into_iter();
        if let Some(Ok(block)) = values.next() {
            blocks.push(block);
            rest = rest.split_at(values.byte_offset()).1;
        }
    }
    let calls = blocks.windows(2).filter(|pair| pair[0]["method"] == "middleware/invoke");
    let answer = |block: &Value| block.get("result").unwrap_or(block).clone();
    Some(calls.map(|pair| (pair[0]["params"].clone(), answer(&pair[1]))).collect())
}

/// Sends the printed call of a function, the `nth` if it is printed several times. Returns our answer and the printed one.
fn send(function: &str, nth: usize, mut row: Value) -> Option<(Value, Value)> {
    let (params, expected) =
        printed()?.into_iter().filter(|(params, _)| params["name"] == function).nth(nth)?;
    row["function"] = params["name"].clone();
    let arguments = params["arguments"].to_string();
    let world = World::of(&row);
    let context = params["context"].to_string();
    let found = block_on(Registry::built_in().invoke(function, Some(&arguments), &context, &world)).unwrap();
    Some((value(&found), expected))
}

/// M-14, M-16: the first example.
#[test]
fn handles_have_the_printed_types() {
    let Some((found, expected)) = send("pii_redaction", 0, json!({})) else { return };
    assert_eq!(found, expected);
}

/// M-24, M-25: the warning begins the text.
#[test]
fn questions_that_seek_harm_have_the_printed_answer() {
    let Some((found, expected)) = send("content_moderation", 0, json!({})) else { return };
    assert_eq!(found, expected);
}

/// M-27: the printed text, of documents that begin with the printed headings. Relevance is measured otherwise.
#[test]
fn documents_have_the_printed_headings() {
    let Some(calls) = printed() else { return };
    let (_, expected) = calls.iter().find(|(params, _)| params["name"] == "document_retrieval").unwrap();
    let text = expected["content"][0]["text"].as_str().unwrap();
    let parts: Vec<&str> = text.split("\n\n").collect();
    let documents: Vec<Value> = [(1, "internal_docs"), (2, "email")]
        .into_iter()
        .map(|(at, source)| {
            let title = &expected["metadata"]["sources"][at - 1]["title"];
            json!({"id": source, "source": source, "title": title, "text": parts[at]})
        })
        .collect();
    let (found, expected) = send("document_retrieval", 0, json!({"documents": documents})).unwrap();
    assert_eq!(found["content"], expected["content"]);
    for at in 0..2 {
        assert_eq!(found["metadata"]["sources"][at]["title"], expected["metadata"]["sources"][at]["title"]);
    }
}

/// M-30: the printed set of tools. Each only shares `search` with the printed request, so their scores are equal and their
/// order is that of the list; the printed order is not reached.
#[test]
fn tools_are_those_of_the_printed_set() {
    let Some((found, expected)) = send("tool_filter", 0, json!({})) else { return };
    assert_eq!(found["content"], expected["content"]);
    let names = |set: &Value| -> BTreeSet<String> {
        set.as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned()).collect()
    };
    let suggested = |answer: &Value| names(&answer["metadata"]["suggestedToolSet"]);
    assert_eq!(suggested(&found), suggested(&expected));
    let relevant = found["metadata"]["relevantTools"].as_array().unwrap();
    assert!(relevant.iter().all(|tool| tool["score"] == relevant[0]["score"]), "{relevant:?}");
}
