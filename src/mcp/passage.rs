//! What calls go through on their way to a server and back, where the operator's file says so. No client has a
//! part in it.
//!
//! A call that is bound so begins no task, and its client hears no notification meanwhile: either would bring it
//! something that went through nothing.

use std::{cell::RefCell, rc::Rc};

use futures_util::{StreamExt, stream::LocalBoxStream};
use http::StatusCode;
use serde_json::json;

use super::{Event, Failure, Host, Workshop, context::Context, failure::INVALID_PARAMS, workshop::Treatment};
use crate::{
    json::{self, Members, Object, Raw, push_array},
    middleware::{Chain, Content, Handles},
};

/// Stands for a tool's call or result that is about to be treated.
const CALL: &str = "tool_use";
const RESULT: &str = "tool_result";
/// The id of the item that holds what is text and no content: arguments, structured results, questions.
const BESIDE: &str = "dev.mcpsieve/beside";

/// One call, from its arguments to its result.
pub(super) struct Passage {
    workshop: Workshop,
    method: String,
    principal: Option<String>,
    back: Vec<Chain>,
    /// What the handles of this call stand for: they are forgotten with it.
    handles: RefCell<Handles>,
}

impl Passage {
    /// Sends the arguments of a call through what binds it; none where nothing does. Gives the parameters as they
    /// go on.
    ///
    /// # Errors
    /// A function that failed, and a call that was refused.
    pub async fn begin<H: Host>(
        context: &Context<'_, H>,
        params: Option<&str>,
    ) -> Result<Option<(Self, Option<String>)>, Failure> {
        let method = context.message.method.as_ref();
        let Some(middleware) = &context.asked.config.middleware else { return Ok(None) };
        let presets = &context.caller.presets;
        let binding: Vec<_> =
            middleware.chains.iter().filter(|mandate| mandate.binds(method, presets)).collect();
        if binding.is_empty() {
            return Ok(None);
        }
        let none = || Failure::internal("middleware", "there are no functions that calls could go through");
        let passage = Self {
            workshop: context.asked.host.workshop().ok_or_else(none)?,
            method: method.to_owned(),
            principal: context.caller.principal().map(Into::into),
            back: binding.iter().map(|mandate| mandate.response.clone()).collect(),
            handles: RefCell::default(),
        };
        let members = params.and_then(Members::parse).unwrap_or_default();
        let Some(arguments) = members.get("arguments") else {
            return Ok(Some((passage, params.map(str::to_owned))));
        };
        let mut content = beside(CALL, &[("arguments", arguments)])?;
        for mandate in &binding {
            content = passage.through(&mandate.request, content).await?;
        }
        let (rest, treated) = apart(&content);
        let treated = treated.filter(|_| rest.is_empty()).ok_or_else(misshapen)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (key, value) in &members.0 {
            let new = treated.get(key).filter(|_| key == "arguments");
            object.raw(key, new.unwrap_or(*value).get().as_bytes());
        }
        object.close();
        Ok(Some((passage, String::from_utf8(out).ok())))
    }

    /// The messages that answer the call, the response as it comes out.
    pub fn over(self, events: LocalBoxStream<'static, Event>) -> LocalBoxStream<'static, Event> {
        if self.back.iter().all(|chain| chain.steps.is_empty()) {
            return events;
        }
        let passage = Rc::new(self);
        events
            .filter_map(move |event| {
                let passage = Rc::clone(&passage);
                async move { passage.event(event).await }
            })
            .boxed_local()
    }

    async fn event(&self, event: Event) -> Option<Event> {
        match event {
            Event::Notification(_) => None,
            Event::Result(result) => Some(match self.result(&result).await {
                Ok(result) => Event::Result(result),
                Err(failure) => Event::Error(failure),
            }),
            Event::Error(failure) => Some(Event::Error(self.error(failure).await)),
        }
    }

    async fn result(&self, result: &[u8]) -> Result<Vec<u8>, Failure> {
        let source = std::str::from_utf8(result).map_err(|_| misshapen())?;
        let members = Members::parse(source).ok_or_else(misshapen)?;
        let kind = members.get("resultType").and_then(json::text);
        if kind.is_some_and(|kind| kind == "task") || members.get("task").is_some() {
            let message = "what becomes a task cannot go through the functions that this call has to";
            return Err(Failure::internal("middleware", message));
        }
        let laid = Laid::out(&self.method, &members)?;
        let mut content = laid.content;
        for chain in &self.back {
            content = self.through(chain, content).await?;
        }
        let (items, treated) = apart(&content);
        let treated = treated.ok_or_else(misshapen)?;
        let array = laid.rooms.fill(&items)?;
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        for (key, value) in &members.0 {
            match treated.get(key) {
                _ if *key == laid.member => object.raw(key, array.as_bytes()),
                Some(treated) => object.raw(key, treated.get().as_bytes()),
                None => object.raw(key, value.get().as_bytes()),
            }
        }
        object.close();
        Ok(out)
    }

    /// What a server says in refusing goes the same way as what it answers.
    async fn error(&self, failure: Failure) -> Failure {
        let told = json!({"message": failure.message, "data": failure.data}).to_string();
        let treat = async {
            let members = Members::parse(&told).ok_or_else(misshapen)?;
            let parts: Vec<_> = members.0.iter().map(|(key, value)| (key.as_ref(), *value)).collect();
            let mut content = beside(RESULT, &parts)?;
            for chain in &self.back {
                content = self.through(chain, content).await?;
            }
            let (_, treated) = apart(&content);
            let treated = treated.ok_or_else(misshapen)?;
            let message = treated.get("message").and_then(json::text).ok_or_else(misshapen)?.into_owned();
            let data = treated.get("data").and_then(|data| serde_json::from_str(data.get()).ok()).flatten();
            Ok(Failure { message, data, ..failure.clone() })
        };
        treat.await.unwrap_or_else(|failed: Failure| failed)
    }

    async fn through(&self, chain: &Chain, content: Content<'static>) -> Result<Content<'static>, Failure> {
        let Workshop { registry, environment, trail, .. } = &self.workshop;
        let (begun, mut reports) = (environment.now(), Vec::new());
        let mut handles = self.handles.take();
        let ran = chain.run(registry, content, &mut handles, &**environment, &mut reports).await;
        self.handles.replace(handles);
        let ms = environment.now().saturating_sub(begun);
        for report in &reports {
            let (method, principal) = (self.method.as_str(), self.principal.as_deref());
            trail.note(&Treatment { mount: "gateway", method, principal, report, ms });
        }
        // A function that failed tells the operator how, and the client that it did.
        let failed = |_| Failure::internal("middleware", "a function that this call goes through has failed");
        let ran = ran.map_err(failed)?;
        match ran.refusal {
            None => Ok(ran.content),
            Some(refusal) => Err(Failure::new(
                StatusCode::OK,
                INVALID_PARAMS,
                format!("refused: {}", refusal.message),
                json!({"reason": "middleware_refused", "refusal": refusal.reason}),
            )),
        }
    }
}

/// A result, as the content that functions see.
struct Laid {
    content: Content<'static>,
    /// The member of the result that the items are of.
    member: &'static str,
    rooms: Rooms,
}

/// Where the items of a content go back to.
enum Rooms {
    /// An array that takes as many as there are.
    Array,
    /// Messages of a prompt, each written with its content at the place of this one.
    Messages(Vec<String>),
    /// Contents of resources, so many.
    Resources(usize),
}

impl Laid {
    fn out(method: &str, members: &Members<'_>) -> Result<Self, Failure> {
        let member = match method {
            "prompts/get" => "messages",
            "resources/read" => "contents",
            _ => "content",
        };
        let given = members.get(member).map(|raw| json::elements(raw).ok_or_else(misshapen)).transpose()?;
        let given = given.unwrap_or_default();
        let mut items = Vec::new();
        let rooms = match member {
            "messages" => {
                let mut messages = Vec::new();
                for message in given {
                    let read = Members::read(message).ok_or_else(misshapen)?;
                    let content = read.get("content").ok_or_else(misshapen)?;
                    items.push(content.get().to_owned());
                    messages.push(message.get().to_owned());
                }
                Rooms::Messages(messages)
            }
            "contents" => {
                items.extend(
                    given.iter().map(|raw| format!(r#"{{"type":"resource","resource":{}}}"#, raw.get())),
                );
                Rooms::Resources(given.len())
            }
            _ => {
                items.extend(given.iter().map(|raw| raw.get().to_owned()));
                Rooms::Array
            }
        };
        let besides = ["structuredContent", "inputRequests", "description"];
        let parts: Vec<_> = besides.iter().filter_map(|key| Some((*key, members.get(key)?))).collect();
        items.push(beside(RESULT, &parts)?.items().next().unwrap_or_default().to_owned());
        let source = format!("[{}]", items.join(","));
        let content = Raw::parse(&source).and_then(Content::read).map_err(|_| misshapen())?.into_owned();
        Ok(Self { content, member, rooms })
    }
}

impl Rooms {
    fn fill(&self, items: &[&str]) -> Result<String, Failure> {
        let mut out = Vec::new();
        match self {
            Self::Array => push_array(&mut out, items, |out, item| out.extend_from_slice(item.as_bytes())),
            Self::Messages(messages) if messages.len() == items.len() => {
                push_array(&mut out, messages.iter().zip(items), |out, (message, item)| {
                    let members = Members::parse(message).unwrap_or_default();
                    let mut object = Object::open(out);
                    for (key, value) in &members.0 {
                        let value = if key == "content" { item } else { value.get() };
                        object.raw(key, value.as_bytes());
                    }
                    object.close();
                });
            }
            Self::Resources(count) if *count == items.len() => {
                let contents = items.iter().map(|item| Members::parse(item)?.get("resource"));
                let contents: Vec<Raw<'_>> = contents.collect::<Option<_>>().ok_or_else(misshapen)?;
                push_array(&mut out, contents, |out, raw| out.extend_from_slice(raw.get().as_bytes()));
            }
            _ => return Err(misshapen()),
        }
        String::from_utf8(out).map_err(|_| misshapen())
    }
}

/// An item of what is text and no content.
fn beside(kind: &str, parts: &[(&str, Raw<'_>)]) -> Result<Content<'static>, Failure> {
    let mut out = b"[".to_vec();
    let mut item = Object::open(&mut out);
    item.text("type", kind);
    item.text("id", BESIDE);
    let held = if kind == CALL { "input" } else { "structuredContent" };
    let mut object = Object::open(item.value(held));
    parts.iter().for_each(|(key, value)| object.raw(key, value.get().as_bytes()));
    object.close();
    item.close();
    out.push(b']');
    let source = String::from_utf8(out).map_err(|_| misshapen())?;
    Raw::parse(&source).and_then(Content::read).map(Content::into_owned).map_err(|_| misshapen())
}

/// The items of a content, and the members of the one [beside](beside) them.
fn apart<'a>(content: &'a Content<'_>) -> (Vec<&'a str>, Option<Members<'a>>) {
    let (mut items, mut found) = (Vec::new(), None);
    for item in content.items() {
        let members = Members::parse(item).unwrap_or_default();
        let id = members.get("id").and_then(json::text);
        let held = members.get("input").or_else(|| members.get("structuredContent"));
        match held.filter(|_| id.is_some_and(|id| id == BESIDE)).and_then(Members::read) {
            Some(members) if found.is_none() => found = Some(members),
            _ => items.push(item),
        }
    }
    (items, found)
}

/// What came out of the functions is no call or result any more.
fn misshapen() -> Failure {
    Failure::internal("middleware", "what a function made of this call cannot go on")
}
