//! The forms of the pages: identification, connect and disconnect.

use std::collections::BTreeMap;

use http::header;
use mcp_sieve_gateway::{error::RpcError, host::principal};
use worker::Request as PlatformRequest;

use super::{
    Visit,
    browser::Visitor,
    login,
    page::{Page, paragraph},
    server_page::{identification, other_caller},
};
use crate::{
    http::body,
    objects::{
        connections::{Request, Server, ask, own_issuer, page_url},
        rate_limit,
    },
};

/// Maximum length of a form, in bytes.
const MAX_FORM: usize = 32 * 1024;

type Fields = BTreeMap<String, String>;

/// Does what a form asks for.
pub(super) async fn take(
    visit: &Visit<'_>,
    server: &Server,
    request: &PlatformRequest,
) -> Result<Page, RpcError> {
    if !is_of_this_page(&visit.head) {
        visit.record(None, Some(&server.name), "origin");
        return Ok(Page::message(403, "Another page", "Only the page of this server may send this form."));
    }
    let caller = rate_limit::caller(visit.head.headers(), None);
    let (read, _lease) = body::whole(request, &visit.deployment, &caller).await?;
    let fields = fields(read.body()).unwrap_or_default();
    let field = |name: &str| fields.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let ticket = field("ticket");
    match field("action") {
        Some("login") if own_issuer(&visit.deployment.config).is_some() => {
            return login::begin(visit, &server.name, ticket.map(str::to_owned)).await;
        }
        Some("token") => return identify(visit, server, field("token"), ticket).await,
        _ => {}
    }
    let Some(visitor) = Visitor::find(&visit.deployment, visit.env, &visit.head).await else {
        return Ok(identification(visit, server, None, Some("Your visit has ended.")));
    };
    if !visitor.has_form_token(visit.key(), &server.name, field("form").unwrap_or_default()) {
        let message = "This form is too old, or belongs to another caller. Open the page again.";
        return Ok(Page::message(403, "Open the page again", message));
    }
    match field("action") {
        Some("connect") => {
            let request = Request::Begin { server: server.name.clone(), origin: visit.origin.clone() };
            let url: String = ask(visit.env, &visitor.holder, &request).await?;
            let place = worker::Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned));
            let place = place.unwrap_or_default();
            Ok(Page::forward(&format!("Connect to {}", server.name), &url, &place))
        }
        Some("disconnect") => {
            let request = Request::Disconnect(server.name.clone());
            let is_revoked: bool = ask(visit.env, &visitor.holder, &request).await?;
            if is_revoked {
                return Ok(Page::redirect(page_url("", &server.name)));
            }
            let message = "The gateway has forgotten your tokens, but the server did not confirm that it revoked them. \
                           Its own settings may list the gateway as an application: remove it there.";
            Ok(Page::new(format!("Disconnected from {}", server.name), paragraph(message)))
        }
        _ => Ok(Page::message(400, "Unknown form", "This form asks for nothing that the page can do.")),
    }
}

/// Identifies the browser by a bearer token, and shows the page.
async fn identify(
    visit: &Visit<'_>,
    server: &Server,
    token: Option<&str>,
    ticket: Option<&str>,
) -> Result<Page, RpcError> {
    let mut head = http::Request::new(());
    *head.uri_mut() = visit.head.uri().clone();
    let value = token.and_then(|token| ["Bearer ", token.trim()].concat().parse().ok());
    head.headers_mut().extend(value.map(|value| (header::AUTHORIZATION, value)));
    let identified = visit.deployment.identify(visit.env, &head).await.ok().flatten();
    let Some(visitor) =
        identified.as_deref().and_then(principal).map(|principal| Visitor::of_principal(&principal))
    else {
        visit.record(None, Some(&server.name), "unauthorized");
        let problem = match rate_limit::wrong_token(visit.env, visit.head.headers()).await {
            Some(seconds) => return Err(RpcError::too_many_requests(seconds)),
            None => "The gateway does not know this token.",
        };
        return Ok(identification(visit, server, ticket, Some(problem)));
    };
    if let Some(page) = other_caller(visit, server, &visitor, ticket) {
        return Ok(page);
    }
    let cookie = visitor.cookie(visit.key(), visit.is_secure());
    Ok(Page::redirect(page_url("", &server.name)).with("set-cookie", cookie))
}

/// Returns whether a form was sent by a page of this server: another page could send one in the name of its visitor, even
/// with a token of its own. Programs that are no browsers send neither header.
fn is_of_this_page(head: &http::Request<()>) -> bool {
    let text = |name: &str| head.headers().get(name).map(|value| value.to_str().unwrap_or_default());
    let is_same_site = text("sec-fetch-site").is_none_or(|site| site == "same-origin");
    let host = head.uri().authority().map(http::uri::Authority::as_str);
    let is_own = |origin: &str| origin.split_once("://").map(|(_, host)| host) == host;
    is_same_site && text("origin").is_none_or(is_own)
}

/// Returns the fields of a form (`application/x-www-form-urlencoded`).
fn fields(body: &[u8]) -> Option<Fields> {
    let text = std::str::from_utf8(body).ok().filter(|text| text.len() <= MAX_FORM)?;
    let mut url = worker::Url::parse("http://form/").ok()?;
    url.set_query(Some(text));
    Some(url.query_pairs().into_owned().collect())
}

#[cfg(test)]
mod tests {
    use super::{fields, is_of_this_page};

    fn is_taken(headers: &[(&str, &str)]) -> bool {
        let mut request = http::Request::post("http://127.0.0.1:8787/connect/tracker");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).is_ok_and(|head| is_of_this_page(&head))
    }

    #[test]
    fn forms_of_other_pages_are_refused() {
        assert!(is_taken(&[]));
        assert!(is_taken(&[("origin", "http://127.0.0.1:8787"), ("sec-fetch-site", "same-origin")]));
        assert!(is_taken(&[("origin", "https://127.0.0.1:8787")]));
        for headers in [
            [("origin", "null")],
            [("origin", "http://127.0.0.1:9999")],
            [("origin", "https://evil.example")],
            [("sec-fetch-site", "cross-site")],
            [("sec-fetch-site", "none")],
        ] {
            assert!(!is_taken(&headers), "{headers:?}");
        }
    }

    #[test]
    fn fields_are_decoded() {
        let read = fields(b"action=token&token=a%2Bb+c").unwrap_or_default();
        assert_eq!(read.get("token").map(String::as_str), Some("a+b c"));
        assert!(fields(&[0xff]).is_none());
        assert!(fields(&[b'a'; 40_000]).is_none());
    }
}
