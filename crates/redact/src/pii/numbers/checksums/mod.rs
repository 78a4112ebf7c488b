//! Check digits and other rules that the issuers of numbers publish, one file for each family of issuers.
//!
//! Each check takes the digits and the letters, in capitals, of a number that matches a form of the table, without
//! separators.

pub(crate) mod americas;
pub(crate) mod asia_pacific;
pub(crate) mod britain;
pub(crate) mod digits;
pub(crate) mod europe;
pub(crate) mod finance;
pub(crate) mod germany;
pub(crate) mod italy;
pub(crate) mod korea;
pub(crate) mod nordics;
pub(crate) mod phones;
