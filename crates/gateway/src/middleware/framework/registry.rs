//! The registry of functions: lists them, validates arguments and calls them by name.

use std::{fmt, rc::Rc};

use mcp_sieve::{
    Error, ErrorKind,
    json::{Object, Raw},
};

use crate::middleware::framework::{
    content::Content, environment::Environment, middleware::Middleware, outcome::Outcome, schema::Schema,
};

/// Maximum number of functions in a registry.
pub const MAX_FUNCTIONS: usize = 256;

/// Functions under unique names, in the order in which they were added.
#[derive(Clone, Default)]
pub struct Registry(Vec<Entry>);

#[derive(Clone)]
struct Entry {
    function: Rc<dyn Middleware>,
    schema: Rc<Schema>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

impl Registry {
    /// Returns an empty registry.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a function after the others.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] for a name that is taken or empty, for a schema that [`Schema::parse`] rejects, and
    /// beyond [`MAX_FUNCTIONS`].
    pub fn add(&mut self, function: Rc<dyn Middleware>) -> Result<(), Error> {
        let name = function.name();
        let refuse = |message: String| Err(Error::new(ErrorKind::Config, message));
        if name.is_empty() {
            return refuse("the name of a function is empty".to_owned());
        }
        if self.find(name).is_some() {
            return refuse(format!("there is a function `{name}` already"));
        }
        if self.0.len() == MAX_FUNCTIONS {
            return refuse(format!("there are more than {MAX_FUNCTIONS} functions"));
        }
        let schema = Schema::parse(function.input_schema())
            .map_err(|error| error.within("inputSchema").with_kind(ErrorKind::Config))?;
        self.0.push(Entry { function, schema: Rc::new(schema) });
        Ok(())
    }

    /// Keeps only the functions with these names; other names are ignored.
    #[must_use]
    pub fn only<T: AsRef<str>>(mut self, names: &[T]) -> Self {
        self.0.retain(|entry| names.iter().any(|name| name.as_ref() == entry.function.name()));
        self
    }

    /// Iterates over the names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|entry| entry.function.name())
    }

    /// Iterates over the functions, in order.
    pub fn functions(&self) -> impl Iterator<Item = &dyn Middleware> {
        self.0.iter().map(|entry| &*entry.function)
    }

    /// Appends the array of the response to `middleware/list`.
    pub fn list(&self, out: &mut Vec<u8>) {
        Object::push_array(out, self.functions(), |out, function| {
            let mut object = Object::open(out);
            object.text("name", function.name());
            object.text("description", function.description());
            object.raw("inputSchema", function.input_schema().as_bytes());
            object.close();
        });
    }

    fn find(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.function.name() == name)
    }

    fn entry(&self, name: &str) -> Result<&Entry, Error> {
        self.find(name).ok_or_else(|| {
            let message = format!("there is no function `{name}`");
            Error::new(ErrorKind::UnknownMiddleware, message).field("name")
        })
    }

    /// Returns whether a function has an argument of this name.
    pub fn takes(&self, name: &str, argument: &str) -> bool {
        self.find(name).is_some_and(|entry| entry.schema.has(argument))
    }

    /// Checks that a function exists and that it accepts the arguments, without calling it.
    ///
    /// # Errors
    /// [`ErrorKind::UnknownMiddleware`], [`ErrorKind::ArgumentsInvalid`], and [`ErrorKind::Json`] for invalid JSON.
    pub fn check(&self, name: &str, arguments: Option<&str>) -> Result<(), Error> {
        let arguments = arguments.map(Raw::parse).transpose()?;
        let entry = self.entry(name)?;
        entry.function.check_arguments(&entry.schema.accept(arguments)?)
    }

    /// Calls a function with arguments and a context as JSON.
    ///
    /// # Errors
    /// As [`Registry::check`] and [`Content::read`], [`ErrorKind::Json`] for invalid JSON, and
    /// [`ErrorKind::MiddlewareFailed`] if the function cannot do its work.
    pub async fn invoke<'a>(
        &'a self,
        name: &str,
        arguments: Option<&'a str>,
        context: &'a str,
        environment: &'a dyn Environment,
    ) -> Result<Outcome<'static>, Error> {
        let arguments = arguments.map(Raw::parse).transpose()?;
        let context = Content::read(Raw::parse(context)?)?;
        self.apply(name, arguments, context, environment).await
    }

    /// Calls a function with a parsed context.
    ///
    /// # Errors
    /// As [`Registry::invoke`].
    pub async fn apply(
        &self,
        name: &str,
        arguments: Option<Raw<'_>>,
        context: Content<'_>,
        environment: &dyn Environment,
    ) -> Result<Outcome<'static>, Error> {
        let entry = self.entry(name)?;
        // A function reads a lone surrogate as U+FFFD, here and in the context.
        let arguments = arguments.map(Raw::well_formed);
        let arguments = entry.schema.accept(arguments.as_deref().map(Raw::known))?;
        let outcome = entry.function.apply(context, &arguments, environment).await?.check()?;
        let Outcome { content, metadata, refusal } = outcome;
        Ok(Outcome { content: content.into_owned(), metadata, refusal })
    }
}
