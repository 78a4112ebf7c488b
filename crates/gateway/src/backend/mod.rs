//! The upstream servers as requests see them: the compiled catalog, what servers declare, and their status.

pub(crate) mod declarations;
pub(crate) mod declared;
pub(crate) mod features;
pub(crate) mod guarded_catalog;
pub(crate) mod header_param;
pub(crate) mod introduction;
pub(crate) mod introductions;
pub(crate) mod status;
