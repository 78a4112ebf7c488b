//! The functions that come with the engine, one file each.

use std::rc::Rc;

use crate::middleware::framework::{middleware::Middleware, registry::Registry};

mod content_moderation;
mod context_logger;
mod document_retrieval;
mod hallucination;
mod pii_redaction;
mod pii_restoration;
mod secret_detection;
mod timestamp_injector;
mod tool_filter;

pub use content_moderation::{ContentModeration, Judge};
pub use context_logger::ContextLogger;
pub use document_retrieval::DocumentRetrieval;
pub use hallucination::HallucinationCheck;
pub use pii_redaction::PiiRedaction;
pub use pii_restoration::PiiRestoration;
pub use secret_detection::SecretDetection;
pub use timestamp_injector::TimestampInjector;
pub use tool_filter::ToolFilter;

impl Registry {
    /// Creates a registry of the functions that come with the engine.
    pub fn built_in() -> Self {
        let functions: Vec<Rc<dyn Middleware>> = vec![
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
        let mut registry = Self::new();
        // A test adds each of them and fails if one is rejected.
        functions.into_iter().for_each(|function| _ = registry.add(function));
        registry
    }
}
