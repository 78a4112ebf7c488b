//! A request at one of the two middleware endpoints.

use http::Response;
use mcp_sieve::{
    Error,
    json::{self, Raw},
};

use crate::{
    config::Config,
    host::runtime::{FunctionRun, MiddlewareRuntime},
    middleware::{Content, Mode, Outcome, Report},
    protocol::{
        message::Message,
        response::{self, Body, Cache, ResultShape},
    },
};

/// The path of context middleware.
pub const MIDDLEWARE_PATH: &str = "/middleware";
/// The path at which the same functions are served as interceptors.
pub const INTERCEPTORS_PATH: &str = "/interceptors";
/// The cache settings of lists and descriptions.
pub(crate) const CACHE: Cache = Cache { ttl_ms: 0, private: true };

/// An endpoint for middleware functions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mount {
    /// The endpoint at [`MIDDLEWARE_PATH`].
    Middleware,
    /// The endpoint at [`INTERCEPTORS_PATH`].
    Interceptors,
}

impl Mount {
    /// Returns the endpoint at a path, if the configuration enables it.
    pub fn at(config: &Config, path: &str) -> Option<Self> {
        let middleware = config.middleware.as_ref()?;
        match path {
            MIDDLEWARE_PATH => Some(Self::Middleware),
            INTERCEPTORS_PATH if middleware.interceptors => Some(Self::Interceptors),
            _ => None,
        }
    }

    /// Returns the name of the endpoint.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Middleware => "middleware",
            Self::Interceptors => "interceptors",
        }
    }
}

/// A request at an endpoint, with everything that its methods need.
pub(crate) struct MountRequest<'a> {
    pub runtime: &'a MiddlewareRuntime,
    pub mount: Mount,
    pub message: &'a Message<'a>,
    pub id: Raw<'a>,
    pub shape: ResultShape<'a>,
}

/// The result of running a function.
pub(crate) struct Run<'a> {
    pub outcome: Result<Outcome<'a>, Error>,
    pub changed: bool,
    /// The duration in milliseconds.
    pub ms: u64,
}

impl MountRequest<'_> {
    /// Runs a function, and records the run in the audit trail.
    pub async fn run<'c>(&'c self, name: &str, arguments: Option<Raw<'c>>, content: Content<'c>) -> Run<'c> {
        let MiddlewareRuntime { registry, environment, trail, .. } = self.runtime;
        let begun = environment.now();
        let before = content.clone();
        // An unknown name could be any text, so it is not written to the trail.
        let known = registry.names().find(|known| *known == name).unwrap_or_default();
        let outcome = registry.apply(name, arguments, content, &**environment).await;
        let mut report = Report::before(known, Mode::Enforce, &before);
        match &outcome {
            Ok(outcome) => report.after(&before, outcome),
            Err(error) => report.ended = Some(error.code().into()),
        }
        let ms = environment.now().saturating_sub(begun);
        let (mount, method) = (self.mount.name(), self.message.method.as_ref());
        trail.note(&FunctionRun { mount, method, principal: None, report: &report, ms });
        Run { outcome, changed: report.changed, ms }
    }

    /// Returns a response with a result. `kept` is whether the result has cache settings.
    pub fn written(&self, kept: bool, body: impl FnOnce(&mut json::Object<'_>)) -> Response<Body> {
        response::json(response::write(self.id, &self.shape, kept.then_some(CACHE), body))
    }
}
