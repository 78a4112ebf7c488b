//! The configuration file `sieve.jsonc`: rules that assign groups, tags and concerns, and policies that decide what
//! each caller sees.

mod acknowledged;
mod audit;
mod auth;
mod auth_client;
mod capabilities;
mod claim;
mod concern_use;
mod deployed;
mod disclosed_groups;
mod disclosure;
mod drafts;
mod history;
mod host_name;
mod limits;
mod lint;
mod list_scope;
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
mod upstream_auth;
mod variable;
mod wire;

pub use audit::Audit;
pub use auth::{Auth, Introspection, KeySource, MAX_ISSUERS, TokenIssuer};
pub use auth_client::AuthClient;
pub use capabilities::{Capabilities, MAX_CAPABILITIES, MAX_CAPABILITIES_SIZE, RequiredCapabilities};
pub use claim::{MAX_CLAIM_VALUES, deciding_claim};
pub use concern_use::ConcernUse;
pub use disclosed_groups::{MAX_DISCLOSED_GROUPS, MAX_DISCLOSED_NAME};
pub use disclosure::Disclosure;
pub use drafts::{CARD_NAME, Drafts, ServerCard};
pub use history::{Fate, History, Verdict, histories};
pub use host_name::is_host_name;
pub use limits::{Limits, Rate};
pub use lint::{Finding, Flaw, admits_strangers, lint, lint_filter};
pub use list_scope::ListScope;
pub use local_process::LocalProcess;
pub use locate::locate;
pub use mcp_sieve::{
    concern::{Concern, Order, Range, Scalar, Values},
    json::Number,
};
pub use middleware::{CALLS_PER_MINUTE, MAX_CHAINS, Mandate, Middleware};
pub use middleware_server::{MAX_MIDDLEWARE_SERVERS, MiddlewareServer};
pub use number::MAX_NUMBER;
pub use passed_method::{MAX_PASSED_METHOD, MAX_PASSED_METHODS, PassedMethod};
pub use renamed_lists::renamed_lists;
pub use renames::{NameMap, Renames};
pub use request::{is_configurable, may_pass};
pub use settings::{Config, Filtering, Identity, PAGE_SIZE, PRODUCT, Tasks, UnknownNames};
pub use transport::{Transport, TransportError};
pub use upstream::{MAX_UPSTREAMS, Upstream};
pub use upstream_auth::{AuthKind, EXCHANGE_AGE_S, UpstreamAuth};
pub use variable::{VariableError, expand};

pub(crate) use upstream::QUESTIONS;

/// The JSON Schema of the configuration file, for editors and validators.
pub const SCHEMA: &str = include_str!("sieve.schema.json");
