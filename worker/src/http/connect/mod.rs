//! The pages below `/connect/`, on which callers sign in to upstream servers in a browser.

mod browser;
mod form;
mod login;
mod page;
mod server_page;

use std::rc::Rc;

use futures_util::FutureExt;
use http::StatusCode;
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{
    audit::Operation, config::AuthKind, error::RpcError, server::requested_origin, upstream::Fetch as _,
};
use serde_json::{Value, json};
use worker::{Context, Env, Method, Request, Response, Result};

use super::{convert, percent};
use crate::{
    clock,
    deployment::Deployment,
    fetch::EdgeFetch,
    objects::{
        audit,
        connections::{DOCUMENT_PATH, PAGE_PATH, Server, callback_url, own_issuer, step},
    },
};
use browser::{Visitor, ways};
use page::Page;

pub(crate) use crate::objects::connections::PAGE_PATH as PATH;

/// A request of a browser.
struct Visit<'a> {
    deployment: Rc<Deployment>,
    env: &'a Env,
    context: Rc<Context>,
    head: http::Request<()>,
    /// The origin of the requested URL.
    origin: String,
}

impl Visit<'_> {
    fn key(&self) -> &Key {
        &self.deployment.key
    }

    /// Returns whether cookies can be restricted to HTTPS.
    fn is_secure(&self) -> bool {
        self.origin.starts_with("https://")
    }

    /// Returns the requested URL, as the browser has it.
    fn url(&self) -> String {
        let path = self.head.uri().path_and_query().map_or("/", |path| path.as_str());
        [&self.origin, path].concat()
    }

    /// Records a refused request in the operator's log.
    fn record(&self, visitor: Option<&Visitor>, server: Option<&str>, reason: &str) {
        let (who, method) = (visitor.map(|visitor| visitor.label.as_str()), self.head.method().as_str());
        let operation = Operation::new(clock::now(), who, method, server, reason);
        if let Some(work) = audit::record(self.env, operation) {
            EdgeFetch::new(Some(Rc::clone(&self.context))).spawn(work);
        }
    }
}

/// Answers a request below [`PATH`].
pub(crate) async fn serve(request: Request, env: &Env, context: Context) -> Result<Response> {
    let deployment = match Deployment::load(env).await {
        Ok(deployment) => deployment,
        Err(failure) => return convert::write(failure.by_status().into_response()),
    };
    let head = match convert::head(&request) {
        Ok(head) => head,
        Err(failure) => return convert::write(failure.into_response()),
    };
    let Some(origin) = requested_origin(&head) else { return not_found().write() };
    let visit = Visit { deployment, env, context: Rc::new(context), head, origin };
    if request.path() == DOCUMENT_PATH {
        return client_document(&visit).await;
    }
    answer(&visit, &request).boxed_local().await.write()
}

async fn answer(visit: &Visit<'_>, request: &Request) -> Page {
    let path = request.path();
    let answered = match (request.method(), path.strip_prefix(PAGE_PATH).unwrap_or_default()) {
        _ if ways(&visit.deployment).is_none() => return not_found(),
        (Method::Get, _) if path == login::PATH => login::finish(visit).await,
        (method @ (Method::Get | Method::Post), rest) => {
            let (name, is_callback) = match rest.strip_suffix("/callback") {
                Some(name) => (name, true),
                None => (rest, false),
            };
            let found = percent::decode(name)
                .map(|name| Server::find(&visit.deployment, visit.env, &name, &[AuthKind::User]));
            match (found, method) {
                (Some(Ok(Some(server))), Method::Get) if is_callback => {
                    server_page::finish(visit, &server).await
                }
                (Some(Ok(Some(server))), Method::Get) => server_page::show(visit, &server).await,
                (Some(Ok(Some(server))), _) if !is_callback => form::take(visit, &server, request).await,
                (Some(Err(failure)), _) => Err(failure),
                _ => return not_found(),
            }
        }
        _ => {
            let page = Page::message(405, "Method not allowed", "This page takes GET and POST.");
            return page.with("allow", "GET, POST".to_owned());
        }
    };
    answered.unwrap_or_else(|failure| failed(&failure))
}

/// Returns the client metadata document, by which authorization servers know the gateway.
async fn client_document(visit: &Visit<'_>) -> Result<Response> {
    let servers = visit.deployment.sign_in_servers.iter().filter(|server| server.auth.kind == AuthKind::User);
    let mut redirects: Vec<String> =
        servers.map(|server| callback_url(&visit.origin, &server.name)).collect();
    if own_issuer(&visit.deployment.config).is_some() {
        redirects.push([&visit.origin, login::PATH].concat());
    }
    let is_read = matches!(*visit.head.method(), http::Method::GET | http::Method::HEAD);
    if redirects.is_empty() || !is_read {
        return not_found().write();
    }
    let name = visit.deployment.config.server.name();
    let input = json!({"origin": visit.origin, "name": name, "redirectUris": redirects});
    match step::<Value>("clientDocument", &input).await {
        Ok(document) => {
            let response = Response::from_json(&document)?;
            response.headers().set("cache-control", "public, max-age=300")?;
            response.headers().set("vary", "x-forwarded-proto")?;
            Ok(response)
        }
        Err(failure) => convert::write(failure.by_status().into_response()),
    }
}

/// Returns the page for an address at which no one can sign in. It does not show which servers exist.
fn not_found() -> Page {
    Page::message(404, "Not found", "There is nothing to sign in to at this address.")
}

/// Returns the page about a failure. Messages of failures hold no token.
fn failed(failure: &RpcError) -> Page {
    let code = failure.reason().unwrap_or_default();
    let status = match code {
        "sign_in_state" => StatusCode::FORBIDDEN,
        "sign_in_denied" | "sign_in_scope" => StatusCode::BAD_REQUEST,
        code if code.starts_with("sign_in_") => StatusCode::BAD_GATEWAY,
        _ => failure.clone().by_status().status,
    };
    let mut page = Page::message(status.as_u16(), "The sign-in failed", &failure.message);
    page.body.push_str(&format!(
        "<p class=\"note\">Code: <code>{}</code></p>",
        mcp_sieve_gateway::sign_in::escape_html(code)
    ));
    page
}
