//! `sieve.jsonc`: the one file in which an operator says what a catalog means and who sees what.

mod auth;
mod claim;
mod history;
mod limits;
mod lint;
mod locate;
mod middleware;
mod repeated;
mod settings;
mod upstream;
mod variable;
mod wire;

pub(crate) use auth::CLOCK_SKEW_S;
pub use auth::{Auth, KeySource};
pub use claim::{MAX_CLAIM_VALUES, deciding_claim};
pub use history::{Fate, History, Verdict, histories};
pub use limits::{Limits, Rate};
pub use lint::{Finding, Flaw, lint, lint_filter};
pub use locate::locate;
pub use middleware::{CALLS_PER_MINUTE, MAX_CHAINS, Mandate, Middleware};
pub use settings::{Config, Filtering, Identity, MAX_NUMBER, PAGE_SIZE, Tasks};
pub use upstream::{MAX_UPSTREAMS, Upstream};
pub use variable::{VariableError, expand};

/// The JSON Schema of the file, for editors and validators.
pub const SCHEMA: &str = include_str!("sieve.schema.json");
