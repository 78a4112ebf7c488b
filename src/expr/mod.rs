//! The expression language of rules, policies and the `where` of filters.
//!
//! It has a text form, which a person types, and a JSON form, which a program sends. Both parse to one
//! [`Expr`]; [`Display`](std::fmt::Display) and [`Expr::json`] print it in its canonical form of each.
//!
//! # Syntax
//! ```text
//! group:issues tag:stable -tag:destructive (name:create_* or name:update_*) priority>=0.5
//! {"all":[{"group":"issues"},{"tag":"stable"},{"not":{"tag":"destructive"}},
//!         {"any":[{"name":"create_*"},{"name":"update_*"}]},{"priority":{">=":0.5}}]}
//! ```
//! | text | JSON | holds when |
//! |---|---|---|
//! | `a b`, `a and b` | `{"all": [a, b]}` | every one holds |
//! | `a or b` | `{"any": [a, b]}` | at least one holds; binds weaker than *and* |
//! | `-a`, `not a` | `{"not": a}` | it does not hold |
//! | `(a)` | `a` | it holds |
//! | `tag:stable` | `{"tag": "stable"}` | the term holds, here that a tag matches a pattern |
//! | `priority>=0.5` | `{"priority": {">=": 0.5}}` | the term holds; every operator is such a key |
//! | `concern.cost<5` | `{"concern": {"cost": {"<": 5}}}` | the term holds; a field's own name stands inside |
//!
//! In text, a value or a field's own name that holds spaces, parentheses or quotes (a name also: operators)
//! is written in double quotes, with `\"` and `\\` inside: `claim."https://example.com/role"="on call"`.
//! In JSON, a value is text, a number in its shortest spelling, `true` or `false`; each object has one
//! member, and wherever an expression stands its text may stand.
//!
//! | operator | holds when a value of the field |
//! |---|---|
//! | `:` | matches the pattern (`*` any run, `?` any one character; nothing else is special) |
//! | `=` | is the same |
//! | `!=` | exists, and none is the same |
//! | `<` `<=` `>` `>=` | is on that side, as a number, an instant or a version |
//! | `contains` `starts` | contains, or starts with, the text |
//!
//! # Fields
//! | of the primitive | values |
//! |---|---|
//! | `kind` | `tool`, `resource`, `template`, `prompt`, `skill` |
//! | `group` `tag` `concern.NAME` | what it is a member of, carries, is mapped to |
//! | `name` `title` `description` `uri` `server` | text; `uri` is a template's `uriTemplate` too; `name` and `description` of a skill are those of its frontmatter |
//! | `annotation.NAME` | a member of `annotations`, such as `readOnlyHint` |
//! | `audience` `priority` `lastModified` | the same, of the three annotations of content |
//! | `meta.PATH` | a member of `_meta`, or of an object in it; of a skill also of its frontmatter's `metadata` |
//!
//! | of a task, in its lists | values |
//! |---|---|
//! | `status` `method` `taskId` | how it stands, what was asked, its id |
//! | `createdAt` `lastUpdatedAt` | instants |
//! | `name` and what else a primitive has | those of what was called; `description` is how it stands, in words |
//!
//! | of the caller, in policies | values |
//! |---|---|
//! | `client.name` `client.version` `capability.PATH` | what the client says of itself |
//! | `claim.PATH` `preset` | what its token says, and the preset it came by |
//! | `protocol` `method` `header.NAME` | the request |
//!
//! A path leads through objects: `a.b` is the member `a.b` if there is one, else member `b` of member `a`.
//! Of an array each element is a value; numbers are spelt shortest (`3`, `0.5`), a primitive's objects as
//! their JSON.
//!
//! # Semantics
//! Matching is exact and case-sensitive. A field may have several values (`tag`) or none; a comparison
//! with nothing is false, and `not` of it is true, so evaluation has two values and no third.
//!
//! `client.version` is compared as a version (as semver has it; missing parts are zero), `lastModified`, `createdAt`
//! and `lastUpdatedAt` as an instant, `priority` as a number, by `=` and `!=` too. The order of any other field is that of what it
//! is compared with: a number, else an instant (RFC 3339, or a date alone), else a version. A value that is
//! none of that sort compares with nothing.

mod display;
mod eval;
mod field;
mod glob;
mod json;
mod limits;
mod nearest;
mod no_caller;
mod order;
mod parse;
mod path;
mod snippet;
mod tree;
mod version;

pub use eval::Subject;
pub use field::Field;
pub use tree::{Expr, Op, Term};

// For the other crates of this repository: hidden, and no part of what semver promises.
#[doc(hidden)]
pub use glob::glob;
#[doc(hidden)]
pub use limits::{MAX_DEPTH, MAX_PATTERNS, MAX_SOURCE, MAX_TERMS, MAX_VALUE};
#[doc(hidden)]
pub use nearest::{distance, nearest};
#[doc(hidden)]
pub use no_caller::NoCaller;
#[doc(hidden)]
pub use path::at_path;
