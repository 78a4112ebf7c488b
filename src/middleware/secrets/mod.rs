//! What gives access, in texts: tokens by the beginnings that their givers chose, private keys, the passwords of
//! connection strings, and values that look made by a machine and are called a secret.
//!
//! A token has at least twenty characters in a row that no sign interrupts, so only such runs are read word by word: a
//! word whose first three bytes begin a known token is looked at. So is what stands around `=`, `:`, `://` and `--`.
//! Each look is bounded, so the time is linear.

pub(crate) mod assignment;
pub(crate) mod command_option;
pub(crate) mod connection;
pub(crate) mod kinds;
pub(crate) mod private_key;
pub(crate) mod rules;
pub(crate) mod scanner;
pub(crate) mod secret_name;
pub(crate) mod secret_value;
pub(crate) mod token_runs;
pub(crate) mod tokens;
pub(crate) mod webhook;

pub use scanner::{Secret, Secrets};
