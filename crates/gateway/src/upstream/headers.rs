//! The configured headers of requests to a server: those with fixed values, and those forwarded from callers.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::{
    config,
    protocol::error::RpcError,
    upstream::{endpoint::UnsetVariable, errors},
};

/// Returns the configured headers, with the variables in their values expanded. `variable` returns the value of a
/// variable. Headers that refer to variables without a value are left out and returned as such references.
///
/// # Errors
/// Fails for a header that the gateway sets itself, a malformed reference, or a value that no header can have.
pub(crate) fn written(
    settings: &config::Upstream,
    role: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(HeaderMap, Vec<UnsetVariable>), RpcError> {
    let (mut headers, mut unset) = (HeaderMap::new(), Vec::new());
    for (name, template) in &settings.headers {
        let refuse = |problem: &str| errors::header(role, &settings.name, name, problem);
        let value = match config::expand(template, variable) {
            Ok(value) => value,
            Err(config::VariableError::Missing(variable)) => {
                unset.push(UnsetVariable { header: name.clone(), name: variable });
                continue;
            }
            Err(problem) => return Err(refuse(&problem.to_string())),
        };
        let value = HeaderValue::from_str(&value);
        let mut value = value.map_err(|_| refuse("its value has characters that no header may have"))?;
        value.set_sensitive(true);
        headers.insert(free(name, refuse)?, value);
    }
    Ok((headers, unset))
}

/// Returns the names of the callers' headers that are forwarded.
///
/// # Errors
/// Fails for a header that the gateway sets itself.
pub(crate) fn passed(settings: &config::Upstream) -> Result<Vec<HeaderName>, RpcError> {
    let names = settings.pass_headers.iter();
    names
        .map(|name| free(name, |problem| errors::header("upstream", &settings.name, name, problem)))
        .collect()
}

fn free(name: &str, refuse: impl Fn(&str) -> RpcError) -> Result<HeaderName, RpcError> {
    let read: HeaderName = name.parse().map_err(|_| refuse("it is not the name of a header"))?;
    if !config::is_configurable(name) {
        return Err(refuse("it is one of those that the gateway itself writes"));
    }
    Ok(read)
}
