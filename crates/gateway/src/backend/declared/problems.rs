//! Reports about server declarations that were left out or changed.

use std::fmt;

use mcp_sieve::catalog::Report;

/// A declaration that was left out or changed, reported to the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The operator's name for the server.
    pub server: String,
    /// The description of the problem and of its effect.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server `{}`: {}", self.server, self.problem)
    }
}

/// The problems for the operator, at most [`Report::MAX_REPORTS`](mcp_sieve::catalog::Report::MAX_REPORTS) for each
/// server.
#[derive(Debug, Default)]
pub(super) struct Problems {
    pub(super) list: Vec<Problem>,
    /// The number of problems of the last server, including those that are not listed.
    count: usize,
}

impl Problems {
    pub(super) fn add(&mut self, server: &str, problem: String) {
        let same = self.list.last().is_some_and(|last| last.server == server);
        self.count = if same { self.count + 1 } else { 1 };
        match self.count {
            count if count <= Report::MAX_REPORTS => {
                let mut problem = problem.replace(char::is_control, " ");
                problem.truncate(problem.floor_char_boundary(Report::MAX_TEXT));
                self.list.push(Problem { server: server.to_owned(), problem });
            }
            count => {
                let others = count - Report::MAX_REPORTS;
                let problem = format!("{others} more problems are not shown");
                match self.list.last_mut().filter(|_| others > 1) {
                    Some(last) => last.problem = problem,
                    None => self.list.push(Problem { server: server.to_owned(), problem }),
                }
            }
        }
    }
}
