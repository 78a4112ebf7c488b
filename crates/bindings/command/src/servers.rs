//! The binding `servers`: the URLs and headers of the servers in a configuration.

use js_sys::Function;
use mcp_sieve::{Error, ErrorKind, json::Object};
use mcp_sieve_bindings_value::refusal;
use mcp_sieve_gateway::config::{Config, Upstream, expand};
use wasm_bindgen::prelude::*;

use super::values::{flag, text};

/// Returns the servers of a configuration: `{"several": true, "servers": [{name, url, headers: [[name,
/// value]]}]}` as JSON.
///
/// Only the servers in `names` have their headers. `variable` is called with the name of a variable, and returns its
/// value or nothing.
#[wasm_bindgen]
pub fn servers(config: &str, names: Vec<String>, variable: &Function) -> Result<String, JsValue> {
    let value = |name: &str| variable.call1(&JsValue::NULL, &name.into()).ok()?.as_string();
    named_servers(config, &names, &value).map_err(|error| refusal(&error))
}

type Headers = Vec<(String, String)>;
type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

fn named_servers(source: &str, names: &[String], variable: Variable<'_>) -> Result<String, Error> {
    let config = Config::parse(source)?;
    let several = !config.upstreams.is_empty();
    let only = Some(&config.upstream).filter(|_| !several);
    let headers = |(at, upstream): (usize, &Upstream)| match names.contains(&upstream.name) {
        true => headers(&place(&config, at), &upstream.name, &upstream.headers, variable),
        false => Ok(Headers::new()),
    };
    let servers = only.into_iter().chain(&config.upstreams);
    let headers = servers.clone().enumerate().map(headers).collect::<Result<Vec<Headers>, Error>>()?;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw("several", flag(several));
    Object::push_array(object.value("servers"), servers.zip(&headers), |out, (upstream, headers)| {
        let mut object = Object::open(out);
        object.text("name", &upstream.name);
        object.text("url", &upstream.url);
        Object::push_array(object.value("headers"), headers, |out, (name, value)| {
            Object::push_array(out, [name.as_str(), value], Object::push_text);
        });
        object.close();
    });
    object.close();
    Ok(text(out))
}

/// Checks the references to variables in the headers of all servers, whatever the values of the variables.
pub(super) fn check_references(config: &Config) -> Result<(), Error> {
    let check = |place: &str, name: &str, written: &Headers| {
        headers(place, name, written, &|variable| Some(variable.to_owned())).map(drop)
    };
    for (at, server) in config.upstream_settings().iter().enumerate() {
        check(&place(config, at), &server.name, &server.headers)?;
    }
    let mut others = config.middleware.iter().flat_map(|middleware| &middleware.servers);
    others.try_for_each(|server| {
        check(&["middleware.servers.", &server.name].concat(), &server.name, &server.headers)
    })
}

/// Returns the path of an upstream server in the configuration.
fn place(config: &Config, at: usize) -> String {
    if config.upstreams.is_empty() { "upstream".to_owned() } else { format!("upstreams[{at}]") }
}

fn headers(place: &str, server: &str, written: &Headers, variable: Variable<'_>) -> Result<Headers, Error> {
    let value = |(name, template): &(String, String)| match expand(template, variable) {
        Ok(value) => Ok((name.clone(), value)),
        Err(problem) => {
            let message = format!("the header `{name}` of `{server}`: {problem}");
            Err(Error::new(ErrorKind::Config, message).field([place, ".headers.", name].concat()))
        }
    };
    written.iter().map(value).collect()
}
