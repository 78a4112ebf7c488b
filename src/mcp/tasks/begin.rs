//! A call becomes a task.

use std::rc::Rc;

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::{StreamExt, stream::LocalBoxStream};
use serde_json::json;

use super::{Tasks, Work, owner::owner};
use crate::{
    json::Object,
    mcp::{Event, Failure, Host, Turn, Wish, context::Context, errand::Errand, own::Plan},
    task::{Era, State, Task},
};

/// The extension that a client of the stateless revision declares to be given tasks.
pub(in crate::mcp) const EXTENSION: &str = "io.modelcontextprotocol/tasks";
/// Longest time for which a task is kept, in milliseconds; what is asked beyond that gets this.
pub const MAX_TTL_MS: u64 = 7 * 24 * 60 * 60 * 1000;
/// How many milliseconds apart it is worth asking for a task that does not say.
const POLL_MS: u64 = 500;

/// What there is to say of a call, should it become a task.
#[derive(Clone)]
pub(in crate::mcp) struct Origin {
    /// That its caller takes one.
    pub wish: Option<Wish>,
    era: Era,
    id: String,
    owner: String,
    method: String,
    name: String,
    store: Rc<dyn Tasks>,
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Origin").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

impl Origin {
    /// That of a call, where there are tasks at all.
    pub fn of<H: Host>(context: &Context<'_, H>, wish: Option<Wish>) -> Result<Option<Self>, Failure> {
        let method = context.message.method.as_ref();
        let Some(store) = context.asked.host.tasks().filter(|_| method == "tools/call") else {
            return Ok(None);
        };
        let id = URL_SAFE_NO_PAD.encode(context.asked.host.random()?);
        Ok(Some(Self {
            wish,
            era: era(context),
            owner: owner(context, &id),
            id,
            method: method.to_owned(),
            name: context.message.text_param("name")?.into_owned(),
            store,
        }))
    }

    /// The turns of the call, where what becomes a task is answered with that.
    pub fn begun<H: Host>(
        &self,
        host: &H,
        errand: &Errand,
        turns: LocalBoxStream<'static, Turn>,
    ) -> LocalBoxStream<'static, Turn> {
        let (origin, host) = (self.clone(), host.clone());
        let work = Work {
            params: errand
                .params
                .as_deref()
                .and_then(|params| serde_json::from_str(params).ok())
                .unwrap_or_default(),
            capabilities: errand.asker.capabilities.clone(),
            principal: errand.caller().principal().map(Into::into),
            state: None,
            wait_ms: 0,
        };
        turns
            .then(move |turn| {
                let (origin, work, now) = (origin.clone(), work.clone(), host.now());
                async move {
                    match turn {
                        Turn::Task(plan) => match origin.begin(plan, work, now).await {
                            Ok(result) => Turn::Event(Event::Result(result)),
                            Err(failure) => Turn::Event(Event::Error(failure)),
                        },
                        other => other,
                    }
                }
            })
            .boxed_local()
    }

    /// Keeps the task, and tells its caller of it.
    async fn begin(self, plan: Plan, work: Work, now: u64) -> Result<Vec<u8>, Failure> {
        let wish = self.wish.ok_or_else(|| lacking(self.era, &self.name))?;
        let task = Task {
            id: self.id,
            owner: self.owner,
            method: self.method,
            name: self.name,
            remote: None,
            state: State::Working,
            message: plan.message,
            created: now,
            updated: now,
            ttl: Some(plan.ttl.or(wish.ttl).map_or(MAX_TTL_MS, |ttl| ttl.min(MAX_TTL_MS))),
            poll: Some(plan.poll.unwrap_or(POLL_MS)),
            questions: Vec::new(),
            outcome: None,
        };
        self.store
            .create(task.clone(), Some(Work { state: plan.state, wait_ms: plan.wait_ms, ..work }))
            .await?;
        Ok(created(&task, self.era))
    }
}

/// The result of a call that became a task.
fn created(task: &Task, era: Era) -> Vec<u8> {
    let mut out = Vec::new();
    let mut result = Object::open(&mut out);
    match era {
        Era::Modern => {
            result.text("resultType", "task");
            task.show(era, &mut result);
        }
        Era::Legacy => {
            let mut inner = Object::open(result.value("task"));
            task.show(era, &mut inner);
            inner.close();
        }
    }
    result.close();
    out
}

/// What a caller is told that takes no task, by a tool that makes nothing else.
pub(in crate::mcp) fn lacking(era: Era, name: &str) -> Failure {
    match era {
        Era::Modern => Failure::capability(json!({"extensions": {EXTENSION: {}}})),
        Era::Legacy => {
            Failure::task_support(format!("tool `{name}` runs only as a task: call it with `task`"))
        }
    }
}

/// How the caller reads tasks.
pub(in crate::mcp) fn era<H: Host>(context: &Context<'_, H>) -> Era {
    if context.modern() { Era::Modern } else { Era::Legacy }
}
