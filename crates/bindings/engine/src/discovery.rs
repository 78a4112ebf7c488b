//! The discovery tools of a compiled catalog: their definitions and their results.

use mcp_sieve::{
    Kind,
    catalog::{Bitset, KindIndex},
    discovery::{DiscoveryTool, Outcome, Tools},
    json::Object,
    policy::DisclosureMode,
};
use mcp_sieve_bindings_value::plain;
use wasm_bindgen::prelude::*;

use super::{answer, engine::Engine};

#[wasm_bindgen]
impl Engine {
    /// Returns the tools that a host lists to its model: `{mode, tools, instructions}`.
    ///
    /// `slot` is the filter of the tools that can be found, `always` that of the tools among them that every mode
    /// lists; 0 for none. The mode `auto` becomes `search` if the tools take more than `budget` tokens, and `flat`
    /// otherwise.
    pub fn discovery(&mut self, slot: usize, always: usize, mode: &str, budget: f64) -> JsValue {
        let mode = DisclosureMode::named(mode).unwrap_or_default();
        let within = self.for_models(slot);
        let mut direct = if always == 0 { Bitset::none(0) } else { self.selected(always) };
        let (tools, catalog) = (Tools::new(self.view(), &within), self.view().catalog());
        let mode = match mode {
            DisclosureMode::Auto if catalog.tokens(Kind::Tool, &within).count as f64 > budget => {
                DisclosureMode::Search
            }
            DisclosureMode::Auto => DisclosureMode::Flat,
            mode => mode,
        };
        let own = if tools.count() == 0 { &[][..] } else { DiscoveryTool::listed_in(mode) };
        match mode {
            DisclosureMode::Flat => direct.clone_from(&within),
            _ => direct.intersect(&within),
        }
        let mut outlined = if mode == DisclosureMode::Outline { within.clone() } else { Bitset::none(0) };
        outlined.subtract(&direct);
        direct.unite(&outlined);
        let kind_index = catalog.kind_index(Kind::Tool);
        DiscoveryTool::ALL
            .iter()
            .filter_map(|tool| kind_index.find(tool.name()))
            .for_each(|at| direct.remove(at));
        let mut out = Vec::new();
        let mut listed = Object::open(&mut out);
        listed.text("mode", mode.name());
        let definitions = own.iter().map(|tool| (false, tool.definition().as_bytes()));
        let direct = direct.iter().filter_map(|at| Some((outlined.contains(at), kind_index.listed(at)?)));
        Object::push_array(listed.value("tools"), definitions.chain(direct), |out, (outlined, tool)| {
            match outlined {
                true => Tools::push_outline(tool, out),
                false => out.extend_from_slice(tool),
            }
        });
        listed.text("instructions", &tools.instructions(mode));
        listed.close();
        plain(out)
    }

    /// Returns the names of the tools of a slot that a model can find.
    pub fn discoverable(&mut self, slot: usize) -> JsValue {
        let within = self.for_models(slot);
        plain(answer::names(self.view().catalog().kind_index(Kind::Tool), &within))
    }

    /// Returns the outcome of a tool call: a `{result}`, or the call that the host must make:
    /// `{call: {tool, server, name, arguments}}`.
    ///
    /// `tool` is a discovery tool or a tool that can be found. `scores` are a ranker's scores for the query of a
    /// search, one for each [name](Self::discoverable).
    pub fn discover(
        &mut self,
        slot: usize,
        tool: &str,
        arguments: &str,
        scores: Option<Vec<f32>>,
    ) -> JsValue {
        let within = self.for_models(slot);
        let mut out = Vec::new();
        let mut object = Object::open(&mut out);
        match Tools::new(self.view(), &within).scored(scores.as_deref()).call(tool, arguments) {
            Outcome::Call { index, arguments } => {
                let mut call = Object::open(object.value("call"));
                push_call(self.view().catalog().kind_index(Kind::Tool), index, &mut call);
                call.raw("arguments", arguments.as_deref().unwrap_or("{}").as_bytes());
                call.close();
            }
            Outcome::Answer(answer) => {
                let mut result = Object::open(object.value("result"));
                answer.write(&mut result);
                result.close();
            }
        }
        object.close();
        plain(out)
    }
}

impl Engine {
    /// Returns the tools of a slot that models may call.
    fn for_models(&mut self, slot: usize) -> Bitset {
        let within = self.selected(slot);
        Tools::new(self.view(), &within).members(None)
    }
}

/// Writes the tool of a call: its name in the catalog, its server, and its name on the server.
fn push_call(tools: &KindIndex, at: usize, call: &mut Object<'_>) {
    let name = tools.id(at).unwrap_or_default();
    call.text("tool", name);
    call.text("server", tools.server(at).unwrap_or_default());
    call.text("name", tools.own_id(at).unwrap_or(name));
}
