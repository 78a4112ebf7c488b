//! Chains that fail or refuse.

use mcp_sieve_gateway::middleware::{Mode, Redactions};

use super::chain_run::{TWO, run_chain, run_unchecked};

/// A function that fails ends the chain unless `failOpen` is set; M-46: metadata is checked to be an object; M-47:
/// results of functions are validated.
#[test]
fn a_chain_fails_closed() {
    let broken = r#"[{"type":"text","text":"broken"}]"#;
    let failed = run_chain(r#"["shout","again"]"#, broken);
    let error = failed.result.unwrap_err();
    assert_eq!(error.to_string(), "result.metadata: the metadata of a function is no object");
    assert_eq!(error.code(), "middleware_failed");
    assert_eq!(
        failed.reports.iter().map(|report| report.ended.as_deref()).collect::<Vec<_>>(),
        [Some("middleware_failed")]
    );

    let open = run_chain(r#"[{"use":"shout","failOpen":true},"timestamp_injector"]"#, broken);
    assert!(open.result.unwrap().content.to_json().ends_with(r#"\n\nbroken"}]"#));
    assert_eq!(open.reports.len(), 2);
}

/// `failOpen` covers neither arguments that a function rejects nor a function that does not exist.
#[test]
fn a_step_that_cannot_run_fails_closed() {
    for (step, code) in [
        (r#"{"use":"pii_redaction","arguments":{"types":["EMIAL"]},"failOpen":true}"#, "arguments_invalid"),
        (r#"{"use":"pii_redaction","arguments":{"level":1},"failOpen":true}"#, "arguments_invalid"),
        (
            r#"{"use":"timestamp_injector","arguments":{"timeZone":"Mars"},"failOpen":true}"#,
            "arguments_invalid",
        ),
        (r#"{"use":"pii_reduction","failOpen":true}"#, "unknown_middleware"),
    ] {
        let went = run_unchecked(&format!("[{step}]"), TWO);
        assert_eq!(went.result.unwrap_err().code(), code, "{step}");
        assert_eq!(went.reports[0].ended.as_deref(), Some(code));
    }
}

/// A refusal ends the chain even with `failOpen`; M-56: in audit mode it is only reported.
#[test]
fn a_chain_refuses() {
    let forbidden = r#"[{"type":"text","text":"forbidden"}]"#;
    let refused = run_chain(r#"[{"use":"shout","failOpen":true},"again"]"#, forbidden);
    let ran = refused.result.unwrap();
    assert_eq!(ran.refusal.unwrap().reason, "loud");
    assert_eq!(ran.content.to_json(), forbidden);
    assert_eq!(refused.reports.len(), 1);
    assert_eq!(refused.reports[0].ended.as_deref(), Some("loud"));

    let audited = run_chain(r#"[{"use":"shout","mode":"audit"}]"#, forbidden);
    let ran = audited.result.unwrap();
    assert!(ran.refusal.is_none());
    assert_eq!(ran.content.to_json(), forbidden);
    assert_eq!((audited.reports[0].mode, audited.reports[0].ended.as_deref()), (Mode::Audit, Some("loud")));
    assert_eq!(audited.handles, Redactions::default());
}
