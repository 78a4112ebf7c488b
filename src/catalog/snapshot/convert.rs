//! Conversion of a catalog into a snapshot, and back.

use super::{decode, encode};
use crate::{
    catalog::{Catalog, model::kind::Kind},
    error::Error,
};

impl Catalog {
    /// Returns the whole catalog as bytes, for [`Catalog::restore`]. Token counts that are not known are estimated
    /// first.
    ///
    /// A snapshot is created at build time, from the lists and the rules. Restoring it requires neither.
    pub fn snapshot(&self) -> Vec<u8> {
        self.snapshot_under("")
    }

    /// Returns a snapshot that also contains the text of a configuration. The catalog includes the effect of its rules,
    /// but not its policies and concerns.
    pub fn snapshot_under(&self, config: &str) -> Vec<u8> {
        for kind in Kind::ALL {
            self.costs(kind);
        }
        encode::write(self, config)
    }

    /// Returns a snapshot for another process of the same deployment, without token counts that are not known yet. The
    /// processes of a gateway rarely need them, and estimating them takes longer than the rest of the snapshot.
    pub fn snapshot_as_known(&self) -> Vec<u8> {
        encode::write(self, "")
    }

    /// Restores the catalog from a snapshot. The bytes are reused, so there is no second copy of the text.
    ///
    /// The checksum detects accidental damage, but not manipulation. Restore only snapshots from a trusted source.
    ///
    /// # Errors
    /// [`ErrorKind::Snapshot`](crate::error::ErrorKind::Snapshot) for bytes that are not a snapshot, for another
    /// [format](crate::catalog::Catalog::SNAPSHOT_VERSION), and for a damaged snapshot.
    pub fn restore(snapshot: impl Into<Vec<u8>>) -> Result<Self, Error> {
        Self::restore_under(snapshot).map(|(catalog, _)| catalog)
    }

    /// Restores the catalog and the text of the configuration, which is empty if the snapshot has none.
    ///
    /// # Errors
    /// The same as for [`Catalog::restore`].
    pub fn restore_under(snapshot: impl Into<Vec<u8>>) -> Result<(Self, String), Error> {
        decode::read(snapshot.into())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use crate::catalog::{Assignments, Catalog, Kind, Lists, Source};

    /// Counts that another process does not get are estimated there, and given ones are passed on.
    #[test]
    #[cfg_attr(target_arch = "wasm32", wasm_bindgen_test::wasm_bindgen_test)]
    fn another_process_has_the_same_token_counts() {
        let lists = Lists::read(
            r#"{"tools":[{"name":"drill","inputSchema":{"type":"object"}},{"name":"file","inputSchema":{"type":"object"}}]}"#,
        );
        let sources = [Source { server: "", lists: lists.unwrap() }];
        let catalog = || Catalog::compile(&sources, &Assignments::default());
        let counted = || {
            let counts =
                format!(r#"{{"catalog":"{:032x}","tokens":{{"tool":{{"file":7}}}}}}"#, catalog().hash());
            catalog().with_tokens(&counts).unwrap()
        };
        for (catalog, is_exact) in [(catalog(), false), (counted(), true)] {
            let tokens =
                |catalog: &Catalog| [0, 1].map(|index| catalog.tokens_of(Kind::Tool, index).unwrap());
            let restored = Catalog::restore(catalog.snapshot_as_known()).unwrap();
            assert_eq!(Kind::Tool.of(&restored.costs).get().is_some(), is_exact);
            assert_eq!(tokens(&restored), tokens(&catalog));
            assert_eq!(tokens(&restored)[1].exact, is_exact);
            assert_eq!(tokens(&Catalog::restore(catalog.snapshot()).unwrap()), tokens(&catalog));
        }
    }
}
