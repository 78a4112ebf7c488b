//! Lints for the names of tools: those that hosts reject, and those of discovery tools.

use mcp_sieve::{Kind, catalog::Catalog, policy::DisclosureMode};

use super::{Finding, Flaw};
use crate::{config::Config, discovery::DiscoveryTool};

/// Maximum length of the name of a tool in many hosts, in characters.
const MAX_IN_HOSTS: usize = 64;

/// Checks the names under which a catalog lists tools.
pub(super) fn lint(config: &Config, catalog: &Catalog, findings: &mut Vec<Finding>) {
    let tools = catalog.kind_index(Kind::Tool);
    let prefix = ["mcp__", config.server.name(), "__"].concat();
    let most = MAX_IN_HOSTS.saturating_sub(prefix.chars().count());
    let mut long = tools.ids().filter(|name| name.chars().count() > most);
    if let Some(first) = long.next() {
        let count = long.count() + 1;
        let message = format!(
            "{count} names of tools have more than {MAX_IN_HOSTS} characters with `{prefix}`, which many hosts put before \
             them, such as `{first}`: `\"maxToolName\": {most}` shortens them"
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
