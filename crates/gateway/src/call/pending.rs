//! A call that outlives its request, with all the data to send it to the server.

use std::rc::Rc;

use mcp_sieve::policy::View;
use serde_json::Value;

use crate::{
    call::{chain::CallChain, client_requests, create::TaskDraft},
    caller::identity::Caller,
    config::PassedMethod,
    host::{Call, Host, PassthroughTerms},
    object::OwnedObject,
    protocol::error::RpcError,
    request::{bound_arguments::BoundArguments, context::Context, route::Route},
    session::session_streams::SessionStreams,
};

/// A call that outlives the request that made it.
#[derive(Debug)]
pub(crate) struct PendingCall {
    pub method: String,
    pub params: Option<Rc<OwnedObject>>,
    servers: Vec<String>,
    pub caller: Rc<Caller<'static>>,
    /// The caller's view; `None` for a call that is not about a primitive.
    pub view: Option<View>,
    /// Whether the caller may know of resources that no list mentions.
    pub unlisted: bool,
    /// The methods of other vendors that are passed to the servers of the call.
    pub passes: Vec<PassedMethod>,
    /// Whether the caller can be sent requests during the call.
    accepts_requests: bool,
    /// The values that the server's arguments get and that the caller's lack.
    bound: Option<Rc<BoundArguments>>,
    /// The draft of the task that the call may become.
    pub origin: Option<TaskDraft>,
    /// The middleware of the call, if any.
    pub chain: Option<Rc<CallChain>>,
    /// The streams of the caller's session, if this process holds them.
    pub streams: Option<Rc<SessionStreams>>,
    /// The terms on which the response passes through unread; `None` if something has to read it.
    pub passthrough: Option<Rc<PassthroughTerms>>,
}

impl PendingCall {
    /// Creates the call of a request, with its final parameters.
    pub fn new<H: Host>(
        context: &Context<'_, H>,
        route: &Route,
        params: Option<OwnedObject>,
        accepts_requests: bool,
    ) -> Self {
        let settings = context.exchange.config.upstream_settings().iter();
        let passes = settings.filter(|settings| route.servers.contains(&settings.name));
        Self {
            method: context.message.method.clone().into_owned(),
            params: params.map(Rc::new),
            servers: route.servers.clone(),
            caller: Rc::new(context.caller.detached(context.exchange.request.uri().query())),
            view: Some(context.view.clone()),
            unlisted: context.backend.open && !context.backend.unlisted.is_empty(),
            passes: passes.flat_map(|settings| settings.pass_methods.iter().cloned()).collect(),
            accepts_requests,
            bound: route.bound.clone(),
            origin: None,
            chain: None,
            streams: context.session.as_ref().and_then(|(id, _)| context.exchange.host.live(id)),
            passthrough: None,
        }
    }

    /// Creates a call of the gateway's own to a server.
    pub fn about(
        method: &str,
        params: &str,
        server: &str,
        caller: Caller<'static>,
        accepts_requests: bool,
    ) -> Self {
        Self {
            method: method.to_owned(),
            params: OwnedObject::parse(params).map(Rc::new),
            servers: vec![server.to_owned()],
            caller: Rc::new(caller),
            view: None,
            unlisted: false,
            passes: Vec::new(),
            accepts_requests,
            bound: None,
            origin: None,
            chain: None,
            streams: None,
            passthrough: None,
        }
    }

    /// Returns the first server of the call.
    pub fn server(&self) -> Option<&str> {
        self.servers.first().map(String::as_str)
    }

    /// Returns the client capabilities that are declared to the server. A session of a client declares all of them.
    pub fn declared(&self) -> Value {
        match self.accepts_requests || !self.caller.protocol.is_stateless() {
            true => self.caller.capabilities.clone(),
            false => client_requests::unasked(&self.caller.capabilities),
        }
    }

    /// Returns the caller with the method of this call.
    pub fn calling(&self) -> Caller<'_> {
        self.caller.calling(&self.method)
    }

    /// Returns the parameters for the server, if they differ from those of the call: `opened`, or the call's own, with the
    /// values of the bound arguments. The call keeps its own for later rounds.
    ///
    /// # Errors
    /// A bound argument that a middleware function has set.
    pub fn filled(&self, opened: Option<OwnedObject>) -> Result<Option<OwnedObject>, RpcError> {
        match &self.bound {
            Some(bound) => bound.fill(opened.as_ref().or(self.params.as_deref())).map(Some),
            None => Ok(opened),
        }
    }

    /// Returns the request for the server. `params`, if given, replace the parameters of the call.
    pub fn call<'a>(&'a self, caller: &'a Caller<'a>, params: Option<&'a OwnedObject>) -> Call<'a> {
        let Self { method, servers, .. } = self;
        Call {
            method,
            params: params.or(self.params.as_deref()).map(OwnedObject::read),
            servers,
            caller,
            accepts_requests: self.accepts_requests,
            streams: self.streams.as_ref(),
            task: self.origin.as_ref().and_then(|origin| origin.request),
            passthrough: self.passthrough.as_ref(),
        }
    }
}
