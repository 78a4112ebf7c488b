//! Updates the stored state of a session.

use crate::{
    host::Host,
    protocol::error::RpcError,
    session::state::{Session, unknown},
};

/// Changes the stored state of a session. It is loaded anew, because another request may have changed or ended the
/// session since this one began.
///
/// # Errors
/// `session_unknown`, the errors of `change`, and those of the store.
pub(crate) async fn change<H: Host>(
    host: &H,
    id: &str,
    change: impl FnOnce(&mut Session) -> Result<(), RpcError>,
) -> Result<(), RpcError> {
    let mut session = host.load_session(id).await?.ok_or_else(unknown)?;
    change(&mut session)?;
    host.save_session(id, &session).await
}
