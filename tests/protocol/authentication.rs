//! Authentication: which token decides, in which order, and why one is rejected. The tests supply keys and verdicts on
//! signatures.

use std::cell::{Cell, RefCell};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use http::{Request, header};
use mcp_sieve_gateway::{
    auth::{
        Authenticator, FetchedKeys, Jwk, KeyProvider, MAX_CANDIDATES, OperatorTokens, Token, bearer_token,
    },
    config::{Config, Introspection, KeySource},
    error::RpcError,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

const NOW_S: u64 = 1_800_000_000;
const INVALID: &str = "error=\"invalid_token\"";

/// A platform with given keys and verdicts.
struct Platform {
    now: Cell<u64>,
    keys: RefCell<Result<FetchedKeys, String>>,
    good: Cell<bool>,
    /// The index of the key that signed the tokens.
    signer: Cell<usize>,
    fetches: Cell<u32>,
    verified: Cell<u32>,
    /// The response of the introspection endpoint, and the tokens that it was asked about.
    judgement: RefCell<Result<Value, String>>,
    judged: RefCell<Vec<String>>,
    notes: RefCell<Vec<String>>,
}

impl KeyProvider for Platform {
    type Imported = Cell<u32>;

    fn now(&self) -> u64 {
        self.now.get()
    }

    async fn fetch(&self, source: &KeySource) -> Result<FetchedKeys, String> {
        self.fetches.set(self.fetches.get() + 1);
        match source {
            KeySource::Inline(json) => {
                Ok(FetchedKeys { json: json.clone().into_bytes(), cache_control: None })
            }
            _ => self.keys.borrow().clone(),
        }
    }

    async fn verify(&self, imported: &Cell<u32>, index: usize, _: &Jwk, token: &Token<'_>) -> bool {
        assert_eq!(token.signature, b"\0");
        imported.set(imported.get() + 1);
        self.verified.set(self.verified.get() + 1);
        self.good.get() && index == self.signer.get()
    }

    async fn introspect(&self, endpoint: &Introspection, token: &str) -> Result<Vec<u8>, String> {
        assert_eq!(endpoint.url, "https://login.example/introspect");
        self.judged.borrow_mut().push(token.to_owned());
        self.judgement.borrow().clone().map(|judgement| judgement.to_string().into_bytes())
    }

    fn note(&self, note: &str) {
        self.notes.borrow_mut().push(note.to_owned());
    }
}

fn keys(kid: &str) -> FetchedKeys {
    let key = json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA", "kid": kid});
    FetchedKeys { json: json!({ "keys": [key] }).to_string().into_bytes(), cache_control: None }
}

fn platform() -> Platform {
    Platform {
        now: Cell::new(NOW_S * 1000),
        keys: RefCell::new(Ok(keys("first"))),
        good: Cell::new(true),
        signer: Cell::default(),
        fetches: Cell::default(),
        verified: Cell::default(),
        judgement: RefCell::new(Ok(json!({"active": false}))),
        judged: RefCell::default(),
        notes: RefCell::default(),
    }
}

/// Returns a set of EC keys without ids, behind a key of another type.
fn nameless_keys(count: usize) -> FetchedKeys {
    let key = json!({"kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"});
    let mut keys = vec![json!({"kty": "OKP", "crv": "Ed25519", "x": "AA"})];
    keys.extend(std::iter::repeat_n(key, count));
    FetchedKeys { json: json!({ "keys": keys }).to_string().into_bytes(), cache_control: None }
}

/// Returns a token for this key with changed claims; its signature is one null byte.
fn token(kid: &str, changes: Value) -> String {
    signed(json!({"alg": "ES256", "kid": kid}), changes)
}

/// Returns a token with this header and changed claims.
fn signed(header: Value, changes: Value) -> String {
    let mut claims = json!({"iss": "https://login.example", "aud": "https://mcp.example/mcp", "sub": "alice",
        "exp": NOW_S + 300});
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.AA", part(header), part(claims))
}

/// Returns an authenticator with these operator tokens and their claims.
fn issued(tokens: &[(&str, Value)]) -> Authenticator<Cell<u32>> {
    let digest =
        |token: &str| -> String { Sha256::digest(token).iter().map(|byte| format!("{byte:02X}")).collect() };
    let tokens: Map<String, Value> =
        tokens.iter().map(|(token, claims)| (digest(token), claims.clone())).collect();
    Authenticator::new(OperatorTokens::parse("TOKENS", &Value::Object(tokens).to_string()).unwrap())
}

/// Returns a configuration with an issuer and these changes.
fn with_auth(changes: Value) -> Config {
    let mut auth = json!({"issuer": "https://login.example", "audience": ["https://mcp.example/mcp"],
        "jwks": "https://login.example/keys"});
    for (name, value) in changes.as_object().unwrap() {
        auth[name] = value.clone();
    }
    Config::parse(&json!({ "auth": auth }).to_string()).unwrap()
}

fn shows(authorizations: &[&str]) -> Request<()> {
    let request = Request::post("https://mcp.example/mcp");
    let add = |request: http::request::Builder, value: &&str| request.header(header::AUTHORIZATION, *value);
    authorizations.iter().fold(request, add).body(()).unwrap()
}

type Claims = Option<Map<String, Value>>;

/// Authenticates a request with these `Authorization` headers.
fn authenticate(
    authenticator: &Authenticator<Cell<u32>>,
    platform: &Platform,
    config: &Config,
    authorizations: &[&str],
) -> Result<Claims, RpcError> {
    let request = shows(authorizations);
    let found = authenticator.authenticate(platform, config, &request).now_or_never().unwrap();
    found.map(|claims| claims.map(std::borrow::Cow::into_owned))
}

/// Returns the status, the reason and the challenge of a rejection.
#[track_caller]
fn refusal(found: Result<Claims, RpcError>) -> (u16, String, String) {
    let failure = found.expect_err("a refusal");
    let reason = failure.data.as_ref().unwrap()["reason"].as_str().unwrap().to_owned();
    let response = failure.into_response();
    let challenge = response.headers().get(header::WWW_AUTHENTICATE);
    let challenge = challenge.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    (response.status().as_u16(), reason, challenge)
}

/// Returns the subject of accepted claims.
fn subject(found: Result<Claims, RpcError>) -> String {
    found.unwrap().expect("claims")["sub"].as_str().unwrap().to_owned()
}

#[test]
fn without_an_authorization_server_only_the_operators_tokens_count() {
    let (platform, config) = (platform(), Config::default());
    let strangers = issued(&[]);
    assert!(!strangers.has_operator_tokens());
    // Without configured tokens or an issuer, tokens are ignored.
    assert_eq!(authenticate(&strangers, &platform, &config, &["Bearer what"]).unwrap(), None);
    let known = issued(&[("let-me-in", json!({"sub": "bob", "role": "admin"}))]);
    assert!(known.has_operator_tokens());
    let ask = |shown: &[&str]| authenticate(&known, &platform, &config, shown);
    assert_eq!(ask(&[]).unwrap(), None);
    assert_eq!(subject(ask(&["Bearer let-me-in"])), "bob");
    assert_eq!(subject(ask(&["bEARER  let-me-in "])), "bob");
    let refused = (401, "unauthorized".to_owned(), format!("Bearer {INVALID}"));
    let jwt = format!("Bearer {}", token("first", json!({})));
    for shown in
        [&["Bearer let-me-out"][..], &["Basic let-me-in"], &["let-me-in"], &["Bearer let-me-in"; 2], &[&jwt]]
    {
        assert_eq!(refusal(ask(shown)), refused, "{shown:?}");
    }
    assert_eq!((platform.fetches.get(), platform.verified.get()), (0, 0));
}

#[test]
fn a_request_without_a_token_is_refused_where_one_is_required() {
    let (platform, known) = (platform(), issued(&[("let-me-in", json!({"sub": "bob"}))]));
    let metadata = "resource_metadata=\"https://mcp.example/.well-known/oauth-protected-resource/mcp\"";
    let found = authenticate(&known, &platform, &with_auth(json!({})), &[]);
    assert_eq!(refusal(found), (401, "token_missing".to_owned(), format!("Bearer {metadata}")));
    let open = with_auth(json!({"required": false}));
    assert_eq!(authenticate(&known, &platform, &open, &[]).unwrap(), None);
    // An invalid token is rejected even so.
    for config in [with_auth(json!({})), open] {
        for shown in [&["Basic bGV0OmluCg=="][..], &["Bearer"], &["Bearer let-me-in"; 2]] {
            let found = authenticate(&known, &platform, &config, shown);
            let expected = (401, "token_scheme".to_owned(), format!("Bearer {INVALID}, {metadata}"));
            assert_eq!(refusal(found), expected, "{shown:?}");
        }
    }
    assert_eq!(platform.fetches.get(), 0);
}

#[test]
fn the_operators_tokens_come_before_those_of_the_authorization_server() {
    // An operator token may even look like a signed token.
    let signed = token("first", json!({}));
    let known = issued(&[("let-me-in", json!({"sub": "bob"})), (&signed, json!({"sub": "carol"}))]);
    let (platform, config) = (platform(), with_auth(json!({})));
    let ask = |shown: &str| authenticate(&known, &platform, &config, &[&format!("Bearer {shown}")]);
    assert_eq!(subject(ask("let-me-in")), "bob");
    assert_eq!(subject(ask(&signed)), "carol");
    assert_eq!((platform.fetches.get(), platform.verified.get()), (0, 0), "no key was needed");
    assert_eq!(subject(ask(&token("first", json!({"sub": "dave"})))), "dave");
    assert_eq!((platform.fetches.get(), platform.verified.get()), (1, 1));
}

#[test]
fn form_comes_before_keys_keys_before_the_signature_and_that_before_claims() {
    let (platform, strangers) = (platform(), issued(&[]));
    let config = with_auth(json!({"scopes": ["mcp"]}));
    let reason = |token: &str| {
        let (status, reason, challenge) =
            refusal(authenticate(&strangers, &platform, &config, &[&format!("Bearer {token}")]));
        assert!(challenge.contains(if status == 403 { "insufficient_scope" } else { "invalid_token" }));
        (status, reason)
    };
    let expired = token("first", json!({"exp": NOW_S - 300}));
    assert_eq!(reason("no.token"), (401, "token_malformed".to_owned()));
    assert_eq!(reason(&"x".repeat(20_000)), (401, "token_too_large".to_owned()));
    assert_eq!(platform.fetches.get(), 0, "made-up tokens cost no fetch");
    platform.good.set(false);
    assert_eq!(reason(&token("other", json!({}))), (401, "token_key_unknown".to_owned()));
    assert_eq!(platform.verified.get(), 0);
    assert_eq!(reason(&expired), (401, "token_signature".to_owned()));
    platform.good.set(true);
    assert_eq!(reason(&expired), (401, "token_expired".to_owned()));
    assert_eq!(reason(&token("first", json!({"aud": "elsewhere"}))), (401, "token_audience".to_owned()));
    assert_eq!(reason(&token("first", json!({}))), (403, "token_scope".to_owned()));
    // The platform's clock decides.
    platform.now.set((NOW_S - 600) * 1000);
    assert_eq!(reason(&expired), (403, "token_scope".to_owned()));
}

#[test]
fn an_unknown_key_is_looked_for_in_a_newer_set_once() {
    let (platform, strangers, config) = (platform(), issued(&[]), with_auth(json!({})));
    let ask = |kid: &str| {
        authenticate(&strangers, &platform, &config, &[&format!("Bearer {}", token(kid, json!({})))])
    };
    assert_eq!(subject(ask("first")), "alice");
    assert_eq!(subject(ask("first")), "alice");
    assert_eq!(platform.fetches.get(), 1, "keys are kept");
    *platform.keys.borrow_mut() = Ok(keys("second"));
    assert_eq!(subject(ask("second")), "alice");
    assert_eq!(platform.fetches.get(), 2);
    assert_eq!(refusal(ask("third")).1, "token_key_unknown");
    assert_eq!(platform.fetches.get(), 2, "no oftener than the cache allows");
    platform.now.set(platform.now.get() + 30_001);
    assert_eq!(refusal(ask("third")).1, "token_key_unknown");
    assert_eq!(platform.fetches.get(), 3);
    assert!(platform.notes.borrow().is_empty());
}

#[test]
fn keys_in_the_configuration_are_read_once() {
    let (platform, strangers) = (platform(), issued(&[]));
    let written: Value = serde_json::from_slice(&keys("written").json).unwrap();
    let config = with_auth(json!({ "jwks": written }));
    for kid in ["written", "other", "other", "written"] {
        let shown = format!("Bearer {}", token(kid, json!({})));
        let found = authenticate(&strangers, &platform, &config, &[&shown]);
        match kid {
            "written" => assert_eq!(subject(found), "alice"),
            _ => assert_eq!(refusal(found).1, "token_key_unknown"),
        }
        platform.now.set(platform.now.get() + 60_000);
    }
    assert_eq!(platform.fetches.get(), 1);
}

#[test]
fn without_keys_it_is_the_server_that_is_unavailable_and_not_the_token_that_is_wrong() {
    let (platform, strangers, config) = (platform(), issued(&[]), with_auth(json!({})));
    let shown = format!("Bearer {}", token("first", json!({})));
    let ask = || authenticate(&strangers, &platform, &config, &[&shown]);
    for problem in
        [Err("the server is away".to_owned()), Ok(FetchedKeys { json: b"[]".to_vec(), cache_control: None })]
    {
        *platform.keys.borrow_mut() = problem;
        let (status, reason, challenge) = refusal(ask());
        assert_eq!((status, reason.as_str(), challenge.as_str()), (503, "jwks", ""));
        platform.now.set(platform.now.get() + 30_000);
    }
    assert_eq!(platform.fetches.get(), 2);
    let notes = platform.notes.borrow().clone();
    assert_eq!(notes[0], "the keys of the authorization server: the server is away");
    assert!(notes.len() == 2 && notes[1].contains("no key set"), "{notes:?}");
    // Fetched keys are used for an hour after they become stale.
    *platform.keys.borrow_mut() = Ok(keys("first"));
    assert_eq!(subject(ask()), "alice");
    *platform.keys.borrow_mut() = Err("away again".to_owned());
    platform.now.set(platform.now.get() + 3_600_000);
    let late = format!("Bearer {}", token("first", json!({"exp": NOW_S + 10_000})));
    let ask = || authenticate(&strangers, &platform, &config, &[&late]);
    assert_eq!(subject(ask()), "alice");
    platform.now.set(platform.now.get() + 3_600_000);
    assert_eq!(refusal(ask()).1, "jwks");
}

#[test]
fn a_table_of_tokens_has_digests_and_names() {
    let refused = |source: &Value, why: &str| {
        let failure = OperatorTokens::parse("SIEVE_TOKENS", &source.to_string()).unwrap_err();
        assert_eq!(failure.reason(), Some("config"));
        assert_eq!(failure.message, format!("SIEVE_TOKENS: {why}"));
    };
    let digest = "0123456789abcdefABCDEF0123456789abcdefABCDEF0123456789abcdefABCD";
    refused(&json!({"secret": {"sub": "a"}}), "`secret` is not a SHA-256 in hex");
    for claims in [json!({}), json!({"sub": ""}), json!({"sub": 7})] {
        let why = format!("`{digest}`: expected a member `sub`, a text that is not empty");
        refused(&json!({ digest: claims }), &why);
    }
    let [one, other] = [r#"{"sub": "a", "role": "user"}"#, r#"{"sub": "a", "role": "admin"}"#];
    let (upper, lower) = (digest.to_ascii_uppercase(), digest.to_ascii_lowercase());
    for (source, why) in [
        (
            format!(r#"{{"{digest}": {one}, "{digest}": {other}}}"#),
            format!("`{digest}` occurs twice, expected once"),
        ),
        (
            format!(r#"{{"{digest}": {{"sub": "a", "role": "user", "role": "admin"}}}}"#),
            format!("`{digest}.role` occurs twice, expected once"),
        ),
        (
            format!(r#"{{"{upper}": {one}, "{lower}": {other}}}"#),
            "a digest occurs twice, in upper and in lower case".to_owned(),
        ),
    ] {
        let failure = OperatorTokens::parse("SIEVE_TOKENS", &source).unwrap_err();
        assert_eq!(failure.message, format!("SIEVE_TOKENS: {why}"));
    }
    assert!(OperatorTokens::parse("SIEVE_TOKENS", "[]").unwrap_err().message.starts_with("SIEVE_TOKENS: "));
    assert!(
        !OperatorTokens::parse("SIEVE_TOKENS", &json!({digest: {"sub": "a"}}).to_string())
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_bearer_token_is_the_only_authorization_of_its_scheme() {
    let read = |shown: &[&str]| bearer_token(shows(shown).headers()).map(str::to_owned);
    assert_eq!(read(&["Bearer abc"]).as_deref(), Some("abc"));
    assert_eq!(read(&["BEARER  abc "]).as_deref(), Some("abc"));
    for shown in
        [&[][..], &["Bearer"], &["Basic abc"], &["Bearer abc", "Bearer abc"], &["Bearer abc", "Basic abc"]]
    {
        assert_eq!(read(shown), None, "{shown:?}");
    }
}

#[test]
fn a_token_that_names_no_key_is_checked_with_each_that_fits_its_algorithm() {
    let (platform, strangers, config) = (platform(), issued(&[]), with_auth(json!({})));
    let ask = |algorithm: &str| {
        let token = signed(json!({"alg": algorithm}), json!({}));
        authenticate(&strangers, &platform, &config, &[&format!("Bearer {token}")])
    };
    _ = platform.keys.replace(Ok(nameless_keys(MAX_CANDIDATES)));
    platform.signer.set(MAX_CANDIDATES);
    assert_eq!(subject(ask("ES256")), "alice");
    assert_eq!((platform.fetches.get(), platform.verified.get()), (1, MAX_CANDIDATES as u32));
    // The key of the other type is not tried.
    platform.signer.set(0);
    assert_eq!(refusal(ask("ES256")).1, "token_signature");
    assert_eq!(subject(ask("EdDSA")), "alice");
    assert_eq!(refusal(ask("RS256")).1, "token_key_type");
    // One more key is too many.
    platform.now.set(platform.now.get() + 3_600_000);
    _ = platform.keys.replace(Ok(nameless_keys(MAX_CANDIDATES + 1)));
    let verified = platform.verified.get();
    let refused = ask("ES256");
    let message = "too many keys of its issuer fit the token, expected one that names its key in `kid`";
    assert_eq!(refused.as_ref().unwrap_err().message, message);
    assert_eq!(refusal(refused).1, "token_key_id");
    assert_eq!(platform.verified.get(), verified);
}

#[test]
fn a_token_that_names_no_key_may_be_signed_with_one_that_is_newer_than_the_set() {
    let (platform, strangers, config) = (platform(), issued(&[]), with_auth(json!({})));
    let ask = || {
        let token = signed(json!({"alg": "ES256"}), json!({}));
        authenticate(&strangers, &platform, &config, &[&format!("Bearer {token}")])
    };
    _ = platform.keys.replace(Ok(nameless_keys(1)));
    platform.signer.set(1);
    assert_eq!(subject(ask()), "alice");
    // The issuer has replaced its key.
    _ = platform.keys.replace(Ok(nameless_keys(2)));
    platform.signer.set(2);
    assert_eq!(subject(ask()), "alice");
    assert_eq!(platform.fetches.get(), 2);
    // Bad tokens cost the issuer no request each.
    platform.good.set(false);
    let verified = platform.verified.get();
    assert_eq!(refusal(ask()).1, "token_signature");
    assert_eq!((platform.fetches.get(), platform.verified.get() - verified), (2, 2));
}
