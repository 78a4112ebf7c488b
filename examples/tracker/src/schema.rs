//! The tables, and the sample data of a new tracker.
//!
//! The sample is `catalog/seed.json`. Its times are hours from midnight of the day on which the tables are filled, so a
//! new calendar has events in the coming days. SQLite parses the JSON itself, with one statement per table.

use serde_json::Value;

use super::{error::Fail, instant::Instant, long, store::Store};

/// Version of the tables, stored after they are filled. Raise it when the tables change.
const VERSION: i64 = 1;

/// The sample data, as JSON.
const SEED: &str = include_str!("catalog/seed.json");

/// Members of the sample data that hold hours.
const HOURS: [&str; 5] = ["created", "closed", "merged", "start", "end"];

/// Names and columns of the tables; a table comes after those it refers to. Deleting a row deletes its dependent rows.
/// Numbers are never reused, so a link to a deleted row stays invalid.
const TABLES: [(&str, &str); 12] = [
    (
        "issues",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL,
         state TEXT NOT NULL DEFAULT 'open', reason TEXT, priority TEXT NOT NULL, assignee TEXT, author TEXT NOT NULL,
         created_at TEXT NOT NULL, updated_at TEXT NOT NULL, closed_at TEXT",
    ),
    ("labels", "name TEXT PRIMARY KEY COLLATE NOCASE, color TEXT NOT NULL, description TEXT NOT NULL"),
    (
        "issue_labels",
        "issue INTEGER NOT NULL REFERENCES issues ON DELETE CASCADE,
         label TEXT NOT NULL COLLATE NOCASE REFERENCES labels ON DELETE CASCADE, PRIMARY KEY (issue, label)",
    ),
    (
        "comments",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, issue INTEGER NOT NULL REFERENCES issues ON DELETE CASCADE,
         author TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL",
    ),
    (
        "pulls",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL,
         state TEXT NOT NULL DEFAULT 'open', draft INTEGER NOT NULL, branch TEXT NOT NULL, base TEXT NOT NULL,
         author TEXT NOT NULL, merge_method TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, merged_at TEXT",
    ),
    (
        "pull_issues",
        "pull INTEGER NOT NULL REFERENCES pulls ON DELETE CASCADE,
         issue INTEGER NOT NULL REFERENCES issues ON DELETE CASCADE, PRIMARY KEY (pull, issue)",
    ),
    (
        "reviews",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, pull INTEGER NOT NULL REFERENCES pulls ON DELETE CASCADE,
         author TEXT NOT NULL, verdict TEXT NOT NULL, body TEXT NOT NULL, created_at TEXT NOT NULL",
    ),
    (
        "notes",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL,
         created_at TEXT NOT NULL, updated_at TEXT NOT NULL",
    ),
    (
        "note_tags",
        "note INTEGER NOT NULL REFERENCES notes ON DELETE CASCADE, tag TEXT NOT NULL, PRIMARY KEY (note, tag)",
    ),
    (
        "events",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, start_at TEXT NOT NULL, end_at TEXT NOT NULL,
         location TEXT, description TEXT NOT NULL",
    ),
    (
        "attendees",
        "event INTEGER NOT NULL REFERENCES events ON DELETE CASCADE, person TEXT NOT NULL, PRIMARY KEY (event, person)",
    ),
    (
        "places",
        "id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, kind TEXT NOT NULL, city TEXT NOT NULL,
         country TEXT NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL",
    ),
];

/// Indexes for lookups by columns other than the primary key.
const INDEXES: [&str; 7] = [
    "issues_by_change ON issues (state, updated_at)",
    "issues_by_label ON issue_labels (label)",
    "comments_by_issue ON comments (issue)",
    "pulls_by_issue ON pull_issues (issue)",
    "reviews_by_pull ON reviews (pull)",
    "events_by_start ON events (start_at)",
    "notes_by_tag ON note_tags (tag)",
];

/// Full-text indexes: name, table and columns. They ignore accents and case but do not stem words. A stemmer would also
/// shorten the prefixes of a search, and `way` would not find `waypoint`.
const TEXTS: [(&str, &str, &[&str]); 3] = [
    ("issue_text", "issues", &["title", "body"]),
    ("note_text", "notes", &["title", "body"]),
    ("place_text", "places", &["name", "city", "country"]),
];

/// Statements that fill the tables, one per table; `?1` is the sample with its times filled in. Rows are numbered from
/// 1.
const FILL: [&str; 12] = [
    "INSERT INTO labels SELECT value->>'name', value->>'color', value->>'description' FROM json_each(?1, '$.labels')",
    "INSERT INTO issues SELECT key + 1, value->>'title', value->>'body', iif(value->>'closed' IS NULL, 'open', 'closed'),
       value->>'reason', value->>'priority', value->>'assignee', value->>'author', value->>'created',
       coalesce(value->>'closed', value->>'created'), value->>'closed' FROM json_each(?1, '$.issues')",
    "INSERT INTO issue_labels SELECT i.key + 1, l.value FROM json_each(?1, '$.issues') i, json_each(i.value, '$.labels') l",
    "INSERT INTO comments SELECT key + 1, value->>'issue', value->>'author', value->>'body', value->>'created'
       FROM json_each(?1, '$.comments')",
    "INSERT INTO pulls SELECT key + 1, value->>'title', value->>'body', iif(value->>'merged' IS NULL, 'open', 'merged'),
       coalesce(value->>'draft', 0), value->>'branch', 'main', value->>'author', iif(value->>'merged' IS NULL, NULL, 'squash'),
       value->>'created', coalesce(value->>'merged', value->>'created'), value->>'merged' FROM json_each(?1, '$.pulls')",
    "INSERT INTO pull_issues SELECT p.key + 1, c.value FROM json_each(?1, '$.pulls') p, json_each(p.value, '$.closes') c",
    "INSERT INTO reviews SELECT key + 1, value->>'pull', value->>'author', value->>'verdict', value->>'body', value->>'created'
       FROM json_each(?1, '$.reviews')",
    "INSERT INTO notes SELECT key + 1, value->>'title', value->>'body', value->>'created', value->>'created'
       FROM json_each(?1, '$.notes')",
    "INSERT INTO note_tags SELECT n.key + 1, t.value FROM json_each(?1, '$.notes') n, json_each(n.value, '$.tags') t",
    "INSERT INTO events SELECT key + 1, value->>'title', value->>'start', value->>'end', value->>'location', value->>'description'
       FROM json_each(?1, '$.events')",
    "INSERT INTO attendees SELECT e.key + 1, a.value FROM json_each(?1, '$.events') e, json_each(e.value, '$.attendees') a",
    "INSERT INTO places SELECT key + 1, value->>'name', value->>'kind', value->>'city', value->>'country',
       value->>'latitude', value->>'longitude' FROM json_each(?1, '$.places')",
];

/// Creates and fills the tables of a new store. For an existing store this costs a few cheap statements.
pub(crate) fn prepare(store: &Store<'_>) -> Result<(), Fail> {
    store.run("CREATE TABLE IF NOT EXISTS meta (version INTEGER NOT NULL)", [])?;
    // A reset keeps this table: imports in progress record in it what they have done.
    store.run(long::IMPORTS, [])?;
    if store.any("SELECT version FROM meta", [])? {
        return Ok(());
    }
    fill(store)
}

/// Drops and recreates every table, and inserts the sample data.
pub(crate) fn fill(store: &Store<'_>) -> Result<(), Fail> {
    store.run("DELETE FROM meta", [])?;
    for (index, ..) in TEXTS {
        store.run(&format!("DROP TABLE IF EXISTS {index}"), [])?;
    }
    for (table, _) in TABLES.iter().rev() {
        store.run(&format!("DROP TABLE IF EXISTS {table}"), [])?;
    }
    for (table, columns) in TABLES {
        store.run(&format!("CREATE TABLE {table} ({columns})"), [])?;
    }
    for index in INDEXES {
        store.run(&format!("CREATE INDEX {index}"), [])?;
    }
    for (index, table, columns) in TEXTS {
        index_text(store, index, table, columns)?;
    }
    let sample = sample(store.now())?;
    for statement in FILL {
        store.run(statement, [sample.as_str().into()])?;
    }
    store.run("INSERT INTO meta (version) VALUES (?)", [VERSION.into()])
}

/// Creates a full-text index that keeps no copy of the texts, and triggers that update it with its table.
fn index_text(store: &Store<'_>, index: &str, table: &str, columns: &[&str]) -> Result<(), Fail> {
    let names = columns.join(", ");
    let of =
        |row: &str| columns.iter().map(|column| format!("{row}.{column}")).collect::<Vec<_>>().join(", ");
    let (old, new) = (of("old"), of("new"));
    let enter = format!("INSERT INTO {index} (rowid, {names}) VALUES (new.id, {new});");
    let leave = format!("INSERT INTO {index} ({index}, rowid, {names}) VALUES ('delete', old.id, {old});");
    store.run(
        &format!(
            "CREATE VIRTUAL TABLE {index} USING fts5({names}, content = '{table}', content_rowid = 'id')"
        ),
        [],
    )?;
    store.run(&format!("CREATE TRIGGER {index}_enter AFTER INSERT ON {table} BEGIN {enter} END"), [])?;
    store.run(&format!("CREATE TRIGGER {index}_leave AFTER DELETE ON {table} BEGIN {leave} END"), [])?;
    store.run(
        &format!(
            "CREATE TRIGGER {index}_change AFTER UPDATE OF {names} ON {table} BEGIN {leave} {enter} END"
        ),
        [],
    )
}

/// Returns the sample data with its hours replaced by instants relative to today.
fn sample(now: Instant) -> Result<String, Fail> {
    let fault = |what: &str| Fail::Fault(format!("the sample data cannot be read: {what}"));
    let midnight = Instant::parse_day(&now.day()).ok_or_else(|| fault("no midnight"))?;
    let mut sample: Value = serde_json::from_str(SEED).map_err(|error| fault(&error.to_string()))?;
    let tables = sample.as_object_mut().into_iter().flat_map(|tables| tables.values_mut());
    for row in tables.filter_map(Value::as_array_mut).flatten().filter_map(Value::as_object_mut) {
        for name in HOURS {
            if let Some(hours) = row.get(name).and_then(Value::as_f64) {
                let at = midnight.plus((hours * 3600.0) as i64)?.text();
                row.insert(name.into(), at.into());
            }
        }
    }
    Ok(sample.to_string())
}
