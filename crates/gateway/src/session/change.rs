//! Changes that clients are notified of, and their notifications.

use crate::object::deserialize_bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A change that clients are notified of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Tools were added, removed or changed; groups and tags of a tool are part of it.
    Tools,
    /// Resources or resource templates were added, removed or changed.
    Resources,
    /// Prompts were added, removed or changed.
    Prompts,
    /// Groups were added, removed or changed.
    Groups,
    /// Tags were added, removed or changed.
    Tags,
    /// Declarations of concerns were added, removed or changed.
    Concerns,
    /// The content of the resource with this URI changed.
    Resource(String),
}

impl Change {
    /// The changes of lists, with the names that select them in `subscriptions/listen`.
    pub const LISTS: [(&'static str, Self); 6] = [
        ("toolsListChanged", Self::Tools),
        ("promptsListChanged", Self::Prompts),
        ("resourcesListChanged", Self::Resources),
        ("groupsListChanged", Self::Groups),
        ("tagsListChanged", Self::Tags),
        ("concernsListChanged", Self::Concerns),
    ];

    /// Returns the change that a notification reports.
    pub(crate) fn read(message: &[u8]) -> Option<Self> {
        let message: Value = deserialize_bytes(message).ok()?;
        let method = message.get("method")?.as_str()?;
        if method == Self::Resource(String::new()).method() {
            return message.pointer("/params/uri")?.as_str().map(|uri| Self::Resource(uri.to_owned()));
        }
        Self::LISTS.into_iter().map(|(_, change)| change).find(|change| change.method() == method)
    }

    /// Returns the method of the notification.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Resources => "notifications/resources/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Groups => "notifications/groups/list_changed",
            Self::Tags => "notifications/tags/list_changed",
            Self::Concerns => "notifications/concerns/list_changed",
            Self::Resource(_) => "notifications/resources/updated",
        }
    }

    /// Returns the notification. `meta` is its `_meta`.
    pub(crate) fn notification(&self, meta: Option<Value>) -> Vec<u8> {
        let mut params = match self {
            Self::Resource(uri) => json!({"uri": uri}),
            _ => json!({}),
        };
        if let (Some(meta), Some(params)) = (meta, params.as_object_mut()) {
            params.insert("_meta".to_owned(), meta);
        }
        let mut message = json!({"jsonrpc": "2.0", "method": self.method()});
        if let Some(object) = message.as_object_mut().filter(|_| params != json!({})) {
            object.insert("params".to_owned(), params);
        }
        message.to_string().into_bytes()
    }
}
