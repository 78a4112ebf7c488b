//! Concerns (discussion #1936): what a server declares, and what a caller configures.
//!
//! A concern is a question such as *how much security?* with a closed set of answers. A primitive that
//! is mapped to an answer shows only to callers who configured that answer or none; one that is not
//! mapped shows to everybody.

mod configuration;
mod declaration;
mod wanted_range;

pub use configuration::{Configuration, MAX_VALUE_LENGTH, MAX_VALUES};
pub(crate) use configuration::{check_length, insert, kind_error, limit_error};
pub use declaration::{Concern, Concerns, OnInvalid, Order, Range, Scalar, Values};
pub use wanted_range::WantedRange;
