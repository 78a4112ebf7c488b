//! `serverInfo` as a caller receives it.

use mcp_sieve::{
    json::{Members, Object},
    policy::View,
};

use crate::{
    backend::guarded_catalog::Backend, caller::identity::Caller, config::Config, request::visibility,
};

/// Returns `serverInfo` as JSON. That of a single upstream server is passed with all members, unless the configuration
/// sets a name. The configured version and title replace the server's. In all other cases it describes the gateway.
pub(crate) fn server_info(config: &Config, backend: &Backend, caller: &Caller<'_>, view: &View) -> Vec<u8> {
    let own = &config.server;
    let passed = match (backend.upstreams.as_slice(), backend.introductions.as_slice()) {
        ([_], [(server, introduction)])
            if own.name.is_none() && visibility::knows(backend, caller, view, server) =>
        {
            introduction.server_info.as_deref().and_then(Members::parse)
        }
        _ => None,
    };
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    let (version, title) = (own.version.as_deref(), own.title.as_deref());
    match passed {
        Some(passed) => {
            let replaced = [("version", version), ("title", title)];
            let replaced = replaced.iter().filter_map(|(key, text)| text.map(|text| (*key, text)));
            let keys: Vec<&str> = replaced.clone().map(|(key, _)| key).collect();
            object.keep(&passed, &keys);
            replaced.for_each(|(key, text)| object.text(key, text));
        }
        None => {
            object.text("name", own.name());
            object.text("version", own.version());
            title.into_iter().for_each(|title| object.text("title", title));
        }
    }
    object.close();
    out
}
