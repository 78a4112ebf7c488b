use std::rc::Rc;

use crate::{
    config::PassedMethod,
    json::Raw,
    mcp::{
        call::{chain::CallChain, route::Route},
        host::{Call, Host},
        request::{caller::Caller, context::Context},
        tasks::create::TaskDraft,
    },
    policy::View,
};

/// A call that outlives the request it came in.
#[derive(Debug)]
pub(crate) struct PendingCall {
    pub method: String,
    /// JSON that was read before.
    pub params: Option<String>,
    servers: Vec<String>,
    pub caller: Caller<'static>,
    /// What the caller may see; none where the call is not about a primitive.
    pub view: Option<View>,
    /// Whether the caller may know of resources that no list mentions.
    pub unlisted: bool,
    /// The methods of other vendors that are passed to the servers that may answer.
    pub passes: Vec<PassedMethod>,
    /// Whether the caller can be asked something meanwhile.
    asks: bool,
    /// What is to be said of it, should it become a task.
    pub origin: Option<TaskDraft>,
    /// What everything between its client and its server goes through, if anything.
    pub passage: Option<Rc<CallChain>>,
}

impl PendingCall {
    /// A call that goes its way with these parameters.
    pub fn new<H: Host>(context: &Context<'_, H>, route: &Route, params: Option<String>, asks: bool) -> Self {
        let settings = context.asked.config.upstream_settings().iter();
        let passes = settings.filter(|settings| route.servers.contains(&settings.name));
        Self {
            method: context.message.method.clone().into_owned(),
            params,
            servers: route.servers.clone(),
            caller: context.caller.detached(context.asked.request.uri().query()),
            view: Some(context.view.clone()),
            unlisted: context.backend.open && !context.backend.unlisted.is_empty(),
            passes: passes.flat_map(|settings| settings.pass_methods.iter().cloned()).collect(),
            asks,
            origin: None,
            passage: None,
        }
    }

    /// A call to a server of one's own making.
    pub fn about(method: &str, params: String, server: &str, caller: Caller<'static>, asks: bool) -> Self {
        Self {
            method: method.to_owned(),
            params: Some(params),
            servers: vec![server.to_owned()],
            caller,
            view: None,
            unlisted: false,
            passes: Vec::new(),
            asks,
            origin: None,
            passage: None,
        }
    }

    /// The server that the call goes to first.
    pub fn server(&self) -> Option<&str> {
        self.servers.first().map(String::as_str)
    }

    /// Returns the caller as it makes this call.
    pub fn calling(&self) -> Caller<'_> {
        self.caller.calling(&self.method)
    }

    /// Returns the request for the server; with `params`, if there are any, in place of its own.
    pub fn call<'a>(&'a self, caller: &'a Caller<'a>, params: Option<&'a str>) -> Call<'a> {
        let Self { method, servers, .. } = self;
        Call {
            method,
            params: params.or(self.params.as_deref()).map(Raw::known),
            servers,
            caller,
            asks: self.asks,
            task: self.origin.as_ref().and_then(|origin| origin.wish),
        }
    }
}
