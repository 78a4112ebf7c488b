//! Capabilities of upstream servers that Sieve does not implement itself but whose methods it passes.

use serde_json::{Map, Value, json};

use crate::{
    config::PassedMethod,
    host::Host,
    request::{context::Context, visibility},
};

/// The capabilities that contain further capabilities by name.
const NESTED: [&str; 2] = ["extensions", "experimental"];

/// Adds the capabilities whose methods are passed to a server that the caller may know of. If several servers declare
/// one, the first counts. Capabilities of the gateway itself are kept.
pub(crate) fn add<H: Host>(context: &Context<'_, H>, capabilities: &mut Map<String, Value>) {
    let (config, backend) = (context.exchange.config, &context.backend);
    for (server, introduction) in &backend.introductions {
        let settings = config.upstream_settings().iter().find(|settings| settings.name == *server);
        let entries = settings.map_or(&[][..], |settings| settings.pass_methods.as_slice());
        let known = || visibility::knows(backend, &context.caller, &context.view, server);
        let foreign = introduction.capabilities.as_deref().filter(|_| !entries.is_empty() && known());
        let foreign = foreign.and_then(|foreign| serde_json::from_str::<Map<String, Value>>(foreign).ok());
        for (name, value) in foreign.into_iter().flatten() {
            match value {
                Value::Object(inner) if NESTED.contains(&name.as_str()) => {
                    let announced = inner.into_iter().filter(|(name, _)| concerns(entries, name));
                    for (key, value) in announced {
                        let nested = capabilities.entry(name.as_str()).or_insert_with(|| json!({}));
                        if let Some(nested) = nested.as_object_mut() {
                            nested.entry(key).or_insert(value);
                        }
                    }
                }
                value if concerns(entries, &name) => _ = capabilities.entry(name).or_insert(value),
                _ => {}
            }
        }
    }
}

fn concerns(entries: &[PassedMethod], name: &str) -> bool {
    entries.iter().any(|entry| entry.concerns(name))
}
