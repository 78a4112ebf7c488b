use super::{
    Choice, Mark, Picker,
    choice::{put, set},
    history::History,
    servers::Servers,
};
use crate::{
    catalog::{Kind, Tag},
    error::Error,
    filter::Filter,
};

/// Every method is one step, and says whether it changed anything.
///
/// # Errors
/// Each as [`Filter::parse`], or as [`Filter::settle`]: the choice then stays as it was.
impl Picker {
    /// Puts the group at `at` in with everything below it, or takes it out if its box is on.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn toggle(&mut self, at: usize) -> Result<bool, Error> {
        self.edit(&|picker, choice| picker.tree.toggle(choice, at))
    }

    /// Leaves the group at `at` out with everything below it, or no longer.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn refuse(&mut self, at: usize) -> Result<bool, Error> {
        self.edit(&|picker, choice| picker.tree.refuse(choice, at))
    }

    /// Wants something of a tag.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn mark(&mut self, tag: &str, mark: Mark) -> Result<bool, Error> {
        self.edit(&|_, Choice { filter, .. }| {
            set(&mut filter.tags, tag, mark == Mark::Must);
            set(&mut filter.not.tags, tag, mark == Mark::MustNot);
        })
    }

    /// Asks any of `values` of a concern; of none given, nothing.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn wish(&mut self, concern: &str, values: &[String]) -> Result<bool, Error> {
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

    /// Keeps what these words are about; of none given, everything.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn about(&mut self, words: &str) -> Result<bool, Error> {
        let words = words.trim();
        self.edit(&|_, choice| choice.filter.query = (!words.is_empty()).then(|| words.to_owned()))
    }

    /// Switches a primitive off, or on again.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn disable(&mut self, kind: Kind, name: &str, off: bool) -> Result<bool, Error> {
        self.edit(&|_, choice| put(&mut choice.disabled, kind, name, off))
    }

    /// Keeps a primitive at hand, or no longer.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn favour(&mut self, kind: Kind, name: &str, on: bool) -> Result<bool, Error> {
        self.edit(&|_, choice| {
            put(&mut choice.favourites, kind, name, on);
            choice.only_favourites &= !choice.favourites.is_empty();
        })
    }

    /// Keeps favourites alone, if there are any.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn only_favourites(&mut self, on: bool) -> Result<bool, Error> {
        self.edit(&|_, choice| choice.only_favourites = on && !choice.favourites.is_empty())
    }

    /// Chooses what a filter asks for, such as a preset; names that are switched off or at hand stay so.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn set(&mut self, filter: &Filter) -> Result<bool, Error> {
        self.edit(&|picker, choice| {
            choice.filter.clone_from(filter);
            choice.servers = Servers::default();
            choice.only_favourites = false;
            choice.absorb(&picker.servers);
        })
    }

    /// As [`Picker::set`], for a filter that a program brings: what it changes is where a person begins, so no step
    /// leads back beyond it.
    ///
    /// # Errors
    /// As all of these methods.
    pub fn begin(&mut self, filter: &Filter) -> Result<bool, Error> {
        let changed = self.set(filter)?;
        if changed {
            self.history = History::default();
        }
        Ok(changed)
    }

    /// Takes the choice before the last change back.
    pub fn undo(&mut self) -> bool {
        let done = self.history.undo(&mut self.choice);
        self.look();
        done
    }

    /// Takes the change again that was taken back last.
    pub fn redo(&mut self) -> bool {
        let done = self.history.redo(&mut self.choice);
        self.look();
        done
    }

    /// How many steps can be taken back, and how many taken again.
    pub fn steps(&self) -> (usize, usize) {
        self.history.steps()
    }

    /// One copy of this, whatever the change.
    pub(super) fn edit(&mut self, change: &dyn Fn(&Self, &mut Choice)) -> Result<bool, Error> {
        let mut next = self.choice.clone();
        change(self, &mut next);
        if next == self.choice {
            return Ok(false);
        }
        self.narrow(next.filter()?)?;
        self.meet(&next.filter);
        self.history.record(std::mem::replace(&mut self.choice, next));
        self.look();
        Ok(true)
    }

    /// Lists what a filter names and the catalog does not, so that it can be taken back.
    fn meet(&mut self, filter: &Filter) {
        self.tree.meet(filter.groups.iter().chain(&filter.not.groups));
        for name in filter.tags.iter().chain(&filter.not.tags) {
            if !self.tags.iter().any(|tag| tag.name == *name) {
                self.tags.push(Tag { name: name.clone(), ..Tag::default() });
            }
        }
    }

    /// Whether a primitive is switched off.
    pub(super) fn is_off(&self, kind: Kind, name: &str) -> bool {
        self.choice.disabled.iter().any(|(of, known)| *of == kind && known == name)
    }

    /// Whether a primitive is kept at hand.
    pub(super) fn is_favourite(&self, kind: Kind, name: &str) -> bool {
        self.choice.favourites.iter().any(|(of, known)| *of == kind && known == name)
    }
}
