//! What a server sends to a client outside calls.

use std::{
    rc::Rc,
    sync::{Arc, Mutex},
};

use http::HeaderValue;
use mcp_sieve::json::{Object, Raw};

use crate::{
    call::notifications::Notification,
    caller::identity::Caller,
    gateway::{
        Gateway,
        own_lists::OwnLists,
        serve::CompiledLists,
        upstream_slot::UpstreamSlot,
        watch::{public, share},
    },
    host::{Call, SubscriptionFilter},
    object::ReadObject,
    protocol::error::RpcError,
    session::{change::Change, session_streams::SessionStreams},
    upstream::{
        Fetch,
        session_inbox::{ClientAnswer, OutsideCalls},
    },
};

const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";

/// The client of a session at a server, as far as messages reach it outside calls.
struct ClientMessages<F> {
    fetch: F,
    member: Arc<UpstreamSlot>,
    kept: Arc<Mutex<Option<CompiledLists>>>,
    /// The streams of the client's own session; `None` for stateless callers, who have no stream outside calls.
    streams: Option<Rc<SessionStreams>>,
}

impl<F: Fetch> OutsideCalls for ClientMessages<F> {
    fn is_listening(&self) -> bool {
        self.streams.as_ref().is_some_and(|streams| streams.has_feed())
    }

    fn ask(&self, method: &str, params: &str) -> Option<ClientAnswer> {
        self.streams.as_ref()?.ask_outside(method, params)
    }

    fn notify(&self, message: Vec<u8>) {
        let passes = self.member.process_notification(&self.fetch, &message);
        let Some(streams) = &self.streams else { return };
        if let Notification::ListChanged = Notification::read(&message) {
            self.lists_changed();
        }
        if !passes {
            return;
        }
        match Notification::read(&message) {
            Notification::Updated(uri) => {
                let uri = public(&self.kept, &self.member.name, uri.into_owned());
                streams.announce([Change::Resource(uri)]);
            }
            Notification::Message(_) | Notification::Other(_) => streams.pass(message),
            Notification::Progress(_) | Notification::Elicited(_) | Notification::ListChanged => {}
        }
    }

    fn lists_changed(&self) {
        let Some(streams) = &self.streams else { return };
        OwnLists::of(streams).expire(&self.member.name);
        streams.wake_feed();
    }

    fn ended(&self) {
        self.streams.iter().for_each(|streams| streams.forget_own_subscriptions());
    }
}

impl Gateway {
    /// Returns the client of a call outside the call. The session of a client is read only where its streams are.
    pub(super) fn outside<F: Fetch>(
        &self,
        fetch: &F,
        member: &Arc<UpstreamSlot>,
        call: &Call<'_>,
    ) -> Option<Rc<dyn OutsideCalls>> {
        if call.streams.is_none() && !call.caller.protocol.is_stateless() {
            return None;
        }
        let (member, kept) = (Arc::clone(member), Arc::clone(&self.kept));
        let (fetch, streams) = (fetch.clone(), call.streams.cloned());
        Some(Rc::new(ClientMessages { fetch, member, kept, streams }))
    }

    /// Notifies the servers that the roots of a client have changed. `can_be_asked` states whether the client has an open
    /// stream.
    pub fn roots_changed<F: Fetch>(&self, fetch: &F, session: &HeaderValue, can_be_asked: bool) {
        self.members.iter().for_each(|member| member.upstream.roots_changed(fetch, session, can_be_asked));
        self.each_caller(fetch, |acting, member| {
            member.upstream.roots_changed(acting, session, can_be_asked);
        });
    }

    /// Subscribes the client of a session to a resource, in the client's own session at the server that has the resource,
    /// or ends the subscription. Returns false if no server has a session for the client.
    ///
    /// # Errors
    /// Returns the error with which the server refuses, or of a server that cannot be reached.
    pub async fn subscribe<F: Fetch>(
        &self,
        fetch: &F,
        caller: &Caller<'_>,
        streams: &Rc<SessionStreams>,
        uri: &str,
        is_wanted: bool,
    ) -> Result<bool, RpcError> {
        let method = if is_wanted { SUBSCRIBE } else { UNSUBSCRIBE };
        let mut is_own = false;
        for member in &self.members {
            let wanted = SubscriptionFilter { resources: [uri.to_owned()].into(), ..Default::default() };
            for uri in share(&self.kept, member, wanted).resources {
                let mut params = Vec::new();
                let mut object = Object::open(&mut params);
                object.text("uri", &uri);
                object.close();
                let params = std::str::from_utf8(&params).ok().and_then(|text| Raw::parse(text).ok());
                let call = Call {
                    method,
                    params: params.and_then(ReadObject::read),
                    servers: std::slice::from_ref(&member.name),
                    caller,
                    accepts_requests: true,
                    streams: Some(streams),
                    task: None,
                    passthrough: None,
                };
                let outside = self.outside(fetch, member, &call);
                is_own |= member.upstream.call_in_session(fetch, &call, outside.as_ref()).await?;
            }
        }
        Ok(is_own)
    }
}
