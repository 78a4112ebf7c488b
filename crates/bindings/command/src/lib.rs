//! The bindings for the package's command. They are in a WebAssembly module of their own, which pages do not load.

mod caller;
mod callers;
mod configuration;
mod connection;
mod deployment;
mod explain;
mod hashes;
mod lint;
mod live;
mod lock;
mod network;
mod roles;
mod secrets;
mod selected;
mod servers;
mod snapshot;
mod values;

pub use configuration::{admits_strangers, locate};
pub use connection::{open_connection, seal_connection};
pub use hashes::{hash_of, hashes};
pub use lint::lint;
pub use live::list_servers;
pub use lock::{canonical, definitions, with_lock};
pub use mcp_sieve_bindings_engine::{Engine, Inbox, Judges, Picker, TaskQuery};
pub use network::Place;
pub use roles::roles;
pub use secrets::names_secret;
pub use selected::{ResultPage, Selected};
pub use snapshot::{snapshot, texts};
