//! Methods that only sessions know: they change what the session remembers.

use http::Response;

use super::{Failure, Host, Level, Session, context::Context, methods, reply::Body, resource};

/// Most resources that a session subscribes to.
const MAX_SUBSCRIPTIONS: usize = 256;

/// Answers `logging/setLevel`.
pub(super) async fn set_level<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, Failure> {
    let name = context.message.text_param("level")?;
    let level: Level = name
        .parse()
        .map_err(|()| Failure::params(format!("level `{name}`, expected one of {}", Level::names())))?;
    remember(&context, |session| session.level = Some(level.name().to_owned())).await
}

/// Answers `resources/subscribe`: for any URI, since a server may serve what it does not list. Of what its caller
/// may not see nothing is ever told.
pub(super) async fn subscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, Failure> {
    let uri = context.message.text_param("uri")?.into_owned();
    resource::read(&uri)?;
    let held = context.session.as_ref().map_or(0, |(_, session)| session.subscriptions.len());
    if held >= MAX_SUBSCRIPTIONS {
        return Err(Failure::params(format!(
            "a session subscribes to no more than {MAX_SUBSCRIPTIONS} resources"
        )));
    }
    resubscribe(&context, |session| _ = session.subscriptions.insert(uri)).await
}

/// Answers `resources/unsubscribe`.
pub(super) async fn unsubscribe<H: Host>(context: Context<'_, H>) -> Result<Response<Body>, Failure> {
    let uri = context.message.text_param("uri")?;
    resubscribe(&context, |session| _ = session.subscriptions.remove(uri.as_ref())).await
}

async fn resubscribe<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session),
) -> Result<Response<Body>, Failure> {
    let answered = remember(context, change).await?;
    let live = context.session.as_ref().and_then(|(id, _)| context.asked.host.live(id));
    live.into_iter().for_each(|live| live.resubscribed());
    Ok(answered)
}

async fn remember<H: Host>(
    context: &Context<'_, H>,
    change: impl FnOnce(&mut Session),
) -> Result<Response<Body>, Failure> {
    if let Some((id, session)) = &context.session {
        let mut session = session.clone();
        change(&mut session);
        context.asked.host.save_session(id, &session).await?;
    }
    methods::written(context, |_| {})
}
