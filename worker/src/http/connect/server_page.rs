//! The page of one server: what a sign-in will grant, and what is connected.

use mcp_sieve_gateway::{
    error::RpcError,
    sign_in::{Ticket, escape_html},
    upstream::Identity,
};

use super::{
    Visit,
    browser::{Visitor, Ways, ways},
    login,
    page::{Facts, Form, Page, connection_facts, paragraph},
};
use crate::objects::connections::{Discovery, Request, Server, ask, connected, page_url, parameter};

/// Shows the page, or asks the browser to identify its user first.
pub(super) async fn show(visit: &Visit<'_>, server: &Server) -> Result<Page, RpcError> {
    let ticket = parameter(&visit.url(), "ticket");
    let Some(visitor) = Visitor::find(&visit.deployment, visit.env, &visit.head).await else {
        return match ways(&visit.deployment) {
            // There is nothing to choose.
            Some(Ways { issuer: true, token: false }) => login::begin(visit, &server.name, ticket).await,
            _ => Ok(identification(visit, server, ticket.as_deref(), None)),
        };
    };
    if let Some(page) = other_caller(visit, server, &visitor, ticket.as_deref()) {
        return Ok(page);
    }
    let Server { name, url, .. } = server;
    let facts = Facts::default().and("Server", name).and("Address", url).and("You", &visitor.label);
    let token = visitor.form_token(visit.key(), name);
    let action = page_url("", name);
    let button = |action_name, button| {
        let fields = [("action", action_name), ("form", token.as_str())];
        Form { action: &action, fields: &fields, inputs: "", button }.html()
    };
    if let Some(connection) = connected(visit.env, &visitor.holder, name).await? {
        let body = [
            connection_facts(facts, &connection).html(),
            button("disconnect", "Disconnect"),
            paragraph("The gateway forgets the tokens, and asks the server to revoke them."),
        ];
        return Ok(Page::new(format!("Connected to {name}"), body.concat()));
    }
    let found: Discovery = ask(visit.env, Identity::GATEWAY, &Request::Discover(name.clone())).await?;
    let scopes = server.scopes(found.scopes.as_ref()).unwrap_or_default().join(" ");
    let scopes = if scopes.is_empty() { "What the server grants by default" } else { scopes.as_str() };
    let facts = facts.and("You sign in at", &found.issuer).and("It will be asked for", scopes);
    let body = [
        facts.html(),
        paragraph("The gateway will call this server in your name, for you only."),
        button("connect", "Connect"),
    ];
    Ok(Page::new(format!("Connect to {name}"), body.concat()))
}

/// Finishes a sign-in, and shows the page again.
pub(super) async fn finish(visit: &Visit<'_>, server: &Server) -> Result<Page, RpcError> {
    let Some(visitor) = Visitor::find(&visit.deployment, visit.env, &visit.head).await else {
        let message =
            "This browser no longer shows who you are. Open the page again, and begin the sign-in anew.";
        return Ok(Page::message(403, "Sign in again", message));
    };
    let request = Request::Finish { server: server.name.clone(), callback: visit.url() };
    let finished: Result<serde_json::Value, _> = ask(visit.env, &visitor.holder, &request).await;
    if let Err(failure) = finished {
        visit.record(Some(&visitor), Some(&server.name), denial(&failure));
        return Err(failure);
    }
    Ok(Page::redirect(page_url("", &server.name)))
}

/// Returns the reason of a failed sign-in for the operator's log, which takes fixed words only.
fn denial(failure: &RpcError) -> &'static str {
    match failure.reason() {
        Some("sign_in_state") => "sign_in_state",
        Some("sign_in_issuer") => "sign_in_issuer",
        Some("sign_in_code") => "sign_in_code",
        _ => "sign_in_denied",
    }
}

/// Returns the page for a browser whose user is another than the one for whom its address was made.
pub(super) fn other_caller(
    visit: &Visit<'_>,
    server: &Server,
    visitor: &Visitor,
    ticket: Option<&str>,
) -> Option<Page> {
    let now = crate::clock::now();
    // A ticket that has ended, or is none, restricts nothing: the page is of the browser's user in any case.
    let ticket = Ticket::open(visit.key(), ticket?, &server.name, now)?;
    if ticket.holder == visitor.holder {
        return None;
    }
    visit.record(Some(visitor), Some(&server.name), "sign_in_state");
    let message =
        "This address was made for another caller. If you did not ask for it yourself, close this page.";
    let mut page = Page::message(403, "Another caller", message);
    page.body.push_str(&Facts::default().and("You", &visitor.label).html());
    Some(page)
}

/// Returns the page that asks the browser to identify its user. `problem` says why an attempt failed.
pub(super) fn identification(
    visit: &Visit<'_>,
    server: &Server,
    ticket: Option<&str>,
    problem: Option<&str>,
) -> Page {
    let mut body = paragraph(&format!(
        "The gateway has to know who you are before it connects you to the server `{}`.",
        server.name
    ));
    if let Some(problem) = problem {
        body.push_str(&format!("<p role=\"alert\"><strong>{}</strong></p>", escape_html(problem)));
    }
    let action = page_url("", &server.name);
    let ticket = ticket.unwrap_or_default();
    let ways = ways(&visit.deployment);
    if ways.is_some_and(|ways| ways.issuer) {
        let fields = [("action", "login"), ("ticket", ticket)];
        body.push_str(&Form { action: &action, fields: &fields, inputs: "", button: "Sign in" }.html());
    }
    if ways.is_some_and(|ways| ways.token) {
        let fields = [("action", "token"), ("ticket", ticket)];
        let inputs = "<label>Your token for this gateway <input type=\"password\" name=\"token\" required autocomplete=\"off\"></label>";
        body.push_str(&Form { action: &action, fields: &fields, inputs, button: "Go on" }.html());
    }
    let page = Page::new("Who are you?", body);
    Page { status: if problem.is_some() { 401 } else { 200 }, ..page }
}
