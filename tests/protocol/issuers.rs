//! Tokens of several issuers, opaque tokens, tokens in headers of their own, and tokens that are bound to keys. The tests
//! supply keys, judgements and verdicts on signatures.

use std::{
    borrow::Cow,
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::FutureExt;
use http::Request;
use mcp_sieve_gateway::{
    auth::{
        Authenticator, FetchedKeys, Jwk, KeyProvider, METADATA_PATH, OperatorTokens, Token, admit, metadata,
    },
    config::{Config, Introspection, KeySource},
    error::RpcError,
    server::Body,
};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

const NOW_S: u64 = 1_800_000_000;
const URL: &str = "https://mcp.example/mcp";
const ACCESS: &str = "cf-access-jwt-assertion";

/// A platform whose issuers `a`, `b` and so on publish a key each. The signature of a token names the key that made it.
struct Platform {
    now: Cell<u64>,
    /// The issuers whose keys cannot be fetched.
    broken: RefCell<Vec<&'static str>>,
    fetched: RefCell<Vec<String>>,
    /// The judgements by token.
    judgements: RefCell<BTreeMap<String, Result<Value, String>>>,
    judged: RefCell<Vec<String>>,
    notes: RefCell<Vec<String>>,
}

impl Default for Platform {
    fn default() -> Self {
        let (broken, fetched, judgements, judged, notes) = Default::default();
        Self { now: Cell::new(NOW_S * 1000), broken, fetched, judgements, judged, notes }
    }
}

impl KeyProvider for Platform {
    type Imported = ();

    fn now(&self) -> u64 {
        self.now.get()
    }

    async fn fetch(&self, source: &KeySource) -> Result<FetchedKeys, String> {
        let KeySource::Url(url) = source else { panic!("expected a URL") };
        self.fetched.borrow_mut().push(url.clone());
        if self.broken.borrow().iter().any(|issuer| url.starts_with(issuer)) {
            return Err("the server is away".to_owned());
        }
        let key = json!({"kty": "EC", "crv": "P-256", "x": coordinate(url), "y": "AA"});
        Ok(FetchedKeys { json: json!({"keys": [key]}).to_string().into_bytes(), cache_control: None })
    }

    async fn verify(&self, (): &(), _: usize, key: &Jwk, token: &Token<'_>) -> bool {
        key.public.contains(&URL_SAFE_NO_PAD.encode(&token.signature))
    }

    async fn introspect(&self, endpoint: &Introspection, token: &str) -> Result<Vec<u8>, String> {
        self.judged.borrow_mut().push(format!("{} {token}", endpoint.url));
        let judgement = self.judgements.borrow().get(token).cloned();
        judgement.unwrap_or(Ok(json!({"active": false}))).map(|judgement| match judgement {
            Value::String(text) => text.into_bytes(),
            judgement => judgement.to_string().into_bytes(),
        })
    }

    fn note(&self, note: &str) {
        self.notes.borrow_mut().push(note.to_owned());
    }
}

/// Returns the coordinate of the key at a URL of an issuer: the issuer.
fn coordinate(url: &str) -> String {
    URL_SAFE_NO_PAD.encode(url.trim_start_matches("https://").split('.').next().unwrap())
}

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

fn changed(mut whole: Value, changes: &Value) -> Value {
    for (name, value) in changes.as_object().unwrap() {
        whole[name] = value.clone();
    }
    whole
}

/// Returns a token of an issuer with changed claims, signed with the key of `signer`.
fn token_by(signer: &str, issuer: &str, changes: &Value) -> String {
    let claims =
        json!({"iss": format!("https://{issuer}.example"), "aud": [URL], "sub": "alice", "exp": NOW_S + 300});
    let header = json!({"alg": "ES256", "typ": "JWT"});
    format!("{}.{}.{}", part(&header), part(&changed(claims, changes)), URL_SAFE_NO_PAD.encode(signer))
}

fn token(issuer: &str, changes: &Value) -> String {
    token_by(issuer, issuer, changes)
}

/// Returns the settings of an issuer with keys, and these changes.
fn issuer(name: &str, changes: &Value) -> Value {
    let issuer = json!({"issuer": format!("https://{name}.example"), "audience": [URL],
        "jwks": format!("https://{name}.example/keys")});
    changed(issuer, changes)
}

/// Returns the settings of an issuer whose tokens are opaque.
fn judging(name: &str) -> Value {
    let introspection =
        json!({"url": format!("https://{name}.example/judge"), "client": {"id": "gateway", "secret": "s"}});
    issuer(name, &json!({"jwks": null, "introspection": introspection}))
}

fn config(auth: &Value) -> Config {
    Config::parse(&json!({ "auth": auth }).to_string()).unwrap()
}

fn request(headers: &[(&str, &str)]) -> Request<()> {
    let request =
        headers.iter().fold(Request::post(URL), |request, (name, value)| request.header(*name, *value));
    request.body(()).unwrap()
}

fn bearer(token: &str) -> Request<()> {
    request(&[("authorization", &format!("Bearer {token}"))])
}

/// One deployment: a configuration with its platform and its authenticator.
struct Deployment {
    config: Config,
    platform: Platform,
    authenticator: Authenticator<()>,
}

impl Deployment {
    fn new(auth: &Value) -> Self {
        Self::with_tokens(auth, &[])
    }

    /// Returns a deployment whose operator issued these tokens.
    fn with_tokens(auth: &Value, tokens: &[&str]) -> Self {
        let digest = |token: &str| Sha256::digest(token).iter().map(|byte| format!("{byte:02x}")).collect();
        let tokens: Map<String, Value> =
            tokens.iter().map(|token| (digest(token), json!({"sub": "operator"}))).collect();
        let tokens = OperatorTokens::parse("TOKENS", &Value::Object(tokens).to_string()).unwrap();
        Self {
            config: config(auth),
            platform: Platform::default(),
            authenticator: Authenticator::new(tokens),
        }
    }

    fn claims(&self, request: &Request<()>) -> Result<Option<Map<String, Value>>, RpcError> {
        let found = self.authenticator.authenticate(&self.platform, &self.config, request);
        found.now_or_never().unwrap().map(|claims| claims.map(Cow::into_owned))
    }

    /// Returns the caller as `iss#sub`, or the status and the reason of the refusal.
    fn caller(&self, request: &Request<()>) -> String {
        match self.claims(request) {
            Ok(None) => "nobody".to_owned(),
            Ok(Some(claims)) => {
                let text = |name: &str| claims.get(name).and_then(Value::as_str).unwrap_or_default();
                format!("{}#{}", text("iss"), text("sub"))
            }
            Err(failure) => format!(
                "{} {}",
                failure.status.as_u16(),
                failure.data.as_ref().unwrap()["reason"].as_str().unwrap()
            ),
        }
    }

    /// Returns the challenge of a refusal.
    fn challenge(&self, request: &Request<()>) -> Option<String> {
        let response = self.claims(request).unwrap_err().into_response();
        response.headers().get("www-authenticate").map(|value| value.to_str().unwrap().to_owned())
    }
}

#[test]
fn the_issuer_of_a_token_chooses_its_keys_audiences_and_scopes() {
    let auth = json!([
        issuer("a", &json!({"scopes": ["mcp", "read"]})),
        issuer("b", &json!({"audience": ["sieve"], "scopes": ["mcp"], "clockSkew": 0})),
    ]);
    let two = Deployment::new(&auth);
    let a = |changes: &Value| token("a", &changed(json!({"scope": "mcp read"}), changes));
    let b = |changes: &Value| token("b", &changed(json!({"aud": "sieve", "scope": "mcp"}), changes));
    let none = json!({});
    for (token, expected) in [
        (a(&none), "https://a.example#alice"),
        (b(&none), "https://b.example#alice"),
        // Nothing of one entry holds for the tokens of another.
        (a(&json!({"aud": "sieve"})), "401 token_audience"),
        (b(&json!({"aud": URL})), "401 token_audience"),
        (a(&json!({"scope": "mcp"})), "403 token_scope"),
        (a(&json!({"exp": NOW_S - 30})), "https://a.example#alice"),
        (b(&json!({"exp": NOW_S - 30})), "401 token_expired"),
        (token_by("b", "a", &none), "401 token_signature"),
        (token_by("a", "b", &none), "401 token_signature"),
        (token("c", &none), "401 token_issuer"),
        (a(&json!({"iss": "https://a.example/"})), "401 token_issuer"),
        (a(&json!({"iss": ["https://a.example"]})), "401 token_issuer"),
        ("opaque".to_owned(), "401 token_malformed"),
    ] {
        assert_eq!(two.caller(&bearer(&token)), expected, "{token}");
    }
    // Keys are fetched once of each, and again for each bad signature as often as the cache allows.
    let fetched = two.platform.fetched.borrow().clone();
    assert_eq!(fetched.len(), 4, "{fetched:?}");
}

#[test]
fn an_issuer_without_keys_does_not_touch_the_others() {
    let two = Deployment::new(&json!([issuer("a", &json!({})), issuer("b", &json!({}))]));
    two.platform.broken.borrow_mut().push("https://a.");
    let [a, b] = ["a", "b"].map(|name| bearer(&token(name, &json!({}))));
    for _ in 0..3 {
        assert_eq!(two.caller(&a), "503 jwks");
        assert_eq!(two.caller(&b), "https://b.example#alice");
    }
    two.platform.broken.borrow_mut().clear();
    two.platform.now.set((NOW_S + 30) * 1000);
    assert_eq!(two.caller(&a), "https://a.example#alice");
}

#[test]
fn one_issuer_that_demands_a_token_is_enough() {
    for (first, second, open) in [(true, false, false), (false, true, false), (false, false, true)] {
        let entry = |name, required| issuer(name, &json!({ "required": required }));
        let two = Deployment::new(&json!([entry("a", first), entry("b", second)]));
        let expected = if open { "nobody" } else { "401 token_missing" };
        assert_eq!(two.caller(&request(&[])), expected);
        assert_eq!(two.caller(&bearer("x")), "401 token_malformed");
    }
}

#[test]
fn the_metadata_names_all_issuers_and_a_challenge_the_scopes_that_all_want() {
    let auth = json!([
        issuer("a", &json!({"scopes": ["mcp", "read"]})),
        issuer("b", &json!({"scopes": ["write", "mcp"]})),
        issuer("c", &json!({"header": ACCESS, "scopes": ["other"]})),
    ]);
    let several = Deployment::new(&auth);
    let url = format!("https://mcp.example{METADATA_PATH}/mcp");
    let get = Request::get(&url).body(()).unwrap();
    let Body::Json(json) = metadata(&several.config, &get).unwrap().into_body() else {
        panic!("expected JSON")
    };
    let document: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(document["authorization_servers"], json!(["https://a.example", "https://b.example"]));
    assert_eq!(document["scopes_supported"], json!(["mcp", "read", "write"]));
    let at = format!("resource_metadata=\"{url}\"");
    let challenge = |request: &Request<()>| several.challenge(request).unwrap();
    assert_eq!(challenge(&request(&[])), format!("Bearer scope=\"mcp\", {at}"));
    let lacking = bearer(&token("b", &json!({"scope": "mcp"})));
    assert_eq!(
        challenge(&lacking),
        format!("Bearer error=\"insufficient_scope\", scope=\"write mcp\", {at}")
    );
    // Nothing asks for a header that another system sets.
    let assertions = config(&json!(issuer("a", &json!({"header": ACCESS}))));
    assert!(metadata(&assertions, &get).is_none());
    let refused = admit(&assertions, &get, None::<()>).unwrap_err();
    assert_eq!(refused.status, 403);
    assert!(refused.into_response().headers().get("www-authenticate").is_none());
}

#[test]
fn an_opaque_token_is_what_its_issuer_says_that_it_is() {
    let one = Deployment::new(&judging("a"));
    let good = json!({"active": true, "aud": URL, "sub": "alice", "exp": NOW_S + 300, "scope": "mcp"});
    let rows = [
        (json!({}), "https://a.example#alice"),
        (json!({"iss": "https://a.example"}), "https://a.example#alice"),
        (json!({"aud": ["x", URL]}), "https://a.example#alice"),
        (json!({"active": false}), "401 token_inactive"),
        (json!({"active": "true"}), "503 introspection"),
        (json!({"active": null}), "503 introspection"),
        (json!({"iss": "https://b.example"}), "401 token_issuer"),
        (json!({"aud": "x"}), "401 token_audience"),
        (json!({"aud": null}), "401 token_audience"),
        (json!({"exp": null}), "401 token_malformed"),
        (json!({"exp": NOW_S - 300}), "401 token_expired"),
        (json!({"nbf": NOW_S + 300}), "401 token_not_yet_valid"),
        (json!({"sub": null}), "401 token_subject"),
        (json!({"cnf": {"jkt": "x"}}), "401 token_bound"),
        (json!({"cnf": {"x5t#S256": "x"}}), "401 token_bound"),
    ];
    for (at, (changes, expected)) in rows.iter().enumerate() {
        let token = format!("opaque-{at}");
        let judgement = Ok(changed(good.clone(), changes));
        one.platform.judgements.borrow_mut().insert(token.clone(), judgement);
        assert_eq!(one.caller(&bearer(&token)), *expected, "{changes}");
    }
    for (token, judgement) in [
        ("html", Ok(json!("<html>"))),
        ("array", Ok(json!([]))),
        ("large", Ok(json!(" ".repeat(70_000)))),
        ("away", Err("the server is away".to_owned())),
    ] {
        one.platform.judgements.borrow_mut().insert(token.to_owned(), judgement);
        assert_eq!(one.caller(&bearer(token)), "503 introspection", "{token}");
        assert_eq!(one.challenge(&bearer(token)), None);
    }
    let notes = one.platform.notes.borrow().join("\n");
    assert!(notes.contains("the introspection at https://a.example/judge: the server is away"), "{notes}");
    assert!(!notes.contains("opaque-") && !notes.contains("html\n"), "{notes}");
    assert_eq!(one.caller(&bearer(&"x".repeat(20_000))), "401 token_too_large");
}

#[test]
fn a_judgement_is_kept_for_a_minute_and_a_refusal_for_ten_seconds() {
    let one = Deployment::new(&judging("a"));
    let good = json!({"active": true, "aud": URL, "sub": "alice", "exp": NOW_S + 30});
    one.platform.judgements.borrow_mut().insert("good".to_owned(), Ok(good));
    let asked = |token: &str, seconds: u64| {
        one.platform.now.set((NOW_S + seconds) * 1000);
        let before = one.platform.judged.borrow().len();
        let caller = one.caller(&bearer(token));
        (caller, one.platform.judged.borrow().len() - before)
    };
    let alice = || "https://a.example#alice".to_owned();
    assert_eq!(asked("good", 0), (alice(), 1));
    assert_eq!(asked("good", 59), (alice(), 0));
    assert_eq!(asked("good", 60), (alice(), 1));
    // A kept judgement holds no longer than the token.
    assert_eq!(asked("good", 91), ("401 token_expired".to_owned(), 0));
    let inactive = || "401 token_inactive".to_owned();
    assert_eq!(asked("bad", 100), (inactive(), 1));
    assert_eq!(asked("bad", 109), (inactive(), 0));
    assert_eq!(asked("bad", 110), (inactive(), 1));
    // A failure is not kept.
    one.platform.judgements.borrow_mut().insert("away".to_owned(), Err("away".to_owned()));
    assert_eq!(asked("away", 111), ("503 introspection".to_owned(), 1));
    assert_eq!(asked("away", 111), ("503 introspection".to_owned(), 1));
}

#[test]
fn keys_verify_tokens_of_their_form_and_the_endpoint_judges_the_others() {
    let both = changed(judging("a"), &json!({"jwks": "https://a.example/keys"}));
    let mixed = Deployment::new(&json!([both, issuer("b", &json!({}))]));
    let good = json!({"active": true, "aud": URL, "sub": "judged", "exp": NOW_S + 300});
    let none = json!({});
    let unsigned = token("a", &none).replacen(
        &part(&json!({"alg": "ES256", "typ": "JWT"})),
        &part(&json!({"alg": "none"})),
        1,
    );
    for token in ["opaque", "a.b.c", &unsigned, &token_by("b", "a", &none), &token("c", &none)] {
        mixed.platform.judgements.borrow_mut().insert(token.to_owned(), Ok(good.clone()));
    }
    for (token, expected) in [
        ("opaque", "https://a.example#judged"),
        ("a.b.c", "https://a.example#judged"),
        (&*token("a", &none), "https://a.example#alice"),
        (&*token("b", &none), "https://b.example#alice"),
        // What keys refuse, no endpoint is asked about.
        (&*unsigned, "401 token_algorithm"),
        (&*token_by("b", "a", &none), "401 token_signature"),
        (&*token("c", &none), "401 token_issuer"),
    ] {
        assert_eq!(mixed.caller(&bearer(token)), expected, "{token}");
    }
    let judged = mixed.platform.judged.borrow().join("\n");
    assert_eq!(judged, "https://a.example/judge opaque\nhttps://a.example/judge a.b.c");
    // A signed token of an issuer without keys is opaque.
    let one = Deployment::new(&judging("a"));
    let signed = token("a", &none);
    one.platform.judgements.borrow_mut().insert(signed.clone(), Ok(good));
    assert_eq!(one.caller(&bearer(&signed)), "https://a.example#judged");
}

#[test]
fn a_token_in_a_header_of_its_own_decides() {
    let access = issuer("team", &json!({"header": "Cf-Access-Jwt-Assertion", "audience": ["app"]}));
    let assertion = token("team", &json!({"aud": ["app"]}));
    let (own, none) = (token("a", &json!({})), json!({}));
    let (with, of_a) = (|token: &str| format!("Bearer {token}"), with_bearer(&own));
    let alone = Deployment::with_tokens(&access, &["handed-out"]);
    let beside = Deployment::new(&json!([access, issuer("a", &none)]));
    let team = "https://team.example#alice";
    for (headers, alone_expected, beside_expected) in [
        (&[(ACCESS, &*assertion)][..], team, team),
        // `Authorization` is then free for another use.
        (&[(ACCESS, &assertion), ("authorization", &of_a)], team, team),
        (&[(ACCESS, &assertion), ("authorization", "Basic abc")], team, team),
        (&[(ACCESS, &assertion), (ACCESS, &assertion)], "403 token_scheme", "403 token_scheme"),
        (&[(ACCESS, "x"), ("authorization", &of_a)], "403 token_malformed", "403 token_malformed"),
        (&[(ACCESS, &own)], "403 token_issuer", "403 token_issuer"),
        (&[(ACCESS, "handed-out")], "403 token_malformed", "403 token_malformed"),
        (&[("authorization", &*with("handed-out"))], "#operator", "401 token_malformed"),
        (&[("authorization", &of_a)], "401 unauthorized", "https://a.example#alice"),
        (&[("authorization", &*with(&assertion))], "401 unauthorized", "401 token_issuer"),
        (&[], "403 token_missing", "401 token_missing"),
    ] {
        let request = request(headers);
        assert_eq!(alone.caller(&request), alone_expected, "{headers:?}");
        assert_eq!(beside.caller(&request), beside_expected, "{headers:?}");
        if beside_expected.starts_with("403") {
            assert_eq!(beside.challenge(&request), None);
        }
    }
}

fn with_bearer(token: &str) -> String {
    format!("Bearer {token}")
}

/// The key of a client, whose proofs have its coordinate as their signature.
fn client_key(x: &str) -> Value {
    json!({"kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(x), "y": "AA"})
}

fn thumbprint(x: &str) -> String {
    let x = URL_SAFE_NO_PAD.encode(x);
    URL_SAFE_NO_PAD.encode(Sha256::digest(format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"AA"}}"#)))
}

/// Returns a proof for a token with a changed header and changed claims.
fn proof(token: &str, header: &Value, claims: &Value) -> String {
    let ath = URL_SAFE_NO_PAD.encode(Sha256::digest(token));
    let header = changed(json!({"alg": "ES256", "typ": "dpop+jwt", "jwk": client_key("mine")}), header);
    let claims = changed(json!({"htm": "POST", "htu": URL, "iat": NOW_S, "jti": "1", "ath": ath}), claims);
    format!("{}.{}.{}", part(&header), part(&claims), URL_SAFE_NO_PAD.encode("mine"))
}

#[test]
fn a_token_that_is_bound_to_a_key_needs_a_proof_of_it() {
    let bound = token("a", &json!({"cnf": {"jkt": thumbprint("mine")}}));
    let none = json!({});
    let private = changed(client_key("mine"), &json!({"d": "AA"}));
    let weak = json!({"kty": "RSA", "n": "AQAB", "e": "AQAB"});
    let good = "https://a.example#alice";
    let bad = "401 token_proof";
    let rows = [
        (json!({}), json!({}), good),
        (json!({"typ": "DPoP+JWT"}), json!({"jti": "other"}), good),
        (json!({}), json!({"htu": "HTTPS://MCP.example:443/mcp?x=1#y"}), good),
        (json!({}), json!({"iat": NOW_S - 119}), good),
        (json!({}), json!({"iat": NOW_S + 60}), good),
        (json!({"typ": "JWT"}), json!({}), bad),
        (json!({"typ": null}), json!({}), bad),
        (json!({"typ": "at+jwt"}), json!({}), bad),
        (json!({"alg": "none"}), json!({}), bad),
        (json!({"alg": "HS256"}), json!({}), bad),
        (json!({"alg": "EdDSA"}), json!({}), bad),
        (json!({"crit": ["x"]}), json!({}), bad),
        (json!({"jwk": null}), json!({}), bad),
        (json!({"jwk": "x"}), json!({}), bad),
        (json!({"jwk": {"kty": "oct", "k": "AA"}}), json!({}), bad),
        (json!({"jwk": weak, "alg": "RS256"}), json!({}), bad),
        (json!({"jwk": private}), json!({}), bad),
        (json!({"jwk": client_key("other")}), json!({}), bad),
        (json!({}), json!({"htm": "GET"}), bad),
        (json!({}), json!({"htm": "post"}), bad),
        (json!({}), json!({"htu": "https://mcp.example/"}), bad),
        (json!({}), json!({"htu": "https://mcp.example/mcp/"}), bad),
        (json!({}), json!({"htu": "http://mcp.example/mcp"}), bad),
        (json!({}), json!({"htu": "https://mcp.example:8443/mcp"}), bad),
        (json!({}), json!({"htu": "https://x@mcp.example/mcp"}), bad),
        (json!({}), json!({"htu": "https://evil.example/mcp"}), bad),
        (json!({}), json!({"htu": "/mcp"}), bad),
        (json!({}), json!({"htu": 7}), bad),
        (json!({}), json!({"iat": NOW_S - 120}), bad),
        (json!({}), json!({"iat": NOW_S + 61}), bad),
        (json!({}), json!({"iat": null}), bad),
        (json!({}), json!({"ath": thumbprint("mine")}), bad),
        (json!({}), json!({"ath": null}), bad),
        (json!({}), json!({"jti": ""}), bad),
        (json!({}), json!({"jti": null}), bad),
    ];
    for (header, claims, expected) in &rows {
        // Each row has a process of its own, so that only a proof that is used twice is refused as such.
        let one = Deployment::new(&issuer("a", &none));
        let shown = proof(&bound, header, claims);
        let request = request(&[("authorization", &format!("DPoP {bound}")), ("dpop", &shown)]);
        assert_eq!(one.caller(&request), *expected, "{header} {claims}");
        if *expected == good {
            assert_eq!(one.caller(&request), bad, "used twice: {header} {claims}");
        }
    }
}

#[test]
fn a_proof_is_for_one_key_and_one_token_and_no_bearer_token_needs_one() {
    let one = Deployment::new(&issuer("a", &json!({"scopes": ["mcp"]})));
    let with = |changes: &Value| token("a", &changed(json!({"scope": "mcp"}), changes));
    let mine = with(&json!({"cnf": {"jkt": thumbprint("mine")}}));
    let theirs = with(&json!({"cnf": {"jkt": thumbprint("theirs")}}));
    let certificate = with(&json!({"cnf": {"x5t#S256": thumbprint("mine")}}));
    let both = with(&json!({"cnf": {"jkt": thumbprint("mine"), "x5t#S256": "x"}}));
    let unbound = with(&json!({}));
    let none = json!({});
    let dpop = |token: &str| format!("DPoP {token}");
    let prove = |token: &str| proof(token, &none, &none);
    for (authorization, proofs, expected) in [
        (with_bearer(&mine), vec![prove(&mine)], "401 token_bound"),
        (with_bearer(&mine), vec![], "401 token_bound"),
        (with_bearer(&certificate), vec![], "401 token_bound"),
        (with_bearer(&unbound), vec![], "https://a.example#alice"),
        (with_bearer(&unbound), vec!["x".to_owned()], "https://a.example#alice"),
        (dpop(&mine), vec![], "401 token_proof"),
        (dpop(&mine), vec!["x".to_owned()], "401 token_proof"),
        (dpop(&mine), vec![prove(&mine), prove(&mine)], "401 token_proof"),
        (dpop(&mine), vec![prove(&theirs)], "401 token_proof"),
        (dpop(&theirs), vec![prove(&theirs)], "401 token_proof"),
        (dpop(&certificate), vec![prove(&certificate)], "401 token_bound"),
        (dpop(&both), vec![prove(&both)], "401 token_bound"),
        (dpop(&unbound), vec![prove(&unbound)], "401 token_proof"),
        (dpop("handed-out"), vec![prove("handed-out")], "401 token_malformed"),
        (dpop(&mine), vec![prove(&mine)], "https://a.example#alice"),
        // The proof of another token has another `ath`, and its id may be the same.
        (dpop(&mine), vec![prove(&mine)], "401 token_proof"),
        (dpop(&mine), vec![proof(&mine, &none, &json!({"jti": "2"}))], "https://a.example#alice"),
    ] {
        let mut headers = vec![("authorization", authorization.as_str())];
        headers.extend(proofs.iter().map(|proof| ("dpop", proof.as_str())));
        assert_eq!(one.caller(&request(&headers)), expected, "{headers:?}");
    }
    let at = format!("resource_metadata=\"https://mcp.example{METADATA_PATH}/mcp\"");
    let algorithms = "algs=\"ES256 ES384 EdDSA PS256 RS256\"";
    let challenge = |headers: &[(&str, &str)]| one.challenge(&request(headers)).unwrap();
    assert_eq!(
        challenge(&[("authorization", &with_bearer(&mine))]),
        format!("Bearer scope=\"mcp\", {at}, DPoP error=\"invalid_token\", {algorithms}")
    );
    assert_eq!(
        challenge(&[("authorization", &dpop(&mine))]),
        format!("Bearer scope=\"mcp\", {at}, DPoP error=\"invalid_dpop_proof\", {algorithms}")
    );
    assert_eq!(challenge(&[]), format!("Bearer scope=\"mcp\", {at}"));
}

#[test]
fn an_opaque_token_may_be_bound_to_a_key_too() {
    let one = Deployment::new(&judging("a"));
    let judgement = json!({"active": true, "aud": URL, "sub": "alice", "exp": NOW_S + 300, "token_type": "DPoP",
        "cnf": {"jkt": thumbprint("mine")}});
    one.platform.judgements.borrow_mut().insert("opaque".to_owned(), Ok(judgement));
    assert_eq!(one.caller(&bearer("opaque")), "401 token_bound");
    let shown = proof("opaque", &json!({}), &json!({}));
    let request = request(&[("authorization", "DPoP opaque"), ("dpop", &shown)]);
    assert_eq!(one.caller(&request), "https://a.example#alice");
    assert_eq!(one.caller(&request), "401 token_proof");
}
