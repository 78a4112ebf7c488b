//! The HTML of the page on which a caller signs in to an upstream server. It has no script.

use base64::{Engine, engine::general_purpose::STANDARD};
use mcp_sieve::time::CivilDate;
use mcp_sieve_gateway::sign_in::escape_html as escape;
use sha2::{Digest, Sha256};
use worker::{Headers, Response, Result};

use crate::objects::connections::Connected;

const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1rem/1.5 system-ui,sans-serif;max-width:36rem;margin:3rem auto;padding:0 1rem}\
h1{font-size:1.3rem}dt{font-weight:600}dd{margin:0 0 .6rem;overflow-wrap:anywhere}\
button,input{font:inherit;padding:.4rem .9rem}.note{opacity:.75}";

/// A response to a browser.
pub(super) struct Page {
    pub status: u16,
    pub title: String,
    /// The content below the title, as HTML.
    pub body: String,
    pub headers: Vec<(&'static str, String)>,
}

impl Page {
    /// Returns a page with status 200.
    pub fn new(title: impl Into<String>, body: impl Into<String>) -> Self {
        Self { status: 200, title: title.into(), body: body.into(), headers: Vec::new() }
    }

    /// Returns a page with a message.
    pub fn message(status: u16, title: &str, message: &str) -> Self {
        Self { status, ..Self::new(title, paragraph(message)) }
    }

    /// Sends the browser to another address at once. It is no redirect: browsers apply `form-action` to the redirects that
    /// follow a form, and an authorization server may redirect to any other.
    pub fn forward(title: &str, url: &str, place: &str) -> Self {
        let link = format!("<p><a href=\"{}\">Go on to {}</a></p>", escape(url), escape(place));
        let mut page = Self::new(title, link);
        page.headers.push(("refresh", ["0;url=", url].concat()));
        page
    }

    /// Returns a redirect to a path or URL of this server.
    pub fn redirect(place: String) -> Self {
        let mut page = Self { status: 303, ..Self::new("Moved", "") };
        page.headers.push(("location", place));
        page
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Returns the response for the platform.
    pub fn write(self) -> Result<Response> {
        let Self { status, title, body, headers: own } = self;
        let title = escape(&title);
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title>\
             <style>{STYLE}</style></head><body><h1>{title}</h1>{body}</body></html>\n"
        );
        let style = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        let headers = Headers::new();
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("content-security-policy", policy.as_str()),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"),
            // The address may have a ticket. With `no-referrer`, browsers would send forms without their origin.
            ("referrer-policy", "same-origin"),
            ("cache-control", "no-store"),
        ] {
            headers.set(name, value)?;
        }
        for (name, value) in own {
            headers.append(name, &value)?;
        }
        Ok(Response::ok(html)?.with_status(status).with_headers(headers))
    }
}

/// Returns a paragraph of plain text.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escape(text))
}

/// A list of terms and their values, which are plain text.
#[derive(Default)]
pub(super) struct Facts(String);

impl Facts {
    /// Adds a term with its value.
    #[must_use]
    pub fn and(mut self, term: &str, value: &str) -> Self {
        self.0.push_str(&format!("<dt>{}</dt><dd>{}</dd>", escape(term), escape(value)));
        self
    }

    /// Returns the list as HTML.
    pub fn html(self) -> String {
        ["<dl>", &self.0, "</dl>"].concat()
    }
}

/// A form with one button.
pub(super) struct Form<'a> {
    /// The address that the form is sent to; empty for the page itself.
    pub action: &'a str,
    /// The hidden fields.
    pub fields: &'a [(&'a str, &'a str)],
    /// Further HTML in front of the button.
    pub inputs: &'a str,
    pub button: &'a str,
}

impl Form<'_> {
    /// Returns the form as HTML.
    pub fn html(&self) -> String {
        let field = |(name, value): &(&str, &str)| {
            format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escape(name), escape(value))
        };
        let fields: String = self.fields.iter().map(field).collect();
        format!(
            "<form method=\"post\" action=\"{}\">{fields}{} <button>{}</button></form>",
            escape(self.action),
            self.inputs,
            escape(self.button)
        )
    }
}

/// Returns what is known of a connection, as terms and values.
pub(super) fn connection_facts(facts: Facts, connected: &Connected) -> Facts {
    let since = CivilDate::timestamp(connected.since);
    let facts = facts.and("Connected since", &since).and("Signed in at", &connected.issuer);
    match connected.scope.as_deref().filter(|scope| !scope.is_empty()) {
        Some(scope) => facts.and("Granted", scope),
        None => facts,
    }
}

#[cfg(test)]
mod tests {
    use super::{Facts, Form};

    #[test]
    fn values_are_escaped() {
        let html = Facts::default().and("Server", "<img src=x>").html();
        assert_eq!(html, "<dl><dt>Server</dt><dd>&lt;img src=x&gt;</dd></dl>");
        let fields = [("csrf", "\"><script>")];
        let form = Form { action: "/connect/a\"b", fields: &fields, inputs: "", button: "Connect" }.html();
        assert!(!form.contains("<script>") && form.contains("/connect/a&quot;b"), "{form}");
    }
}
