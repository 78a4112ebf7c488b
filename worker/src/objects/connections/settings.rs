//! The settings of a server whose `auth` requests tokens, with the variables of the deployment.

use mcp_sieve_gateway::{
    config::{AuthClient, AuthKind, Upstream, UpstreamAuth, expand},
    error::RpcError,
};
use serde_json::{Value, json};
use worker::Env;

use crate::deployment::{Deployment, variable};

/// An upstream server and its `auth`.
#[derive(Clone)]
pub(crate) struct Server {
    pub name: String,
    pub url: String,
    pub auth: UpstreamAuth,
    /// The client of the file as the library reads it, with the values of its variables.
    pub client: Option<Value>,
}

impl Server {
    /// Returns the server with this name, if its `auth` is of this kind.
    ///
    /// # Errors
    /// `upstream_variable` if a variable of its client is not set.
    pub fn find(
        deployment: &Deployment,
        env: &Env,
        name: &str,
        kinds: &[AuthKind],
    ) -> Result<Option<Self>, RpcError> {
        let mut servers = deployment.sign_in_servers.iter();
        let found = servers.find(|server| server.name == name && kinds.contains(&server.auth.kind));
        let Some(Upstream { name, url, auth, .. }) = found else { return Ok(None) };
        let client = auth.client.as_ref().map(|client| client_json(name, client, env)).transpose()?;
        Ok(Some(Self { name: name.clone(), url: url.clone(), auth: auth.clone(), client }))
    }

    /// Returns the scopes to request: those of the file, or else those that the server asks for.
    pub fn scopes(&self, asked: Option<&Vec<String>>) -> Option<Vec<String>> {
        Some(&self.auth.scopes).filter(|scopes| !scopes.is_empty()).or(asked).cloned()
    }

    /// Returns the client for a connection that was made with `client`. The secret of a client of the file may have
    /// changed since.
    pub fn current_client(&self, client: &Value) -> Value {
        let own = self.client.as_ref().filter(|own| own.get("id") == client.get("id"));
        own.unwrap_or(client).clone()
    }
}

/// Returns a client as JSON for the library.
pub(super) fn client_json(name: &str, client: &AuthClient, env: &Env) -> Result<Value, RpcError> {
    let read = |template: &str| {
        expand(template, &|name| variable(env, name)).map_err(|error| {
            RpcError::internal("upstream_variable", format!("the `client` of `{name}`: {error}"))
        })
    };
    let secret = client.secret.as_deref().map(read).transpose()?;
    let key = client.key.as_deref().map(read).transpose()?;
    let unreadable = |_| {
        let message = format!("the `client.key` of `{name}` is not a JSON Web Key");
        RpcError::internal("sign_in_client", message)
    };
    let key: Option<Value> = key.map(|key| serde_json::from_str(&key).map_err(unreadable)).transpose()?;
    Ok(json!({"id": read(&client.id)?, "secret": secret, "key": key}))
}
