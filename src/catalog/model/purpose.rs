//! The purpose for which groups and tags are read: published ones count in filters only.

/// The purpose for which the groups and tags of a primitive are read.
///
/// A *trusted* membership is declared as SEP-1300 defines, assigned by the configuration, or read from a source that the
/// configuration names. A *published* one is read from another source. It counts in filters only, so that a server
/// cannot change what policies show by a member that no operator knows of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Filters, searches and the lists of groups and tags. Trusted and published memberships count.
    #[default]
    Filter,
    /// Policies, presets and the tools that every mode of disclosure lists. Only trusted memberships count.
    Policy,
}
