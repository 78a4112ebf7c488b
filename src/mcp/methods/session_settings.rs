//! Methods that exist only in sessions and change a session's settings.

use http::Response;

use crate::mcp::{
    host::Host,
    http::response::Body,
    protocol::{
        error::RpcError,
        log_level::{Level, LevelError},
    },
    request::{context::Context, resource},
    streams::session::{MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, Session, subscription_limit},
};

/// Answers `logging/setLevel`.
pub(crate) async fn set_level<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let name = context.message.text_param("level")?;
    let level: Level =
        name.parse().map_err(|error: LevelError| RpcError::params(format!("level `{name}`, {error}")))?;
    remember(&context, |session| session.level = Some(level.name().to_owned())).await
}

/// Answers `resources/subscribe` for any URI, because a server may serve unlisted resources. No notification is ever
/// sent about a resource that the caller may not see.
pub(crate) async fn subscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let uri = context.message.text_param("uri")?.into_owned();
    resource::read(&uri)?;
    let held = context.session.iter().flat_map(|(_, session)| &session.subscriptions);
    let others = held.filter(|held| **held != uri);
    let (count, length) =
        others.fold((1, uri.len()), |(count, length), held| (count + 1, length + held.len()));
    if count > MAX_SUBSCRIPTIONS || length > MAX_SUBSCRIBED {
        return Err(subscription_limit());
    }
    resubscribe(&context, |session| _ = session.subscriptions.insert(uri)).await
}

/// Answers `resources/unsubscribe`.
pub(crate) async fn unsubscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, RpcError> {
    let uri = context.message.text_param("uri")?;
    resubscribe(&context, |session| _ = session.subscriptions.remove(uri.as_ref())).await
}

async fn resubscribe<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session),
) -> Result<Response<Body>, RpcError> {
    let answered = remember(context, change).await?;
    let live = context.session.as_ref().and_then(|(id, _)| context.asked.host.live(id));
    live.into_iter().for_each(|live| live.resubscribed());
    Ok(answered)
}

async fn remember<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session),
) -> Result<Response<Body>, RpcError> {
    if let Some((id, session)) = &context.session {
        let mut session = session.clone();
        change(&mut session);
        context.asked.host.save_session(id, &session).await?;
    }
    context.reply(|_| {})
}
