//! Secrets in texts: tokens with known prefixes, private keys, passwords in connection strings, and random values that
//! are assigned to the name of a secret.
//!
//! A token has at least twenty characters in a row without another sign, so only such runs are read word by word. A
//! word is examined if its first three bytes begin a known token. The text around `=`, `:`, `://` and `--` is examined
//! too. Each of these steps reads a bounded number of bytes, so the time is linear.

pub(crate) mod assignment;
pub(crate) mod command_option;
pub(crate) mod connection;
pub(crate) mod kinds;
pub(crate) mod private_key;
pub(crate) mod rules;
pub(crate) mod scanner;
pub(crate) mod secret_name;
pub(crate) mod secret_value;
pub(crate) mod setting_name;
pub(crate) mod token_runs;
pub(crate) mod tokens;
pub(crate) mod webhook;

pub use scanner::{Secret, Secrets};
pub use setting_name::names_secret;
