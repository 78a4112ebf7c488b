//! The result of a function: changed content, metadata or a refusal.

use std::borrow::Cow;

use mcp_sieve::{
    Error, ErrorKind,
    json::{Object, Raw},
};

use crate::middleware::framework::content::Content;

/// The result of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The context, changed or not.
    pub content: Content<'a>,
    /// A report for the application, not for a model, as the JSON of an object; `None` if there is nothing to report.
    pub metadata: Option<String>,
    /// The reason to reject the context, if the function rejects it; a chain ends there. The metadata carries the same
    /// information for callers.
    pub refusal: Option<Refusal>,
}

/// The reason why a function rejects a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The stable code, such as `secret` or `moderation`.
    pub reason: Cow<'static, str>,
    /// The message, which is logged. It must not contain the content that was found.
    pub message: String,
}

impl<'a> Outcome<'a> {
    /// Returns an outcome without metadata.
    pub fn new(content: Content<'a>) -> Self {
        Self { content, ..Self::default() }
    }

    /// Sets the metadata, a JSON object whose members `write` writes.
    #[must_use]
    pub fn with_metadata(mut self, write: impl FnOnce(&mut Object<'_>)) -> Self {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        write(&mut object);
        object.close();
        self.metadata = String::from_utf8(out).ok().filter(|metadata| metadata != "{}");
        self
    }

    /// Rejects the context, with a code and a message for the log.
    #[must_use]
    pub fn refuse(mut self, reason: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        self.refusal = Some(Refusal { reason: reason.into(), message: message.into() });
        self
    }

    /// Rejects content that is too large, and metadata that is not an object.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let failed = |error: Error| error.with_kind(ErrorKind::MiddlewareFailed).within("result");
        self.content.check_result().map_err(failed)?;
        if let Some(metadata) = &self.metadata
            && !Raw::parse(metadata).map_err(failed)?.is_object()
        {
            let message = "the metadata of a function is no object";
            return Err(Error::new(ErrorKind::MiddlewareFailed, message).field("result.metadata"));
        }
        Ok(self)
    }
}
