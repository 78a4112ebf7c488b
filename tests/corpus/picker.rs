//! A user's choices in the picker, step by step.

use std::collections::BTreeMap;

use mcp_sieve::{
    Error, Filter, Kind,
    catalog::{Catalog, Lists, Source},
    expr::NoCaller,
    filter::{Limit, Outcome},
    picker::{Checked, Counts, Mark, Picker, Preferences, Showing},
    policy::Guarded,
};
use mcp_sieve_gateway::config::Config;
use serde_json::{Value, json};

use super::rows::{Row, run, same};

/// Checks the state of the picker after each step of a row.
pub fn picker() {
    run("picker.json", include_str!("../fixtures/picker.json"), "natively", |row| {
        let mut picker = open(row)?;
        let steps: Vec<Vec<Value>> = row.get("steps").ok_or("the row has no steps")?;
        let outcomes: Vec<Result<bool, Error>> = steps.iter().map(|step| take(&mut picker, step)).collect();
        let code =
            outcomes.iter().find_map(|outcome| outcome.as_ref().err()).map(|error| error.code().to_owned());
        same("error", &code, &row.get("error"))?;
        if let Some(changed) = row.get::<Vec<bool>>("changed") {
            let found: Vec<bool> = outcomes.into_iter().map(|outcome| outcome.unwrap_or(false)).collect();
            same("changed", &found, &changed)?;
        }
        expect(&picker, &row.inner("expect").ok_or("the row expects nothing")?)
    });
}

/// Opens a picker on the world of a row.
fn open(row: &Row) -> Result<Picker, String> {
    let (lists, config) = row.world();
    let config = config
        .map_or_else(|| Ok(Config::default()), |text| Config::parse(&text))
        .map_err(|e| e.to_string())?;
    let lists = Lists::read(&lists).map_err(|e| e.to_string())?;
    let catalog = Catalog::compile(&[Source { server: "", lists }], &config.engine.assignments);
    let view = Guarded::new(catalog, config.engine.policies).view(&NoCaller);
    Ok(Picker::new(&view, &config.engine.concerns, config.engine.on_invalid_concern))
}

/// Takes one step; returns whether it changed anything.
fn take(picker: &mut Picker, step: &[Value]) -> Result<bool, Error> {
    let text = |at: usize| step[at].as_str().unwrap_or_default();
    let on = |at: usize| step[at].as_bool().unwrap();
    let kind = |at: usize| {
        step.get(at).map_or(Kind::Tool, |kind| Kind::from_list_key(kind.as_str().unwrap()).unwrap())
    };
    let group = |picker: &Picker| picker.groups().iter().position(|node| node.group.name == text(1)).unwrap();
    match text(0) {
        "toggle" => picker.toggle(group(picker)),
        "exclude" => picker.exclude(group(picker)),
        "mark" => {
            picker.mark(text(1), [Mark::Indifferent, Mark::Must, Mark::MustNot][place(&MARKS, text(2))])
        }
        "setConcern" => {
            let value = match &step[2] {
                Value::Null => vec![],
                Value::String(text) => vec![text.clone()],
                other => vec![other.to_string()],
            };
            picker.set_concern(text(1), &value)
        }
        "setQuery" => picker.set_query(text(1)),
        "setLimit" => {
            let most = |key: &str| step[1].get(key).and_then(Value::as_u64).map(|most| most as u32);
            picker.set_limit(Limit { count: most("count"), tokens: most("tokens") })
        }
        "setDisabled" => picker.disable(kind(3), text(1), on(2)),
        "setUsed" if on(2) => picker.pin(kind(3), text(1)),
        "setUsed" => picker.disable(kind(3), text(1), true),
        "setFavorite" => picker.set_favorite(kind(3), text(1), on(2)),
        "setOnlyFavorites" => picker.set_only_favorites(on(1)),
        "set" => picker.set(&Filter::parse(&step[1].to_string())?.filter),
        "begin" => picker.begin(&Filter::parse(&step[1].to_string())?.filter),
        "prefer" => picker.prefer(&text(1).parse()?),
        "undo" => Ok(picker.undo()),
        "redo" => Ok(picker.redo()),
        "find" => {
            picker.find(text(1));
            Ok(false)
        }
        "kind" => {
            picker.show_kind(kind(1));
            Ok(false)
        }
        "show" => {
            picker.show(
                [Showing::Matching, Showing::Hidden, Showing::All, Showing::Dropped]
                    [place(&["left", "hidden", "all", "dropped"], text(1))],
            );
            Ok(false)
        }
        other => panic!("no step is called {other}"),
    }
}

const MARKS: [&str; 3] = ["any", "must", "not"];

fn place(names: &[&str], name: &str) -> usize {
    names.iter().position(|known| *known == name).unwrap()
}

/// Compares the picker with the expectations of a row.
fn expect(picker: &Picker, row: &Row) -> Result<(), String> {
    if let Some(filter) = row.value("filter") {
        let found: Value = serde_json::from_str(&picker.filter().unwrap().to_string()).unwrap();
        same("filter", &found, &filter)?;
    }
    let rows: Vec<_> = (0..picker.order().len()).map(|at| picker.row(at).unwrap()).collect();
    if row.has("rows") {
        let found: Vec<String> = rows.iter().map(|row| row.id.to_owned()).collect();
        same("rows", &found, &row.names("rows"))?;
    }
    for (name, rules) in row.get::<BTreeMap<String, Vec<String>>>("reasons").unwrap_or_default() {
        let reasons = rows.iter().find(|row| row.id == name).map_or(&[][..], |row| &row.reasons);
        let found: Vec<&str> = reasons.iter().map(|reason| reason.rule).collect();
        same(&name, &found, &rules.iter().map(String::as_str).collect())?;
    }
    for (name, rank) in row.get::<BTreeMap<String, Value>>("ranks").unwrap_or_default() {
        let found = rows.iter().find(|row| row.id == name).and_then(|row| row.rank).ok_or("no rank")?;
        let mut told = json!({"position": found.position, "of": found.of, "relevance": found.relevance});
        if let Some(priority) = found.priority {
            told["priority"] = serde_json::from_str(&priority.to_string()).unwrap();
        }
        if let Outcome::TooLarge { left } = found.outcome {
            told["tokensLeft"] = left.into();
        }
        same(&format!("rank of {name}"), &told, &rank)?;
    }
    if let Some(budget) = row.value("budget") {
        let found = picker.budget();
        let told = json!({"candidates": found.candidates, "candidateTokens": found.tokens.count, "dropped": found.dropped});
        same("budget", &told, &budget)?;
    }
    if let Some(kept) = row.get::<String>("preferences") {
        same("preferences", &picker.preferences().to_string(), &kept)?;
        same("again", &kept.parse::<Preferences>().unwrap().to_string(), &kept)?;
    }
    if let Some(steps) = row.get::<(usize, usize)>("steps") {
        same("steps", &picker.steps(), &steps)?;
    }
    let groups = picker.groups().iter().map(|node| node.group.name.as_str()).zip(picker.group_counts());
    let groups: BTreeMap<&str, Counts<Checked>> = groups.collect();
    let tags = picker.tags().iter().map(|tag| tag.name.as_str()).zip(picker.tag_counts());
    let tags: BTreeMap<&str, Counts<Mark>> = tags.collect();
    for (name, state) in row.get::<BTreeMap<String, String>>("states").unwrap_or_default() {
        same(&name, &format!("{:?}", groups[name.as_str()].state).to_lowercase(), &state)?;
    }
    for (name, mark) in row.get::<BTreeMap<String, String>>("marks").unwrap_or_default() {
        let found = match tags[name.as_str()].state {
            Mark::Indifferent => "any",
            Mark::Must => "must",
            Mark::MustNot => "not",
        };
        same(&name, &found, &mark.as_str())?;
    }
    let numbers = |name: &str| {
        let group = groups.get(name).map(|counts| (counts.members, counts.left));
        group
            .or(tags.get(name).map(|counts| (counts.members, counts.left)))
            .unwrap_or_else(|| panic!("no {name}"))
    };
    for (name, members) in row.get::<BTreeMap<String, usize>>("members").unwrap_or_default() {
        same(&format!("members of {name}"), &numbers(&name).0, &members)?;
    }
    for (name, left) in row.get::<BTreeMap<String, usize>>("left").unwrap_or_default() {
        same(&format!("left of {name}"), &numbers(&name).1, &left)?;
    }
    if let Some(values) = row.value("values") {
        let mut counts = picker.value_counts().into_iter();
        let mut found = serde_json::Map::new();
        for concern in picker.concerns() {
            let told = concern.values.listed().iter().zip(counts.by_ref());
            let told = told.map(|(value, counts)| json!([value, counts.state, counts.members, counts.left]));
            found.insert(concern.name.clone(), told.collect());
        }
        same("values", &Value::Object(found), &values)?;
    }
    Ok(())
}
