//! Connections in use. A session that was given up is ended after its last use.

use std::{ops::Deref, sync::Arc};

use futures_util::FutureExt;
use http::Method;

use crate::upstream::{Endpoint, Fetch, authorized::send, connection::Connection, fetch::within};

/// A connection in use. The last lease of a session that was given up ends it.
pub(crate) struct Lease<F: Fetch> {
    connection: Arc<Connection>,
    endpoint: Arc<Endpoint>,
    fetch: F,
}

impl<F: Fetch> Lease<F> {
    pub fn new(endpoint: &Arc<Endpoint>, fetch: &F, connection: Arc<Connection>) -> Self {
        Self { connection, endpoint: Arc::clone(endpoint), fetch: fetch.clone() }
    }

    pub fn connection(&self) -> &Arc<Connection> {
        &self.connection
    }

    /// Gives the session up: no further calls begin in it.
    pub fn retire(&self) {
        self.connection.retire();
    }
}

impl<F: Fetch> Clone for Lease<F> {
    fn clone(&self) -> Self {
        Self::new(&self.endpoint, &self.fetch, Arc::clone(&self.connection))
    }
}

impl<F: Fetch> Deref for Lease<F> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl<F: Fetch> Drop for Lease<F> {
    /// Ends a session that was given up, if this is its last use. The request is sent once and in the background. If
    /// the server does not accept it, the server has to expire the session itself.
    fn drop(&mut self) {
        if !self.connection.is_retired() || Arc::strong_count(&self.connection) > 1 {
            return;
        }
        let Some(headers) = self.connection.closing_headers() else { return };
        let (endpoint, fetch) = (Arc::clone(&self.endpoint), self.fetch.clone());
        self.fetch.spawn(
            async move {
                let mut sent = endpoint.headers.clone();
                sent.extend(headers);
                let ended = send(&endpoint, &fetch, Method::DELETE, sent, Vec::new());
                let _ = within(&fetch, endpoint.timeout_ms, ended).await;
            }
            .boxed_local(),
        );
    }
}
