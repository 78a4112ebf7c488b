//! Who uses the browser: identified by a token, at the gateway's own authorization server, or as the only person.

use http::header;
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{
    host::principal,
    server::requested_origin,
    sign_in::{open, seal},
    upstream::Identity,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use worker::Env;

use crate::{clock, deployment::Deployment, objects::connections::own_issuer};

/// Lifetime, in milliseconds, of the cookie that identifies a browser.
const VISIT_MS: u64 = 60 * 60 * 1000;
/// The cookie that identifies a browser.
pub(super) const VISIT: &str = "sieve-connect";
/// The purpose for which the key of cookies and forms is derived.
const PURPOSE: &str = "sign-in page";

/// The caller whose browser sent a request.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Visitor {
    pub holder: String,
    /// How the page names the caller.
    pub label: String,
    /// When the browser has to identify its user again, in milliseconds since 1970.
    until: u64,
}

/// The ways in which a browser can identify its user.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ways {
    /// With a bearer token, because the operator issues them.
    pub token: bool,
    /// At the gateway's own authorization server.
    pub issuer: bool,
}

impl Visitor {
    fn new(holder: String, label: String) -> Self {
        Self { holder, label, until: clock::now().saturating_add(VISIT_MS) }
    }

    /// Returns the visitor that a principal names.
    pub fn of_principal(principal: &str) -> Self {
        Self::new(Identity::holder_of(principal), principal.to_owned())
    }

    /// Returns the visitor that a request identifies: by a token that it sends itself, as those behind Cloudflare Access do,
    /// or by the cookie.
    pub async fn find(deployment: &Deployment, env: &Env, head: &http::Request<()>) -> Option<Self> {
        if is_for_one(deployment) {
            return Some(Self::new(Identity::LOCAL.to_owned(), "the user of this machine".to_owned()));
        }
        let claims = deployment.identify(env, head).await.ok().flatten();
        if let Some(principal) = claims.as_deref().and_then(principal) {
            return Some(Self::of_principal(&principal));
        }
        let visitor: Self = read_cookie(&deployment.key, head, VISIT)?;
        Some(visitor).filter(|visitor| clock::now() < visitor.until)
    }

    /// Returns the cookie that identifies this visitor in later requests.
    pub fn cookie(&self, key: &Key, is_secure: bool) -> String {
        cookie(key, VISIT, self, VISIT_MS, is_secure)
    }

    /// Returns a token for a form of this visitor about a server. Another page cannot know it.
    pub fn form_token(&self, key: &Key, server: &str) -> String {
        let until = clock::now().saturating_add(VISIT_MS).to_string();
        seal(key, PURPOSE, &["form", &self.holder, server], until.as_bytes())
    }

    /// Returns whether a form of this visitor about a server has a token that has not ended.
    pub fn has_form_token(&self, key: &Key, server: &str, token: &str) -> bool {
        let until = open(key, PURPOSE, &["form", &self.holder, server], token);
        let until = until.and_then(|text| String::from_utf8(text).ok()?.parse::<u64>().ok());
        until.is_some_and(|until| clock::now() < until)
    }
}

/// Returns whether only one person can reach the gateway, who has no token.
fn is_for_one(deployment: &Deployment) -> bool {
    let is_one = deployment.sign_in_servers.iter().all(|server| server.one_user);
    is_one && deployment.config.auth.is_none() && !deployment.takes_tokens()
}

/// Returns the ways in which a browser can identify its user; `None` if there is none, so that no caller can sign in.
pub(super) fn ways(deployment: &Deployment) -> Option<Ways> {
    let ways = Ways { token: deployment.takes_tokens(), issuer: own_issuer(&deployment.config).is_some() };
    (ways.token || ways.issuer || is_for_one(deployment)).then_some(ways)
}

/// Returns a cookie with a sealed value. Over HTTPS only this host can have set it.
pub(super) fn cookie(key: &Key, name: &str, value: &impl Serialize, ms: u64, is_secure: bool) -> String {
    let sealed = seal(key, PURPOSE, &["cookie", name], &serde_json::to_vec(value).unwrap_or_default());
    let (prefix, secure) = if is_secure { ("__Host-", "; Secure") } else { ("", "") };
    format!("{prefix}{name}={sealed}; Path=/; Max-Age={}; HttpOnly; SameSite=Lax{secure}", ms / 1000)
}

/// Returns a cookie that deletes another.
pub(super) fn no_cookie(name: &str, is_secure: bool) -> String {
    let (prefix, secure) = if is_secure { ("__Host-", "; Secure") } else { ("", "") };
    format!("{prefix}{name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax{secure}")
}

/// Returns the value of a cookie that [`cookie`] made. Over HTTPS it must have the prefix: a neighboring host could set
/// another, and make the browser of a caller that of another caller.
pub(super) fn read_cookie<T: DeserializeOwned>(key: &Key, head: &http::Request<()>, name: &str) -> Option<T> {
    let is_secure = requested_origin(head)?.starts_with("https://");
    let wanted = [if is_secure { "__Host-" } else { "" }, name].concat();
    let sent = head.headers().get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = sent.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut sealed = pairs.filter(|(found, _)| *found == wanted).map(|(_, sealed)| sealed);
    sealed.find_map(|sealed| serde_json::from_slice(&open(key, PURPOSE, &["cookie", name], sealed)?).ok())
}

#[cfg(test)]
mod tests {
    use mcp_sieve::seal::Key;

    use super::{VISIT, cookie, read_cookie};

    fn read(key: &Key, url: &str, cookies: &str) -> Option<String> {
        let head = http::Request::get(url).header("cookie", cookies).body(()).ok()?;
        read_cookie(key, &head, VISIT)
    }

    #[test]
    fn a_cookie_of_a_neighbor_is_not_read_over_https() {
        #[expect(clippy::unwrap_used, reason = "the secret is valid")]
        let key = Key::new(b"a key of the test").unwrap();
        let set = |is_secure| cookie(&key, VISIT, &"alice", 1_000, is_secure);
        let pair = |set: &str| set.split(';').next().unwrap_or_default().to_owned();
        let (plain, secure) = (pair(&set(false)), pair(&set(true)));
        assert_eq!(read(&key, "http://127.0.0.1/connect/a", &plain).as_deref(), Some("alice"));
        assert_eq!(read(&key, "https://gateway.example/connect/a", &plain), None);
        let both = format!("{plain}x; {secure}");
        assert_eq!(read(&key, "https://gateway.example/connect/a", &both).as_deref(), Some("alice"));
        assert!(set(true).ends_with("; HttpOnly; SameSite=Lax; Secure") && !set(true).contains("alice"));
    }
}
