//! The objects of this crate as a face of the engine.

use mcp_sieve::{Filter, Kind};
use serde_json::{Map, Value, json};
use wasm_bindgen::JsValue;
use web_sys::UrlSearchParams;

use super::{
    super::values,
    face::{Answer, Caller, Face, Refused},
    rows::FilterInput,
};
use crate::{Failure, Selection, Sieve, View};

/// The objects that a page calls.
pub struct Objects {
    sieve: Sieve,
    view: View,
}

impl Objects {
    fn compiled(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Failure> {
        let config = config.map_or(JsValue::UNDEFINED, values::object_or_text);
        let sieve = Sieve::new(lists.into(), config)?;
        let view = sieve.view(values::object(&described(caller)))?;
        Ok(Self { sieve, view })
    }

    fn select(&self, kind: Kind, input: &FilterInput) -> Result<Selection, Failure> {
        let filter = match input {
            FilterInput::Nothing => JsValue::UNDEFINED,
            FilterInput::Filter(source) => values::object_or_text(source),
            FilterInput::Query(query) => UrlSearchParams::new_with_str(query).unwrap().into(),
        };
        self.view.select(kind.list_key(), filter)
    }
}

impl Face for Objects {
    const NAME: &str = "the objects of a page";
    const HAS_CALLERS: bool = true;

    fn compile(lists: &str, config: Option<&str>) -> Result<Self, Refused> {
        Self::compile_for(lists, config, &Caller::new())
    }

    fn compile_for(lists: &str, config: Option<&str>, caller: &Caller) -> Result<Self, Refused> {
        Self::compiled(lists, config, caller).map_err(refused)
    }

    fn ask(&mut self, kind: Kind, input: &FilterInput) -> Result<Answer, Refused> {
        let selection = self.select(kind, input).map_err(refused)?;
        let all = self.select(kind, &FilterInput::Nothing).map_err(refused)?.names();
        let applied = values::json(selection.filter().map_err(refused)?);
        let names = selection.names();
        let place = |name: &String| all.iter().position(|known| known == name).unwrap() as u32;
        Ok(Answer {
            count: selection.count(),
            indices: names.iter().map(place).collect(),
            names,
            list: selection.list(),
            // The canonical form is the same filter.
            hash: format!("{:032x}", Filter::parse(&applied.to_string())?.filter.hash()),
            applied,
            ignored: values::array(selection.ignored().map_err(refused)?).as_array().unwrap().clone(),
            unknown: values::array(selection.unknown().map_err(refused)?).as_array().unwrap().clone(),
        })
    }

    fn explain(&mut self, kind: Kind, input: &FilterInput, of: &str) -> Value {
        values::json(self.select(kind, input).unwrap().explain(of).unwrap())
    }

    fn about(&self) -> Value {
        let mut about = values::json(self.view.facets().unwrap());
        about["hash"] = self.sieve.hash().into();
        about["reports"] = values::array(self.sieve.reports().unwrap());
        about
    }
}

/// Returns the caller of a row as a page describes it.
fn described(caller: &Caller) -> Value {
    let mut described = Map::new();
    for (field, values) in caller {
        let first = json!(values[0]);
        match field.split_once('.') {
            // Scopes are a claim of the token.
            None if field == "scope" => {
                described.entry("claims").or_insert_with(|| json!({}))["scope"] = json!(values);
            }
            None => _ = described.insert(field.clone(), first),
            Some((group, name)) => {
                let (group, value) = match group {
                    "claim" => ("claims", json!(values)),
                    "capability" => ("capabilities", json!({})),
                    "header" => ("headers", first),
                    group => (group, first),
                };
                described.entry(group).or_insert_with(|| json!({}))[name] = value;
            }
        }
    }
    Value::Object(described)
}

fn refused(failure: Failure) -> Refused {
    let error = JsValue::from(failure);
    let text = |member: &str| values::thrown(&error, member).as_string();
    Refused {
        code: text("code").unwrap(),
        message: text("message").unwrap(),
        path: text("path"),
        at: values::thrown(&error, "at").as_f64().map(|at| at as u64),
    }
}
