mod lane;
mod plain;
mod same;
mod unescape;

pub(crate) use plain::plain;
pub(super) use plain::plain_start;
pub(crate) use same::same_text;
pub(super) use unescape::unescape;
