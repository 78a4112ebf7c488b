//! `import_issues`: checks a batch of issues first, and writes them after the user confirms.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Memory, Question, Turn, form};
use crate::{args::Args, error::Fail, issues, labels, limits::MAX_ISSUES, store::Store, tools::Reply};

/// Maximum number of imports in the table; beyond it the oldest is deleted and cannot continue.
const MAX_IMPORTS: i64 = 1_000;
/// Maximum number of titles in the question, and of problems in an error message.
const MAX_NAMED: usize = 5;
/// The key of the confirmation question.
const CONFIRM: &str = "confirm";

/// The table with the progress of each import. It is updated together with the issues, so a repeated step finds that
/// its work is done.
pub(crate) const TABLE: &str = "CREATE TABLE IF NOT EXISTS imports
    (id INTEGER PRIMARY KEY AUTOINCREMENT, next INTEGER NOT NULL, made TEXT NOT NULL)";

/// The state of an import.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Import {
    /// The import's row in the table `imports`.
    id: i64,
    /// The index of the next row of the arguments to process in the current part.
    next: usize,
    /// The indexes of rows whose title equals that of an open issue or of an earlier row.
    known: Vec<usize>,
    problems: Vec<String>,
    part: Part,
}

/// The part of an import that is in progress. In `Confirming`, it waits for the answer of the user.
#[derive(Debug, Default, Clone, Copy, PartialEq, Serialize, Deserialize)]
enum Part {
    /// Checking the rows.
    #[default]
    Checking,
    Confirming,
    /// Writing all rows, or only those with a new title.
    Writing {
        all: bool,
    },
}

impl Memory for Import {}

/// Handles one step of `import_issues`.
pub(super) fn step(store: &Store<'_>, args: &Args, turn: Turn<'_>) -> Result<Reply, Fail> {
    let rows = rows(args)?;
    let Some(mut import) = Import::of(turn)? else {
        // The first step asks nothing, so that a client that requested a task receives it before the question.
        let import = Import { id: begin(store)?, ..Import::default() };
        return import.more(args, 0, total(&rows), format!("{} rows to check", rows.len()));
    };
    if import.part == Part::Confirming {
        let Some(answer) = turn.answers.get(CONFIRM) else { return import.ask(&rows) };
        match decided(answer) {
            Some(all) => (import.part, import.next) = (Part::Writing { all }, 0),
            None => return Ok(Reply::Data(import.result(rows.len(), &[], "declined"))),
        }
    }
    let end =
        rows.len().min(import.next.saturating_add(usize::try_from(args.integer("batch")?).unwrap_or(1)));
    match import.part {
        Part::Writing { all } => import.write(store, args, &rows, end, all),
        _ => import.check(store, args, &rows, end),
    }
}

impl Import {
    /// Checks the rows up to `end`: their labels must exist, and duplicate titles are noted.
    fn check(mut self, store: &Store<'_>, args: &Args, rows: &[Args], end: usize) -> Result<Reply, Fail> {
        for at in self.next..end {
            let Some(row) = rows.get(at) else { break };
            if let Err(fail) = labels::known(store, row.list("labels")?)
                && self.problems.len() < MAX_NAMED
            {
                self.problems.push(format!("`issues[{at}]`: {}", fail.message()));
            }
            let title = row.text("title")?;
            const SAME: &str =
                "SELECT 1 FROM issues WHERE state = 'open' AND title = ? COLLATE NOCASE LIMIT 1";
            let before = rows.iter().take(at);
            let twin =
                before.filter_map(|row| row.text("title").ok()).any(|one| one.eq_ignore_ascii_case(title));
            if twin || store.any(SAME, [title.into()])? {
                self.known.push(at);
            }
        }
        self.next = end;
        if !self.problems.is_empty() && end == rows.len() {
            return Err(Fail::refused(format!("nothing was imported: {}", self.problems.join("; "))));
        }
        if end == rows.len() {
            self.part = Part::Confirming;
            return self.ask(rows);
        }
        self.more(args, count(end), total(rows), format!("checked {end} of {} rows", rows.len()))
    }

    fn ask(&self, rows: &[Args]) -> Result<Reply, Fail> {
        let new = rows.len() - self.known.len();
        let mut message = format!("Import {new} new issues?");
        if !self.known.is_empty() {
            let titles = self.known.iter().take(MAX_NAMED).filter_map(|at| rows.get(*at)?.text("title").ok());
            let titles: Vec<_> = titles.map(|title| format!("“{title}”")).collect();
            let many = self.known.len();
            message =
                format!("{message} {many} more have a title that is there already: {}", titles.join(", "));
        }
        let properties = json!({
            "proceed": {"type": "boolean", "title": "Import them", "default": true},
            "known": {
                "type": "string",
                "title": "Those whose title is there already",
                "enum": ["skip", "import"],
                "default": "skip",
            },
        });
        let params = form(&message, properties, &["proceed"]);
        Ok(Reply::Question(Question { state: self.written()?, key: CONFIRM, params }))
    }

    /// Writes the rows up to `end` and records the progress in the same transaction.
    fn write(
        mut self,
        store: &Store<'_>,
        args: &Args,
        rows: &[Args],
        end: usize,
        all: bool,
    ) -> Result<Reply, Fail> {
        let (next, mut made) = begun(store, self.id)?;
        // The table is authoritative: this step's own state may be older than the rows already written.
        self.next = self.next.max(next);
        let skipped = |at: &usize| !all && self.known.contains(at);
        for at in (self.next..end).filter(|at| !skipped(at)) {
            let Some(row) = rows.get(at) else { break };
            if store.number("SELECT count(*) FROM issues", [])? >= MAX_ISSUES {
                let many = made.len();
                return Err(Fail::refused(format!(
                    "{many} issues were imported, and no more fit: the tracker holds {MAX_ISSUES}"
                )));
            }
            let made_now = issues::create(store, &row.with("author", args.text("author")?))?;
            if let Reply::Data(issue) = made_now {
                made.extend(issue.get("id").and_then(Value::as_i64));
            }
        }
        self.next = self.next.max(end);
        store.run(
            "UPDATE imports SET next = ?2, made = ?3 WHERE id = ?1",
            [self.id.into(), count(self.next).into(), json!(made).to_string().into()],
        )?;
        if self.next >= rows.len() {
            return Ok(Reply::Data(self.result(rows.len(), &made, "imported")));
        }
        let message = format!("wrote {} of {} rows", self.next, rows.len());
        // Checking counts as the first half of the progress.
        self.more(args, count(rows.len()) + count(self.next), total(rows), message)
    }

    fn result(&self, rows: usize, made: &[i64], outcome: &str) -> Value {
        json!({"outcome": outcome, "rows": rows, "imported": made.len(), "issues": made})
    }
}

/// Records a new import and returns its number.
fn begin(store: &Store<'_>) -> Result<i64, Fail> {
    let id = store.number("INSERT INTO imports (next, made) VALUES (0, '[]') RETURNING id", [])?;
    store.run("DELETE FROM imports WHERE id <= ?", [(id - MAX_IMPORTS).into()])?;
    Ok(id)
}

/// Returns the next row to write, and the numbers of the issues that the import has created.
fn begun(store: &Store<'_>, id: i64) -> Result<(usize, Vec<i64>), Fail> {
    let row = store
        .row("SELECT json_object('next', next, 'made', json(made)) FROM imports WHERE id = ?", [id.into()])?;
    let row = row.ok_or_else(|| Fail::refused("the import was begun too long ago; begin it anew"))?;
    let next = row.get("next").and_then(Value::as_u64).and_then(|next| usize::try_from(next).ok());
    let made = row.get("made").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_i64);
    Ok((next.unwrap_or_default(), made.collect()))
}

/// Returns `None` if the user declined, or else whether to import rows with duplicate titles as well.
fn decided(answer: &Value) -> Option<bool> {
    let accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    let content = answer.get("content");
    let proceed = content.and_then(|content| content.get("proceed")?.as_bool()) == Some(true);
    let all = content.and_then(|content| content.get("known")?.as_str()) == Some("import");
    (accepted && proceed).then_some(all)
}

fn rows(args: &Args) -> Result<Vec<Args>, Fail> {
    let rows = args.list("issues")?.iter().filter_map(Value::as_object);
    Ok(rows.map(|row| Args(row.clone())).collect())
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

/// Returns the total for progress reports: every row is first checked and then written.
fn total(rows: &[Args]) -> i64 {
    count(rows.len().saturating_mul(2))
}
