//! Context middleware for JavaScript hosts. It is in a WebAssembly module of its own, which pages that only filter do
//! not load.

mod host_function;
mod parts;
mod utf8;
mod workbench;
mod world;

pub use workbench::Workbench;
