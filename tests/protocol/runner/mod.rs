//! Running the steps of tasks, with the clock of the tests.

mod claims;
mod ends;
mod questions;
mod server;
mod steps;
