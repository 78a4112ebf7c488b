//! The configuration of the engine: rules that assign groups, tags and concerns, and policies that decide what each
//! caller sees.

mod partial;
mod settings;

pub use settings::Config;
