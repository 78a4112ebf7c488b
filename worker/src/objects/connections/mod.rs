//! The Durable Object that has the connections of one holder to upstream servers.
//!
//! A holder is a caller, the only person who can reach the gateway, or the gateway itself. The tokens of a holder are in no
//! other object, and sealed for the holder and the server. Requests are answered with `{"ok": …}` or `{"failure": …}`.
#![expect(missing_docs, reason = "what `durable_object` writes for JavaScript carries no documentation")]

mod client;
mod clients;
mod flights;
mod issued;
mod lists;
mod oauth;
mod service;
mod settings;
mod sign_in;
mod store;
mod tokens;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::FutureExt;
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{config::AuthKind, error::RpcError, upstream::Upstream};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use worker::{DurableObject, Env, Method, Response, Result, State, durable_object};

pub(crate) use client::{
    DOCUMENT_PATH, PAGE_PATH, ask, authorization, callback_url, connected, is_connected, lists,
    lists_changed, own_issuer, page_url, sign_in_url,
};
pub(crate) use clients::{Preparation, Prepared};
pub(crate) use oauth::{Begun, Discovery, Tokens, step};
pub(crate) use settings::Server;
pub(crate) use sign_in::{Connected, PENDING_MS, foreign_state, parameter, random_state};

use super::{
    listeners::{self, News},
    respond,
};
use crate::{console, deployment::Deployment};
use flights::Flights;
use lists::ListsRequest;
use store::Store;

/// The path at which the object returns the lists of a server, as bytes. All other requests are sent to `/`.
const LISTS: &str = "/lists";
/// The kinds of `auth` that request tokens.
const WITH_TOKENS: [AuthKind; 3] = [AuthKind::User, AuthKind::Exchange, AuthKind::ClientCredentials];

/// A request to the object of a holder. Servers are named; their settings are those of the deployment.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Request {
    /// The value of `Authorization` for a request to a server.
    Token {
        server: String,
        /// The digest of a value that the server refused.
        refused: Option<String>,
        /// The token of the caller that is exchanged.
        subject: Option<String>,
    },
    /// A [`Connected`] to a server, or `null`.
    Connected(String),
    /// The same of several servers, by name.
    State(Vec<String>),
    /// Begins a sign-in to a server. The result is the address to which the browser is sent.
    Begin { server: String, origin: String },
    /// Finishes a sign-in with the address to which the browser was sent back.
    Finish { server: String, callback: String },
    /// A server reported that its lists to the holder changed.
    Changed(String),
    /// Deletes a connection. The result is whether its tokens were revoked.
    Disconnect(String),
    /// For the object of the gateway: the authorization server of a server.
    Discover(String),
    /// For the object of the gateway: a [`Prepared`] sign-in.
    Prepare(Preparation),
    /// For the object of the gateway: a registered client is unknown to its authorization server.
    Forget { issuer: String, id: String },
}

/// A request, and the holder whose object it is for. The name of the object does not show the holder.
#[derive(Deserialize)]
struct HolderRequest {
    holder: String,
    request: Request,
}

/// The connections of one holder.
#[durable_object(fetch)]
#[allow(missing_debug_implementations, reason = "the state holds secrets")]
pub struct ConnectionsObject {
    connections: Rc<Connections>,
}

/// The state of the object.
struct Connections {
    env: Env,
    store: Store,
    /// The requests for tokens in progress, by the server and the token that is exchanged.
    tokens: Rc<Flights<Result<String, RpcError>>>,
    /// The lists that are being fetched, by the server and the headers of the caller.
    lists: Rc<Flights<Result<Rc<Vec<u8>>, RpcError>>>,
    /// The clients that fetch them.
    clients: RefCell<BTreeMap<String, Rc<Upstream>>>,
    /// The discoveries and registrations in progress.
    shared: Rc<Flights<Result<Value, RpcError>>>,
    /// The failures after which an authorization server is left alone until a time.
    pauses: RefCell<BTreeMap<String, (u64, RpcError)>>,
}

/// The connections of the object's holder, under the deployment's configuration.
#[derive(Clone)]
struct HolderConnections {
    connections: Rc<Connections>,
    deployment: Rc<Deployment>,
    holder: Rc<str>,
}

impl DurableObject for ConnectionsObject {
    fn new(state: State, env: Env) -> Self {
        let store = Store::new(state.storage().sql(), &env);
        let (tokens, lists, clients, shared, pauses) = Default::default();
        let connections = Connections { env, store, tokens, lists, clients, shared, pauses };
        Self { connections: Rc::new(connections) }
    }

    async fn fetch(&self, mut request: worker::Request) -> Result<Response> {
        if request.method() != Method::Post {
            return Response::error("only POST", 405);
        }
        if request.path() == LISTS {
            let wanted: ListsRequest = request.json().await?;
            let listed = async { self.holder(&wanted.holder).await?.lists(wanted).await };
            return match listed.boxed_local().await {
                Ok(bytes) => Ok(respond(&bytes).into()),
                Err(failure) => Response::error(failure.to_json().to_string(), 503),
            };
        }
        let HolderRequest { holder, request } = request.json().await?;
        let answered = async { self.holder(&holder).await?.answer(request).await };
        let answered = answered.boxed_local().await;
        Response::from_json(&match answered {
            Ok(ok) => json!({ "ok": ok }),
            Err(failure) => json!({ "failure": failure.to_json() }),
        })
    }
}

impl ConnectionsObject {
    /// Returns the connections of the object's holder.
    async fn holder(&self, holder: &str) -> Result<HolderConnections, RpcError> {
        let deployment = Deployment::load(&self.connections.env).await?;
        Ok(HolderConnections { connections: Rc::clone(&self.connections), deployment, holder: holder.into() })
    }
}

impl HolderConnections {
    async fn answer(&self, request: Request) -> Result<Value, RpcError> {
        match request {
            Request::Token { server, refused, subject } => {
                let server = self.server(&server, &WITH_TOKENS)?;
                let refused = refused.as_deref();
                let value = match server.auth.kind {
                    AuthKind::User => self.user_token(&server, refused).await,
                    _ => self.issued_token(&server, subject.as_deref(), refused).await,
                };
                value.map(Value::from)
            }
            Request::Connected(server) => self.connected(&self.user_server(&server)?).await.map(json),
            Request::State(names) => {
                let servers = names.iter().map(|name| self.user_server(name));
                self.state(&servers.collect::<Result<Vec<_>, _>>()?).await
            }
            Request::Begin { server, origin } => {
                self.begin(&self.user_server(&server)?, &origin).await.map(Value::from)
            }
            Request::Finish { server, callback } => {
                self.finish(&self.user_server(&server)?, &callback).await.map(Value::from)
            }
            Request::Changed(server) => self.changed(&server).await.map(Value::from),
            Request::Disconnect(server) => {
                self.disconnect(&self.user_server(&server)?).await.map(Value::from)
            }
            Request::Discover(server) => {
                let server = self.server(&server, &WITH_TOKENS)?;
                self.discover(Some(&server), false).await.map(json)
            }
            Request::Prepare(wanted) => {
                let server = wanted.server.as_deref().map(|name| self.user_server(name)).transpose()?;
                self.prepare(&wanted, server.as_ref()).await.map(json)
            }
            Request::Forget { issuer, id } => self.forget(&issuer, &id).map(Value::from),
        }
    }

    fn server(&self, name: &str, kinds: &[AuthKind]) -> Result<Server, RpcError> {
        let found = Server::find(&self.deployment, &self.connections.env, name, kinds)?;
        found.ok_or_else(|| RpcError::internal("config", format!("the server `{name}` has no such `auth`")))
    }

    fn user_server(&self, name: &str) -> Result<Server, RpcError> {
        self.server(name, &[AuthKind::User])
    }

    fn store(&self) -> &Store {
        &self.connections.store
    }

    /// Returns the key that seals the connections of this holder.
    fn key(&self) -> &Key {
        self.store().service(&self.holder).map_or(&self.deployment.key, |service| &service.key)
    }

    /// Notifies the listeners of this holder that the lists of a server may have changed.
    async fn tell(&self, server: &str) {
        let (env, holder) = (&self.connections.env, &*self.holder);
        if let Some(gateway) = &self.deployment.gateway {
            gateway.expire_caller(holder, Some(server));
        }
        if let Err(error) = listeners::send_news(env, &News::of_holder(holder, server)).await {
            console::warn(&format!("changes: {error}"));
        }
    }
}

fn json(value: impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
