//! The state of a handler that is shared by all requests, and the host of one request.

use std::{
    cell::{Cell, RefCell},
    rc::Rc,
};

use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{config::Config, host::RankerState, session::SuspendedCalls, upstream::Gateway};
use wasm_bindgen::JsValue;

use super::{World, live::LiveSessions, predicates::Registration};

/// The state of a handler that outlives requests.
pub(super) struct Handling {
    pub config: Config,
    pub key: Key,
    pub gateway: Gateway,
    pub world: World,
    /// The circuit breaker of the ranker.
    pub ranker: RankerState,
    pub suspended_calls: Rc<SuspendedCalls>,
    pub live: RefCell<LiveSessions>,
    /// The number of times that the handler announced changed lists during a call.
    pub changes: Cell<u64>,
    /// The registration of the predicates, kept as long as this state.
    pub _predicates: Registration,
}

/// The host of one request.
#[derive(Clone)]
pub(super) struct JsHost {
    pub handling: Rc<Handling>,
    pub context: JsValue,
}

impl JsHost {
    pub fn new(handling: Rc<Handling>, context: JsValue) -> Self {
        Self { handling, context }
    }
}
