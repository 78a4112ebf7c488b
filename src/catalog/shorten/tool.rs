//! Shortens the definition of a tool until it fits a budget.

use super::{
    hazards::Hazards,
    plan::Plan,
    schema,
    sentences::{first_sentence, sentence_ends},
};
use crate::{
    catalog::Tokens,
    json::{Members, Object, Raw},
};

/// Maximum length, in bytes, of a definition that is measured after each step. A longer one gets all steps at once.
const MAX_STEPPED: usize = 128 * 1024;

/// Returns the definition of a tool in a form of at most `budget` tokens, or in the shortest form that the steps give.
/// `None` for a definition that fits, and for one that no step shortens.
pub(crate) fn shorten(tool: &str, budget: u32) -> Option<String> {
    if fits(tool.as_bytes(), budget) {
        return None;
    }
    let definition = Definition::read(tool)?;
    let short = definition.shortened(budget, tool.len() > MAX_STEPPED);
    (short.len() < tool.len()).then(|| String::from_utf8(short).unwrap_or_default())
}

fn fits(json: &[u8], budget: u32) -> bool {
    Tokens::estimate(json) <= budget
}

/// The definition of a tool, and what steps need to know of it.
struct Definition<'a> {
    members: Members<'a>,
    hazards: Hazards,
    deepest: u8,
}

impl<'a> Definition<'a> {
    fn read(tool: &'a str) -> Option<Self> {
        let members = Members::parse(tool)?;
        let schemas = || ["inputSchema", "outputSchema"].into_iter().filter_map(|key| members.get(key));
        let mut hazards = Hazards::default();
        for found in schemas().map(Hazards::find) {
            hazards.narrows |= found.narrows;
            hazards.refers |= found.refers;
        }
        let deepest = schemas().map(|schema| schema::deepest(schema, 1)).max().unwrap_or_default();
        Some(Self { hazards, deepest, members })
    }

    /// Returns the first form that fits, or else the last one, with as much of the tool's own description as fits.
    fn shortened(&self, budget: u32, at_once: bool) -> Vec<u8> {
        let steps = if self.hazards.refers || at_once { 0 } else { self.deepest };
        let first = Plan::steps(steps).filter(|_| !self.hazards.refers && !at_once);
        for plan in first {
            let text = self.text(&plan, None);
            if fits(&text, budget) {
                return text;
            }
        }
        let last = if self.hazards.refers { Plan::NOTHING } else { Plan::ALL };
        let description = self.members.get("description").and_then(Raw::text);
        let Some(description) = description else { return self.text(&last, None) };
        let text = |end: &usize| self.text(&last, description.get(..*end).map(str::trim_end));
        let ends = sentence_ends(&description);
        // At least the first sentence is kept.
        let count = ends.partition_point(|end| fits(&text(end), budget));
        match ends.get(count.saturating_sub(1)) {
            Some(end) if count > 0 => text(end),
            _ => self.text(&last, Some(first_sentence(&description))),
        }
    }

    /// Returns the definition by a plan, with another description if one is given.
    fn text(&self, plan: &Plan, description: Option<&str>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        // What a tool returns must be described as before, and its list of values is part of that.
        let output = Plan { choices: false, ..*plan };
        let input = Plan { choices: plan.choices && !self.hazards.narrows, ..*plan };
        for (key, value) in &self.members.0 {
            match (key.as_ref(), description) {
                ("inputSchema", _) => schema::write(*value, 1, &input, object.value(key)),
                ("outputSchema", _) => schema::write(*value, 1, &output, object.value(key)),
                ("description", Some(description)) => object.text(key, description),
                _ => object.raw(key, value.get().as_bytes()),
            }
        }
        object.close();
        out
    }
}
