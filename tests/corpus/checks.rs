//! The checks that every face must pass, one per fixture file. A face is an interface of the engine, see `face`.

use std::collections::BTreeMap;

use mcp_sieve::Kind;
use serde_json::{Value, json};

use super::{
    face::{Answer, Caller, Face, Linter, Refused},
    rows::{FilterInput, Row, run, run_where, same},
};

/// Checks which primitives a filter selects.
pub fn select<F: Face>() {
    run("select.json", include_str!("../fixtures/select.json"), F::NAME, |row| {
        let mut face = world::<F>(row)?;
        for earlier in row.inners("before") {
            let answer = ask(&mut face, row.kind(), &earlier.filter_input())?;
            same("select of a filter before", &answer.names, &earlier.names("select"))?;
        }
        let answer = ask(&mut face, row.kind(), &row.filter_input())?;
        let everything = ask(&mut face, row.kind(), &FilterInput::Nothing)?;
        let wanted = row.names("select");
        same("select", &answer.names, &wanted)?;
        same("count", &answer.count, &wanted.len())?;
        let place = |name: &String| everything.names.iter().position(|known| known == name);
        let places: Option<Vec<u32>> = wanted.iter().map(|name| place(name).map(|at| at as u32)).collect();
        same("indices", &Some(answer.indices), &places)?;
        same("ignored", &answer.ignored, &row.get("ignored").unwrap_or_default())?;
        same("unknown", &answer.unknown, &row.get("unknown").unwrap_or_default())?;
        if let Some(applied) = row.value("applied") {
            same("applied", &answer.applied, &applied)?;
        }

        let key = row.kind().list_key();
        let listed: Value = serde_json::from_str(&answer.list).map_err(|error| format!("list: {error}"))?;
        let members = listed.as_object().map(|list| list.keys().cloned().collect::<Vec<_>>());
        same("members of the list", &members, &Some(vec![key.to_owned()]))?;
        let id = |item: &Value| item[row.kind().id_key()].as_str().map(str::to_owned);
        let ids: Option<Vec<String>> =
            listed[key].as_array().and_then(|items| items.iter().map(id).collect());
        same("names in the list", &ids, &Some(wanted))?;
        if let Some(list) = row.get::<String>("list") {
            same("list", &answer.list, &list)?;
        }
        for (name, text) in row.get::<BTreeMap<String, String>>("items").unwrap_or_default() {
            if !answer.list.contains(&text) {
                return Err(format!("{name}\n  found    {}\n  expected {text}", answer.list));
            }
        }
        for alike in row.texts("alike") {
            let other = ask(&mut face, row.kind(), &FilterInput::Filter(alike.clone()))?;
            same(&format!("hash of {alike}"), &other.hash, &answer.hash)?;
            same(&format!("answer to {alike}"), &other.names, &answer.names)?;
        }
        Ok(())
    });
}

/// Checks the errors for invalid lists, configurations and filters.
pub fn refuse<F: Face>() {
    run("refuse.json", include_str!("../fixtures/refuse.json"), F::NAME, |row| {
        let expected = refused(row)?;
        let found = if row.has("lists") {
            F::compile(&row.text("lists").unwrap_or_default(), None).err()
        } else if row.has("config") {
            F::compile(r#"{"tools":[]}"#, row.text("config").as_deref()).err()
        } else {
            world::<F>(row)?.ask(row.kind(), &row.filter_input()).err()
        };
        same("error", &found, &Some(expected))
    });
}

/// Checks the reason why a primitive is shown or hidden.
pub fn explain<F: Face>() {
    run("explain.json", include_str!("../fixtures/explain.json"), F::NAME, |row| {
        let of: String = row.get("of").ok_or("the row names nothing")?;
        let found = world::<F>(row)?.explain(row.kind(), &row.filter_input(), &of);
        same("answer", &found, &json!({"shown": row.value("shown"), "reason": row.value("reason")}))
    });
}

/// Checks the groups, tags, concerns and reports of a catalog.
pub fn facets<F: Face>() {
    run("facets.json", include_str!("../fixtures/facets.json"), F::NAME, |row| {
        let mut face = world::<F>(row)?;
        let about = face.about();
        for member in ["groups", "tags", "concerns", "reports"] {
            if let Some(expected) = row.value(member) {
                same(member, &numbers_alike(&about[member]), &numbers_alike(&expected))?;
            }
        }
        if let Some(sizes) = row.get::<BTreeMap<String, usize>>("sizes") {
            for kind in Kind::ALL {
                let found = ask(&mut face, kind, &FilterInput::Nothing)?.count;
                same(kind.list_key(), &found, sizes.get(kind.list_key()).unwrap_or(&0))?;
            }
        }
        same("hash of the same again", &world::<F>(row)?.about()["hash"], &about["hash"])
    });
}

/// Checks the findings of the linter.
pub fn lint<F: Linter>() {
    run("lint.json", include_str!("../fixtures/lint.json"), F::NAME, |row| {
        let config = row.text("config").unwrap_or_else(|| "{}".to_owned());
        let lists = row.text("lists");
        let found = F::lint(&config, lists.as_deref(), &row.filter_input()).map_err(said)?;
        let mut expected = row.value("findings").ok_or("the row finds nothing")?;
        // Rows need not give the text at the place of a finding.
        for (expected, found) in
            expected.as_array_mut().into_iter().flatten().zip(found.as_array().into_iter().flatten())
        {
            if expected.get("text").is_none() && found.get("text").is_some() {
                expected["text"] = found["text"].clone();
            }
        }
        same("findings", &found, &expected)
    });
}

/// Checks expressions in the place where operators write them: a rule of the configuration.
pub fn expressions<F: Face>() {
    run("expressions.json", include_str!("../fixtures/expressions.json"), F::NAME, |row| {
        let source = row.text("source").ok_or("the row has no source")?;
        let compile = |source: &str| {
            let rules = format!(r#"{{"rules":[{{"match":{source},"tags":["hit"]}}]}}"#);
            F::compile(&row.world().0, Some(&rules))
        };
        if row.has("error") {
            let found = compile(&source).err().ok_or("accepted")?;
            let Refused { message, path, .. } = refused(row)?;
            // The path of the rule, followed by the path within its expression.
            let joint = if path.is_some() { "." } else { ": " };
            let message = format!("rules[0].match{joint}{message}");
            let path = path.iter().fold("rules[0].match".to_owned(), |rule, path| format!("{rule}.{path}"));
            return same(
                "error",
                &found,
                &Refused { code: "config".to_owned(), message, path: Some(path), at: None },
            );
        }
        if row.has("reads") {
            let found = compile(&source).err().ok_or("a rule that reads the caller was accepted")?;
            return same("code", &found.code, &"config".to_owned());
        }
        for source in [Some(source), row.text("json")].into_iter().flatten() {
            let hits = FilterInput::Filter(r#"{"tags":["hit"]}"#.to_owned());
            let answer = ask(&mut compile(&source).map_err(said)?, row.kind(), &hits)?;
            same("matches", &answer.names, &row.names("matches"))?;
        }
        Ok(())
    });
}

/// Checks what callers see. A face without callers runs only the rows that have no caller.
pub fn views<F: Face>() {
    let caller = |row: &Row| row.get::<Caller>("caller").unwrap_or_default();
    let concern = |row: &Row| F::HAS_CALLERS || caller(row).is_empty();
    run_where("views.json", include_str!("../fixtures/views.json"), F::NAME, concern, |row| {
        let (lists, config) = row.world();
        let mut face = F::compile_for(&lists, config.as_deref(), &caller(row)).map_err(said)?;
        let see: BTreeMap<String, Vec<String>> = row.get("see").ok_or("the row sees nothing")?;
        for (kind, names) in see {
            let kind = Kind::from_list_key(&kind).ok_or("no such kind")?;
            let answer = ask(&mut face, kind, &row.filter_input())?;
            same("see", &answer.names, &names)?;
            same("ignored", &answer.ignored, &row.get("ignored").unwrap_or_default())?;
            same("unknown", &answer.unknown, &row.get("unknown").unwrap_or_default())?;
        }
        for member in ["groups", "tags"] {
            let Some(expected) = row.get::<Vec<String>>(member) else { continue };
            let named = |facet: &Value| facet["name"].as_str().map(str::to_owned);
            let found = face.about()[member].as_array().and_then(|list| list.iter().map(named).collect());
            same(member, &found, &Some(expected))?;
        }
        Ok(())
    });
}

/// Returns the error that the row expects.
pub fn refused(row: &Row) -> Result<Refused, String> {
    let error = row.inner("error").ok_or("the row demands no error")?;
    Ok(Refused {
        code: error.get("code").ok_or("the error has no code")?,
        message: error.get("message").ok_or("the error has no message")?,
        path: error.get("path"),
        at: error.get("at"),
    })
}

fn world<F: Face>(row: &Row) -> Result<F, String> {
    let (lists, config) = row.world();
    F::compile(&lists, config.as_deref()).map_err(said)
}

fn ask<F: Face>(face: &mut F, kind: Kind, input: &FilterInput) -> Result<Answer, String> {
    face.ask(kind, input).map_err(said)
}

fn said(refused: Refused) -> String {
    format!("refused: {refused:?}")
}

/// Converts numbers to `f64`: `2` and `2.0` are equal in JSON, but not in `serde_json`.
fn numbers_alike(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_f64()),
        Value::Array(values) => values.iter().map(numbers_alike).collect(),
        Value::Object(members) => {
            members.iter().map(|(key, value)| (key.clone(), numbers_alike(value))).collect()
        }
        other => other.clone(),
    }
}
