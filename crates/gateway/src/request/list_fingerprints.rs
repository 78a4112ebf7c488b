//! The hashes of the lists that a listener sees.

use mcp_sieve::{
    Digest, Kind,
    policy::{Guarded, View},
};

use crate::{
    backend::declared::ServerDeclarations,
    caller::identity::Caller,
    config::Config,
    request::{
        disclosure::{self, Disclosure},
        visibility,
    },
    session::{change::Change, fingerprint::ListFingerprints},
};

/// Returns the hashes of the lists that a caller sees.
pub(crate) fn list_fingerprints(
    config: &Config,
    guarded: &Guarded,
    declared: &ServerDeclarations,
    caller: &Caller<'static>,
) -> ListFingerprints {
    // If a list is rejected for the caller, it counts as empty.
    let nothing = Digest::new().end();
    ListFingerprints(Change::LISTS.map(|(_, change)| {
        methods(&change).map(|method| {
            // Policies may read the method, so each view is computed for the method of its list.
            let seen = method.map(|method| {
                if method == "groups/list" && disclosure::is_on(config, caller) {
                    return Disclosure::new(config, (guarded, declared), caller, &caller.query).map(
                        |disclosed| {
                            let mut digest = Digest::new();
                            disclosed.top().for_each(|group| group.add_to(&mut digest));
                            digest.end()
                        },
                    );
                }
                visibility::look(config, guarded, declared, &caller.calling(method), &caller.query)
                    .map(|(view, ..)| hash(method, config, declared, &view))
            });
            seen.and_then(Result::ok).unwrap_or(nothing)
        })
    }))
}

/// Returns the methods whose lists a change affects.
fn methods(change: &Change) -> [Option<&'static str>; 2] {
    match change {
        Change::Tools => [Some("tools/list"), None],
        Change::Resources => [Some("resources/list"), Some("resources/templates/list")],
        Change::Prompts => [Some("prompts/list"), None],
        Change::Groups => [Some("groups/list"), None],
        Change::Tags => [Some("tags/list"), None],
        Change::Concerns => [Some("concerns/list"), None],
        Change::Resource(_) => [None, None],
    }
}

/// Returns the hash of the list that a method returns.
fn hash(method: &str, config: &Config, declared: &ServerDeclarations, view: &View) -> u128 {
    match Kind::ALL.into_iter().find(|kind| kind.list_method() == method) {
        Some(kind) => view.list_hash(kind),
        None if method == "groups/list" => view.groups_hash(),
        None if method == "concerns/list" => {
            let mut digest = Digest::new();
            let concerns = declared.concerns(config, view);
            concerns.iter().for_each(|concern| digest.part(format!("{concern:?}").as_bytes()));
            digest.end()
        }
        None => view.tags_hash(),
    }
}
