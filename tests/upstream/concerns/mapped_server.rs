//! A server that takes concerns in one of several forms and keeps their values to itself (#1936).

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use serde_json::{Value, json};

use crate::{
    net::{Reply, Seen},
    server::{error, result},
};

/// The forms in which a server takes concerns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// `params.filter.concerns`, in the stateless era: another Sieve.
    Filter,
    /// The same, in sessions.
    FilterInSessions,
    /// `_meta.concerns`, in the stateless era.
    Meta,
    /// The notification `initialized`, in sessions without `updateConcerns`.
    Initialized,
    /// The request `initialize`, in sessions without `updateConcerns`.
    Initialize,
    /// `updateConcerns` alone, in sessions.
    Update,
    /// Sessions alone, at a server that answers stateless requests too.
    SessionsBeside,
}

pub const FORMS: [Form; 7] = [
    Form::Filter,
    Form::FilterInSessions,
    Form::Meta,
    Form::Initialized,
    Form::Initialize,
    Form::Update,
    Form::SessionsBeside,
];

/// A server that maps its primitives to concern values, and shows the mapping in no list.
pub struct Mapped {
    pub form: Form,
    /// The declarations.
    pub concerns: Value,
    /// The values of each primitive, by list.
    pub primitives: BTreeMap<&'static str, Vec<(String, Value)>>,
    /// The concerns of each session.
    pub sessions: Vec<Value>,
    /// The sessions that are open.
    pub open: usize,
}

pub type Shared = Rc<RefCell<Mapped>>;

/// Returns the concerns of the proposal's example, with values that are not declared, several values, and a range.
pub fn mapped(form: Form) -> Shared {
    let named = |all: &[(&str, Value)]| {
        all.iter().map(|(name, values)| ((*name).to_owned(), values.clone())).collect()
    };
    let tools = named(&[
        ("encryptData", json!({"security": ["high"], "cost": ["minimal"]})),
        ("logData", json!({"security": ["medium"]})),
        ("validateData", json!({})),
        ("hashData", json!({"security": ["high", "medium"], "cost": ["moderate"]})),
        ("guessData", json!({"security": ["whatever"], "depth": ["2"]})),
    ]);
    let prompts = named(&[("explain", json!({"cost": ["moderate"]})), ("greet", json!({}))]);
    let concerns = json!([
        {"name": "security", "description": "Security level", "values": ["high", "medium", "low"], "default": "medium"},
        {"name": "cost", "values": ["minimal", "moderate"]},
        {"name": "depth", "values": {"min": 1, "max": 3}},
    ]);
    let primitives = BTreeMap::from([("tools", tools), ("prompts", prompts)]);
    Rc::new(RefCell::new(Mapped { form, concerns, primitives, sessions: Vec::new(), open: 0 }))
}

impl Mapped {
    /// Returns the names in a list under concerns.
    pub fn names(&self, list: &str, concerns: &Value) -> Vec<String> {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let matches = |values: &Value| {
            concerns.as_object().into_iter().flatten().filter(|(_, wanted)| !wanted.is_null()).all(
                |(name, wanted)| {
                    let own = values.get(name).and_then(Value::as_array);
                    own.is_none_or(|own| own.iter().any(|value| text(value) == text(wanted)))
                },
            )
        };
        let all = self.primitives.get(list).into_iter().flatten();
        all.filter(|(_, values)| matches(values)).map(|(name, _)| name.clone()).collect()
    }

    pub fn has_sessions(&self) -> bool {
        !matches!(self.form, Form::Filter | Form::Meta)
    }

    pub fn capabilities(&self) -> Value {
        let mut capabilities = json!({"tools": {}, "prompts": {}, "concerns": self.concerns});
        if matches!(self.form, Form::Filter | Form::FilterInSessions) {
            capabilities["extensions"] =
                json!({"dev.mcpsieve/filtering": {"version": 1, "fields": ["groups", "concerns", "fields"]}});
        }
        capabilities
    }

    pub fn answer(&mut self, seen: &Seen) -> Reply {
        let params = &seen.body["params"];
        let session = seen.header("mcp-session-id").map(|id| id.parse::<usize>().unwrap());
        let is_stateless = matches!(self.form, Form::Filter | Form::Meta | Form::SessionsBeside);
        let refuse = |code: i64| error(seen, 200, json!({"code": code, "message": "no"}));
        match seen.method() {
            "server/discover" if is_stateless => result(
                seen,
                json!({"resultType": "complete", "supportedVersions": ["2026-07-28"],
                    "capabilities": self.capabilities(), "ttlMs": 0, "cacheScope": "public"}),
            ),
            "initialize" if self.has_sessions() => {
                self.sessions.push(match self.form {
                    Form::Initialize => params["concerns"].clone(),
                    _ => Value::Null,
                });
                self.open += 1;
                let info = json!({"name": "mapped", "version": "1"});
                let mut reply = result(
                    seen,
                    json!({"protocolVersion": "2025-11-25", "capabilities": self.capabilities(), "serverInfo": info}),
                );
                if let Reply::Response { headers, .. } = &mut reply {
                    headers.push(("mcp-session-id".to_owned(), (self.sessions.len() - 1).to_string()));
                }
                reply
            }
            "notifications/initialized" => {
                if matches!(self.form, Form::Initialized | Form::SessionsBeside) {
                    self.sessions[session.unwrap()] = params["concerns"].clone();
                }
                Reply::Response { status: 202, headers: vec![], body: vec![] }
            }
            "updateConcerns" if self.form == Form::Update => {
                self.sessions[session.unwrap()] = params["concerns"].clone();
                result(seen, json!({}))
            }
            "DELETE" => {
                self.open -= 1;
                Reply::Response { status: 200, headers: vec![], body: vec![] }
            }
            "tools/list" | "prompts/list" => {
                let concerns = match self.form {
                    Form::Filter | Form::FilterInSessions => params["filter"]["concerns"].clone(),
                    Form::Meta => params["_meta"]["concerns"].clone(),
                    _ => session.map(|at| self.sessions[at].clone()).unwrap_or_default(),
                };
                let list = seen.method().split('/').next().unwrap();
                let primitives: Vec<Value> = self
                    .names(list, &concerns)
                    .into_iter()
                    .map(|name| match list {
                        "tools" => json!({"name": name, "inputSchema": {"type": "object"}}),
                        _ => json!({"name": name}),
                    })
                    .collect();
                result(seen, json!({list: primitives}))
            }
            _ => refuse(-32601),
        }
    }
}
