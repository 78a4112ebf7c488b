//! The requests printed in the proposal, and variants of them: in another order, with other arguments, with more
//! documents. The printed calls alone are rows of `fixtures/proposals`. The text of the proposal is not part of the
//! repository; without it, the tests print a message and pass.

use std::{fs, path::Path};

use futures_executor::block_on;
use mcp_sieve_gateway::middleware::Registry;
use serde_json::{Deserializer, Value, json};

use super::{
    tools::orders,
    world::{World, value},
};

/// The file with the text of the proposal.
const SEED: &str = "../shared/seeds/004_c85619d6c904ba75.txt";

/// Returns the `params` of each printed call and the response printed after it.
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

/// Returns the `nth` printed call of a function, and the response printed after it.
fn call(function: &str, nth: usize) -> Option<(Value, Value)> {
    printed()?.into_iter().filter(|(params, _)| params["name"] == function).nth(nth)
}

/// Returns our result for a call.
fn answer(params: &Value, mut row: Value) -> Value {
    row["function"] = params["name"].clone();
    let (function, arguments) = (params["name"].as_str().unwrap(), params["arguments"].to_string());
    let world = World::from_row(&row);
    let context = params["context"].to_string();
    value(&block_on(Registry::built_in().invoke(function, Some(&arguments), &context, &world)).unwrap())
}

/// M-16: placeholders and types without values, by default and on request; values only on request.
#[test]
fn metadata_have_the_printed_handles_and_types() {
    let Some((mut params, expected)) = call("pii_redaction", 0) else { return };
    let found = answer(&params, json!({}));
    assert_eq!(found["metadata"], expected["metadata"]);
    params["arguments"]["metadata"] = json!("handles");
    assert_eq!(answer(&params, json!({})), found);
    params["arguments"]["metadata"] = json!("values");
    let redactions = &answer(&params, json!({}))["metadata"]["redactions"];
    let text = params["context"][0]["text"].as_str().unwrap();
    for (handle, value) in redactions.as_object().unwrap() {
        let value = value.as_str().unwrap();
        assert!(text.contains(value) && !found.to_string().contains(value), "{handle}");
    }
    assert_eq!(redactions.as_object().unwrap().len(), 2);
}

/// M-24: the policies of the call apply, the text begins with the warning, and the metadata have flags, severity and
/// permission.
#[test]
fn policies_of_the_printed_call_decide() {
    let Some((mut params, _)) = call("content_moderation", 0) else { return };
    let text_of_context = params["context"][0]["text"].as_str().unwrap().to_owned();
    let found = answer(&params, json!({}));
    let text = found["content"][0]["text"].as_str().unwrap();
    let warning =
        text.strip_suffix(&text_of_context).and_then(|warning| warning.strip_suffix("\n\n")).unwrap();
    assert!(warning.starts_with('[') && warning.ends_with(']'), "{warning}");
    let metadata = &found["metadata"];
    let flags: Vec<&str> =
        metadata["flags"].as_array().unwrap().iter().map(|flag| flag.as_str().unwrap()).collect();
    assert!(!flags.is_empty() && metadata["severity"].is_string() && metadata["allow"].is_boolean());
    params["arguments"]["policies"] = json!(["drugs"]);
    let others = answer(&params, json!({}));
    assert_eq!((&others["content"], &others["metadata"]["flags"]), (&params["context"], &json!([])));
}

/// M-27: the printed text results from documents that begin with the printed headings. Other tests measure relevance.
#[test]
fn documents_have_the_printed_headings() {
    let Some((params, expected)) = call("document_retrieval", 0) else { return };
    let text = expected["content"][0]["text"].as_str().unwrap();
    let parts: Vec<&str> = text.split("\n\n").collect();
    let document = |id: &str, source: &str, at: usize| {
        let title = &expected["metadata"]["sources"][at - 1]["title"];
        json!({"id": id, "source": source, "title": title, "text": parts[at]})
    };
    // The last document is not in a source that the call names.
    let mut documents =
        vec![document("1", "internal_docs", 1), document("2", "email", 2), document("3", "archive", 1)];
    let found = answer(&params, json!({"documents": documents}));
    assert_eq!(found["content"], expected["content"]);
    for at in 0..2 {
        assert_eq!(found["metadata"]["sources"][at]["title"], expected["metadata"]["sources"][at]["title"]);
    }

    // If more documents match, the result has as many as the call asks for.
    documents.extend(["4", "5", "6"].map(|id| document(id, "internal_docs", 1)));
    let found = answer(&params, json!({"documents": documents}));
    let most = params["arguments"]["maxResults"].as_u64().unwrap() as usize;
    assert_eq!(found["metadata"]["sources"].as_array().unwrap().len(), most);
    let text = found["content"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("[Retrieved Documents]\n\n"), "{text}");
    let text_of_context = params["context"][0]["text"].as_str().unwrap();
    assert_eq!(text.split_once("\n\n---\n\n").unwrap().1, text_of_context);
}

/// M-31: the printed ranking and tool set, for any order of the tools.
#[test]
fn tools_have_the_printed_ranking() {
    let Some((mut params, expected)) = call("tool_filter", 0) else { return };
    let names = |answer: &Value| -> Vec<Value> {
        let tools = answer["metadata"]["relevantTools"].as_array().unwrap();
        let scores: Vec<f64> = tools.iter().map(|tool| tool["score"].as_f64().unwrap()).collect();
        assert!(scores.is_sorted_by(|one, next| one > next), "{scores:?}");
        tools.iter().map(|tool| tool["name"].clone()).collect()
    };
    for order in orders(params["arguments"]["availableTools"].as_array().unwrap()) {
        params["arguments"]["availableTools"] = json!(order);
        let found = answer(&params, json!({}));
        assert_eq!(found["content"], expected["content"]);
        assert_eq!(names(&found), names(&expected), "{order:?}");
        assert_eq!(found["metadata"]["suggestedToolSet"], expected["metadata"]["suggestedToolSet"]);
    }
}
