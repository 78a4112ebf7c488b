//! The configuration file `sieve.jsonc`: rules that assign groups, tags and concerns, and policies that decide what
//! each caller sees.

mod acknowledged;
mod audit;
mod auth;
mod capabilities;
mod claim;
mod deployed;
mod disclosed_groups;
mod disclosure;
mod drafts;
mod history;
mod host_name;
mod limits;
mod lint;
mod local_process;
mod locate;
mod middleware;
mod middleware_server;
mod number;
mod passed_method;
mod renamed_lists;
mod renames;
mod request;
mod settings;
mod transport;
mod upstream;
mod variable;
mod wire;

pub use crate::{
    concern::{Concern, Order, Range, Scalar, Values},
    json::Number,
};
pub(crate) use auth::CLOCK_SKEW_S;
pub use settings::Config;

// Hidden from the documentation and excluded from semver: only the other crates of this repository use these.
#[doc(hidden)]
pub use audit::Audit;
#[doc(hidden)]
pub use auth::{Auth, KeySource};
#[doc(hidden)]
pub use capabilities::{Capabilities, MAX_CAPABILITIES, MAX_CAPABILITIES_SIZE};
#[doc(hidden)]
pub use claim::{MAX_CLAIM_VALUES, deciding_claim};
#[doc(hidden)]
pub use disclosed_groups::{MAX_DISCLOSED_GROUPS, MAX_DISCLOSED_NAME};
#[doc(hidden)]
pub use disclosure::{DEFAULT_BUDGET, Disclosure};
#[doc(hidden)]
pub use drafts::{CARD_NAME, Drafts, ServerCard};
#[doc(hidden)]
pub use history::{Fate, History, Verdict, histories};
#[doc(hidden)]
pub use host_name::is_host_name;
#[doc(hidden)]
pub use limits::{Limits, Rate};
#[doc(hidden)]
pub use lint::{Finding, Flaw, admits_strangers, lint, lint_filter};
#[doc(hidden)]
pub use local_process::LocalProcess;
#[doc(hidden)]
pub use locate::locate;
#[doc(hidden)]
pub use middleware::{CALLS_PER_MINUTE, MAX_CHAINS, Mandate, Middleware};
#[doc(hidden)]
pub use middleware_server::{MAX_MIDDLEWARE_SERVERS, MiddlewareServer};
#[doc(hidden)]
pub use number::MAX_NUMBER;
#[doc(hidden)]
pub use passed_method::{MAX_PASSED_METHOD, MAX_PASSED_METHODS, PassedMethod};
pub(crate) use renamed_lists::renamed_lists;
#[doc(hidden)]
pub use renames::{NameMap, Renames};
#[doc(hidden)]
pub use request::{is_configurable, may_pass};
#[doc(hidden)]
pub use settings::{Filtering, Identity, PAGE_SIZE, Tasks};
#[doc(hidden)]
pub use transport::{Transport, TransportError};
pub(crate) use upstream::QUESTIONS;
#[doc(hidden)]
pub use upstream::{MAX_UPSTREAMS, Upstream};
#[doc(hidden)]
pub use variable::{VariableError, expand};

/// The JSON Schema of the configuration file, for editors and validators.
pub const SCHEMA: &str = include_str!("sieve.schema.json");
