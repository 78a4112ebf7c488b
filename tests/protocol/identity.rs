//! The rows of `tests/fixtures/identity.json` natively: every check of a token except its signature, which the platform
//! verifies; and how long keys are cached.

use std::collections::BTreeMap;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{Method, Request};
use mcp_sieve::seal::Key;
use mcp_sieve_gateway::{
    auth::{
        Jwks, KeyCache, MAX_JWKS, METADATA_PATH, Rejection, Token, admit, metadata, no_metadata, open_claims,
        seal_claims,
    },
    config::{Auth, Config},
    server::{Body, handle_plain_list},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{client::modern, host::World};

const NOW_S: u64 = 1_800_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    auth: Map<String, Value>,
    key: Option<String>,
    #[serde(default)]
    header: Map<String, Value>,
    #[serde(default)]
    claims: Map<String, Value>,
    #[serde(default, rename = "forged")]
    _forged: bool,
    #[serde(default, rename = "tampered")]
    _tampered: bool,
    #[serde(default)]
    pad: usize,
    #[serde(default, deserialize_with = "present")]
    token: Option<Option<String>>,
    jwks: Option<Vec<String>>,
    #[serde(default = "yes")]
    named: bool,
    kid: Option<String>,
    #[serde(default, rename = "use")]
    uses: BTreeMap<String, String>,
    #[serde(default)]
    ops: BTreeMap<String, Value>,
    #[serde(default)]
    algs: BTreeMap<String, String>,
    #[serde(default, rename = "wire")]
    _wire: Option<bool>,
    expect: Expect,
}

#[derive(Deserialize)]
struct Expect {
    status: u16,
    reason: Option<String>,
}

fn yes() -> bool {
    true
}

fn present<'de, D: serde::Deserializer<'de>>(value: D) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(value).map(Some)
}

/// Returns a valid token with the changes of the row.
fn changed(mut whole: Value, changes: &Map<String, Value>) -> Value {
    for (key, value) in changes {
        match (value, value.get("in").and_then(Value::as_i64)) {
            (Value::Null, _) => _ = whole.as_object_mut().unwrap().remove(key),
            (_, Some(seconds)) => whole[key] = json!(NOW_S as i64 + seconds),
            _ => whole[key] = value.clone(),
        }
    }
    whole
}

impl Row {
    /// Returns the configuration of the row.
    fn config(&self) -> Config {
        let auth = changed(
            json!({"issuer": "https://login.example", "audience": ["https://mcp.example/mcp"], "jwks": {"keys": [{"kty": "EC"}]}}),
            &self.auth,
        );
        Config::parse(&json!({"auth": auth}).to_string()).unwrap()
    }

    /// Returns the keys of the issuer.
    fn jwks(&self) -> Jwks {
        let all = ["rsa", "ec", "ed"].map(str::to_owned).to_vec();
        let key = |name: &String| {
            let mut key = match name.as_str() {
                "rsa" | "pss" => json!({"kty": "RSA", "n": URL_SAFE_NO_PAD.encode([255; 256]), "e": "AQAB"}),
                "ec" => json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}),
                "p384" => json!({"kty": "EC", "crv": "P-384", "x": "AA", "y": "AA"}),
                _ => json!({"kty": "OKP", "crv": "Ed25519", "x": "AA"}),
            };
            if self.named {
                key["kid"] = json!(self.kid.as_ref().unwrap_or(name));
            }
            if let Some(purposes) = self.ops.get(name) {
                key["key_ops"] = purposes.clone();
            }
            if let Some(algorithm) = self.algs.get(name) {
                key["alg"] = json!(algorithm);
            }
            if let Some(purpose) = self.uses.get(name) {
                key["use"] = json!(purpose);
            }
            key
        };
        let keys: Vec<Value> = self.jwks.as_ref().unwrap_or(&all).iter().map(key).collect();
        Jwks::parse(json!({"keys": keys}).to_string().as_bytes()).unwrap()
    }

    /// Returns the token of the row.
    fn token(&self) -> Option<String> {
        if let Some(token) = &self.token {
            return token.clone();
        }
        let key = self.key.as_deref().unwrap_or("ec");
        let algorithms =
            [("rsa", "RS256"), ("ec", "ES256"), ("ed", "EdDSA"), ("p384", "ES384"), ("pss", "PS256")];
        let algorithm = BTreeMap::from(algorithms)[key];
        let header = changed(json!({"alg": algorithm, "kid": key, "typ": "JWT"}), &self.header);
        let claims = json!({"iss": "https://login.example", "aud": "https://mcp.example/mcp", "sub": "alice",
            "iat": NOW_S, "exp": NOW_S + 300});
        let mut claims = changed(claims, &self.claims);
        if self.pad > 0 {
            claims["pad"] = json!("x".repeat(self.pad));
        }
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        Some(format!("{}.{}.AA", part(header), part(claims)))
    }
}

/// Checks everything about a token except its signature.
fn judge(auth: &Auth, jwks: &Jwks, token: &str) -> Result<Map<String, Value>, Rejection> {
    let token = Token::read(token)?;
    jwks.candidates(&token)?;
    token.claims(&auth.issuers[0], NOW_S * 1000)
}

fn called(url: &str) -> Request<()> {
    Request::get(url).body(()).unwrap()
}

/// The identity is what the transport verified, and nothing that a request claims about itself.
#[test]
fn identity_rows() {
    let rows: Vec<Row> = serde_json::from_str(include_str!("../fixtures/identity.json")).unwrap();
    let mut failures = Vec::new();
    for row in &rows {
        let config = row.config();
        let auth = config.auth.as_ref().unwrap();
        let request = called("https://mcp.example/mcp");
        let judged = match row.token() {
            Some(token) => {
                judge(auth, &row.jwks(), &token).map_err(|refusal| refusal.failure(auth, &request))
            }
            None => admit(&config, &request, None::<()>).map(|_| Map::new()),
        };
        let found = match &judged {
            Ok(_) => (200, None),
            Err(failure) => {
                let data = failure.data.as_ref().unwrap();
                // One code has two causes, and the message has to name that of this token.
                let endless = row.claims.get("exp") == Some(&Value::Null);
                assert!(!endless || failure.message.contains("no `exp`"), "{}", failure.message);
                (failure.status.as_u16(), Some(data["reason"].as_str().unwrap().to_owned()))
            }
        };
        // Only the signature reveals this problem, and it is not checked here.
        let expected = match row.expect.reason.as_deref() {
            Some("token_signature") => (200, None),
            reason => (row.expect.status, reason.map(str::to_owned)),
        };
        if found != expected {
            failures.push(format!("{}: {found:?}, expected {expected:?}", row.name));
        }
    }
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), rows.len(), failures.join("\n"));
}

#[test]
fn a_key_set_has_a_key_that_can_be_used_and_is_not_endless() {
    let refused = |source: &str, why: &str| {
        assert!(Jwks::parse(source.as_bytes()).unwrap_err().to_string().contains(why), "{source}");
    };
    refused("[]", "no key set");
    refused(r#"{"keys": []}"#, "has no RSA");
    refused(
        r#"{"keys": [{"kty": "oct", "k": "c2VjcmV0"}, {"kty": "EC", "crv": "P-521", "x": "AA", "y": "AA"}]}"#,
        "has no RSA",
    );
    refused(r#"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}"#, "has no RSA");
    refused(r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "alg": "ES256"}]}"#, "has no RSA");
    refused(r#"{"keys": [{"kty": "OKP", "crv": "Ed25519", "x": "AA", "key_ops": ["sign"]}]}"#, "has no RSA");
    refused(&" ".repeat(MAX_JWKS + 1), "is larger");
}

#[test]
fn keys_are_kept_as_long_as_their_server_says_within_bounds() {
    let until = |kept: Option<&str>| {
        let mut cache = KeyCache::default();
        cache.record_fetch(0, kept);
        (0..).step_by(1000).find(|now| !cache.is_fresh(*now)).unwrap() / 1000
    };
    assert_eq!(until(None), 3600);
    assert_eq!(until(Some("public, max-age=300")), 300);
    assert_eq!(until(Some("Max-Age=\"600\"")), 600);
    assert_eq!(until(Some("max-age=1")), 60, "no oftener than each minute");
    assert_eq!(until(Some("max-age=99999999")), 86_400, "no longer than a day");
    assert_eq!(until(Some("no-store, max-age=900")), 60);
    assert_eq!(until(Some("max-age=soon")), 3600);
}

#[test]
fn keys_are_asked_for_anew_now_and_then() {
    let mut cache = KeyCache::default();
    assert!(cache.begin_fetch(0) && cache.begin_fetch(0), "without keys everybody asks");
    cache.record_failure(0);
    assert!(!cache.begin_fetch(29_999) && cache.begin_fetch(30_000), "until it is known to fail");
    cache.record_fetch(30_000, None);
    assert!(cache.begin_fetch(30_001), "a key may be newer than the set");
    assert!(
        !cache.begin_fetch(30_002) && !cache.begin_fetch(60_000),
        "made-up keys cost their issuer nothing"
    );
    assert!(cache.begin_fetch(60_001) && !cache.begin_fetch(60_002));
    // Keys remain usable for an hour if they cannot be fetched again.
    assert!(cache.is_usable(30_000 + 7_199_999) && !cache.is_usable(30_000 + 7_200_000));
    // After the clock moves backwards, keys are neither fresh nor usable, and may be fetched.
    assert!(!cache.is_fresh(10_000) && !cache.is_usable(10_000) && cache.begin_fetch(10_000));
}

#[test]
fn a_refusal_says_where_tokens_are_got_and_the_document_there_is_about_that_path() {
    let config = json!({"server": {"name": "n", "title": "The desk"}, "auth": {"issuer": "https://login.example",
        "audience": ["a"], "jwks": "https://login.example/keys", "scopes": ["mcp:read", "mcp:write"]}});
    let config = Config::parse(&config.to_string()).unwrap();
    let challenge = |url: &str| {
        let failure = admit(&config, &called(url), None::<()>).unwrap_err();
        failure.into_response().headers()["www-authenticate"].to_str().unwrap().to_owned()
    };
    let at = |path: &str| {
        format!(
            "Bearer scope=\"mcp:read mcp:write\", resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource{path}\""
        )
    };
    assert_eq!(challenge("https://mcp.example/mcp"), at("/mcp"));
    assert_eq!(challenge("https://mcp.example/mcp/support?groups=a"), at("/mcp/support"));
    assert_eq!(challenge("https://mcp.example/mcp/"), at("/mcp"));
    assert_eq!(challenge("https://mcp.example/mcp/support/"), at("/mcp/support"));
    assert_eq!(challenge("https://mcp.example/catalog/tools"), at("/mcp"));
    let document = |path: &str| {
        let url = format!("https://mcp.example:8443{METADATA_PATH}{path}");
        metadata(&config, &called(&url)).map(|response| {
            assert_eq!(response.headers()["access-control-allow-origin"], "*");
            let Body::Json(json) = response.into_body() else { panic!("expected JSON") };
            serde_json::from_slice::<Value>(&json).unwrap()
        })
    };
    let about = |path: &str| {
        Some(json!({"resource": format!("https://mcp.example:8443{path}"), "resource_name": "The desk",
            "authorization_servers": ["https://login.example"], "bearer_methods_supported": ["header"],
            "dpop_signing_alg_values_supported": ["ES256", "ES384", "EdDSA", "PS256", "RS256"],
            "scopes_supported": ["mcp:read", "mcp:write"]}))
    };
    assert_eq!(document(""), about("/mcp"));
    assert_eq!(document("/mcp"), about("/mcp"));
    assert_eq!(document("/mcp/support"), about("/mcp/support"));
    // Tokens are for the address without the slash.
    assert_eq!(document("/mcp/"), about("/mcp"));
    assert_eq!(document("/mcp/support/"), about("/mcp/support"));
    assert_eq!(document("/mcpx"), None);
    assert_eq!(document("/catalog/tools"), None);
    let none = Config::parse("{}").unwrap();
    assert!(metadata(&none, &called(&format!("https://mcp.example{METADATA_PATH}"))).is_none());
    for tokens in [true, false] {
        let response = no_metadata(tokens);
        assert_eq!(response.status(), 404);
        let Body::Json(json) = response.into_body() else { panic!("expected JSON") };
        let error: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(error["error_description"].as_str().unwrap().contains("hands out bearer tokens"), tokens);
    }
    let mut preflight = called(&format!("https://mcp.example{METADATA_PATH}/mcp"));
    *preflight.method_mut() = Method::OPTIONS;
    assert_eq!(metadata(&config, &preflight).unwrap().status(), 204);
}

#[test]
fn behind_a_proxy_that_terminates_tls_the_metadata_has_the_url_that_clients_request() {
    let config = json!({"auth": {"issuer": "https://login.example", "audience": ["a"], "jwks": "https://login.example/keys"}});
    let config = Config::parse(&config.to_string()).unwrap();
    let proxied = |path: &str, header: &'static str| {
        let mut request = called(&format!("http://mcp.example{path}"));
        request.headers_mut().insert("x-forwarded-proto", http::HeaderValue::from_static(header));
        request
    };
    for (header, scheme) in [("https", "https"), ("HTTPS,http", "https"), ("http", "http"), ("\"", "http")] {
        let challenge = admit(&config, &proxied("/mcp", header), None::<()>).unwrap_err().into_response();
        let metadata_url = format!("{scheme}://mcp.example{METADATA_PATH}/mcp");
        let expected = format!("Bearer resource_metadata=\"{metadata_url}\"");
        assert_eq!(challenge.headers()["www-authenticate"], expected);
        let document = metadata(&config, &proxied(&format!("{METADATA_PATH}/mcp"), header)).unwrap();
        assert_eq!(document.headers()["vary"], "x-forwarded-proto", "a cache keeps the documents apart");
        let Body::Json(json) = document.into_body() else { panic!("expected JSON") };
        let document: Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(document["resource"], format!("{scheme}://mcp.example/mcp"));
    }
}

/// A request that is forwarded within the deployment carries its caller's claims in a form that no client can forge.
#[test]
fn claims_are_passed_on_under_the_key_of_the_deployment_alone() {
    let (key, other) = (Key::new(b"the key in force").unwrap(), Key::new(b"another key").unwrap());
    let claims = json!({"sub": "alice", "exp": 4_000_000_000.5, "realm": {"roles": ["é", "\n"]}});
    let Value::Object(claims) = claims else { panic!("claims are an object") };
    let sealed = seal_claims(&key, &claims);
    assert!(http::HeaderValue::from_str(&sealed).is_ok());
    assert_eq!(open_claims(&key, &sealed), Some(claims.clone()));
    let rotated = Key::rotated(&[b"another key", b"the key in force"]).unwrap();
    assert_eq!(open_claims(&rotated, &sealed), Some(claims.clone()), "the key before opens");
    assert_eq!(open_claims(&other, &sealed), None);
    let text = Value::Object(claims).to_string();
    for made_up in [text.clone(), URL_SAFE_NO_PAD.encode(&text), String::new(), format!("A{sealed}")] {
        assert_eq!(open_claims(&key, &made_up), None);
    }
    // Tokens of callers are sealed with the same key, for other purposes.
    for purpose in ["session", "suspended", "state"] {
        assert_eq!(open_claims(&key, &key.seal(purpose, text.as_bytes())), None, "{purpose}");
    }
    assert_eq!(open_claims(&key, &key.seal("claims", b"[]")), None);
}

/// An interface that checks no tokens serves nothing that requires one.
#[test]
fn what_requires_a_token_is_open_on_no_face() {
    let config = |required: bool| {
        World::configured(json!({"auth": {"issuer": "https://login.example", "audience": ["a"],
            "jwks": "https://login.example/keys", "required": required}}))
    };
    let request = modern("tools/list", json!({}), &json!({}));
    let list = Request::get("http://127.0.0.1/catalog/tools").body(Vec::new()).unwrap();
    for (required, claims, status) in [(true, None, 401), (true, Some(Map::new()), 200), (false, None, 200)] {
        let world = config(required);
        let answered = world.run(world.handle(Ok(claims.as_ref()), &request));
        assert_eq!(answered.status(), status);
        assert_eq!(answered.headers().contains_key("www-authenticate"), status == 401);
        let listed = world.run(handle_plain_list(&world.config, &world, Ok(claims.as_ref()), &list));
        assert_eq!(listed.status(), status);
    }
}

/// A web page can point its own name to the address of this server and then reads the responses as its own (DNS
/// rebinding). Such a request has a name, plain HTTP, and no `Origin`. In a local network, the name can be one label.
#[test]
fn lists_are_not_read_under_a_name_that_a_page_can_have() {
    let read = |url: &str, hosts: Value| {
        let world = World::configured(json!({"hosts": hosts}));
        let request = Request::get(format!("{url}/catalog/tools")).body(Vec::new()).unwrap();
        world.run(handle_plain_list(&world.config, &world, Ok(None), &request)).status().as_u16()
    };
    let any = || json!([]);
    for url in [
        "http://127.0.0.1:8787",
        "http://[::1]:8787",
        "http://localhost",
        "http://gateway.localhost:8787",
        "http://10.0.0.7",
    ] {
        assert_eq!(read(url, any()), 200, "{url}");
    }
    assert_eq!(read("https://mcp.example.com", any()), 200, "no page has a certificate for its name here");
    for url in [
        "http://evil.example:8787",
        "http://127.0.0.1.evil.example",
        "http://10.0.0.7.evil.example",
        "http://evil",
        "http://gateway:8787",
        "http://localhostx",
        "http://2130706433.example",
    ] {
        assert_eq!(read(url, any()), 403, "{url}");
        assert_eq!(read(url, json!(["localhost"])), 403, "{url}");
    }
    assert_eq!(read("http://mcp.example.com", json!(["mcp.example.com"])), 200);
    assert_eq!(read("http://gateway:8787", json!(["gateway"])), 200);
}
