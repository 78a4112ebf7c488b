//! The page of a tool (MCP Apps) as conditions read it.

use crate::{
    catalog::model::kind::Kind,
    expr::{Field, Subject},
};

/// The page of a tool as conditions read it: everything is that of the tool, except the kind and the address. If servers
/// list the page, the values of its own definition count as well.
pub(crate) struct Page<'a> {
    pub tool: &'a dyn Subject,
    pub listed: Option<&'a dyn Subject>,
    pub kind: Kind,
    pub uri: &'a str,
}

impl Subject for Page<'_> {
    fn values(&self, field: &Field, visit: &mut dyn FnMut(&str)) {
        match field {
            Field::Kind => visit(self.kind.name()),
            Field::Uri => visit(self.uri),
            _ => {
                self.tool.values(field, visit);
                self.listed.iter().for_each(|listed| listed.values(field, visit));
            }
        }
    }
}
