//! `tools/call`: finds the tool, validates the arguments against its schema, and wraps the tool's reply.
//!
//! `catalog/tools.json` documents each tool for its callers, so the functions here only name their tool.

use serde_json::{Map, Value, json};

use super::{
    args::Args,
    calendar, catalog, check, comments,
    error::{Fail, TrackerError},
    free_time, issues, labels,
    long::{self, More, Question, Turn},
    notes, places, pulls, status,
    store::Store,
};

/// The reply of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    /// A sentence, from a tool without an `outputSchema`.
    Said(String),
    /// An object that matches the tool's `outputSchema`.
    Data(Value),
    /// More steps are needed.
    More(More),
    /// The client must answer a question first.
    Question(Question),
}

/// The function of a tool, which takes validated arguments.
type Tool = fn(&Store<'_>, &Args) -> Result<Reply, Fail>;

/// Finds a tool that runs in one step.
fn find(name: &str) -> Option<Tool> {
    Some(match name {
        "server_time" => status::server_time,
        "tracker_status" => status::tracker_status,
        "reset_tracker" => status::reset_tracker,
        "list_issues" => issues::list,
        "get_issue" => issues::get,
        "create_issue" => issues::create,
        "update_issue" => issues::update,
        "close_issue" => issues::close,
        "reopen_issue" => issues::reopen,
        "delete_issue" => issues::delete,
        "search_issues" => issues::search,
        "add_comment" => comments::add,
        "list_comments" => comments::list,
        "delete_comment" => comments::delete,
        "list_labels" => labels::list,
        "create_label" => labels::create,
        "add_label" => labels::add,
        "remove_label" => labels::remove,
        "delete_label" => labels::delete,
        "list_pull_requests" => pulls::list,
        "get_pull_request" => pulls::get,
        "create_pull_request" => pulls::create,
        "update_pull_request" => pulls::update,
        "review_pull_request" => pulls::review,
        "merge_pull_request" => pulls::merge,
        "close_pull_request" => pulls::close,
        "list_notes" => notes::list,
        "get_note" => notes::get,
        "create_note" => notes::create,
        "update_note" => notes::update,
        "search_notes" => notes::search,
        "delete_note" => notes::delete,
        "list_events" => calendar::list,
        "get_event" => calendar::get,
        "create_event" => calendar::create,
        "move_event" => calendar::shift,
        "cancel_event" => calendar::cancel,
        "find_free_time" => free_time::find,
        "find_place" => places::find,
        "get_place" => places::get,
        "add_place" => places::add,
        "remove_place" => places::remove,
        "measure_distance" => places::measure,
        _ => return None,
    })
}

/// Returns the reply to one `tools/call` request or one step of it: `{"result"}`, `{"more"}` or `{"ask"}`.
pub(crate) fn call(store: &Store<'_>, params: &Value, turn: Turn<'_>) -> Result<Value, TrackerError> {
    let name = params.get("name").and_then(Value::as_str);
    let name = name.ok_or_else(|| TrackerError::params("`name` is required, a string"))?;
    let Some(schema) = catalog::input_schema(name) else {
        return Err(TrackerError::params(format!("Unknown tool: {name}")));
    };
    let none = Map::new();
    let arguments = match params.get("arguments") {
        None => &none,
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(TrackerError::params("`arguments` must be an object")),
    };
    let reply = check::check(schema, arguments)
        .map_err(Fail::Refused)
        .and_then(|checked| work(name, store, &Args(checked), turn));
    let result = match reply {
        Ok(Reply::Said(text)) => json!({ "content": [text_block(text)] }),
        Ok(Reply::Data(data)) => {
            json!({ "content": [text_block(data.to_string())], "structuredContent": data })
        }
        Ok(Reply::More(More { state, wait_ms, progress })) => {
            return Ok(json!({ "more": { "state": state, "waitMs": wait_ms, "progress": progress } }));
        }
        Ok(Reply::Question(Question { state, key, params })) => {
            return Ok(json!({ "ask": { "state": state, "key": key, "params": params } }));
        }
        Err(fail) => json!({ "content": [text_block(fail.message())], "isError": true }),
    };
    Ok(json!({ "result": result }))
}

/// Runs a tool on validated arguments.
fn work(name: &str, store: &Store<'_>, args: &Args, turn: Turn<'_>) -> Result<Reply, Fail> {
    match (find(name), long::find(name)) {
        (Some(tool), _) => tool(store, args),
        (None, Some(tool)) => tool(store, args, turn),
        (None, None) => Err(Fail::Fault(format!("`{name}` is listed and not there"))),
    }
}

fn text_block(text: impl Into<String>) -> Value {
    json!({ "type": "text", "text": text.into() })
}
