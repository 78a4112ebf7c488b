//! Concerns (discussion #1936): what a server declares, and what a caller configures.
//!
//! A concern is a scale with fixed values, such as cost: low, high. A primitive with a value is listed for callers that
//! ask for this value or for none. A primitive without a value is always listed.

mod concerns;
mod configuration;
mod declaration;
mod on_invalid;
mod values;
mod wanted_range;

pub(crate) use concerns::AppliedDefaults;
pub use concerns::Concerns;
pub use configuration::{Configuration, MAX_VALUE_LENGTH, MAX_VALUES};
pub(crate) use configuration::{check_length, insert, kind_error, limit_error};
pub use declaration::Concern;
pub use on_invalid::OnInvalid;
pub use values::{Order, Range, Scalar, Values};
pub use wanted_range::WantedRange;
