//! The table of tasks, in SQLite.

use mcp_sieve::task::Scan;
use mcp_sieve_gateway::tasks::{Binding, SCHEMA, Task};
use rusqlite::{Connection, StatementStatus, params, params_from_iter, types::Value};

/// A database with tasks.
pub struct Storage(Connection);

impl Storage {
    pub fn of(tasks: &[Task]) -> Self {
        let mut storage = Connection::open_in_memory().unwrap();
        SCHEMA.iter().for_each(|statement| _ = storage.execute(statement, []).unwrap());
        let writing = storage.transaction().unwrap();
        {
            let sql = "INSERT INTO tasks (id, state, method, created, updated, expires, head) VALUES (?, ?, ?, ?, ?, ?, ?)";
            let mut insert = writing.prepare(sql).unwrap();
            for task in tasks {
                let (created, updated) = (task.created as i64, task.updated as i64);
                let expires = task.expires().map(|at| at as i64);
                insert
                    .execute(params![
                        task.id,
                        task.state.number(),
                        task.method,
                        created,
                        updated,
                        expires,
                        task.head()
                    ])
                    .unwrap();
            }
        }
        writing.commit().unwrap();
        Self(storage)
    }

    /// Runs a scan and returns its tasks.
    pub fn look(&self, scan: &Scan) -> Vec<Task> {
        let (sql, bindings) = bound(scan);
        let mut statement = self.0.prepare_cached(&sql).unwrap();
        let heads = statement.query_map(params_from_iter(bindings), |row| row.get::<_, String>(0)).unwrap();
        heads.map(|head| Task::read(&head.unwrap(), None).unwrap()).collect()
    }

    /// Returns the number of virtual machine instructions that SQLite takes for a scan.
    pub fn steps(&self, scan: &Scan) -> i32 {
        let (sql, bindings) = bound(scan);
        let mut statement = self.0.prepare(&sql).unwrap();
        let heads = statement.query_map(params_from_iter(bindings), |row| row.get::<_, String>(0)).unwrap();
        heads.for_each(|head| _ = head.unwrap());
        statement.get_status(StatementStatus::VmStep)
    }

    /// Returns SQLite's query plan for a scan.
    pub fn plan(&self, scan: &Scan) -> String {
        let (sql, bindings) = bound(scan);
        let mut statement = self.0.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = statement.query_map(params_from_iter(bindings), |row| row.get::<_, String>(3)).unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }
}

fn bound(scan: &Scan) -> (String, Vec<Value>) {
    let statement = mcp_sieve_gateway::tasks::Statement::for_scan(scan);
    let bindings = statement.bindings.into_iter().map(|binding| match binding {
        Binding::Number(number) => Value::Integer(number),
        Binding::Text(text) => Value::Text(text),
    });
    (statement.sql, bindings.collect())
}
