//! Settings that contradict each other or the deployment, and that every host rejects.

use mcp_sieve::{Error, ErrorKind};
use mcp_sieve_gateway::{config::Config, middleware::Registry};
use serde_json::{Value, json};

fn config(config: Value) -> Config {
    Config::parse(&config.to_string()).unwrap()
}

#[test]
fn the_file_names_the_servers_or_a_variable_does() {
    let url = "https://b.example/mcp";
    let urls = |written: Value, url: Option<&str>| -> Result<Vec<String>, Error> {
        let found = config(written).deployed_upstreams("UPSTREAM_URL", url)?;
        Ok(found.into_iter().map(|upstream| format!("{} {}", upstream.name, upstream.url)).collect())
    };
    let one = || json!({"upstream": {"name": "a", "url": "https://a.example/mcp"}});
    let several = || json!({"upstreams": [{"name": "a", "url": "https://a.example/mcp"}, {"name": "c", "url": "https://c.example/mcp"}]});
    assert_eq!(urls(json!({}), None).unwrap(), [""; 0]);
    assert_eq!(urls(json!({}), Some(url)).unwrap(), ["upstream https://b.example/mcp"]);
    // The settings of a server may be written without its URL.
    assert_eq!(urls(json!({"upstream": {"name": "b"}}), Some(url)).unwrap(), ["b https://b.example/mcp"]);
    assert_eq!(urls(json!({"upstream": {"name": "b"}}), None).unwrap(), [""; 0]);
    assert_eq!(urls(one(), None).unwrap(), ["a https://a.example/mcp"]);
    assert_eq!(urls(several(), None).unwrap(), ["a https://a.example/mcp", "c https://c.example/mcp"]);
    for (written, member) in [(one(), "upstream.url"), (several(), "upstreams")] {
        let error = urls(written, Some(url)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        let expected = format!(
            "UPSTREAM_URL and `{member}` of the configuration both name the server, expected one of them"
        );
        assert_eq!(error.to_string(), expected);
    }
    let error = urls(json!({}), Some("https://me:s3cret@b.example/mcp")).unwrap_err();
    let message = "UPSTREAM_URL: expected no user or password: set the header `Authorization` to `Basic ${NAME}`, a variable with both in Base64";
    assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Config, message));
}

#[test]
fn a_deployment_refuses_servers_that_are_started_by_a_command() {
    let local = json!({"name": "a", "command": ["npx", "a"]});
    let remote = json!({"name": "b", "url": "https://b.example/mcp"});
    for written in [json!({"upstream": local}), json!({"upstreams": [remote, local]})] {
        let error = config(written).deployed_upstreams("UPSTREAM_URL", None).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(
            error
                .to_string()
                .starts_with("the server `a` is started by its `command`, which a Worker cannot do")
        );
    }
}

#[test]
fn functions_and_chains_name_what_the_host_has() {
    let registry = Registry::built_in();
    let check = |middleware: Value| {
        let config = config(json!({ "middleware": middleware }));
        config.middleware.unwrap().check(&registry)
    };
    let chain = |request: Value, response: Value| {
        let good = json!({"on": ["tools/call"], "request": [{"use": "pii_redaction"}]});
        json!({"chains": [good, {"on": ["tools/call"], "request": request, "response": response}]})
    };
    check(json!({})).unwrap();
    check(json!({"functions": ["pii_redaction", "tool_filter"]})).unwrap();
    check(chain(json!([{"use": "secret_detection"}]), json!([{"use": "pii_restoration"}]))).unwrap();
    let pseudonyms = json!([
        {"use": "secret_detection", "arguments": {"replacement": "pseudonym"}},
        {"use": "pii_redaction", "arguments": {"actions": {"EMAIL": "pseudonym"}}},
    ]);
    check(chain(json!([]), pseudonyms.clone())).unwrap();
    let refused = |middleware: Value, expected: &str| {
        let error = check(middleware).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (ErrorKind::Config, expected));
    };
    for (step, expected) in pseudonyms.as_array().unwrap().iter().zip([
        "middleware.chains[1].request[0].arguments: pseudonyms stand for values in results: expected this action in `response`",
        "middleware.chains[1].request[0].arguments: pseudonyms stand for values in results: expected this action in `response`",
    ]) {
        refused(chain(json!([step]), json!([])), expected);
    }
    refused(
        json!({"functions": ["pii_redaction", "pii_redactoin"]}),
        "middleware.functions[1]: there is no function `pii_redactoin`",
    );
    refused(
        chain(json!([{"use": "secret_detection"}, {"use": "no_such"}]), json!([])),
        "middleware.chains[1].request[1]: there is no function `no_such`",
    );
    refused(
        chain(json!([]), json!([{"use": "no_such"}])),
        "middleware.chains[1].response[0]: there is no function `no_such`",
    );
    let wrong = chain(json!([]), json!([{"use": "pii_redaction", "arguments": {"types": "email"}}]));
    let error = check(wrong).unwrap_err();
    assert!(error.to_string().starts_with("middleware.chains[1].response[0]"), "{error}");
    assert_eq!(error.kind(), ErrorKind::Config);
}
