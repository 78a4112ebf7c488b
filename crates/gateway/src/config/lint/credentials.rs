//! Lints for credentials that reach more servers, or more of the network, than they are for.

use std::collections::BTreeMap;

use super::{
    Finding, Flaw,
    endpoint::{Endpoint, upstreams},
};
use crate::config::Config;

/// Checks the credentials of every server, in the order of the file.
pub(super) fn lint(config: &Config, findings: &mut Vec<Finding>) {
    let endpoints = Endpoint::all(config);
    passthrough(config, findings);
    plain(&endpoints, findings);
    shared(&endpoints, findings);
}

/// Finds servers that receive the access tokens of callers, although `auth` expects tokens for this gateway.
fn passthrough(config: &Config, findings: &mut Vec<Finding>) {
    let Some(auth) = &config.auth else { return };
    // Where all issuers have headers of their own, `Authorization` may hold a token for the server.
    let own = auth.headers().chain(auth.reads_authorization().then_some("authorization"));
    let own: Vec<&str> = own.collect();
    for (place, upstream) in upstreams(config) {
        let mut passed = upstream.pass_headers.iter().enumerate();
        let Some((at, _)) = passed.find(|(_, name)| own.iter().any(|own| name.eq_ignore_ascii_case(own)))
        else {
            continue;
        };
        let message = [
            "`",
            &upstream.name,
            "` receives the access tokens that callers send to this gateway, and can use them here in their name; the MCP \
             specification forbids this: remove it, and set `auth` of the server to `exchange` or `user`, or give it a credential of its own in `headers`",
        ];
        let place = format!("{place}.passHeaders[{at}]");
        findings.push(Finding::new(Flaw::TokenPassthrough, place, message.concat()));
    }
}

/// Finds credentials that are sent without encryption to another machine.
fn plain(endpoints: &[Endpoint<'_>], findings: &mut Vec<Finding>) {
    for endpoint in endpoints.iter().filter(|endpoint| endpoint.is_plain()) {
        let passed = endpoint.passed_credential.as_ref();
        let Some(member) = endpoint.credentials.first().map(|(member, _)| member).or(passed) else {
            continue;
        };
        let message = [
            "`",
            endpoint.name,
            "` receives a credential over `http:`, which every machine on the way can read and use: write its `url` with `https:`",
        ];
        let place = format!("{}.{member}", endpoint.place);
        findings.push(Finding::new(Flaw::PlainCredential, place, message.concat()));
    }
}

/// Finds credentials of several servers. Addresses of one origin count as one server.
fn shared(endpoints: &[Endpoint<'_>], findings: &mut Vec<Finding>) {
    let mut owners = BTreeMap::<&str, &Endpoint<'_>>::new();
    for endpoint in endpoints {
        for (member, credential) in &endpoint.credentials {
            let owner = *owners.entry(credential).or_insert(endpoint);
            if owner.place == endpoint.place || owner.is_same_origin(endpoint) {
                continue;
            }
            let message = [
                "`",
                endpoint.name,
                "` has the same credential as `",
                owner.name,
                "`: each of them can act as you at the other, so use a credential of its own for each",
            ];
            let place = format!("{}.{member}", endpoint.place);
            findings.push(Finding::new(Flaw::SharedCredential, place, message.concat()));
        }
    }
}
