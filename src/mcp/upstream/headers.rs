//! Headers that the operator wants on requests to a server: written ones, and those of callers.

use http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::{
    config,
    mcp::{protocol::error::RpcError, upstream::errors},
};

/// Headers that make a request what it is; nobody else writes them.
const OWN: [HeaderName; 9] = [
    header::ACCEPT,
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::HOST,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The written headers, each value with what its references stand for; `variable` knows them.
///
/// # Errors
/// A header that is the gateway's own, a reference to nothing, a value that no header can have.
pub(crate) fn written(
    settings: &config::Upstream,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<HeaderMap, RpcError> {
    let mut headers = HeaderMap::new();
    for (name, template) in &settings.headers {
        let refuse = |problem: &str| errors::header(&settings.name, name, problem);
        let value = config::expand(template, variable).map_err(|problem| refuse(&problem.to_string()))?;
        let value = HeaderValue::from_str(&value);
        let mut value = value.map_err(|_| refuse("its value has characters that no header may have"))?;
        value.set_sensitive(true);
        headers.insert(free(name, refuse)?, value);
    }
    Ok(headers)
}

/// The headers of callers that are sent on.
///
/// # Errors
/// A header that is the gateway's own.
pub(crate) fn passed(settings: &config::Upstream) -> Result<Vec<HeaderName>, RpcError> {
    let names = settings.pass_headers.iter();
    names.map(|name| free(name, |problem| errors::header(&settings.name, name, problem))).collect()
}

fn free(name: &str, refuse: impl Fn(&str) -> RpcError) -> Result<HeaderName, RpcError> {
    let read: HeaderName = name.parse().map_err(|_| refuse("it is not the name of a header"))?;
    if OWN.contains(&read) || read.as_str().starts_with("mcp-") {
        return Err(refuse("it is one of those that the gateway itself writes"));
    }
    Ok(read)
}
