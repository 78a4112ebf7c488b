//! Tools, prompts and resources of your own, served beside or instead of an upstream server.
//!
//! A [`LocalServer`] is written once and serves both protocol eras. If it needs input from the client, it returns the
//! questions in its [`Reply`] and is called again with the answers. Clients of the stateless revision get the questions
//! in a result and send a sealed state back; clients with a session get them as requests.
//!
//! Long work is done in steps: a [`Reply::Continue`] contains the state to remember, and the server is called again
//! with it. Nothing else is kept between two steps. Work therefore continues wherever its last state was stored: in a
//! task if the caller accepts one, otherwise in this process, step after step.
//!
//! A host lists the server like an upstream server, and answers its calls with [`answer`].

mod reply;
mod server;
mod steps;

pub use crate::{
    host::{
        forward::TaskPlan,
        local_request::{LocalRequest, ProgressSender},
    },
    protocol::log_level::{Level, LevelError},
};
pub use reply::{Continue, Input, InputRequest, Progress, Reply};
pub use server::LocalServer;
pub use steps::{MAX_STEPS, Sleep, answer};
