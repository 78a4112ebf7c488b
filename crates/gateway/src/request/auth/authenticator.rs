//! Authenticates callers by their access tokens: those of the operator, or those of authorization servers.

use std::{borrow::Cow, cell::RefCell, collections::BTreeMap, rc::Rc};

use futures_util::FutureExt;
use http::{HeaderMap, Request, StatusCode, header};
use serde_json::{Map, Value};

use crate::{
    config::{Auth, Config, Introspection, KeySource, TokenIssuer},
    protocol::error::RpcError,
    request::auth::{
        challenge::{Presented, admit},
        claims,
        introspected::{self, Introspected},
        keys::{KeyProvider, KeySet, Keys, RETRY_AFTER_S},
        operator_tokens::{OperatorTokens, access_token},
        proof::{MAX_PROOF_AGE_S, Proof},
        proof_error::ProofError,
        rejection::Rejection,
        token::{MAX_TOKEN, Token, named_issuer},
        used_proofs::UsedProofs,
    },
};

/// Authenticates callers by the access token of a request: one that the operator issued, or one of an authorization
/// server. `I` is the platform's form of keys ([`KeyProvider::Imported`]).
///
/// It serves one configuration: keys and judgements are kept under the place of their issuer in it.
#[derive(Debug)]
pub struct Authenticator<I> {
    tokens: OperatorTokens,
    keys: RefCell<BTreeMap<usize, Rc<Keys<I>>>>,
    introspected: RefCell<Introspected>,
    used_proofs: RefCell<UsedProofs>,
}

/// The claims of a caller; `None` without a token.
type Admitted<'a> = Option<Cow<'a, Map<String, Value>>>;

/// An access token as a request presents it.
#[derive(Clone, Copy)]
struct Credential<'a> {
    text: &'a str,
    /// The header that holds it alone; `None` for `Authorization`.
    header: Option<&'a str>,
    /// Whether it must come with a proof.
    proof: bool,
}

/// The way in which a token is verified, and the place of its issuer in the configuration.
enum Way<'a> {
    Keys(usize, &'a TokenIssuer, &'a KeySource, Token<'a>),
    Introspection(usize, &'a TokenIssuer, &'a Introspection),
}

impl<I: Default> Authenticator<I> {
    /// Creates an authenticator that accepts these tokens of the operator.
    pub fn new(tokens: OperatorTokens) -> Self {
        let (keys, introspected, used_proofs) = Default::default();
        Self { tokens, keys, introspected, used_proofs }
    }

    /// Returns whether the operator issued tokens.
    pub fn has_operator_tokens(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Returns the claims of the caller; `None` for a request without a token if none is required.
    ///
    /// A token in a header of its own decides, and `Authorization` is then not read. The operator's tokens are checked
    /// before those of authorization servers. The form of a token is checked before its key is looked up, and its
    /// signature before its claims.
    ///
    /// # Errors
    /// 401 and 403 for a token that is rejected, 503 if its issuer cannot be asked for what verifies it.
    pub async fn authenticate<P: KeyProvider<Imported = I>, B>(
        &self,
        provider: &P,
        config: &Config,
        request: &Request<B>,
    ) -> Result<Admitted<'_>, RpcError> {
        let headers = request.headers();
        let Some(auth) = &config.auth else { return Ok(self.tokens.claims(headers)?.map(Cow::Borrowed)) };
        let header = auth.deciding_header(headers);
        if header.is_none() && !auth.reads_authorization() {
            // `Authorization` is not for an issuer, but may be for the operator.
            let claims = self.tokens.claims(headers)?.map(Cow::Borrowed);
            return admit(config, request, claims);
        }
        if header.is_none() && !headers.contains_key(header::AUTHORIZATION) {
            return admit(config, request, None);
        }
        // Boxed as a function of its own, which a new process compiles only when a request carries a token.
        self.authenticate_token(provider, auth, header, request).boxed_local().await
    }

    /// Returns the claims of the token that a request carries in this header, or in `Authorization`.
    async fn authenticate_token<P: KeyProvider<Imported = I>, B>(
        &self,
        provider: &P,
        auth: &Auth,
        header: Option<&str>,
        request: &Request<B>,
    ) -> Result<Admitted<'_>, RpcError> {
        let presented = Presented { in_header: header.is_some(), ..Presented::default() };
        let Some(credential) = Credential::read(request.headers(), header) else {
            return Err(Rejection::Scheme.presented(auth, presented, request));
        };
        let presented = Presented { proof: credential.proof, ..presented };
        let refused = |rejection: Rejection| rejection.presented(auth, presented, request);
        let operators = header.is_none() && !credential.proof;
        if let Some(claims) = operators.then(|| self.tokens.find(credential.text)).flatten() {
            return Ok(Some(Cow::Borrowed(claims)));
        }
        let way = Way::choose(auth, credential).map_err(refused)?;
        let (Way::Keys(_, issuer, ..) | Way::Introspection(_, issuer, _)) = way;
        let refused = |rejection: Rejection| {
            rejection.presented(auth, Presented { issuer: Some(issuer), ..presented }, request)
        };
        let now = provider.now();
        let proof = credential.proof.then(|| Proof::read(request, credential.text, issuer.clock_skew, now));
        let proof = proof.transpose().map_err(refused)?;
        let known = match way {
            Way::Keys(at, _, source, token) => {
                self.verify(provider, (at, source), &token).await?.map_err(refused)?;
                Rc::new(token.into_claims())
            }
            Way::Introspection(at, issuer, endpoint) => {
                let place = (at, issuer, endpoint);
                self.introspect(provider, place, credential.text).await?.map_err(refused)?
            }
        };
        if let Some(proof) = &proof
            && !provider.verify(&I::default(), 0, &proof.key, &proof.token).await
        {
            return Err(refused(Rejection::Proof(ProofError::Signature)));
        }
        // Both may have taken a while.
        let now = provider.now();
        let key = proof.as_ref().map(|proof| proof.thumbprint.as_str());
        claims::check(&known, issuer, now, key).map_err(refused)?;
        if let Some(proof) = proof {
            let expires = proof.made + (issuer.clock_skew + MAX_PROOF_AGE_S) as f64;
            let is_new = self.used_proofs.borrow_mut().insert(proof.id, expires, now as f64 / 1000.0);
            is_new.then_some(()).ok_or_else(|| refused(Rejection::Proof(ProofError::Replayed)))?;
        }
        Ok(Some(Cow::Owned(Rc::unwrap_or_clone(known))))
    }

    /// Checks that a token is signed with a key of its issuer.
    async fn verify<P: KeyProvider<Imported = I>>(
        &self,
        provider: &P,
        (at, source): (usize, &KeySource),
        token: &Token<'_>,
    ) -> Result<Result<(), Rejection>, RpcError> {
        let keys = Rc::clone(self.keys.borrow_mut().entry(at).or_default());
        let set = keys.get(provider, source, false).await?;
        let verified = verify_with(provider, &set, token).await;
        // The key may be newer than the cached set. If the token names no key, only its signature shows that.
        let renews = match verified {
            Err(Rejection::UnknownKey) => true,
            Err(Rejection::KeyType | Rejection::Signature) => token.kid.is_none(),
            _ => false,
        };
        if !renews {
            return Ok(verified);
        }
        let renewed = keys.get(provider, source, true).await?;
        Ok(if Rc::ptr_eq(&set, &renewed) { verified } else { verify_with(provider, &renewed, token).await })
    }

    /// Returns the claims that an authorization server reports of a token, kept for a moment.
    async fn introspect<P: KeyProvider<Imported = I>>(
        &self,
        provider: &P,
        (at, issuer, endpoint): (usize, &TokenIssuer, &Introspection),
        token: &str,
    ) -> Result<Result<Rc<Map<String, Value>>, Rejection>, RpcError> {
        let key = Introspected::key(at, token);
        let kept = self.introspected.borrow_mut().get(&key, provider.now());
        let judgement = match kept {
            Some(judgement) => judgement,
            None => {
                let judged = provider.introspect(endpoint, token).await.and_then(|response| {
                    Ok((introspected::read(&response, &issuer.issuer)?, response.len()))
                });
                let (judgement, length) = judged.map_err(|problem| {
                    provider.note(&format!("the introspection at {}: {problem}", endpoint.url));
                    let message = "the authorization server cannot be asked about the token";
                    let failure = RpcError::internal("introspection", message).retry_after(RETRY_AFTER_S);
                    failure.under(StatusCode::SERVICE_UNAVAILABLE)
                })?;
                self.introspected.borrow_mut().keep(key, judgement.clone(), length, provider.now());
                judgement
            }
        };
        Ok(judgement.ok_or(Rejection::Inactive))
    }
}

impl<'a> Credential<'a> {
    /// Reads the token in a header of its own, or in `Authorization`. A header that occurs twice holds none.
    fn read(headers: &'a HeaderMap, header: Option<&'a str>) -> Option<Self> {
        let Some(name) = header else {
            return access_token(headers).map(|(text, proof)| Self { text, header, proof });
        };
        let mut sent = headers.get_all(name).iter();
        let (Some(value), None) = (sent.next(), sent.next()) else { return None };
        value.to_str().ok().map(|text| Self { text: text.trim(), header, proof: false })
    }
}

impl<'a> Way<'a> {
    /// Chooses the issuer of a token by the `iss` that it names, among those whose tokens its header holds. A token of
    /// another form is opaque, and for the issuer that judges such tokens.
    fn choose(auth: &'a Auth, credential: Credential<'a>) -> Result<Self, Rejection> {
        let Credential { text, header, .. } = credential;
        if text.len() > MAX_TOKEN {
            return Err(Rejection::TooLarge);
        }
        let named = |name: &str| auth.of_header(header).find(|(_, issuer)| issuer.issuer == name);
        let judged = |(at, issuer): (usize, &'a TokenIssuer)| {
            Some(Self::Introspection(at, issuer, issuer.introspection.as_ref()?))
        };
        match Token::read(text) {
            Ok(token) => {
                let name = token.unverified("iss").and_then(Value::as_str);
                let (at, issuer) = name.and_then(named).ok_or(Rejection::Issuer)?;
                match &issuer.jwks {
                    Some(source) => Ok(Self::Keys(at, issuer, source, token)),
                    None => judged((at, issuer)).ok_or(Rejection::Issuer),
                }
            }
            Err(rejection) => {
                let way = match named_issuer(text) {
                    // What keys would verify is refused, not judged elsewhere.
                    Some(name) => named(&name).filter(|(_, issuer)| issuer.jwks.is_none()).and_then(judged),
                    None => auth.of_header(header).find_map(judged),
                };
                way.ok_or(rejection)
            }
        }
    }
}

/// Checks that a token is signed with a key of a set.
async fn verify_with<P: KeyProvider>(
    provider: &P,
    set: &KeySet<P::Imported>,
    token: &Token<'_>,
) -> Result<(), Rejection> {
    for (index, key) in set.jwks.candidates(token)? {
        if provider.verify(&set.imported, index, key, token).await {
            return Ok(());
        }
    }
    Err(Rejection::Signature)
}
