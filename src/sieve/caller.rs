use crate::{
    error::Error,
    expr::{Field, Subject},
    policy::{CallerContext, Described, Preset},
};

/// The caller of a view: the claims of its token and the name of its client.
///
/// Policies and presets read it by the fields `claim.…`, `client.name` and `client.version` of an
/// [expression](crate::expr).
///
/// ```
/// use mcp_sieve::Caller;
///
/// let caller = Caller::with_claims(r#"{"sub":"alice","groups":["ops"]}"#)?.with_client("editor", "2.1.0");
/// # Ok::<(), mcp_sieve::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caller {
    /// A JSON object.
    claims: String,
    client: Option<[String; 2]>,
}

impl Caller {
    /// Returns a caller without a token, of whose client nothing is known.
    pub fn anonymous() -> Self {
        Self { claims: "{}".to_owned(), client: None }
    }

    /// Returns a caller with the claims of a verified token, a JSON object.
    ///
    /// # Errors
    /// [`ErrorKind::Json`](crate::error::ErrorKind::Json) for anything else.
    pub fn with_claims(claims: impl Into<String>) -> Result<Self, Error> {
        let claims = claims.into();
        Described::read(&claims)?;
        Ok(Self { claims, client: None })
    }

    /// Sets the name and version by which the client introduces itself. No one verifies them.
    #[must_use]
    pub fn with_client(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { client: Some([name.into(), version.into()]), ..self }
    }

    /// The caller under the presets that apply to it.
    pub(super) fn bound(&self, presets: &[Preset]) -> BoundCaller<'_> {
        // They were read before.
        let mut described = Described::read(&self.claims).unwrap_or_default();
        described.bind(presets, None);
        BoundCaller { described, client: self.client.as_ref() }
    }
}

pub(super) struct BoundCaller<'a> {
    described: Described<'a>,
    client: Option<&'a [String; 2]>,
}

impl Subject for BoundCaller<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match (field, self.client) {
            (Field::ClientName, Some([name, _])) => visit(name),
            (Field::ClientVersion, Some([_, version])) => visit(version),
            _ => self.described.values(field, visit),
        }
    }
}

impl CallerContext for BoundCaller<'_> {}
