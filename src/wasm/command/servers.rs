use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::values::{flag, text};
use crate::{
    config::{Config, Upstream, expand},
    error::{Error, ErrorKind},
    json::{Object, push_array, push_text},
    wasm::value::refusal,
};

/// Returns the servers of a configuration: `{"several": true, "servers": [{name, url, headers: [[name, value]],
/// timeoutMs, maxPages, capabilities?}]}` as JSON.
///
/// Only the servers in `asked` have their headers. `variable` is called with the name of a variable, and returns its
/// value or nothing.
#[wasm_bindgen]
pub fn servers(config: &str, asked: Vec<String>, variable: &Function) -> Result<String, JsValue> {
    let value = |name: &str| variable.call1(&JsValue::NULL, &name.into()).ok()?.as_string();
    named_servers(config, &asked, &value).map_err(|error| refusal(&error))
}

type Headers = Vec<(String, String)>;
type Variable<'a> = &'a dyn Fn(&str) -> Option<String>;

fn named_servers(source: &str, asked: &[String], variable: Variable<'_>) -> Result<String, Error> {
    let config = Config::parse(source)?;
    let several = !config.upstreams.is_empty();
    let only = Some(&config.upstream).filter(|_| !several);
    let headers = |(at, upstream): (usize, &Upstream)| match asked.contains(&upstream.name) {
        true => headers(several.then_some(at), upstream, variable),
        false => Ok(Headers::new()),
    };
    let servers = only.into_iter().chain(&config.upstreams);
    let headers = servers.clone().enumerate().map(headers).collect::<Result<Vec<Headers>, Error>>()?;
    let mut out = Vec::new();
    let mut object = Object::open(&mut out);
    object.raw("several", flag(several));
    push_array(object.value("servers"), servers.zip(&headers), |out, (upstream, headers)| {
        let mut object = Object::open(out);
        object.text("name", &upstream.name);
        object.text("url", &upstream.url);
        push_array(object.value("headers"), headers, |out, (name, value)| {
            push_array(out, [name.as_str(), value], push_text);
        });
        object.raw("timeoutMs", upstream.timeout_ms.to_string().as_bytes());
        object.raw("maxPages", upstream.max_pages.to_string().as_bytes());
        if !upstream.capabilities.all.is_empty() {
            object.raw("capabilities", upstream.capabilities.all.as_bytes());
        }
        object.close();
    });
    object.close();
    Ok(text(out))
}

fn headers(at: Option<usize>, upstream: &Upstream, variable: Variable<'_>) -> Result<Headers, Error> {
    let server = at.map_or_else(|| "upstream".to_owned(), |at| format!("upstreams[{at}]"));
    let value = |(name, template): &(String, String)| match expand(template, variable) {
        Ok(value) => Ok((name.clone(), value)),
        Err(problem) => {
            let message = format!("the header `{name}` of `{}`: {problem}", upstream.name);
            Err(Error::new(ErrorKind::Config, message).field(format!("{server}.headers.{name}")))
        }
    };
    upstream.headers.iter().map(value).collect()
}
