//! Shortened definitions: they accept what the full ones accept, keep the order of members, and fit the budget unless
//! every step is used up.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog, Lists, Source},
    json::{Members, Raw},
};
use proptest::prelude::*;

use crate::{cases, random::Random};

/// Members that only describe. Everything else decides what is accepted.
const WORDS: [&str; 6] = ["description", "title", "examples", "example", "$comment", "default"];

fn compile(tool: &str, definition_budget: Option<u32>) -> Catalog {
    let lists = ["{\"tools\":[", tool, "]}"].concat();
    let source = Source { server: "s", lists: Lists::read(&lists).unwrap() };
    Catalog::compile(&[source], &Assignments { definition_budget, ..Assignments::default() })
}

fn shortened(tool: &str, budget: u32) -> String {
    let catalog = compile(tool, Some(budget));
    String::from_utf8(catalog.kind_index(Kind::Tool).listed(0).unwrap().to_vec()).unwrap()
}

fn words(random: &mut Random) -> String {
    let sentence = ["Finds what you need.", "See e.g. the manual.", "Überall nutzbar!", "Nothing\\nelse"];
    (0..=random.below(4)).map(|_| *random.pick(&sentence)).collect::<Vec<_>>().join(" ")
}

/// Returns a schema with arguments that are called like keywords, long lists of values, and schemas in schemas.
fn schema(random: &mut Random, depth: usize, is_whole: bool) -> String {
    // The whole schema of a tool is one of objects.
    let types =
        if is_whole { &["\"object\""][..] } else { &["\"object\"", "\"string\"", "[\"string\",\"null\"]"] };
    let mut members = vec![format!("\"type\":{}", random.pick(types))];
    let mut say = |random: &mut Random, member: String| {
        if !random.one_in(3) {
            members.push(member);
        }
    };
    let text = words(random);
    say(random, format!("\"description\":\"{text}\""));
    say(random, "\"title\":\"A title\"".to_owned());
    let default = "x".repeat(random.below(60));
    say(random, format!("\"default\":\"{default}\""));
    say(random, "\"examples\":[{\"description\":1}]".to_owned());
    let values: Vec<String> = (0..random.below(30)).map(|at| format!("\"value {at}\"")).collect();
    if values.len() > 1 && random.one_in(2) {
        say(random, format!("\"enum\":[{}]", values.join(",")));
    }
    if depth > 0 {
        let inner = |random: &mut Random| schema(random, depth - 1, false);
        let names = ["description", "enum", "title", "examples", "properties", "plain"];
        let named = |random: &mut Random| {
            let names = names.iter().filter(|_| random.one_in(2)).copied().collect::<Vec<_>>();
            names.iter().map(|name| format!("\"{name}\":{}", inner(random))).collect::<Vec<_>>().join(",")
        };
        let properties = named(random);
        say(random, format!("\"properties\":{{{properties}}},\"required\":[\"plain\"]"));
        let items = inner(random);
        say(random, format!("\"items\":{items},\"anyOf\":[{items},true]"));
        let defined = named(random);
        say(random, format!("\"$defs\":{{{defined}}}"));
        if random.one_in(8) {
            let refused = inner(random);
            say(random, format!("\"not\":{refused}"));
        }
    }
    format!("{{{}}}", members.join(","))
}

fn tool(seed: u64) -> String {
    let random = &mut Random::new(seed);
    let (description, input, output) = (words(random), schema(random, 2, true), schema(random, 1, true));
    format!(
        "{{\"name\":\"t\",\"title\":\"T\",\"description\":\"{description}\",\"inputSchema\":{input},\
         \"outputSchema\":{output},\"annotations\":{{\"title\":\"kept\"}}}}"
    )
}

/// Checks that a short schema is the full one without words, and without lists of values if these may be cut.
fn accepts_all(full: Raw<'_>, short: Raw<'_>, cuts: bool) -> Result<(), String> {
    let (Some(full), Some(short)) = (Members::read(full), Members::read(short)) else {
        return (full == short).then_some(()).ok_or_else(|| format!("{full:?} became {short:?}"));
    };
    let is_long = full.get("enum").and_then(Raw::elements).is_some_and(|values| values.len() > 10);
    let is_cut = cuts && is_long && short.get("enum").is_none();
    let deciding = |members: &Members<'_>| -> Vec<String> {
        let keys = members.0.iter().map(|(key, _)| key.to_string());
        keys.filter(|key| !(WORDS.contains(&key.as_str()) || is_cut && key == "enum")).collect()
    };
    if deciding(&full) != deciding(&short) {
        return Err(format!("{full:?} became {short:?}"));
    }
    for (key, value) in full.0.iter().filter(|(key, _)| deciding(&short).contains(&key.to_string())) {
        let other = short.get(key).unwrap();
        let pairs = |one: Raw<'_>, other: Raw<'_>| {
            let (one, other) = (Members::read(one).unwrap(), Members::read(other).unwrap());
            let names = |members: &Members<'_>| {
                members.0.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
            };
            if names(&one) != names(&other) {
                return Err(format!("{one:?} became {other:?}"));
            }
            one.0.iter().zip(&other.0).try_for_each(|((_, one), (_, other))| accepts_all(*one, *other, cuts))
        };
        match key.as_ref() {
            "properties" | "$defs" => pairs(*value, other)?,
            "items" | "not" => accepts_all(*value, other, cuts)?,
            "anyOf" => {
                let (one, other) = (value.elements().unwrap(), other.elements().unwrap());
                one.iter().zip(&other).try_for_each(|(one, other)| accepts_all(*one, *other, cuts))?;
            }
            _ if value.get() != other.get() => return Err(format!("{key} became {other:?}")),
            _ => {}
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn a_short_definition_accepts_what_the_full_one_accepts(seed: u64, budget in 50_u32..600) {
        let full = tool(seed);
        let short = shortened(&full, budget);
        let (one, other) = (Members::parse(&full).unwrap(), Members::parse(&short).unwrap());
        let keys = |members: &Members<'_>| members.0.iter().map(|(key, _)| key.to_string()).collect::<Vec<_>>();
        prop_assert_eq!(keys(&one), keys(&other));
        let narrows = full.contains("\"not\"");
        for (key, cuts) in [("inputSchema", !narrows), ("outputSchema", false)] {
            let result = accepts_all(one.get(key).unwrap(), other.get(key).unwrap(), cuts);
            prop_assert!(result.is_ok(), "{}", result.unwrap_err());
        }
        for key in ["name", "title", "annotations"] {
            prop_assert_eq!(one.get(key), other.get(key));
        }
        let described = |members: &Members<'_>| members.get("description").unwrap().text().unwrap().into_owned();
        prop_assert!(described(&one).starts_with(&described(&other)) && !described(&other).is_empty());
    }

    #[test]
    fn a_short_definition_fits_or_every_step_is_used_up(seed: u64, budget in 50_u32..600) {
        let full = tool(seed);
        let short = shortened(&full, budget);
        let tokens = mcp_sieve::catalog::Tokens::estimate(short.as_bytes());
        prop_assert_eq!(&shortened(&short, budget), &short);
        prop_assert!(short.len() <= full.len());
        if tokens > budget {
            let least = shortened(&full, 1);
            prop_assert_eq!(short, least);
        }
    }

    #[test]
    fn larger_budgets_keep_more(seed: u64, budget in 50_u32..600) {
        let full = tool(seed);
        prop_assert!(shortened(&full, budget).len() <= shortened(&full, budget + 50).len());
        prop_assert_eq!(shortened(&full, u32::MAX), full);
    }
}

#[test]
fn a_catalog_keeps_the_full_definition_beside_the_short_one() {
    let full = tool(7);
    let (whole, short) = (compile(&full, None), compile(&full, Some(60)));
    let index = short.kind_index(Kind::Tool);
    assert_eq!(index.bytes(0).unwrap(), full.as_bytes());
    assert_eq!(index.short(0).unwrap(), shortened(&full, 60));
    assert!(whole.kind_index(Kind::Tool).short(0).is_none());
    assert_ne!(whole.hash(), short.hash());
    assert_ne!(whole.primitive_hash(Kind::Tool, 0), short.primitive_hash(Kind::Tool, 0));
    let all = index.all();
    assert!(short.tokens(Kind::Tool, all).count < whole.tokens(Kind::Tool, all).count);
    let restored = Catalog::restore(short.snapshot()).unwrap();
    assert_eq!(restored.kind_index(Kind::Tool).short(0), index.short(0));
    assert_eq!(restored.hash(), short.hash());
}
