//! The tokens of callers who signed in: handed out while they last, and refreshed once.
//!
//! A refresh token may be used up by the first request that has it. Before it is sent, the record is stored without it and
//! with a mark. If the process ends then, no copy is left to be sent again: the access token is used while it lasts, and
//! the caller signs in anew.
//!
//! On one's own machine several gateways share the record. Only one of them can put the mark in place of what it has read,
//! and the others wait for it.

use std::time::Duration;

use futures_util::FutureExt;
use mcp_sieve_gateway::{error::RpcError, sign_in::Connection};
use serde_json::json;
use worker::Delay;

use super::{
    HolderConnections,
    oauth::{self, Tokens},
    settings::Server,
};
use crate::{auth::sha256, clock, console};

/// Maximum time, in milliseconds, before the end of a token at which another is requested.
const EARLY_MS: u64 = 60_000;
/// Time, in milliseconds, for which a refused token counts as new. Another one would be refused as well.
const NEW_MS: u64 = 10_000;
/// Maximum time, in milliseconds, for which another gateway of the same person may be about to store a token that it has
/// requested. A request takes at most 10 seconds.
const OTHERS_MS: u64 = 15_000;
/// Interval between two looks at what another gateway has stored.
const LOOK: Duration = Duration::from_millis(200);

/// Returns whether a token can be sent: it has some time left, and the server has not refused it.
pub(super) fn is_usable(expires: Option<u64>, obtained: u64, now: u64) -> bool {
    expires.is_none_or(|end| {
        // The last half of a short life is enough.
        let early = EARLY_MS.min(end.saturating_sub(obtained) / 2);
        end.saturating_sub(now) > early
    })
}

/// Returns the value of `Authorization` with a token.
pub(super) fn bearer(access: &str) -> String {
    ["Bearer ", access].concat()
}

/// Returns whether `refused`, the digest of a value that a server refused, is that of this token.
pub(super) fn is_refused(access: &str, refused: Option<&str>) -> bool {
    refused.is_some_and(|digest| digest == sha256(bearer(access).as_bytes()))
}

/// Fails if a server refuses a token that was issued just now.
pub(super) fn check_age(server: &Server, obtained: u64, now: u64) -> Result<(), RpcError> {
    if now.saturating_sub(obtained) >= NEW_MS {
        return Ok(());
    }
    let message = format!("the server `{}` refuses a token that was issued for it just now", server.name);
    Err(RpcError::internal("upstream_unauthorized", message))
}

/// Returns the error for a caller who has to sign in.
pub(crate) fn sign_in_needed(server: &str) -> RpcError {
    RpcError::internal("upstream_sign_in", format!("the server `{server}` needs you to sign in to it"))
}

/// Returns the error for a caller whose sign-in has ended.
fn sign_in_ended(server: &str) -> RpcError {
    let message = format!("your sign-in to the server `{server}` has ended: sign in again");
    RpcError::internal("upstream_sign_in", message)
}

impl HolderConnections {
    /// Returns the connection to a server, and its sealed record. A record that cannot be opened, and one for another
    /// address or issuer, is none: its tokens must not go to this server.
    pub async fn open(&self, server: &Server) -> Result<Option<(Connection, String)>, RpcError> {
        let Some(sealed) = self.store().connection(&self.holder, &server.name).await? else {
            return Ok(None);
        };
        let connection = Connection::open(self.key(), &sealed, &self.holder, &server.name);
        let is_of_server = |connection: &Connection| {
            connection.server_url == server.url
                && server.auth.issuer.as_ref().is_none_or(|issuer| is_same_issuer(issuer, &connection.issuer))
        };
        Ok(connection.filter(is_of_server).map(|connection| (connection, sealed)))
    }

    /// Returns the value of `Authorization` for the holder's request to a server.
    ///
    /// # Errors
    /// `upstream_sign_in` if the holder has to sign in.
    pub async fn user_token(&self, server: &Server, refused: Option<&str>) -> Result<String, RpcError> {
        let Some((connection, _)) = self.open(server).await? else {
            return Err(sign_in_needed(&server.name));
        };
        let Connection { access, expires, obtained, .. } = &connection;
        if is_usable(*expires, *obtained, clock::now()) && !is_refused(access, refused) {
            return Ok(bearer(access));
        }
        let (this, of_server) = (self.clone(), server.clone());
        let refused = refused.map(str::to_owned);
        let renew = || async move { this.renew(&of_server, refused.as_deref()).await }.boxed_local();
        self.connections.tokens.join(&server.name, renew).await
    }

    /// Refreshes the token of a connection. Only one request of a server does so at a time.
    async fn renew(&self, server: &Server, refused: Option<&str>) -> Result<String, RpcError> {
        loop {
            if let Some(token) = self.try_renewal(server, refused).boxed_local().await? {
                return Ok(token);
            }
            Delay::from(LOOK).await;
        }
    }

    /// Refreshes the token once. Returns `None` while another gateway of this person refreshes it.
    async fn try_renewal(&self, server: &Server, refused: Option<&str>) -> Result<Option<String>, RpcError> {
        let Some((connection, sealed)) = self.open(server).await? else {
            return Err(sign_in_needed(&server.name));
        };
        let Connection { access, expires, obtained, .. } = &connection;
        let (now, refused) = (clock::now(), is_refused(access, refused));
        // The time for which the token can still be used if there is no other.
        let lasts = !refused && expires.is_none_or(|end| end > now);
        // It may have been renewed since this was found to be due.
        if is_usable(*expires, *obtained, now) && !refused {
            return Ok(Some(bearer(access)));
        }
        if refused {
            check_age(server, *obtained, now)?;
        }
        let Some(refresh) = connection.refresh.clone() else {
            if lasts {
                return Ok(Some(bearer(access)));
            }
            let is_recent = |marked| now.saturating_sub(marked) < OTHERS_MS;
            if self.store().service(&self.holder).is_some() && connection.refreshing.is_some_and(is_recent) {
                return Ok(None);
            }
            self.end(server, &sealed).await?;
            return Err(sign_in_ended(&server.name));
        };
        let marked = Connection { refresh: None, refreshing: Some(now), ..connection.clone() };
        let mark = marked.seal(self.key(), &self.holder, &server.name);
        if !self.replace(server, &sealed, &mark).await? {
            return Ok(None);
        }
        let renewed = match self.refresh(server, &connection, &refresh).await {
            Ok(tokens) => self.renewed(server, (connection, refresh), &mark, tokens).await,
            Err(failure) => self.not_renewed(server, connection, (&mark, lasts), failure).await,
        };
        renewed.map(Some)
    }

    async fn refresh(
        &self,
        server: &Server,
        connection: &Connection,
        refresh: &str,
    ) -> Result<Tokens, RpcError> {
        let Connection { as_server, client, resource, .. } = connection;
        let client = server.current_client(client);
        let input = json!({"server": as_server, "client": client, "resource": resource, "refresh": refresh});
        oauth::step("refresh", &input).boxed_local().await
    }

    /// Stores refreshed tokens in place of the marked record. If that was replaced or removed meanwhile, they are revoked.
    async fn renewed(
        &self,
        server: &Server,
        (connection, refresh): (Connection, String),
        mark: &str,
        tokens: Tokens,
    ) -> Result<String, RpcError> {
        let now = clock::now();
        let renewed = Connection {
            expires: tokens.expires(now),
            obtained: now,
            // A server that does not rotate refresh tokens expects the same one again.
            refresh: Some(tokens.refresh.unwrap_or(refresh)),
            scope: tokens.scope.or(connection.scope),
            access: tokens.access,
            ..connection
        };
        let sealed = renewed.seal(self.key(), &self.holder, &server.name);
        if self.replace(server, mark, &sealed).await? {
            return Ok(bearer(&renewed.access));
        }
        let Connection { as_server, client, refresh, access, .. } = &renewed;
        let tokens = [(refresh.as_deref(), "refresh_token"), (Some(access.as_str()), "access_token")];
        _ = oauth::revoke(as_server, &server.current_client(client), tokens).await;
        Err(sign_in_ended(&server.name))
    }

    /// Decides what a failed refresh leaves. Nothing is known of a refresh token that was sent, unless the server has
    /// refused the client before it looked at the token.
    async fn not_renewed(
        &self,
        server: &Server,
        connection: Connection,
        (mark, lasts): (&str, bool),
        failure: RpcError,
    ) -> Result<String, RpcError> {
        let code = failure.reason().unwrap_or_default();
        console::warn(&format!("sign-in to `{}`: a token could not be refreshed: {code}", server.name));
        let is_of_file =
            server.client.as_ref().is_some_and(|own| own.get("id") == connection.client.get("id"));
        if code == "sign_in_client" {
            if is_of_file {
                // The operator corrects the secret, and the caller need not sign in again.
                let sealed = connection.seal(self.key(), &self.holder, &server.name);
                self.replace(server, mark, &sealed).await?;
                return if lasts { Ok(bearer(&connection.access)) } else { Err(failure) };
            }
            self.forget_client(&connection.issuer, &connection.client).await;
        }
        let has_ended = matches!(code, "sign_in_expired" | "sign_in_client");
        if lasts && !has_ended {
            return Ok(bearer(&connection.access));
        }
        self.end(server, mark).await?;
        Err(sign_in_ended(&server.name))
    }

    /// Deletes a connection that has ended, unless another one took its place.
    async fn end(&self, server: &Server, sealed: &str) -> Result<(), RpcError> {
        if self.store().replace_connection(&self.holder, &server.name, sealed, None).await? {
            self.lists_may_differ(&server.name).await;
        }
        Ok(())
    }

    /// Replaces the sealed record `known` of a connection. Returns whether it was still the present one.
    async fn replace(&self, server: &Server, known: &str, sealed: &str) -> Result<bool, RpcError> {
        self.store().replace_connection(&self.holder, &server.name, known, Some(sealed)).await
    }
}

/// Returns whether two texts name one issuer. Files often lack the slash after the host.
fn is_same_issuer(one: &str, other: &str) -> bool {
    one.trim_end_matches('/') == other.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
    use super::{bearer, is_refused, is_usable};
    use crate::auth::sha256;

    #[test]
    fn a_token_is_renewed_a_minute_before_it_ends() {
        assert!(is_usable(None, 0, u64::MAX));
        assert!(is_usable(Some(3_600_000), 0, 3_539_999));
        assert!(!is_usable(Some(3_600_000), 0, 3_540_000));
        // A token of twenty seconds is used for ten.
        assert!(is_usable(Some(20_000), 0, 9_999));
        assert!(!is_usable(Some(20_000), 0, 10_000));
    }

    #[test]
    fn only_the_refused_token_counts_as_refused() {
        let refused = sha256(bearer("old").as_bytes());
        assert!(is_refused("old", Some(&refused)));
        assert!(!is_refused("new", Some(&refused)));
        assert!(!is_refused("old", None));
    }
}
