//! The table of methods, with their properties other than the behavior of their handlers.

use mcp_sieve::{Kind, catalog::Catalog, revision::Era};

use crate::protocol::freshness::Freshness;

/// The kind of primitive that a request names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The server, the session or a whole list.
    None,
    /// The tool that `name` names.
    Tool,
    /// The prompt that `name` names.
    Prompt,
    /// The resource at `uri`.
    Resource,
    /// The prompt or resource that `ref` names.
    Reference,
    /// The skill at `uri`.
    Skill,
    /// The directory at `uri`.
    Directory,
    /// The task that `taskId` names.
    Task,
}

/// The names under which a method is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Its own name.
    Own,
    /// Its own name, and that name after `dev.mcpsieve/`, for methods of proposals.
    Both,
    /// Only its name after `dev.mcpsieve/`, for methods that are not proposed.
    Prefixed,
}

/// The eras whose clients can call a method.
const BOTH: &[Era] = &[Era::Session, Era::Stateless];
const SESSION: &[Era] = &[Era::Session];
const STATELESS: &[Era] = &[Era::Stateless];

/// A row of the table.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The name without a prefix.
    name: &'static str,
    names: Names,
    eras: &'static [Era],
    freshness: Freshness,
    subject: Subject,
    /// Whether a server may send requests to the client while it works on this one.
    may_ask: bool,
}

macro_rules! methods {
    ($($(#[doc = $doc:literal])* $variant:ident: $name:expr, $names:ident, $eras:ident, $freshness:ident, $subject:ident, $may_ask:literal;)+) => {
        /// A method that clients call.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Method {
            $($(#[doc = $doc])* $variant,)+
        }

        impl Method {
            /// Every method.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            const fn row(self) -> Row {
                match self {
                    $(Self::$variant => Row {
                        name: $name,
                        names: Names::$names,
                        eras: $eras,
                        freshness: Freshness::$freshness,
                        subject: Subject::$subject,
                        may_ask: $may_ask,
                    },)+
                }
            }
        }
    };
}

methods! {
    // variant: name, names, eras, freshness of the catalog, subject, whether its server may send the client requests
    Initialize: "initialize", Own, SESSION, Route, None, false;
    Ping: "ping", Own, SESSION, List, None, false;
    Discover: "server/discover", Own, STATELESS, Route, None, false;
    ListTools: Kind::Tool.list_method(), Own, BOTH, List, None, false;
    ListResources: Kind::Resource.list_method(), Own, BOTH, List, None, false;
    ListTemplates: Kind::Template.list_method(), Own, BOTH, List, None, false;
    ListPrompts: Kind::Prompt.list_method(), Own, BOTH, List, None, false;
    ListSkills: Kind::Skill.list_method(), Own, BOTH, List, None, false;
    /// Defined in SEP-2636, a draft.
    Manifest: "tools/manifest", Own, BOTH, List, None, false;
    /// Defined in SEP-2636, a draft.
    DescribeTools: "tools/describe", Own, BOTH, List, None, false;
    /// Defined in the experiment "deterministic groups".
    ListExactGroups: "experimental/groups/list", Own, BOTH, List, None, false;
    /// Defined in the experiment "deterministic groups".
    ExpandGroup: "experimental/groups/expand", Own, BOTH, List, None, false;
    GetSkill: "skills/get", Own, BOTH, Route, Skill, false;
    ReadDirectory: "resources/directory/read", Own, BOTH, Route, Directory, false;
    CallTool: "tools/call", Own, BOTH, Route, Tool, true;
    GetPrompt: "prompts/get", Own, BOTH, Route, Prompt, true;
    ReadResource: "resources/read", Own, BOTH, Route, Resource, true;
    Complete: "completion/complete", Own, BOTH, Route, Reference, false;
    Subscribe: "resources/subscribe", Own, SESSION, Route, Resource, false;
    Unsubscribe: "resources/unsubscribe", Own, SESSION, Route, Resource, false;
    Listen: "subscriptions/listen", Own, STATELESS, List, None, false;
    SetLogLevel: "logging/setLevel", Own, SESSION, Route, None, false;
    GetTask: "tasks/get", Own, BOTH, Route, Task, false;
    CancelTask: "tasks/cancel", Own, BOTH, Route, Task, false;
    UpdateTask: "tasks/update", Own, STATELESS, Route, Task, false;
    TaskResult: "tasks/result", Own, SESSION, Route, Task, false;
    ListTasks: "tasks/list", Own, SESSION, List, None, false;
    QueryTasks: "tasks/query", Prefixed, STATELESS, List, None, false;
    ListGroups: "groups/list", Both, BOTH, List, None, false;
    /// Defined in the draft that discloses groups, which shares `groups/list` with SEP-1300.
    GetGroup: "groups/get", Own, STATELESS, List, None, false;
    ListTags: "tags/list", Both, BOTH, List, None, false;
    /// Defined in #1936; this name follows the pattern of the protocol.
    ListConcerns: "concerns/list", Both, BOTH, List, None, false;
    /// Defined in #1936; this name is from its text.
    ListConcernsAsProposed: "listConcerns", Both, BOTH, List, None, false;
    UpdateConcerns: "concerns/update", Both, BOTH, List, None, false;
    UpdateConcernsAsProposed: "updateConcerns", Both, BOTH, List, None, false;
    Explain: "explain", Prefixed, BOTH, List, None, false;
}

/// The notifications that clients send.
const NOTIFICATIONS: [&str; 3] =
    ["notifications/initialized", "notifications/cancelled", "notifications/progress"];

/// The HTTP methods of requests.
const VERBS: [&str; 7] = ["GET", "POST", "DELETE", "OPTIONS", "HEAD", "PUT", "PATCH"];

impl Method {
    /// Returns the method with a name. Returns `None` for an unknown method, or one served under another name.
    pub fn named(name: &str) -> Option<Self> {
        let bare = name.strip_prefix(Catalog::PREFIX).and_then(|name| name.strip_prefix('/'));
        Self::ALL.iter().copied().find(|method| {
            let row = method.row();
            match row.names {
                Names::Own => row.name == name,
                Names::Both => row.name == bare.unwrap_or(name),
                Names::Prefixed => bare == Some(row.name),
            }
        })
    }

    /// Returns the method's name, without a prefix.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns whether clients of an era can call the method.
    pub fn is_in(self, era: Era) -> bool {
        self.row().eras.contains(&era)
    }

    /// Returns the freshness of the catalog that the method requires.
    pub const fn freshness(self) -> Freshness {
        self.row().freshness
    }

    /// Returns whether the response describes what the lists of all kinds contain.
    pub fn describes_lists(self) -> bool {
        matches!(
            self,
            Self::Initialize
                | Self::Discover
                | Self::ListGroups
                | Self::ListTags
                | Self::ListConcerns
                | Self::ListConcernsAsProposed
                | Self::Explain
        )
    }

    /// Returns whether the response is about tasks, which are shown to callers that may call their tools.
    pub fn is_about_tasks(self) -> bool {
        matches!(
            self,
            Self::GetTask
                | Self::CancelTask
                | Self::UpdateTask
                | Self::TaskResult
                | Self::ListTasks
                | Self::QueryTasks
                | Self::Listen
        )
    }

    /// Returns the kind of primitive that requests of the method name.
    pub const fn subject(self) -> Subject {
        self.row().subject
    }

    /// Returns whether a server may send requests to the client while it works on the method.
    pub const fn may_ask(self) -> bool {
        self.row().may_ask
    }

    /// Returns the parameter that the header `Mcp-Name` repeats, so that requests can be routed without reading their
    /// bodies: revision 2026-07-28.
    pub fn name_parameter(self) -> Option<&'static str> {
        match self.subject() {
            _ if !self.is_in(Era::Stateless) => None,
            Subject::Tool | Subject::Prompt => Some("name"),
            Subject::Resource => Some("uri"),
            Subject::Task => Some("taskId"),
            // The extension for skills defines no headers.
            Subject::None | Subject::Reference | Subject::Skill | Subject::Directory => None,
        }
    }
}

/// Returns the names of every method, each as a client may call it.
pub fn method_names() -> impl Iterator<Item = String> {
    Method::ALL.iter().flat_map(|method| {
        let row = method.row();
        let own = (row.names != Names::Prefixed).then(|| row.name.to_owned());
        let prefixed =
            (row.names != Names::Own).then(|| format!("{prefix}/{}", row.name, prefix = Catalog::PREFIX));
        own.into_iter().chain(prefixed)
    })
}

/// Returns whether a text is the name of a method of the protocol or of HTTP, whether it is served or not.
pub(crate) fn is_known(name: &str) -> bool {
    let bare = name.strip_prefix(Catalog::PREFIX).and_then(|name| name.strip_prefix('/')).unwrap_or(name);
    Method::ALL.iter().any(|method| method.name() == bare)
        || NOTIFICATIONS.contains(&bare)
        || VERBS.contains(&name)
}
