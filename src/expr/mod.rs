//! The expression language of rules, policies and the `where` of filters.
//!
//! It has a text form for people and a JSON form for programs. Both are parsed to an [`Expr`].
//! [`Display`](std::fmt::Display) and [`Expr::json`] write its canonical text and JSON.
//!
//! # Syntax
//! ```text
//! group:issues tag:stable -tag:destructive (name:create_* or name:update_*) priority>=0.5
//! {"all":[{"group":"issues"},{"tag":"stable"},{"not":{"tag":"destructive"}},
//!         {"any":[{"name":"create_*"},{"name":"update_*"}]},{"priority":{">=":0.5}}]}
//! ```
//! | text | JSON | holds when |
//! |---|---|---|
//! | `a b`, `a and b` | `{"all": [a, b]}` | all of them hold |
//! | `a or b` | `{"any": [a, b]}` | at least one of them holds; binds weaker than *and* |
//! | `-a`, `not a` | `{"not": a}` | it does not hold |
//! | `(a)` | `a` | it holds |
//! | `tag:stable` | `{"tag": "stable"}` | the term holds: here, a tag matches the pattern |
//! | `priority>=0.5` | `{"priority": {">=": 0.5}}` | the term holds; every operator can be such a key |
//! | `concern.cost<5` | `{"concern": {"cost": {"<": 5}}}` | the term holds; a field's name is an inner key |
//!
//! In text, a value or a field's name is written in double quotes if it contains spaces, parentheses or quotes, or for
//! a name also operators. Inside, `\"` and `\\` are escapes: `claim."https://example.com/role"="on call"`. In JSON, a
//! value is text, a number in its shortest spelling, `true` or `false`. Each object has one member. Any expression can
//! also be replaced by its text.
//!
//! | operator | holds when a value of the field |
//! |---|---|
//! | `:` | matches the pattern (`*` is any run of characters, `?` any single one; no other character is special) |
//! | `=` | is equal |
//! | `!=` | exists, and no value is equal |
//! | `<` `<=` `>` `>=` | compares so, as a number, an instant or a version |
//! | `contains` `starts` | contains, or starts with, the text |
//! | `under` | is the path or URL, or one below it, by every reading of the text |
//!
//! # Fields
//! | of the primitive | values |
//! |---|---|
//! | `kind` | `tool`, `resource`, `template`, `prompt`, `skill` |
//! | `group` `tag` `concern.NAME` | its groups, its tags, its values for the concern |
//! | `name` `title` `description` `uri` `server` | text |
//! | `annotation.NAME` | a member of `annotations`, such as `readOnlyHint` |
//! | `audience` `priority` `lastModified` | the same, for the three annotations of content |
//! | `meta.PATH` | a member of `_meta`, or of an object in it; for a skill also of its frontmatter's `metadata` |
//!
//! | of a task, in its lists | values |
//! |---|---|
//! | `status` `method` `taskId` | its status, its method, its id |
//! | `createdAt` `lastUpdatedAt` | instants |
//! | other fields | those of the called primitive, except that `description` is the status message |
//!
//! | of the caller, in policies | values |
//! |---|---|
//! | `client.name` `client.version` `capability.PATH` | what the client declares |
//! | `claim.PATH` `scope` `preset` | the claims and scopes of its token, and the presets that apply |
//! | `protocol` `method` `header.NAME` | properties of the request |
//!
//! | of a call, in `arguments` of policies | values |
//! |---|---|
//! | `arguments.PATH` | an argument, by path; [`Arguments`] has the semantics |
//!
//! For a template, `uri` is its `uriTemplate`. For a skill, `name` and `description` are those of its frontmatter.
//!
//! A path leads through objects: `a.b` is the member `a.b` if it exists, else member `b` of member `a`. Each element of
//! an array is a value. Numbers have their shortest spelling (`3`, `0.5`), and objects of a primitive are JSON.
//!
//! # Semantics
//! Matching is exact and case-sensitive. A field may have several values (`tag`) or none. A comparison without a value
//! is false, and its negation is true, so evaluation has only two results.
//!
//! `client.version` is compared as a version (as in semver, with missing parts as zero), `lastModified`, `createdAt`
//! and `lastUpdatedAt` as an instant, and `priority` as a number, also by `=` and `!=`. For any other field, the value
//! of the term determines the order: that of numbers, else of instants (RFC 3339, or a date alone), else of versions. A
//! value of another type does not match.

mod arguments;
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
mod scopes;
mod snippet;
mod tree;
mod under;
mod version;

pub use arguments::Arguments;
pub use eval::Subject;
pub use field::Field;
pub use tree::{Expr, Op, Term};

pub(crate) use nearest::distance;
pub use no_caller::NoCaller;
