//! Sentences for what still missed its target: telephone numbers beside other numbers that stand near words such as
//! *call* and *mobile*, names in small letters behind *ik heet*, *ich heisse* and the like, and kinds of best effort.
//! They were committed before a rule was changed for them. Rules may be tuned on the first half only.

mod names;
mod negatives;
mod numbers;
mod phones;

use crate::{corpus::Corpus, unseen};

use negatives::NOTHING;
use unseen::{checks, class};

/// Every row, kind by kind.
pub fn corpus() -> Corpus {
    let files = [phones::CLASSES, names::CLASSES, numbers::CLASSES];
    Corpus { classes: files.into_iter().flatten().collect(), nothing: NOTHING }
}
