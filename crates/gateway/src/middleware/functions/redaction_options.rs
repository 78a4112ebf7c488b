//! The arguments that select the kinds to redact, and the action for each.

use mcp_sieve::{Error, ErrorKind};
use mcp_sieve_redact::{Action, Actions, Kind, Kinds, Patterns, pii::Preset};

use crate::middleware::framework::{arguments::Arguments, environment::Environment};

/// The name in `actions` for all kinds that it does not list.
const OTHERS: &str = "*";

/// The kinds to redact, and the action for each.
#[derive(Debug, Default)]
pub(crate) struct RedactionOptions {
    /// The kinds; `None` for all.
    pub kinds: Option<Kinds>,
    pub actions: Actions,
}

impl RedactionOptions {
    /// Reads the arguments `preset`, `types`, `actions` and `key`. `types` and `actions` override those of the preset.
    ///
    /// # Errors
    /// [`ErrorKind::ArgumentsInvalid`] with the path, for an unknown type, an action that a type does not support, and
    /// a missing or invalid key.
    pub fn read(patterns: &Patterns, arguments: &Arguments<'_>) -> Result<Self, Error> {
        let preset = arguments.text("preset").and_then(|name| Preset::named(&name));
        let members = arguments.members("actions").unwrap_or_default();
        let listed: Vec<_> =
            members.0.iter().filter_map(|(name, value)| Some((&**name, value.text()?))).collect();
        let others = listed.iter().find(|(name, _)| *name == OTHERS);
        let mut actions =
            Actions::all(others.and_then(|(_, action)| Action::named(action)).unwrap_or_default());
        if others.is_some_and(|(_, action)| Action::named(action) == Some(Action::Generalise)) {
            return Err(refuse("not every type can be generalised", format!("actions.{OTHERS}")));
        }
        for (kind, action) in preset.into_iter().flat_map(|preset| preset.actions()) {
            actions.set(*kind, *action);
        }
        for (name, action) in listed.iter().filter(|(name, _)| *name != OTHERS) {
            let place = || format!("actions.{name}");
            let kind = find_kind(patterns, name, place)?;
            let action = Action::named(action).unwrap_or_default();
            if action == Action::Generalise && !Action::GENERALISED.contains(&kind) {
                let known = Action::GENERALISED.map(Kind::name).join(", ");
                return Err(refuse(
                    &format!("`{name}` cannot be generalised, expected one of {known}"),
                    place(),
                ));
            }
            actions.set(kind, action);
        }
        read_key(arguments, &mut actions)?;
        let types = arguments.texts("types");
        let kinds = types.map(|names| {
            let kind = |(at, name)| find_kind(patterns, name, || format!("types[{at}]"));
            names.iter().map(|name| &**name).enumerate().map(kind).collect::<Result<Kinds, _>>()
        });
        let kinds = kinds.transpose()?.or_else(|| preset.map(|preset| preset.kinds(patterns.kinds())));
        Ok(Self { kinds, actions })
    }
}

/// Reads the argument `key`, and adds it to the actions.
///
/// # Errors
/// [`ErrorKind::ArgumentsInvalid`] for a key that is too short or too long, and for a missing key if an action hashes.
pub(crate) fn read_key(arguments: &Arguments<'_>, actions: &mut Actions) -> Result<(), Error> {
    let key = arguments.text("key");
    match key.as_deref().map(str::as_bytes) {
        Some(key) if (Actions::MIN_KEY..=Actions::MAX_KEY).contains(&key.len()) => actions.set_key(key),
        None if !actions.has(Action::Hash) => {}
        _ => {
            let (least, most) = (Actions::MIN_KEY, Actions::MAX_KEY);
            let message = format!("expected {least} to {most} bytes, with which the action `hash` hashes");
            return Err(refuse(&message, "key".to_owned()));
        }
    }
    Ok(())
}

/// Adds the environment's source of pseudonyms to actions that need it.
///
/// # Errors
/// [`ErrorKind::ArgumentsInvalid`] if an action needs pseudonyms and the environment has no source.
pub(crate) fn lend_pseudonyms(environment: &dyn Environment, actions: &mut Actions) -> Result<(), Error> {
    if actions.has(Action::Pseudonym) {
        let message = "only the gateway makes pseudonyms, in the `response` of a chain";
        let pseudonyms = environment.pseudonyms();
        actions.set_pseudonyms(pseudonyms.ok_or_else(|| refuse(message, "actions".to_owned()))?);
    }
    Ok(())
}

fn find_kind(patterns: &Patterns, name: &str, place: impl Fn() -> String) -> Result<Kind, Error> {
    patterns.named(name).ok_or_else(|| refuse(&format!("there is no type `{name}`"), place()))
}

fn refuse(message: &str, place: String) -> Error {
    Error::new(ErrorKind::ArgumentsInvalid, message.to_owned()).field(format!("arguments.{place}"))
}
