//! Redirects are followed within the origin of the server, with the method that the status keeps.

use mcp_sieve_gateway::{
    config,
    upstream::{MAX_REDIRECTS, Upstream},
};
use serde_json::json;

use crate::{
    ask::settings,
    net::{Net, Reply, Seen},
    server::{legacy, result},
};

const CONFIGURED: &str = "http://host.example:8080/mcp";

fn redirect(status: u16, location: &str) -> Reply {
    let headers = vec![("location".to_owned(), location.to_owned())];
    Reply::Response { status, headers, body: Vec::new() }
}

/// Lists a server at `url` that redirects every request there to `location`. Returns the URL of the last request, or
/// the failure as the operator reads it.
fn listed(url: &str, status: u16, location: &str) -> Result<String, String> {
    let healthy = legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": []})));
    let (from, to) = (url.to_owned(), location.to_owned());
    let net =
        Net::new(move |seen: &Seen| if seen.url == from { redirect(status, &to) } else { healthy(seen) });
    let upstream = Upstream::new(&config::Upstream { url: url.to_owned(), ..settings() }, &|_| None).unwrap();
    let listing = net.run(upstream.lists(&net));
    match listing {
        Ok(_) => Ok(net.last("tools/list").unwrap().url),
        Err(failure) => Err(failure.operator_text()),
    }
}

#[test]
fn redirects_within_the_origin_are_followed() {
    let rows = [
        ("/mcp/", "http://host.example:8080/mcp/"),
        ("mcp/", "http://host.example:8080/mcp/"),
        ("../v2/mcp", "http://host.example:8080/v2/mcp"),
        ("http://host.example:8080/other?key=1#part", "http://host.example:8080/other?key=1"),
        ("http://HOST.example:8080/other", "http://host.example:8080/other"),
        ("//host.example:8080/other", "http://host.example:8080/other"),
    ];
    for status in [307, 308] {
        for (location, target) in rows {
            assert_eq!(listed(CONFIGURED, status, location).as_deref(), Ok(target), "{status} {location}");
        }
    }
    let upgraded = listed("http://host.example/mcp", 308, "https://host.example/mcp");
    assert_eq!(upgraded.as_deref(), Ok("https://host.example/mcp"), "the same host, encrypted");
}

#[test]
fn other_redirects_name_their_target_and_send_nothing_there() {
    let rows = [
        (307, "http://other.example:8080/mcp", "http://other.example:8080/mcp"),
        (308, "http://host.example/mcp", "http://host.example/mcp"),
        (307, "https://host.example:8080/mcp?token=secret", "https://host.example:8080/mcp"),
        (301, "/mcp/", "http://host.example:8080/mcp/"),
        (302, "/login", "http://host.example:8080/login"),
        (303, "/mcp/", "http://host.example:8080/mcp/"),
    ];
    for (status, location, target) in rows {
        let failure = listed(CONFIGURED, status, location).unwrap_err();
        let words = format!(
            "HTTP {status}, a redirect: `{CONFIGURED}` leads to `{target}`, set `url` to the address of"
        );
        assert!(failure.contains(&words), "{status} {location}: {failure}");
        assert!(!failure.contains("secret"), "{failure}");
    }
    let upgraded = listed("https://host.example/mcp", 307, "http://host.example/mcp").unwrap_err();
    assert!(upgraded.contains("leads to `http://host.example/mcp`"), "{upgraded}");
    for location in ["", "http://", "javascript:alert(1)"] {
        assert!(listed(CONFIGURED, 307, location).is_err(), "`{location}`");
    }
}

#[test]
fn a_chain_of_redirects_has_an_end() {
    for (steps, is_followed) in [(MAX_REDIRECTS, true), (MAX_REDIRECTS + 1, false)] {
        let healthy = legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": []})));
        let net = Net::new(move |seen: &Seen| {
            let step: usize = seen.url.rsplit('/').next().unwrap().parse().unwrap_or(0);
            if step < steps { redirect(307, &format!("/{}", step + 1)) } else { healthy(seen) }
        });
        let upstream = Upstream::new(&settings(), &|_| None).unwrap();
        assert_eq!(net.run(upstream.lists(&net)).is_ok(), is_followed, "{steps} steps");
    }
}

/// A server may redirect some of its requests only.
#[test]
fn every_request_begins_at_the_configured_address() {
    let healthy = legacy(json!({"tools": {}}), |seen| result(seen, json!({"tools": []})));
    let net = Net::new(move |seen: &Seen| match seen.method() {
        "tools/list" if seen.url == CONFIGURED => redirect(307, "/lists"),
        _ => healthy(seen),
    });
    let configured = config::Upstream { url: CONFIGURED.to_owned(), ..settings() };
    let upstream = Upstream::new(&configured, &|_| None).unwrap();
    net.run(async {
        upstream.lists(&net).await.unwrap();
        upstream.lists(&net).await.unwrap();
    });
    let of = |url: &str| net.seen().iter().filter(|seen| seen.url == url).count();
    assert_eq!(of("http://host.example:8080/lists"), 2);
    assert_eq!(net.last("initialize").unwrap().url, CONFIGURED);
}
