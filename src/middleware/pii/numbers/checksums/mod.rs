//! Check digits and other rules that the issuers of numbers publish, one file for each family of issuers. Each check
//! takes the letters, in capitals, and digits of a number, without separators, in the shape that the table has matched.

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
