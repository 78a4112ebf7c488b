//! Lints for the names of tools: those that hosts reject, and those of discovery tools.

use mcp_sieve::{
    Kind,
    catalog::{Assignments, Catalog},
    discovery::DiscoveryTool,
    policy::DisclosureMode,
};

use super::{Finding, Flaw};
use crate::config::Config;

/// Maximum length of the name of a tool in many hosts, in characters.
const MAX_IN_HOSTS: usize = Assignments::MAX_PORTABLE_NAME;
/// What hosts do with names that have other characters, by the errors that they print. One such name may cost every tool
/// of every server: hosts send all definitions in one request.
const REFUSALS: &str = "the Claude API, OpenAI's API and GitHub Copilot CLI refuse every request with such a tool, Claude \
                        Desktop loads none of the tools, Cursor leaves the tool out, VS Code warns";

/// Checks the names under which a catalog lists tools.
pub(super) fn lint(config: &Config, catalog: &Catalog, findings: &mut Vec<Finding>) {
    let tools = catalog.kind_index(Kind::Tool);
    let prefix = ["mcp__", config.server.name(), "__"].concat();
    let most = MAX_IN_HOSTS.saturating_sub(prefix.chars().count());
    let mut odd = tools.ids().filter(|name| !Assignments::is_portable_text(name));
    if let Some(first) = odd.next() {
        let count = odd.count() + 1;
        let (names, have) = if count == 1 { ("name of a tool", "has") } else { ("names of tools", "have") };
        let message = format!(
            "{count} {names} {have} other characters than `A-Z a-z 0-9 _ -`, such as `{first}`: {REFUSALS}; \
             `\"toolNames\": \"portable\"` rewrites them"
        );
        findings.push(Finding::new(Flaw::OddName, "catalog", message));
    }
    let is_long = |name: &&str| Assignments::is_portable_text(name) && name.chars().count() > most;
    let mut long = tools.ids().filter(is_long);
    if let Some(first) = long.next() {
        let count = long.count() + 1;
        let (names, have, them) =
            if count == 1 { ("name of a tool", "has", "it") } else { ("names of tools", "have", "them") };
        let message = format!(
            "{count} {names} {have} more than {MAX_IN_HOSTS} characters with `{prefix}`, which many hosts put before \
             {them}, such as `{first}`: `\"maxToolName\": {most}` shortens {them}"
        );
        findings.push(Finding::new(Flaw::LongName, "catalog", message));
    }
    let modes = config.disclosure.clients.iter().map(|(_, mode)| *mode);
    let presets = config.engine.presets.iter().filter_map(|preset| preset.disclosure);
    let discovers =
        modes.chain(presets).chain([config.disclosure.mode]).any(|mode| mode != DisclosureMode::Flat);
    for tool in DiscoveryTool::ALL.into_iter().filter(|_| discovers) {
        if let Some(index) = tools.find(tool.name()) {
            let server = tools.server(index).unwrap_or_default();
            let message = format!(
                "`{}` of `{server}` has the name of a discovery tool: where tools are discovered it is not listed, and \
                 `call_tool` calls it",
                tool.name()
            );
            findings.push(Finding::new(Flaw::DiscoveryName, "catalog", message));
        }
    }
}
