//! The identification of a browser at the gateway's own authorization server (OpenID Connect).

use futures_util::FutureExt;
use mcp_sieve_gateway::{error::RpcError, host::principal, upstream::Identity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    Visit,
    browser::{Visitor, cookie, no_cookie, read_cookie},
    page::Page,
};
use crate::{
    clock,
    objects::connections::{
        Begun, PENDING_MS, Preparation, Prepared, Request, Tokens, ask, foreign_state, own_issuer, page_url,
        parameter, random_state, step,
    },
};

/// The path of the redirect URI.
pub(super) const PATH: &str = "/connect/signed-in";
/// The cookie with an identification in progress.
const LOGIN: &str = "sieve-connect-login";

/// An identification in progress, which only the browser keeps, sealed.
#[derive(Serialize, Deserialize)]
struct Login {
    verifier: String,
    nonce: Option<String>,
    state: String,
    /// The server whose page is shown then, and the ticket of its address.
    server: String,
    ticket: Option<String>,
    until: u64,
}

/// Sends the browser to the authorization server.
///
/// # Errors
/// A `sign_in_…` code if the identification cannot begin.
pub(super) async fn begin(visit: &Visit<'_>, server: &str, ticket: Option<String>) -> Result<Page, RpcError> {
    // It comes back in the address of the page, where other characters would have a meaning.
    let is_ticket =
        |text: &String| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let ticket = ticket.filter(is_ticket);
    let prepared = prepare(visit).await?;
    let state = random_state()?;
    let input = json!({
        "server": prepared.discovery.server,
        "client": prepared.client,
        "redirectUri": redirect(visit),
        "state": state,
        "login": true,
    });
    let Begun { url, verifier, nonce } = step("begin", &input).boxed_local().await?;
    let until = clock::now().saturating_add(PENDING_MS);
    let login = Login { verifier, nonce, state, server: server.to_owned(), ticket, until };
    let kept = cookie(visit.key(), LOGIN, &login, PENDING_MS, visit.is_secure());
    Ok(Page::forward("Sign in", &url, &prepared.discovery.issuer).with("set-cookie", kept))
}

/// Identifies the browser that comes back, and sends it to the page it came from.
///
/// # Errors
/// `sign_in_state` if this browser has no such identification in progress, and other `sign_in_…` codes.
pub(super) async fn finish(visit: &Visit<'_>) -> Result<Page, RpcError> {
    let login: Login = read_cookie(visit.key(), &visit.head, LOGIN).ok_or_else(foreign_state)?;
    let callback = visit.url();
    if parameter(&callback, "state").as_ref() != Some(&login.state) || clock::now() >= login.until {
        return Err(foreign_state());
    }
    let prepared = prepare(visit).await?;
    let input = json!({
        "server": prepared.discovery.server,
        "client": prepared.client,
        "redirectUri": redirect(visit),
        "verifier": login.verifier,
        "state": login.state,
        "nonce": login.nonce,
        "callback": callback,
    });
    let tokens: Tokens = step("finish", &input).boxed_local().await?;
    let unnamed = || RpcError::internal("sign_in_token", "the authorization server did not name the user");
    let claims = tokens.claims.as_ref().and_then(Value::as_object).ok_or_else(unnamed)?;
    if claims.get("iss").and_then(Value::as_str) != own_issuer(&visit.deployment.config) {
        let message = "the user was identified by another issuer than `auth` names";
        return Err(RpcError::internal("sign_in_issuer", message));
    }
    let visitor = Visitor::of_principal(&principal(claims).ok_or_else(unnamed)?);
    let mut page = page_url("", &login.server);
    if let Some(ticket) = login.ticket {
        page.push_str("?ticket=");
        page.push_str(&ticket);
    }
    let is_secure = visit.is_secure();
    let page = Page::redirect(page).with("set-cookie", visitor.cookie(visit.key(), is_secure));
    Ok(page.with("set-cookie", no_cookie(LOGIN, is_secure)))
}

/// Returns the authorization server and the client there. Browsers drop long cookies, so they are in the object of the
/// gateway.
async fn prepare(visit: &Visit<'_>) -> Result<Prepared, RpcError> {
    let wanted =
        Preparation { server: None, redirect: redirect(visit), origin: visit.origin.clone(), again: false };
    ask(visit.env, Identity::GATEWAY, &Request::Prepare(wanted)).await
}

fn redirect(visit: &Visit<'_>) -> String {
    [&visit.origin, PATH].concat()
}
