use crate::{
    catalog::Kind,
    config::Config,
    digest::Digest,
    mcp::{
        gateway::backend::Backend,
        request::{caller::Caller, visibility},
        streams::change::Change,
    },
    policy::View,
};

/// What one listener sees of each list, as far as it takes to tell whether that has changed. What a listener
/// may not see changes nothing here, so it is told nothing of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListFingerprints([u128; Change::LISTS.len()]);

impl ListFingerprints {
    pub fn of(config: &Config, backend: &Backend, caller: &Caller<'static>) -> Self {
        Self(Change::LISTS.map(|(_, change)| {
            let mut digest = Digest::new();
            for method in methods(&change) {
                // Policies may read the method, so that each list is looked at as its own method would.
                let seen = visibility::look(config, &backend.guarded, &caller.calling(method), &caller.query);
                // Whoever is refused every list sees none of them.
                seen.into_iter().for_each(|(view, ..)| add(&mut digest, method, &view));
            }
            digest.end()
        }))
    }

    /// The lists that look otherwise in `new`.
    pub fn changes(&self, new: &Self) -> impl Iterator<Item = Change> {
        let lists = self.0.iter().zip(&new.0).zip(Change::LISTS);
        lists.filter(|((old, new), _)| old != new).map(|(_, (_, change))| change)
    }
}

/// The methods that list what a change is of.
fn methods(change: &Change) -> &'static [&'static str] {
    match change {
        Change::Tools => &["tools/list"],
        Change::Resources => &["resources/list", "resources/templates/list"],
        Change::Prompts => &["prompts/list"],
        Change::Groups => &["groups/list"],
        Change::Tags => &["tags/list"],
        Change::Resource(_) => &[],
    }
}

fn add(digest: &mut Digest, method: &str, view: &View) {
    match Kind::ALL.into_iter().find(|kind| kind.list_method() == method) {
        Some(kind) => {
            let kind_index = view.catalog().kind_index(kind);
            view.bits(kind).iter().filter_map(|at| kind_index.bytes(at)).for_each(|bytes| digest.part(bytes));
        }
        // All that is said of it, whatever that is.
        None if method == "groups/list" => {
            view.groups().iter().for_each(|group| digest.part(format!("{group:?}").as_bytes()));
        }
        None => view.tags().iter().for_each(|tag| digest.part(format!("{tag:?}").as_bytes())),
    }
}
