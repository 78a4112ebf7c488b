//! The Model Context Protocol over HTTP, as a function from a request to a reply.
//!
//! [`handle`] takes one HTTP request and gives one response: JSON, a stream of events, or a refusal. It
//! does no I/O of its own; what needs the world goes through [`Host`]. Both living eras are served at one
//! endpoint: the stateless revision 2026-07-28 and the handshake revisions before it, told apart by the
//! request itself.

mod aliases;
mod asker;
mod audit;
mod backend;
mod batch;
mod caller;
mod calls;
mod capabilities;
mod change;
mod checks;
mod concerns;
mod context;
mod emit;
mod envelope;
mod errand;
mod explain;
mod facets;
mod failure;
mod gateway;
mod gathered;
mod handle;
mod handshake;
mod headers;
mod host;
mod hub;
pub mod identity;
mod intake;
mod interceptors;
mod legacy;
mod level;
mod listen;
mod lists;
mod live;
mod marks;
mod message;
mod meter;
mod methods;
mod middleware;
mod notification;
mod origin;
pub mod own;
mod param_headers;
mod params;
mod parked;
mod passage;
mod plain;
mod presets;
mod printable;
mod questions;
mod reply;
mod resource;
mod rounds;
mod route;
mod seen;
mod session;
mod sight;
mod state;
mod suspended;
mod tasks;
pub mod upstream;
mod upstreams;
mod version;
mod workshop;

pub use asker::Asker;
pub use audit::{
    AUDIT_DELAY_MS, AUDIT_LAPSE_MS, AuditBuffer, MAX_AUDIT_LINES, MAX_AUDIT_NAMES, MAX_AUDIT_TEXT, Operation,
};
pub use backend::Backend;
pub use batch::MAX_BATCH;
pub use caller::{Caller, principal};
pub use change::Change;
pub use concerns::{Configured, HANDLE_MS};
pub use failure::Failure;
pub use gateway::{Gateway, MAX_FIRST_PAUSE_MS, Served, State, Status, Survey, Trouble};
pub use gathered::gathered;
pub use handle::{handle, turn_away};
pub use handshake::home;
pub use headers::SESSION_ID as SESSION_HEADER;
pub use host::{Answer, Call, Event, Fresh, Host, Question, ROUTE_MS, Reply, Turn, Wanted, Wish};
pub use hub::{Hub, MAX_LISTENERS, MAX_LISTENERS_PER_CALLER, MAX_UNKNOWN_LISTENERS};
pub use intake::{
    BODY_MS, BODY_PACE, Intake, Lease, MAX_BODIES, MAX_BODY, MAX_CALLER_BODIES, Reading, SMALL_BODIES,
    SMALL_BODY, content_length,
};
pub use level::Level;
pub use live::{Entry, EventId, Journal, Live, MAX_EVENT, MAX_EVENTS, MAX_READ};
pub use marks::MAX_MARK_DEPTH;
pub use meter::{LEASE_MS, Meter, Weight, network, too_much};
pub use middleware::{INTERCEPTORS_PATH, MIDDLEWARE_PATH, Mount, middleware};
pub use origin::check_host;
pub use parked::{MAX_PARKED, PARKED_MS, Parked, Room, room};
pub use plain::{PLAIN_PATH, plain};
pub use presets::MCP_PATH;
pub use printable::{printable, printable_json};
pub use reply::Body;
pub use session::{MAX_CLIENT, MAX_CONFIGURED, MAX_SUBSCRIBED, MAX_SUBSCRIPTIONS, Session};
pub use tasks::{Applied, MAX_LOOKED, MAX_PAGE, MAX_TTL_MS, Tasks, Work};
pub use version::Version;
pub use workshop::{Allowance, Trail, Treatment, Workshop};
