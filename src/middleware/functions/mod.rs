//! The functions that come with the engine, one file each.

pub(crate) mod content_moderation;
pub(crate) mod context_logger;
pub(crate) mod document_retrieval;
pub(crate) mod hallucination;
pub(crate) mod pii_redaction;
pub(crate) mod pii_restoration;
pub(crate) mod secret_detection;
pub(crate) mod timestamp_injector;
pub(crate) mod tool_filter;

pub use content_moderation::{ContentModeration, Judge};
pub use context_logger::ContextLogger;
pub use document_retrieval::DocumentRetrieval;
pub use hallucination::HallucinationCheck;
pub use pii_redaction::PiiRedaction;
pub use pii_restoration::PiiRestoration;
pub use secret_detection::SecretDetection;
pub use timestamp_injector::TimestampInjector;
pub use tool_filter::ToolFilter;

use std::rc::Rc;

use crate::middleware::framework::{middleware::Middleware, registry::Registry};

impl Registry {
    /// The functions that come with the engine.
    pub fn built_in() -> Self {
        let mut registry = Self::new();
        let functions: [Rc<dyn Middleware>; 9] = [
            Rc::new(PiiRedaction),
            Rc::new(PiiRestoration),
            Rc::new(SecretDetection),
            Rc::new(ContentModeration::default()),
            Rc::new(DocumentRetrieval),
            Rc::new(TimestampInjector),
            Rc::new(ToolFilter),
            Rc::new(HallucinationCheck),
            Rc::new(ContextLogger),
        ];
        // A test adds each of them and hears of any that is refused.
        functions.into_iter().for_each(|function| _ = registry.add(function));
        registry
    }
}
