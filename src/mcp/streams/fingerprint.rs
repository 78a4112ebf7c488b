use serde::{Deserialize, Serialize};

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

/// The hashes of the lists that one listener sees, by which changes are detected. Hidden primitives are not included,
/// so their changes are not reported. The hash of a list is stored with its view, so listeners with the same view share
/// it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub(crate) struct ListFingerprints([[u128; 2]; Change::LISTS.len()]);

impl ListFingerprints {
    pub fn compute(
        config: &Config,
        guarded: &Guarded,
        declared: &ServerDeclarations,
        caller: &Caller<'static>,
    ) -> Self {
        // If a list is rejected for the caller, it counts as empty.
        let nothing = Digest::new().end();
        Self(Change::LISTS.map(|(_, change)| {
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

    /// Returns the lists that differ in `new`.
    pub fn changes(&self, new: &Self) -> impl Iterator<Item = Change> {
        let lists = self.0.iter().zip(&new.0).zip(Change::LISTS);
        lists.filter(|((old, new), _)| old != new).map(|(_, (_, change))| change)
    }
}

/// Writes the hashes in hexadecimal, with a space between them: JSON has no numbers of this length.
impl From<ListFingerprints> for String {
    fn from(lists: ListFingerprints) -> Self {
        let hashes: Vec<String> = lists.0.as_flattened().iter().map(|hash| format!("{hash:x}")).collect();
        hashes.join(" ")
    }
}

impl From<String> for ListFingerprints {
    /// A hash that cannot be read is that of no list, so its list counts as changed.
    fn from(text: String) -> Self {
        let mut hashes = text.split(' ').map(|hash| u128::from_str_radix(hash, 16).unwrap_or_default());
        Self(std::array::from_fn(|_| std::array::from_fn(|_| hashes.next().unwrap_or_default())))
    }
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
