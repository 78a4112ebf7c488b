use crate::{mcp::protocol::error::RpcError, seal::Key};

/// Randomness, and the key of this deployment.
pub trait Secrets {
    /// Sixteen unguessable bytes.
    ///
    /// # Errors
    /// When the platform has none to give.
    fn random(&self) -> Result<[u8; 16], RpcError>;

    /// The key that seals what callers carry back.
    fn key(&self) -> &Key;
}
