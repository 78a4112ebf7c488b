//! Callers that an operator describes to a command, and the reasons why the gateway refuses them.

use mcp_sieve::{
    Error,
    expr::{Expr, Field, NoCaller},
    json::Object,
    policy::{CallerContext, Check, Described, Guarded, View},
};
use mcp_sieve_gateway::config::Config;

/// Returns a caller that an operator describes by its claims and by the preset in its path, and the reason why the
/// gateway would refuse it, if there is one.
///
/// # Errors
/// As [`Described::read`].
pub(super) fn described<'a>(
    config: &'a Config,
    claims: &'a str,
    preset: Option<&'a str>,
) -> Result<(Described<'a>, Option<Refusal<'a>>), Error> {
    let mut caller = Described::read(claims)?;
    let found = caller.bind(&config.engine.presets, preset);
    // As in the gateway, a caller that fails a check learns nothing about presets.
    let check = Check::failed(&config.engine.checks, &caller).map(Refusal::Check);
    Ok((caller, check.or(if found { None } else { preset.map(Refusal::Path) })))
}

/// Returns the view of a described caller; without one, the view of a caller about which nothing is known.
pub(super) fn view(guarded: &Guarded, caller: Option<&Described<'_>>) -> View {
    let asking = caller.map_or(&NoCaller as &dyn CallerContext, |caller| caller);
    guarded.view(asking)
}

/// The reason why a caller is refused.
pub(super) enum Refusal<'a> {
    /// The caller fails a check.
    Check(&'a Check),
    /// No preset with this name applies to the caller.
    Path(&'a str),
}

impl Refusal<'_> {
    /// Writes `refused`: `{check, message}` or `{preset}`.
    pub fn write(&self, object: &mut Object<'_>) {
        let mut refused = Object::open(object.value("refused"));
        match self {
            Self::Check(check) => {
                refused.text("check", &check.name);
                refused.text("message", &check.message);
            }
            Self::Path(preset) => refused.text("preset", preset),
        }
        refused.close();
    }
}

/// Returns the fields of callers, other than claims, scopes and presets, that the configuration reads, as they are written in
/// expressions, each once. A described caller has no values for them.
pub(super) fn unknown(config: &Config) -> Vec<String> {
    let shows = config.engine.policies.iter().map(|policy| &policy.show);
    let whens = config.engine.presets.iter().filter_map(|preset| preset.when.as_ref());
    let requires = config.engine.checks.iter().map(|check| &check.require);
    let mut unknown = Vec::new();
    for term in shows.chain(whens).chain(requires).flat_map(Expr::terms) {
        let is_described = matches!(term.field(), Field::Claim(_) | Field::Scope | Field::Preset);
        let field = term.field().to_string();
        if term.field().reads_caller() && !is_described && !unknown.contains(&field) {
            unknown.push(field);
        }
    }
    unknown
}
