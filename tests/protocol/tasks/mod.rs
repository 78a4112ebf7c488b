//! Tasks in both eras, in conversations that take longer than those of the rows.

mod caller;
mod capability;
mod events;
mod lists;
mod polls;
mod questions;
mod results;
mod streams;
mod upstream;
mod visibility;

pub use caller::{Caller, world};
