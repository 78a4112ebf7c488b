//! The skills of an upstream server, equivalent to `tests/support/skills.mjs` over HTTP.

use mcp_sieve_gateway::{
    error::RpcError,
    host::{Answer, Call},
};
use serde_json::{Value, json};

/// Returns every file of a server's skills.
pub fn files(skills: &[Value]) -> impl Iterator<Item = &str> {
    skills.iter().flat_map(|skill| {
        let listed = skill["resources"].as_array().into_iter().flatten();
        listed.map(|file| &file["uri"]).chain([&skill["uri"]]).filter_map(Value::as_str)
    })
}

/// Answers the methods of the skills extension; returns `None` for other methods.
pub fn answer(call: &Call<'_>, skills: &[Value]) -> Option<Answer> {
    let params: Value = serde_json::from_str(call.params.as_ref()?.raw().get()).ok()?;
    let uri = params["uri"].as_str()?;
    let refused =
        |message: &str| Some(Answer::Error(RpcError::relayed(-32602, format!("{message} {uri}"), None)));
    let result = match call.method {
        "skills/get" => match skills.iter().find(|skill| skill["uri"] == uri) {
            Some(skill) => json!({"skill": skill, "ttlMs": 1, "cacheScope": "public"}),
            None => return refused("no skill at"),
        },
        "resources/directory/read" => {
            let mut children: Vec<Value> = Vec::new();
            for path in files(skills).filter_map(|file| file.strip_prefix(uri)?.strip_prefix('/')) {
                let (name, media) = match path.split_once('/') {
                    Some((name, _)) => (name, "inode/directory"),
                    None => (path, "text/markdown"),
                };
                let child = json!({"uri": format!("{uri}/{name}"), "name": name, "mimeType": media});
                if !children.contains(&child) {
                    children.push(child);
                }
            }
            if children.is_empty() {
                return refused("no directory at");
            }
            json!({"resources": children})
        }
        _ => return None,
    };
    Some(Answer::Result(result.to_string().into_bytes()))
}
