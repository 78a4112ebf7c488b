//! What a caller may see, and what a URL narrows.

use crate::{
    config::Config,
    error::Ignored,
    filter::{Filter, Narrowing, ParsedFilter, SettledFilter},
    mcp::{
        protocol::error::RpcError,
        request::{caller::Caller, toolset_headers},
    },
    policy::{Guarded, View},
};

/// Returns what a caller may see at a URL, the filter of its query and of the headers that filter, and the fields of
/// the query that are unknown.
///
/// # Errors
/// A query or header that cannot be read.
pub(crate) fn look(
    config: &Config,
    guarded: &Guarded,
    caller: &Caller<'_>,
    query: &str,
) -> Result<(View, Filter, Vec<Ignored>), RpcError> {
    let view = guarded.view(caller);
    let ParsedFilter { filter: mut url, ignored } = Filter::from_query(query)?;
    toolset_headers::narrow(&mut url, &caller.headers)?;
    let SettledFilter { filter: url, narrowing } =
        url.settle(&view, &config.concerns, config.on_invalid_concern, ignored)?;
    let ignored = dropped(&narrowing);
    let view = if config.enforce && !url.is_empty() { view.within(&narrowing) } else { view };
    Ok((view, url, ignored))
}

/// Whether something may be hidden from a caller.
pub(crate) fn restricts(config: &Config, caller: &Caller<'_>) -> bool {
    !config.is_open() || !caller.presets.is_empty()
}

/// Narrows further by the filter of a URL, as [`look`] returned it beside the view.
pub(crate) fn add_url(config: &Config, view: &View, url: &Filter, narrowing: &mut Narrowing) {
    if config.enforce {
        // The view is what the URL's words found. Asked again of so few, each would weigh something else.
        narrowing.add(view, &Filter { query: None, ..url.clone() });
    } else {
        narrowing.add(view, url);
    }
}

/// The fields and concerns of a URL that have no effect. A name of a group or tag that is unknown has one: it matches
/// nothing.
fn dropped(narrowing: &Narrowing) -> Vec<Ignored> {
    let dropped = |part: &&Ignored| part.field.starts_with('?') || part.field.starts_with("concerns.");
    narrowing.ignored().iter().filter(dropped).cloned().collect()
}
