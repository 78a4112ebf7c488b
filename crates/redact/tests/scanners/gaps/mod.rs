//! Sentences for classes that the other sets showed as missed: names in small letters, announced telephone numbers
//! beside numbers that only look like them, addresses of three countries, and numbers that are announced in other
//! forms. They were committed before a rule was changed for them. Rules may be tuned on the first half only.

mod addresses;
mod names;
mod negatives;
mod numbers;
mod overseas;
mod phones;

use crate::{corpus::Corpus, unseen};

use negatives::NOTHING;
use unseen::{checks, class};

/// Forms in which a number stands behind its name, for the tuning half, and sentences of a row's own.
macro_rules! tuning {
    ($($word:literal),+; $($own:literal),* $(,)?) => {
        &[
            $(
                concat!($word, " is {}, thanks"),
                concat!("Bot: please enter the ", $word, ".\nUser: {}"),
                concat!("Do you have my ", $word, "? That would be {}."),
                concat!("<label>", $word, "</label> <b>{}</b>"),
                concat!("ticket 12 | ", $word, " | {} | open"),
                concat!("- **", $word, "**: {}"),
                concat!("My ", $word, " has changed, the new one is {}"),
                concat!($word, ",{},active"),
            )+
            $($own),*
        ]
    };
}

/// The same for the judging half.
macro_rules! judging {
    ($($word:literal),+; $($own:literal),* $(,)?) => {
        &[
            $(
                concat!($word, ": {} (verified)"),
                concat!("Could you check ", $word, " {} for me?"),
                concat!("Agent: what is the ", $word, "?\nCustomer: {}"),
                concat!("<dt>", $word, "</dt><dd>{}</dd>"),
                concat!($word, "\t{}\n"),
                concat!("{\"", $word, "\": \"{}\", \"ok\": true}"),
                concat!("They wanted the ", $word, ", so here it is: {}"),
                concat!("Re: ", $word, " / on file {} / please confirm"),
            )+
            $($own),*
        ]
    };
}

pub(super) use {judging, tuning};

/// Every row, kind by kind.
pub fn corpus() -> Corpus {
    let files = [names::CLASSES, phones::CLASSES, addresses::CLASSES, numbers::CLASSES, overseas::CLASSES];
    Corpus { classes: files.into_iter().flatten().collect(), nothing: NOTHING }
}
