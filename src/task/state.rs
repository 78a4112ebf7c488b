use serde::{Deserialize, Serialize};

use crate::revision::Era;

/// How a task stands, in the words of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Under way.
    Working,
    /// Waits for answers of its client.
    InputRequired,
    /// Ended with a result.
    Completed,
    /// Ended without.
    Failed,
    /// Ended by its client.
    Cancelled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// The status that is written so.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// How a task stands, as it is kept: a status of either era can be read off it. The numbers are those in storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum TaskState {
    /// Under way.
    Working = 0,
    /// Waits for answers of its client.
    InputRequired = 1,
    /// Ended with a result.
    Completed = 2,
    /// Ended with a result that says `isError`.
    Erred = 3,
    /// Ended with a JSON-RPC error.
    Failed = 4,
    /// Ended by its client.
    Cancelled = 5,
}

impl TaskState {
    /// Every state, by its number.
    pub const ALL: [Self; 6] =
        [Self::Working, Self::InputRequired, Self::Completed, Self::Erred, Self::Failed, Self::Cancelled];

    /// The number in storage.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// The state of a number.
    pub fn numbered(number: u8) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// What clients of an era call it.
    pub fn status(self, era: Era) -> Status {
        match (self, era) {
            (Self::Working, _) => Status::Working,
            (Self::InputRequired, _) => Status::InputRequired,
            (Self::Completed, _) | (Self::Erred, Era::Stateless) => Status::Completed,
            (Self::Erred, Era::Session) | (Self::Failed, _) => Status::Failed,
            (Self::Cancelled, _) => Status::Cancelled,
        }
    }

    /// Whether nothing comes behind it.
    pub fn ended(self) -> bool {
        !matches!(self, Self::Working | Self::InputRequired)
    }
}
