//! An in-memory host for the protocol: a catalog, a few tokens, and sessions in a map.

mod build;
mod changes;
mod event_log;
mod fixture;
mod middleware;
mod platform;
mod run;
mod world;

pub use world::{ADDRESS, World};
