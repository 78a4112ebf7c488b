//! Concerns (discussion #1936): declarations by servers and configurations by callers.
//!
//! A concern is a scale with fixed values, such as cost: low, high. A primitive with a value is listed for callers that
//! ask for this value or for none. A primitive without a value is always listed.

mod concerns;
mod configuration;
mod declaration;
mod declared_json;
mod on_invalid;
mod values;
mod wanted_range;

pub use concerns::Concerns;
pub use configuration::Configuration;
pub(crate) use configuration::insert;
pub use declaration::Concern;
pub use on_invalid::OnInvalid;
pub use values::{Order, Range, Scalar, Values};
pub(crate) use wanted_range::WantedRange;
