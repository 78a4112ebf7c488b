//! The stored state of a task, and the protocol status in each era.

use serde::{Deserialize, Serialize};

use crate::revision::Era;

/// The status of a task, in the terms of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The task is in progress.
    Working,
    /// The task waits for answers of its client.
    InputRequired,
    /// The task ended with a result.
    Completed,
    /// The task ended with an error.
    Failed,
    /// The client cancelled the task.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    /// Returns the name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Returns the status with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// The stored state of a task, from which the status in either era is derived. The discriminants are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum TaskState {
    /// The task is in progress.
    Working = 0,
    /// The task waits for answers of its client.
    InputRequired = 1,
    /// The task ended with a result.
    Completed = 2,
    /// The task ended with a result with `isError: true`.
    Erred = 3,
    /// The task ended with a JSON-RPC error.
    Failed = 4,
    /// The client cancelled the task.
    Cancelled = 5,
}

impl TaskState {
    /// Every state, in the order of the stored numbers.
    pub const ALL: [Self; 6] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Erred, Self::Failed, Self::Cancelled];

    /// Returns the stored number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Returns the state with a stored number.
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Returns the status in an era.
    pub fn status(self, era: Era) -> Status {
        match (self, era) {
            (Self::Working, _) => Status::Working,
            (Self::InputRequired, _) => Status::InputRequired,
            (Self::Completed, _) | (Self::Erred, Era::Stateless) => Status::Completed,
            (Self::Erred, Era::Session) | (Self::Failed, _) => Status::Failed,
            (Self::Cancelled, _) => Status::Cancelled,
        }
    }

    /// Returns whether the state is final.
    pub fn ended(self) -> bool {
        !matches!(self, Self::Working | Self::InputRequired)
    }
}
