//! The fields of the expression language, with the type and the origin of their values.

use super::snippet;
use crate::expr::Expr;

/// The subject from which a field is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The primitive itself, or the primitive that a task called.
    Primitive,
    /// A task, in lists of tasks.
    Task,
    /// The caller and its request.
    Caller,
    /// The arguments of a call.
    Arguments,
}

/// The number of values that one subject can have for a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arity {
    AtMostOne,
    Any,
}

/// The type as which the values of a field are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Measure {
    Number,
    Moment,
    Version,
}

/// The properties of a field that do not depend on its name.
#[derive(Debug)]
struct FieldSpec {
    /// The word for the field in a term, without a name after it.
    word: &'static str,
    origin: Origin,
    arity: Arity,
    /// The type of all values of the field. If `None`, the value of a term determines it.
    measure: Option<Measure>,
}

/// Defines [`Field`] and its table, with one row for each field. A `plain` field is a word. A `named` field is a word
/// followed by a name.
macro_rules! fields {
    (
        plain { $($(#[$plain_doc:meta])* $plain:ident = $plain_spec:expr;)* }
        named { $($(#[$named_doc:meta])* $named:ident = $named_spec:expr;)* }
    ) => {
        /// The property that a term reads, of the primitive, of a task or of the caller.
        #[non_exhaustive]
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum Field {
            $($(#[$plain_doc])* $plain,)*
            $($(#[$named_doc])* $named(String),)*
        }

        /// The fields without a name.
        const PLAIN: &[(&FieldSpec, Field)] = &[$((&$plain_spec, Field::$plain),)*];
        /// The fields with a name after their word.
        const NAMED: &[(&FieldSpec, fn(String) -> Field)] = &[$((&$named_spec, Field::$named),)*];

        impl Field {
            /// Returns the row of the field in the table.
            fn spec(&self) -> &'static FieldSpec {
                match self {
                    $(Self::$plain => const { &$plain_spec },)*
                    $(Self::$named(_) => const { &$named_spec },)*
                }
            }

            /// Returns the name after the word, for fields that have one.
            pub fn name(&self) -> Option<&str> {
                match self {
                    $(Self::$plain => None,)*
                    $(Self::$named(name) => Some(name),)*
                }
            }
        }
    };
}

/// Returns a row for a field whose values are text.
const fn text(word: &'static str, origin: Origin, arity: Arity) -> FieldSpec {
    FieldSpec { word, origin, arity, measure: None }
}

/// Returns a row for a field with at most one value, which is a number, an instant or a version.
const fn measured(word: &'static str, origin: Origin, measure: Measure) -> FieldSpec {
    FieldSpec { word, origin, arity: Arity::AtMostOne, measure: Some(measure) }
}

fields! {
    plain {
        /// The kind: `tool`, `resource`, `template`, `prompt` or `skill`.
        Kind = text("kind", Origin::Primitive, Arity::AtMostOne);
        /// Each group of the primitive.
        Group = text("group", Origin::Primitive, Arity::Any);
        /// Each tag of the primitive.
        Tag = text("tag", Origin::Primitive, Arity::Any);
        /// The `name`.
        Name = text("name", Origin::Primitive, Arity::AtMostOne);
        /// The `title`.
        Title = text("title", Origin::Primitive, Arity::AtMostOne);
        /// The `description`.
        Description = text("description", Origin::Primitive, Arity::AtMostOne);
        /// The `uri` or `uriTemplate`.
        Uri = text("uri", Origin::Primitive, Arity::AtMostOne);
        /// The server that lists the primitive.
        Server = text("server", Origin::Primitive, Arity::AtMostOne);
        /// `audience` of the `annotations`: `user`, `assistant`.
        Audience = text("audience", Origin::Primitive, Arity::Any);
        /// `priority` of the `annotations`, a number from 0 to 1.
        Priority = measured("priority", Origin::Primitive, Measure::Number);
        /// `lastModified` of the `annotations`, an instant.
        LastModified = measured("lastModified", Origin::Primitive, Measure::Moment);
        /// The status of a task.
        Status = text("status", Origin::Task, Arity::AtMostOne);
        /// The id of a task.
        TaskId = text("taskId", Origin::Task, Arity::AtMostOne);
        /// When a task was created, an instant.
        CreatedAt = measured("createdAt", Origin::Task, Measure::Moment);
        /// When a task last changed, an instant.
        LastUpdatedAt = measured("lastUpdatedAt", Origin::Task, Measure::Moment);
        /// Caller: `clientInfo.name`.
        ClientName = text("client.name", Origin::Caller, Arity::AtMostOne);
        /// Caller: `clientInfo.version`.
        ClientVersion = measured("client.version", Origin::Caller, Measure::Version);
        /// Caller: the protocol version of the request.
        Protocol = text("protocol", Origin::Caller, Arity::AtMostOne);
        /// Caller: the transport on which clients reach the deployment, `http` or `stdio`.
        Transport = text("transport", Origin::Caller, Arity::AtMostOne);
        /// Caller: the JSON-RPC method of the request. In lists of tasks: the method that the task runs.
        Method = text("method", Origin::Caller, Arity::AtMostOne);
        /// Caller: each preset that applies.
        Preset = text("preset", Origin::Caller, Arity::Any);
        /// Caller: each scope of the verified token.
        Scope = text("scope", Origin::Caller, Arity::Any);
    }
    named {
        /// The values of the named concern.
        Concern = text("concern", Origin::Primitive, Arity::Any);
        /// A member of the `annotations`.
        Annotation = text("annotation", Origin::Primitive, Arity::Any);
        /// A member of the `_meta`, by path.
        Meta = text("meta", Origin::Primitive, Arity::Any);
        /// Caller: `true` if the client declared the capability.
        Capability = text("capability", Origin::Caller, Arity::Any);
        /// Caller: a claim of the verified token, by path.
        Claim = text("claim", Origin::Caller, Arity::Any);
        /// Caller: an HTTP header of the request, with its name in lowercase.
        Header = text("header", Origin::Caller, Arity::Any);
        /// Caller: a member of the request's `_meta`, by path.
        RequestMeta = text("request.meta", Origin::Caller, Arity::Any);
        /// An argument of a call, by path. Only `policies[].arguments` reads it.
        Argument = text("arguments", Origin::Arguments, Arity::Any);
    }
}

impl Field {
    /// Returns whether the field reads the caller, not the primitive. Such terms are valid only in policies.
    pub fn reads_caller(&self) -> bool {
        self.spec().origin == Origin::Caller
    }

    /// Returns whether the field reads the arguments of a call. Such terms are valid only in `policies[].arguments`.
    pub fn reads_arguments(&self) -> bool {
        self.spec().origin == Origin::Arguments
    }

    /// Returns whether one exact value decides every other term on the field, because the field has at most one value
    /// with a single spelling.
    pub fn is_single(&self) -> bool {
        self.spec().arity == Arity::AtMostOne && self.measure().is_none()
    }

    /// Returns the type of all values of the field, if it has one.
    pub(super) fn measure(&self) -> Option<Measure> {
        self.spec().measure
    }

    /// Returns the word for the field, without the name after it.
    pub fn word(&self) -> &'static str {
        self.spec().word
    }

    /// Returns the field that is written as `word` alone.
    pub(super) fn plain(word: &str) -> Option<Self> {
        PLAIN.iter().find(|(spec, _)| spec.word == word).map(|(_, field)| field.clone())
    }

    /// Returns the field that is written as `word` with a name after it.
    pub(super) fn named(word: &str, name: &str) -> Option<Self> {
        let (_, field) = NAMED.iter().find(|(spec, _)| spec.word == word)?;
        // Header names are case-insensitive. Those of the caller are stored in lowercase.
        let name = if word == "header" { name.to_ascii_lowercase() } else { name.to_owned() };
        Some(field(name))
    }

    /// Splits a field such as `claim.role` into its word and its name.
    pub(super) fn split_name(field: &str) -> Option<(&'static str, &str)> {
        let name = |word: &'static str| Some((word, field.strip_prefix(word)?.strip_prefix('.')?));
        NAMED.iter().find_map(|(spec, _)| name(spec.word)).filter(|(_, name)| !name.is_empty())
    }

    /// Returns whether `word` requires a name.
    pub(super) fn takes_name(word: &str) -> bool {
        NAMED.iter().any(|(spec, _)| spec.word == word)
    }

    /// Suggests a correction of `word`, which is neither a field nor one of the form's own `words`.
    pub(super) fn suggest(word: &str, words: [&'static str; 3]) -> Option<String> {
        if let Some(plain) = Expr::nearest(word, &mut PLAIN.iter().map(|(spec, _)| spec.word).chain(words)) {
            return Some(plain.to_owned());
        }
        let (first, name) = word.split_once('.').unwrap_or((word, "NAME"));
        let named = Expr::nearest(first, &mut NAMED.iter().map(|(spec, _)| spec.word))?;
        Some(format!("{named}.{name}"))
    }

    /// Describes such a word for an error message.
    pub(super) fn describe_unknown(word: &str, words: [&'static str; 3]) -> String {
        let first = word.split('.').next().unwrap_or_default();
        let alone = word.strip_suffix('.').unwrap_or(word);
        if let Some(first) = [first, alone].into_iter().find(|word| Self::takes_name(word)) {
            return format!("expected a name after `{first}.`, as in `{first}.NAME`");
        }
        if words.contains(&word) {
            return format!("expected a term, found `{word}`");
        }
        let mut message = format!("unknown term `{}`", snippet::head(word));
        match Self::suggest(word, words) {
            Some(meant) => message.extend([" (did you mean `", &meant, "`?)"]),
            None => {
                message.push_str(", expected one of");
                let plain = PLAIN.iter().map(|(spec, _)| (spec.word, ","));
                // Few expressions may read arguments, and they need no suggestion of it.
                let named = NAMED.iter().filter(|(spec, _)| spec.origin != Origin::Arguments);
                for (word, end) in plain.chain(named.map(|(spec, _)| (spec.word, ".NAME,"))) {
                    [" ", word, end].into_iter().for_each(|part| message.push_str(part));
                }
                message.pop();
            }
        }
        message
    }
}
