//! The context of a request: its caller, its route, its filter, and the part of the catalog that it may see.

pub(crate) mod admission;
pub(crate) mod apply;
pub mod auth;
pub(crate) mod bound_arguments;
pub(crate) mod concerns;
pub(crate) mod context;
pub(crate) mod disclosure;
pub(crate) mod discovery;
pub(crate) mod header_param_check;
pub(crate) mod list_fingerprints;
pub(crate) mod log_line;
pub(crate) mod presets;
pub(crate) mod resource;
pub(crate) mod route;
pub(crate) mod server_info;
pub(crate) mod session_state;
pub(crate) mod step_up;
pub(crate) mod toolset_headers;
pub(crate) mod visibility;
