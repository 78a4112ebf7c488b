//! What a server offers beside its primitives, as far as callers or the gateway depend on it.

use std::ops::Not;

use mcp_sieve::Kind;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::protocol::{
    skills::{DIRECTORY_READ, EXTENSION as SKILLS},
    tasks::EXTENSION as TASKS,
};

/// What a server offers beside its primitives. A server of both protocol eras offers what it announces in either.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Features {
    /// Whether the server answers `completion/complete`.
    #[serde(skip_serializing_if = "Not::not")]
    pub completions: bool,
    /// Whether the server has skills, some of which may be unlisted.
    #[serde(skip_serializing_if = "Not::not")]
    pub skills: bool,
    /// Whether the server answers `resources/directory/read`.
    #[serde(skip_serializing_if = "Not::not")]
    pub directory_read: bool,
    /// Whether the server sends log messages.
    #[serde(skip_serializing_if = "Not::not")]
    pub logging: bool,
    /// Whether the server reports updates of resources.
    #[serde(skip_serializing_if = "Not::not")]
    pub subscribe: bool,
    /// Whether the server runs calls as tasks.
    #[serde(skip_serializing_if = "Not::not")]
    pub tasks: bool,
    /// Whether the server reports changes of its list of tools.
    #[serde(skip_serializing_if = "Not::not")]
    pub tools_changed: bool,
    /// Whether the server reports changes of its lists of resources and templates.
    #[serde(skip_serializing_if = "Not::not")]
    pub resources_changed: bool,
    /// Whether the server reports changes of its list of prompts.
    #[serde(skip_serializing_if = "Not::not")]
    pub prompts_changed: bool,
    /// Whether the server keeps sessions and answers no stateless requests, so that two calls share state only in one
    /// session.
    #[serde(skip_serializing_if = "Not::not")]
    pub keeps_sessions: bool,
    /// Whether the server states for one of its lists that no shared cache may store it.
    #[serde(skip_serializing_if = "Not::not")]
    pub private: bool,
}

impl Features {
    /// Returns the features of a server of the host itself, which reports all changes.
    pub fn of_host() -> Self {
        Self {
            completions: true,
            logging: true,
            subscribe: true,
            tasks: true,
            tools_changed: true,
            resources_changed: true,
            prompts_changed: true,
            ..Self::default()
        }
    }

    /// Reads the `capabilities` of a server, as in its result of `initialize` or `server/discover`.
    pub fn read(capabilities: &Value) -> Self {
        let member = |key: &str| capabilities.get(key).filter(|value| !value.is_null());
        let extension = |key: &str| member("extensions")?.get(key).filter(|value| !value.is_null());
        let sets = |value: Option<&Value>, key: &str| {
            value.and_then(|value| value.get(key)) == Some(&Value::Bool(true))
        };
        let changes = |key: &str| sets(member(key), "listChanged");
        Self {
            completions: member("completions").is_some(),
            skills: extension(SKILLS).is_some(),
            directory_read: sets(extension(SKILLS), DIRECTORY_READ),
            logging: member("logging").is_some(),
            subscribe: sets(member("resources"), "subscribe"),
            tasks: member("tasks").is_some() || extension(TASKS).is_some(),
            tools_changed: changes("tools"),
            resources_changed: changes("resources"),
            prompts_changed: changes("prompts"),
            keeps_sessions: false,
            private: false,
        }
    }

    /// Returns the features of a server at which callers have sessions of their own, or not.
    pub(crate) fn in_sessions(self, has_own: bool) -> Self {
        Self { keeps_sessions: self.keeps_sessions && has_own, ..self }
    }

    /// Returns whether the server reports changes of its list of this kind.
    pub(crate) fn reports_changes(&self, kind: Kind) -> bool {
        match kind {
            Kind::Tool => self.tools_changed,
            Kind::Resource | Kind::Template | Kind::Skill => self.resources_changed,
            Kind::Prompt => self.prompts_changed,
        }
    }

    /// Returns the features of a server that offers these in stateless requests, and `other` in a session beside them.
    pub(crate) fn beside(self, other: Self) -> Self {
        Self {
            completions: self.completions || other.completions,
            skills: self.skills || other.skills,
            directory_read: self.directory_read || other.directory_read,
            logging: self.logging || other.logging,
            subscribe: self.subscribe || other.subscribe,
            tasks: self.tasks || other.tasks,
            tools_changed: self.tools_changed || other.tools_changed,
            resources_changed: self.resources_changed || other.resources_changed,
            prompts_changed: self.prompts_changed || other.prompts_changed,
            keeps_sessions: self.keeps_sessions,
            private: self.private || other.private,
        }
    }
}
