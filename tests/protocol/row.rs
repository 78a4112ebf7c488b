//! The format of a row; `tests/fixtures/README.md` documents its members.

use std::{collections::BTreeMap, fs, path::PathBuf};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Returns the rows of every file in `tests/fixtures/protocol`, in the order of the files' names.
pub fn all() -> Vec<Row> {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures", "protocol"].iter().collect();
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let rows = |file: &PathBuf| serde_json::from_slice::<Vec<Row>>(&fs::read(file).unwrap());
    files
        .iter()
        .flat_map(|file| rows(file).unwrap_or_else(|error| panic!("{}: {error}", file.display())))
        .collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    pub name: String,
    #[serde(rename = "ids")]
    _ids: Vec<String>,
    pub world: String,
    pub steps: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The revision whose boilerplate is filled in; `null` for none.
    pub era: Option<String>,
    #[serde(default = "post")]
    pub verb: String,
    pub query: Option<String>,
    /// A path other than the endpoint's.
    pub path: Option<String>,
    #[serde(default)]
    pub method: String,
    #[serde(default, deserialize_with = "present")]
    pub params: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    pub id: Option<Value>,
    #[serde(default)]
    pub notification: bool,
    #[serde(default)]
    pub headers: BTreeMap<String, Option<Several>>,
    #[serde(default)]
    pub meta: Map<String, Value>,
    pub raw: Option<Raw>,
    pub token: Option<String>,
    pub expect: Expect,
}

impl Step {
    /// Returns whether the step requests a list as a plain HTTP resource.
    pub fn is_plain(&self) -> bool {
        self.path.as_ref().is_some_and(|path| path.starts_with(mcp_sieve_gateway::server::PLAIN_PATH))
    }

    /// Returns whether the step requests a document outside JSON-RPC: a server card, or the catalog of cards.
    pub fn is_document(&self) -> bool {
        self.path
            .as_ref()
            .is_some_and(|path| path.ends_with("/server-card") || path.starts_with("/.well-known/"))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expect {
    pub status: u16,
    #[serde(rename = "type")]
    pub media: Option<String>,
    #[serde(default)]
    pub headers: BTreeMap<String, Option<String>>,
    #[serde(default, deserialize_with = "present")]
    pub id: Option<Value>,
    pub error: Option<Value>,
    pub result: Option<Value>,
    pub names: Option<Vec<String>>,
    #[serde(default)]
    pub at: BTreeMap<String, Value>,
    #[serde(default)]
    pub not: BTreeMap<String, Value>,
    #[serde(default)]
    pub absent: Vec<String>,
    #[serde(default)]
    pub nowhere: Vec<String>,
    pub text: Option<String>,
    pub events: Option<Vec<Value>>,
    pub batch: Option<Vec<Value>>,
}

/// One or more values of a header.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Several {
    One(String),
    Many(Vec<String>),
}

impl Several {
    pub fn values(&self) -> &[String] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// A literal body.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Raw {
    Text(String),
    Long {
        #[serde(default)]
        before: String,
        repeat: String,
        times: usize,
        #[serde(default)]
        after: String,
    },
    Bytes {
        base64: String,
    },
}

impl Raw {
    pub fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Long { before, repeat, times, after } => {
                format!("{before}{}{after}", repeat.repeat(*times)).into_bytes()
            }
            Self::Bytes { base64 } => STANDARD.decode(base64).unwrap(),
        }
    }
}

fn post() -> String {
    "POST".to_owned()
}

/// Deserializes `null` as a value, not as an absent member.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}
