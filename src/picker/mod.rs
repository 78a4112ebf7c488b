//! A model for user interfaces in which a user selects primitives of a catalog. The result is one filter.
//!
//! ```
//! use mcp_sieve::{Caller, Config, Sieve, picker::Mark};
//!
//! let lists = r#"{"tools":[{"name":"list_issues","inputSchema":{"type":"object"}},
//!                          {"name":"send_mail","inputSchema":{"type":"object"}}]}"#;
//! let config = Config::parse(r#"{"rules":[{"match":"name:list_*","tags":["read"]}]}"#)?;
//! let mut picker = Sieve::compile(lists, &config)?.view(&Caller::anonymous()).picker();
//!
//! picker.mark("read", Mark::Must)?;
//! assert_eq!(picker.filter()?.to_string(), r#"{"tags":["read"]}"#);
//! assert_eq!(picker.row(0).map(|row| row.id), Some("list_issues"));
//! assert!(picker.undo());
//! assert_eq!(picker.row_count(), 2);
//! # Ok::<(), mcp_sieve::Error>(())
//! ```
//!
//! A [`Picker`] holds a choice: groups in a tree, required and excluded tags, concerns, words, disabled names and
//! favorites. At any time it returns the filter, the primitives that match it, and the number that each further option
//! would leave. A user interface (the package's element, a terminal) only displays numbers and a window of rows, and
//! contains no logic of its own.
//!
//! # Boxes
//! Selecting a group selects all groups below it. Its box is [on](Checked::On) if the group or one above is selected,
//! or if the groups below contain all its members and are all on. It is [mixed](Checked::Mixed) if groups below differ,
//! and [excluded](Checked::Excluded) if the group or one above is excluded. Deselecting a group below a selected one
//! excludes it, so the other members of the upper group stay. Selecting an excluded group ends its exclusion.
//!
//! # Servers
//! With several servers, these are the first level of the tree, each with the groups in which it has primitives. A
//! group of two servers appears below both, but is one group: selecting it selects it for both.
//!
//! # Limits
//! A request's limit keeps pinned primitives, then those with the highest `annotations.priority`, then the most
//! relevant ones, then the first ones of the catalog: usually those of the first server. The picker lets the user
//! decide. Its order is: primitives that the configuration pins, those that the user pinned ([`Picker::pin`]), the latest
//! one first, favorites, and then priority and relevance. Among equals, the servers take turns: the first
//! primitive of each server, in the order of the catalog, then the second of each, and so on.
//!
//! A filter has no field for that order. If a request's limit would keep others, [`Picker::filter`] also names the
//! primitives that are kept (`-kind:tool or kind:tool (name=a or name=b)`), so a gateway lists the same ones. If these are more than
//! a filter can name ([`Expr::MAX_TERMS`](crate::expr::Expr::MAX_TERMS) and `MAX_SOURCE`), the picker keeps what a
//! request's limit keeps.
//!
//! # Semantics
//! Every change is one step of [`Picker::undo`], unless it changes nothing. A change that results in an invalid filter
//! (too many names, a value that a concern does not accept) is rejected and changes nothing. Words for [`Picker::find`]
//! are not part of the choice: they only order and reduce the rows. Words for [`Picker::set_query`] are.

mod budget;
mod choice;
mod counts;
mod edit;
mod history;
mod model;
mod planting;
mod preferences;
mod rows;
mod servers;
mod tree;

pub use budget::{Budget, Rank};
pub use choice::{Choice, Mark};
pub use counts::Counts;

pub use model::Picker;
pub use preferences::Preferences;
pub use rows::{Row, Showing};
pub use tree::{Checked, Node};
