//! The SQLite schema of tasks, and the statement for a page of a query.

use mcp_sieve::task::{Direction, OrderKey, Scan};
use serde::{Deserialize, Serialize};

use super::record::signed;

/// The SQLite statements that create the table of one owner's tasks and its indexes. The indexes cover every condition
/// of a [`Query`](mcp_sieve::task::Query), so that only listed tasks are read.
pub const SCHEMA: [&str; 4] = [
    "CREATE TABLE IF NOT EXISTS tasks (id TEXT PRIMARY KEY, state INTEGER NOT NULL, method TEXT NOT NULL, \
     created INTEGER NOT NULL, updated INTEGER NOT NULL, expires INTEGER, head TEXT NOT NULL, outcome TEXT) STRICT",
    "CREATE INDEX IF NOT EXISTS tasks_updated ON tasks (updated DESC, id, state, method, created, expires)",
    "CREATE INDEX IF NOT EXISTS tasks_created ON tasks (created DESC, id, state, method, updated, expires)",
    "CREATE INDEX IF NOT EXISTS tasks_expires ON tasks (expires)",
];

/// A statement and the values of its `?`, in order. Its rows only have [`Task::head`](super::Task::head).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// The text of the statement.
    pub sql: String,
    /// The values of its placeholders `?`.
    pub bindings: Vec<Binding>,
}

/// The value of a placeholder in a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binding {
    /// A whole number.
    Number(i64),
    /// A string.
    Text(String),
}

impl Statement {
    /// Returns the statement that finds the same tasks as [`Scan::pick`].
    pub fn for_scan(scan: &Scan) -> Self {
        let query = &scan.query;
        let mut statement = Statement { sql: String::new(), bindings: Vec::new() };
        let (index, key) = match query.by {
            OrderKey::Updated => ("tasks_updated", "updated"),
            OrderKey::Created => ("tasks_created", "created"),
        };
        if query.ids.is_empty() {
            statement.sql = format!("SELECT head FROM tasks INDEXED BY {index} WHERE ");
        } else {
            // A few ids are looked up by the primary key.
            statement.text(
                "SELECT head FROM tasks WHERE id IN (SELECT value FROM json_each(?)) AND ",
                json(&query.ids),
            );
        }
        statement.number("(expires IS NULL OR expires > ?)", signed(scan.now));
        if !query.any_status {
            let states: Vec<String> = query.states().map(|state| state.number().to_string()).collect();
            statement.sql.push_str(&format!(" AND state IN ({})", states.join(",")));
        }
        if !query.methods.is_empty() {
            statement.text(" AND method IN (SELECT value FROM json_each(?))", json(&query.methods));
        }
        // No task changed before it was created, so each time also bounds the other.
        let (mut created, mut updated) = (query.created, query.updated);
        updated.after = updated.after.max(created.after);
        created.before = created.before.into_iter().chain(updated.before).min();
        for (column, bounds) in [("created", created), ("updated", updated)] {
            bounds.after.into_iter().for_each(|at| statement.number(&format!(" AND {column} > ?"), at));
            bounds.before.into_iter().for_each(|at| statement.number(&format!(" AND {column} < ?"), at));
        }
        let descending = query.direction == Direction::Descending;
        if let Some(place) = &scan.from {
            let (reaches, passes) = if descending { ("<=", "<") } else { (">=", ">") };
            statement.number(&format!(" AND {key} {reaches} ?"), place.at);
            statement.number(&format!(" AND ({key} {passes} ?"), place.at);
            statement.text(" OR id > ?)", place.id.clone());
            statement.number(&format!(" AND {key} <= ?"), place.began.max(place.at));
        }
        let way = if descending { "DESC" } else { "ASC" };
        statement.number(
            &format!(" ORDER BY {key} {way}, id ASC LIMIT ?"),
            i64::try_from(scan.limit).unwrap_or(i64::MAX),
        );
        statement
    }

    fn number(&mut self, sql: &str, value: i64) {
        self.sql.push_str(sql);
        self.bindings.push(Binding::Number(value));
    }

    fn text(&mut self, sql: &str, value: String) {
        self.sql.push_str(sql);
        self.bindings.push(Binding::Text(value));
    }
}

fn json(values: &[String]) -> String {
    let mut out = Vec::new();
    mcp_sieve::json::Object::push_array(&mut out, values, |out, value| {
        mcp_sieve::json::Object::push_text(out, value)
    });
    String::from_utf8(out).unwrap_or_default()
}
