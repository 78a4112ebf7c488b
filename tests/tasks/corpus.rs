//! The rows of `tests/fixtures/tasks.json`, natively.
