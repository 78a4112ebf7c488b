//! Connections of callers to upstream servers: their sealed records, and the texts that a browser keeps while its user
//! signs in.
//!
//! A [`Connection`] has the tokens of one holder for one server. A host stores it [sealed](Connection::seal), and opens
//! it when a request of this holder goes to this server. [`seal`] and [`open`] do the same for other texts: pending
//! sign-ins, cookies, and the [`Ticket`] in the address of the page.

mod connection;
mod escape;
mod sealing;
mod ticket;
mod tool;

pub use connection::{Connection, connection_key};
pub use escape::escape_html;
pub use sealing::{open, seal};
pub use ticket::{TICKET_MS, Ticket};

pub(crate) use tool::{connected, tool_name};
