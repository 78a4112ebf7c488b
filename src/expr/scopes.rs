//! The scopes of a caller.

use super::{Field, Subject};

impl Field {
    /// Visits each scope of a caller by its claims `scope` and `scp`. They are a space-separated text or an array of texts;
    /// large issuers use either.
    pub fn visit_scopes(caller: &dyn Subject, visit: &mut dyn FnMut(&str)) {
        for claim in ["scope", "scp"] {
            caller.values(&Self::Claim(claim.to_owned()), &mut |value| {
                value.split_ascii_whitespace().for_each(&mut *visit);
            });
        }
    }
}
