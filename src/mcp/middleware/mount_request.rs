//! A request at one of the two mounts, and what the methods of both do with it.

use http::Response;

use crate::{
    config::Config,
    error::Error,
    json::{self, Raw},
    mcp::{
        http::response::{self, Body, Cache, ResultShape},
        middleware::runtime::{FunctionRun, MiddlewareRuntime},
        protocol::message::Message,
    },
    middleware::{Content, Mode, Outcome, Report},
};

/// Where context middleware is served.
pub const MIDDLEWARE_PATH: &str = "/middleware";
/// Where the same functions are served as interceptors.
pub const INTERCEPTORS_PATH: &str = "/interceptors";
/// For how long, and for whom, a list or a description may be kept.
pub(crate) const CACHE: Cache = Cache { ttl_ms: 0, private: true };

/// Which of the two mounts a request came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mount {
    /// [`MIDDLEWARE_PATH`].
    Middleware,
    /// [`INTERCEPTORS_PATH`].
    Interceptors,
}

impl Mount {
    /// The mount at a path, if the file turns it on.
    pub fn at(config: &Config, path: &str) -> Option<Self> {
        let middleware = config.middleware.as_ref()?;
        match path {
            MIDDLEWARE_PATH => Some(Self::Middleware),
            INTERCEPTORS_PATH if middleware.interceptors => Some(Self::Interceptors),
            _ => None,
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Middleware => "middleware",
            Self::Interceptors => "interceptors",
        }
    }
}

/// What the methods of a mount need.
pub(crate) struct MountRequest<'a> {
    pub workshop: &'a MiddlewareRuntime,
    pub mount: Mount,
    pub message: &'a Message<'a>,
    pub id: Raw<'a>,
    pub shape: ResultShape<'a>,
}

/// What a function did.
pub(crate) struct Run<'a> {
    pub outcome: Result<Outcome<'a>, Error>,
    pub changed: bool,
    /// Milliseconds that it took.
    pub ms: u64,
}

impl MountRequest<'_> {
    /// Runs a function, and writes to the audit trail what it did.
    pub async fn run<'c>(&'c self, name: &str, arguments: Option<Raw<'c>>, content: Content<'c>) -> Run<'c> {
        let MiddlewareRuntime { registry, environment, trail, .. } = self.workshop;
        let begun = environment.now();
        let before = content.clone();
        // A name that is none could be anything, and is not for the trail.
        let known = registry.names().find(|known| *known == name).unwrap_or_default();
        let outcome = registry.apply(name, arguments, content, &**environment).await;
        let mut report = Report::before(known, Mode::Enforce, &before);
        match &outcome {
            Ok(outcome) => report.after(&before, outcome),
            Err(error) => report.ended = Some(error.code()),
        }
        let ms = environment.now().saturating_sub(begun);
        let (mount, method) = (self.mount.name(), self.message.method.as_ref());
        trail.note(&FunctionRun { mount, method, principal: None, report: &report, ms });
        Run { outcome, changed: report.changed, ms }
    }

    /// A result. What is `kept` may be kept for no time, by its caller alone; the rest is no matter of caches.
    pub fn written(&self, kept: bool, body: impl FnOnce(&mut json::Object<'_>)) -> Response<Body> {
        response::json(response::write(self.id, &self.shape, kept.then_some(CACHE), body))
    }
}
