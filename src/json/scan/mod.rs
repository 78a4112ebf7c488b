//! A scanner for JSON text. It validates everything that it skips, so nothing is parsed twice.

mod containers;
mod key_filter;
mod members;
mod refuse;
mod scalar;
mod scanner;
mod skip;

pub(crate) use containers::MembersAnd;
pub(crate) use key_filter::KeyFilter;
pub(crate) use scanner::Scanner;
