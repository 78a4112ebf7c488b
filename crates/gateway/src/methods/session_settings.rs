//! Methods that exist only in sessions and change a session's settings.

use http::Response;

use crate::{
    host::Host,
    methods::capabilities,
    protocol::{
        error::RpcError,
        log_level::{Level, LevelError},
        response::Body,
    },
    request::{
        context::{Context, Exchange},
        resource, session_state,
    },
    session::state::{MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, Session, subscription_limit},
    streams::listeners,
};

/// Answers `logging/setLevel`.
pub(crate) async fn set_level<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let name = context.message.text_param("level")?;
    let level: Level =
        name.parse().map_err(|error: LevelError| RpcError::params(format!("level `{name}`, {error}")))?;
    remember(&context, |session| {
        session.level = Some(level.name().to_owned());
        Ok(())
    })
    .await
}

/// Answers `resources/subscribe` for any URI, because a server may serve unlisted resources. No notification is ever
/// sent about a resource that the caller may not see. The server's refusal is passed on where nothing is hidden. Some
/// servers report updates although they do not announce it.
pub(crate) async fn subscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let uri = context.message.text_param("uri")?.into_owned();
    resource::read(&uri)?;
    match in_own_session(&context, &uri, true).await {
        Ok(true) => {}
        Err(failure) if context.backend.open => return Err(failure),
        Ok(false) | Err(_) if capabilities::subscribes(&context) => {}
        Ok(false) | Err(_) => return Err(RpcError::method(&context.message.method, context.era())),
    }
    let subscribed = |session: &mut Session| {
        session.subscriptions.insert(uri);
        let length: usize = session.subscriptions.iter().map(String::len).sum();
        let fits = session.subscriptions.len() <= MAX_SUBSCRIPTIONS && length <= MAX_SUBSCRIBED;
        if fits { Ok(()) } else { Err(subscription_limit()) }
    };
    resubscribe(&context, subscribed).await
}

/// Answers `resources/unsubscribe`.
pub(crate) async fn unsubscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let uri = context.message.text_param("uri")?;
    // The client needs no updates, whatever the server answers.
    let _ = in_own_session(&context, &uri, false).await;
    resubscribe(&context, |session| {
        session.subscriptions.remove(uri.as_ref());
        Ok(())
    })
    .await
}

/// Subscribes to a resource that the caller may see in the client's own session at its server, or ends the subscription.
/// Returns whether that session reports the updates.
async fn in_own_session<H: Host>(
    context: &Context<'_, H>,
    uri: &str,
    is_wanted: bool,
) -> Result<bool, RpcError> {
    let Exchange { host, config, request, .. } = *context.exchange;
    let Some(streams) = context.session.as_ref().and_then(|(id, _)| host.live(id)) else { return Ok(false) };
    let caller = context.caller.detached(request.uri().query());
    if is_wanted && !listeners::reaches(config, &context.backend, &caller, uri) {
        return Ok(false);
    }
    let is_own = host.subscribe(&context.caller, &streams, uri, is_wanted).await?;
    streams.set_own_subscription(uri, is_own && is_wanted);
    Ok(is_own)
}

async fn resubscribe<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session) -> Result<(), RpcError>,
) -> Result<Response<Body>, RpcError> {
    let answered = remember(context, change).await?;
    let live = context.session.as_ref().and_then(|(id, _)| context.exchange.host.live(id));
    live.into_iter().for_each(|live| live.resubscribed());
    Ok(answered)
}

async fn remember<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session) -> Result<(), RpcError>,
) -> Result<Response<Body>, RpcError> {
    if let Some((id, _)) = &context.session {
        session_state::change(context.exchange.host, id, change).await?;
    }
    context.reply(|_| {})
}
