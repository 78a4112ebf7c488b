//! All configured middleware servers, and the registration of their functions.

use std::{fmt, rc::Rc};

use mcp_sieve::{Error, ErrorKind};

use crate::{
    config::MiddlewareServer,
    middleware::Registry,
    remote::{definition::OPEN_SCHEMA, function::RemoteFunction, remote_server::RemoteServer},
    upstream::{Fetch, Upstream},
};

/// The configured middleware servers.
pub struct RemoteServers<F> {
    settings: Vec<MiddlewareServer>,
    servers: Vec<Rc<RemoteServer<F>>>,
}

impl<F> fmt::Debug for RemoteServers<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.settings.iter().map(|server| &server.name)).finish()
    }
}

impl<F: Fetch> RemoteServers<F> {
    /// Creates clients for servers, which send requests through `fetch`. `variable` returns the value of a variable in
    /// a header.
    ///
    /// # Errors
    /// [`ErrorKind::Config`] for a name of other characters than `A-Z a-z 0-9 _ - .`, for a URL that is not an absolute
    /// `http` or `https` URL, for a header that cannot be sent,
    /// and for a fallback that is not one of the servers.
    pub fn new(
        settings: &[MiddlewareServer],
        variable: &dyn Fn(&str) -> Option<String>,
        fetch: &F,
    ) -> Result<Self, Error> {
        let mut servers = Vec::new();
        for server in settings {
            server.check_name().map_err(|message| Error::new(ErrorKind::Config, message).field("name"))?;
            let upstream = Upstream::of_middleware(server, variable);
            let upstream = upstream.map_err(|failure| Error::new(ErrorKind::Config, failure.message))?;
            servers.push(Rc::new(RemoteServer::new(upstream, fetch.clone())));
        }
        let all = Self { settings: settings.to_vec(), servers };
        let mut fallbacks = settings.iter().flat_map(|server| &server.fallback);
        if let Some(unknown) = fallbacks.find(|fallback| all.server(fallback).is_none()) {
            let message = format!("there is no middleware server `{unknown}`");
            return Err(Error::new(ErrorKind::Config, message).field("fallback"));
        }
        Ok(all)
    }

    /// Adds every function that the servers list and that may be called, with the schema of its arguments. Returns the
    /// number of functions.
    ///
    /// # Errors
    /// [`ErrorKind::MiddlewareFailed`] for a server whose list cannot be fetched, [`ErrorKind::UnknownMiddleware`] if
    /// it lacks a function of [`MiddlewareServer::functions`], and the errors of [`Registry::add`].
    pub async fn add_to(&self, registry: &mut Registry) -> Result<usize, Error> {
        let mut added = 0;
        for (settings, server) in self.settings.iter().zip(&self.servers) {
            let listed = server.list().await?;
            let named = settings.functions.iter().flatten();
            let mut unlisted = named.filter(|name| listed.iter().all(|definition| definition.name != **name));
            if let Some(name) = unlisted.next() {
                let message = format!("middleware server `{}` lists no function `{name}`", settings.name);
                return Err(Error::new(ErrorKind::UnknownMiddleware, message));
            }
            for definition in listed.iter().filter(|definition| settings.may_call(&definition.name)) {
                let schema = definition.local_schema().to_owned();
                let description = definition.description.clone();
                registry.add(Rc::new(self.function(settings, &definition.name, description, schema)))?;
                added += 1;
            }
        }
        Ok(added)
    }

    /// Adds the functions with these names, each once, without a request to the servers. Their lists are fetched at the
    /// first call. Names of other functions, and of functions that may not be called, are ignored.
    ///
    /// # Errors
    /// The errors of [`Registry::add`].
    pub fn add_named<'a>(
        &self,
        names: impl IntoIterator<Item = &'a str>,
        registry: &mut Registry,
    ) -> Result<(), Error> {
        for name in names {
            let Some((server, function)) = name.split_once('/') else { continue };
            let settings = self.settings.iter().find(|settings| settings.name == server);
            let settings = settings.filter(|settings| settings.may_call(function) && !function.is_empty());
            if let Some(settings) = settings.filter(|_| registry.names().all(|known| known != name)) {
                let description = format!("The function `{function}` of the middleware server `{server}`.");
                let function = self.function(settings, function, description, OPEN_SCHEMA.to_owned());
                registry.add(Rc::new(function))?;
            }
        }
        Ok(())
    }

    fn function(
        &self,
        settings: &MiddlewareServer,
        function: &str,
        description: String,
        schema: String,
    ) -> RemoteFunction<F> {
        let fallbacks = settings
            .fallback
            .iter()
            .filter_map(|name| self.settings.iter().find(|other| other.name == *name));
        let servers = std::iter::once(settings).chain(fallbacks.filter(|other| other.may_call(function)));
        RemoteFunction {
            name: format!("{}/{function}", settings.name),
            function: function.to_owned(),
            description,
            schema,
            servers: servers.filter_map(|settings| self.server(&settings.name)).collect(),
        }
    }

    fn server(&self, name: &str) -> Option<Rc<RemoteServer<F>>> {
        self.servers.iter().find(|server| server.name() == name).cloned()
    }
}
