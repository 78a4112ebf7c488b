//! The parts of an item that functions read, and the restoration of what they replaced.

use base64::{Engine, engine::general_purpose::STANDARD};
use futures_executor::block_on;
use mcp_sieve::json::Raw;
use mcp_sieve_gateway::middleware::{Content, Registry};
use serde_json::{Value, json};

use super::{
    shout::shouting,
    world::{NoStore, value},
};

/// A lone surrogate is read as U+FFFD. Only a text that is replaced loses it.
#[test]
fn a_lone_surrogate_is_read_and_kept() {
    let loud = |item: &str| {
        let context = format!("[{item}]");
        let (mut seen, mut content) = (Vec::new(), Content::read(Raw::parse(&context).unwrap()).unwrap());
        content.rewrite(&mut |_, text| {
            seen.push(text.to_owned());
            text.contains("secret").then(|| text.replace("secret", "[X]"))
        });
        (seen, content.items().next().unwrap().to_owned())
    };
    let rows = [
        (r#"{"type":"text","text":"cut \ud83d"}"#, vec!["cut \u{fffd}"], None),
        (
            r#"{"type":"text","text":"secret \uD83D"}"#,
            vec!["secret \u{fffd}"],
            Some("{\"type\":\"text\",\"text\":\"[X] \u{fffd}\"}"),
        ),
        // Other texts, keys and white space keep their bytes.
        (
            r#"{"type":"note", "\udc00": ["cut \ud83d" ,"secret"], "a":{"\ud800":"secret \ud83d\ude00"}}"#,
            vec!["cut \u{fffd}", "secret", "secret \u{1f600}"],
            Some(
                "{\"type\":\"note\", \"\\udc00\": [\"cut \\ud83d\" ,\"[X]\"], \"a\":{\"\\ud800\":\"[X] \u{1f600}\"}}",
            ),
        ),
        // A backslash before the letter `u`, and halves in the wrong order.
        (r#"{"type":"text","text":"\\ud83d"}"#, vec!["\\ud83d"], None),
        (r#"{"type":"text","text":"\udc00\ud83d\ud83d\ude00"}"#, vec!["\u{fffd}\u{fffd}\u{1f600}"], None),
        (
            r#"{"type":"resource","resource":{"uri":"u\ud83d","text":"secret","note":"\ud83d"}}"#,
            vec!["secret", "\u{fffd}"],
            Some(r#"{"type":"resource","resource":{"uri":"u\ud83d","text":"[X]","note":"\ud83d"}}"#),
        ),
        (r#"{"type":"a\ud83d","text":"secret"}"#, vec!["secret"], Some(r#"{"type":"a\ud83d","text":"[X]"}"#)),
    ];
    for (item, texts, written) in rows {
        assert_eq!(
            loud(item),
            (texts.into_iter().map(str::to_owned).collect(), written.unwrap_or(item).to_owned())
        );
    }
    // Every function passes it, and finds what is beside it.
    let context =
        r#"[{"type":"text","text":"mail jane@example.com \ud83d"},{"type":"text","text":"cut \ud83d"}]"#;
    for function in ["pii_redaction", "secret_detection", "pii_restoration", "content_moderation"] {
        let arguments = (function == "pii_restoration").then_some(r#"{"redactions":{"X_1":"\ud800"}}"#);
        let outcome = block_on(Registry::built_in().invoke(function, arguments, context, &NoStore)).unwrap();
        let items: Vec<&str> = outcome.content.items().collect();
        assert_eq!(items[items.len() - 1], r#"{"type":"text","text":"cut \ud83d"}"#, "{function}");
    }
    let redacted = block_on(Registry::built_in().invoke("pii_redaction", None, context, &NoStore)).unwrap();
    let first = redacted.content.items().next().unwrap();
    assert_eq!(first, "{\"type\":\"text\",\"text\":\"mail [EMAIL_1] \u{fffd}\"}");
}

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

/// Returns a text item after redaction.
fn redacted(item: &Value) -> Value {
    let context = json!([item]).to_string();
    let outcome = block_on(Registry::built_in().invoke("pii_redaction", None, &context, &NoStore)).unwrap();
    serde_json::from_str::<Value>(&outcome.content.to_json()).unwrap()[0].take()
}

/// Text that a `data:` URL in a string encodes is read, and what replaces it is encoded in the same way.
#[test]
fn the_text_of_a_data_url_is_text() {
    let text =
        |text: &str| redacted(&json!({"type": "text", "text": text}))["text"].as_str().unwrap().to_owned();
    let (whole, hidden) =
        (STANDARD.encode("Mail jane@example.com now"), STANDARD.encode("Mail [EMAIL_1] now"));
    let bare = whole.trim_end_matches('=');
    let escaped = "Mail%20jane%40example.com%20now";
    for (given, expected) in [
        (format!("data:text/plain;base64,{whole}"), format!("data:text/plain;base64,{hidden}")),
        (format!("see data:;base64,{whole}, please"), format!("see data:;base64,{hidden}, please")),
        (format!("![x](data:text/html;base64,{bare})"), format!("![x](data:text/html;base64,{hidden})")),
        (
            format!("<a href=\"DATA:text/plain;charset=utf-8;BASE64,{whole}\">"),
            format!("<a href=\"DATA:text/plain;charset=utf-8;BASE64,{hidden}\">"),
        ),
        (
            format!("data:application/json ; base64,{}", whole.replace('=', "%3D")),
            format!("data:application/json ; base64,{hidden}"),
        ),
        (format!("data:,{escaped}"), "data:,Mail%20%5BEMAIL_1%5D%20now".to_owned()),
        (format!("(data:text/plain,{escaped})"), "(data:text/plain,Mail%20%5BEMAIL_1%5D%20now)".to_owned()),
        ("data:,%6a%61ne@example.com".to_owned(), "data:,%5BEMAIL_1%5D".to_owned()),
        // A URL in the text of another, and one behind another.
        (format!("data:,%20data:;base64,{whole}"), format!("data:,%20data:;base64,{hidden}")),
        (
            format!("data:text/plain,x/data:;base64,{whole} data:,{escaped}"),
            format!("data:text/plain,x/data:;base64,{hidden} data:,Mail%20%5BEMAIL_1%5D%20now"),
        ),
    ] {
        assert_eq!(text(&given), expected, "{given}");
    }
    for same in [
        format!("data:image/png;base64,{whole}"),
        format!("metadata:text/plain;base64,{whole}"),
        "data:;base64,/wD/".to_owned(),
        "data:text/plain;base64,SGVsbG8".to_owned(),
        "data:,50%25 of 100% %zz".to_owned(),
        "data: a, b, c".to_owned(),
        "data:;base64,".to_owned(),
    ] {
        assert_eq!(text(&same), same);
    }
    // Arguments, structured results and URIs that are `data:` URLs hold text as well; other URIs stay.
    let (url, new) = (format!("data:;base64,{whole}"), format!("data:;base64,{hidden}"));
    let result = json!({"type": "tool_result", "structuredContent": {"file": url}});
    assert_eq!(redacted(&result)["structuredContent"]["file"], new);
    let link = json!({"type": "resource_link", "uri": url, "name": "n"});
    assert_eq!(redacted(&link)["uri"], new);
    let other = json!({"type": "resource_link", "uri": "mail:jane@example.com", "name": "n"});
    assert_eq!(redacted(&other), other);
    let blob = json!({"type": "resource", "resource": {"uri": "u", "blob": STANDARD.encode(&url)}});
    assert_eq!(redacted(&blob)["resource"]["blob"], STANDARD.encode(&new));
}

/// Each `data:` URL is read a bounded number of times, however they are written one behind or in the other.
#[test]
fn data_urls_take_time_linear_in_the_text() {
    for piece in ["data:,", "data:,%", "data:;base64,", "data:data:,%20", "data:x,data:%2c%64ata:,"] {
        let mut visited = 0;
        let source = json!([{"type": "text", "text": piece.repeat(20_000)}]).to_string();
        let content = Content::read(Raw::parse(&source).unwrap()).unwrap();
        content.each_text(&mut |_, text| visited += text.len());
        assert!(visited <= 4 * source.len(), "{piece}: {visited} of {}", source.len());
    }
}

/// A long whole number is read as its digits behind its key, and is a text where it must change.
#[test]
fn a_long_number_is_text() {
    let number = |number: &str| -> Value {
        let source = format!(r#"[{{"type":"tool_result","structuredContent":{{"card":{number}}}}}]"#);
        let outcome =
            block_on(Registry::built_in().invoke("pii_redaction", None, &source, &NoStore)).unwrap();
        let text = outcome.content.to_json();
        if text == source {
            json!("same")
        } else {
            serde_json::from_str::<Value>(&text).unwrap()[0]["structuredContent"]["card"].take()
        }
    };
    for card in ["4111111111111111", "4.111111111111111e15", "4111111111111111.0", "41111111111111110E-1"] {
        assert_eq!(number(card), "[CREDIT_CARD_1]", "{card}");
    }
    assert_eq!(number("-4111111111111111"), "-[CREDIT_CARD_1]");
    assert_eq!(number("[[4111111111111111]]"), json!([["[CREDIT_CARD_1]"]]));
    for (key, digits) in [
        ("cardNumber", "4111111111111111"),
        ("card_number", "4111111111111111"),
        ("creditCard", "4111111111111111"),
        ("credit_card_number", "4111111111111111"),
        ("pan", "4111111111111111"),
        ("phone", "4915112345678"),
        ("ssn", "536904399"),
    ] {
        let said = number(&format!(r#"{{"{key}":{digits}}}"#));
        assert!(said[key].is_string(), "{key}: {said}");
    }
    // A word announces a number, as in a text.
    assert_eq!(number(r#"{"n":4111111111111111}"#), "same");
    // Other numbers keep their bytes.
    for same in [
        "4111111111111112",
        "1234567",
        "0.41111111",
        "1e400",
        "1732864629000",
        "12345678901234567890.00",
        "-0",
    ] {
        assert_eq!(number(same), "same", "{same}");
    }
    // What stands in place of a number is a text, also after restoration.
    let source = r#"[{"type":"note","card":4111111111111111}]"#;
    let registry = Registry::built_in();
    let values = json!({"metadata": "values"}).to_string();
    let hidden = block_on(registry.invoke("pii_redaction", Some(&values), source, &NoStore)).unwrap();
    let metadata: Value = serde_json::from_str(hidden.metadata.as_deref().unwrap()).unwrap();
    let arguments = json!({"redactions": metadata["redactions"]}).to_string();
    let text = hidden.content.to_json();
    let back = block_on(registry.invoke("pii_restoration", Some(&arguments), &text, &NoStore)).unwrap();
    assert_eq!(back.content.to_json(), r#"[{"type":"note","card":"4111111111111111"}]"#);
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
