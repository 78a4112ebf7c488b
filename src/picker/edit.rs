//! The actions that change a choice, including undo and redo.

use super::{
    Choice, Mark, Picker,
    choice::{holds_name, put, set},
    history::History,
    servers::Servers,
};
use crate::picker::Preferences;
use crate::{
    catalog::{Kind, Tag},
    error::{Error, ErrorKind},
    filter::Filter,
};

/// The changes of a choice. Every method is one undo step, and returns whether it changed anything.
impl Picker {
    /// Selects the group at `at` with all groups below it, or deselects it if its box is on.
    ///
    /// # Errors
    /// The errors of [`Filter::parse`] and of [`View::list`](crate::View::list), if the choice is no valid filter. It
    /// then does not change.
    pub fn toggle(&mut self, at: usize) -> Result<bool, Error> {
        self.edit(&|picker, choice| picker.tree.toggle(choice, at))
    }

    /// Excludes the group at `at` with all groups below it, or ends its exclusion.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn exclude(&mut self, at: usize) -> Result<bool, Error> {
        self.edit(&|picker, choice| picker.tree.exclude(choice, at))
    }

    /// Sets the choice for a tag.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn mark(&mut self, tag: &str, mark: Mark) -> Result<bool, Error> {
        self.edit(&|_, Choice { filter, .. }| {
            set(&mut filter.tags, tag, mark == Mark::Must);
            set(&mut filter.not.tags, tag, mark == Mark::MustNot);
        })
    }

    /// Sets the chosen `values` of a concern. Empty for no condition.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn set_concern(&mut self, concern: &str, values: &[String]) -> Result<bool, Error> {
        self.edit(&|_, choice| {
            let others = choice.filter.concerns.iter().filter(|(name, _)| *name != concern);
            let mut concerns = crate::concern::Configuration::default();
            others.for_each(|(name, values)| concerns.set(name, values.map(<[String]>::to_vec)));
            if !values.is_empty() {
                concerns.set(concern, Some(values.to_vec()));
            }
            choice.filter.concerns = concerns;
        })
    }

    /// Sets the words of the filter's search. Empty for no search.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn set_query(&mut self, words: &str) -> Result<bool, Error> {
        let words = words.trim();
        self.edit(&|_, choice| choice.filter.query = (!words.is_empty()).then(|| words.to_owned()))
    }

    /// Disables a primitive, which is then no longer pinned, or enables it again. The limit may drop one that is
    /// enabled: see [`Picker::pin`].
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn disable(&mut self, kind: Kind, name: &str, off: bool) -> Result<bool, Error> {
        self.edit(&|_, choice| {
            put(&mut choice.disabled, kind, name, off);
            if off {
                put(&mut choice.pins, kind, name, false);
            }
        })
    }

    /// Adds a primitive to the favorites, or removes it.
    ///
    /// # Errors
    /// [`ErrorKind::FilterLimit`] beyond [`Preferences::MAX_NAMES`](crate::picker::Preferences::MAX_NAMES), which
    /// preferences could not store, and those of [`Picker::toggle`].
    pub fn set_favorite(&mut self, kind: Kind, name: &str, on: bool) -> Result<bool, Error> {
        if on && self.choice.favorites.len() >= Preferences::MAX_NAMES && !self.is_favorite(kind, name) {
            let message = format!("expected at most {max} favorites", max = Preferences::MAX_NAMES);
            return Err(Error::new(ErrorKind::FilterLimit, message).field("favorites"));
        }
        self.edit(&|_, choice| {
            put(&mut choice.favorites, kind, name, on);
            choice.only_favorites &= !choice.favorites.is_empty();
        })
    }

    /// Sets whether only favorites are shown. Ignored if there are none.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn set_only_favorites(&mut self, on: bool) -> Result<bool, Error> {
        self.edit(&|_, choice| choice.only_favorites = on && !choice.favorites.is_empty())
    }

    /// Sets the choice to that of a filter, such as a preset. Disabled names and favorites do not change.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn set(&mut self, filter: &Filter) -> Result<bool, Error> {
        self.edit(&|picker, choice| {
            choice.filter.clone_from(filter);
            choice.servers = Servers::default();
            choice.only_favorites = false;
            choice.absorb(&picker.servers);
        })
    }

    /// Sets the choice like [`Picker::set`], for a filter that a program provides. The result is the starting point of
    /// the user, so the undo history is cleared.
    ///
    /// # Errors
    /// The same as for [`Picker::toggle`].
    pub fn begin(&mut self, filter: &Filter) -> Result<bool, Error> {
        let changed = self.set(filter)?;
        if changed {
            self.history = History::default();
        }
        Ok(changed)
    }

    /// Undoes the last change. Returns whether there was one.
    pub fn undo(&mut self) -> bool {
        let done = self.history.undo(&mut self.choice);
        self.look();
        done
    }

    /// Redoes the change that was undone last. Returns whether there was one.
    pub fn redo(&mut self) -> bool {
        let done = self.history.redo(&mut self.choice);
        self.look();
        done
    }

    /// Returns the number of steps that can be undone, and that can be redone.
    pub fn steps(&self) -> (usize, usize) {
        self.history.steps()
    }

    /// Applies a change to the choice. All methods share one compiled copy.
    pub(super) fn edit(&mut self, change: &dyn Fn(&Self, &mut Choice)) -> Result<bool, Error> {
        let mut next = self.choice.clone();
        change(self, &mut next);
        if next == self.choice {
            return Ok(false);
        }
        self.narrow(next.filter(&[])?)?;
        self.add_unknown_names(&next.filter);
        self.history.record(std::mem::replace(&mut self.choice, next));
        self.look();
        Ok(true)
    }

    /// Lists groups and tags of a filter that the catalog lacks, so that the user can deselect them.
    fn add_unknown_names(&mut self, filter: &Filter) {
        self.tree.add_unknown_groups(filter.groups.iter().chain(&filter.not.groups));
        for name in filter.tags.iter().chain(&filter.not.tags) {
            if !self.tags.iter().any(|tag| tag.name == *name) {
                self.tags.push(Tag { name: name.clone(), ..Tag::default() });
            }
        }
    }

    /// Returns whether a primitive is disabled.
    pub(super) fn is_off(&self, kind: Kind, name: &str) -> bool {
        holds_name(&self.choice.disabled, kind, name)
    }

    /// Returns whether a primitive is a favorite.
    pub(super) fn is_favorite(&self, kind: Kind, name: &str) -> bool {
        holds_name(&self.choice.favorites, kind, name)
    }
}
