//! The entry of the gateway: one HTTP request in, one HTTP response out.
//!
//! [`handle`] answers a request whose body has been read. An entry point that reads bodies itself goes step by step, so
//! that a refused request costs no memory:
//!
//! 1. [`Endpoint::from_path`] decides whether the path is that of an MCP endpoint, perhaps of a preset.
//! 2. An [`Authenticator`](crate::auth::Authenticator) identifies the caller by its token.
//! 3. [`AcceptedHead::read`] checks the head of the request.
//! 4. [`Intake::read`] reads the body within the memory of the process.
//! 5. [`Inbound::read`] parses the body. Its [weight](Inbound::weight) is counted by a
//!    [`RateLimiter`](crate::limits::RateLimiter).
//! 6. [`AcceptedHead::answer`] returns the response.
//!
//! [`handle_plain_list`] serves lists to clients without MCP, as `GET /catalog/tools`.

pub(crate) mod batch;
pub(crate) mod catalog_resource;
pub(crate) mod dispatch;
pub(crate) mod handler;
pub(crate) mod inbound;
pub(crate) mod server_card;

pub use crate::{
    http::{
        cors::check_host,
        intake::{
            BODY_MS, BODY_PACE, BodyReader, Intake, Lease, MAX_ALL_AWAITED, MAX_AWAITED, MAX_BODIES,
            MAX_BODY, MAX_CALLER_BODIES, SMALL_BODIES, SMALL_BODY, content_length,
        },
    },
    object::{OwnedObject, ReadObject},
    protocol::{
        cursor::{Cursor, Position},
        endpoint::{Endpoint, MCP_PATH, PLAIN_PATH},
        headers::{SESSION_ID as SESSION_HEADER, requested_origin},
        method::method_names,
        response::Body,
    },
};
pub use batch::{MAX_BATCH, MAX_BATCH_RESPONSES};
pub use catalog_resource::handle_plain_list;
pub use handler::{AcceptedHead, handle};
pub use inbound::Inbound;
pub use server_card::CARD_CATALOG_PATHS;
