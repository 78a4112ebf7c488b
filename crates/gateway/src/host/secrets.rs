//! The trait for a host's random numbers and signing key.

use mcp_sieve::seal::Key;

use crate::protocol::error::RpcError;

/// The random numbers and the key of a deployment.
pub trait Secrets {
    /// Returns sixteen unguessable bytes.
    ///
    /// # Errors
    /// Fails if the platform cannot provide random bytes.
    fn random(&self) -> Result<[u8; 16], RpcError>;

    /// Returns the key that seals the data which clients send back later.
    fn key(&self) -> &Key;
}
