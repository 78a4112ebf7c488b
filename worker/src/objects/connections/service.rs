//! The private service that has the connections of the only person, where the command serves the gateway on this
//! machine.

use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{error::RpcError, sign_in::connection_key};
use worker::{Env, Fetcher, Method, RequestInit};

use crate::{
    auth::sha256,
    deployment::variable,
    http::percent,
    objects::{lost, read_body},
};

/// The binding of the service.
const BINDING: &str = "SIEVE_CONNECTIONS";
/// The variable with the key that seals its connections.
const KEY: &str = "SIEVE_CONNECTIONS_KEY";

/// The service: `GET`, `PUT` and `DELETE` of a sealed connection at the path of its server.
pub(super) struct Service {
    fetcher: Fetcher,
    pub key: Key,
}

impl Service {
    /// Returns the service, if it is bound and has a key.
    pub fn bound(env: &Env) -> Option<Self> {
        let key = connection_key(&variable(env, KEY)?)?;
        Some(Self { fetcher: env.service(BINDING).ok()?, key })
    }

    pub async fn get(&self, server: &str) -> Result<Option<String>, RpcError> {
        self.send(Method::Get, server, None, None).await
    }

    pub async fn put(&self, server: &str, sealed: &str) -> Result<(), RpcError> {
        self.send(Method::Put, server, Some(sealed), None).await.map(drop)
    }

    pub async fn delete(&self, server: &str) -> Result<(), RpcError> {
        self.send(Method::Delete, server, None, None).await.map(drop)
    }

    /// Replaces the connection `known` by another one, or deletes it. Returns whether it was still the present one.
    pub async fn replace(&self, server: &str, known: &str, sealed: Option<&str>) -> Result<bool, RpcError> {
        let method = if sealed.is_some() { Method::Put } else { Method::Delete };
        self.send(method, server, sealed, Some(known)).await.map(|written| written.is_some())
    }

    /// Returns the body of the answer, or `None` if there is no connection, or another one than `known`.
    async fn send(
        &self,
        method: Method,
        server: &str,
        body: Option<&str>,
        known: Option<&str>,
    ) -> Result<Option<String>, RpcError> {
        let sent = async {
            let mut init = RequestInit::new();
            init.with_method(method).with_body(body.map(Into::into));
            if let Some(known) = known {
                init.headers.set("if-match", &format!("\"{}\"", sha256(known.as_bytes())))?;
            }
            let url = ["http://connections/", &percent::encode(server)].concat();
            let response = self.fetcher.fetch(url, Some(init)).await?;
            match response.status_code() {
                200..=299 => read_body(response).await.map(Some),
                404 | 412 => Ok(None),
                status => Err(worker::Error::RustError(format!("its service failed with status {status}"))),
            }
        };
        let body: Option<Vec<u8>> = sent.await.map_err(|error| lost("the connections", &error))?;
        Ok(body.map(|body| String::from_utf8_lossy(&body).trim().to_owned()))
    }
}
