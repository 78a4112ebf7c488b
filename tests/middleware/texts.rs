//! The parts of an item that functions read, and the restoration of what they replaced.

use futures_executor::block_on;
use mcp_sieve::middleware::Registry;
use serde_json::{Value, json};

use crate::{
    shout::shouting,
    world::{NoStore, value},
};

/// Every string of an item that a model reads is text; those that the protocol reads are not.
#[test]
fn every_string_that_is_not_the_protocols_is_text() {
    let loud = |item: Value| -> Value {
        let context = json!([item]).to_string();
        let outcome = block_on(shouting().invoke("shout", None, &context, &NoStore)).unwrap();
        serde_json::from_str::<Value>(&outcome.content.to_json()).unwrap()[0].take()
    };
    // `dG8geA==` is "to x", `VE8gWA==` is "TO X", and the last is not UTF-8.
    let (small, loud_blob, binary) = ("dG8geA==", "VE8gWA==", "/wD/");
    let rows = [
        (
            json!({"type":"text","text":"x","note":["y"],"_meta":{"a":"z"},
                "annotations":{"audience":["user"],"lastModified":"t","label":"w"}}),
            json!({"type":"text","text":"X","note":["Y"],"_meta":{"a":"z"},
                "annotations":{"audience":["user"],"lastModified":"t","label":"W"}}),
        ),
        (
            json!({"type":"resource_link","uri":"u","name":"n","title":"x","description":"y","mimeType":"text/x",
                "icons":[{"src":"i"}]}),
            json!({"type":"resource_link","uri":"u","name":"n","title":"X","description":"Y","mimeType":"text/x",
                "icons":[{"src":"i"}]}),
        ),
        (
            json!({"type":"resource","resource":{"uri":"u","title":"x","text":"y","_meta":{"a":"z"}},"note":"w"}),
            json!({"type":"resource","resource":{"uri":"u","title":"X","text":"Y","_meta":{"a":"z"}},"note":"W"}),
        ),
        (
            json!({"type":"resource_link","uri":["x"],"name":{"a":"y"},"mimeType":7,"icons":"z"}),
            json!({"type":"resource_link","uri":["X"],"name":{"a":"Y"},"mimeType":7,"icons":"Z"}),
        ),
        (
            json!({"type":"note","id":"i","body":{"lines":["x"]},"_meta":{"a":"z"}}),
            json!({"type":"note","id":"i","body":{"lines":["X"]},"_meta":{"a":"z"}}),
        ),
        (json!({"type":"note","data":"so it is"}), json!({"type":"note","data":"SO IT IS"})),
        (json!({"type":"note","data":small}), json!({"type":"note","data":loud_blob})),
        (json!({"type":"image","data":"x y","alt":"z"}), json!({"type":"image","data":"X Y","alt":"Z"})),
        (
            json!({"type":"image","data":small,"mimeType":"image/svg+xml"}),
            json!({"type":"image","data":loud_blob,"mimeType":"image/svg+xml"}),
        ),
        (
            json!({"type":"tool_result","toolUseId":"i","content":[{"type":"note","body":"x"},"y"],"title":"z"}),
            json!({"type":"tool_result","toolUseId":"i","content":[{"type":"note","body":"X"},"Y"],"title":"Z"}),
        ),
    ];
    for (given, expected) in rows {
        assert_eq!(loud(given), expected);
    }
    let blob = |blob: &str, media: Option<&str>| {
        let mut item = json!({"type":"resource","resource":{"uri":"u","blob":blob}});
        if let Some(media) = media {
            item["resource"]["mimeType"] = media.into();
        }
        loud(item)["resource"]["blob"].as_str().unwrap().to_owned()
    };
    for media in [None, Some("text/plain"), Some("application/json"), Some("application/octet-stream")] {
        assert_eq!(blob(small, media), loud_blob, "{media:?}");
    }
    // Non-standard Base64 is accepted, and standard Base64 is written.
    for lenient in ["dG8geA", "dG8g\neA==", " dG8 g\teA==", "dG8!geA==", "\u{a0}dG8geA"] {
        assert_eq!(blob(lenient, None), loud_blob, "{lenient:?}");
    }
    assert_eq!(blob("to: x", None), "TO: X", "text without an encoding is text");
    assert_eq!(blob("ISE_IT8/eA==", None), "ISE/IT8/WA==");
    assert_eq!(blob("dG8=IHg=", None), loud_blob);
    for media in ["image/png", "audio/wav", "font/woff2", "video/mp4"] {
        assert_eq!(blob(small, Some(media)), small, "{media}");
    }
    assert_eq!([blob(binary, None), blob(binary, Some("application/pdf"))], [binary, binary]);
    // Latin-1 is processed byte by byte and stays Latin-1: the bytes of "ä x" are not valid UTF-8.
    assert_eq!(blob("5CB4", Some("text/plain; charset=iso-8859-1")), "xCBY");
    assert_eq!(blob("5CB4", None), "5CB4");
}

/// M-22: text that was redacted anywhere in an item is restored byte for byte.
#[test]
fn what_is_redacted_anywhere_comes_back() {
    let address = "jane@example.com";
    let blob = "TWFpbCBqYW5lQGV4YW1wbGUuY29tIG5vdw==";
    let context = json!([
        {"type":"text","text":"a","note":address,"annotations":{"label":address}},
        {"type":"resource_link","uri":"u:u","name":"n","title":address,"description":format!("of {address}")},
        {"type":"resource","resource":{"uri":"u:u","mimeType":"text/plain","blob":blob,"title":address}},
        {"type":"hologram","lines":[address, {"x": address}]},
    ])
    .to_string();
    let registry = Registry::built_in();
    let arguments = json!({"metadata": "values"}).to_string();
    let hidden = block_on(registry.invoke("pii_redaction", Some(&arguments), &context, &NoStore)).unwrap();
    let text = hidden.content.to_json();
    assert!(!text.contains(address) && !text.contains(blob), "{text}");
    let metadata: Value = serde_json::from_str(hidden.metadata.as_deref().unwrap()).unwrap();
    let arguments = json!({"redactions": metadata["redactions"]}).to_string();
    let back = block_on(registry.invoke("pii_restoration", Some(&arguments), &text, &NoStore)).unwrap();
    assert_eq!(back.content.to_json(), context);
}

/// M-22: what is redacted in several items and in several turns is restored, also text that looks like a handle.
#[test]
fn what_is_redacted_in_several_turns_comes_back() {
    let registry = Registry::built_in();
    let run = |name: &str, arguments: Value, context: &Value| {
        let (arguments, context) = (arguments.to_string(), context.to_string());
        value(&block_on(registry.invoke(name, Some(&arguments), &context, &NoStore)).unwrap())
    };
    let text = |text: &str| json!({"type": "text", "text": text});
    let turns = [
        json!([text("Mail jane@example.com and bob@example.com"), text("SSN: 987-65-4321, see [EMAIL_1]")]),
        json!([text("bob@example.com wrote to eve@example.com"), text("[EMAIL_9] of jane@example.com")]),
    ];
    let mut redactions = json!({});
    let mut hidden = Vec::new();
    for turn in &turns {
        let arguments = json!({"metadata": "values", "redactions": redactions});
        let found = run("pii_redaction", arguments, turn);
        for known in ["jane@", "bob@", "eve@", "987-65-4321"] {
            assert!(!found["content"].to_string().contains(known), "{found}");
        }
        for (handle, value) in found["metadata"]["redactions"].as_object().unwrap() {
            redactions[handle] = value.clone();
        }
        hidden.push(found["content"].clone());
    }
    for (hidden, turn) in hidden.iter().zip(&turns) {
        let restored = run("pii_restoration", json!({"redactions": redactions}), hidden);
        assert_eq!(restored["content"], *turn, "{hidden} {redactions}");
    }
}
