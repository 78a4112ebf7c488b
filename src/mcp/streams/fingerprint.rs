use crate::{
    catalog::Kind,
    config::Config,
    digest::Digest,
    mcp::{
        gateway::declared::ServerDeclarations,
        request::{
            caller::Caller,
            disclosure::{self, Disclosure},
            visibility,
        },
        streams::change::Change,
    },
    policy::{Guarded, View},
};

/// The hashes of the lists that one listener sees, by which a change is noticed. What a listener may not see has no
/// part in them, so nothing that happens to it is reported. The hash of a list is kept with its view, so listeners with
/// the same view share it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListFingerprints([[u128; 2]; Change::LISTS.len()]);

impl ListFingerprints {
    pub fn of(
        config: &Config,
        guarded: &Guarded,
        declared: &ServerDeclarations,
        caller: &Caller<'static>,
    ) -> Self {
        // A caller that is refused a list sees nothing of it.
        let nothing = Digest::new().end();
        Self(Change::LISTS.map(|(_, change)| {
            methods(&change).map(|method| {
                // Policies may read the method, so that each list is looked at as its own method would.
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

    /// The lists that look otherwise in `new`.
    pub fn changes(&self, new: &Self) -> impl Iterator<Item = Change> {
        let lists = self.0.iter().zip(&new.0).zip(Change::LISTS);
        lists.filter(|((old, new), _)| old != new).map(|(_, (_, change))| change)
    }
}

/// The methods that list what a change is of.
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

/// The hash of the list that a method returns.
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
