//! The built-in functions, one file each.

mod built_in;
mod content_moderation;
mod context_logger;
mod document_retrieval;
mod hallucination;
mod pii_redaction;
mod pii_restoration;
mod redaction_options;
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
