//! The channels by which a client configures its concerns (#1936), and their precedence. Strongest first:
//!
//! | channel | scope | replaces |
//! |---|---|---|
//! | `params.filter.concerns` | this request | single concerns of the strongest channel below; `null` unsets one |
//! | `params.filter.concernsRef`, a handle from `updateConcerns` | this request | everything below |
//! | `_meta["dev.mcpsieve/concerns"]`, `_meta.concerns` | this request | everything below |
//! | `updateConcerns` | the rest of a session | the session's earlier concerns |
//! | `notifications/initialized` | a session before its first update | the concerns of `initialize` |
//! | `initialize` | a session | nothing |
//! | server-declared defaults, with `applyDefault` | every request | nothing; concerns of the URL override them too |
//! | server-declared defaults, with `applyDefaults` | requests with a concern of another channel or the URL | the same |
//!
//! The stateless revision has no session. There, `updateConcerns` changes nothing; it returns a handle for its
//! concerns, which later requests can name.

use http::Response;
use mcp_sieve::{
    Digest, Error, ErrorKind, Filter, Ignored, Kind,
    concern::{Concerns, Configuration, OnInvalid},
    filter::{Narrowing, ParsedFilter, Selection, SettledFilter},
    json::Raw,
    time::CivilDate,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    config::Config,
    host::Host,
    protocol::{error::RpcError, message::Message, response::Body},
    request::{
        context::{Context, Exchange, concerns_of_meta},
        session_state,
        visibility::add_url,
    },
    session::{
        change::Change,
        state::{ConfiguredConcerns, MAX_CONFIGURED, Session},
    },
};

/// Lifetime of a handle, in milliseconds: one day.
pub const HANDLE_MS: u64 = 24 * 60 * 60 * 1000;
const PURPOSE: &str = "concerns";

/// The content of a handle.
#[derive(Serialize, Deserialize)]
struct ConcernHandle {
    concerns: String,
    /// `serverInfo.version` when the handle was issued. Another version may declare other concerns.
    version: String,
    principal: String,
    /// Time of expiry, in milliseconds since 1970.
    expires: u64,
}

impl<H: Host> Context<'_, H> {
    /// Returns the filter of this request, without the URL's, and the narrowing that both produce.
    pub fn narrow(&self) -> Result<(Filter, Narrowing), RpcError> {
        self.narrow_by(self.message.param("filter"))
    }

    /// Returns `filter` with the concerns of all channels, and the narrowing that it produces with the URL's filter.
    /// `None` is an empty filter.
    pub fn narrow_by(&self, filter: Option<Raw<'_>>) -> Result<(Filter, Narrowing), RpcError> {
        let config = self.exchange.config;
        let ParsedFilter { mut filter, mut ignored, .. } = match filter {
            Some(raw) => Filter::read(raw, config.engine.on_unknown_member)?,
            None => ParsedFilter::default(),
        };
        ignored.extend_from_slice(&self.ignored);
        complete(self, &mut filter, &mut ignored)?;
        let SettledFilter { filter, mut narrowing } =
            filter.settle(&self.view, &self.concerns(), config.engine.on_invalid_concern, ignored)?;
        add_url(config, &self.view, &self.url, &mut narrowing);
        Ok((filter, narrowing))
    }
}

/// Completes the concerns of a request's filter with those of the other channels. Values of the filter that have no
/// effect are added to `ignored`; they replace none of another channel.
pub(crate) fn complete<H: Host>(
    context: &Context<'_, H>,
    filter: &mut Filter,
    ignored: &mut Vec<Ignored>,
) -> Result<(), Error> {
    let mut concerns = match filter.concerns_ref.take() {
        Some(handle) => open_handle(context, &handle)?,
        None => match of_meta(context)? {
            Some(concerns) => concerns,
            None => of_session(context.session.as_ref().map(|(_, session)| session)),
        },
    };
    let on_invalid = context.exchange.config.engine.on_invalid_concern;
    let (own, dropped) = filter.settled_concerns(&context.concerns(), on_invalid)?;
    ignored.extend(dropped);
    concerns.merge(&own);
    filter.concerns = concerns;
    filter.server_defaults = Some(context.url.concerns.clone());
    Ok(())
}

/// Sets the concerns in force of the caller, if the operator forwards concerns to a server. Invalid ones have no effect,
/// because a call without them would succeed.
pub(crate) fn forward<H: Host>(context: &mut Context<'_, H>) {
    if !context.exchange.config.forwards_concerns() {
        return;
    }
    let mut concerns = context.url.concerns.clone();
    match of_meta(context) {
        Ok(Some(own)) => concerns.merge(&own),
        _ => concerns.merge(&of_session(context.session.as_ref().map(|(_, session)| session))),
    }
    let settled = settle(context, &concerns).map(|(settled, _)| settled).unwrap_or_default();
    context.caller.concerns = if settled.is_empty() { "".into() } else { settled.text().into() };
}

fn of_meta<H: Host>(context: &Context<'_, H>) -> Result<Option<Configuration>, Error> {
    concerns_of_meta(context.message).map(|raw| Configuration::read(raw, "_meta.concerns")).transpose()
}

fn of_session(session: Option<&Session>) -> Configuration {
    let text = session.and_then(|session| session.concerns.as_ref()).map(|known| known.concerns.as_str());
    let raw = text.and_then(|text| Raw::parse(text).ok());
    raw.and_then(|raw| Configuration::read(raw, "concerns").ok()).unwrap_or_default()
}

/// Reads the concerns of `initialize`. Undeclared concerns are not an error (C-19).
pub(crate) fn initialized_with(
    config: &Config,
    declared: &Concerns,
    message: &Message<'_>,
) -> Result<Option<ConfiguredConcerns>, Error> {
    let Some(raw) = message.param("concerns") else { return Ok(None) };
    let concerns = accept(config, declared, raw)?.text();
    Ok(Some(ConfiguredConcerns { concerns, updated: false }))
}

/// Stores the concerns of `notifications/initialized` in the session, unless `updateConcerns` has set them. A
/// notification has no response, so invalid concerns are ignored.
pub(crate) async fn initialized<H: Host>(exchange: &Exchange<'_, H>, id: &str, message: &Message<'_>) {
    // Concerns that a server declares are checked later, when a list is requested.
    let declared = &exchange.config.engine.concerns;
    let Ok(Some(configured)) = initialized_with(exchange.config, declared, message) else { return };
    if let Ok(Some(mut session)) = exchange.host.load_session(id).await
        && !session.concerns.as_ref().is_some_and(|known| known.updated)
    {
        session.concerns = Some(configured);
        // If saving fails, the next request finds the earlier concerns.
        _ = exchange.host.save_session(id, &session).await;
    }
}

/// Responds to `updateConcerns`. In a session it changes the session's concerns; otherwise it returns a handle.
pub(crate) async fn update<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let raw = context.message.param("concerns");
    let raw = raw.ok_or_else(|| RpcError::params("`concerns` is required, an object"))?;
    let concerns = accept(context.exchange.config, &context.concerns(), raw)?;
    let (effective, ignored) = settle(&context, &concerns)?;
    let handle = match &context.session {
        Some((id, session)) => {
            remember(&context, id, session, &concerns).await?;
            None
        }
        None => Some(issue_handle(&context, &concerns)?),
    };
    context.reply(|result| {
        result.raw("concerns", effective.text().as_bytes());
        if let Some((token, expires)) = &handle {
            result.text("concernsRef", token);
            result.text("expiresAt", expires);
        }
        if !ignored.is_empty() {
            let ignored: Vec<Value> =
                ignored.iter().map(|part| json!({"field": part.field, "reason": part.reason})).collect();
            result.raw("ignored", json!(ignored).to_string().as_bytes());
        }
    })
}

/// Reads a configuration of at most [`MAX_CONFIGURED`] bytes, and checks it against the declarations if invalid
/// concerns are an error.
fn accept(config: &Config, declared: &Concerns, raw: Raw<'_>) -> Result<Configuration, Error> {
    let concerns = Configuration::read(raw, "concerns")?;
    if concerns.text().len() > MAX_CONFIGURED {
        return Err(Error::filter_limit("concerns", format!("at most {MAX_CONFIGURED} bytes")));
    }
    if config.engine.on_invalid_concern == OnInvalid::Error {
        declared.settle(&concerns, OnInvalid::Error, |_| true)?;
    }
    Ok(concerns)
}

/// Returns the concerns that have an effect for this caller, and the parts that have none.
fn settle<H: Host>(
    context: &Context<'_, H>,
    concerns: &Configuration,
) -> Result<(Configuration, Vec<Ignored>), Error> {
    let on_invalid_concern = context.exchange.config.engine.on_invalid_concern;
    let declared = context.concerns();
    let filter = Filter { concerns: concerns.clone(), ..Filter::default() };
    let filter = filter.with_server_defaults(&context.url);
    let SettledFilter { filter: settled, narrowing } =
        filter.settle(&context.view, &declared, on_invalid_concern, Vec::new())?;
    Ok((settled.concerns, narrowing.ignored().to_vec()))
}

/// Stores the concerns in the session and notifies its client of the lists that they change.
async fn remember<H: Host>(
    context: &Context<'_, H>,
    id: &str,
    session: &Session,
    concerns: &Configuration,
) -> Result<(), RpcError> {
    let (before, after) = (narrow(context, &of_session(Some(session)))?, narrow(context, concerns)?);
    let configured = ConfiguredConcerns { concerns: concerns.text(), updated: true };
    session_state::change(context.exchange.host, id, |session| {
        session.concerns = Some(configured);
        Ok(())
    })
    .await?;
    let Some(live) = context.exchange.host.live(id) else { return Ok(()) };
    let differs = |kind: Kind| {
        let (mut one, mut other) = (Selection::default(), Selection::default());
        let view = &context.view;
        view.select(&before, kind, &mut one) != view.select(&after, kind, &mut other)
    };
    let changes = [
        (Change::Tools, differs(Kind::Tool)),
        (Change::Resources, differs(Kind::Resource) || differs(Kind::Template)),
        (Change::Prompts, differs(Kind::Prompt)),
    ];
    live.announce(changes.into_iter().filter(|(_, differs)| *differs).map(|(change, _)| change));
    Ok(())
}

/// Returns the narrowing of the session's lists under a configuration.
fn narrow<H: Host>(context: &Context<'_, H>, concerns: &Configuration) -> Result<Narrowing, Error> {
    let (concerns, _) = settle(context, concerns)?;
    Ok(Narrowing::new(&context.view, &Filter { concerns, ..context.url.clone() }))
}

/// Returns a handle that later requests of this caller can use, and its time of expiry.
fn issue_handle<H: Host>(
    context: &Context<'_, H>,
    concerns: &Configuration,
) -> Result<(String, String), RpcError> {
    let expires = context.exchange.host.now() + HANDLE_MS;
    let handle = ConcernHandle {
        concerns: concerns.text(),
        version: context.exchange.config.server.version().to_owned(),
        principal: principal(context),
        expires,
    };
    let content = serde_json::to_vec(&handle)
        .map_err(|error| RpcError::internal("encoding", format!("the handle cannot be written: {error}")))?;
    let until = CivilDate::short_timestamp(expires);
    Ok((context.exchange.host.key().seal(PURPOSE, &content), until))
}

/// Returns the concerns of a handle.
///
/// # Errors
/// A text that is no handle of this caller, and a handle that has expired.
fn open_handle<H: Host>(context: &Context<'_, H>, token: &str) -> Result<Configuration, Error> {
    let refuse = |kind, message| Error::new(kind, message).field("filter.concernsRef");
    let content = context.exchange.host.key().open(PURPOSE, token);
    let handle: Option<ConcernHandle> = content.and_then(|content| serde_json::from_slice(&content).ok());
    // A handle of another caller gets the same error as invalid text, so the error does not reveal that it exists.
    let handle = handle
        .filter(|handle| handle.principal == principal(context))
        .ok_or_else(|| refuse(ErrorKind::HandleInvalid, "not a handle of this server for this caller"))?;
    let other = handle.version != context.exchange.config.server.version();
    if other || handle.expires <= context.exchange.host.now() {
        return Err(refuse(ErrorKind::HandleExpired, "the handle has expired; ask `updateConcerns` again"));
    }
    Configuration::read(Raw::parse(&handle.concerns)?, "concerns")
}

fn principal<H: Host>(context: &Context<'_, H>) -> String {
    Digest::hex(context.principal())
}
