//! Tokens that need no browser: those of the gateway itself, and those that a caller's token is exchanged for.

use futures_util::FutureExt;
use mcp_sieve_gateway::{
    config::AuthKind,
    error::RpcError,
    sign_in::{open, seal},
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    HolderConnections,
    oauth::{self, Tokens},
    settings::Server,
    store::Row,
    tokens::{bearer, check_age, is_refused, is_usable},
};
use crate::{auth::sha256, clock};

/// The purpose for which the key of these tokens is derived.
const PURPOSE: &str = "issued token";
/// Maximum number of tokens that are kept for one holder. A caller may have several tokens of its own.
const MAX_ISSUED: u64 = 256;
/// Lifetime, in milliseconds, of a token whose issuer states none.
const UNSTATED_MS: u64 = 5 * 60 * 1000;
/// Time, in milliseconds, for which the authorization server is not asked again after a failure.
const PAUSE_MS: u64 = 5_000;

/// A kept token. Times are in milliseconds since 1970.
#[derive(Serialize, Deserialize)]
struct Issued {
    server_url: String,
    access: String,
    expires: u64,
    obtained: u64,
}

impl HolderConnections {
    /// Returns the value of `Authorization` for a request to a server: with the gateway's own token, or with the one that
    /// `subject` is exchanged for. A kept token is used for the same subject only.
    ///
    /// # Errors
    /// A `sign_in_…` code if no token can be had.
    pub async fn issued_token(
        &self,
        server: &Server,
        subject: Option<&str>,
        refused: Option<&str>,
    ) -> Result<String, RpcError> {
        let name = match subject {
            Some(subject) => [&sha256(subject.as_bytes()), " ", &server.name].concat(),
            None => server.name.clone(),
        };
        let now = clock::now();
        if let Some(kept) = self.kept_token(server, &name, now)? {
            if !is_refused(&kept.access, refused) {
                return Ok(bearer(&kept.access));
            }
            check_age(server, kept.obtained, now)?;
            self.store().drop_issued(&name)?;
        }
        let paused = self.connections.pauses.borrow().get(&name).cloned();
        if let Some((_, failure)) = paused.filter(|(until, _)| now < *until) {
            return Err(failure);
        }
        let (this, server) = (self.clone(), server.clone());
        let (of_name, subject) = (name.clone(), subject.map(str::to_owned));
        let obtain = || async move { this.obtain(&server, &of_name, subject).await }.boxed_local();
        self.connections.tokens.join(&name, obtain).await
    }

    fn kept_token(&self, server: &Server, name: &str, now: u64) -> Result<Option<Issued>, RpcError> {
        let Some(sealed) = self.store().issued(name, now)? else { return Ok(None) };
        let opened = open(self.key(), PURPOSE, &[&self.holder, name], &sealed);
        let kept = opened.and_then(|json| serde_json::from_slice::<Issued>(&json).ok());
        let is_sent = |kept: &Issued| {
            kept.server_url == server.url && is_usable(Some(kept.expires), kept.obtained, now)
        };
        Ok(kept.filter(is_sent))
    }

    /// Requests a token and keeps it.
    async fn obtain(&self, server: &Server, name: &str, subject: Option<String>) -> Result<String, RpcError> {
        let asked = self.ask_for_token(server, subject).await;
        let now = clock::now();
        let mut pauses = self.connections.pauses.borrow_mut();
        pauses.retain(|_, (until, _)| now < *until);
        if let Err(failure) = &asked {
            pauses.insert(name.to_owned(), (now.saturating_add(PAUSE_MS), failure.clone()));
        }
        drop(pauses);
        let tokens = asked?;
        let stated = tokens.expires(now).unwrap_or(now.saturating_add(UNSTATED_MS));
        let expires = match server.auth.kind {
            AuthKind::Exchange => stated.min(now.saturating_add(server.auth.max_age_s * 1000)),
            _ => stated,
        };
        let Tokens { access, .. } = tokens;
        let issued = Issued { server_url: server.url.clone(), access, expires, obtained: now };
        let json = serde_json::to_vec(&issued).unwrap_or_default();
        let sealed = seal(self.key(), PURPOSE, &[&self.holder, name], &json);
        self.store().keep_issued(Row { name, sealed: &sealed, until: expires }, now, MAX_ISSUED)?;
        Ok(bearer(&issued.access))
    }

    async fn ask_for_token(&self, server: &Server, subject: Option<String>) -> Result<Tokens, RpcError> {
        let found = self.find_issuer(server).await?;
        let scopes = server.scopes(found.scopes.as_ref());
        let step = if subject.is_some() { "exchange" } else { "clientCredentials" };
        let input = json!({
            "server": found.server,
            "client": server.client,
            "resource": found.resource,
            "scopes": scopes,
            "subject": subject,
            "audience": server.auth.audience,
        });
        oauth::step(step, &input).boxed_local().await
    }
}
