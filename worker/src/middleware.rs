//! Context middleware at the edge: the mounts, the environment of functions, and the operator's documents.

use std::{cell::RefCell, rc::Rc, time::Duration};

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::{Error, catalog::Catalog, time::CivilDate};
use mcp_sieve_gateway::{
    audit::{AuditSink, FunctionRun},
    host::MiddlewareRuntime,
    middleware::{Documents, Environment, Record, Zone},
    mount::{Mount, handle_middleware},
    upstream::Fetch as _,
};
use mcp_sieve_redact::url::may_reach;
use serde_json::{Map, Value};
use worker::{Context, Delay, Env, Fetch, Method, Request, RequestInit, RequestRedirect, Response, Result};

use crate::{
    auth::sha256,
    clock, console,
    deployment::{Deployment, variable},
    fetch::EdgeFetch,
    http::{
        body, convert,
        operator::{Endpoint, admit},
    },
    objects::{
        audit,
        documents::{self, EdgeDocuments},
    },
    time_zone,
};

/// The variable with the token that applications send to the mounts.
const TOKEN: &str = "SIEVE_MIDDLEWARE_TOKEN";
/// The path at which the operator manages documents.
pub(crate) const DOCUMENTS_PATH: &str = "/middleware/documents";
/// The path at which the operator reads stored contexts.
pub(crate) const RECORDS_PATH: &str = "/middleware/records";
/// Maximum number of function calls in one line of the log. Questions during a call run functions too.
const MAX_TREATED: usize = 64;
/// Maximum time, in milliseconds, for a server to answer whether a URL exists.
const REACH_MS: u64 = 5_000;

/// Answers a request below the mounts. Returns `None` if the configuration or the secrets turn them off.
pub(crate) async fn serve(request: &mut Request, env: &Env, context: Context) -> Result<Option<Response>> {
    let path = request.path();
    // Most requests are for other paths.
    if !path.starts_with("/middleware") && !path.starts_with("/interceptors") {
        return Ok(None);
    }
    let Some(token) = variable(env, TOKEN) else { return Ok(None) };
    let deployment = match Deployment::load(env).await {
        Ok(deployment) => deployment,
        Err(failure) => return convert::write(failure.into_response()).map(Some),
    };
    if deployment.config.middleware.is_none() {
        return Ok(None);
    }
    let context = Rc::new(context);
    let message = format!("expected the bearer token of {TOKEN}");
    let endpoint = Endpoint { name: "middleware", digest: &sha256(token.as_bytes()), message };
    let admitted = admit(request, env, &context, endpoint).await;
    if [DOCUMENTS_PATH, RECORDS_PATH].contains(&path.as_str()) {
        return match admitted {
            Err(failure) => convert::write(failure.into_response()).map(Some),
            Ok(()) => documents::manage(request, env, &deployment).await.map(Some),
        };
    }
    let Some(mount) = Mount::at(&deployment.config, &path) else { return Ok(None) };
    let runtime = MiddlewareRuntime {
        registry: Rc::clone(&deployment.offered),
        ..middleware_runtime(&deployment, env, Some(context))
    };
    let read = match admitted {
        Ok(()) => body::whole(request, &deployment, TOKEN).await.map(|(read, lease)| (read, Some(lease))),
        // Its body stays unread: only requests with the token may take memory.
        Err(_) => convert::head(request).map(|head| (head.map(|()| Vec::new()), None)),
    };
    let answered = match read {
        Ok((request, _lease)) => {
            handle_middleware(&deployment.config, &runtime, mount, admitted, &request).await
        }
        Err(failure) => failure.into_response(),
    };
    convert::write(answered).map(Some)
}

/// Returns the functions and the environment of one request.
pub(crate) fn middleware_runtime(
    deployment: &Rc<Deployment>,
    env: &Env,
    context: Option<Rc<Context>>,
) -> MiddlewareRuntime {
    let documents = EdgeDocuments { env: env.clone() };
    let world = RequestEnvironment {
        deployment: Rc::clone(deployment),
        env: env.clone(),
        documents,
        context,
        treated: RefCell::default(),
    };
    let world = Rc::new(world);
    MiddlewareRuntime {
        registry: Rc::clone(&deployment.functions),
        environment: Rc::clone(&world) as _,
        trail: world,
        calls: Rc::clone(&deployment.middleware_calls),
    }
}

struct RequestEnvironment {
    deployment: Rc<Deployment>,
    env: Env,
    documents: EdgeDocuments,
    context: Option<Rc<Context>>,
    /// The effects of functions in this request, for one line of the Worker's log.
    treated: RefCell<Vec<Value>>,
}

impl Environment for RequestEnvironment {
    fn now(&self) -> u64 {
        clock::now()
    }

    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        Delay::from(Duration::from_millis(ms)).boxed_local()
    }

    fn zone(&self, name: &str, ms: u64) -> Option<Zone> {
        time_zone::at(name, ms)
    }

    fn tool(&self, name: &str) -> Option<String> {
        self.deployment.tool(name)
    }

    fn documents(&self) -> Option<&dyn Documents> {
        Some(&self.documents)
    }

    fn reaches<'a>(&'a self, url: &'a str) -> LocalBoxFuture<'a, Option<bool>> {
        async move {
            let allowed = &self.deployment.config.middleware.as_ref()?.reach;
            if !may_reach(allowed, url) {
                return None;
            }
            Some(answers(url).await)
        }
        .boxed_local()
    }

    fn warn(&self, problem: &str) {
        console::warn(&format!("middleware: {problem}"));
    }

    fn record<'a>(&'a self, record: Record<'a>) -> LocalBoxFuture<'a, std::result::Result<String, Error>> {
        async move {
            let keep = self.deployment.config.middleware.as_ref().is_some_and(|middleware| middleware.keep);
            if !keep {
                let message = "contexts are not kept here";
                return Err(Error::failed(message));
            }
            documents::keep(&self.env, &record).await.map_err(|error| {
                console::error(&format!("middleware: a context is not kept: {error}"));
                Error::failed("the context cannot be kept")
            })
        }
        .boxed_local()
    }
}

impl AuditSink for RequestEnvironment {
    fn note(&self, treatment: &FunctionRun<'_>) {
        if let Some(work) = audit::record(&self.env, treatment.operation(self.now())) {
            EdgeFetch::new(self.context.clone()).spawn(work);
        }
        let mut treated = self.treated.borrow_mut();
        if self.deployment.config.log && treated.len() < MAX_TREATED {
            treated.push(treatment.to_json());
        }
    }
}

/// Logs the effects when the request ends.
impl Drop for RequestEnvironment {
    fn drop(&mut self) {
        let treated = self.treated.take();
        if treated.is_empty() {
            return;
        }
        let mut line = Map::new();
        line.insert("time".to_owned(), CivilDate::timestamp(self.now()).into());
        line.insert(format!("{prefix}.middleware", prefix = Catalog::PREFIX), treated.into());
        console::log(line);
    }
}

/// Returns whether a URL exists. It does not if the server is slow or cannot be reached. A redirect counts as existing.
async fn answers(url: &str) -> bool {
    let mut init = RequestInit::new();
    init.with_method(Method::Head).with_redirect(RequestRedirect::Manual);
    let Ok(request) = Request::new_with_init(url, &init) else { return false };
    let late = Delay::from(Duration::from_millis(REACH_MS));
    let answered = Fetch::Request(request);
    let answered = std::pin::pin!(answered.send());
    match futures_util::future::select(answered, late).await {
        // A server that rejects HEAD reveals nothing about the URL.
        futures_util::future::Either::Left((Ok(response), _)) => {
            matches!(response.status_code(), 200..=399 | 401 | 403 | 405 | 429)
        }
        _ => false,
    }
}
