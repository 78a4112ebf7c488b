//! The gateways of single callers. Servers whose credentials or lists are a caller's own have a client and lists of their
//! own there. Nothing of it is shared, so nothing of one caller can reach another.

use std::{
    collections::VecDeque,
    rc::Rc,
    sync::{Arc, Mutex},
};

use http::{HeaderMap, header};
use sha2::{Digest as _, Sha256};

use crate::{
    caller::identity::Caller,
    config::Auth,
    gateway::{Gateway, upstream_slot::UpstreamSlot},
    sha256_text::sha256_text,
    upstream::{Fetch, Identity, Upstream, lock},
};

/// Maximum number of callers whose gateways one process holds. The one that was not used for the longest time is removed
/// first; its lists are fetched again when its caller returns.
pub const MAX_CALLER_GATEWAYS: usize = 256;

/// The gateways of the callers that were here last, the most recent one last.
#[derive(Debug, Default)]
pub(super) struct CallerGateways(Mutex<VecDeque<(Identity, Arc<Gateway>)>>);

impl CallerGateways {
    fn get(&self, identity: &Identity, new: impl FnOnce() -> Gateway) -> Arc<Gateway> {
        let mut known = lock(&self.0);
        let is_same = |one: &Identity| one.holder == identity.holder && one.headers == identity.headers;
        let found = known.iter().position(|(one, _)| is_same(one)).and_then(|at| known.remove(at));
        let gateway = found.map_or_else(|| Arc::new(new()), |(_, gateway)| gateway);
        if known.len() >= MAX_CALLER_GATEWAYS {
            known.pop_front();
        }
        // The token of the last request is the one that is valid for longest.
        known.push_back((identity.clone(), Arc::clone(&gateway)));
        gateway
    }

    fn all(&self) -> Vec<(Identity, Arc<Gateway>)> {
        lock(&self.0).iter().cloned().collect()
    }
}

impl Gateway {
    /// Returns the identity in whose name requests go to servers, if a server has credentials or lists of single callers
    /// and the caller can be distinguished from others.
    /// `auth` says which header holds the token of the caller.
    pub fn identity(&self, caller: &Caller<'_>, auth: Option<&Auth>) -> Option<Rc<Identity>> {
        let own = || self.members.iter().filter(|member| member.is_of_caller);
        own().next()?;
        let mut headers = HeaderMap::new();
        for member in own() {
            for name in member.upstream.passed_names() {
                if !headers.contains_key(&name) {
                    let values = caller.headers.get_all(&name).iter();
                    values.for_each(|value| _ = headers.append(name.clone(), value.clone()));
                }
            }
        }
        let holder = match caller.principal() {
            Some(principal) => Identity::holder_of(&principal),
            None if own().any(|member| member.one_user) => Identity::LOCAL.to_owned(),
            // A token or key that only its server can verify names the caller.
            None if !headers.is_empty() || own().any(|member| member.passes_token) => {
                Identity::holder_of_headers(&headers)
            }
            None => return None,
        };
        let subject = match auth.and_then(|auth| auth.deciding_header(&caller.headers)) {
            Some(name) => caller.headers.get(name).map(Identity::sensitive),
            // Otherwise the header is for someone else.
            None if auth.is_none_or(Auth::reads_authorization) => {
                caller.headers.get(header::AUTHORIZATION).and_then(Identity::subject)
            }
            None => None,
        };
        Some(Rc::new(Identity { holder, headers, subject }))
    }

    /// Returns the gateway of a caller: the servers of all callers, and clients of its own for the others.
    pub fn of_caller(&self, identity: &Identity) -> Arc<Self> {
        self.callers.get(identity, || {
            let member = |member: &Arc<UpstreamSlot>| match member.is_of_caller {
                true => Arc::new(member.for_caller(&identity.headers)),
                false => Arc::clone(member),
            };
            Self::with_members(self.members.iter().map(member).collect())
        })
    }

    /// Marks the lists of a server to a caller as due, or of all servers, because the caller has signed in or out, or a
    /// server reported that they changed.
    pub fn expire_caller(&self, holder: &str, server: Option<&str>) {
        let known = self.callers.all().into_iter().filter(|(identity, _)| identity.holder == holder);
        let is_meant = |member: &UpstreamSlot| server.is_none_or(|server| member.name == server);
        known.for_each(|(_, own)| {
            own.own_members(|member| {
                if is_meant(member) {
                    member.expire()
                }
            })
        });
    }

    /// Returns a client of a server for one caller, which shares nothing with others; `None` for a server whose credentials
    /// and lists are the same for all callers.
    pub fn caller_client(&self, server: &str, identity: &Identity) -> Option<Upstream> {
        let member = self.members.iter().find(|member| member.name == server && member.is_of_caller)?;
        Some(member.upstream.for_caller(&identity.headers))
    }

    /// Calls `each` with every client that is a caller's own, and with the network in the name of this caller.
    pub(super) fn each_caller<F: Fetch>(&self, fetch: &F, each: impl Fn(&F, &UpstreamSlot)) {
        for (identity, own) in self.callers.all() {
            let acting = fetch.acting_for(&Rc::new(identity));
            own.own_members(|member| each(&acting, member));
        }
    }

    /// Returns whether a server lists to each caller on its own.
    pub(super) fn lists_callers(&self) -> bool {
        self.members.iter().any(|member| member.lists_callers)
    }

    fn own_members(&self, each: impl Fn(&UpstreamSlot)) {
        self.members.iter().filter(|member| member.is_of_caller).for_each(|member| each(member));
    }
}

impl Identity {
    /// Returns the holder for a caller without a principal, of whom only the headers for servers are known.
    fn holder_of_headers(headers: &HeaderMap) -> String {
        let mut hash = Sha256::new();
        for part in headers.iter().flat_map(|(name, value)| [name.as_str().as_bytes(), value.as_bytes()]) {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        ["headers:", &sha256_text(&hash.finalize().into())].concat()
    }
}
