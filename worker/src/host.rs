use std::sync::Arc;

use mcp_sieve::{
    catalog::{Catalog, Lists, Source},
    json::{Members, Raw},
    mcp::{Answer, Backend, Call, Failure, Host, Session},
    policy::Guarded,
    seal::Key,
};
use serde_json::{Value, json};
use worker::{Date, Env, Method};

use crate::{
    fetch::EdgeFetch,
    isolate::Isolate,
    objects::{lost, send, session},
    secret, tracker,
};

/// The world of one request at the edge.
#[derive(Debug)]
pub(crate) struct EdgeHost<'a> {
    pub isolate: &'a Isolate,
    pub env: &'a Env,
}

impl Host for EdgeHost<'_> {
    fn now(&self) -> u64 {
        Date::now().as_millis()
    }

    fn random(&self) -> Result<[u8; 16], Failure> {
        secret::random().map_err(|error| lost("random bytes", &error))
    }

    fn key(&self) -> &Key {
        &self.isolate.key
    }

    async fn backend(&self) -> Result<Arc<Backend>, Failure> {
        if let Some(backend) = self.isolate.kept(self.now()) {
            return Ok(backend);
        }
        let (listed, ttl_ms, completions) = match &self.isolate.upstream {
            Some(upstream) => {
                let listing = upstream.lists(&EdgeFetch).await?;
                (listing.lists, listing.ttl_ms, listing.completions)
            }
            None => (format!("[{}]", tracker::lists().join(",")), u64::MAX, true),
        };
        let backend = Arc::new(self.compile(&listed, completions)?);
        self.isolate.keep(&backend, self.now().saturating_add(ttl_ms));
        Ok(backend)
    }

    async fn forward(&self, call: &Call<'_>) -> Result<Answer, Failure> {
        match &self.isolate.upstream {
            Some(upstream) => upstream.call(&EdgeFetch, call).await,
            None => self.ask_tracker(call).await.map_err(|error| lost("the tracker", &error))?,
        }
    }

    async fn load_session(&self, id: &str) -> Result<Option<Session>, Failure> {
        let read = async {
            let mut response = send(&session(self.env, id)?, Method::Get, "/", None).await?;
            if response.status_code() == 404 { Ok(None) } else { response.text().await.map(Some) }
        };
        let Some(text) = read.await.map_err(|error| lost("the session", &error))? else { return Ok(None) };
        let session = serde_json::from_str(&text);
        session.map(Some).map_err(|error| Failure::internal("storage", format!("the session: {error}")))
    }

    async fn save_session(&self, id: &str, kept: &Session) -> Result<(), Failure> {
        let text = serde_json::to_string(kept)
            .map_err(|error| Failure::internal("storage", format!("the session: {error}")))?;
        let write = async { send(&session(self.env, id)?, Method::Put, "/", Some(text)).await };
        write.await.map(|_| ()).map_err(|error| lost("the session", &error))
    }

    async fn end_session(&self, id: &str) -> Result<bool, Failure> {
        let end = async { send(&session(self.env, id)?, Method::Delete, "/", None).await };
        let response = end.await.map_err(|error| lost("the session", &error))?;
        Ok(response.status_code() != 404)
    }
}

impl EdgeHost<'_> {
    fn compile(&self, listed: &str, completions: bool) -> Result<Backend, Failure> {
        let config = &self.isolate.config;
        let lists = Lists::read(listed)
            .map_err(|error| Failure::internal("upstream_catalog", format!("the lists behind: {error}")))?;
        let catalog =
            Catalog::compile(&[Source { server: &config.upstream.name, lists }], &config.assignments);
        for report in catalog.reports() {
            worker::console_warn!("catalog: {} `{}`: {}", report.kind, report.name, report.problem);
        }
        Ok(Backend { guarded: Guarded::new(catalog, config.policies.clone()), completions })
    }

    async fn ask_tracker(&self, call: &Call<'_>) -> worker::Result<Result<Answer, Failure>> {
        let params = call.params.map_or("{}", Raw::get);
        let question = format!("{{\"method\":{},\"params\":{params}}}", json!(call.method));
        let stub = self.env.durable_object("TRACKER")?.get_by_name("tracker")?;
        let text = send(&stub, Method::Post, "/", Some(question)).await?.text().await?;
        Ok(read_answer(&text).ok_or_else(|| Failure::internal("storage", "the tracker gave no answer")))
    }
}

/// `{"result": …}` or `{"error": {"code", "message", "data"?}}`.
fn read_answer(text: &str) -> Option<Answer> {
    let members = Members::parse(text)?;
    if let Some(result) = members.get("result") {
        return Some(Answer::Result(result.get().as_bytes().to_vec()));
    }
    let mut error: Value = serde_json::from_str(members.get("error")?.get()).ok()?;
    let data = error.get_mut("data").map(Value::take);
    Some(Answer::Error(Failure::relayed(error.get("code")?.as_i64()?, error.get("message")?.as_str()?, data)))
}
