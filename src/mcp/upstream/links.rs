//! Sessions at a server of the handshake era. What a session's client can be asked is settled when it begins,
//! and a server may keep things by session, so callers that differ in either have one each.

use std::{collections::VecDeque, sync::Arc};

use http::HeaderMap;

use super::connect::Link;
use crate::mcp::{Call, questions};

/// Most sessions at one server that are kept; the one that has gone longest without a call makes room.
pub const MAX_SESSIONS: usize = 256;

/// Whose session it is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Holder {
    principal: Option<String>,
    /// What may be asked, as a JSON object; empty for nothing.
    pub capabilities: String,
    /// Headers of the caller that are sent on: to the server they may be who it is.
    pub headers: HeaderMap,
}

/// Sessions by holder, the latest used last.
#[derive(Debug, Default)]
pub(super) struct Links(VecDeque<(Holder, Arc<Link>)>);

impl Holder {
    pub fn of(call: &Call<'_>, headers: HeaderMap) -> Self {
        let askable = questions::askable(&call.caller.capabilities);
        let asks = call.asks && askable.as_object().is_some_and(|askable| !askable.is_empty());
        Self {
            principal: call.caller.principal().map(Into::into),
            capabilities: if asks { askable.to_string() } else { String::new() },
            headers,
        }
    }

    /// Whether it is nobody in particular, who may be asked nothing: the gateway itself.
    pub fn is_nobody(&self) -> bool {
        *self == Self::default()
    }
}

impl Links {
    pub fn get(&mut self, holder: &Holder) -> Option<Arc<Link>> {
        let at = self.0.iter().position(|(known, _)| known == holder)?;
        let found = self.0.remove(at)?;
        let link = Arc::clone(&found.1);
        self.0.push_back(found);
        Some(link)
    }

    pub fn put(&mut self, holder: Holder, link: Arc<Link>) {
        self.0.retain(|(known, _)| *known != holder);
        if self.0.len() >= MAX_SESSIONS {
            self.0.pop_front();
        }
        self.0.push_back((holder, link));
    }

    /// A session has ended.
    pub fn forget(&mut self, link: &Arc<Link>) {
        self.0.retain(|(_, known)| !Arc::ptr_eq(known, link));
    }
}
