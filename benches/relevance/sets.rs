//! Tools with questions whose answers are known.

use std::{collections::HashMap, fs, path::Path};

use mcp_sieve::catalog::{Assignments, Catalog, Lists, Source};
use serde_json::{Value, json};

/// A catalog, and queries with the places of the tools that answer them.
pub struct Set {
    pub name: String,
    /// Tools as a list result holds them.
    pub tools: Vec<Value>,
    pub questions: Vec<(String, Vec<usize>)>,
}

impl Set {
    pub fn catalog(&self) -> Catalog {
        compile(&self.tools)
    }
}

/// Tools whose names may repeat: what is to be measured is how each is found, not which is kept.
pub fn compile(tools: &[Value]) -> Catalog {
    // A tool whose name is taken keeps its words and gets a number.
    let mut seen = HashMap::new();
    let mut tools = tools.to_vec();
    for tool in &mut tools {
        let name = tool["name"].as_str().unwrap().to_owned();
        let times = seen.entry(name.clone()).and_modify(|times| *times += 1).or_insert(1);
        if *times > 1 {
            tool["name"] = json!(format!("{name} {times}"));
        }
    }
    let text = json!({ "tools": tools }).to_string();
    let source = Source { server: "", lists: Lists::read(&text).unwrap() };
    let catalog = Catalog::compile(&[source], &Assignments::default());
    assert_eq!(catalog.reports(), []);
    catalog
}

fn value(path: &Path) -> Option<Value> {
    let text = fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

/// The tools of a catalog in `folder`.
pub fn catalogs(folder: &Path) -> Vec<Value> {
    let mut files: Vec<_> = fs::read_dir(folder.join("catalogs"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    files.iter().filter_map(|file| value(file)).flat_map(|list| tools(&list)).collect()
}

/// Every pair of files `NAME-tools.json` and `NAME-queries….json` below `relevance`.
pub fn read(folder: &Path) -> Vec<Set> {
    let folder = folder.join("relevance");
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let names = files.iter().filter_map(|file| file.strip_suffix("-tools.json"));
    names
        .filter_map(|name| {
            let queries = files.iter().find(|file| file.starts_with(&format!("{name}-queries")))?;
            let tools = tools(&value(&folder.join(format!("{name}-tools.json")))?);
            let questions = questions(&value(&folder.join(queries))?, &tools);
            Some(Set { name: name.to_owned(), tools, questions })
        })
        .collect()
}

/// Tools from a list result, from an array of them, or from an object of name → description.
fn tools(list: &Value) -> Vec<Value> {
    match (list.get("tools").unwrap_or(list), list) {
        (Value::Array(tools), _) => tools.iter().map(tool).collect(),
        (Value::Object(described), _) => described
            .iter()
            .map(|(name, text)| json!({"name": name, "description": text, "inputSchema": {"type": "object"}}))
            .collect(),
        (other, _) => panic!("no list of tools: {other}"),
    }
}

/// A function as other vendors write it has `parameters` where a tool has `inputSchema`.
fn tool(tool: &Value) -> Value {
    let mut tool = tool.clone();
    let members = tool.as_object_mut().unwrap();
    if let Some(schema) = members.remove("parameters") {
        members.insert("inputSchema".to_owned(), schema);
    }
    members.entry("inputSchema").or_insert_with(|| json!({"type": "object"}));
    // An absent annotation is sometimes written as null.
    members.retain(|_, value| !value.is_null());
    tool
}

/// `{query, tool}` or `{query, tools}`; a tool by its name, or as `server/name` where names repeat.
fn questions(list: &Value, tools: &[Value]) -> Vec<(String, Vec<usize>)> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, tool) in tools.iter().enumerate() {
        let name = tool["name"].as_str().unwrap();
        places.entry(name.to_owned()).or_default().push(at);
        if let Some(server) = tool["_meta"]["source/server"].as_str() {
            places.entry(format!("{server}/{name}")).or_default().push(at);
        }
    }
    let place = |name: &Value| places.get(name.as_str().unwrap()).unwrap_or_else(|| panic!("no tool {name}"));
    let read = |question: &Value| {
        let names = match &question["tools"] {
            Value::Array(names) => names.clone(),
            _ => vec![question["tool"].clone()],
        };
        (question["query"].as_str().unwrap().to_owned(), names.iter().flat_map(place).copied().collect())
    };
    list.as_array().unwrap().iter().map(read).collect()
}
