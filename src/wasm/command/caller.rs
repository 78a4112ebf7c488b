use crate::{
    config::Config,
    error::Error,
    expr::{Expr, Field, NoCaller},
    json::Object,
    policy::{CallerContext, Check, Described, Guarded, View},
};

/// The caller that an operator describes by its claims and by the preset by whose path it comes, and what turns it
/// away.
///
/// # Errors
/// As [`Described::read`].
pub(super) fn described<'a>(
    config: &'a Config,
    claims: &'a str,
    preset: Option<&'a str>,
) -> Result<(Described<'a>, Option<Refusal<'a>>), Error> {
    let mut caller = Described::read(claims)?;
    let found = caller.bind(&config.presets, preset);
    // As in the gateway: who does not pass the checks is told nothing of presets.
    let check = Check::failed(&config.checks, &caller).map(Refusal::Check);
    Ok((caller, check.or(if found { None } else { preset.map(Refusal::Path) })))
}

/// Returns what a described caller may see; without one, what a caller may see of whom nothing is known.
pub(super) fn view(guarded: &Guarded, caller: Option<&Described<'_>>) -> View {
    let asking = caller.map_or(&NoCaller as &dyn CallerContext, |caller| caller);
    guarded.view(asking)
}

/// What turns a caller away.
pub(super) enum Refusal<'a> {
    /// A check that it does not pass.
    Check(&'a Check),
    /// There is no preset of this name for it.
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

/// What the file reads of callers beside claims and presets, as expressions spell it, each once: a described caller has
/// none of it.
pub(super) fn unknown(config: &Config) -> Vec<String> {
    let shows = config.policies.iter().map(|policy| &policy.show);
    let whens = config.presets.iter().filter_map(|preset| preset.when.as_ref());
    let requires = config.checks.iter().map(|check| &check.require);
    let mut unknown = Vec::new();
    for term in shows.chain(whens).chain(requires).flat_map(Expr::terms) {
        let told = matches!(term.field(), Field::Claim(_) | Field::Preset);
        let field = term.field().to_string();
        if term.field().reads_caller() && !told && !unknown.contains(&field) {
            unknown.push(field);
        }
    }
    unknown
}
