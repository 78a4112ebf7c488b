//! The settings under `disclosure`: when clients get discovery tools instead of all tools.

use mcp_sieve::{
    Error,
    expr::Expr,
    json::Entry,
    policy::{DisclosureMode, Preset},
};

use super::number::positive;

/// The settings for the disclosure of tools.
#[derive(Debug, Clone, PartialEq)]
pub struct Disclosure {
    /// The default mode. A URL, a preset or a rule for clients can override it.
    pub mode: DisclosureMode,
    /// The number of tokens up to which `auto` lists every tool.
    pub budget: u32,
    /// The tools that every mode lists. `None` if there are no such tools.
    pub always: Option<Expr>,
    /// Whether the tools that every mode lists carry `_meta["anthropic/alwaysLoad"]`, which asks hosts to load them at
    /// once.
    pub always_load: bool,
    /// The rules that set the mode of clients. The first rule whose condition matches the client applies.
    pub clients: Vec<(Expr, DisclosureMode)>,
}

impl Default for Disclosure {
    fn default() -> Self {
        let (mode, clients) = Default::default();
        Self { mode, budget: DisclosureMode::DEFAULT_BUDGET, always: None, always_load: false, clients }
    }
}

impl Disclosure {
    pub(super) fn read(entry: &Entry<'_>) -> Result<Self, Error> {
        let mut disclosure = Self::default();
        let mut record = entry.record(&["mode", "budget", "always", "alwaysLoad", "clients"])?;
        record.fill("mode", &mut disclosure.mode, DisclosureMode::read);
        record.fill("budget", &mut disclosure.budget, positive);
        record.fill("always", &mut disclosure.always, |entry| of_primitive(entry).map(Some));
        record.fill("alwaysLoad", &mut disclosure.always_load, Entry::flag);
        record.fill("clients", &mut disclosure.clients, |entry| entry.list(client));
        record.end().map(|()| disclosure)
    }
}

fn client(entry: &Entry<'_>) -> Result<(Expr, DisclosureMode), Error> {
    let (mut when, mut mode) = (Expr::All(Vec::new()), DisclosureMode::default());
    let mut record = entry.record(&["when", "mode"])?;
    record.need(&["when", "mode"]);
    record.fill("when", &mut when, |entry| {
        Preset::read_condition(entry, |field| {
            format!("`{field}` differs between requests, but a client has one mode for all its requests")
        })
    });
    record.fill("mode", &mut mode, DisclosureMode::read);
    record.end().map(|()| (when, mode))
}

/// Reads an expression on a tool. It must not read the caller, because the list is the same for all callers who see its
/// tools.
fn of_primitive(entry: &Entry<'_>) -> Result<Expr, Error> {
    let expr = entry.read(Expr::from_json)?;
    match expr.reads_caller() {
        Some(field) => Err(entry.refuse(
            ["`", &field.to_string(), "` reads the caller, expected a field of the primitive"].concat(),
        )),
        None => Ok(expr),
    }
}
