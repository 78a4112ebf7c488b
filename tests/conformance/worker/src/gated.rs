//! The tracker with a gate before and behind each step of its work. Whoever keeps the gate decides whether the
//! process gets any further: so a test can end it at every point there is.

use std::rc::Rc;

use futures_util::{FutureExt, future::LocalBoxFuture};
use mcp_sieve::mcp::{
    RpcError,
    local::{LocalRequest, LocalServer, Reply},
};
use worker::{Fetch, Url};

/// The variable that says where the gate is; with it the tracker is served, and not the fixtures.
pub(crate) const GATE: &str = "GATE";

pub(crate) struct Gated {
    pub(crate) own: Rc<dyn LocalServer>,
    pub(crate) gate: String,
}

impl LocalServer for Gated {
    fn lists(&self) -> String {
        self.own.lists()
    }

    fn config(&self) -> &str {
        r#"{"server": {"name": "sieve-gated", "version": "1.0.0"}}"#
    }

    fn answer(&self, ask: LocalRequest) -> LocalBoxFuture<'static, Result<Reply, RpcError>> {
        let gate = self.gate.clone();
        let own = Rc::clone(&self.own);
        async move {
            pass(&gate, "before").await?;
            let reply = own.answer(ask).await;
            pass(&gate, "behind").await?;
            reply
        }
        .boxed_local()
    }
}

async fn pass(gate: &str, at: &str) -> Result<(), RpcError> {
    let passed = async {
        let url = Url::parse(&format!("{gate}/{at}"))
            .map_err(|error| worker::Error::RustError(error.to_string()))?;
        Fetch::Url(url).send().await
    };
    passed.await.map(|_| ()).map_err(|error| RpcError::internal("gate", format!("the gate: {error}")))
}
