//! The state of one deployment in an isolate: the configuration, the keys and the catalog.

use std::{cell::RefCell, rc::Rc, sync::Arc};

use futures_util::FutureExt;
use http::Request;
use mcp_sieve::{Digest, Error, Kind, catalog::Catalog, expr::NoCaller, seal::Key};
use mcp_sieve_gateway::{
    auth::{Authenticator, OperatorTokens},
    config::{Config, ListScope, Middleware, Upstream, is_host_name},
    error::RpcError,
    host::RankerState,
    limits::RateLimiter,
    local::LocalServer,
    middleware::Registry,
    remote::RemoteServers,
    server::Intake,
    tasks::PollTurns,
    upstream::{Backend, Gateway},
};
use worker::Env;

use crate::{
    auth::{Claims, EdgeKeys, ImportedKeys},
    config_source::{ConfigSources, file},
    fetch::EdgeFetch,
    http::answer_cache::AnswerCache,
    local,
    objects::catalog::{self, SharedCatalog},
    signing_key,
};

/// Minimum length, in bytes, of a key in `SIEVE_KEY`. Shorter keys could be guessed, and with them the ids of sessions.
const MIN_KEY_BYTES: usize = 16;
/// The variable with the digest of the operator's token.
pub(crate) const OPERATOR: &str = "SIEVE_OPERATOR";
/// Maximum number of refused bodies whose rest is read at once. Their pieces are garbage until they are collected.
const MAX_LINGERING: usize = 2;

/// The reason code of a gateway without a server.
const NO_SERVER: &str = "upstream_missing";

thread_local! {
    /// The deployment that the isolate serves. Its bindings are read once.
    static DEPLOYMENT: RefCell<Option<Rc<Deployment>>> = const { RefCell::new(None) };
}

/// The configuration, the keys and the catalog, which outlive a request.
#[derive(Debug)]
pub(crate) struct Deployment {
    pub config: Config,
    pub key: Key,
    /// The upstream servers. Without any, the Worker's own server answers, if it has one ([`local`]).
    pub gateway: Option<Arc<Gateway>>,
    /// The catalog of the upstream servers, which all isolates share.
    pub shared: SharedCatalog,
    /// Whether a Durable Object keeps the catalog. If not, each isolate lists the servers itself.
    pub has_catalog_object: bool,
    /// The circuit breaker of the ranker.
    pub ranker: RankerState,
    /// The functions of context middleware.
    pub functions: Rc<Registry>,
    /// The functions that the mounts offer.
    pub offered: Rc<Registry>,
    /// The rate limit of the mounts of context middleware.
    pub middleware_calls: Rc<RefCell<RateLimiter>>,
    /// The turns of streams that poll upstream tasks.
    pub polls: Rc<PollTurns>,
    /// The request bodies in memory.
    pub intake: Rc<Intake>,
    /// Counts the refused bodies whose rest is being read, by its references.
    lingering: Rc<()>,
    /// The cache of responses that are the same for every caller.
    pub answers: RefCell<AnswerCache>,
    /// The upstream servers whose `auth` requests tokens, with the URLs of the deployment.
    pub sign_in_servers: Vec<Upstream>,
    connection_names: RefCell<Option<Rc<Key>>>,
    authenticator: Authenticator<ImportedKeys>,
    backend: RefCell<Option<CachedBackend>>,
}

#[derive(Debug, Clone)]
struct CachedBackend {
    backend: Arc<Backend>,
    /// When the catalog expires, in milliseconds since 1970.
    until: u64,
}

impl Deployment {
    /// Returns the deployment of this isolate, which its first request builds.
    ///
    /// # Errors
    /// When the configuration, a variable or a key cannot be used. Every request returns the error until the deployment
    /// is corrected.
    pub async fn load(env: &Env) -> Result<Rc<Self>, RpcError> {
        if let Some(deployment) = Self::built() {
            return Ok(deployment);
        }
        let text = |name: &str| variable(env, name);
        let url = text("UPSTREAM_URL");
        let (inline, file) = (text("SIEVE_CONFIG"), file());
        let config = read_config(env, inline.as_deref(), file.as_deref(), url.is_some())?;
        let key = match text("SIEVE_KEY") {
            Some(text) => keys(&text)?,
            None => Key::new(&signing_key::stored_key(env).boxed_local().await?).ok_or_else(unusable)?,
        };
        if let Some(digest) = text(OPERATOR) {
            check_digest(&digest)?;
        }
        let [functions, offered] = functions(&config, env)?;
        let servers = config.deployed_upstreams("UPSTREAM_URL", url.as_deref()).map_err(refused)?;
        let version = [env!("CARGO_PKG_VERSION"), &Catalog::SNAPSHOT_VERSION.to_string()].join(" ");
        let texts = [Some(version.as_str()), inline.as_deref(), file.as_deref(), url.as_deref()];
        let mut compiled_from = Digest::new();
        texts.into_iter().for_each(|text| compiled_from.part(text.unwrap_or_default().as_bytes()));
        let gateway = Some(&servers)
            .filter(|servers| !servers.is_empty())
            .map(|servers| Gateway::new(servers, &|name| variable(env, name)))
            .transpose()?;
        // Only the object that stores the catalog records which server had a name first.
        gateway.iter().for_each(Gateway::forget_names);
        let deployment = Rc::new(Self {
            shared: SharedCatalog::new(compiled_from.end()),
            has_catalog_object: env.durable_object(catalog::BINDING).is_ok(),
            offered: Rc::new(offered),
            ranker: RankerState::default(),
            functions: Rc::new(functions),
            middleware_calls: Rc::default(),
            gateway: gateway.map(Arc::new),
            key,
            authenticator: Authenticator::new(match text("SIEVE_TOKENS") {
                Some(source) => operator_tokens(&source)?,
                None => OperatorTokens::default(),
            }),
            config,
            polls: Rc::default(),
            intake: Rc::default(),
            lingering: Rc::default(),
            sign_in_servers: servers.into_iter().filter(|server| server.auth.kind.needs_tokens()).collect(),
            connection_names: RefCell::default(),
            answers: RefCell::default(),
            backend: RefCell::default(),
        });
        DEPLOYMENT.set(Some(Rc::clone(&deployment)));
        Ok(deployment)
    }

    /// Fails if there is neither an upstream server nor one of the Worker's own.
    ///
    /// # Errors
    /// `upstream_missing`, with a message that says how to configure one.
    pub fn require_server(&self, env: &Env) -> Result<(), RpcError> {
        if self.gateway.is_some() { Ok(()) } else { local_server(env).map(drop) }
    }

    /// Returns the claims of the caller that sent `request`.
    ///
    /// # Errors
    /// 401 for an unknown token, as [`Authenticator::authenticate`].
    pub async fn identify(&self, env: &Env, request: &Request<()>) -> Result<Option<Claims<'_>>, RpcError> {
        self.authenticator.authenticate(&EdgeKeys(env), &self.config, request).await
    }

    /// Returns the bindings, if tokens for upstream servers are requested with them.
    pub fn connections(&self, env: &Env) -> Option<Env> {
        (!self.sign_in_servers.is_empty()).then(|| env.clone())
    }

    /// Returns whether a server lists to each caller on its own.
    pub fn lists_callers(&self, server: &str) -> bool {
        let mut servers = self.config.upstream_settings().iter();
        servers.any(|known| known.name == server && known.list_scope() == ListScope::Caller)
    }

    /// Returns the key of the names of objects with connections. It is stored with them, and never changes.
    ///
    /// # Errors
    /// When the storage fails.
    pub async fn connection_names(&self, env: &Env) -> Result<Rc<Key>, RpcError> {
        if let Some(key) = self.connection_names.borrow().clone() {
            return Ok(key);
        }
        let stored = signing_key::stored_key(env).boxed_local().await?;
        let key = Rc::new(Key::new(&stored).ok_or_else(unusable)?);
        self.connection_names.replace(Some(Rc::clone(&key)));
        Ok(key)
    }

    /// Returns whether the operator issued tokens.
    pub fn takes_tokens(&self) -> bool {
        self.authenticator.has_operator_tokens()
    }

    /// Counts a refused body whose rest is read, until the result is dropped. Returns `None` beyond [`MAX_LINGERING`].
    pub fn linger(&self) -> Option<Rc<()>> {
        (Rc::strong_count(&self.lingering) <= MAX_LINGERING).then(|| Rc::clone(&self.lingering))
    }

    /// Returns the catalog, if it has not expired at `now`.
    pub fn kept(&self, now: u64) -> Option<Arc<Backend>> {
        self.backend.borrow().as_ref().filter(|kept| now < kept.until).map(|kept| Arc::clone(&kept.backend))
    }

    /// Returns the catalog for a list, if it is current and no other object has to be asked.
    pub fn current(&self, now: u64) -> Option<Arc<Backend>> {
        let Some(gateway) = &self.gateway else { return self.kept(now) };
        let current = self.has_catalog_object && self.shared.is_current(now) && !gateway.has_changed();
        if current { gateway.held() } else { None }
    }

    /// Returns the deployment of this isolate, if a request has built it.
    pub fn built() -> Option<Rc<Self>> {
        DEPLOYMENT.with_borrow(Clone::clone)
    }

    /// Marks the kept catalog as expired.
    pub fn expire(&self) {
        match self.has_catalog_object {
            true => self.shared.expire(),
            false => self.gateway.iter().for_each(|gateway| gateway.expire()),
        }
        if let Some(kept) = self.backend.borrow_mut().as_mut() {
            kept.until = 0;
        }
    }

    /// Returns the hash of the kept catalog, expired or not.
    pub fn held(&self) -> Option<u128> {
        let own = || self.backend.borrow().as_ref().map(|kept| Arc::clone(&kept.backend));
        let held = self.gateway.as_deref().map_or_else(own, Gateway::held);
        held.map(|backend| backend.hash())
    }

    /// Returns the JSON of a tool in the catalog that callers without a token may see.
    pub fn tool(&self, name: &str) -> Option<String> {
        let own = || self.backend.borrow().as_ref().map(|kept| Arc::clone(&kept.backend));
        let backend = self.gateway.as_deref().map_or_else(own, Gateway::held)?;
        let view = backend.guarded.view(&NoCaller);
        let found = view.find(Kind::Tool, name)?;
        String::from_utf8(view.catalog().kind_index(Kind::Tool).bytes(found)?.to_vec()).ok()
    }

    /// Marks the kept catalog as expired, unless it has this hash.
    pub fn expire_unless(&self, catalog: u128) {
        if self.held() != Some(catalog) {
            self.expire();
        }
    }

    /// Keeps a catalog until a time, in milliseconds since 1970.
    pub fn keep(&self, backend: &Arc<Backend>, until: u64) {
        self.backend.replace(Some(CachedBackend { backend: Arc::clone(backend), until }));
    }
}

/// Returns the configuration: that of the first source that has one, with the variables that override members of it.
fn read_config(
    env: &Env,
    inline: Option<&str>,
    file: Option<&str>,
    has_upstream: bool,
) -> Result<Config, RpcError> {
    let local = local::server(env);
    let local = local.as_ref().map(|server| server.config());
    let mut config = ConfigSources { variable: inline, file, local, upstream: has_upstream }.read()?;
    if let Some(hosts) = variable(env, "SIEVE_HOSTS") {
        let hosts: Vec<String> = hosts.split(',').map(|host| host.trim().to_owned()).collect();
        if let Some(host) = hosts.iter().find(|host| !is_host_name(host)) {
            return Err(unknown_host(host));
        }
        config.hosts.extend(hosts);
    }
    if let Some(transport) = variable(env, "SIEVE_TRANSPORT") {
        config.transport = transport.parse().map_err(|_| unknown_transport())?;
    }
    if variable(env, "SIEVE_ONE_USER").is_some() {
        config.serve_one_user();
    }
    Ok(config)
}

/// Returns the Worker's own server, for requests that no upstream server takes.
///
/// # Errors
/// `upstream_missing` if the Worker has none: the message says how to configure an upstream server.
pub(crate) fn local_server(env: &Env) -> Result<Rc<dyn LocalServer>, RpcError> {
    local::server(env).ok_or_else(|| {
        let message = "no MCP server is configured behind this gateway: name one in `upstream` or `upstreams` of \
                       sieve.jsonc, or in the variable UPSTREAM_URL; docs/configuration.md of the package mcp-sieve \
                       explains both";
        RpcError::internal(NO_SERVER, message)
    })
}

/// Reads the tokens of the operator.
#[inline(never)]
fn operator_tokens(source: &str) -> Result<OperatorTokens, RpcError> {
    OperatorTokens::parse("SIEVE_TOKENS", source)
}

/// Parses one key or a JSON array of keys. The first one seals; the others only open what they sealed earlier. White
/// space around the text, such as the line end of a mounted secret, does not belong to a key.
fn keys(text: &str) -> Result<Key, RpcError> {
    let text = text.trim();
    if text.starts_with('[') {
        return several_keys(text);
    }
    Key::rotated(&[text.as_bytes()]).filter(|_| text.len() >= MIN_KEY_BYTES).ok_or_else(unusable)
}

#[inline(never)]
fn several_keys(text: &str) -> Result<Key, RpcError> {
    let several: Vec<String> = serde_json::from_str(text).map_err(|_| unusable())?;
    let several: Vec<&[u8]> = several.iter().map(|key| key.trim().as_bytes()).collect();
    let long = several.iter().all(|key| key.len() >= MIN_KEY_BYTES);
    Key::rotated(&several).filter(|_| long).ok_or_else(unusable)
}

fn unknown_host(host: &str) -> RpcError {
    let message = format!("SIEVE_HOSTS: expected host names such as `mcp.example`, got `{host}`");
    RpcError::internal("config", message)
}

fn unknown_transport() -> RpcError {
    RpcError::internal("config", "SIEVE_TRANSPORT: expected `http` or `stdio`")
}

fn unusable() -> RpcError {
    let message = format!(
        "SIEVE_KEY: expected a secret of at least {MIN_KEY_BYTES} bytes, or a JSON array of 1 to {max} of them",
        max = Key::MAX_KEYS
    );
    RpcError::internal("config", message)
}

/// Fails if the digest of the operator's token is malformed. No token would match it, and the operator would be locked
/// out.
#[inline(never)]
fn check_digest(digest: &str) -> Result<(), RpcError> {
    if digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Ok(());
    }
    let message = format!(
        "{OPERATOR}: expected the SHA-256 of the operator's token as 64 hex digits, found {} characters that are not",
        digest.chars().count()
    );
    Err(RpcError::internal("config", message))
}

/// Returns the functions that chains can call, and those that the mounts offer. Without middleware there are neither
/// chains nor mounts.
fn functions(config: &Config, env: &Env) -> Result<[Registry; 2], RpcError> {
    match &config.middleware {
        Some(middleware) => registries(middleware, env),
        None => Ok(Default::default()),
    }
}

/// Implements [`functions`] for a configuration with middleware. Most deployments have none, and need not compile this
/// function at their start.
#[inline(never)]
fn registries(middleware: &Middleware, env: &Env) -> Result<[Registry; 2], RpcError> {
    let own = local::functions(middleware).map_err(refused)?;
    let servers = RemoteServers::new(&middleware.servers, &|name| variable(env, name), &EdgeFetch::default());
    let mut all = own.clone();
    let added = servers.and_then(|servers| servers.add_named(middleware.named_functions(), &mut all));
    added.and_then(|()| middleware.check(&all)).map_err(refused)?;
    // The mounts pass a context on to another server only if the operator names the function.
    let offered = middleware.functions.as_ref().map_or(own, |names| all.clone().only(names));
    Ok([all, offered])
}

/// Converts a contradiction of settings, which every request reports until it is resolved.
fn refused(error: Error) -> RpcError {
    RpcError::internal("config", error.to_string())
}

/// Returns a variable or secret of the Worker as text, if it is not empty.
pub(crate) fn variable(env: &Env, name: &str) -> Option<String> {
    env.var(name).map(|value| value.to_string()).ok().filter(|text| !text.is_empty())
}
