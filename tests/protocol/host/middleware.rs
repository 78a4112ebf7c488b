//! The functions of context middleware, and their environment.

use std::{cell::RefCell, rc::Rc};

use mcp_sieve::{Error, json::Raw};
use mcp_sieve_gateway::{
    audit::{AuditSink, FunctionRun, Operation},
    middleware::{self, Content, Environment, Function, Outcome},
};
use serde_json::Value;

/// The environment of context middleware: a clock and an audit sink.
pub struct Clock {
    pub now: u64,
    pub runs: Rc<RefCell<Vec<Operation>>>,
}

impl Environment for Clock {
    fn now(&self) -> u64 {
        self.now
    }
}

impl AuditSink for Clock {
    fn note(&self, run: &FunctionRun<'_>) {
        self.runs.borrow_mut().push(run.operation(self.now));
    }
}

/// A function that leaves out the members `draft` beside the blocks of a result, and adds one.
pub struct Editor;

impl Function for Editor {
    const NAME: &'static str = "editor";
    const DESCRIPTION: &'static str = "Edits.";

    async fn run<'a>(&'a self, call: middleware::Call<'a>) -> Result<Outcome<'a>, Error> {
        let mut items: Vec<Value> = serde_json::from_str(&call.content.to_json()).unwrap();
        for item in &mut items {
            if let Some(beside) = item.get_mut("structuredContent").and_then(Value::as_object_mut) {
                beside.remove("draft");
                beside.insert("edited".to_owned(), true.into());
            }
        }
        let edited = Value::from(items).to_string();
        Ok(Outcome::new(Content::read(Raw::parse(&edited).unwrap()).unwrap().into_owned()))
    }
}
