use crate::{
    error::{Error, ErrorKind},
    json::{Object, Raw, is_object},
    middleware::framework::content::Content,
};

/// The result of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome<'a> {
    /// The context, changed or not.
    pub content: Content<'a>,
    /// The JSON of the object that tells the application what was done; none where there is nothing to tell. Not
    /// for a model.
    pub metadata: Option<String>,
    /// Why the context must not go on. A caller reads the same in the metadata; a chain ends here.
    pub refusal: Option<Refusal>,
}

/// The reason why a context must not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The stable code, such as `secret` or `moderation`.
    pub reason: &'static str,
    /// The message, which is logged: without the content that was found.
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

    /// Rejects the context: it must not go on.
    #[must_use]
    pub fn refuse(mut self, reason: &'static str, message: impl Into<String>) -> Self {
        self.refusal = Some(Refusal { reason, message: message.into() });
        self
    }

    /// Refuses a content that is too large, and metadata that is no object.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let failed = |error: Error| error.told_as(ErrorKind::MiddlewareFailed).within("result");
        self.content.check_result().map_err(failed)?;
        if let Some(metadata) = &self.metadata
            && !is_object(Raw::parse(metadata).map_err(failed)?)
        {
            let message = "the metadata of a function is no object";
            return Err(Error::new(ErrorKind::MiddlewareFailed, message).field("result.metadata"));
        }
        Ok(self)
    }
}
