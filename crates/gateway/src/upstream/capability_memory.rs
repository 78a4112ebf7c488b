//! What the listings of a server with capabilities have shown, so that a server whose lists do not depend on them is
//! listed once each time.

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use mcp_sieve::{Digest, Kind, catalog::Lists};

use crate::upstream::{
    collected_lists::{Collected, Page},
    connection::Connection,
    lock,
};

/// Milliseconds after which a server whose lists without capabilities are unchanged is listed with them again, and after
/// which capabilities that made it fail are tried again.
pub(crate) const REMEMBERED_MS: u64 = 60 * 60 * 1_000;

/// What is known of a server in each protocol era.
#[derive(Debug, Default)]
pub(crate) struct CapabilityMemory {
    stateless: Mutex<Known>,
    session: Mutex<Known>,
    /// Whether the server has reported changed lists since this was last asked.
    is_expired: AtomicBool,
}

/// What is known of a server in one era.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Whether the server has been listed, and may have been with capabilities.
    pub was_listed: bool,
    /// The names of the capabilities that made the server fail.
    left_out: BTreeSet<String>,
    /// The time until which they are left out, in milliseconds since 1970.
    left_out_until: u64,
    /// The lists that the last listing with capabilities resulted in.
    shown: Option<Arc<ShownLists>>,
}

/// The lists for clients of any capabilities.
#[derive(Debug)]
pub(crate) struct ShownLists {
    /// Identifies the lists without capabilities, and the version of the server.
    about: u128,
    /// The time until which they are valid, in milliseconds since 1970.
    until: u64,
    /// The primitives, with those that require capabilities; `None` if they are those of the lists without.
    pub pages: Option<Vec<Page>>,
    pub reports: Vec<(Kind, String, String)>,
}

impl CapabilityMemory {
    /// Runs `work` on what is known in the era of a connection.
    pub fn with<T>(&self, connection: &Connection, work: impl FnOnce(&mut Known) -> T) -> T {
        let known = if connection.negotiated.stateless().is_some() { &self.stateless } else { &self.session };
        work(&mut lock(known))
    }

    /// Makes the next listing list with capabilities again, because the server reported changed lists.
    pub fn expire(&self) {
        self.is_expired.store(true, Ordering::Relaxed);
        for known in [&self.stateless, &self.session] {
            lock(known).shown = None;
        }
    }

    /// Returns whether [`CapabilityMemory::expire`] was called since this was last asked.
    pub fn take_expired(&self) -> bool {
        self.is_expired.swap(false, Ordering::Relaxed)
    }
}

impl Known {
    /// Returns the capabilities that are left out now.
    pub fn left_out(&self, now: u64) -> BTreeSet<String> {
        if now < self.left_out_until { self.left_out.clone() } else { BTreeSet::new() }
    }

    /// Leaves out capabilities, in addition to those that are left out now.
    pub fn leave_out(&mut self, names: impl IntoIterator<Item = String>, now: u64) {
        self.left_out = self.left_out(now);
        self.left_out.extend(names);
        self.left_out_until = now.saturating_add(REMEMBERED_MS);
    }

    /// Returns the lists for clients of any capabilities, if those without have stayed the same. Expired lists are
    /// returned if `any_age` is set.
    pub fn shown(&self, about: u128, now: u64, any_age: bool) -> Option<Arc<ShownLists>> {
        self.shown.clone().filter(|shown| shown.about == about && (any_age || now < shown.until))
    }

    /// Returns whether the lists for clients of any capabilities are known.
    pub fn has_shown(&self) -> bool {
        self.shown.is_some()
    }

    /// Stores the lists that a listing with capabilities resulted in.
    pub fn show(&mut self, shown: &Arc<ShownLists>) {
        self.shown = Some(Arc::clone(shown));
    }
}

impl ShownLists {
    /// Creates the lists from `merged`, which adds to the lists with this [`about`].
    pub fn new(about: u128, connection: &Connection, mut merged: Collected, now: u64) -> Self {
        let is_same = self::about(&merged, connection) == about;
        Self {
            about,
            until: now.saturating_add(REMEMBERED_MS),
            pages: (!is_same).then(|| std::mem::take(&mut merged.pages)),
            reports: merged.reports,
        }
    }

    /// Gives these primitives to the lists without capabilities.
    pub fn apply(&self, own: &mut Collected) {
        own.reports.clone_from(&self.reports);
        let Some(pages) = &self.pages else { return };
        own.learn_header_params(pages.iter().filter(|page| page.is_conditional));
        own.pages.clone_from(pages);
    }
}

/// Identifies the lists of a server without capabilities, and its version.
pub(crate) fn about(own: &Collected, connection: &Connection) -> u128 {
    let mut digest = Digest::new();
    digest.part(connection.introduction.server_info.as_deref().unwrap_or_default().as_bytes());
    for page in &own.pages {
        digest.part(page.kind.name().as_bytes());
        digest.part(page.array.as_bytes());
        if page.is_conditional {
            digest.part(Lists::CONDITIONAL_KEY.as_bytes());
        }
    }
    own.problems.iter().for_each(|problem| digest.part(problem.list.as_bytes()));
    digest.end()
}
