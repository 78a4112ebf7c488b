//! The record of the servers that had each name first: no server takes over a name, a URI or a template of another.

use mcp_sieve::{
    Kind,
    catalog::{Catalog, Lists, NameRecord, ResourceUri, Source},
    policy::{Reach, View},
};
use mcp_sieve_gateway::{
    config::{self, Config},
    host::Freshness,
    upstream::{Fetch, Gateway},
};
use serde_json::{Value, json};

use crate::{
    gateway::{Servers, behind, config, gateway, serve},
    net::Net,
};

/// Returns the servers of the tools that a gateway serves after it lists its servers again.
async fn listed(gateway: &Gateway, net: &Net, config: &Config) -> Vec<String> {
    gateway.expire();
    net.sleep(10_000).await;
    let served = serve(gateway, net, config, Freshness::List).await.unwrap();
    let tools = served.backend.guarded.catalog().kind_index(Kind::Tool);
    let name = |at| format!("{} {}", tools.id(at).unwrap(), tools.server(at).unwrap());
    (0..tools.len()).map(name).collect()
}

fn with_prefix(upstream: config::Upstream, prefix: &str) -> config::Upstream {
    config::Upstream { prefix: Some(prefix.to_owned()), ..upstream }
}

#[test]
fn a_server_that_begins_to_list_a_name_does_not_get_it() {
    for upstreams in [
        [with_prefix(behind("a"), "a_"), behind("b")],
        [behind("b"), behind("a")],
        [behind("b"), with_prefix(behind("a"), "a_")],
        [with_prefix(behind("b"), "b_"), with_prefix(behind("a"), "a_")],
    ] {
        let servers = Servers::default();
        servers.lists("a", &["send_mail"], 0);
        servers.lists("b", &["other"], 0);
        let (net, config) = (servers.net(), config(&upstreams));
        net.run(async {
            let gateway = gateway(&upstreams);
            assert!(listed(&gateway, &net, &config).await.contains(&"send_mail a".to_owned()));
            servers.lists("b", &["send_mail", "other"], 0);
            let now = listed(&gateway, &net, &config).await;
            assert!(
                now.contains(&"send_mail a".to_owned()) && now.contains(&"other b".to_owned()),
                "{now:?}"
            );
            // It does not get the name either while the other server does not list it.
            servers.lists("a", &[], 0);
            let now = listed(&gateway, &net, &config).await;
            assert!(!now.contains(&"send_mail b".to_owned()), "{now:?}");
            servers.lists("a", &["send_mail"], 0);
            assert!(listed(&gateway, &net, &config).await.contains(&"send_mail a".to_owned()));
        });
    }
}

/// The order of the file decides between servers that are first listed together, whichever answers first. One that is
/// down then comes later than the others.
#[test]
fn the_first_in_the_file_has_a_name_of_several_unless_it_is_down() {
    for (is_down, owner) in [(false, "a"), (true, "b")] {
        let servers = Servers::default();
        servers.lists("a", &["x"], 300);
        servers.lists("b", &["x"], 0);
        if is_down {
            servers.down("a");
        }
        let upstreams =
            [behind("a"), behind("b")].map(|up| with_prefix(up.clone(), &format!("{}_", up.name)));
        let (net, config) = (servers.net(), config(&upstreams));
        net.run(async {
            let gateway = gateway(&upstreams);
            serve(&gateway, &net, &config, Freshness::List).await.unwrap();
            net.sleep(60_000).await;
            servers.lists("a", &["x"], 0);
            let now = listed(&gateway, &net, &config).await;
            assert!(now.contains(&format!("x {owner}")), "down: {is_down}: {now:?}");
        });
    }
}

#[test]
fn the_record_outlives_changes_of_the_file_and_not_its_server() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &[], 0);
    let net = servers.net();
    let owner = async |upstreams: &[config::Upstream], stored: &[u8]| {
        let (gateway, config) = (gateway(upstreams), config(upstreams));
        gateway.restore_names(stored).unwrap();
        let now = listed(&gateway, &net, &config).await;
        let owner = now.iter().find_map(|tool| tool.strip_prefix("x ")).unwrap_or_default().to_owned();
        (owner, gateway.changed_names())
    };
    net.run(async {
        let (_, stored) = owner(&[behind("a")], b"").await;
        let stored = stored.unwrap();
        servers.lists("b", &["x"], 0);
        let moved = config::Upstream { url: "http://a/v2".to_owned(), ..behind("a") };
        let renamed = config::Upstream { name: "mail".to_owned(), ..behind("a") };
        let capable = config::Upstream {
            headers: vec![("X-Key".to_owned(), "v".to_owned())],
            call_timeout_ms: 7,
            ..with_prefix(behind("a"), "a_")
        };
        for (upstreams, expected) in [
            (vec![behind("b"), behind("a")], "a"),
            (vec![with_prefix(behind("b"), "b_"), behind("a")], "a"),
            (vec![behind("b"), capable], "a"),
            (vec![behind("b"), renamed], "mail"),
            // The server is gone, or another one stands at its place.
            (vec![behind("b")], "b"),
            (vec![behind("b"), moved], "b"),
        ] {
            assert_eq!(owner(&upstreams, &stored).await.0, expected, "{upstreams:?}");
        }
        // A name that became another server's stays its own when the first server is back.
        let freed = owner(&[behind("b")], &stored).await.1.unwrap();
        assert_eq!(owner(&[behind("a"), behind("b")], &freed).await.0, "b");
    });
}

#[test]
fn a_process_without_a_record_gives_a_name_of_several_to_none() {
    let servers = Servers::default();
    servers.lists("a", &["x", "y"], 0);
    servers.lists("b", &["x"], 0);
    let (net, upstreams) = (servers.net(), [with_prefix(behind("a"), "a_"), behind("b")]);
    let config = config(&upstreams);
    net.run(async {
        let gateway = gateway(&upstreams);
        gateway.forget_names();
        assert_eq!(listed(&gateway, &net, &config).await, ["a_x a", "y a"]);
        assert!(gateway.changed_names().is_none());
    });
}

#[test]
fn a_damaged_record_is_an_error_and_the_stored_catalog_takes_its_place() {
    let servers = Servers::default();
    servers.lists("a", &["x"], 0);
    servers.lists("b", &["y"], 0);
    let (net, upstreams) = (servers.net(), [behind("b"), behind("a")]);
    let config = config(&upstreams);
    net.run(async {
        let before = gateway(&upstreams);
        listed(&before, &net, &config).await;
        let (names, catalog) = (before.changed_names().unwrap(), before.store().unwrap());
        before.names_are_stored();
        assert!(before.changed_names().is_none());
        let cut = (1..names.len()).filter(|end| gateway(&upstreams).restore_names(&names[..*end]).is_ok());
        // Cut between two names, it is a shorter record.
        assert_eq!(cut.count(), 2);
        let beyond = [b"[]\n".as_slice(), &[0; 20]].concat();
        servers.lists("b", &["x", "y"], 0);
        for damaged in [&b"{}\n"[..], b"no line", &beyond] {
            let again = gateway(&upstreams);
            assert!(again.restore_names(damaged).is_err());
            again.load(catalog.clone(), &config).unwrap();
            assert!(listed(&again, &net, &config).await.contains(&"x a".to_owned()));
        }
        // A store of an older version has no record.
        let again = gateway(&upstreams);
        again.restore_names(b"").unwrap();
        again.load(catalog, &config).unwrap();
        assert!(listed(&again, &net, &config).await.contains(&"x a".to_owned()));
    });
}

fn compile(servers: &[(&str, Value)], record: Option<&NameRecord>) -> Catalog {
    let texts: Vec<String> = servers.iter().map(|(_, lists)| lists.to_string()).collect();
    let sources: Vec<Source<'_>> = std::iter::zip(servers, &texts)
        .map(|((server, _), text)| Source { server, lists: Lists::read(text).unwrap() })
        .collect();
    Catalog::merge_recorded(&sources, &[], &Config::default().engine.assignments, record)
}

/// A server that lists other names each time neither fills the record nor takes the names of others.
#[test]
fn the_names_of_one_server_are_bounded() {
    let tools = |names: std::ops::Range<usize>| {
        let tool = |at| json!({"name": format!("t{at}"), "inputSchema": {"type": "object"}});
        json!({"tools": names.map(tool).collect::<Vec<_>>()})
    };
    let mut record = NameRecord::default();
    let other = ("b", json!({"prompts": [{"name": "greet"}]}));
    for round in 0..2 {
        let names = tools(round * 15_000..(round + 1) * 15_000);
        assert!(compile(&[("a", names), other.clone()], None).record_names(&mut record));
        assert!(record.names().len() <= NameRecord::MAX_NAMES + 1);
        assert_eq!(record.owner(Kind::Prompt, "greet"), Some("b"));
        assert_eq!(record.owner(Kind::Tool, &format!("t{}", round * 15_000)), Some("a"));
    }
    assert_eq!(record.owner(Kind::Tool, "t0"), None, "not listed any more");
    assert!(
        compile(&[("a", tools(0..mcp_sieve::catalog::NameRecord::MAX_NAMES + 5))], None)
            .record_names(&mut record)
    );
    assert_eq!(record.names().len(), NameRecord::MAX_NAMES + 1);
}

/// A URI belongs to the server that lists it, and else to the template that was listed first, hidden or not.
#[test]
fn a_template_answers_for_no_uri_of_another_server() {
    let a = json!({"resources": [{"uri": "doc://x", "name": "x"}],
                   "resourceTemplates": [{"uriTemplate": "t://{id}", "name": "t"}]});
    let b = json!({"resourceTemplates": [{"uriTemplate": "{+any}", "name": "any"}]});
    let mut record = NameRecord::default();
    compile(&[("a", a.clone())], None).record_names(&mut record);
    let servers = [("b", b), ("a", a)];
    let uri = |text| ResourceUri::parse(text).unwrap();
    let server = |view: &View, text| match view.resource(&uri(text)) {
        Reach::Resource(index) => view.catalog().kind_index(Kind::Resource).server(index).unwrap().to_owned(),
        Reach::Template(index) => view.catalog().kind_index(Kind::Template).server(index).unwrap().to_owned(),
        reach => format!("{reach:?}"),
    };
    let seen = |catalog: Catalog, show: &str| {
        let config = json!({"policies": [{"name": "p", "show": show}]}).to_string();
        let view = Config::parse(&config).unwrap().guard(catalog).view(&mcp_sieve::expr::NoCaller);
        ["doc://x", "t://1", "other://1"].map(|text| server(&view, text))
    };
    let recorded = || compile(&servers, Some(&record));
    assert_eq!(seen(recorded(), "server:*"), ["a", "a", "b"]);
    assert_eq!(seen(recorded(), "-server:a"), ["Hidden", "Hidden", "b"]);
    assert_eq!(seen(recorded(), "-kind:resource"), ["Hidden", "a", "b"]);
    // Without a record neither server has a URI that both may have.
    assert_eq!(seen(compile(&servers, None), "server:*"), ["a", "Hidden", "b"]);
    assert_eq!(seen(compile(&servers, None), "-server:b"), ["a", "Hidden", "Hidden"]);
}
