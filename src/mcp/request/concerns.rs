//! The channels by which a client configures its concerns (#1936), and which of them counts.
//!
//! | channel | for | replaces |
//! |---|---|---|
//! | `params.filter.concerns` | this request | name by name what the strongest channel below says; `null` unsets |
//! | `params.filter.concernsRef`, a handle from `updateConcerns` | this request | everything below |
//! | `_meta["dev.mcpsieve/concerns"]`, `_meta.concerns` | this request | everything below |
//! | `updateConcerns` | the rest of a session | what the session had |
//! | `notifications/initialized` | a session that was not updated yet | what `initialize` said |
//! | `initialize` | a session | nothing |
//! | defaults of the server's declarations, with `applyDefault` | every request | nothing, and give way to the URL too |
//!
//! The stateless revision has no session: there `updateConcerns` changes nothing, and hands out what it was
//! given as a handle that later requests name.

use http::Response;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    catalog::Kind,
    concern::{Concerns, Configuration, OnInvalid, limit_error},
    config::Config,
    digest::hex,
    error::{Error, ErrorKind, Ignored},
    filter::{Filter, Narrowing, ParsedFilter, Selection, SettledFilter},
    json::Raw,
    mcp::{
        host::Host,
        http::response::Body,
        protocol::{error::RpcError, message::Message},
        request::{
            context::{Context, Exchange, concerns_of_meta},
            visibility::add_url,
        },
        streams::{
            change::Change,
            session::{ConfiguredConcerns, MAX_CONFIGURED, Session},
        },
    },
    time::short_timestamp,
};

/// How long a handle is good for, in milliseconds: a day.
pub const HANDLE_MS: u64 = 24 * 60 * 60 * 1000;
const PURPOSE: &str = "concerns";

/// What a handle says.
#[derive(Serialize, Deserialize)]
struct ConcernHandle {
    concerns: String,
    /// `serverInfo.version`: declarations may be others in the next.
    version: String,
    principal: String,
    /// Milliseconds since 1970.
    expires: u64,
}

impl<H: Host> Context<'_, H> {
    /// The narrowing of this request, and the filter it applies beside the URL's.
    pub fn narrow(&self) -> Result<(Filter, Narrowing), RpcError> {
        self.narrow_by(self.message.param("filter"))
    }

    /// The narrowing of this request with a filter of its own, or with none, and the filter it applies beside the URL's.
    pub fn narrow_by(&self, filter: Option<Raw<'_>>) -> Result<(Filter, Narrowing), RpcError> {
        let config = self.asked.config;
        let ParsedFilter { mut filter, mut ignored } = match filter {
            Some(raw) => Filter::read(raw)?,
            None => ParsedFilter::default(),
        };
        ignored.extend_from_slice(&self.ignored);
        complete(self, &mut filter)?;
        let SettledFilter { filter, mut narrowing } =
            filter.settle(&self.view, &self.concerns(), config.on_invalid_concern, ignored)?;
        add_url(config, &self.view, &self.url, &mut narrowing);
        Ok((filter, narrowing))
    }
}

/// Completes the concerns of a request's filter with those of the other channels.
pub(crate) fn complete<H: Host>(context: &Context<'_, H>, filter: &mut Filter) -> Result<(), Error> {
    let mut concerns = match filter.concerns_ref.take() {
        Some(handle) => open(context, &handle)?,
        None => match of_meta(context)? {
            Some(concerns) => concerns,
            None => of_session(context.session.as_ref().map(|(_, session)| session)),
        },
    };
    concerns.merge(&filter.concerns);
    let url = &context.url.concerns;
    context.concerns().apply_server_defaults(&mut concerns, url);
    filter.concerns = concerns;
    Ok(())
}

fn of_meta<H: Host>(context: &Context<'_, H>) -> Result<Option<Configuration>, Error> {
    concerns_of_meta(context.message).map(|raw| Configuration::read(raw, "_meta.concerns")).transpose()
}

fn of_session(session: Option<&Session>) -> Configuration {
    let text = session.and_then(|session| session.concerns.as_ref()).map(|known| known.concerns.as_str());
    let raw = text.and_then(|text| Raw::parse(text).ok());
    raw.and_then(|raw| Configuration::read(raw, "concerns").ok()).unwrap_or_default()
}

/// Reads what `initialize` says. Concerns that nobody declares are no error (C-19).
pub(crate) fn initialized_with(
    config: &Config,
    declared: &Concerns,
    message: &Message<'_>,
) -> Result<Option<ConfiguredConcerns>, Error> {
    let Some(raw) = message.param("concerns") else { return Ok(None) };
    let concerns = accept(config, declared, raw)?.text();
    Ok(Some(ConfiguredConcerns { concerns, updated: false }))
}

/// Reads what `notifications/initialized` says. A notification has no answer: what is refused has no effect.
pub(crate) async fn initialized<H: Host>(asked: &Exchange<'_, H>, id: &str, message: &Message<'_>) {
    // A server's concerns are settled when something is listed.
    let declared = &asked.config.concerns;
    let Ok(Some(configured)) = initialized_with(asked.config, declared, message) else { return };
    if let Ok(Some(mut session)) = asked.host.load_session(id).await
        && !session.concerns.as_ref().is_some_and(|known| known.updated)
    {
        session.concerns = Some(configured);
        // The next request finds what was saved, or what was there before.
        _ = asked.host.save_session(id, &session).await;
    }
}

/// Answers `updateConcerns`: in a session by changing it, else with a handle.
pub(crate) async fn update<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let raw = context.message.param("concerns");
    let raw = raw.ok_or_else(|| RpcError::params("`concerns` is required, an object"))?;
    let concerns = accept(context.asked.config, &context.concerns(), raw)?;
    let (effective, ignored) = settle(&context, &concerns)?;
    let handle = match &context.session {
        Some((id, session)) => {
            remember(&context, id, session, &concerns).await?;
            None
        }
        None => Some(handle(&context, &concerns)?),
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

/// A configuration that the declarations do not refuse and that is short enough to be kept.
fn accept(config: &Config, declared: &Concerns, raw: Raw<'_>) -> Result<Configuration, Error> {
    let concerns = Configuration::read(raw, "concerns")?;
    if concerns.text().len() > MAX_CONFIGURED {
        return Err(limit_error("concerns", format!("at most {MAX_CONFIGURED} bytes")));
    }
    if config.on_invalid_concern == OnInvalid::Error {
        declared.settle(&concerns, OnInvalid::Error, |_| true)?;
    }
    Ok(concerns)
}

/// What of a configuration has an effect for this caller.
fn settle<H: Host>(
    context: &Context<'_, H>,
    concerns: &Configuration,
) -> Result<(Configuration, Vec<Ignored>), Error> {
    let Config { on_invalid_concern, .. } = *context.asked.config;
    let declared = context.concerns();
    let filter = Filter { concerns: concerns.clone(), ..Filter::default() };
    let filter = filter.with_server_defaults(&declared, &context.url);
    let SettledFilter { filter: settled, narrowing } =
        filter.settle(&context.view, &declared, on_invalid_concern, Vec::new())?;
    Ok((settled.concerns, narrowing.ignored().to_vec()))
}

/// Changes the session, and tells its client which lists now hold something else.
async fn remember<H: Host>(
    context: &Context<'_, H>,
    id: &str,
    session: &Session,
    concerns: &Configuration,
) -> Result<(), RpcError> {
    let (before, after) = (narrow(context, &of_session(Some(session)))?, narrow(context, concerns)?);
    let configured = ConfiguredConcerns { concerns: concerns.text(), updated: true };
    let session = Session { concerns: Some(configured), ..session.clone() };
    context.asked.host.save_session(id, &session).await?;
    let Some(live) = context.asked.host.live(id) else { return Ok(()) };
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

/// What the session's lists hold under a configuration.
fn narrow<H: Host>(context: &Context<'_, H>, concerns: &Configuration) -> Result<Narrowing, Error> {
    let (concerns, _) = settle(context, concerns)?;
    Ok(Narrowing::new(&context.view, &Filter { concerns, ..context.url.clone() }))
}

/// A handle for later requests of this caller, and until when it is good.
fn handle<H: Host>(context: &Context<'_, H>, concerns: &Configuration) -> Result<(String, String), RpcError> {
    let expires = context.asked.host.now() + HANDLE_MS;
    let handle = ConcernHandle {
        concerns: concerns.text(),
        version: context.asked.config.server.version().to_owned(),
        principal: principal(context),
        expires,
    };
    let content = serde_json::to_vec(&handle)
        .map_err(|error| RpcError::internal("encoding", format!("the handle cannot be written: {error}")))?;
    let until = short_timestamp(expires);
    Ok((context.asked.host.key().seal(PURPOSE, &content), until))
}

fn open<H: Host>(context: &Context<'_, H>, token: &str) -> Result<Configuration, Error> {
    let refuse = |kind, message| Error::new(kind, message).field("filter.concernsRef");
    let content = context.asked.host.key().open(PURPOSE, token);
    let handle: Option<ConcernHandle> = content.and_then(|content| serde_json::from_slice(&content).ok());
    // What is somebody else's is nobody's: no answer tells the two apart.
    let handle = handle
        .filter(|handle| handle.principal == principal(context))
        .ok_or_else(|| refuse(ErrorKind::HandleInvalid, "not a handle of this server for this caller"))?;
    let other = handle.version != context.asked.config.server.version();
    if other || handle.expires <= context.asked.host.now() {
        return Err(refuse(ErrorKind::HandleExpired, "the handle has expired; ask `updateConcerns` again"));
    }
    Configuration::read(Raw::parse(&handle.concerns)?, "concerns")
}

fn principal<H: Host>(context: &Context<'_, H>) -> String {
    hex(context.principal())
}
